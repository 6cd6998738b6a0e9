"""One layer: a step of gradient ascent on the rate reduction, projected back onto the sphere."""

import numpy as np

from .arrays import Array
from .spectrum import normalise


def pull(P: Array, gamma: Array, membership: Array) -> Array:
    """What the classes take from each sample, Σ_j γ_j π_j C_j v (eqs. 6, 11).

    With the true memberships E v less the pull is the gradient of the rate reduction at the samples V.

    Parameters
    ----------
    P : array, shape (n_classes, n_freqs, n_channels, n_samples)
        Compressed samples C_j V.
    gamma : float array, shape (n_classes,)
        Share of each class in the training samples.
    membership : float array, shape (n_samples, n_classes)

    Returns
    -------
    array, shape (n_freqs, n_channels, n_samples)
    """
    share = (gamma * membership).T.astype(P.real.dtype)
    return np.einsum("ji,jpci->pci", share, P)


def extrapolate(V: Array, V_before: Array, beta: float, weights: Array) -> Array:
    """Features carried on in the direction they came from, 𝒫(v + β (v − v_before)) (the Remark on acceleration).

    Parameters
    ----------
    V, V_before : array, shape (n_freqs, n_channels, n_samples)
        Features after the last layer and before it.
    beta : float
        Momentum β.
    weights : float array, shape (n_freqs,)
        Parseval weights.
    """
    return normalise(V + V.real.dtype.type(beta) * (V - V_before), weights)


def layer_step(V: Array, direction: Array, eta: float, weights: Array) -> Array:
    """Features after one layer, 𝒫(v + η direction) (eq. 13; Algorithm 1, step 2).

    Parameters
    ----------
    V, direction : array, shape (n_freqs, n_channels, n_samples)
        Features before the layer, of unit norm, and where the layer moves them.
    eta : float
        Step size η.
    weights : float array, shape (n_freqs,)
        Parseval weights.

    Returns
    -------
    array of the shape and precision of V, each sample of unit norm
    """
    return normalise(V + V.real.dtype.type(eta) * direction, weights)
