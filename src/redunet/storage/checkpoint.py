"""Progress of a construction on disk, so that the same fit goes on after a crash and ends with the same bits."""

import hashlib
import json
import os
import socket
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from .. import __version__
from ..fast.tiles import Tiles
from ..inputs.errors import InputError, InputTypeError, Option
from ..inputs.labels import Labels
from ..network.construct import Recipe, Stage
from ..numerics.arrays import Array
from .array_file import ArrayFile, write_arrays
from .array_header import ModelFileError, checksum
from .atomic_write import try_to_write
from .locked_files import close_held, open_held
from .stored_layers import StoredLayers, arrays_of_layers

FORMAT = 2
FILE, LOCK = "progress.redunet", "progress.lock"
# Writing takes no more than this share of the time, however long it takes.
SHARE = 0.03


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
        What the fit depends on, by :func:`identity_of`.
    """

    def __init__(self, checkpoint: Checkpoint, identity: dict[str, str]) -> None:
        self.checkpoint, self.identity = checkpoint, identity
        self.path = checkpoint.folder / FILE
        self.written_at, self.cost, self.n_waiting = time.monotonic(), 0.0, 0
        self._chosen: tuple[dict[str, Any], Mapping[str, Array]] = ({}, {})
        self._warned = False
        self._owner = os.getpid()
        try:
            checkpoint.folder.mkdir(parents=True, exist_ok=True)
            self._lock = self._take_folder()
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            try_to_write(self.path)
            self._file = self._file_of_this_fit()
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
            (self.checkpoint.folder / LOCK).unlink(missing_ok=True)  # before its lock is gone, or it may be another's
        close_held(self._lock)

    def choices(self) -> tuple[Recipe, dict[str, Any]] | None:
        """What :meth:`choose` was given by the fit that was interrupted; None where there is nothing."""
        from .model_file import decoded

        if self._file is None or "recipe" not in self._file.text:
            return None
        text = self._file.text
        with self._fitting_together():
            values = {name: decoded(self._file, one) for name, one in text["chosen"].items()}
            recipe = Recipe(**{field.name: decoded(self._file, text["recipe"][field.name]) for field in fields(Recipe)})
        self._remember(recipe, values, text["drawn"])
        return recipe, values

    def choose(self, recipe: Recipe, values: dict[str, Any], drawn: str) -> None:
        """Write what was drawn and chosen before the first layer; every stage is written together with it.

        Parameters
        ----------
        recipe : Recipe
        values : dict
            Fitted attributes of the estimator, by name.
        drawn : str
            Digest of its parameters now: drawing changes a random state that is one of them.
        """
        self._remember(recipe, values, drawn)
        self._write(*self._chosen)

    def _remember(self, recipe: Recipe, values: dict[str, Any], drawn: str) -> None:
        from .model_file import encoded

        constants, _ = encoded({field.name: getattr(recipe, field.name) for field in fields(Recipe)}, "recipe")
        text, arrays = encoded(values, "chosen")
        self._chosen = {"recipe": constants, "chosen": text, "drawn": drawn}, arrays

    def found(self, tiles: Tiles) -> Stage | None:
        """The stage that was written last, its features put into the tiles; None where there is none."""
        file, self._file = self._file, None
        if file is None or "layers" not in file.text:
            return None
        text = file.text
        X, Y = (file.array(name) if name in file.names else None for name in ("X", "Y"))
        if X is None or X.shape != tiles.X.shape or X.dtype != tiles.X.dtype:
            raise ModelFileError(f"{self.path} holds features of another shape.")
        tiles.X[:] = X
        if Y is not None:
            tiles.Y[:] = Y
        with self._fitting_together():
            layers = tuple(StoredLayers(file, text["layers"]))
            rates = tuple((float(R), float(R_c)) for R, R_c in file.array("rates"))
            M_j = file.array("M")
            return Stage(layers, rates, M_j, text["natural_step"], text["n_stagnant"], text["momentum_age"])

    @contextmanager
    def _fitting_together(self) -> Iterator[None]:
        """Context in which what the file lacks, or has where it does not belong, is told as a fault of the file."""
        try:
            yield
        except ModelFileError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise ModelFileError(f"{self.path} does not hold progress that fits together: {error!r}") from None

    def offer(self, tiles: Tiles, stage: Callable[[], Stage]) -> None:
        """Called after each layer: write the stage if it is time to."""
        self.n_waiting += 1
        if self.checkpoint.layers is not None:
            due = self.n_waiting >= self.checkpoint.layers
        else:
            due = time.monotonic() - self.written_at >= max(self.checkpoint.seconds, self.cost / SHARE)
        if due:
            self.write(tiles, stage())

    def write(self, tiles: Tiles, stage: Stage) -> None:
        """Write the stage, in place of the one before."""
        text, arrays = arrays_of_layers(stage.layers)
        arrays |= {"X": tiles.X, "M": stage.M_j, "rates": np.array(stage.rates)}
        if "Y" in vars(tiles):  # made when it is first needed
            arrays["Y"] = tiles.Y
        numbers = {name: getattr(stage, name) for name in ("natural_step", "n_stagnant", "momentum_age")}
        chosen, chosen_arrays = self._chosen
        self._write({"layers": text, **numbers, **chosen}, {**arrays, **chosen_arrays})

    def _write(self, text: dict[str, Any], arrays: Mapping[str, Array]) -> None:
        """Write the file. The fit is worth more than its progress: where it cannot be written, the fit goes on."""
        if os.getpid() != self._owner:  # a forked child, which the folder does not belong to
            return
        begin = time.monotonic()
        try:
            write_arrays(self.path, {"format": FORMAT, "identity": self.identity, **text}, arrays)
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
        """The fit is done: nothing is left to go on with."""
        if os.getpid() == self._owner:
            self.path.unlink(missing_ok=True)

    def _take_folder(self) -> int:
        """The lock of the folder, open; an error where another fit has it."""
        path = self.checkpoint.folder / LOCK
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
        if text.get("format") != FORMAT:
            raise self._difference(theirs, f"its format is another: {text.get('format')!r}, not {FORMAT}")
        after_drawing = theirs | {"parameters": text.get("drawn", theirs.get("parameters"))}
        if self.identity not in (theirs, after_drawing):
            raise self._difference(theirs)
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
            "version": f"it was written by redunet {other.get('version')}, this is {__version__}",
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


def identity_of(
    estimator: Any, samples: Array, labels: Labels, weights: Array, *, adds_layers: bool = False
) -> dict[str, str]:
    """What a fit depends on: version, parameters, data, and the network that it adds layers to."""
    data = hashlib.sha256()
    for array in (samples, labels.codes, weights):
        data.update(f"{array.shape} {array.dtype.str} ".encode())
        data.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    data.update(repr(labels.classes.tolist()).encode())
    return {
        "version": __version__,
        "parameters": parameters_digest(estimator),
        "data": data.hexdigest(),
        "start": _network_digest(estimator) if adds_layers else "",
    }


def parameters_digest(estimator: Any) -> str:
    """Number for the parameters of an estimator as they are now, without those that only show."""
    from .model_file import parameters_text

    return hashlib.sha256(json.dumps(parameters_text(estimator), sort_keys=True).encode()).hexdigest()


def _network_digest(estimator: Any) -> str:
    """The same for its network, the lift included, and for its history."""
    from .model_file import encoded

    text, arrays = encoded({"network": estimator.network_, "history": estimator.history_}, "start")
    sums = {name: checksum(np.ascontiguousarray(array).tobytes()) for name, array in arrays.items()}
    return hashlib.sha256(json.dumps([text, sums], sort_keys=True).encode()).hexdigest()
