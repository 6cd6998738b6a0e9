"""Whether files stay what they are while they are read, and what tells their content from that of others."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from ..command_errors import DataError
from .image_folder import ImageFolder
from .input_files import open_file
from .source import Source

BYTES_AT_ONCE = 2**20


class FileContent:
    """The content of one or several files, which must not change while a command reads them.

    Parameters
    ----------
    paths : paths
        Of ordinary files.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)
        self._states = [_state(path) for path in self.paths]

    def sha256(self) -> str:
        """SHA-256 of the bytes of the file; of several, that of their digests one after the other."""
        digests = []
        for path in self.paths:
            digest = hashlib.sha256()
            with open_file(path) as file:
                while part := file.read(BYTES_AT_ONCE):
                    digest.update(part)
            digests.append(digest.hexdigest())
        self.refuse_change()
        return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()

    def refuse_change(self) -> None:
        """Refuse to go on if one of the files is not what it was."""
        for path, state in zip(self.paths, self._states, strict=True):
            if _state(path) != state:
                raise changed(path)


def content_of(source: Source, path: Path, labels: Path | None) -> FileContent:
    """The files that a source is read from: that of the samples and that of the labels, or the images of a folder."""
    if isinstance(source, ImageFolder):
        return FileContent(source.files)
    return FileContent([path] if labels is None else [path, labels])


def changed(path: Path) -> DataError:
    """The error about a file that was changed while it was read."""
    return DataError(f"{path} was changed while it was read; start again when it is complete.")


def _state(path: Path) -> tuple[int, ...] | None:
    """Size, times and place of a file; None where there is none any more."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_dev, found.st_ino
