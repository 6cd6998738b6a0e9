"""The entrance: arrays, frames and labels as users have them, into samples of one shape, or an error that helps."""

import math
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from ..numerics.arrays import Array
from .bad_samples import take_out_unusable, take_out_unusable_signals
from .channel_axis import channels_first, refuse_channels_last
from .errors import Data, InputError, InputTypeError, Message, OneClassError, Option, ThinClassError, ZeroSampleError
from .frames import refuse_unreadable_frames
from .labels import Labels
from .largest_value import LARGEST_VALUE
from .missing_labels import refuse_missing_labels
from .unequal_lengths import has_unequal_lengths, read_unequal_signals

# What samples are computed in; what is neither becomes the first.
PRECISIONS = [np.float64, np.float32]
# Samples that are multiplied with a direction at a time, which bounds the memory.
SAMPLES_PER_PRODUCT = 1024
# What stands for the end of a signal where signals of unequal lengths are compared; any number will do.
END_OF_SIGNAL = 12345.678


def sample_shape_of(
    array_shape: tuple[int, ...],
    invariance: str | None,
    sample_shape: tuple[int, ...] | None = None,
    name: str = "X",
) -> tuple[int, ...]:
    """(n_channels, *grid) of the samples in an array, or an error that says what would fit.

    Parameters
    ----------
    array_shape : tuple of int
        (n_samples, n_features) or (n_samples, ...).
    invariance : None, "shift" or "translation"
    sample_shape : tuple of int, optional
        What the user says the layout of one sample is.
    name : str
        What the user calls the array.
    """
    given = array_shape[1:]
    flat = len(given) == 1
    if flat and sample_shape is not None:
        _refuse_other_product(given[0], invariance, sample_shape, name)
    if invariance is None:
        _refuse_grids(given, name)
        return given
    if sample_shape is not None:
        layout = _with_channel(sample_shape, invariance, Option("sample_shape"))
        if not flat:
            _refuse_other_layout(given, invariance, sample_shape, name)
        return layout
    if flat and invariance == "translation":
        raise InputError(
            "{data} has {n_features} features per sample and {invariance} needs their layout; pass {likely}, or {data} "
            "of shape (n_samples, n_channels, height, width).",
            data=Data(name),
            n_features=given[0],
            invariance=Option("invariance", invariance),
            likely=_likely_shape(given[0], invariance),
        )
    shape = _with_channel(given, invariance, _one_sample(name))
    if invariance == "translation" and len(given) > 2:
        refuse_channels_last(given, name)
    return shape


def _refuse_other_product(n_features: int, invariance: str | None, sample_shape: tuple[int, ...], name: str) -> None:
    """Refuse flat samples of another number of features than their layout has."""
    if math.prod(sample_shape) != n_features:
        raise InputError(
            "{data} has {n_features} features per sample but {layout} needs {n_needed}; pass {likely}.",
            data=Data(name),
            n_features=n_features,
            layout=Option("sample_shape", sample_shape),
            n_needed=math.prod(sample_shape),
            likely=_likely_shape(n_features, invariance, sample_shape),
        )


def _refuse_grids(given: tuple[int, ...], name: str) -> None:
    """Refuse samples that are no vectors, where there is no invariance."""
    if len(given) != 1:
        raise InputError(
            "{data} has samples of shape {shape} but {plain} takes vectors; pass {name}.reshape(len({name}), -1), "
            "or {cyclic}.",
            data=Data(name),
            shape=given,
            plain=Option("invariance", None),
            name=name,
            cyclic=Option("invariance", "shift", "translation"),
        )


def _refuse_other_layout(given: tuple[int, ...], invariance: str, sample_shape: tuple[int, ...], name: str) -> None:
    """Refuse samples that have a layout of their own, and another one than the user says."""
    layout = _with_channel(sample_shape, invariance, Option("sample_shape"))
    if _with_channel(given, invariance, _one_sample(name)) != layout:
        raise InputError(
            "{data} has samples of shape {shape} but {layout}; leave {option} out, or reshape {data}.",
            data=Data(name),
            shape=given,
            layout=Option("sample_shape", sample_shape),
            option=Option("sample_shape"),
        )


