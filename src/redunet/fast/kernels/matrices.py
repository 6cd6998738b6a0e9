"""Between Hermitian matrices and their real form on rows; halves of them filled in."""

import numpy as np

from .compilation import compiled


@compiled
def _embed(operator, scale, identity, A, p, j):
    """Write identity · I + scale · operator (C, C) as a real matrix on rows, A[p, j]."""
    C, K = len(operator), A.shape[2]
    paired = K >= 2 * C
    for c in range(C):
        for d in range(C):
            value = operator[c, d]
            A[p, j, c, d] = scale * value.real
            if paired:
                A[p, j, C + c, C + d] = scale * value.real
                A[p, j, C + c, d] = scale * value.imag
                A[p, j, c, C + d] = -scale * value.imag
        A[p, j, c, c] += identity
        if paired:
            A[p, j, C + c, C + c] += identity


@compiled
def embed(compression, expansion, step_size, A, first, last):
    """The compressions and I + η E as real matrices on rows, for frequencies first ≤ p < last.

    compression : array, shape (n_classes, n_freqs, C, C); expansion : (n_freqs, C, C)
    A : real array, shape (n_freqs, n_classes + 1, K, K), zero in rows that only pad.
    """
    n_classes = len(compression)
    for p in range(first, last):
        for j in range(n_classes):
            _embed(compression[j, p], A.dtype.type(1), A.dtype.type(0), A, p, j)
        _embed(expansion[p], step_size, A.dtype.type(1), A, p, n_classes)


@compiled
def hermitian(halves, M):
    """Complex moment M (n_freqs, C, C) from the lower halves of its real and imaginary part, (2, n_freqs, C, C)."""
    F, C, _ = M.shape
    for p in range(F):
        for c in range(C):
            for d in range(c):
                M[p, c, d] = complex(halves[0, p, c, d], halves[1, p, c, d])
                M[p, d, c] = complex(halves[0, p, c, d], -halves[1, p, c, d])
            M[p, c, c] = halves[0, p, c, c]


@compiled
def mirror_upper(lower, scale, full):
    """Full = scale · the Hermitian matrix of which the lower half is given; both (n, n)."""
    n = len(lower)
    for c in range(n):
        for d in range(c + 1):
            full[c, d] = scale * lower[c, d]
            full[d, c] = np.conj(scale * lower[c, d])
