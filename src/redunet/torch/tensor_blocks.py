"""Blocks V[freq, channel, sample] as tensors: norms, products with real numbers, and the way back to samples.

The twins of :mod:`redunet.numerics.spectrum`. Roots have the slope 0 at 0, where they have none, so that a sample that
is zero, or lies in a subspace, leaves no NaN in a gradient.
"""

import numpy as np
import torch
from torch import Tensor

from ..numerics.arrays import Array
from .sums_in_parts import SquaredNorms, of_view, real_view


def tensor_of(values: Array | float) -> Tensor:
    """A float64 tensor of its own memory."""
    return torch.from_numpy(np.array(values, dtype=np.float64))


def squared_norms(V: Tensor, weights: Tensor) -> Tensor:
    """Squared norm of each sample, taken in the spectrum; (n_freqs, ..., n_channels, n_samples) to (..., n_samples).

    Parameters
    ----------
    V : tensor, shape (n_freqs, ..., n_channels, n_samples)
    weights : tensor, shape (n_freqs,)
        Parseval weights.
    """
    return SquaredNorms.apply(V, weights)


def root(x: Tensor) -> Tensor:
    """Square roots of numbers that are not negative but for rounding; where there is none, 0, with the slope 0."""
    positive = x > 0
    return torch.where(positive, torch.where(positive, x, 1.0).sqrt(), 0.0)


def times_real(Z: Tensor, factors: Tensor) -> Tensor:
    """Entries times real numbers, which need no product of complex numbers."""
    return of_view(real_view(Z) * factors[..., None], Z)


def normalise(V: Tensor, weights: Tensor) -> Tensor:
    """Samples scaled onto the unit sphere; a sample that is zero stays zero."""
    norm = root(squared_norms(V, weights))
    return times_real(V, torch.where(norm > 0, 1 / torch.where(norm > 0, norm, 1.0), 0.0))


def half_spectrum(samples: Tensor) -> Tensor:
    """Half spectrum of samples (n_samples, ..., *grid), samples last; (n_freqs, n_channels, n_samples).

    Parameters
    ----------
    samples : tensor, shape (n_samples, n_channels, *grid)
    """
    if samples.ndim == 2:
        return samples.T[None]
    V = torch.fft.rfftn(samples, dim=tuple(range(2, samples.ndim)))
    return V.flatten(2).permute(2, 1, 0).contiguous()


def samples_of(V: Tensor, grid: tuple[int, ...], *, unitary: bool = False) -> Tensor:
    """Real samples from their half spectrum; (n_freqs, n_channels, n_samples) to (n_samples, n_channels, *grid)."""
    if not grid:
        return V[0].T
    spectrum = V.permute(2, 1, 0).unflatten(2, (*grid[:-1], grid[-1] // 2 + 1))
    axes = tuple(range(2, 2 + len(grid)))
    return torch.fft.irfftn(spectrum, s=grid, dim=axes, norm="ortho" if unitary else "backward")
