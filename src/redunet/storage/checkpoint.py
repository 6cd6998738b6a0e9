"""Progress of a fit on disk, so that the same fit goes on after a crash and ends with the same bits."""

import os
import socket
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..inputs.errors import InputError, InputTypeError, Option
from ..numerics.arrays import Array
from .array_file import ArrayFile, write_arrays
from .atomic_write import try_to_write
from .locked_files import close_held, open_held
from .model_file_error import ModelFileError

PROGRESS_FORMAT = 2
PROGRESS_FILE, LOCK_FILE = "progress.redunet", "progress.lock"
# Writing takes no more than this share of the time of a fit, however slow the disk is.
WRITING_SHARE = 0.03


class Checkpoint:
    """Where a fit keeps its progress, and how often.

    Parameters
    ----------
    folder : str or path
        Made if it is not there. It belongs to one fit at a time, and a second one is refused; when the fit is done, the
        progress is removed.
    seconds : float, default=30
        Write after so many seconds, or later where writing itself would take more than a few percent of the time.
    layers : int, optional
        Write after so many layers instead, whatever it costs.
    """

    def __init__(self, folder: str | os.PathLike[str], seconds: float = 30.0, layers: int | None = None) -> None:
        self.folder, self.seconds, self.layers = Path(folder), seconds, layers

    @classmethod
    def of(cls, given: Any) -> "Checkpoint | None":
        """What ``fit(checkpoint=)`` was given: None, a folder, or a Checkpoint."""
        if given is None or isinstance(given, Checkpoint):
            return given
        if not isinstance(given, (str, os.PathLike)):
            raise InputTypeError(
                "{checkpoint} must be a folder or a redunet.Checkpoint, got {kind}.",
                checkpoint=Option("checkpoint"),
                kind=type(given).__name__,
            )
        return cls(given)


