"""Matrices whose columns are all circular shifts of a sample, and circular convolution by its definition."""

import numpy as np

from redunet.data import shifts


def all_shifts(sample):
    """Every circular shift of a sample of shape (n_channels, *grid)."""
    return shifts.all_shifts(sample, n_axes=sample.ndim - 1)


def circulant(sample):
    """Columns are the flattened shifts of a sample (n_channels, *grid): circ(z̄), shape (n_channels · grid, grid)."""
    shifted = all_shifts(sample)
    return shifted.reshape(len(shifted), -1).T


def enumerated(samples, codes):
    """All shifts of all samples as columns, with their classes."""
    Z = np.concatenate([circulant(sample) for sample in samples], axis=1)
    return Z, np.repeat(codes, np.prod(samples.shape[2:]))


def circular_convolution(kernel, sample):
    """Multi-channel circular convolution by its definition: Σ_c' Σ_s kernel[c, c'](s) · z[c'](t − s)."""
    C, grid = sample.shape[0], sample.shape[1:]
    axes = tuple(range(len(grid)))
    result = np.zeros_like(sample)
    for c in range(C):
        for c_in in range(C):
            for s in np.ndindex(*grid):
                result[c] += kernel[c, c_in][s] * np.roll(sample[c_in], s, axis=axes)
    return result
