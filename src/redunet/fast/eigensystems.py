"""Eigenvectors of many Hermitian matrices, on all cores."""

import numpy as np
import scipy.linalg

from ..numerics.arrays import Array
from .threads import run_parts

# Work, in channels³ of a matrix, that is worth the time it takes to hand it to another core.
WORK_WORTH_SHARING = 2**20
# A matrix of few directions is worth the way through a smaller one up to this share of its dimension.
FEW_DIRECTIONS_SHARE = 0.4


def gives_all_directions(n: int, most_directions: int | None) -> bool:
    """Whether :func:`eigensystems` gives n eigenvectors, and not zeros in the place of those of eigenvalue 0."""
    return most_directions is None or most_directions > FEW_DIRECTIONS_SHARE * n


def eigensystems(M: Array, most_directions: int | None = None) -> tuple[Array, Array]:
    """Eigenvalues, ascending, and eigenvectors of positive semidefinite matrices, as ``numpy.linalg.eigh`` gives them.

    Parameters
    ----------
    M : float64 or complex128 array, shape (..., n, n)
    most_directions : int, optional
        Rank that none of the matrices exceeds, such as the number of samples of a class. A small one is used: the
        matrix is brought to a basis of its range first, and eigenvectors of eigenvalue 0 are given as zeros.

    Returns
    -------
    eigenvalues : float array, shape (..., n)
    vectors : array of the shape of M
    """
    *batch, n, _ = M.shape
    stack = M.reshape(-1, n, n)
    # Any directions will do that are not orthogonal to the range; these are always the same.
    probe = None
    if most_directions is not None and not gives_all_directions(n, most_directions):
        probe = np.random.RandomState(0).standard_normal((n, most_directions))
    # Memory of np.zeros is first touched by whoever writes there, on all cores.
    values, vectors = np.zeros(stack.shape[:2]), np.zeros(stack.shape, stack.dtype)

    def work(part: slice) -> None:
        if probe is None:
            values[part], vectors[part] = np.linalg.eigh(stack[part])
            return
        basis = np.linalg.qr(stack[part] @ (stack[part] @ probe))[0]
        inner = basis.conj().swapaxes(1, 2) @ stack[part] @ basis
        q = probe.shape[1]
        values[part, n - q :], turned = np.linalg.eigh((inner + inner.conj().swapaxes(1, 2)) / 2)
        vectors[part, :, n - q :] = basis @ turned

    share = max(1, WORK_WORTH_SHARING // n**3)
    run_parts(work, [slice(first, first + share) for first in range(0, len(stack), share)])
    return values.reshape(*batch, n), vectors.reshape(M.shape)


def large_eigensystem(matrix: Array) -> tuple[Array, Array]:
    """Eigenvalues, ascending, and eigenvectors of one symmetric matrix, by what is quickest for a large one.

    (For a matrix of one number older versions of SciPy ask LAPACK's way of halving for too little memory.)
    """
    values, vectors = scipy.linalg.eigh(matrix, check_finite=False, driver="evd" if len(matrix) > 1 else "evr")
    return values, vectors
