"""The operators of a layer from its moments, on all cores.

The readable twin is :func:`redunet.numerics.operators.ridge_operator`.
"""

import numpy as np

from ..numerics.arrays import Array
from .threads import run_parts

# Up to here matrices are inverted by a compiled loop, many to a call; beyond by LAPACK, one at a time.
SMALL_MATRIX = 64
# Work, in channels³ of a matrix, that is worth the time it takes to hand it to another core.
WORTH_SHARING = 2**17


def layer_operators(M_j: Array, alpha_j: Array, alpha: float, kind: np.dtype) -> tuple[Array, Array]:
    """The compressions C_j and the expansion E of a layer, and the log-determinants that belong to them.

    Parameters
    ----------
    M_j : float64 or complex128 array, shape (n_classes, n_freqs, n_channels, n_channels)
        Second moments of the classes.
    alpha_j : float array, shape (n_classes,)
    alpha : float
    kind : dtype
        Of the operators, which are computed in double precision.

    Returns
    -------
    operators : array, shape (n_classes + 1, n_freqs, n_channels, n_channels)
        α_j (I + α_j M_j(p))⁻¹ for each class, then α (I + α M(p))⁻¹ for M = Σ_j M_j.
    logdet : float array, shape (n_classes + 1, n_freqs)
        log det (I + α M(p)) of the same.
    """
    k, n_freqs, C, _ = M_j.shape
    operators, logdet = np.empty((k + 1, *M_j.shape[1:]), dtype=kind), np.empty((k + 1, n_freqs))
    invert = _invert_small if C <= SMALL_MATRIX else _invert_large
    for M, alphas, chosen in (
        (M_j, alpha_j, slice(k)),
        (M_j.sum(axis=0, keepdims=True), np.array([alpha]), slice(k, k + 1)),
    ):
        invert(
            M.reshape(-1, C, C),
            np.repeat(alphas, n_freqs),
            operators[chosen].reshape(-1, C, C),
            logdet[chosen].reshape(-1),
        )
    return operators, logdet


def _invert_small(M: Array, alpha: Array, operators: Array, logdet: Array) -> None:
    from .kernels import ridge_operators

    paired = operators if np.iscomplexobj(operators) else np.empty(operators.shape, dtype=np.complex128)

    def work(part: tuple[int, int]) -> None:
        if not ridge_operators(M, alpha, part[0], part[1], paired, logdet):
            raise np.linalg.LinAlgError("matrix is not positive definite")

    share = max(1, WORTH_SHARING // M.shape[-1] ** 3)
    run_parts(work, [(first, min(first + share, len(M))) for first in range(0, len(M), share)])
    if paired is not operators:
        operators[:] = paired.real


def _invert_large(M: Array, alpha: Array, operators: Array, logdet: Array) -> None:
    from .kernels import mirror_upper
    from .lapack import invert_in_place

    def work(b: int) -> None:
        A = alpha[b] * M[b]
        np.fill_diagonal(A, A.diagonal() + 1.0)
        logdet[b] = invert_in_place(A)
        mirror_upper(A, alpha[b], operators[b])

    run_parts(work, range(len(M)))
