"""Classes that are declared before all of their samples are seen."""

from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .errors import Data, InputError
from .label_kinds import refuse_other_kind
from .labels import Labels
from .samples import read_labels


def read_classes(classes: Any) -> Array:
    """Labels of classes that a user declares, sorted, each once."""
    values = np.asarray(classes)
    if values.ndim == 0:
        raise InputError("{data} must be a list of labels, got {value}.", data=Data("classes"), value=repr(classes))
    return read_labels(values, len(values), "classes").classes


def joined_classes(known: Array, others: Array) -> Array:
    """All classes of both, sorted; numbers and text do not go together."""
    return np.union1d(*_of_one_type(known, others))


def places_among(classes: Array, known: Array) -> Array:
    """Number of each of some classes among those that are known, all of which they must be."""
    known, classes = _of_one_type(known, classes)
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


def _of_one_type(known: Array, others: Array) -> tuple[Array, Array]:
    """Labels of one kind that can be compared: as they are, or as objects where one side is held as objects."""
    refuse_other_kind(known, others)
    if object in (known.dtype, others.dtype):
        return known.astype(object), others.astype(object)
    return known, others
