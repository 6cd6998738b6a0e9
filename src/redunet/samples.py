"""The entrance: arrays, frames and labels as users have them, into samples of one shape, or an error that helps."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from .numerics.arrays import Array

INVARIANCES = (None, "shift", "translation")
PRECISIONS = [np.float64, np.float32]


def sample_shape_of(
    array_shape: tuple[int, ...], invariance: str | None, sample_shape: tuple[int, ...] | None = None
) -> tuple[int, ...]:
    """(n_channels, *grid) of the samples in an array, or an error that says what would fit.

    Parameters
    ----------
    array_shape : tuple of int
        (n_samples, n_features) or (n_samples, ...).
    invariance : None, "shift" or "translation"
    sample_shape : tuple of int, optional
        What the user says the layout of one sample is.
    """
    given = array_shape[1:]
    flat = len(given) == 1
    if invariance is None:
        if not flat:
            raise ValueError(
                f"X has samples of shape {given} but invariance=None takes vectors; pass X.reshape(len(X), -1), or "
                f"invariance='shift' or 'translation'."
            )
        if sample_shape is not None and math.prod(sample_shape) != given[0]:
            raise ValueError(_misfit(given[0], sample_shape, invariance))
        return given
    if sample_shape is not None:
        if flat and math.prod(sample_shape) != given[0]:
            raise ValueError(_misfit(given[0], sample_shape, invariance))
        if not flat and _with_channel(given, invariance) != _with_channel(sample_shape, invariance):
            raise ValueError(f"X has samples of shape {given} but sample_shape={sample_shape}; pass {given}, or None.")
        given = sample_shape
    elif flat and invariance == "translation":
        raise ValueError(
            f"X has {given[0]} features per sample and invariance='translation' needs their layout; pass "
            f"sample_shape={_likely_shape(given[0], invariance)}, or X of shape (n_samples, n_channels, height, width)."
        )
    return _with_channel(given, invariance)


def _with_channel(shape: tuple[int, ...], invariance: str) -> tuple[int, ...]:
    """A sample's shape with its channel axis, which may be left out when there is one channel."""
    bare = {"shift": 1, "translation": 2}[invariance]
    if len(shape) == bare:
        return (1, *shape)
    if len(shape) == bare + 1 or (invariance == "translation" and len(shape) == 4):
        return shape
    expected = {
        "shift": "(length,) or (n_channels, length)",
        "translation": "(height, width), (n_channels, height, width) or (n_channels, depth, height, width)",
    }[invariance]
    raise ValueError(f"a sample of shape {shape} does not fit invariance={invariance!r}, which takes {expected}.")


def _misfit(n_features: int, sample_shape: tuple[int, ...], invariance: str | None) -> str:
    return (
        f"X has {n_features} features per sample but sample_shape={sample_shape} needs {math.prod(sample_shape)}; "
        f"pass sample_shape={_likely_shape(n_features, invariance, sample_shape)}."
    )