class Progress:
    """The progress of one fit in its folder, which no other fit may use until this is closed.

    A folder that cannot be written, that another fit uses, or that holds the progress of another fit is refused.

    Parameters
    ----------
    checkpoint : Checkpoint
    identity : dict
        What the fit depends on, by :func:`~redunet.storage.fit_identity.identity_of`.

    Attributes
    ----------
    left : ArrayFile or None
        What an interrupted call of the same fit wrote last.
    drawn : str or None
        Digest of the parameters after random numbers were drawn, which changes a random state that is one of them. It
        is written along, for the same estimator may be fitted again after that.
    """

    def __init__(self, checkpoint: Checkpoint, identity: dict[str, str]) -> None:
        self.checkpoint, self.identity = checkpoint, identity
        self.path = checkpoint.folder / PROGRESS_FILE
        self.written_at, self.cost, self.n_waiting = time.monotonic(), 0.0, 0
        self.drawn: str | None = None
        self._warned = False
        self._owner = os.getpid()
        try:
            checkpoint.folder.mkdir(parents=True, exist_ok=True)
            self._lock = self._take_folder()
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            try_to_write(self.path)
            self.left = self._file_of_this_fit()
        except OSError as error:
            self.close()
            raise self._unwritable(error) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let other fits use the folder."""
        if os.getpid() == self._owner:
            # While its lock is still held; later the file may belong to another fit.
            (self.checkpoint.folder / LOCK_FILE).unlink(missing_ok=True)
        close_held(self._lock)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Context in which what the file lacks, or has where it does not belong, is reported as a fault of the file."""
        try:
            yield
        except ModelFileError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise ModelFileError(f"{self.path} does not hold progress that fits together: {error!r}") from None

    def is_due(self) -> bool:
        """Whether it is time to write; to be asked after each layer."""
        self.n_waiting += 1
        if self.checkpoint.layers is not None:
            return self.n_waiting >= self.checkpoint.layers
        return time.monotonic() - self.written_at >= max(self.checkpoint.seconds, self.cost / WRITING_SHARE)

    def write(self, text: dict[str, Any], arrays: Mapping[str, Array]) -> None:
        """Write the progress, in place of what was written before.

        The fit is worth more than its progress: where it cannot be written, there is a warning, and the fit goes on.

        Parameters
        ----------
        text : dict
            JSON.
        arrays : mapping from name to array
        """
        if os.getpid() != self._owner:  # a forked child, which the folder does not belong to
            return
        begin = time.monotonic()
        about = {"format": PROGRESS_FORMAT, "identity": self.identity}
        if self.drawn is not None:
            about["drawn"] = self.drawn
        try:
            write_arrays(self.path, {**about, **text}, arrays)
        except OSError as error:
            if not self._warned:
                warnings.warn(
                    f"the progress of this fit cannot be written to {self.path}: {error.strerror or error}. The fit "
                    f"goes on without; after a crash it would start from what was written last. Free some space there.",
                    stacklevel=2,
                )
            self._warned = True
        self.written_at, self.n_waiting = time.monotonic(), 0
        self.cost = self.written_at - begin

    def done(self) -> None:
        """Remove the progress: the fit is done, and there is nothing to go on with."""
        if os.getpid() == self._owner:
            self.path.unlink(missing_ok=True)

    def _take_folder(self) -> int:
        """The lock of the folder, open; an error where another fit has it."""
        path = self.checkpoint.folder / LOCK_FILE
        for _ in range(100):  # a lock that was removed before we got it is not ours; at the next try it is another file
            lock = open_held(path, os.O_RDWR | os.O_CREAT)
            if lock is not None:
                try:
                    os.ftruncate(lock, 0)
                    os.write(lock, f"process {os.getpid()} on {socket.gethostname()}".encode())
                except BaseException:
                    path.unlink(missing_ok=True)
                    close_held(lock)
                    raise
                return lock
            time.sleep(0.002)
        try:
            who = path.read_text(errors="replace")[:100] or "a process that did not say its number"
        except OSError:
            who = "a process that has just ended"
        raise InputError(
            "{folder} is used by another fit, of {who}; wait for its end, or pass another folder as {checkpoint}.",
            folder=Option("checkpoint", str(self.checkpoint.folder)),
            who=who,
            checkpoint=Option("checkpoint"),
        )

    def _file_of_this_fit(self) -> ArrayFile | None:
        """What is there of this fit; an error, and nothing is changed, where it is the progress of another one."""
        if not self.path.exists():
            return None
        file = ArrayFile(self.path)
        text = file.text if isinstance(file.text, dict) else {}
        theirs = text.get("identity") or {}
        if text.get("format") != PROGRESS_FORMAT:
            raise self._difference(theirs, f"its format is another: {text.get('format')!r}, not {PROGRESS_FORMAT}")
        after_drawing = theirs | {"parameters": text.get("drawn", theirs.get("parameters"))}
        if self.identity not in (theirs, after_drawing):
            raise self._difference(theirs)
        self.drawn = text.get("drawn")
        return file

    def _unwritable(self, error: OSError) -> InputError:
        """An error that says why nothing can be written to the folder."""
        return InputError(
            "{folder} is not a folder to write to: {why}. Make room or allow writing there, or pass another folder as "
            "{checkpoint}.",
            folder=Option("checkpoint", str(self.checkpoint.folder)),
            why=str(error),
            checkpoint=Option("checkpoint"),
        )

    def _difference(self, other: dict[str, str], known: str | None = None) -> InputError:
        """An error that says why this is not the fit that the progress is of."""
        words = {
            "version": f"it was written by redunet {other.get('version')}, this is {self.identity['version']}",
            "parameters": "its parameters were others",
            "data": "its samples, labels or weights were others",
            "start": "it added layers to another network",
        }
        why = [words[key] for key in words if other.get(key) != self.identity[key]]
        if known is not None:
            why = [known, *(one for one in why if one == words["version"])]
        return InputError(
            "{path} holds the progress of another fit: {why}. Finish that fit, remove the file, or pass another folder "
            "as {checkpoint}.",
            path=str(self.path),
            why="; ".join(why),
            checkpoint=Option("checkpoint"),
        )
