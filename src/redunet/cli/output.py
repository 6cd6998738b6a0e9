"""Files that commands write: the place is checked before the work, and the file is written as a whole."""

import os
import secrets
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..storage.atomic_write import PART_NAME_DIGITS, renamed_into_place
from .command_errors import UsageError


def place_to_write(out: Path, inputs: Iterable[Path | None], option: str = "-o") -> Path:
    """The path itself, links followed, once it is known that a file can be written there and no input is replaced."""
    place = Path(os.path.realpath(out))  # a link that leads back to itself is no error here, but stays a link
    for one in inputs:
        if one is not None and os.path.realpath(one) == str(place):
            raise UsageError(f"{option} {out} would replace {one}, which is read; pass another name.")
    # Named as a part file, so that whoever writes next removes it, should this process be killed in between.
    trial = place.with_name(f".{place.name}.{secrets.token_hex(PART_NAME_DIGITS // 2)}.part")
    try:
        if place.is_dir():
            raise UsageError(f"{option} {out} is a folder; pass the name of a file in it.")
        if place.is_symlink() or (place.exists() and not place.is_file()):
            raise UsageError(f"{option} {out} is not an ordinary file; pass another name.")
        if not place.parent.is_dir():
            raise UsageError(f"{option} {out}: there is no folder {out.parent}; make it first, or pass another name.")
        with open(trial, "xb"):
            pass
        trial.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{option} {out} cannot be written: {error.strerror}; pass another name.") from None
    return place


@contextmanager
def written(out: Path | None) -> Iterator[BinaryIO]:
    """Context with a file to write, which is there as a whole afterwards or not at all; standard output for None."""
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with renamed_into_place(out) as file:
        yield file


def drop_standard_output() -> None:
    """Discard what is still to be printed, when nobody reads standard output any more (``| head``)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
