"""Opening ordinary files only: a pipe would be waited for, and a device may never end."""

import errno
import os
import stat
from pathlib import Path

# What else a path can lead to.
SPECIAL_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class SpecialFileError(OSError):
    """A path that leads to something else than an ordinary file.

    Parameters
    ----------
    path : Path
    kind : str
        What it leads to, such as "a pipe".
    """

    def __init__(self, path: Path, kind: str) -> None:
        super().__init__(errno.EINVAL, f"it is {kind}, not an ordinary file", str(path))
        self.path, self.kind = path, kind

    def __reduce__(self) -> tuple[type, tuple[Path, str]]:
        return type(self), (self.path, self.kind)


def open_ordinary_file(path: Path) -> int:
    """Descriptor of an ordinary file, open for reading; anything else is refused at once, and a pipe is not waited for.

    Raises
    ------
    SpecialFileError
        If the path leads to something else than a file.
    OSError
        If it leads nowhere, or may not be read.
    """
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        if error.errno in (errno.EISDIR, errno.ENXIO):  # folders on some systems; sockets
            refuse_special_file(path)
        raise
    try:
        refuse_special_file(path, os.fstat(file))
    except SpecialFileError:
        os.close(file)
        raise
    return file


def refuse_special_file(path: Path, found: os.stat_result | None = None) -> None:
    """Raise :class:`SpecialFileError` if a path leads to something else than an ordinary file.

    Parameters
    ----------
    path : Path
    found : stat_result, optional
        Of the path, if it is known already.
    """
    mode = (found or os.stat(path)).st_mode
    if not stat.S_ISREG(mode):
        raise SpecialFileError(path, SPECIAL_KINDS.get(stat.S_IFMT(mode), "something special"))
