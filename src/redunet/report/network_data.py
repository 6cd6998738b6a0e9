"""Networks as the report page takes them: plain dicts, arrays as base64."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..lift.responses import FilterBank
from ..measures.measure import Measure
from ..network.history import History
from ..network.layer import Layer
from ..network.network import Network
from ..numerics.arrays import Array


def array_data(array: Any) -> dict[str, Any]:
    """An array in single precision: its shape, type, and base64 of its little-endian values in C order."""
    array = np.asarray(array)
    kind = "complex64" if np.iscomplexobj(array) else "float32"
    values = np.ascontiguousarray(array, dtype=np.dtype(kind).newbyteorder("<"))
    return {"shape": list(array.shape), "dtype": kind, "data": base64.b64encode(values.tobytes()).decode("ascii")}


def history_data(history: History) -> dict[str, list[float]]:
    """Rates after each layer in nats, layer 0 the input."""
    return {
        "layer": list(range(len(history))),
        "coding_rate": history.coding_rate.tolist(),
        "class_coding_rate": history.class_coding_rate.tolist(),
        "rate_reduction": history.rate_reduction.tolist(),
    }


def network_data(network: Network, answers: Measure, classes: Sequence[Any] | Array) -> dict[str, Any] | None:
    """All that a page needs to carry a sample through a network and to answer.

    Parameters
    ----------
    network : Network
        On one or two cyclic axes, which the page can draw.
    answers : Measure
    classes : sequence
        Names of the classes, in the order of the operators.

    Returns
    -------
    dict or None
        None if the page has no script for one of the measures, so that it cannot run the network.
    """
    geometry, lift = network.geometry, network.lift
    if len(geometry.grid) not in (1, 2):
        raise ValueError(
            f"a page draws signals and images, got samples with {len(geometry.grid)} cyclic axes; "
            f"build the network with invariance='shift' or 'translation'."
        )
    if lift is not None and not isinstance(lift, FilterBank):
        raise ValueError(f"a page lifts by filters, got {type(lift).__name__}; pass a network whose lift is a Lift.")
    answers_data = _measure_data(answers.page_data())
    layers = [_layer_data(layer) for layer in network.layers]
    if answers_data is None or any(layer["measure"] is None for layer in layers):
        return None
    shape = geometry.sample_shape
    if lift is not None:
        unpadded = (length - zeros for length, zeros in zip(lift.grid, lift.pad, strict=True))
        shape = (lift.filters[0].shape[1], *unpadded)
    return {
        "classes": [str(name) for name in classes],
        "grid": list(geometry.grid),
        "n_channels": geometry.n_channels,
        "sample_shape": [int(length) for length in shape],
        "unitary": geometry.unitary,
        "lift": None if lift is None else _lift_data(lift),
        "layers": layers,
        "answers": answers_data,
    }


def _lift_data(lift: FilterBank) -> dict[str, Any]:
    return {
        "filters": [array_data(filters) for filters in lift.filters],
        "threshold": lift.threshold,
        "level": float(lift.level),
        "pad": [int(zeros) for zeros in lift.pad],
        "pool": float(lift.pool),
        "unit_scale": lift.unit_scale,
    }


def _layer_data(layer: Layer) -> dict[str, Any]:
    return {
        "step_size": float(layer.step_size),
        "class_share": layer.class_share.tolist(),
        "sharpness": float(layer.sharpness),
        "momentum": float(layer.momentum),
        "expansion": array_data(layer.expansion),
        "compression": array_data(layer.compression),
        "measure": _measure_data(_measure_of_layer(layer)),
    }


def _measure_of_layer(layer: Layer) -> dict[str, Any] | None:
    """The fields of the measure of a layer, without the compressions, which the page has of the layer already."""
    fields = layer.measure.page_data()
    return fields and {name: value for name, value in fields.items() if value is not layer.compression}


def _measure_data(fields: dict[str, Any] | None) -> dict[str, Any] | None:
    """The fields of a measure as a page takes them; what has one number for each class stays in full precision."""
    if fields is None:
        return None
    matrices = {name: array_data(value) for name, value in fields.items() if np.ndim(value) > 1}
    per_class = {name: np.asarray(value).tolist() for name, value in fields.items() if np.ndim(value) == 1}
    return {"name": fields["name"], **per_class, **matrices}


def megabytes(network: Network, answers: Measure) -> float:
    """What the arrays of a network take on a page, before base64."""
    operators = [array for layer in network.layers for array in (layer.expansion, layer.compression)]
    measures = [answers.page_data() or {}, *(_measure_of_layer(layer) or {} for layer in network.layers)]
    fields = [value for measure in measures for value in measure.values() if np.ndim(value) > 1]
    return sum(8 * array.size for array in (*operators, *fields)) / 2**20
