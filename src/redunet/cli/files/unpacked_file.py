"""Files that may be packed with gzip, unpacked while they are read."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ...inputs.byte_sizes import readable_bytes
from ..command_errors import DataError, first_line
from .input_files import open_file

PACKED_ENDING = ".gz"


def is_packed(path: Path) -> bool:
    """Whether the name of a file says that it is packed with gzip."""
    return path.suffix.lower() == PACKED_ENDING


@contextmanager
def unpacked(path: Path) -> Iterator[IO[bytes]]:
    """Context with the content of a file, unpacked if its name ends in .gz; in bounded memory."""
    with open_file(path) as file:
        if not is_packed(path):
            yield file
            return
        with io.BufferedReader(UnpackedFile(path, file)) as content:
            yield content


class UnpackedFile(io.RawIOBase):
    """The content of a gzip file; what is wrong with the file is an error that names it.

    Parameters
    ----------
    path : Path
    file : binary file
        Packed; it stays open.
    """

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path, self.n_bytes = path, 0
        self._content = gzip.GzipFile(fileobj=file)

    def readable(self) -> bool:
        """True: it is for reading."""
        return True

    def readinto(self, part: Any) -> int:
        """Fill a part of memory with what comes next, and return how many bytes it is."""
        try:
            found = self._content.read(len(part))
        except EOFError:
            raise DataError(
                f"{self.path} is cut short: the packed file ends after {readable_bytes(self.n_bytes)} of text; get the "
                f"whole file."
            ) from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError(
                f"{self.path} is damaged or not a gzip file, after {readable_bytes(self.n_bytes)} of text: "
                f"{first_line(error)}; get the file again, or take the ending {PACKED_ENDING} off its name."
            ) from None
        part[: len(found)] = found
        self.n_bytes += len(found)
        return len(found)
