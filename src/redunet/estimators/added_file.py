"""Files whose samples a model has counted, so that none is counted twice by mistake."""

import re
from dataclasses import dataclass

from ..storage.expectations import expect
from ..storage.stored_types import stored_record

SHA256 = re.compile("[0-9a-f]{64}")
# Files that a model remembers; the oldest is forgotten first.
MOST_ADDED_FILES = 1000


@stored_record()
@dataclass(frozen=True)
class AddedFile:
    """The content of a file that the command line added.

    Parameters
    ----------
    sha256 : str
        Of its bytes.
    n_samples : int
    """

    sha256: str
    n_samples: int

    def check_stored(self) -> None:
        """Refuse what came from a file and is no digest."""
        expect(isinstance(self.sha256, str) and bool(SHA256.fullmatch(self.sha256)), "an added file has no digest")
        expect(type(self.n_samples) is int and self.n_samples > 0, "an added file has no samples")
