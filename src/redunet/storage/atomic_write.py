"""Writing a file so that a crash leaves the old one: it is complete, or it is not there."""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .locked_files import close_held, open_held, try_lock

# A part file is named after its target and so many hexadecimal digits. (Those of version 0.1 had twelve, and no lock.)
PART_NAME_DIGITS = 10


@contextmanager
def renamed_into_place(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, beside its place; it gets its name when it is complete and on disk, or is removed.

    It is locked while it is written, so that whoever writes the same target next can tell the part that a killed
    process left, and removes it, from one that is still written.
    """
    remove_stale_parts(path)
    fd, beside = _open_part(path)
    owner = os.getpid()
    try:
        # The descriptor is closed by close_held alone, and only after the renaming: until then the lock is needed.
        with open(fd, "wb", closefd=False) as file:
            yield file
            file.flush()
            if os.getpid() == owner:
                os.fsync(fd)
        if os.getpid() == owner:  # else this is a forked child, and the file is its parent's
            if os.name == "nt":  # where an open file cannot be renamed
                close_held(fd)
                fd = -1
            os.replace(beside, path)
    except BaseException:
        if os.getpid() == owner:
            beside.unlink(missing_ok=True)
        raise
    finally:
        if fd >= 0:
            close_held(fd)
    if hasattr(os, "O_DIRECTORY"):  # the new name is in the folder, which is written too
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it is there completely or not at all."""
    with renamed_into_place(path) as file:
        file.write(content)


def try_to_write(path: Path) -> None:
    """Write a small part file and remove it: an OSError here would come when the file itself is to be written."""
    fd, beside = _open_part(path)
    try:
        os.write(fd, b"\0" * 4096)
        os.fsync(fd)
    finally:
        beside.unlink(missing_ok=True)
        close_held(fd)


def remove_stale_parts(path: Path) -> None:
    """Remove the part files of a target whose processes have ended: nobody holds their lock."""
    part = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{{PART_NAME_DIGITS}}}\.part")
    try:
        with os.scandir(path.parent) as entries:
            found = [Path(entry.path) for entry in entries if part.fullmatch(entry.name)]
    except OSError:
        return  # whoever writes next into this folder gets the error
    for one in found:
        try:
            fd = os.open(one, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except (OSError, AttributeError):  # renamed meanwhile, not ours, or a system without these flags
            continue
        try:
            if try_lock(fd):
                one.unlink(missing_ok=True)
        except OSError:
            continue
        finally:
            os.close(fd)


def _open_part(path: Path) -> tuple[int, Path]:
    """A new part file of a target, open and locked, and its name."""
    while True:
        beside = path.with_name(f".{path.name}.{secrets.token_hex(PART_NAME_DIGITS // 2)}.part")
        fd = open_held(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        # Another writer may have taken it for a stale one, before it was locked: then it is removed, and not ours.
        if fd is not None:
            return fd, beside
