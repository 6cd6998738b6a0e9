"""A layer as a linear map, which it is for samples whose class is known, and what it does to class moments."""

import numpy as np

from .arrays import Array


def layer_of_class(E: Array, C: Array, gamma: Array, eta: float) -> Array:
    """What a layer is to samples of each class before they return to the sphere, T_j = I + η (E − γ_j C_j) (eq. 13).

    Parameters
    ----------
    E : array, shape (n_freqs, n_channels, n_channels)
    C : array, shape (n_classes, n_freqs, n_channels, n_channels)
    gamma : float array, shape (n_classes,)
        Share of each class in the samples.
    eta : float

    Returns
    -------
    array in double precision, shape (n_classes, n_freqs, n_channels, n_channels)
    """
    precise = np.result_type(E.dtype, np.float64)
    direction = E.astype(precise) - gamma[:, None, None, None] * C.astype(precise)
    return np.eye(E.shape[-1]) + eta * direction


def carried(M: Array, maps: Array) -> Array:
    """Second moments of samples after a linear map for each class, A_j M_j A_j*; Hermitian to the last bit.

    Parameters
    ----------
    M, maps : array, shape (n_classes, n_freqs, n_channels, n_channels)
    """
    product = maps @ M @ maps.conj().swapaxes(-1, -2)
    return np.asarray((product + product.conj().swapaxes(-1, -2)) / 2)


def brought_to_sphere(maps: Array, M: Array, class_weight: Array, weights: Array) -> tuple[Array, Array]:
    """Maps and moments of features scaled class by class, so that their mean square norm is 1 in each class.

    Parameters
    ----------
    maps, M : array, shape (n_classes, n_freqs, n_channels, n_channels)
        Maps of the samples of each class, and the moments of what they give.
    class_weight : float array, shape (n_classes,)
        Number, or total weight, of the samples of each class.
    weights : float array, shape (n_freqs,)
        Parseval weights.

    Returns
    -------
    maps, M : arrays of the same shapes
    """
    energy = np.einsum("p,jpcc->j", weights, M).real
    scale = (class_weight / energy)[:, None, None, None]
    return np.sqrt(scale) * maps, scale * M
