"""One representative for all circular shifts of a sample.

An invariant network gives every shift of a sample the same answer; floating-point arithmetic gives it to the last bit
only when every shift of a sample starts from the same numbers. So answers are computed from a representative.
"""

import numpy as np

from .arrays import Array


def representative(samples: Array) -> Array:
    """The shift of each sample that comes first: read in raster order, it starts with the largest values.

    Only compares and copies values, so all shifts of a sample have the same representative, bit for bit.

    Parameters
    ----------
    samples : real array, shape (n_samples, n_channels, *grid)

    Returns
    -------
    array of the same shape
    """
    if samples.ndim < 3 or not len(samples):
        return samples
    return started_at(samples, first_positions(samples))


def started_at(samples: Array, origin: Array) -> Array:
    """Samples shifted so that a position of each comes to the front.

    Parameters
    ----------
    samples : array, shape (n_samples, n_channels, *grid)
    origin : int array, shape (n_samples,)
        Flat position within the grid.

    Returns
    -------
    array of the shape of samples
    """
    return _shifted(samples, origin, 1)


def put_back(samples: Array, origin: Array) -> Array:
    """Samples shifted so that their front goes to a position of each: the inverse of :func:`started_at`."""
    return _shifted(samples, origin, -1)


def first_positions(samples: Array) -> Array:
    """Flat position where the representative of each sample (n_channels, *grid) starts; shape (n_samples,).

    All positions are candidates; they are compared at offset 0, 1, 2, … and only those with the largest value stay. Two
    that never differ start equal representatives, so that either will do.
    """
    m, C, *grid = samples.shape
    values = samples.reshape(m, C, -1)
    origin = np.zeros(m, dtype=np.intp)
    open_ = np.flatnonzero((values != values[:, :, :1]).any(axis=(1, 2)))  # a constant sample has nothing to choose
    candidates = np.ones((len(open_), values.shape[2]), dtype=bool)
    for offset in np.ndindex(*grid):
        for channel in range(C):
            if not len(open_):
                return origin
            ahead = np.roll(samples[open_, channel], [-o for o in offset], axis=tuple(range(1, 1 + len(grid))))
            ahead = np.where(candidates, ahead.reshape(len(open_), -1), -np.inf)
            candidates = ahead == ahead.max(axis=1, keepdims=True)
            settled = candidates.sum(axis=1) == 1
            origin[open_] = candidates.argmax(axis=1)
            open_, candidates = open_[~settled], candidates[~settled]
    return origin


def _shifted(samples: Array, origin: Array, direction: int) -> Array:
    """Samples that start at their origin (direction 1), or whose start goes there (direction −1)."""
    m, C, *grid = samples.shape
    # Index of each sample's values before the shift, axis by axis.
    flat = np.zeros((m, 1), dtype=np.intp)
    for start, length in zip(np.unravel_index(origin, grid), grid, strict=True):
        shifted = (direction * start[:, None] + np.arange(length)) % length
        flat = (flat[:, :, None] * length + shifted[:, None, :]).reshape(m, -1)
    values = samples.reshape(m, C, -1)
    return np.take_along_axis(values, flat[:, None, :], axis=2).reshape(samples.shape)