def _likely_shape(
    n_features: int, invariance: str | None, near: tuple[int, ...] | None = None
) -> tuple[int, ...] | str:
    """A shape of so many features that the user may have meant: the same channels, and square for images."""
    channels = near[0] if near and len(near) > (2 if invariance == "translation" else 1) else 1
    if n_features % channels:
        channels = 1
    if invariance == "translation":
        side = math.isqrt(n_features // channels)
        if side * side * channels != n_features:
            return f"a tuple whose product is {n_features}"
        return (channels, side, side)
    return (channels, n_features // channels) if invariance == "shift" else (n_features,)


def read_samples(
    estimator: Any,
    X: Any,
    invariance: str | None,
    sample_shape: tuple[int, ...] | None,
    *,
    reset: bool,
    zero_allowed: bool,
) -> tuple[Array, bool]:
    """Samples of an estimator's input, of shape (n_samples, n_channels, *grid).

    Parameters
    ----------
    estimator : estimator
        Learns the number and names of features when ``reset``, else is compared with.
    X : array-like or frame
    invariance, sample_shape
        As in :func:`sample_shape_of`.
    reset : bool
    zero_allowed : bool
        Whether a sample of zeros has a place on the sphere (it has with a constant coordinate).

    Returns
    -------
    samples : float32 or float64 array
    flat : bool
        Whether X was flat, one row of features per sample.
    """
    n_axes = 2 if hasattr(X, "iloc") else np.asarray(X).ndim  # a frame is flat, whatever its columns hold
    if n_axes > 2:
        X = check_array(X, dtype=PRECISIONS, allow_nd=True, input_name="X", estimator=estimator)
        layout = X.shape
        X = X.reshape(len(X), -1)
    flat = n_axes <= 2
    X = validate_data(estimator, X, dtype=PRECISIONS, order="C", reset=reset)
    shape = sample_shape_of(X.shape if flat else layout, invariance, sample_shape)
    if not reset and shape != estimator.sample_shape_:
        raise ValueError(f"X has samples of shape {shape} but fit saw {estimator.sample_shape_}; pass that shape.")
    if not zero_allowed:
        refuse_zero_samples(X)
    return X.reshape(len(X), *shape), flat


def refuse_zero_samples(X: Array) -> None:
    """An all-zero sample has no direction, hence no place on the sphere."""
    zero = np.flatnonzero(~X.any(axis=1))
    if len(zero):
        count = f"{len(zero)} samples of X are" if len(zero) > 1 else "1 sample of X is"
        raise ValueError(
            f"{count} all zero (first: row {zero[0]}) and cannot be projected to the unit sphere; remove them, or add "
            f"an offset to X."
        )


@dataclass(frozen=True, eq=False)
class Labels:
    """Class of each sample.

    Parameters
    ----------
    classes : array, shape (n_classes,)
        The labels that occur, sorted.
    codes : int array, shape (n_samples,)
        Index of each sample's class.
    """

    classes: Array
    codes: Array

    @property
    def order(self) -> Array:
        """Rows sorted by class, those of one class in the order they came."""
        return np.argsort(self.codes, kind="stable")

    @property
    def bounds(self) -> Array:
        """Where each class starts and ends once sorted; shape (n_classes + 1,)."""
        return np.searchsorted(self.codes[self.order], np.arange(len(self.classes) + 1))


def read_labels(y: Any, n_samples: int) -> Labels:
    """Labels of any type, one per sample."""
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None; pass one label per sample.")
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    if y.dtype.kind == "f":
        check_classification_targets(y)  # labels may be of any type, but numbers such as 0.37 are not labels
    if len(y) != n_samples:
        raise ValueError(f"X has {n_samples} samples but y has {len(y)} labels; pass one label per sample.")
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise TypeError(f"y holds labels that cannot be sorted together ({error}); pass labels of one type.") from None
    return Labels(classes, codes)


def refuse_weightless_classes(labels: Labels, sample_weight: Array) -> None:
    """A class whose samples all have weight 0 is not there, although its label is."""
    for label, weight in zip(labels.classes.tolist(), np.bincount(labels.codes, sample_weight), strict=True):
        if weight == 0:
            raise ValueError(f"class {label!r} has total weight 0; remove its samples or give them a weight > 0.")


def refuse_thin_classes(labels: Labels, sample_weight: Array) -> None:
    """There is something to tell apart, and something in common, from two classes of two samples each.

    A sample of weight 2 counts as two, one of weight 0 as none.
    """
    if len(labels.classes) < 2:
        raise ValueError(
            f"y has one class, {labels.classes.tolist()[0]!r}; rate reduction needs at least 2 classes. Add samples of "
            f"another class."
        )
    refuse_weightless_classes(labels, sample_weight)
    weights = np.bincount(labels.codes, sample_weight)
    counts = np.bincount(labels.codes, sample_weight > 0)
    for label, weight, count in zip(labels.classes.tolist(), weights, counts, strict=True):
        if count < 2 and weight < 2:
            raise ValueError(f"class {label!r} has one sample; a class needs at least 2. Remove it or add samples.")


def read_weights(sample_weight: Any, n_samples: int) -> Array:
    """Weights as a float64 array, ones by default."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have shape ({n_samples},), one weight per sample, got shape {weights.shape}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        worst = weights[~np.isfinite(weights) | (weights < 0)][0]
        raise ValueError(f"sample_weight must be >= 0 and finite, got {worst}.")
    if not weights.any():
        raise ValueError(
            "sample_weight is zero for every sample; give at least two samples of each class a weight > 0."
        )
    return weights


def refuse_unknown_labels(labels: Array, classes: Array) -> None:
    """A label that was not trained on cannot be scored: it is more often a mistake than a miss."""
    known = set(classes.tolist())
    unknown = [label for label in labels.tolist() if label not in known]
    if unknown:
        raise ValueError(
            f"y has the label {unknown[0]!r}, which is not among the training classes {classes.tolist()}; remove those "
            f"samples, or fit on samples of that class."
        )


def read_bare_samples(Z: Any, invariance: str | None, sample_shape: tuple[int, ...] | None) -> Array:
    """Samples without an estimator; shape (n_samples, n_channels, *grid)."""
    Z = check_array(Z, dtype=PRECISIONS, allow_nd=True, input_name="Z")
    return Z.reshape(len(Z), *sample_shape_of(Z.shape, invariance, sample_shape))
