"""Files that belong to one process: locked while they are open, and let go of by its forked children.

The lock vanishes with the process, however it ends. A forked child has the open files of its parent, and with them the
lock and whatever was not flushed yet: it must neither hold the one nor write the other.
"""

import os
import threading
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: nothing is locked there
    fcntl = None  # type: ignore[assignment]

# Held while a file is opened or closed, and over a fork: the child sees all open files or none of them.
_change = threading.Lock()
_held: set[int] = set()


def try_lock(fd: int) -> bool | None:
    """Lock an open file: True if it is ours now, False if another has it, None where files cannot be locked."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def open_held(path: Path, flags: int) -> int | None:
    """Open and lock a file, for this process alone; None where another process has locked or removed it."""
    with _change:
        fd = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o666)
        try:
            if try_lock(fd) is False or not _is_file_at(fd, path):
                os.close(fd)
                return None
        except BaseException:
            os.close(fd)
            raise
        _held.add(fd)
        return fd


def close_held(fd: int) -> None:
    """Close a file that :func:`open_held` opened, and with it its lock."""
    with _change:
        _held.discard(fd)
        os.close(fd)


def _is_file_at(fd: int, path: Path) -> bool:
    """Whether an open file still has its name: it may have been removed before it was locked."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def _let_go() -> None:
    """In a forked child: what is still written to these files goes nowhere, and their locks are the parent's alone."""
    global _change
    _change = threading.Lock()
    if _held:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for fd in _held:
            os.dup2(nowhere, fd, inheritable=False)
        os.close(nowhere)
        _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _change.acquire(), after_in_parent=lambda: _change.release(), after_in_child=_let_go
    )
