"""What a layer does to a tile, whichever way it is multiplied."""

import numpy as np

from .compilation import compiled


@compiled
def soft_shares(norms, layer, shares):
    """shares[j] = η γ_j · softmax_j(−λ residual_j), for each sample; norms and shares (n_classes, N).

    The residual is √norms_j / unit_j + offset_j; without the root if it is to stay squared.
    layer : LayerOnFewRows or LayerOnManyRows
    """
    unit, offset, squared, lam, share = layer.unit, layer.offset, layer.squared, layer.sharpness, layer.shares
    n_classes, N = norms.shape
    for i in range(N):
        nearest = np.inf
        for j in range(n_classes):
            residual = norms[j, i] if squared else np.sqrt(max(norms[j, i], norms.dtype.type(0)))
            norms[j, i] = lam * (residual / unit[j] + offset[j])
            nearest = min(nearest, norms[j, i])
        total = 0.0
        for j in range(n_classes):
            norms[j, i] = np.exp(nearest - norms[j, i])
            total += norms[j, i]
        for j in range(n_classes):
            shares[j, i] = share[j] * norms[j, i] / total


@compiled
def scale_tile(u, scale, Y, t, p):
    """Y[t, p] = u · scale, sample by sample; u (K, N)."""
    K, N = u.shape
    for r in range(K):
        for i in range(N):
            Y[t, p, r, i] = u[r, i] * scale[i]


@compiled
def inverse_roots(norms):
    """1 / √norm, or 0 where the norm is 0: a place in a tile without a sample."""
    for i in range(len(norms)):
        norms[i] = 1 / np.sqrt(norms[i]) if norms[i] > 0 else 0.0


@compiled
def extrapolate(X, Y, beta, weights, first, last):
    """Y = X + β (X − Y), scaled back onto the sphere, for tiles first ≤ t < last."""
    _, F, K, N = X.shape
    norms = np.empty(N, dtype=X.dtype)
    for t in range(first, last):
        norms[:] = 0
        for p in range(F):
            for r in range(K):
                for i in range(N):
                    Y[t, p, r, i] = X[t, p, r, i] + beta * (X[t, p, r, i] - Y[t, p, r, i])
                    norms[i] += weights[p] * Y[t, p, r, i] * Y[t, p, r, i]
        inverse_roots(norms)
        for p in range(F):
            for r in range(K):
                for i in range(N):
                    Y[t, p, r, i] *= norms[i]
