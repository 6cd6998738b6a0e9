"""Coding rates in nats: how much it takes to code all features, and the features of each class apart (eq. 1)."""

import numpy as np

from .arrays import Array


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
