"""Opening what a user names: ordinary files only, and the reason where one cannot be read."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from ..errors import WrongData, WrongWords, did_you_mean

# What else a path can lead to.
SPECIAL = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_file(path: Path) -> BinaryIO:
    """An ordinary file, open for reading; a pipe would be waited for, and a device may never end."""
    try:
        file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - the caller closes it
    except OSError as error:
        raise _cannot_be_read(path, error) from None
    kind = stat.S_IFMT(os.fstat(file.fileno()).st_mode)
    if kind != stat.S_IFREG:
        file.close()
        raise _not_ordinary(path, kind, "file")
    return file


def refuse_what_is_no_file(path: Path, what: str, *, folders: bool = False) -> None:
    """Say now that a path leads to nothing that can be read, and which file may have been meant.

    Parameters
    ----------
    path : Path
    what : str
        What should be there, such as "file or folder".
    folders : bool
        Whether it may be a folder.
    """
    try:
        kind = stat.S_IFMT(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        if os.path.islink(path):
            to = os.readlink(path)
            raise WrongWords(f"{path} is a link to {to}, where there is nothing; correct the link.") from None
        raise WrongWords(f"there is no {what} {path}.{_neighbour(path)}") from None
    except OSError as error:
        raise _cannot_be_read(path, error) from None
    if kind != stat.S_IFREG and not (folders and kind == stat.S_IFDIR):
        raise _not_ordinary(path, kind, what)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _cannot_be_read(path: Path, error: OSError) -> WrongData:
    return WrongData(f"{path} cannot be read: {error.strerror or error}.")


def _not_ordinary(path: Path, kind: int, what: str) -> WrongData:
    called = SPECIAL.get(kind, "something special")
    return WrongData(f"{path} is {called}, not a {what}; only ordinary files are read, so save it in one first.")


def _neighbour(path: Path) -> str:
    """A guess at the file that was meant."""
    try:
        return did_you_mean(path.name, os.listdir(path.parent))
    except (OSError, ValueError):
        return ""
