"""Local contrast of many samples on all cores; the twin of :mod:`redunet.numerics.local_contrast`."""

from functools import lru_cache

import numpy as np

from ..numerics import local_contrast as readable
from ..numerics.arrays import Array
from .blas import single_threaded
from .sample_lanes import LANE_BYTES
from .threads import run_parts

# Values that a core works on at a time.
VALUES_PER_PART = 2**16
# Memory of samples side by side that stays near the processor, in bytes. Larger images are worked on by products of
# matrices, which have as many rows as a side has positions; those of the longest sides would take too much memory.
NEAR_MEMORY, LONGEST_SIDE = 3 * 2**20, 4096
# Arrays of the size of a channel that are held for the samples side by side, beside one for each channel.
ARRAYS_OF_A_CHANNEL = 7


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
    n_samples, n_channels, *grid = samples.shape
    height, length = (grid[0] if len(grid) == 2 else 1), grid[-1]
    values = np.ascontiguousarray(samples).reshape(n_samples, n_channels, height, length)
    found = np.empty_like(values)
    is_large = (n_channels + ARRAYS_OF_A_CHANNEL) * height * length * LANE_BYTES > NEAR_MEMORY
    way = _by_products if is_large and height > 1 and max(height, length) <= LONGEST_SIDE else _in_lanes
    way(values, width, found, max(1, VALUES_PER_PART // values[0].size))
    return found.reshape(samples.shape)


@lru_cache(maxsize=64)
def _window(width: float, length: int, dtype: np.dtype) -> Array:
    """Weights of a window, which are the same for every sample; not to be changed."""
    found = readable.window_weights(width, length).astype(dtype)
    found.flags.writeable = False
    return found


def _in_lanes(values: Array, width: float, found: Array, size: int) -> None:
    """Contrast of samples that lie side by side in vector registers."""
    from .kernels import contrast_of_samples

    n_samples, n_channels, height, length = values.shape
    kind = values.dtype.type
    down, across = (_window(width, n, values.dtype) for n in (height, length))
    limits = kind(readable.FLOOR_SHARE), kind(readable.ROUNDING_UNITS * np.finfo(kind).eps)
    flat, out = values.reshape(n_samples, n_channels, -1), found.reshape(n_samples, n_channels, -1)

    def work(first: int) -> None:
        some = slice(first, first + size)
        contrast_of_samples(flat[some], height, length, down, across, *limits, out[some])

    run_parts(work, range(0, n_samples, size))


def _by_products(values: Array, width: float, found: Array, size: int) -> None:
    """Contrast of large samples: each channel between a matrix for the columns and one for the rows."""
    kind = values.dtype.type
    down, across = (readable.window_matrix(width, n).astype(kind) for n in values.shape[2:])
    least = kind(readable.ROUNDING_UNITS * np.finfo(kind).eps)

    def work(first: int) -> None:
        some, out = values[first : first + size], found[first : first + size]
        np.subtract(some, down @ (some @ across), out=out)
        squares = np.einsum("nchw,nchw->nhw", out, out)
        squares /= kind(values.shape[1])
        rms = np.sqrt(squares.reshape(len(squares), -1).mean(axis=1))
        varies = rms > least
        spread = down @ (squares @ across)
        np.sqrt(np.maximum(spread, 0, out=spread), out=spread)
        spread += np.where(varies, kind(readable.FLOOR_SHARE) * rms, kind(1))[:, None, None]
        out /= spread[:, None]
        out[~varies] = 0

    with single_threaded():
        run_parts(work, range(0, len(values), size))
