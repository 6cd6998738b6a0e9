"""``class_weight``: how much the samples of each class count, beside their own weights."""

import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .errors import InputError, InputTypeError, Option
from .labels import Labels
from .suggestions import did_you_mean

OPTION = Option("class_weight")


def check_class_weight(value: Any) -> None:
    """Refuse what is neither None, "balanced" nor weights > 0 by label."""
    if value is None or (isinstance(value, str) and value == "balanced"):
        return
    if not isinstance(value, Mapping):
        guess = did_you_mean(value, ["balanced"]) if isinstance(value, str) else ""
        raise InputTypeError(
            "{option} must be None, 'balanced' or a dict of weights by label, got {text}.{guess}",
            option=OPTION,
            text=repr(value),
            guess=guess,
        )
    for label, weight in value.items():
        number = isinstance(weight, numbers.Real) and not isinstance(weight, bool)
        if not (number and math.isfinite(weight) and float(weight) > 0):
            raise InputError(
                "{option} must hold weights > 0, got {weight} for class {label}; to leave a class out, remove its "
                "samples.",
                option=OPTION,
                weight=repr(weight),
                label=repr(label),
            )


def weights_of_classes(class_weight: Any, labels: Labels, sample_weight: Array) -> Array:
    """Factor of the weights of the samples of each class; shape (n_classes,).

    Parameters
    ----------
    class_weight : None, "balanced" or dict
        None is 1 for all. "balanced" gives all classes the same total weight, and leaves the sum of all weights as it
        is. A class that a dict does not name has 1.
    labels : Labels
    sample_weight : float array, shape (n_samples,)
    """
    totals = np.bincount(labels.codes, sample_weight, len(labels.classes))
    if class_weight is None:
        return np.ones(len(totals))
    if isinstance(class_weight, str):
        return np.asarray(totals.sum() / (len(totals) * totals))
    names = labels.classes.tolist()
    unnamed = [name for name in names if name not in class_weight]
    unknown = [label for label in class_weight if label not in names]
    if unnamed and unknown:  # one of them alone is a default, or a class that a fold of cross-validation lacks
        raise InputError(
            "{option} names class {unknown}, which is not in y, and not class {unnamed}, which is; name the classes "
            "as y has them: {names}.",
            option=OPTION,
            unknown=repr(unknown[0]),
            unnamed=repr(unnamed[0]),
            names=names,
        )
    return np.array([float(class_weight.get(name, 1.0)) for name in names])
