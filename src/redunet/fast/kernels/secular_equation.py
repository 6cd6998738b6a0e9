"""Subspaces without one of their samples; the twin of :mod:`redunet.numerics.without_one_sample`."""

import numpy as np

from .compilation import compiled

# Roots of the secular equation are refined until they move by less than this share of their distance to a pole; a
# frequency with less energy than this share of the sample says nothing.
_ROOT_TOLERANCE, _ROOT_STEPS, _LEAST_ENERGY = 1e-6, 60, 1e-9


@compiled
def energy_inside_without(eigenvalues, energies, sample_weight, weights, negligible, lost_share, inside):
    """Energy of samples in the leading subspaces of their class without them; the readable twin is in numerics.

    eigenvalues : (n_freqs, C), ascending; energies : (n_freqs, n, C); inside : (rank, n), overwritten.

    The k-th eigenvalue μ of Λ − s a a* lies between λ_{k+1} and λ_k and solves s Σ_i |a_i|² / (λ_i − μ) = 1; along its
    eigenvector (Λ − μ)⁻¹ a the sample has the energy 1 / (s² Σ_i |a_i|² / (λ_i − μ)²). The root is sought as the
    distance δ = λ_k − μ. The poles on either side of it are taken for one pole each, at λ_k and λ_{k+1}, of the same
    value and slope (Bunch, Nielsen and Sorensen 1978); a step that would leave the bracket halves it instead. It is one
    long loop, because all that a root needs stays in registers from step to step.
    """
    F, n, C = energies.shape
    rank = len(inside)
    inside[:] = 0
    distance, scaled = np.empty(C), np.empty(C)
    for p in range(F):
        for i in range(n):
            s = sample_weight[i]
            total = 0.0
            for c in range(C):
                scaled[c] = s * energies[p, i, c]
                total += energies[p, i, c]
            if total * weights[p] < _LEAST_ENERGY:
                continue
            for k in range(rank):
                top = C - 1 - k
                at = eigenvalues[p, top]
                if at <= negligible:
                    break
                # Below the last eigenvalue there is no other pole, and a moment without a sample is not negative.
                gap = at - (eigenvalues[p, top - 1] if top > 0 else 0.0)
                if gap <= 1e-14 * eigenvalues[p, C - 1]:
                    continue  # two equal eigenvalues: an eigenvector of both is orthogonal to the sample
                low, high, delta = 0.0, gap, 0.5 * gap
                slope = 0.0
                for c in range(C):
                    distance[c] = eigenvalues[p, c] - at
                for _ in range(_ROOT_STEPS):
                    above, above_slope = 0.0, 0.0
                    for c in range(top, C):
                        nearness = 1.0 / (distance[c] + delta)
                        above += scaled[c] * nearness
                        above_slope += scaled[c] * nearness * nearness
                    below, below_slope = 0.0, 0.0
                    for c in range(top):
                        nearness = 1.0 / (distance[c] + delta)
                        below += scaled[c] * nearness
                        below_slope += scaled[c] * nearness * nearness
                    slope = above_slope + below_slope
                    f = above + below - 1.0
                    if f > 0:
                        low = delta
                    else:
                        high = delta
                    near, far = above_slope * delta * delta, below_slope * (gap - delta) * (gap - delta)
                    rest = (above - near / delta) + (below + far / (gap - delta)) - 1.0
                    # near / δ − far / (gap − δ) + rest = 0
                    b = rest * gap - near - far
                    root = max(b * b + 4 * rest * near * gap, 0.0)
                    q = -0.5 * (b + np.sqrt(root)) if b > 0 else -0.5 * (b - np.sqrt(root))
                    one, two = -q / rest, near * gap / q
                    following = one if low < one < high else two
                    if not low < following < high:
                        following = 0.5 * (low + high)
                    change = abs(following - delta)
                    if change <= _ROOT_TOLERANCE * min(delta, gap - delta) or high - low <= 1e-15 * gap:
                        break
                    delta = following
                if slope > 0 and at - delta > max(negligible, lost_share * np.sqrt(at * eigenvalues[p, C - 1])):
                    inside[k, i] += weights[p] / (s * slope)
    for k in range(1, rank):
        for i in range(n):
            inside[k, i] += inside[k - 1, i]
