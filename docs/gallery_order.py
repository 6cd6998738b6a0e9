"""The order of examples in the gallery."""

import re
from pathlib import Path


class ByNumber:
    """Sorts ``plot_<number>_<name>.py`` by the number, so that 10 comes after 9; as text it would come before 1.

    Parameters
    ----------
    folder : str
        Where the examples are; sphinx-gallery gives it.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __repr__(self) -> str:
        return "ByNumber"

    def __call__(self, name: str) -> tuple[int, str]:
        """What an example is sorted by."""
        found = re.match(r"plot_(\d+)_", Path(name).name)
        if found is None:
            raise ValueError(f"{name}: examples are named plot_<number>_<name>.py.")
        return int(found[1]), name
