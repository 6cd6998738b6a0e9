"""Circular shifts of samples: all of them, one at a time or as one array, and one at random for each sample.

Signals are shifted along their last axis, images along their last two, volumes along their last three; ``n_axes`` says
along how many.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..inputs.parameters import check_whole
from ..numerics.arrays import Array


def each_shift(samples: Array, n_axes: int, stride: int = 1) -> Iterator[Array]:
    """Circular shifts of samples along their last axes, one after the other, so that memory holds one at a time.

    Parameters
    ----------
    samples : array, shape (..., *grid)
        With ``n_axes`` cyclic axes at the end.
    n_axes : int
    stride : int, default=1
        Shifts along an axis are 0, stride, 2 · stride, … below its length.

    Yields
    ------
    shifted : array of the shape of the samples
        ``numpy.roll(samples, offset, axis=axes)``; the offset along the last axis changes fastest.
    """
    axes = tuple(range(-n_axes, 0))
    for steps in np.ndindex(*_steps(samples, n_axes, stride)):
        yield np.roll(samples, [stride * n for n in steps], axis=axes)


def all_shifts(signals: Any, stride: int = 1, n_axes: int = 1) -> Array:
    """Circular shifts along the last axis, or along the last ``n_axes`` axes, as one array.

    Parameters
    ----------
    signals : array-like, shape (..., length), or (..., *grid) with ``n_axes`` cyclic axes
    stride : int, default=1
        Shifts are 0, stride, 2 · stride, … below the length.
    n_axes : int, default=1

    Returns
    -------
    shifted : array, shape (n_shifts, ..., length)
        ``shifted[s]`` is ``numpy.roll(signals, s * stride, axis=-1)``; for several axes the order is that of
        :func:`each_shift`.
    """
    signals = np.asarray(signals)
    if signals.ndim < n_axes:
        raise ValueError(f"signals must have at least {n_axes} axes, got shape {signals.shape}.")
    shifted = np.empty((int(np.prod(_steps(signals, n_axes, stride))), *signals.shape), dtype=signals.dtype)
    for i, one in enumerate(each_shift(signals, n_axes, stride)):
        shifted[i] = one
    return shifted


def translations(images: Any, stride: int = 1) -> Array:
    """Circular translations along the last two axes; 784 of an image of 28 × 28, and 16 with a stride of 7.

    Parameters
    ----------
    images : array-like, shape (..., height, width)
    stride : int, default=1
        Offsets are 0, stride, 2 · stride, … below the height and the width.

    Returns
    -------
    translated : array, shape (n_translations, ..., height, width)
        All offsets to the right before the next offset down: with n offsets to the right, ``translated[r * n + c]`` is
        ``numpy.roll(images, (r * stride, c * stride), axis=(-2, -1))``.
    """
    images = np.asarray(images)
    if images.ndim < 2:
        raise ValueError(f"images must have at least two axes, got shape {images.shape}.")
    return all_shifts(images, stride, n_axes=2)


def all_shifts_of_each(samples: Array, n_axes: int, stride: int = 1) -> Array:
    """All shifts of the first sample, then all of the second, …; shape (n_samples · n_shifts, *sample_shape)."""
    return all_shifts(samples, stride, n_axes).swapaxes(0, 1).reshape(-1, *samples.shape[1:])


def shifted_at_random(samples: Array, n_axes: int, seed: int | np.random.Generator) -> Array:
    """Each sample shifted circularly along its last axes, by a random offset of its own.

    Parameters
    ----------
    samples : array, shape (n_samples, ..., *grid)
        With ``n_axes`` cyclic axes at the end.
    n_axes : int
    seed : int or Generator

    Returns
    -------
    array of the shape of the samples
    """
    axes = tuple(range(-n_axes, 0))
    offsets = np.random.default_rng(seed).integers(0, samples.shape[-n_axes:], (len(samples), n_axes))
    return np.stack([np.roll(sample, offset, axis=axes) for sample, offset in zip(samples, offsets, strict=True)])


def _steps(samples: Array, n_axes: int, stride: int) -> tuple[int, ...]:
    """Number of shifts along each cyclic axis."""
    check_whole("stride", stride, 1)
    return tuple(-(-length // stride) for length in samples.shape[-n_axes:])
