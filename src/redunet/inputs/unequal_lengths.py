"""Signals of unequal lengths as one array: after the end of a signal, its row is filled with NaN."""

from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .errors import Data, InputError, Option

# What users can pass that holds signals one by one.
SEQUENCES = (list, tuple)


def has_unequal_lengths(X: Any) -> bool:
    """Whether X is a list of arrays (or an array of them) that do not all have the same shape."""
    if not isinstance(X, SEQUENCES) and not (isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 1):
        return False
    shapes = {np.shape(one) for one in X if not np.isscalar(one) and one is not None and not isinstance(one, SEQUENCES)}
    # Lists of numbers, which np.shape would have to read to the end, are looked at by their lengths first.
    shapes |= {_shape_of_list(one) for one in X if isinstance(one, SEQUENCES)}
    return len(shapes) > 1


def _shape_of_list(one: Any) -> tuple[int, ...]:
    try:
        return np.shape(one)
    except ValueError:  # a list of lists of different lengths, as channels of one signal may not be
        return (-1,)


def read_unequal_signals(X: Any, invariance: str | None) -> Array:
    """Signals (length,) or (n_channels, length), each of its own length, as an array with NaN after the end of each.

    Parameters
    ----------
    X : sequence of array-like
    invariance : None, "shift" or "translation"
        Only for shifts a length may be any.

    Returns
    -------
    float32 or float64 array, shape (n_samples, n_channels, longest)
    """
    if invariance != "shift":
        raise InputError(
            "{data} holds samples of different shapes; pass samples of one shape, or {shift} for signals of unequal "
            "lengths.",
            data=Data("X"),
            shift=Option("invariance", "shift"),
        )
    signals = [_one_signal(one, row) for row, one in enumerate(X)]
    n_channels = len(signals[0])
    for row, signal in enumerate(signals):
        if len(signal) != n_channels:
            raise InputError(
                "row {row} of {data} has {found} channels but row 0 has {expected}; pass the same channels for every "
                "signal.",
                row=row,
                data=Data("X"),
                found=len(signal),
                expected=n_channels,
            )
    longest = max(signal.shape[1] for signal in signals)
    kind = np.result_type(*{signal.dtype for signal in signals})
    filled = np.full((len(signals), n_channels, longest), np.nan, dtype=kind)
    for row, signal in enumerate(signals):
        filled[row, :, : signal.shape[1]] = signal
    return filled


def _one_signal(one: Any, row: int) -> Array:
    """A signal as an array (n_channels, length) of finite numbers."""
    try:
        signal = np.asarray(one)
        signal = signal.astype(np.float32 if signal.dtype == np.float32 else np.float64, copy=False)
    except (TypeError, ValueError):
        raise InputError(
            "row {row} of {data} holds no numbers; pass an array of shape (length,) or (n_channels, length).",
            row=row,
            data=Data("X"),
        ) from None
    if signal.ndim not in (1, 2) or not signal.size:
        raise InputError(
            "row {row} of {data} has shape {shape}; pass signals of shape (length,) or (n_channels, length), of at "
            "least one value.",
            row=row,
            data=Data("X"),
            shape=signal.shape,
        )
    if not np.isfinite(signal).all():
        raise InputError(
            "row {row} of {data} contains NaN or infinity; fill gaps first, such as with np.interp, or cut the signal "
            "where it ends.",
            row=row,
            data=Data("X"),
        )
    return signal[None] if signal.ndim == 1 else signal


def lengths_of(samples: Array) -> Array | None:
    """Length of each signal of an array (n_samples, n_channels, longest); None where all are as long as the array."""
    last = samples[:, 0, -1]
    if not np.isnan(last).any():
        return None
    return samples.shape[2] - np.isnan(samples[:, 0]).sum(axis=1)
