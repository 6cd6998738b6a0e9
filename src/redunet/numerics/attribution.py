"""Where a sum over features comes from: shares of frequencies, and of the values of a sample, that add up to it."""

import numpy as np
import scipy.fft

from .arrays import Array

# Share of the largest value of a sample that every value counts more than it is, so that each window has a sum > 0: a
# window of zeros is shared out by the weights of the filter alone.
LEAST_MAGNITUDE = 1e-6


def frequency_shares(V: Array, G: Array, weights: Array) -> Array:
    """What each frequency gives to the inner product of samples, Σ_p w_p Re v(p)* g(p).

    Parameters
    ----------
    V, G : array, shape (n_freqs, n_channels, n_samples)
    weights : float array, shape (n_freqs,)
        Parseval weights.

    Returns
    -------
    float array, shape (n_samples, n_freqs)
        Sums over frequencies to the inner product in the sample domain.
    """
    return np.einsum("p,pci->ip", weights, (V.conj() * G).real)


def interpolated(samples: Array, grid: tuple[int, ...]) -> Array:
    """Samples on a finer grid: the same sum of sinusoids, read at more positions.

    Parameters
    ----------
    samples : real array, shape (n_samples, n_channels, *coarse)
        On a grid of odd lengths, so that every frequency but 0 has its mirror image.
    grid : tuple of int
        At least as long as the coarse one along every axis.

    Returns
    -------
    real array, shape (n_samples, n_channels, *grid)
        Sums of products of two such samples are those on the coarse grid, times the ratio of the sizes.
    """
    coarse, axes = samples.shape[2:], tuple(range(2, samples.ndim))
    if coarse == grid:
        return samples
    spectra = scipy.fft.rfftn(samples, axes=axes, norm="forward")
    fine = np.zeros((*samples.shape[:2], *grid[:-1], grid[-1] // 2 + 1), dtype=spectra.dtype)
    low = [np.r_[0 : length // 2 + 1, -(length // 2) : 0] for length in coarse[:-1]]
    every = (np.arange(samples.shape[0]), np.arange(samples.shape[1]))
    fine[np.ix_(*every, *low, np.arange(coarse[-1] // 2 + 1))] = spectra
    found: Array = scipy.fft.irfftn(fine, s=grid, axes=axes, norm="forward")
    return found


def value_shares(shares: Array, samples: Array, filters: Array) -> Array:
    """Shares of responses handed on to the values of the sample that each response was summed over.

    A response at position t is Σ_s filter(s) · sample(t + s). Its share goes to the values in its window in proportion
    to |filter(s) · sample(t + s)|, so that the sum stays. A window of zeros is shared out in proportion to |filter(s)|.

    Parameters
    ----------
    shares : float array, shape (n_samples, n_filters, *grid)
    samples : real array, shape (n_samples, n_channels, *grid)
    filters : real array, shape (n_filters, n_channels, *grid)
        Written out on the whole grid, with their centre at position 0; none of zeros alone.

    Returns
    -------
    float array, shape (n_samples, n_channels, *grid)
        The shares of shifted responses to a shifted sample are the shifted shares.
    """
    grid, axes = samples.shape[2:], tuple(range(2, samples.ndim))
    magnitudes = np.abs(samples).astype(np.float64)
    largest = magnitudes.max(axis=(1, *axes), keepdims=True)
    magnitudes = np.divide(magnitudes, largest, out=np.ones_like(magnitudes), where=largest > 0) + LEAST_MAGNITUDE
    kernels = scipy.fft.rfftn(np.abs(filters).astype(np.float64), axes=axes)
    spectra = scipy.fft.rfftn(magnitudes, axes=axes)
    sums = scipy.fft.irfftn(np.einsum("ic...,fc...->if...", spectra, kernels.conj()), s=grid, axes=axes)
    per_unit = scipy.fft.rfftn(shares / sums, axes=axes)
    handed_on = scipy.fft.irfftn(np.einsum("if...,fc...->ic...", per_unit, kernels), s=grid, axes=axes)
    found: Array = magnitudes * handed_on
    return found
