"""Energies and code lengths of a sample in its own class, as if the class had never seen it; exact, in closed form."""

import numpy as np

from .arrays import Array


def energy_inside_without(
    eigenvalues: Array,
    energies: Array,
    sample_weight: Array,
    weights: Array,
    negligible: float,
    lost_share: float,
    rank: int,
) -> Array:
    """Energy of each sample of a class inside the class's leading subspaces, as they would be without that sample.

    Leaving a sample out takes s v v* from the second moment. In the eigenbasis of the moment that is a diagonal matrix
    less one of rank one, whose eigenvectors are known from its eigenvalues, the roots of a secular equation. This is
    the readable version; :func:`redunet.fast.kernels.energy_inside_without` solves that equation instead.

    Parameters
    ----------
    eigenvalues : float array, shape (n_freqs, n_channels)
        Of the second moment of the class with all its samples.
    energies : float array, shape (n_freqs, n_samples, n_channels)
        |u* v|², the energy of each sample along each eigenvector.
    sample_weight : float array, shape (n_samples,)
        s, how often each sample was counted in the moment.
    weights : float array, shape (n_freqs,)
        Parseval weights.
    negligible : float
        Directions whose eigenvalue is at most this are rounding errors, and are left out.
    lost_share : float
        Directions are left out, too, if the eigenvalue without the sample is at most this share of the geometric mean
        of their eigenvalue with it and the largest eigenvalue at their frequency.
    rank : int

    Returns
    -------
    float array, shape (rank, n_samples)
        Row r − 1: energy inside the subspaces of the r strongest directions.
    """
    _, n_samples, n_channels = energies.shape
    inside = np.zeros((rank, n_samples))
    for i in range(n_samples):
        a = np.sqrt(energies[:, i])
        moment = np.eye(n_channels) * eigenvalues[:, None, :] - sample_weight[i] * a[:, :, None] * a[:, None, :]
        values, vectors = np.linalg.eigh(moment)
        along = np.einsum("pcr,pc->pr", vectors, a) ** 2 * (
            values > np.maximum(negligible, lost_share * np.sqrt(np.clip(eigenvalues, 0, None) * eigenvalues[:, -1:]))
        )
        inside[:, i] = (weights @ along)[: -rank - 1 : -1].cumsum()
    return inside


def code_without(
    leverage: Array, sample_weight: Array, norm_weights: Array, rate_weights: Array
) -> tuple[Array, Array]:
    """Quadratic form and log-determinant of the code of a class for its own samples, each as if it had been left out.

    Taking s v v* from the moment divides C_j v by 1 − s v* C_j v and multiplies the determinant by the same number
    (Sherman and Morrison), at each frequency.

    Parameters
    ----------
    leverage : float array, shape (n_freqs, n_samples)
        v* C_j v of samples of class j.
    sample_weight : float array, shape (n_samples,)
    norm_weights, rate_weights : float array, shape (n_freqs,)

    Returns
    -------
    quadratic : float array, shape (n_samples,)
        Σ_p w_p v* C_j v without the sample.
    change : float array, shape (n_samples,)
        What is added to Σ_p w_p log det(I + α_j M_j).
    """
    rest = np.maximum(1 - sample_weight * leverage, np.finfo(np.float64).eps)
    return norm_weights @ (leverage / rest), rate_weights @ np.log(rest)
