"""Layers in a file: written there, and read one at a time when a sample passes them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from ..measures.measure import Measure
from ..measures.registry import MEASURES
from ..numerics.arrays import Array
from ..storage.array_file import ArrayFile
from ..storage.model_file_error import ModelFileError
from ..storage.stored_types import FieldEncoding
from .geometry import Geometry
from .layer import Layer

# Numbers of all layers, one row each; and the arrays of each layer.
ROWS = ("step_size", "sharpness", "momentum", "class_share", "residual_unit", "residual_offset")
OPERATORS = ("expansion", "compression")
# What each of the numbers can be.
POSSIBLE: dict[str, Callable[[Array], Array]] = {
    "step_size": lambda rows: rows > 0,
    "sharpness": lambda rows: rows > 0,
    "momentum": lambda rows: (rows >= 0) & (rows < 1),
    "class_share": lambda rows: (rows > 0) & (rows <= 1),
    "residual_unit": lambda rows: rows > 0,
    "residual_offset": lambda rows: np.abs(rows) < np.inf,
}


def arrays_of_layers(layers: Sequence[Layer], grid: tuple[int, ...]) -> tuple[dict[str, Any], dict[str, Array]]:
    """What a file holds of layers, of which there is one at least: text that all have in common, and arrays by name.

    ``grid`` are the lengths of the cyclic axes of features.
    """
    measure = type(layers[0].measure)
    text = {"n_layers": len(layers), "membership": measure.name, "grid": list(grid)}
    fields = [{**vars(layer), **layer.measure.layer_fields()} for layer in layers]
    arrays: dict[str, Array] = {
        f"layers/{name}": np.array([one[name] for one in fields], dtype=np.float64) for name in ROWS
    }
    for i, one in enumerate(fields):
        arrays |= {f"layers/{i}/{name}": one[name] for name in (*OPERATORS, *measure.stored_arrays)}
    return text, arrays


class StoredLayers(Sequence[Layer]):
    """Layers in a file, each read when it is asked for.

    Parameters
    ----------
    file : ArrayFile
    text : dict
        What :func:`arrays_of_layers` gave.
    geometry : Geometry, optional
        Where features live; the network that has the layers sets it.
    """

    def __init__(self, file: ArrayFile, text: dict[str, Any], geometry: Geometry | None = None) -> None:
        self._file, self.geometry = file, geometry
        if text["membership"] not in MEASURES:
            raise ModelFileError(f"{file.path}: its layers are of another kind than its network.")
        self._n_layers, self._measure = text["n_layers"], MEASURES[text["membership"]]
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
        if self._grid != grid or self.n_classes != n_classes:
            raise ModelFileError(f"{self._file.path}: its layers are of another kind than its network.")
        square = (n_freqs, n_channels, n_channels)
        for i in range(self._n_layers):
            names = (*OPERATORS, *self._measure.stored_arrays)
            shapes = {name: self._file.shape(f"layers/{i}/{name}") for name in names}
            fits = shapes["expansion"] == square and shapes["compression"] == (n_classes, *square)
            fits = fits and self._measure.layer_arrays_fit(shapes, (n_classes, n_freqs, n_channels))
            if not fits or any(self._file.kind(f"layers/{i}/{name}") != kind for name in shapes):
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
        row = {name: rows[i].copy() for name, rows in self._rows.items()}
        expansion, compression = (self._finite(i, name) for name in OPERATORS)
        return Layer(
            expansion=expansion,
            compression=compression,
            class_share=row["class_share"],
            step_size=float(row["step_size"]),
            sharpness=float(row["sharpness"]),
            measure=self._measure_of(i, row, compression),
            momentum=float(row["momentum"]),
        )

    def _measure_of(self, i: int, row: dict[str, Array], compression: Array) -> Measure:
        """What a layer guesses by."""
        assert self.geometry is not None
        fields = row | {name: self._finite(i, name) for name in self._measure.stored_arrays}
        measure = self._measure.of_layer_fields(fields, compression, self.geometry.norm_weights, self._grid)
        measure.check_layer_fields()
        return measure

    def _finite(self, i: int, name: str) -> Array:
        array = self._file.array(f"layers/{i}/{name}")
        if not np.isfinite(array).all():
            raise ModelFileError(f"{self._file.path}: {name} of layer {i} is not finite.")
        return array

    def __iter__(self) -> Iterator[Layer]:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> Any:
        """Pickled as the layers themselves, which need no file."""
        return tuple, (list(self),)


def _write(network: Any) -> tuple[dict[str, Any] | None, dict[str, Array]]:
    layers = network.layers
    return arrays_of_layers(layers, network.geometry.grid) if len(layers) else (None, {})


def _read(file: ArrayFile, text: dict[str, Any] | None) -> Sequence[Layer]:
    return () if text is None else StoredLayers(file, text)


# How the layers of a network are stored in a model file.
LAYERS_ENCODING = FieldEncoding("layers", _write, _read)
