"""Shares of values in the difference between two classes, by their definitions: sums that are written out."""

import numpy as np


def projected(z, bases, grid):
    """A sample (n_channels, length) projected onto the subspaces of a class, (n_freqs, n_channels, rank).

    The full spectrum is written out as a sum; a frequency above the middle has the conjugate subspace of its mirror
    image.
    """
    C, T = z.shape
    assert grid == (T,)
    t = np.arange(T)
    result = np.zeros((C, T), dtype=complex)
    for p in range(T):
        U = bases[p] if p <= T // 2 else bases[T - p].conj()
        v = (z * np.exp(-2j * np.pi * p * t / T)).sum(axis=1)
        result += (U @ (U.conj().T @ v))[:, None] * np.exp(2j * np.pi * p * t / T) / T
    assert np.abs(result.imag).max() < 1e-9
    return result.real


def subspace_shares(z, nearest, other):
    """Shares z(t) [(P₁ − P₂) z](t) / (d₁ + d₂) of the values of a unit sample in d₂ − d₁; (n_channels, length)."""
    near, far = (projected(z, bases, z.shape[1:]) for bases in (nearest, other))
    distances = np.linalg.norm(z - near), np.linalg.norm(z - far)
    return z * (near - far) / sum(distances)


def value_shares(shares, sample, filters):
    """Shares (n_filters, *grid) handed on to the values of a sample (n_channels, *grid), window by window.

    ``filters`` have shape (n_filters, n_channels, *kernel), and their centre at side // 2.
    """
    grid, kernel = sample.shape[1:], filters.shape[2:]
    found = np.zeros(sample.shape)
    for f in range(len(filters)):
        for position in np.ndindex(*grid):
            places, products = [], []
            for c in range(len(sample)):
                for s in np.ndindex(*kernel):
                    there = tuple((p + i - k // 2) % n for p, i, k, n in zip(position, s, kernel, grid, strict=True))
                    places.append((c, *there))
                    products.append(abs(filters[(f, c, *s)] * sample[(c, *there)]))
            weights = np.array(products)
            if not weights.any():
                weights = np.abs(filters[f]).ravel()
            for place, weight in zip(places, weights / weights.sum(), strict=True):
                found[place] += weight * shares[(f, *position)]
    return found


def removal_shares(difference_of, signal, total, stretches):
    """Shares of the positions of a signal (length,): what is lost without each stretch, levelled and cut out.

    ``difference_of`` gives the difference for a signal of any length.
    """
    length, whole = len(signal), difference_of(signal)
    found = np.zeros(length)
    for stretch in stretches:
        inside = set(stretch.tolist())
        before, after = signal[(stretch[0] - 1) % length], signal[(stretch[-1] + 1) % length]
        line = signal.copy()
        for i, t in enumerate(stretch):
            line[t] = before + (after - before) * (i + 1) / (len(stretch) + 1)
        cut = np.array([value for t, value in enumerate(signal) if t not in inside])
        loss = ((whole - difference_of(line)) + (whole - difference_of(cut))) / 2
        for t in stretch:
            found[t] += loss / len(stretch)
    found /= np.array([sum(t in stretch for stretch in stretches) for t in range(length)])
    return found + (total - found.sum()) / length
