"""Layers in a file: written there, and read one at a time when a sample passes them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from ..inputs.parameters import MEMBERSHIPS
from ..numerics.arrays import Array
from ..storage.array_file import ArrayFile
from ..storage.array_header import ModelFileError
from ..storage.expectations import ROUNDED_ONE
from ..storage.stored_types import FieldEncoding
from .layer import Layer

# Numbers of all layers, one row each; and the arrays of each layer.
ROWS = ("step_size", "sharpness", "momentum", "class_share", "residual_unit", "residual_offset")
LARGE = ("expansion", "compression", "subspaces")
# What each of the numbers can be.
POSSIBLE: dict[str, Callable[[Array], Array]] = {
    "step_size": lambda rows: rows > 0,
    "sharpness": lambda rows: rows > 0,
    "momentum": lambda rows: (rows >= 0) & (rows < 1),
    "class_share": lambda rows: (rows > 0) & (rows <= 1),
    "residual_unit": lambda rows: rows > 0,
    "residual_offset": lambda rows: np.abs(rows) < np.inf,
}


def arrays_of_layers(layers: Sequence[Layer]) -> tuple[dict[str, Any], dict[str, Array]]:
    """What a file holds of layers, of which there is one at least: text that all have in common, and arrays by name."""
    first = layers[0]
    text = {"n_layers": len(layers), "membership": first.membership, "grid": list(first.grid)}
    arrays: dict[str, Array] = {
        f"layers/{name}": np.array([getattr(layer, name) for layer in layers], dtype=np.float64) for name in ROWS
    }
    for i, layer in enumerate(layers):
        for name in LARGE:
            value = getattr(layer, name)
            if value is not None:
                arrays[f"layers/{i}/{name}"] = value
    return text, arrays


class StoredLayers(Sequence[Layer]):
    """Layers in a file, each read when it is asked for.

    Parameters
    ----------
    file : ArrayFile
    text : dict
        What :func:`arrays_of_layers` gave.
    """

    def __init__(self, file: ArrayFile, text: dict[str, Any]) -> None:
        self._file = file
        self._n_layers, self._membership = text["n_layers"], text["membership"]
        self._grid = tuple(text["grid"])
        self._rows = {name: file.array(f"layers/{name}") for name in ROWS}
        self._refuse_wrong_rows()
        self.n_classes: int = self._rows["class_share"].shape[1]
        self.momenta: list[float] = self._rows["momentum"].tolist()

    def _refuse_wrong_rows(self) -> None:
        """Numbers of all layers: their shapes, and whether each is what it can be."""
        n_layers, n_classes = self._n_layers, self._rows["class_share"].shape[-1]
        for name, rows in self._rows.items():
            shape = (n_layers,) if name in ROWS[:3] else (n_layers, n_classes)
            fits = type(n_layers) is int and rows.shape == shape and rows.dtype == np.float64
            if not fits or not (np.isfinite(rows) & POSSIBLE[name](rows)).all():
                raise ModelFileError(f"{self._file.path}: {name} of its layers is wrong.")

    def check(self, n_freqs: int, n_channels: int, n_classes: int, kind: str, grid: tuple[int, ...]) -> None:
        """Refuse arrays of shapes or types that do not fit, without reading them."""
        if self._membership not in MEMBERSHIPS or self._grid != grid or self.n_classes != n_classes:
            raise ModelFileError(f"{self._file.path}: its layers are of another kind than its network.")
        square = (n_freqs, n_channels, n_channels)
        for i in range(self._n_layers):
            shapes = {name: self._file.shape(f"layers/{i}/{name}") for name in LARGE[:2]}
            fits = shapes["expansion"] == square and shapes["compression"] == (n_classes, *square)
            if self._membership == "subspace":
                shapes["subspaces"] = found = self._file.shape(f"layers/{i}/subspaces")
                fits &= len(found) == 4 and found[:3] == (n_classes, n_freqs, n_channels)
                fits &= 1 <= found[-1] <= n_channels
            fits &= all(self._file.kind(f"layers/{i}/{name}") == kind for name in shapes)
            if not fits:
                raise ModelFileError(
                    f"{self._file.path}: layer {i} has operators of shapes {shapes}, but the network has {n_classes} "
                    f"classes, {n_freqs} frequencies and {n_channels} channels, of {kind}."
                )

    def __len__(self) -> int:
        return self._n_layers

    @overload
    def __getitem__(self, index: int) -> Layer: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Layer, ...]: ...
    def __getitem__(self, index: int | slice) -> Layer | tuple[Layer, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        i = range(len(self))[index]
        row = {name: rows[i] for name, rows in self._rows.items()}
        subspaces = self._finite(i, "subspaces") if self._membership == "subspace" else None
        return Layer(
            expansion=self._finite(i, "expansion"),
            compression=self._finite(i, "compression"),
            class_share=row["class_share"].copy(),
            step_size=float(row["step_size"]),
            sharpness=float(row["sharpness"]),
            residual_unit=row["residual_unit"].copy(),
            momentum=float(row["momentum"]),
            membership=self._membership,
            residual_offset=row["residual_offset"].copy(),
            subspaces=subspaces,
            grid=self._grid,
        )

    def _finite(self, i: int, name: str) -> Array:
        array = self._file.array(f"layers/{i}/{name}")
        if not np.isfinite(array).all():
            raise ModelFileError(f"{self._file.path}: {name} of layer {i} is not finite.")
        if name == "subspaces" and array.size and np.abs(array).max() > ROUNDED_ONE:
            raise ModelFileError(f"{self._file.path}: {name} of layer {i} is no orthonormal basis.")
        return array

    def __iter__(self) -> Iterator[Layer]:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> Any:
        """Pickled as the layers themselves, which need no file."""
        return tuple, (list(self),)


def _write(layers: Sequence[Layer]) -> tuple[dict[str, Any] | None, dict[str, Array]]:
    return arrays_of_layers(layers) if len(layers) else (None, {})


def _read(file: ArrayFile, text: dict[str, Any] | None) -> Sequence[Layer]:
    return () if text is None else StoredLayers(file, text)


# How the layers of a network are stored in a model file.
LAYERS_ENCODING = FieldEncoding("layers", _write, _read)
