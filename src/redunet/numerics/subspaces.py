"""Subspaces of the classes at each frequency, and how much of a sample lies in them."""

import numpy as np

from .arrays import Array
from .spectrum import squared_norms


def principal_subspaces(M: Array, rank: int, negligible: float) -> Array:
    """Leading eigenvectors of second moments.

    Parameters
    ----------
    M : array, shape (n_classes, n_freqs, n_channels, n_channels)
    rank : int
        Dimension of each subspace, at most n_channels.
    negligible : float
        Directions with at most this share of the strongest one of their class are rounding errors and are left out.

    Returns
    -------
    U : array, shape (n_classes, n_freqs, n_channels, rank)
        Orthonormal columns, the strongest direction first; columns of zeros where a class has fewer directions.
    """
    eigenvalues, vectors = np.linalg.eigh(M)
    real = eigenvalues > negligible * eigenvalues.max(axis=(1, 2), keepdims=True)
    return np.ascontiguousarray((vectors * real[..., None, :])[..., : -rank - 1 : -1])


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


def energy_spectrum(M: Array, weights: Array) -> Array:
    """Share of the energy that subspaces of rank 1, 2, … hold, averaged over the classes.

    Parameters
    ----------
    M : array, shape (n_classes, n_freqs, n_channels, n_channels)
    weights : float array, shape (n_freqs,)

    Returns
    -------
    float array, shape (n_channels,)
        Growing, the last entry is 1.
    """
    eigenvalues = np.clip(np.linalg.eigvalsh(M)[..., ::-1], 0.0, None)
    energy = np.einsum("p,jpr->jr", weights, eigenvalues).cumsum(axis=1)
    return (energy / energy[:, -1:]).mean(axis=0)
