"""A filter bank at work: circular correlation, then a threshold."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.fft

from ..numerics.arrays import Array
from ..threads import n_threads

# Responses below this share of the largest one are taken for zeros when a threshold is learned.
SILENCE = 1e-4


@dataclass(frozen=True, eq=False)
class FilterBank:
    """Filters that give each input more channels; a shifted sample has the shifted responses.

    Parameters
    ----------
    filters : tuple of float arrays, each of shape (n_filters, n_channels_in, *kernel)
        One array for each kernel size.
    threshold : "soft", "relu" or "none"
    level : float
        What a response must exceed.
    pad : tuple of int
        Zeros appended along each cyclic axis, before anything else.
    grid : tuple of int
        Lengths of the cyclic axes, the padding included.
    """

    filters: tuple[Array, ...]
    threshold: str
    level: float
    pad: tuple[int, ...]
    grid: tuple[int, ...]

    @property
    def n_channels(self) -> int:
        """Channels of the responses."""
        return sum(len(filters) for filters in self.filters)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the responses to one sample."""
        return (self.n_channels, *self.grid)

    def padded(self, samples: Array) -> Array:
        """Samples with a margin of zeros; shape (n_samples, n_channels_in, *grid)."""
        if not any(self.pad):
            return samples
        return np.pad(samples, [(0, 0), (0, 0), *((0, zeros) for zeros in self.pad)])

    def __call__(self, samples: Array) -> Array:
        """Responses to padded samples; shape (n_samples, n_channels, *grid), of the precision of the samples."""
        responses = self.linear(samples)
        if self.threshold == "none":
            return responses
        if self.threshold == "relu":
            return np.maximum(responses - responses.dtype.type(self.level), 0)
        magnitudes = np.maximum(np.abs(responses) - responses.dtype.type(self.level), 0)
        return np.copysign(magnitudes, responses)

    def linear(self, samples: Array) -> Array:
        """Responses before the threshold: Σ_s filter[s] · sample[position + s], s counted from the filter's centre."""
        axes = tuple(range(2, samples.ndim))
        spectra = scipy.fft.rfftn(samples, axes=axes, workers=n_threads())
        conjugates = self._conjugate_spectra.astype(spectra.dtype, copy=False)
        if samples.shape[1] == 1:
            products = spectra * conjugates[None, :, 0]
        else:
            products = np.einsum("ic...,fc...->if...", spectra, conjugates)
        return scipy.fft.irfftn(products, s=self.grid, axes=axes, workers=n_threads())

    @cached_property
    def _conjugate_spectra(self) -> Array:
        """Conjugate spectra of all filters, each centred on position 0; shape (n_channels, n_channels_in, *half)."""
        spectra = []
        for filters in self.filters:
            kernel = filters.shape[2:]
            axes = tuple(range(2, filters.ndim))
            placed = np.zeros((*filters.shape[:2], *self.grid))
            placed[(slice(None), slice(None), *(slice(length) for length in kernel))] = filters
            placed = np.roll(placed, [-(length // 2) for length in kernel], axis=axes)
            spectra.append(np.conj(scipy.fft.rfftn(placed, axes=axes)))
        return np.concatenate(spectra)


def learned_level(responses: Array, threshold: str, quantile: float) -> float:
    """Quantile of the responses that say anything: of magnitudes for a soft threshold, of positive ones for ReLU."""
    values = np.abs(responses) if threshold == "soft" else responses
    largest = float(values.max(initial=0.0))
    heard = values[values > SILENCE * largest]
    return float(np.quantile(heard, quantile)) if len(heard) and quantile > 0 else 0.0