def _one_sample(name: str) -> Message:
    """What a message calls one of the samples."""
    return Message("a sample of {data}", data=Data(name))


def _with_channel(shape: tuple[int, ...], invariance: str, subject: Option | Message) -> tuple[int, ...]:
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
    raise InputError(
        "{subject} has shape {shape} but {invariance} takes {expected}; reshape it to that.",
        subject=subject,
        shape=shape,
        invariance=Option("invariance", invariance),
        expected=expected,
    )


def _likely_shape(n_features: int, invariance: str | None, near: tuple[int, ...] | None = None) -> Option | Message:
    """A shape of so many features that the user may have meant: the same channels, and square for images."""
    channels = near[0] if near and len(near) > (2 if invariance == "translation" else 1) else 1
    if n_features % channels:
        channels = 1
    side = math.isqrt(n_features // channels)
    if invariance == "translation" and side * side * channels != n_features:
        return Message("a {option} whose product is {n}", option=Option("sample_shape"), n=n_features)
    if invariance == "translation":
        return Option("sample_shape", (channels, side, side))
    return Option("sample_shape", (channels, n_features // channels) if invariance == "shift" else None)


def read_training_samples(
    estimator: Any, X: Any, invariance: str | None, sample_shape: tuple[int, ...] | None
) -> Array:
    """Samples that an estimator is fitted on, of shape (n_samples, n_channels, *grid); float32 or float64.

    The estimator learns the number and names of the features. Signals of unequal lengths have NaN after their end.
    """
    refuse_unreadable_frames(X, "X")
    if has_unequal_lengths(X):
        samples = read_unequal_signals(X, invariance)
        refuse_huge_values(samples, "X")
        estimator.n_features_in_ = math.prod(samples.shape[1:])
        return samples
    X, shape, _ = _read_flat(estimator, X, reset=True)
    return X.reshape(len(X), *sample_shape_of((len(X), *shape), invariance, sample_shape))


def read_new_samples(estimator: Any, X: Any) -> tuple[Array, bool]:
    """Samples for a fitted estimator, of the shape that it was fitted on; and whether they came as flat rows."""
    samples, flat, _ = _read_new(estimator, X, keep_bad=False)
    return samples, flat


def read_usable_samples(estimator: Any, X: Any) -> tuple[Array, dict[int, str]]:
    """Samples for a fitted estimator, zeros in place of those that hold no usable numbers; and why those do not."""
    samples, _, reasons = _read_new(estimator, X, keep_bad=True)
    return samples, reasons


def _read_new(estimator: Any, X: Any, *, keep_bad: bool) -> tuple[Array, bool, dict[int, str]]:
    """Samples for a fitted estimator, whether they came flat, and which of them are no numbers, if these are kept."""
    fitted = estimator.sample_shape_
    if _is_ready(estimator, X, fitted):
        return X.reshape(len(X), *fitted), X.ndim == 2, {}
    refuse_unreadable_frames(X, "X")
    if getattr(estimator, "takes_unequal_lengths_", False):
        signals = X if has_unequal_lengths(X) else list(np.asarray(X))
        signals, reasons = take_out_unusable_signals(signals) if keep_bad else (signals, {})
        return _read_signals_of_any_length(signals, fitted[0]), False, reasons
    if has_unequal_lengths(X):
        raise InputError(
            "{data} holds signals of unequal lengths but fit saw signals of {length} values; pass signals of this "
            "length, or fit on a list of signals of unequal lengths.",
            data=Data("X"),
            length=fitted[-1],
        )
    X, shape, reasons = _read_flat(estimator, X, reset=False, keep_bad=keep_bad)
    if len(shape) > 1 and shape != fitted and (1, *shape) != fitted:
        last = len(fitted) > 2 and (*fitted[1:], fitted[0]) == shape
        raise InputError(
            "{data} has samples of shape {shape} but fit saw {fitted}; pass {remedy}.",
            data=Data("X"),
            shape=shape,
            fitted=fitted,
            remedy=channels_first("X") if last else Message("X.reshape(len(X), *{fitted})", fitted=fitted),
        )
    return X.reshape(len(X), *fitted), len(shape) == 1, reasons


def _is_ready(estimator: Any, X: Any, fitted: tuple[int, ...]) -> bool:
    """Whether X is an ordinary array that the long way would give back as it is; it takes longer than one answer."""
    if type(X) is not np.ndarray or X.dtype not in PRECISIONS or X.ndim < 2 or not X.size:
        return False
    if hasattr(estimator, "feature_names_in_") or getattr(estimator, "takes_unequal_lengths_", False):
        return False
    shape = X.shape[1:]
    fits = fitted in (shape, (1, *shape)) or (len(shape) == 1 and shape[0] == math.prod(fitted))
    if not fits or not X.flags.c_contiguous or not X.dtype.isnative:
        return False
    largest = max(X.max(), -X.min())  # not a number, if there is one
    return bool(largest <= LARGEST_VALUE if X.dtype == np.float64 else np.isfinite(largest))


def _read_signals_of_any_length(signals: Any, n_channels: int) -> Array:
    """Signals for an estimator that was fitted on signals of unequal lengths, with NaN after the end of each."""
    if not len(signals):
        raise InputError("{data} holds no signal; pass at least one.", data=Data("X"))
    samples = read_unequal_signals(signals, "shift")
    refuse_huge_values(samples, "X")
    if samples.shape[1] != n_channels:
        raise InputError(
            "{data} has signals of {found} channels but fit saw {expected}; pass the same channels.",
            data=Data("X"),
            found=samples.shape[1],
            expected=n_channels,
        )
    return samples


def _read_flat(
    estimator: Any, X: Any, *, reset: bool, keep_bad: bool = False
) -> tuple[Array, tuple[int, ...], dict[int, str]]:
    """Checked samples as rows of features, the shape that each had, and which are no numbers, if these are kept."""
    n_axes = 2 if hasattr(X, "iloc") else np.asarray(X).ndim  # a frame is flat, whatever its columns hold
    shape: tuple[int, ...] | None = None
    reasons: dict[int, str] = {}
    finite = {"ensure_all_finite": not keep_bad}
    if n_axes > 2:
        X = check_array(X, dtype=PRECISIONS, allow_nd=True, input_name="X", estimator=estimator, **finite)
        shape, X = X.shape[1:], X.reshape(len(X), -1)
    X = validate_data(estimator, X, dtype=PRECISIONS, order="C", reset=reset, **finite)
    if keep_bad:
        X, reasons = take_out_unusable(X, LARGEST_VALUE)
    refuse_huge_values(X, "X")
    return X, shape or X.shape[1:], reasons


def refuse_huge_values(X: Array, name: str) -> None:
    """Values whose squares cannot be added up; none in single precision."""
    if X.dtype == np.float64 and max(np.fmax.reduce(X, axis=None), -np.fmin.reduce(X, axis=None)) > LARGEST_VALUE:
        raise InputError("{data} has values above {largest:g}; scale it first.", data=Data(name), largest=LARGEST_VALUE)


def refuse_zero_samples(samples: Array, invariance: str | None) -> None:
    """An all-zero sample has no direction, hence no place on the sphere."""
    zero = np.flatnonzero(~samples.reshape(len(samples), -1).any(axis=1))
    if len(zero):
        them = "{n} samples of {data} are" if len(zero) > 1 else "{n} sample of {data} is"
        remedy = ", or pass {affine}, which gives zero a place" if invariance is None else ""
        raise ZeroSampleError(
            f"{them} all zero (first: row {{rows[0]}}) and cannot be projected to the unit sphere; remove what is all "
            f"zero{remedy}.",
            rows=zero,
            n=len(zero),
            data=Data("X"),
            affine=Option("affine", True),
        )


def read_labels(y: Any, n_samples: int, name: str = "X") -> Labels:
    """Labels of any type, one per sample of the array ``name``."""
    if y is None:
        raise InputError("this requires y to be passed, but the target y is None; pass one label per sample.")
    refuse_unreadable_frames(y, "y")
    refuse_missing_labels(y)
    if hasattr(y, "array") and not isinstance(getattr(y, "dtype", None), np.dtype):
        y = np.array(y.tolist())  # nullable and categorical columns of pandas, whose labels keep their type
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    if y.dtype.kind == "f":
        check_classification_targets(y)  # labels may be of any type, but numbers such as 0.37 are not labels
    if len(y) != n_samples:
        raise InputError(
            "{data} has {n_samples} samples but {labels} has {n_labels} labels; pass one label per sample.",
            data=Data(name),
            n_samples=n_samples,
            labels=Data("y"),
            n_labels=len(y),
        )
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise InputTypeError(
            "{labels} holds labels that cannot be sorted together ({why}); pass labels of one type.",
            labels=Data("y"),
            why=str(error),
        ) from None
    return Labels.of(classes, codes)


def refuse_weightless_classes(labels: Labels, sample_weight: Array) -> None:
    """A class whose samples all have weight 0 is not there, although its label is."""
    for label, weight in zip(labels.classes.tolist(), np.bincount(labels.codes, sample_weight), strict=True):
        if weight == 0:
            raise InputError(
                "class {label!r} has total weight 0; remove its samples or give them a weight > 0.", label=label
            )


def refuse_single_class(labels: Labels, sample_weight: Array) -> None:
    """There is something to tell apart from two classes on, each of which has some weight."""
    if len(labels.classes) < 2:
        raise OneClassError(
            "{labels} has one class, {label!r}; there must be at least 2 classes to tell apart. Add samples of another "
            "class.",
            labels=Data("y"),
            label=labels.classes.tolist()[0],
        )
    refuse_weightless_classes(labels, sample_weight)


def refuse_thin_classes(labels: Labels, sample_weight: Array) -> None:
    """There is something to tell apart, and something in common, from two classes of two samples each.

    A single sample passes if its weight says that it was seen twice.
    """
    refuse_single_class(labels, sample_weight)
    weights = np.bincount(labels.codes, sample_weight)
    counts = np.bincount(labels.codes, sample_weight > 0)
    thin = np.flatnonzero((counts < 2) & (weights < 2))
    if len(thin):
        raise ThinClassError(
            "class {label!r} has one sample; a class needs at least 2. Remove it or add samples.",
            label=labels.classes.tolist()[thin[0]],
            row=np.flatnonzero((labels.codes == thin[0]) & (sample_weight > 0))[0],
            n_classes=len(thin),
        )


def read_weights(sample_weight: Any, n_samples: int) -> Array:
    """Weights as a float64 array, ones by default."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = np.asarray(sample_weight)
    option = Option("sample_weight")
    if weights.shape != (n_samples,):
        raise InputError(
            "{option} must have shape ({n},), one weight per sample, got shape {shape}.",
            option=option,
            n=n_samples,
            shape=weights.shape,
        )
    if weights.dtype.kind not in "biuf":
        raise InputError(
            "{option} must hold numbers >= 0, got values of type {kind}.", option=option, kind=weights.dtype
        )
    weights = weights.astype(np.float64)
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        raise InputError(
            "{option} must be >= 0 and finite, got {weight} in row {row}.",
            option=option,
            weight=weights[wrong][0],
            row=wrong.argmax(),
        )
    if not np.isfinite(weights.sum()):
        raise InputError("{option} is too large to be added up; scale it to values around 1.", option=option)
    if not weights.any():
        raise InputError(
            "{option} is zero for every sample; give at least two samples of each class a weight > 0.", option=option
        )
    return weights


def read_groups(groups: Any, n_samples: int) -> Array:
    """Numbers of the groups that samples come in, one for each sample, from labels of any type that can be sorted."""
    option = Option("groups")
    found = np.asarray(groups)
    if found.shape != (n_samples,):
        raise InputError(
            "{option} must have shape ({n},), one group per sample, got shape {shape}.",
            option=option,
            n=n_samples,
            shape=found.shape,
        )
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        raise InputError(
            "{option} has no group for row {row}; pass one for every sample.",
            option=option,
            row=int(np.flatnonzero(~np.isfinite(found))[0]),
        )
    try:
        names, numbers = np.unique(found, return_inverse=True)
    except TypeError as error:
        raise InputTypeError(
            "{option} holds values that cannot be sorted together ({why}); pass values of one type.",
            option=option,
            why=str(error),
        ) from None
    if len(names) < 2:
        raise InputError("{option} has one group, and nothing is left without it; pass at least 2.", option=option)
    return numbers


def distinct_samples(samples: Array, sample_weight: Array) -> tuple[Array, Array]:
    """The different samples that count, and the weight of each; see :func:`distinct_rows`."""
    rows, weights = distinct_rows(samples, sample_weight)
    return samples[rows], weights


def distinct_rows(samples: Array, sample_weight: Array) -> tuple[Array, Array]:
    """Rows of the different samples that count, in an order that depends on their values alone, and the weight of each.

    What is learned from these is the same for samples in another order, and for a sample that is repeated as for one
    that has the weight of its copies. The order is that of one number for each sample, its coordinate along a direction
    that is always the same: rounding errors move that by little, so that either precision has the same order.

    Parameters
    ----------
    samples : array, shape (n_samples, ...)
    sample_weight : float array, shape (n_samples,)

    Returns
    -------
    rows : int array, shape (n_distinct,)
        None of weight 0.
    sample_weight : float array, shape (n_distinct,)
    """
    counted = np.flatnonzero(sample_weight > 0)
    flat = samples.reshape(len(samples), -1)
    if samples.dtype.kind == "f" and np.isnan(flat).any():  # signals of unequal lengths: their end counts as a value
        flat = np.nan_to_num(flat, nan=END_OF_SIGNAL)
    direction = np.random.RandomState(0).standard_normal(flat.shape[1])
    numbers = np.empty(len(counted))
    for start in range(0, len(counted), SAMPLES_PER_PRODUCT):
        some = slice(start, start + SAMPLES_PER_PRODUCT)
        # Row by row, and not by BLAS, which adds up in another order where a row is one of the last.
        numbers[some] = (flat[counted[some]] * direction).sum(axis=1)
    _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    return counted[first], np.bincount(place, sample_weight[counted])


def refuse_unknown_labels(labels: Array, classes: Array) -> None:
    """A label that was not trained on cannot be scored: it is more often a mistake than a miss."""
    known = set(classes.tolist())
    unknown = [label for label in labels.tolist() if label not in known]
    if unknown:
        raise InputError(
            "{labels} has the label {label!r}, which is not among the training classes {classes}; remove those "
            "samples, or fit on samples of that class.",
            labels=Data("y"),
            label=unknown[0],
            classes=classes.tolist(),
        )


def read_bare_samples(Z: Any, invariance: str | None, sample_shape: tuple[int, ...] | None) -> Array:
    """Samples without an estimator; shape (n_samples, n_channels, *grid)."""
    Z = check_array(Z, dtype=PRECISIONS, allow_nd=True, input_name="Z")
    return Z.reshape(len(Z), *sample_shape_of(Z.shape, invariance, sample_shape, "Z"))
