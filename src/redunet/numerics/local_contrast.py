"""Local contrast: how much each value differs from its surroundings, in units of how much these vary.

What is dark in one sample and bright in another, or lit unevenly, has the same local contrast. The surroundings are a
Gaussian window around the circle, so that a shifted sample has the shifted contrast.
"""

import numpy as np

from .arrays import Array

# Where the Gaussian window ends, in units of its standard deviation.
WINDOW_END = 3.0
# What is added to the variation of the surroundings, as a share of that of the whole sample: where next to nothing
# varies, noise stays small. (See docs/findings.md.)
FLOOR_SHARE = 0.3
# Variation of samples whose largest value is 1 that is rounding, in units of the precision.
ROUNDING_UNITS = 16


def window_weights(width: float, length: int) -> Array:
    """Weights of a Gaussian window on a circle, their sum 1; float64 array, shape (2 r + 1,), displacements −r to r.

    Parameters
    ----------
    width : float
        Standard deviation, in positions.
    length : int
        Positions of the circle. A window that goes further around it has as many weights as positions, and one more
        for an even number of these, of which the first and the last are half of one.
    """
    end = int(np.ceil(WINDOW_END * width))
    displacements = np.arange(-end, end + 1)
    on_circle = np.zeros(length)
    np.add.at(on_circle, displacements % length, np.exp(-0.5 * np.square(displacements / width)))
    radius = min(end, length // 2)
    found = on_circle[np.arange(-radius, radius + 1) % length]
    if len(found) > length:
        found[[0, -1]] /= 2
    return np.asarray(found / found.sum())


def window_matrix(width: float, length: int) -> Array:
    """The window around each position of a circle; float64 array, shape (length, length), rows of sum 1."""
    weights = window_weights(width, length)
    radius = len(weights) // 2
    on_circle = np.zeros(length)
    np.add.at(on_circle, np.arange(-radius, radius + 1) % length, weights)
    return np.asarray(on_circle[(np.arange(length) - np.arange(length)[:, None]) % length])


def local_contrast(samples: Array, width: float) -> Array:
    """Values less the mean of their surroundings, over the root mean square of that around them.

    Parameters
    ----------
    samples : real array, shape (n_samples, n_channels, *grid)
        Whose largest magnitudes are 1 (or 0).
    width : float
        Standard deviation of the window along each axis, in positions.

    Returns
    -------
    array of the same shape and precision
        Zeros for a sample that does not vary. Channels have surroundings of their own, and one variation together.
    """
    differences = samples - surroundings(samples, width)
    squares = np.square(differences).mean(axis=1, keepdims=True)
    rms = np.sqrt(squares.mean(axis=tuple(range(1, samples.ndim)), keepdims=True))
    varies = rms > ROUNDING_UNITS * np.finfo(samples.dtype).eps
    spread = np.sqrt(np.maximum(surroundings(squares, width), 0)) + FLOOR_SHARE * rms
    return np.asarray(np.where(varies, differences / np.where(varies, spread, 1), 0), dtype=samples.dtype)


def surroundings(samples: Array, width: float) -> Array:
    """Mean over the window around each position of samples (n_samples, n_channels, *grid)."""
    found = samples
    for axis in range(2, samples.ndim):
        matrix = window_matrix(width, samples.shape[axis]).astype(samples.dtype)
        found = np.moveaxis(np.moveaxis(found, axis, -1) @ matrix, -1, axis)
    return found
