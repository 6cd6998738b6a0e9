"""Local contrast of many samples on all cores; the twin of :mod:`redunet.numerics.local_contrast`."""

import numpy as np

from ..numerics import local_contrast as readable
from ..numerics.arrays import Array
from .threads import run_parts

# Values that a core works on at a time.
VALUES_PER_PART = 2**16


def local_contrast(samples: Array, width: float) -> Array:
    """Values less the mean of their surroundings, over how much these vary; see the twin.

    Parameters
    ----------
    samples : real array, shape (n_samples, n_channels, *grid)
        Whose largest magnitudes are 1 (or 0).
    width : float
        Standard deviation of the window along each axis, in positions.

    Returns
    -------
    array of the same shape and precision; a sample has the same bits whichever samples are beside it.
    """
    if samples.ndim > 4 or samples.dtype not in (np.float32, np.float64) or not samples.size:
        return readable.local_contrast(samples, width)
    from .kernels import contrast_of_samples

    n_samples, n_channels, *grid = samples.shape
    height, length = (grid[0] if len(grid) == 2 else 1), grid[-1]
    values = np.ascontiguousarray(samples).reshape(n_samples, n_channels, -1)
    found, kind = np.empty_like(values), values.dtype.type
    down, across = (readable.window_weights(width, n).astype(kind) for n in (height, length))
    limits = kind(readable.FLOOR_SHARE), kind(readable.ROUNDING_UNITS * np.finfo(kind).eps)

    def work(first: int) -> None:
        some = slice(first, first + size)
        contrast_of_samples(values[some], height, length, down, across, *limits, found[some])

    size = max(1, VALUES_PER_PART // values[0].size)
    run_parts(work, range(0, n_samples, size))
    return found.reshape(samples.shape)
