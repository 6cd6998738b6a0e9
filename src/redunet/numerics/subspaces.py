"""Subspaces of the classes at each frequency, and how much of a sample lies in them."""

import numpy as np

from .arrays import Array
from .spectrum import squared_norms


def principal_subspaces(eigenvalues: Array, vectors: Array, rank: int, negligible: float) -> Array:
    """Leading eigenvectors of second moments.

    Parameters
    ----------
    eigenvalues : float array, shape (n_classes, n_freqs, n_channels)
        Of the second moments, ascending.
    vectors : array, shape (n_classes, n_freqs, n_channels, n_channels)
        Their eigenvectors, as columns.
    rank : int
        Dimension of each subspace, at most n_channels.
    negligible : float
        Directions with at most this share of the strongest one of their class are rounding errors and are left out.

    Returns
    -------
    U : array, shape (n_classes, n_freqs, n_channels, rank)
        Orthonormal columns, the strongest direction first; columns of zeros where a class has fewer directions.
    """
    real = eigenvalues > negligible * eigenvalues.max(axis=(1, 2), keepdims=True)
    leading = slice(None, -rank - 1, -1)
    return np.ascontiguousarray(vectors[..., leading] * real[..., None, leading])


def energy_outside(U: Array, V: Array, weights: Array) -> Array:
    """Energy of each sample outside of each class subspace, Σ_p w_p ‖v(p) − U_j(p) U_j(p)* v(p)‖².

    A circular shift changes the phase of v(p) only, so the energy is the same for every shift of a sample.

    Parameters
    ----------
    U : array, shape (n_classes, n_freqs, n_channels, rank)
    V : array, shape (n_freqs, n_channels, n_samples)
    weights : float array, shape (n_freqs,)

    Returns
    -------
    float64 array, shape (n_samples, n_classes)
    """
    return np.stack([squared_norms(V - U_j @ (U_j.conj().swapaxes(-1, -2) @ V), weights) for U_j in U], axis=1)


def rounding_share(n_channels: int, dtype: np.dtype) -> float:
    """Share of the strongest direction below which a direction of a moment is a rounding error.

    Parameters
    ----------
    n_channels : int
    dtype : float32 or float64
        Of the features that the moment was summed over, in double precision.
    """
    return n_channels * max(float(np.finfo(np.float64).eps), 10 * float(np.finfo(dtype).eps) ** 2)
