"""Classes that are declared before all of their samples are seen."""

from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .errors import Data, InputError
from .labels import Labels
from .samples import read_labels

# Kinds of labels that can be sorted together: numbers, text, dates, anything else.
KINDS = {"b": "numbers", "i": "numbers", "u": "numbers", "f": "numbers", "U": "text", "S": "bytes", "M": "dates"}


def read_classes(classes: Any) -> Array:
    """Labels of classes that a user declares, sorted, each once."""
    values = np.asarray(classes)
    if values.ndim == 0:
        raise InputError("{data} must be a list of labels, got {value}.", data=Data("classes"), value=repr(classes))
    return read_labels(values, len(values), "classes").classes


def joined_classes(known: Array, others: Array) -> Array:
    """All classes of both, sorted; numbers and text do not go together."""
    _refuse_other_kind(known, others)
    return np.union1d(known, others)


def places_among(classes: Array, known: Array) -> Array:
    """Number of each of some classes among those that are known, all of which they must be."""
    _refuse_other_kind(known, classes)
    found = np.searchsorted(known, classes)
    unknown = (found == len(known)) | (known[np.minimum(found, len(known) - 1)] != classes)
    if unknown.any():
        raise InputError(
            "{labels} holds the label {label!r}, which is none of the {n_classes} classes; call "
            "add_classes([{label!r}]) first, or declare all classes in the first call: partial_fit(X, y, classes=...).",
            labels=Data("y"),
            label=classes[unknown].tolist()[0],
            n_classes=len(known),
        )
    return found


def codes_among(labels: Labels, known: Array) -> Array:
    """Number of the class of each sample among those that are known."""
    return places_among(labels.classes, known)[labels.codes]


def _refuse_other_kind(known: Array, others: Array) -> None:
    """NumPy would turn numbers into text where both come together."""
    one, other = (KINDS.get(labels.dtype.kind, "objects") for labels in (known, others))
    if len(known) and len(others) and one != other:
        raise InputError(
            "the labels {known!r} are {one} but {others!r} are {other}; pass labels of one type.",
            known=known.tolist()[0],
            one=one,
            others=others.tolist()[0],
            other=other,
        )
