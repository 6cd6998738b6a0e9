"""The operators of a layer from its moments, on all cores.

The readable twin is :func:`redunet.numerics.operators.ridge_operator`.
"""

import numpy as np

from ..numerics.arrays import Array
from ..threads import run_parts

# Up to here matrices are inverted by a compiled loop, many to a call; beyond by LAPACK, one at a time.
SMALL_MATRIX = 64
# Work, in channels³ of a matrix, that is worth the time it takes to hand it to another core.
WORTH_SHARING = 2**17


def ridge_operators(M: Array, alpha: Array) -> tuple[Array, Array]:
    """α_j (I + α_j M_j(p))⁻¹ and log det (I + α_j M_j(p)).

    Parameters
    ----------
    M : float64 or complex128 array, shape (n, n_freqs, n_channels, n_channels)
        Second moments.
    alpha : float array, shape (n,)

    Returns
    -------
    operators : array of the shape of M
    logdet : float array, shape (n, n_freqs)
    """
    n, n_freqs, C, _ = M.shape
    flat, alphas = M.reshape(n * n_freqs, C, C), np.repeat(np.asarray(alpha, dtype=float), n_freqs)
    operators, logdet = _small(flat, alphas) if C <= SMALL_MATRIX else _large(flat, alphas)
    return operators.reshape(M.shape), logdet.reshape(n, n_freqs)


def _small(M: Array, alpha: Array) -> tuple[Array, Array]:
    from ..numerics import kernels

    paired = np.asarray(M, dtype=np.complex128)
    operators, logdet = np.empty_like(paired), np.empty(len(M))

    def work(part: tuple[int, int]) -> None:
        if not kernels.ridge_operators(paired, alpha, *part, operators, logdet):
            raise np.linalg.LinAlgError("matrix is not positive definite")

    share = max(1, WORTH_SHARING // M.shape[-1] ** 3)
    run_parts(work, [(first, min(first + share, len(M))) for first in range(0, len(M), share)])
    return (operators if np.iscomplexobj(M) else operators.real), logdet


def _large(M: Array, alpha: Array) -> tuple[Array, Array]:
    from ..numerics.lapack import invert_in_place

    operators, logdet = np.empty_like(M), np.empty(len(M))

    def work(b: int) -> None:
        np.multiply(M[b], alpha[b], out=operators[b])
        np.fill_diagonal(operators[b], operators[b].diagonal() + 1.0)
        logdet[b] = invert_in_place(operators[b])
        operators[b] *= alpha[b]

    run_parts(work, range(len(M)))
    return operators, logdet
