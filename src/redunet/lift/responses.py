"""Responses to a filter bank: circular correlation, a threshold, and the low frequencies of the result."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
import scipy.fft

from ..fast.cached import cached_property
from ..fast.image_spectra import MOST_PRODUCTS, ImageSpectra, n_products
from ..fast.sample_contrast import local_contrast
from ..fast.sample_lanes import Room, aligned_empty
from ..fast.threads import run_parts
from ..inputs.byte_sizes import readable_bytes
from ..numerics.arrays import Array
from ..numerics.attribution import interpolated, value_shares
from ..numerics.orbit import first_positions, put_back, started_at
from ..numerics.spectrum import half_spectrum_to_scale
from ..storage.array_header import SPARE_BYTES
from ..storage.expectations import expect, expect_shape, is_number
from ..storage.stored_types import stored_record
from .thresholds import THRESHOLDS

# Number of copies of the responses that exist at the same time at most: spectra, products, thresholds.
MAX_COPIES = 16
# Memory that they may take together, in bytes.
MAX_BYTES = 64 * 2**20
# Number of responses below which handing them to another core takes longer than it saves.
MIN_RESPONSES_TO_SHARE = 2**16
# Larger entries of a filter could overflow in a square.
LARGEST_FILTER_ENTRY = 1e100
# Positions: a narrower window sees next to nothing but the value in its middle, a wider one all values alike.
LEAST_CONTRAST_WIDTH, LARGEST_CONTRAST_WIDTH = 0.5, 1e4
# How many times the memory of a sample a lift from a file may take, where that is more than its file allows.
RESPONSES_PER_SAMPLE = 8192


@stored_record(older_values={2: {"unit_scale": False}, 4: {"contrast": None}})
@dataclass(frozen=True, eq=False)
class FilterBank:
    """Filters that give each input more channels; a shifted sample has the shifted responses.

    A call gives the responses on a grid that is ``pool`` times coarser: the frequencies below 1/pool of the highest
    one, and nothing of the others. A shift then multiplies each of these frequencies by a phase, as on the fine grid.

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
    pool : float
        1 keeps all frequencies.
    unit_scale : bool
        Whether each sample is brought to a root mean square of 1 first, the padding not counted.
    contrast : float or None
        Width of the surroundings, in positions, that each value is compared with before that
        (:mod:`redunet.numerics.local_contrast`); None for values as they are.
    """

    filters: tuple[Array, ...]
    threshold: str
    level: float
    pad: tuple[int, ...]
    grid: tuple[int, ...]
    pool: float = 1.0
    unit_scale: bool = False
    contrast: float | None = None

    # Responses to a shifted sample are the shifted responses; they live on a circle, without a constant coordinate.
    is_invariant = False
    offset = None

    @property
    def n_channels(self) -> int:
        """Channels of the responses."""
        return sum(len(filters) for filters in self.filters)

    @property
    def is_linear(self) -> bool:
        """Whether filters are followed by nothing else: by no threshold, or by one that silences nothing."""
        return THRESHOLDS[self.threshold].is_linear(self.level)

    @property
    def n_independent_channels(self) -> int:
        """Dimension of what the responses to all samples span at one frequency, at most.

        A filter multiplies each frequency of a channel by a number, so that linear responses to c channels, or to their
        contrast, are combinations of c vectors, the same ones for every sample.
        """
        return min(self.n_channels, self.filters[0].shape[1]) if self.is_linear else self.n_channels

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the responses to one sample."""
        return (self.n_channels, *self.coarse_grid)

    @property
    def bytes_of_sample(self) -> int:
        """Memory that lifting one sample takes at most, in double precision."""
        return 8 * MAX_COPIES * self.n_channels * math.prod(self.grid)

    @property
    def samples_at_a_time(self) -> int:
        """Samples that may be lifted together, for bounded memory."""
        together = max(1, MAX_BYTES // self.bytes_of_sample)
        return together if self._single is None else max(together, self._single.images_at_a_time)

    @property
    def coarse_grid(self) -> tuple[int, ...]:
        """Lengths of the cyclic axes of the responses; odd, so that every frequency but 0 has its mirror image."""
        if self.pool == 1:
            return self.grid
        return tuple(2 * (math.ceil(length / (2 * self.pool)) - 1) + 1 for length in self.grid)

    def padded(self, samples: Array) -> Array:
        """Samples with a margin of zeros; shape (n_samples, n_channels_in, *grid)."""
        if not any(self.pad):
            return samples
        return np.pad(samples, [(0, 0), (0, 0), *((0, zeros) for zeros in self.pad)])

    def scaled(self, samples: Array) -> Array:
        """Padded samples: their contrast, and with ``unit_scale`` each of root mean square 1; zeros stay zeros."""
        if self.contrast is None and not self.unit_scale:
            return samples
        flat = samples.reshape(len(samples), -1)
        peaks = np.abs(flat).max(axis=1, keepdims=True)  # first, because squares of large values overflow
        flat = flat / np.where(peaks > 0, peaks, 1)
        if self.contrast is not None:
            contrast = local_contrast(flat.reshape(samples.shape), self.contrast)
            if not self.unit_scale:
                return contrast
            flat = contrast.reshape(len(samples), -1)
        n_values = samples.shape[1] * math.prod(n - zeros for n, zeros in zip(self.grid, self.pad, strict=True))
        rms = np.linalg.norm(flat, axis=1, keepdims=True) / flat.dtype.type(math.sqrt(n_values))
        return (flat / np.where(rms > 0, rms, 1)).reshape(samples.shape)

    def __call__(self, samples: Array) -> Array:
        """Responses to padded samples; shape (n_samples, *shape), of the precision of the samples."""
        return self._in_parts(self._sparse_responses, self.scaled(samples), self.shape)

    def spectra(self, samples: Array, dtype: np.dtype) -> Array:
        """Half spectra of the responses to padded samples, each sample up to a factor of its own.

        Parameters
        ----------
        samples : array, shape (n_samples, n_channels_in, *grid)
        dtype : float32 or float64
            Precision that is enough; samples that are not brought to one scale keep their own.

        Returns
        -------
        complex array, shape (n_freqs, n_channels, n_samples)
        """
        scaled, quick = self._entering(samples, dtype)
        if quick is not None:
            return quick(scaled)
        return half_spectrum_to_scale(self._in_parts(self._sparse_responses, scaled, self.shape))

    def lanes(self, samples: Array, dtype: np.dtype, room: Room = aligned_empty) -> Array | None:
        """The same in lanes; shape (n_tiles, n_freqs, 2 · n_channels, lanes). None where blocks are the quicker way.

        See :class:`redunet.fast.image_lanes.ImageLanes`; ``room`` gives memory for them.
        """
        scaled, quick = self._entering(samples, dtype)
        return None if quick is None or quick.lanes is None else quick.lanes.tiles(scaled, room)

    def _entering(self, samples: Array, dtype: np.dtype) -> tuple[Array, ImageSpectra | None]:
        """Padded samples at their scale and in the precision that is enough, and the quick way for them."""
        scaled = self.scaled(samples)
        if self.unit_scale or self.contrast is not None:
            scaled = scaled.astype(dtype, copy=False)
        return scaled, self._single if scaled.dtype == np.float32 else self._double

    @cached_property
    def _single(self) -> ImageSpectra | None:
        return self._image_spectra(np.float32)

    @cached_property
    def _double(self) -> ImageSpectra | None:
        return self._image_spectra(np.float64)

    def _image_spectra(self, precision: type) -> ImageSpectra | None:
        """The way by products of matrices, for images where it is the quicker one."""
        zone = THRESHOLDS[self.threshold].silent_zone
        if zone is None or len(self.grid) != 2 or n_products(self.filters, self.grid, self.coarse_grid) > MOST_PRODUCTS:
            return None
        return ImageSpectra(self.filters, self.grid, self.coarse_grid, zone(self.level), np.dtype(precision))

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def linear(self, samples: Array) -> Array:
        """Responses before the threshold: Σ_s filter[s] · sample[position + s], s counted from the filter's centre."""
        return self._in_parts(self._linear_responses, samples, (self.n_channels, *self.grid))

    def sample_shares(self, samples: Array, features: Array, weights: Array) -> Array:
        """What each value of the samples gives to the sum of features times weights.

        A product at a position of the responses is handed on to the values that the filter sees there
        (:func:`redunet.numerics.attribution.value_shares`). What would go to the zeros of the padding goes evenly to
        all values of the sample. What a local contrast gets stays with the value in the middle of it.

        Parameters
        ----------
        samples : array, shape (n_samples, n_channels_in, *grid), without the padding
        features, weights : float array, shape (n_samples, *shape)
            Of the representatives of the padded samples.

        Returns
        -------
        float array of the shape of samples
        """
        padded = self.padded(samples)
        origin = first_positions(padded)
        ratio = math.prod(self.coarse_grid) / math.prod(self.grid)
        shares = interpolated(features, self.grid) * interpolated(weights, self.grid) * ratio
        values = started_at(padded, origin)
        values = values if self.contrast is None else self.scaled(values)
        found = put_back(value_shares(shares, values, self._magnitudes), origin)
        if not any(self.pad):
            return found
        axes = tuple(range(1, samples.ndim))
        real = (slice(None), slice(None), *(slice(length) for length in samples.shape[2:]))
        inside = found[real]
        outside = found.sum(axis=axes, keepdims=True) - inside.sum(axis=axes, keepdims=True)
        return inside + outside / math.prod(samples.shape[1:])

    @cached_property
    def _magnitudes(self) -> Array:
        """Magnitudes of all filters, on the whole grid; a filter of zeros alone counts as one of ones."""
        sizes = [np.abs(filters) for filters in self.filters]
        axes = tuple(range(1, sizes[0].ndim))
        return np.concatenate([self._placed(np.where(one.any(axis=axes, keepdims=True), one, 1.0)) for one in sizes])

    def _in_parts(self, respond: Callable[[Array], Array], samples: Array, shape: tuple[int, ...]) -> Array:
        """Responses of a given shape to all samples, some at a time on each core.

        SciPy's own threads are not used: after a fork of the process they work neither in the child nor in the parent.
        """
        n, size = len(samples), max(1, MIN_RESPONSES_TO_SHARE // math.prod((self.n_channels, *self.grid)))
        if n <= size:
            return respond(samples)
        responses = np.empty((n, *shape), dtype=np.result_type(samples.dtype, np.float32))
        self._conjugate_spectra  # noqa: B018 - computed once, not by each thread

        def work(rows: slice) -> None:
            responses[rows] = respond(samples[rows])

        run_parts(work, [slice(first, first + size) for first in range(0, n, size)])
        return responses

    def _sparse_responses(self, samples: Array) -> Array:
        """Responses to scaled samples, after the threshold and the pooling."""
        responses = THRESHOLDS[self.threshold].apply(self._linear_responses(samples), self.level)
        return responses if self.pool == 1 else self._slow_part(responses)

    def _slow_part(self, responses: Array) -> Array:
        """Responses made of the lowest frequencies alone, on the coarse grid."""
        coarse = self.coarse_grid
        axes = tuple(range(2, responses.ndim))
        spectra = scipy.fft.rfftn(responses, axes=axes, norm="forward")
        spectra = spectra[..., : coarse[-1] // 2 + 1]
        for axis, length in zip(axes[:-1], coarse, strict=False):
            low = np.r_[0 : length // 2 + 1, -(length // 2) : 0]
            spectra = spectra.take(low, axis=axis)
        return scipy.fft.irfftn(spectra, s=coarse, axes=axes, norm="forward")

    def _linear_responses(self, samples: Array) -> Array:
        """Responses before the threshold and the pooling."""
        axes = tuple(range(2, samples.ndim))
        spectra = scipy.fft.rfftn(samples, axes=axes)
        conjugates = self._conjugate_spectra.astype(spectra.dtype, copy=False)
        if samples.shape[1] == 1:
            products = spectra * conjugates[None, :, 0]
        else:
            products = np.einsum("ic...,fc...->if...", spectra, conjugates)
        return scipy.fft.irfftn(products, s=self.grid, axes=axes)

    @cached_property
    def _conjugate_spectra(self) -> Array:
        """Conjugate spectra of all filters, each centred on position 0; shape (n_channels, n_channels_in, *half)."""
        axes = tuple(range(2, self.filters[0].ndim))
        return np.concatenate([np.conj(scipy.fft.rfftn(self._placed(one), axes=axes)) for one in self.filters])

    def _placed(self, filters: Array) -> Array:
        """Filters on the whole grid, centred on position 0; shape (n_filters, n_channels_in, *grid)."""
        kernel = filters.shape[2:]
        placed = np.zeros((*filters.shape[:2], *self.grid))
        placed[(slice(None), slice(None), *(slice(length) for length in kernel))] = filters
        return np.roll(placed, [-(length // 2) for length in kernel], axis=tuple(range(2, filters.ndim)))

    def check_stored(self, sample_shape: tuple[int, ...], file_bytes: int) -> None:
        """Refuse a bank that came from a file and does not fit samples of this shape, or takes too much memory.

        Parameters
        ----------
        sample_shape : tuple of int
            (n_channels_in, *grid) without the padding.
        file_bytes : int
            Size of the file, which says how much memory one sample may take.
        """
        are_arrays = isinstance(self.filters, tuple) and all(isinstance(one, np.ndarray) for one in self.filters)
        expect(are_arrays and bool(self.filters), "the lift has no filters")
        expect(self.threshold in THRESHOLDS, "the threshold is of an unknown kind")
        expect(is_number(self.level) and is_number(self.pool) and self.pool >= 1, "level or pool is wrong")
        expect(isinstance(self.unit_scale, bool), "unit_scale is neither true nor false")
        is_width = self.contrast is None or (
            is_number(self.contrast) and LEAST_CONTRAST_WIDTH <= self.contrast <= LARGEST_CONTRAST_WIDTH
        )
        expect(is_width, "contrast is no width")
        grid, pad = expect_shape(self.grid, "the grid of the lift"), self.pad
        expect(isinstance(pad, tuple) and all(type(zeros) is int and zeros >= 0 for zeros in pad), "pad is wrong")
        expect(len(pad) == len(grid) == len(sample_shape) - 1, "pad is wrong")
        padded = tuple(n + zeros for n, zeros in zip(sample_shape[1:], pad, strict=True))
        expect(padded == grid, "samples do not fit the lift")
        for filters in self.filters:
            fits = filters.ndim == len(grid) + 2 and filters.shape[1] == sample_shape[0] and filters.size > 0
            fits = fits and all(side <= length for side, length in zip(filters.shape[2:], grid, strict=True))
            expect(fits, f"filters of shape {filters.shape} do not fit samples of {sample_shape}")
            expect(filters.dtype == np.float64, "filters are no finite numbers")
            expect(bool((np.abs(filters) <= LARGEST_FILTER_ENTRY).all()), "filters are no finite numbers")
        # Beside the file, the caller has a sample in hand: what it becomes is measured by both.
        needed = self.bytes_of_sample
        allowed = max(SPARE_BYTES + 2 * file_bytes, RESPONSES_PER_SAMPLE * 8 * math.prod(sample_shape))
        expect(needed <= allowed, f"one sample would take {readable_bytes(needed)} in the lift, by pad={pad}")
