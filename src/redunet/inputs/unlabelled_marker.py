"""What stands in the place of a label that is not known."""

import numbers
from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .errors import Data, InputError, InputTypeError, Option
from .missing_labels import is_missing

OPTION = Option("unlabelled")


def check_marker(marker: Any) -> None:
    """Refuse what cannot stand in the place of a label."""
    if marker is None or isinstance(marker, (str, bytes, numbers.Real, np.generic)) or is_missing(marker):
        return
    raise InputTypeError(
        "{option} must be None, or what stands for an unknown label: a number, text, or float('nan') for missing "
        "values, got {value}.",
        option=OPTION,
        value=repr(marker),
    )


def marked_rows(y: Any, marker: Any) -> Array:
    """Which labels are the marker; bool array, shape (n_samples,). Text is never equal to a number.

    Parameters
    ----------
    y : array-like, shape (n_samples,) or (n_samples, 1)
    marker : number, text, or a missing value
        A missing value, such as NaN, stands for every kind of them: None, NaN, NaT and NA of pandas.
    """
    values = _values(y)
    if is_missing(marker):
        return np.array([is_missing(value) for value in values], dtype=bool)
    text = isinstance(marker, (str, bytes))
    return np.array(
        [isinstance(value, (str, bytes)) == text and not is_missing(value) and value == marker for value in values],
        dtype=bool,
    )


def labels_at(y: Any, rows: Array) -> Any:
    """Labels of some rows (a bool array), of the type that y has."""
    if hasattr(y, "iloc"):
        return y.iloc[np.flatnonzero(rows)]
    if isinstance(y, (list, tuple)):
        return [label for label, taken in zip(y, rows, strict=True) if taken]
    found = np.asarray(y)[rows]
    # An array of objects may hold numbers or text beside a missing value; without it, it is an ordinary one.
    return np.array(found.tolist()) if found.dtype == object and found.ndim == 1 else found


def refuse_no_labels(marked: Array, marker: Any) -> None:
    """There must be something to learn the classes from."""
    if marked.all():
        raise InputError(
            "{labels} has no label: each of its {n} values is {option}; label two samples of each class at least.",
            labels=Data("y"),
            n=len(marked),
            option=Option("unlabelled", marker),
        )


def _values(y: Any) -> list[Any]:
    """Labels one by one."""
    if hasattr(y, "to_numpy") and hasattr(y, "isna"):
        missing, y = np.asarray(y.isna()), np.array(y.to_numpy(), dtype=object)
        y[missing] = None
    values = y if isinstance(y, (list, tuple)) else np.asarray(y)
    if isinstance(values, np.ndarray):
        if values.ndim > 2 or (values.ndim == 2 and values.shape[1] != 1) or values.ndim == 0:
            return []
        return list(values.ravel().tolist())
    return list(values)
