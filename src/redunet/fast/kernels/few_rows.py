"""A layer on tiles of few rows, multiplied by the small kernel."""

import numpy as np

from .compilation import compiled
from .multiply import multiply, multiply_subtract
from .one_tile import inverse_roots, scale_tile, soft_shares


@compiled
def _add_moment(X, t, p, sample_weight, M, q, weighted):
    """Add the second moment of a tile at one frequency to M[q, :, p], its real and imaginary part; lower half only.

    M : float64 array, shape (n_parts, 2, n_freqs, C, C), or (n_parts, 1, …) for real numbers
    weighted : float32 or float64 array, shape (2, N), overwritten; products are summed in its precision.
    """
    C, N = M.shape[3], X.shape[3]
    zero = weighted.dtype.type(0)
    for c in range(C):
        for i in range(N):
            weighted[0, i] = sample_weight[t, i] * X[t, p, c, i]
        if M.shape[1] == 2:
            for i in range(N):
                weighted[1, i] = sample_weight[t, i] * X[t, p, C + c, i]
            for d in range(c + 1):
                real, imaginary = zero, zero
                for i in range(N):
                    real += weighted[0, i] * X[t, p, d, i] + weighted[1, i] * X[t, p, C + d, i]
                    imaginary += weighted[1, i] * X[t, p, d, i] - weighted[0, i] * X[t, p, C + d, i]
                M[q, 0, p, c, d] += real
                M[q, 1, p, c, d] += imaginary
        else:
            for d in range(c + 1):
                real = zero
                for i in range(N):
                    real += weighted[0, i] * X[t, p, d, i]
                M[q, 0, p, c, d] += real


@compiled
def moments_few_rows(X, starts, first, last, sample_weight, M):
    """Add the second moments of parts first ≤ q < last to M[q]; part q is tiles starts[q] to starts[q+1] − 1.

    Summed in double precision, in which the product of two numbers of single precision is exact: the moment of n
    samples then has n directions at most, and nothing beyond them that eigenvectors could be read off.
    """
    weighted = np.empty((2, X.shape[3]), dtype=np.float64)
    for q in range(first, last):
        for t in range(starts[q], starts[q + 1]):
            for p in range(X.shape[1]):
                _add_moment(X, t, p, sample_weight, M, q, weighted)


@compiled
def _add_inner_products(X, t, p, P, j, weight, norms):
    """norms[j] += weight · ⟨X[t, p], P[j, p]⟩, sample by sample."""
    K, N = X.shape[2], X.shape[3]
    for r in range(K):
        for i in range(N):
            norms[j, i] += weight * X[t, p, r, i] * P[j, p, r, i]


@compiled
def advance_few_rows(X, Y, layer, starts, first, last, sample_weight, M, scratch):
    """Carry parts first ≤ q < last of X through one layer into Y; add their new second moments to M[q].

    The moments are summed over a tile in the precision of X, then in double precision. It is one long loop, because a
    tile is to stay in the cache from the first product to the last sum.

    X, Y : real arrays, shape (n_tiles, n_freqs, K, N)
        They may be the same.
    layer : LayerOnFewRows
    starts : int array, shape (n_parts + 1,); part q is tiles starts[q] to starts[q+1] − 1.
    sample_weight : real array, shape (n_tiles, N), 0 where there is no sample.
    M : float64 array, shape (n_parts, 2, n_freqs, C, C)
        Real and imaginary part (the first alone for plain vectors); n_parts = 0 if no moment is wanted.
    scratch : real array of at least n_freqs (n_classes + 1) K N items, overwritten.
    """
    A, Q, weights = layer.operators, layer.projections, layer.weights
    squared = layer.squared
    n_classes = A.shape[1] - 1
    _, F, K, N = X.shape
    P = scratch[: F * (n_classes + 1) * K * N].reshape((n_classes + 1, F, K, N))
    norms = np.empty((n_classes, N), dtype=X.dtype)
    shares = np.empty((n_classes, N), dtype=X.dtype)
    unused = np.empty(N, dtype=X.dtype)
    weighted = np.empty((2, N), dtype=X.dtype)
    block, square = K * N, K * K
    by_compression = len(Q) == 0 and not squared
    q = first
    for t in range(starts[first], starts[last]):
        while t >= starts[q + 1]:
            q += 1
        norms[:] = 0
        for j in range(n_classes):
            for p in range(F):
                operator, at_X, at_P = (p * (n_classes + 1) + j) * square, (t * F + p) * block, (j * F + p) * block
                if by_compression:
                    multiply(
                        A, operator, X, at_X, P, at_P, weights[p], norms, j * N, shares, P, 0, 0, 0, K, N,
                    )  # fmt: skip
                    continue
                if len(Q):  # its product with the sample is not needed, so that the compression's may overwrite it
                    multiply(
                        Q, (p * n_classes + j) * square, X, at_X, P, at_P, weights[p], norms, j * N,
                        shares, P, 0, 0, 0, K, N,
                    )  # fmt: skip
                multiply(A, operator, X, at_X, P, at_P, weights[p], unused, 0, shares, P, 0, 0, 0, K, N)
                if squared:
                    _add_inner_products(X, t, p, P, j, weights[p], norms)
        soft_shares(norms, layer, shares)
        norms[0] = 0
        for p in range(F):
            operator = (p * (n_classes + 1) + n_classes) * square
            multiply_subtract(
                A, operator, X, (t * F + p) * block, P, (n_classes * F + p) * block, weights[p], norms, 0,
                shares, P, p * block, F * block, n_classes, K, N,
            )  # fmt: skip
        inverse_roots(norms[0])
        for p in range(F):
            scale_tile(P[n_classes, p], norms[0], Y, t, p)
            if len(M):
                _add_moment(Y, t, p, sample_weight, M, q, weighted)
