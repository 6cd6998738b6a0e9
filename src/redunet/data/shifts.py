"""Every circular shift and translation of a sample, written out: for tests of invariance and for pictures."""

from typing import Any

import numpy as np

from ..inputs.parameters import check_whole
from ..numerics.arrays import Array


def all_shifts(signals: Any, stride: int = 1) -> Array:
    """Circular shifts along the last axis.

    Parameters
    ----------
    signals : array-like, shape (..., length)
    stride : int, default=1
        Shifts are 0, stride, 2 · stride, … below the length.

    Returns
    -------
    shifted : array, shape (n_shifts, ..., length)
        ``shifted[s]`` is ``numpy.roll(signals, s * stride, axis=-1)``.
    """
    signals = np.asarray(signals)
    if signals.ndim < 1:
        raise ValueError("signals must have at least one axis, got a number.")
    return np.moveaxis(signals[..., _sources(signals.shape[-1], stride)], -2, 0)


def translations(images: Any, stride: int = 1) -> Array:
    """Circular translations along the last two axes; 784 of an image of 28 × 28, and 16 with a stride of 7.

    Parameters
    ----------
    images : array-like, shape (..., height, width)
    stride : int, default=1
        Moves are 0, stride, 2 · stride, … below the height and the width.

    Returns
    -------
    moved : array, shape (n_moves, ..., height, width)
        All moves to the right before the next move down: with n columns of moves, ``moved[r * n + c]`` is
        ``numpy.roll(images, (r * stride, c * stride), axis=(-2, -1))``.
    """
    images = np.asarray(images)
    if images.ndim < 2:
        raise ValueError(f"images must have at least two axes, got shape {images.shape}.")
    rows, columns = (_sources(length, stride) for length in images.shape[-2:])
    moved = images[..., rows[:, None, :, None], columns[None, :, None, :]]
    moved = np.moveaxis(moved, (-4, -3), (0, 1))
    return moved.reshape(-1, *images.shape)


def _sources(length: int, stride: int) -> Array:
    """Where each position of each shift comes from; shape (n_shifts, length)."""
    check_whole("stride", stride, 1)
    return (np.arange(length) - np.arange(0, length, stride)[:, None]) % max(length, 1)
