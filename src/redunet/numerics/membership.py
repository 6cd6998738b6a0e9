"""Which class a sample belongs to: what a layer guesses from its own operators."""

import numpy as np
import scipy.special

from .arrays import Array
from .spectrum import half_spectrum, samples_of, squared_norms


def soft_membership(residual: Array, lam: float) -> Array:
    """Soft assignment to the classes, π̂_j = softmax_j(−λ · residual_j) (the formula before eq. 12).

    Parameters
    ----------
    residual : float array, shape (n_classes, n_samples)
        How much of each sample class j does not explain, ‖C_j v‖ in some unit.
    lam : float
        Sharpness λ.

    Returns
    -------
    membership : float array, shape (n_samples, n_classes)
        Not negative, rows sum to 1.
    """
    further = np.asarray(residual, dtype=np.float64)
    further = further - further.min(axis=0)  # so that the nearest class stays finite, however large λ is
    with np.errstate(over="ignore"):
        membership: Array = scipy.special.softmax(-lam * further, axis=0).T
    return membership


def residual_norms(P: Array, unit: Array, weights: Array) -> Array:
    """Norm of what the compression of each class leaves of each sample, ‖C_j v‖ / unit_j (the formula before eq. 12).

    Parameters
    ----------
    P : array, shape (n_classes, n_freqs, n_channels, n_samples)
        Compressed samples C_j V.
    unit : float array, shape (n_classes,)
    weights : float array, shape (n_freqs,)
        Parseval weights.

    Returns
    -------
    float64 array, shape (n_classes, n_samples)
    """
    return np.sqrt(squared_norms(P, weights)) / unit[:, None]


def code_length(V: Array, P: Array, unit: Array, offset: Array, weights: Array) -> Array:
    """Length of the code of each sample with the code book of each class, per coefficient.

    It is v* C_j v / unit_j + offset_j, with the offset that comes from log det(I + α_j M_j): minus the logarithm of a
    Gaussian density with the second moment of the class, up to a constant and a factor. Without its log-determinant the
    class whose moment is largest would always win.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
    P : array, shape (n_classes, n_freqs, n_channels, n_samples)
        Compressed samples C_j V.
    unit, offset : float array, shape (n_classes,)
    weights : float array, shape (n_freqs,)
        Parseval weights.

    Returns
    -------
    float64 array, shape (n_classes, n_samples)
    """
    V, P = V.astype(np.result_type(V.dtype, np.float64)), P.astype(np.result_type(P.dtype, np.float64))
    leverage = np.einsum("pci,jpci->jpi", V.conj(), P).real
    return np.einsum("p,jpi->ji", weights, leverage) / unit[:, None] + offset[:, None]


def rectified_residual(V: Array, P: Array, alpha_j: Array, grid: tuple[int, ...]) -> Array:
    """What no class explains, by rectified linear units, v − Σ_j ReLU(P_j v) (the Remark on a ReLU network).

    P_j = I − C_j / α_j is the (soft) projection onto class j. Linear units act on the sample itself, not on its
    spectrum, and therefore in the same way at each position: a shifted sample has the shifted residual.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
    P : array, shape (n_classes, n_freqs, n_channels, n_samples)
        Compressed samples C_j V.
    alpha_j : float array, shape (n_classes,)
    grid : tuple of int
        Lengths of the cyclic axes; empty for plain vectors.

    Returns
    -------
    array of the shape of V
    """
    explained = np.zeros_like(V)
    for P_j, alpha in zip(P, alpha_j, strict=True):
        projection = samples_of(V - P_j / alpha_j.dtype.type(alpha), grid)
        explained += half_spectrum(np.maximum(projection, 0).astype(V.real.dtype, copy=False))
    return V - explained
