"""The files that a user names: opened for reading, or refused with the reason."""

import os
from pathlib import Path
from typing import BinaryIO

from ...inputs.suggestions import did_you_mean
from ...storage.ordinary_files import SpecialFileError, open_ordinary_file, refuse_special_file
from ..command_errors import DataError, UsageError


def open_file(path: Path) -> BinaryIO:
    """An ordinary file, open for reading; the caller closes it."""
    try:
        return os.fdopen(open_ordinary_file(path), "rb")
    except SpecialFileError as error:
        raise _not_ordinary(error, "file") from None
    except OSError as error:
        raise _cannot_be_read(path, error) from None


def refuse_missing_file(path: Path, what: str, *, folders: bool = False) -> None:
    """Refuse a path that leads to nothing that can be read, and name the file that may have been meant.

    Parameters
    ----------
    path : Path
    what : str
        What should be there, such as "file or folder".
    folders : bool
        Whether it may be a folder.
    """
    try:
        if not (folders and os.path.isdir(path)):
            refuse_special_file(path)
    except SpecialFileError as error:
        raise _not_ordinary(error, what) from None
    except (FileNotFoundError, NotADirectoryError, ValueError):
        if os.path.islink(path):
            to = os.readlink(path)
            raise UsageError(f"{path} is a link to {to}, where there is nothing; correct the link.") from None
        raise UsageError(f"there is no {what} {path}.{_neighbour(path)}") from None
    except OSError as error:
        raise _cannot_be_read(path, error) from None


def _cannot_be_read(path: Path, error: OSError) -> DataError:
    return DataError(f"{path} cannot be read: {error.strerror or error}.")


def _not_ordinary(error: SpecialFileError, what: str) -> DataError:
    return DataError(
        f"{error.path} is {error.kind}, not a {what}; only ordinary files are read, so save it in one first."
    )


def _neighbour(path: Path) -> str:
    """A guess at the file that was meant, among those in its folder."""
    try:
        return did_you_mean(path.name, os.listdir(path.parent))
    except (OSError, ValueError):
        return ""
