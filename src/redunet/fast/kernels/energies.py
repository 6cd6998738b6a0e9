"""Sums over frequencies and channels for each sample, in double precision, without a copy of what is summed up."""

from .compilation import compiled


@compiled
def energies_of_groups(along, weights, energies):
    """Energy of groups of equally many channels: Σ_p w_p Σ_c |along(p, c)|², c within the group.

    along : complex array, shape (n_freqs, n_groups · size, n_samples); weights : float64 array, shape (n_freqs,)
    energies : float64 array, shape (n_groups, n_samples), overwritten.
    """
    n_freqs, n_channels, n = along.shape
    size = n_channels // len(energies)
    energies[:] = 0.0
    for p in range(n_freqs):
        for c in range(n_channels):
            group = c // size
            for i in range(n):
                value = along[p, c, i]
                energies[group, i] += weights[p] * (value.real * value.real + value.imag * value.imag)


@compiled
def weighted_products(V, P, weights, products):
    """Real part of the inner product of each sample with another: Σ_p w_p Σ_c Re(conj V(p, c) · P(p, c)).

    V, P : complex array, shape (n_freqs, n_channels, n_samples); weights : float64 array, shape (n_freqs,)
    products : float64 array, shape (n_samples,), overwritten.
    """
    n_freqs, n_channels, n = V.shape
    products[:] = 0.0
    for p in range(n_freqs):
        for c in range(n_channels):
            for i in range(n):
                v, other = V[p, c, i], P[p, c, i]
                products[i] += weights[p] * (v.real * other.real + v.imag * other.imag)
