"""A layer on tiles of many rows, multiplied by BLAS."""

import numpy as np

from .compilation import compiled
from .one_tile import inverse_roots, scale_tile, soft_shares


@compiled
def _add_moment_by_blas(x, sample_weight, p, M, q, weighted, product):
    """Add the moment of samples x (K, N) with weights (N,) to M[q, :, p], as :func:`_add_moment` does, by BLAS.

    weighted (K, N) and product (K, K) are overwritten; both are of the precision of x, which products are summed in.
    """
    C = M.shape[3]
    K, N = x.shape
    for r in range(K):
        for i in range(N):
            weighted[r, i] = sample_weight[i] * x[r, i]
    np.dot(weighted, x.T, product)
    for c in range(C):
        for d in range(c + 1):
            M[q, 0, p, c, d] += product[c, d]
            if M.shape[1] == 2:
                M[q, 0, p, c, d] += product[C + c, C + d]
                M[q, 1, p, c, d] += product[C + c, d] - product[c, C + d]


@compiled
def moments_many_rows(X, starts, first, last, sample_weight, M):
    """Add the second moments of parts first ≤ q < last to M[q], as :func:`moments_few_rows` does, by BLAS."""
    _, F, K, N = X.shape
    product = np.empty((K, K))
    weighted = np.empty((K, N))
    x = np.empty((K, N))
    for q in range(first, last):
        for t in range(starts[q], starts[q + 1]):
            for p in range(F):
                x[:] = X[t, p]
                _add_moment_by_blas(x, sample_weight[t], p, M, q, weighted, product)


@compiled
def _add_squares(P, first, last, weight, norms):
    """Add weight · P² to norms (N,), over rows first ≤ r < last."""
    for r in range(first, last):
        for i in range(len(norms)):
            norms[i] += weight * P[r, i] * P[r, i]


@compiled
def _subtract_scaled(step, shares, P):
    """Step −= shares · P, sample by sample."""
    K, N = step.shape
    for r in range(K):
        for i in range(N):
            step[r, i] -= shares[i] * P[r, i]


@compiled
def _add_products(P, X, t, p, first, last, weight, norms):
    """Norms += weight · Σ P[r] X[t, p, r − first] over rows first ≤ r < last."""
    for r in range(first, last):
        for i in range(P.shape[1]):
            norms[i] += weight * P[r, i] * X[t, p, r - first, i]


@compiled
def advance_many_rows(X, Y, layer, starts, first, last, sample_weight, M, scratch):
    """Carry parts of X through one layer into Y, as :func:`advance_few_rows` does, multiplied by BLAS.

    Where the products of a tile with the compressions fit into the scratch, for all frequencies, they are stored
    from the memberships to the step. Where they do not, those that count are computed again, which is faster than to
    carry them through memory: memberships that are lost in rounding are left out. It is one long loop, because a tile
    is to stay in the cache.

    layer : LayerOnManyRows
    scratch : real array of at least (n_classes + 1) K N items.
    """
    A, Q, weights, share = layer.operators, layer.spans, layer.weights, layer.shares
    squared = layer.squared
    _, F, K, N = X.shape
    n_classes = A.shape[1] - 1
    n_rows = n_classes * K
    stored = len(scratch) >= F * (n_rows + K) * N
    stacked = A.reshape((F, n_rows + K, K))
    P = scratch[: (F if stored else 1) * n_rows * N].reshape((F if stored else 1, n_rows, N))
    norms = np.empty((n_classes, N), dtype=X.dtype)
    shares = np.empty((n_classes, N), dtype=X.dtype)
    product = np.empty((K, K), dtype=X.dtype)
    weighted = np.empty((K, N), dtype=X.dtype)
    step = np.empty((K, N), dtype=X.dtype)
    negligible = np.finfo(X.dtype).eps / 16
    counts = np.empty(n_classes, dtype=np.bool_)
    n_along = Q.shape[1] // n_classes
    along = np.empty((Q.shape[1], N), dtype=X.dtype)
    q = first
    for t in range(starts[first], starts[last]):
        while t >= starts[q + 1]:
            q += 1
        norms[:] = 1 if len(Q) else 0
        for p in range(F):
            P_p = P[p if stored else 0]
            if len(Q):
                np.dot(Q[p], X[t, p], along)
                for j in range(n_classes):
                    _add_squares(along, j * n_along, (j + 1) * n_along, -weights[p], norms[j])
                if not stored:
                    continue
            np.dot(stacked[p, :n_rows], X[t, p], P_p)
            if len(Q):
                continue
            for j in range(n_classes):
                if squared:
                    _add_products(P_p, X, t, p, j * K, (j + 1) * K, weights[p], norms[j])
                else:
                    _add_squares(P_p, j * K, (j + 1) * K, weights[p], norms[j])
        soft_shares(norms, layer, shares)
        for j in range(n_classes):
            counts[j] = False
            for i in range(N):  # a place without a sample belongs to no class
                if sample_weight[t, i] > 0 and shares[j, i] > negligible * share[j]:
                    counts[j] = True
                    break
        norms[0] = 0
        for p in range(F):
            np.dot(A[p, n_classes], X[t, p], step)
            for j in range(n_classes):
                if not counts[j]:
                    continue
                P_j = P[p, j * K : (j + 1) * K] if stored else P[0, :K]
                if not stored:
                    np.dot(A[p, j], X[t, p], P_j)
                _subtract_scaled(step, shares[j], P_j)
            _add_squares(step, 0, K, weights[p], norms[0])
            Y[t, p] = step
        inverse_roots(norms[0])
        for p in range(F):
            scale_tile(Y[t, p], norms[0], Y, t, p)
            if len(M):
                _add_moment_by_blas(Y[t, p], sample_weight[t], p, M, q, weighted, product)
