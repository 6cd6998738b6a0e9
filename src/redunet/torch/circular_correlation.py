"""Responses of circular samples to filters: convolutions of PyTorch where filters are small, else spectra."""

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor
from torch.nn import functional

# For each number of cyclic axes: the convolution of PyTorch, and the values of a filter up to which it is faster than
# products of spectra.
CONVOLUTIONS: dict[int, tuple[Callable[..., Tensor], int]] = {
    1: (functional.conv1d, 32),
    2: (functional.conv2d, 196),
    3: (functional.conv3d, 343),
}


def margins_of(axes: Iterable[tuple[int, int]]) -> list[int]:
    """Margins (before, after) of each axis as PyTorch takes them: the last axis first."""
    return [n for margin in reversed(list(axes)) for n in margin]


def circular_correlation(samples: Tensor, filters: Tensor) -> Tensor:
    """Σ_s filter[s] · sample[position + s] on circles, s counted from the filter's centre.

    Parameters
    ----------
    samples : tensor, shape (n_samples, n_channels_in, *grid)
    filters : tensor, shape (n_filters, n_channels_in, *kernel)

    Returns
    -------
    tensor, shape (n_samples, n_filters, *grid)
    """
    kernel = filters.shape[2:]
    convolve, most = CONVOLUTIONS[len(kernel)]
    if math.prod(kernel) > most:
        return correlation_of_spectra(samples, filters)
    margins = margins_of((side // 2, side - 1 - side // 2) for side in kernel)
    return convolve(functional.pad(samples, margins, mode="circular"), filters)


def correlation_of_spectra(samples: Tensor, filters: Tensor) -> Tensor:
    """What :func:`circular_correlation` gives, by products of spectra."""
    grid, kernel = samples.shape[2:], filters.shape[2:]
    axes = tuple(range(2, samples.ndim))
    missing = ((0, length - side) for length, side in zip(grid, kernel, strict=True))
    placed = functional.pad(filters, margins_of(missing)).roll([-(side // 2) for side in kernel], axes)
    spectra, conjugates = torch.fft.rfftn(samples, dim=axes), torch.fft.rfftn(placed, dim=axes).conj()
    if samples.shape[1] == 1:
        products = spectra * conjugates[None, :, 0]
    else:
        products = torch.einsum("ic...,fc...->if...", spectra, conjugates)
    return torch.fft.irfftn(products, s=grid, dim=axes)
