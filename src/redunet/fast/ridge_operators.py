"""The operators of a layer from its moments, on all cores.

The readable twin is :func:`redunet.numerics.operators.ridge_operator`.
"""

import numpy as np

from ..numerics.arrays import Array
from .threads import run_parts

# Up to this many channels matrices are inverted by a compiled loop, many to a call; beyond by LAPACK, one at a time.
SMALL_MATRIX_CHANNELS = 64
# Work, in channels³ of a matrix, that is worth the time it takes to hand it to another core.
WORK_WORTH_SHARING = 2**17


def ridge_operators(M: Array, alpha: Array, kind: np.dtype) -> tuple[Array, Array]:
    """α (I + α M(p))⁻¹ of each moment, and the log-determinant that belongs to it.

    Parameters
    ----------
    M : float64 or complex128 array, shape (n, n_freqs, n_channels, n_channels)
        Second moments.
    alpha : float array, shape (n,)
    kind : dtype
        Of the operators, which are computed in double precision.

    Returns
    -------
    operators : array of the shape of M
    logdet : float array, shape (n, n_freqs)
        log det (I + α M(p)).
    """
    operators, logdet = np.empty(M.shape, dtype=kind), np.empty(M.shape[:2])
    fill_ridge_operators(M, alpha, operators, logdet)
    return operators, logdet


def ridge_logdets(M: Array, alpha: Array) -> Array:
    """Log det (I + α M(p)) of each moment, to the same bits as :func:`ridge_operators`; shape (n, n_freqs)."""
    logdet = np.empty(M.shape[:2])
    fill_ridge_operators(M, alpha, None, logdet)
    return logdet


def fill_ridge_operators(M: Array, alpha: Array, operators: Array | None, logdet: Array) -> None:
    """Write the log-determinants into an array that is there, and the operators where they are wanted."""
    n_freqs, C = M.shape[1:3]
    solve = _solve_small if C <= SMALL_MATRIX_CHANNELS else _solve_large
    inverses = None if operators is None else operators.reshape(-1, C, C)
    solve(M.reshape(-1, C, C), np.repeat(alpha, n_freqs), inverses, logdet.reshape(-1))


def _solve_small(M: Array, alpha: Array, operators: Array | None, logdet: Array) -> None:
    from .kernels import ridge_operators as kernel

    if operators is None:
        paired = np.empty((0, 1, 1), dtype=np.complex128)
    else:
        paired = operators if np.iscomplexobj(operators) else np.empty(operators.shape, dtype=np.complex128)

    def work(part: tuple[int, int]) -> None:
        if not kernel(M, alpha, part[0], part[1], paired, logdet):
            raise np.linalg.LinAlgError("matrix is not positive definite")

    share = max(1, WORK_WORTH_SHARING // M.shape[-1] ** 3)
    run_parts(work, [(first, min(first + share, len(M))) for first in range(0, len(M), share)])
    if operators is not None and paired is not operators:
        operators[:] = paired.real


def _solve_large(M: Array, alpha: Array, operators: Array | None, logdet: Array) -> None:
    from .kernels import mirror_upper
    from .lapack import factorise_in_place, invert_factorised

    def work(b: int) -> None:
        A = alpha[b] * M[b]
        np.fill_diagonal(A, A.diagonal() + 1.0)
        logdet[b] = factorise_in_place(A)
        if operators is not None:
            invert_factorised(A)
            mirror_upper(A, alpha[b], operators[b])

    run_parts(work, range(len(M)))
