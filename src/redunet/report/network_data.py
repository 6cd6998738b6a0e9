"""Networks as the report page takes them: plain dicts, arrays as base64."""

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..lift.pooled_bank import PooledBank
from ..lift.responses import FilterBank
from ..measures.measure import Measure
from ..network.history import History
from ..network.layer import Layer
from ..network.network import Network
from ..network.standardiser import Standardiser
from ..numerics.arrays import Array
from ..numerics.local_contrast import FLOOR_SHARE, ROUNDING_UNITS, window_weights

# Cyclic axes that the page can compute with.
MOST_AXES = 2


def array_data(array: Any, *, double: bool = False) -> dict[str, Any]:
    """An array: its shape, type, and base64 of its little-endian values in C order; in single precision by default."""
    array = np.asarray(array)
    kinds = ("complex64", "complex128") if np.iscomplexobj(array) else ("float32", "float64")
    values = np.ascontiguousarray(array, dtype=np.dtype(kinds[double]).newbyteorder("<"))
    text = base64.b64encode(values.tobytes()).decode("ascii")
    return {"shape": list(array.shape), "dtype": kinds[double], "data": text}


def history_data(history: History) -> dict[str, list[float]]:
    """Rates after each layer in nats, layer 0 the input."""
    return {
        "layer": list(range(len(history))),
        "coding_rate": history.coding_rate.tolist(),
        "class_coding_rate": history.class_coding_rate.tolist(),
        "rate_reduction": history.rate_reduction.tolist(),
    }


def network_data(network: Network, answers: Measure, *, double: bool = False) -> dict[str, Any] | None:
    """All that a page needs to carry a sample through a network and to measure it there.

    Parameters
    ----------
    network : Network
    answers : Measure
        What samples are measured by after the last layer.
    double : bool
        Store the arrays in double precision, else in single precision.

    Returns
    -------
    dict or None
        None if the page has no script for a part of it: one of the measures, the lift, a kernel, or more than two
        cyclic axes.
    """
    geometry = network.geometry
    if (
        network.kernel is not None
        or len(geometry.grid) > MOST_AXES
        or not isinstance(network.lift, FilterBank | PooledBank | None)
    ):
        return None
    answers_data = _measure_data(answers.page_data(), double)
    layers = [_layer_data(layer, double) for layer in network.layers]
    if answers_data is None or any(layer["measure"] is None for layer in layers):
        return None
    single = network.dtype == np.float32
    return {
        "grid": list(geometry.grid),
        "n_channels": network.n_coordinates,
        "sample_shape": entrance_shape(network),
        "unitary": geometry.unitary,
        "offset": geometry.offset,
        "single": single,
        "decimals": 6 if single else 9,  # of a distance; see redunet.measures.measure.rounded
        "lift": _lift_data(network.lift, double),
        "scaler": _scaler_data(network.scaler),
        "span": None if network.span is None else array_data(network.span.basis, double=double),
        "layers": layers,
        "answers": answers_data,
    }


def entrance_shape(network: Network) -> list[int]:
    """Shape of a sample before the lift, without its padding."""
    lift = network.lift
    if isinstance(lift, PooledBank):
        length = 0 if lift.length is None else lift.length - lift.pad[0]  # 0: signals of any length
        return [len(lift.thresholds), length]
    if isinstance(lift, FilterBank):
        unpadded = (length - zeros for length, zeros in zip(lift.grid, lift.pad, strict=True))
        return [int(lift.filters[0].shape[1]), *map(int, unpadded)]
    return [int(length) for length in network.geometry.sample_shape]


def _scaler_data(scaler: Standardiser | None) -> dict[str, Any] | None:
    """Mean and scale of the features; always in double precision, since features may be large."""
    if scaler is None:
        return None
    return {"mean": array_data(scaler.mean, double=True), "scale": array_data(scaler.scale, double=True)}


def _lift_data(lift: Any, double: bool) -> dict[str, Any] | None:
    if lift is None:
        return None
    if isinstance(lift, PooledBank):
        return {
            "kind": "pooled",
            "dilations": lift.dilations.tolist(),
            "thresholds": array_data(lift.thresholds),  # they are in single precision, and compared as such
            "mean": array_data(lift.mean, double=True),
            "scale": array_data(lift.scale, double=True),
            "offset": lift.offset,
            "pad": [int(zeros) for zeros in lift.pad],
        }
    return {
        "kind": "filters",
        "filters": [array_data(filters, double=double) for filters in lift.filters],
        "threshold": lift.threshold,
        "level": float(lift.level),
        "pad": [int(zeros) for zeros in lift.pad],
        "pool": float(lift.pool),
        "unit_scale": lift.unit_scale,
        **_contrast_data(lift, double),
    }


def _contrast_data(lift: Any, double: bool) -> dict[str, Any]:
    """What the local contrast of samples is computed by, where the lift takes it."""
    if lift.contrast is None:
        return {}
    precision = np.float64 if double else np.float32
    windows = [window_weights(lift.contrast, length).tolist() for length in lift.grid]
    least = ROUNDING_UNITS * float(np.finfo(precision).eps)
    return {"contrast": {"windows": windows, "floor_share": FLOOR_SHARE, "least": least}}


def _layer_data(layer: Layer, double: bool) -> dict[str, Any]:
    return {
        "step_size": float(layer.step_size),
        "class_share": layer.class_share.tolist(),
        "sharpness": float(layer.sharpness),
        "momentum": float(layer.momentum),
        "expansion": array_data(layer.expansion, double=double),
        "compression": array_data(layer.compression, double=double),
        "measure": _measure_data(_measure_of_layer(layer), double),
    }


def _measure_of_layer(layer: Layer) -> dict[str, Any] | None:
    """The fields of the measure of a layer, without the compressions, which the page has of the layer already."""
    fields = layer.measure.page_data()
    return fields and {name: value for name, value in fields.items() if value is not layer.compression}


def _measure_data(fields: dict[str, Any] | None, double: bool) -> dict[str, Any] | None:
    """The fields of a measure as a page takes them; what has one number for each class stays in full precision."""
    if fields is None:
        return None
    matrices = {name: array_data(value, double=double) for name, value in fields.items() if np.ndim(value) > 1}
    per_class = {name: np.asarray(value).tolist() for name, value in fields.items() if np.ndim(value) == 1}
    return {"name": fields["name"], **per_class, **matrices}


def megabytes(network: Network, answers: Measure, *, double: bool = False) -> float:
    """What the arrays of a network take on a page, as base64."""
    n_numbers = sum(array.size * (2 if np.iscomplexobj(array) else 1) for array in _arrays(network, answers))
    return n_numbers * (8 if double else 4) * 4 / 3 / 2**20


def _arrays(network: Network, answers: Measure) -> Iterator[Array]:
    """All large arrays of a network, one layer at a time, and of its answers."""
    lift = network.lift
    if isinstance(lift, PooledBank):
        yield from (lift.thresholds, lift.mean, lift.scale)
    if isinstance(lift, FilterBank):
        yield from lift.filters
    if network.span is not None:
        yield network.span.basis
    yield from _large_fields(answers.page_data())
    for layer in network.layers:
        yield from (layer.expansion, layer.compression, *_large_fields(_measure_of_layer(layer)))


def _large_fields(fields: dict[str, Any] | None) -> list[Array]:
    return [np.asarray(value) for value in (fields or {}).values() if np.ndim(value) > 1]
