"""One representative for all shifts of a sample, quickly; the twin of :mod:`redunet.numerics.orbit`."""

import numpy as np

from ..numerics import orbit
from ..numerics.arrays import Array


def representative(samples: Array) -> Array:
    """The shift of each sample that comes first, as :func:`redunet.numerics.orbit.representative` gives it.

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
    """Samples shifted so that a position of each comes to the front; see :func:`redunet.numerics.orbit.started_at`."""
    if samples.ndim > 4 or samples.dtype not in (np.float32, np.float64):
        return orbit.started_at(samples, origin)
    from .kernels import shift_to_front

    n_samples, n_channels, *grid = samples.shape
    values = np.ascontiguousarray(samples).reshape(n_samples, n_channels, -1)
    shifted = np.empty_like(values)
    shift_to_front(values, grid[0] if len(grid) == 2 else 1, grid[-1], origin, shifted)
    return shifted.reshape(samples.shape)


def first_positions(samples: Array) -> Array:
    """Flat position where the representative of each sample (n_channels, *grid) starts; shape (n_samples,)."""
    if samples.ndim > 4 or samples.dtype not in (np.float32, np.float64):
        return orbit.first_positions(samples)
    from .kernels import first_positions as kernel

    n_samples, n_channels, *grid = samples.shape
    origin = np.empty(n_samples, dtype=np.int64)
    values = np.ascontiguousarray(samples).reshape(n_samples, n_channels, -1)
    kernel(values, grid[0] if len(grid) == 2 else 1, grid[-1], origin)
    return origin
