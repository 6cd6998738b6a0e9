"""Coding rates in nats: how much it takes to code all features, and the features of each class apart (eq. 1)."""

import numpy as np

from .arrays import Array
from .moments import moment


def coding_rate(logdet: Array, weights: Array) -> float:
    """Coding rate R of all features, ½ Σ_p w_p log det(I + α M(p)).

    Parameters
    ----------
    logdet : float array, shape (n_freqs,)
        log det (I + α M(p)).
    weights : float array, shape (n_freqs,)
        Share of each frequency in the mean over the full spectrum: its multiplicity over the grid's size.
    """
    return 0.5 * float(logdet @ weights)


def class_coding_rate(logdet: Array, gamma: Array, weights: Array) -> float:
    """Coding rate R_c of the classes apart, Σ_j γ_j ½ Σ_p w_p log det(I + α_j M_j(p)).

    Parameters
    ----------
    logdet : float array, shape (n_classes, n_freqs)
        log det (I + α_j M_j(p)).
    gamma : float array, shape (n_classes,)
        Share of each class in the samples.
    weights : float array, shape (n_freqs,)
    """
    return 0.5 * float(np.dot(gamma, logdet @ weights))


def coding_logdet(V: Array, sample_weight: Array, alpha: float) -> Array:
    """Logarithm of det(I + α M(p)) of samples, from whichever is smaller: their moment, or their inner products.

    Both have the same determinant, so many features of few samples need no square matrix of features.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
    sample_weight : float array, shape (n_samples,)
    alpha : float

    Returns
    -------
    float array, shape (n_freqs,)
    """
    _, C, m = V.shape
    if m < C:
        weighted = V * np.sqrt(sample_weight)
        gram = weighted.conj().swapaxes(1, 2) @ weighted
    else:
        gram = moment(V, sample_weight)
    _, logdet = np.linalg.slogdet(np.eye(gram.shape[-1]) + alpha * gram)
    return logdet
