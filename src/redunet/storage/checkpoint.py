"""Progress of a construction on disk, so that the same fit goes on after a crash and ends with the same bits."""

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..network.construct import Stage
from ..network.labels import Labels
from ..network.tiles import Tiles
from ..numerics.arrays import Array
from .array_file import ArrayFile, write_arrays
from .array_header import ModelFileError
from .stored_layers import StoredLayers, arrays_of_layers

FORMAT = 1
FILE = "progress.redunet"
# Writing takes no more than this share of the time, however long it takes.
SHARE = 0.03


class Checkpoint:
    """Where a fit keeps its progress, and how often.

    Parameters
    ----------
    folder : str or path
        Made if it is not there. It belongs to one fit at a time; when the fit is done, the progress is removed.
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
            raise TypeError(f"checkpoint must be a folder or a redunet.Checkpoint, got {type(given).__name__}.")
        return cls(given)


class Progress:
    """The progress of one fit in its folder.

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
        try:
            checkpoint.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"checkpoint={str(checkpoint.folder)!r} is not a folder to write to: {error}") from None

    def found(self, tiles: Tiles) -> Stage | None:
        """The stage that was written last, its features put into the tiles; None where there is none.

        A fit of other samples, other parameters or another version is refused: its progress is not overwritten.
        """
        if not self.path.exists():
            return None
        file = ArrayFile(self.path)
        text = file.text
        if text.get("format") != FORMAT or text.get("identity") != self.identity:
            raise ValueError(self._difference(text.get("identity") or {}))
        X, Y = (file.array(name) if name in file.names else None for name in ("X", "Y"))
        if X is None or X.shape != tiles.X.shape or X.dtype != tiles.X.dtype:
            raise ModelFileError(f"{self.path} holds features of another shape.")
        tiles.X[:] = X
        if Y is not None:
            tiles.Y[:] = Y
        layers = tuple(StoredLayers(file, text["layers"]))
        rates = tuple((float(R), float(R_c)) for R, R_c in file.array("rates"))
        M_j = file.array("M")
        return Stage(layers, rates, M_j, text["natural_step"], text["n_stagnant"], text["momentum_age"])

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
        begin = time.monotonic()
        text, arrays = arrays_of_layers(stage.layers)
        arrays |= {"X": tiles.X, "M": stage.M_j, "rates": np.array(stage.rates)}
        if "Y" in vars(tiles):  # made when it is first needed
            arrays["Y"] = tiles.Y
        numbers = {name: getattr(stage, name) for name in ("natural_step", "n_stagnant", "momentum_age")}
        write_arrays(self.path, {"format": FORMAT, "identity": self.identity, "layers": text, **numbers}, arrays)
        self.written_at, self.n_waiting = time.monotonic(), 0
        self.cost = self.written_at - begin

    def done(self) -> None:
        """The fit is done: nothing is left to go on with."""
        self.path.unlink(missing_ok=True)

    def _difference(self, other: dict[str, str]) -> str:
        """Why this is not the fit that the progress is of."""
        words = {
            "version": f"it was written by redunet {other.get('version')}, this is {__version__}",
            "parameters": "its parameters were others",
            "data": "its samples, labels or weights were others",
        }
        [*why] = [words[key] for key in words if other.get(key) != self.identity[key]] or ["its format is another"]
        return (
            f"{self.path} holds the progress of another fit: {'; '.join(why)}. Finish that fit, remove the file, or "
            f"pass another folder as checkpoint."
        )


def identity_of(estimator: Any, samples: Array, labels: Labels, weights: Array) -> dict[str, str]:
    """What a fit depends on: version, parameters, data."""
    from .models import parameters_text

    data = hashlib.sha256()
    for array in (samples, labels.codes, weights):
        data.update(f"{array.shape} {array.dtype.str} ".encode())
        data.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    data.update(repr(labels.classes.tolist()).encode())
    parameters = json.dumps(parameters_text(estimator), sort_keys=True)
    return {
        "version": __version__,
        "parameters": hashlib.sha256(parameters.encode()).hexdigest(),
        "data": data.hexdigest(),
    }
