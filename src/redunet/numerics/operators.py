"""The two linear operators of a layer, in closed form from the moments."""

import numpy as np

from .arrays import Array


def coding_alpha(dimension: float, n_samples: float | Array, eps: float) -> float | Array:
    """How finely the moment is coded, α = dimension / (n_samples ε²) (below eq. 1).

    Parameters
    ----------
    dimension : float
        Number of channels; of features for plain vectors.
    n_samples : float or float array
        Number (or total weight) of samples.
    eps : float
        Distortion ε.
    """
    return dimension / (n_samples * eps**2)


def hermitian_inverse(A: Array) -> tuple[Array, Array]:
    """Inverse and log-determinant of Hermitian positive definite matrices, by one Cholesky factorisation.

    Parameters
    ----------
    A : array, shape (..., n, n)

    Returns
    -------
    inverse : array, shape (..., n, n)
        Hermitian to the last bit.
    logdet : float array, shape (...)
    """
    L = np.linalg.cholesky(A)
    L_inverse = np.linalg.inv(L)
    inverse = L_inverse.conj().swapaxes(-1, -2) @ L_inverse
    diagonal = np.diagonal(L, axis1=-2, axis2=-1).real
    return (inverse + inverse.conj().swapaxes(-1, -2)) / 2, 2 * np.log(diagonal).sum(axis=-1)


def ridge_operator(M: Array, alpha: float | Array) -> tuple[Array, Array]:
    """Residual operator of ridge regression on the samples, with the log-determinant that belongs to it (eqs. 4, 5).

    It is the expansion E for the moment of all samples and the compression C_j for the moment of class j: directions
    in which the samples vary are shrunk, the others are kept (times α).

    Parameters
    ----------
    M : array, shape (..., n_freqs, n_channels, n_channels)
        Second moments.
    alpha : float, or float array of shape (...)

    Returns
    -------
    operator : array of the shape of M
        α (I + α M)⁻¹; Hermitian, eigenvalues in (0, α].
    logdet : float array, shape (..., n_freqs)
        log det (I + α M), the coding length at each frequency times two.
    """
    alpha = np.asarray(alpha, dtype=float)[..., None, None, None]
    inverse, logdet = hermitian_inverse(np.eye(M.shape[-1]) + alpha * M)
    return alpha * inverse, logdet
