"""How alike two features are once one of them is shifted so that they match best."""

import math

import numpy as np
import scipy.fft

from .arrays import Array


def aligned_products(V: Array, W: Array, grid: tuple[int, ...], scale: float) -> Array:
    """Largest inner product of each of some features with each of others, over all circular shifts of one of them.

    The inner products with all shifts are the circular correlation Σ_c Σ_x v_c(x) w_c(x + t), whose spectrum is
    Σ_c v_c(p) conj(w_c(p)). For plain vectors, which nothing shifts, it is the inner product.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_rows)
        Half spectra of features.
    W : array, shape (n_freqs, n_channels, n_columns)
    grid : tuple of int
        Lengths of the cyclic axes; empty for plain vectors.
    scale : float
        What |v(0)|² counts in the squared norm of a feature (Parseval).

    Returns
    -------
    products : real array, shape (n_rows, n_columns)
        In [−1, 1] for features of unit norm; the same, up to rounding, whichever of the features are shifted.
    """
    cross = V.swapaxes(1, 2) @ W.conj()
    if not grid:
        return np.asarray(cross[0].real * scale)
    spectrum = cross.reshape(*grid[:-1], grid[-1] // 2 + 1, *cross.shape[1:])
    axes = tuple(range(len(grid)))
    correlation = scipy.fft.irfftn(spectrum, s=grid, axes=axes, overwrite_x=True)
    return np.asarray(correlation.max(axis=axes) * (scale * math.prod(grid)))
