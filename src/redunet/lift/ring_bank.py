"""Responses on rings × angles: local filters that turn around the circle and slide along the rings, in a few places."""

import math
from dataclasses import dataclass

import numpy as np
import scipy.fft

from ..fast.cached import cached_property
from ..fast.threads import run_parts
from ..inputs.byte_sizes import readable_bytes
from ..numerics.arrays import Array
from ..numerics.attribution import interpolated, value_shares
from ..numerics.orbit import first_positions, put_back, started_at
from ..numerics.ring_correlation import around_circle, conjugate_spectra, place_windows, sliding_responses
from ..numerics.spectrum import half_spectrum_to_scale
from ..storage.array_header import SPARE_BYTES
from ..storage.expectations import expect, expect_shape, is_number
from ..storage.stored_types import stored_record
from .peak_bank import unit_scaled
from .responses import LARGEST_FILTER_ENTRY, RESPONSES_PER_SAMPLE
from .thresholds import THRESHOLDS

# Copies of the responses at every ring that exist at the same time at most: products, spectra, thresholds.
MAX_COPIES = 6
# Memory that they may take together, in bytes.
MAX_BYTES = 64 * 2**20
# Samples that a core works on at a time.
SAMPLES_PER_PART = 4


@stored_record()
@dataclass(frozen=True, eq=False)
class RingBank:
    """Filters of a few rings × angles; a turned image has the turned responses.

    A filter responds at every ring and angle. After the threshold, responses are added up along the rings in a few
    overlapping windows (:func:`redunet.numerics.ring_correlation.place_windows`), which makes a channel of each filter
    and place. Along the angle the frequencies below 1/pool of the highest are kept, as
    :class:`redunet.lift.responses.FilterBank` keeps them.

    Parameters
    ----------
    filters : tuple of float arrays, each of shape (n_filters, 1, height, width)
        One array for each kernel size; height in rings, width in angles.
    threshold : "soft", "relu" or "none"
    level : float
        What a response must exceed.
    n_rings : int
    n_places : int
        No more than rings.
    grid : tuple of one int
        Angles.
    pool : float
        1 keeps all frequencies.
    unit_scale : bool
        Whether each sample is brought to a root mean square of 1 first.
    """

    filters: tuple[Array, ...]
    threshold: str
    level: float
    n_rings: int
    n_places: int
    grid: tuple[int, ...]
    pool: float = 1.0
    unit_scale: bool = True

    # Responses to a shifted sample are the shifted responses, on a circle, without a constant coordinate or a margin.
    is_invariant = False
    offset = None
    pad = (0,)

    @property
    def n_channels(self) -> int:
        """Channels of the responses: one for each filter and place."""
        return sum(len(filters) for filters in self.filters) * self.n_places

    @property
    def is_linear(self) -> bool:
        """Whether responses are sums over the sample and nothing else: no threshold, or one that silences nothing."""
        return THRESHOLDS[self.threshold].is_linear(self.level)

    @property
    def n_independent_channels(self) -> int:
        """Dimension of what the responses to all samples span at one frequency, at most; for linear ones the rings."""
        return min(self.n_channels, self.n_rings) if self.is_linear else self.n_channels

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the responses to one sample."""
        return (self.n_channels, *self.coarse_grid)

    @property
    def coarse_grid(self) -> tuple[int, ...]:
        """Number of angles of the responses; odd, so that every frequency but 0 has its mirror image."""
        if self.pool == 1:
            return self.grid
        return (2 * (math.ceil(self.grid[0] / (2 * self.pool)) - 1) + 1,)

    @property
    def bytes_of_sample(self) -> int:
        """Memory that lifting one sample takes at most, in double precision."""
        n_filters = max(len(filters) for filters in self.filters)
        return 8 * (MAX_COPIES * n_filters * self.n_rings + 2 * self.n_channels) * self.grid[0]

    @property
    def samples_at_a_time(self) -> int:
        """Samples that may be lifted together, for bounded memory."""
        return max(SAMPLES_PER_PART, MAX_BYTES // (16 * self.n_channels * self.coarse_grid[0]))

    def padded(self, samples: Array) -> Array:
        """Samples as they are."""
        return samples

    def scaled(self, samples: Array) -> Array:
        """Samples, with ``unit_scale`` each of root mean square 1; samples of zeros stay zeros."""
        return unit_scaled(samples) if self.unit_scale else samples

    def __call__(self, samples: Array) -> Array:
        """Responses to samples (n_samples, n_rings, n_angles); shape (n_samples, *shape), of their precision."""
        responses = np.empty((len(samples), *self.shape), dtype=np.result_type(samples.dtype, np.float32))
        self._spectra  # noqa: B018 - computed once, not by each thread

        def work(first: int) -> None:
            some = slice(first, first + SAMPLES_PER_PART)
            responses[some] = self._in_places(self.scaled(samples[some]))

        run_parts(work, range(0, len(samples), SAMPLES_PER_PART))
        return responses

    def spectra(self, samples: Array, dtype: np.dtype) -> Array:
        """Half spectra of the responses, each sample up to a factor of its own; (n_freqs, n_channels, n_samples)."""
        return half_spectrum_to_scale(self(samples))

    def linear(self, samples: Array) -> Array:
        """Responses to scaled samples at every ring, before the threshold; (n_samples, n_filters, n_rings, *grid)."""
        return np.concatenate([sliding_responses(samples, spectra) for spectra in self._spectra], axis=1)

    def _in_places(self, samples: Array) -> Array:
        """Responses to a few scaled samples after threshold, windows and pooling."""
        windows = place_windows(self.n_rings, self.n_places).astype(samples.dtype)
        found = []
        for spectra in self._spectra:
            sparse = THRESHOLDS[self.threshold].apply(sliding_responses(samples, spectra), self.level)
            placed = np.matmul(windows.T, sparse)  # i, filter, place, angle
            found.append(placed.reshape(len(samples), -1, *self.grid))
        responses = np.concatenate(found, axis=1)
        if self.pool == 1:
            return responses
        coarse = self.coarse_grid[0]
        slow = scipy.fft.rfft(responses, axis=2, norm="forward")[..., : coarse // 2 + 1]
        return scipy.fft.irfft(slow, n=coarse, axis=2, norm="forward")

    def sample_shares(self, samples: Array, features: Array, weights: Array) -> Array:
        """What each value of the samples gives to the sum of features times weights.

        A product at a place and an angle is handed on to the values that the filter sees from any ring of that place
        (:func:`redunet.numerics.attribution.value_shares`).

        Parameters
        ----------
        samples : array, shape (n_samples, n_rings, n_angles)
        features, weights : float array, shape (n_samples, *shape)
            Of the representatives of the samples.

        Returns
        -------
        float array of the shape of samples
        """
        origin = first_positions(samples)
        ratio = self.coarse_grid[0] / self.grid[0]
        shares = interpolated(features, self.grid) * interpolated(weights, self.grid) * ratio
        return put_back(value_shares(shares, started_at(samples, origin), self._magnitudes), origin)

    @cached_property
    def _magnitudes(self) -> Array:
        """How much each channel sees of each ring and angle, from angle 0; shape (n_channels, n_rings, *grid)."""
        windows = place_windows(self.n_rings, self.n_places)
        found = []
        for filters in self.filters:
            sizes = np.abs(filters[:, 0])
            sizes = around_circle(np.where(sizes.any(axis=(1, 2), keepdims=True), sizes, 1.0), self.grid[0])
            height = sizes.shape[1]
            of_places = np.zeros((len(filters), self.n_places, self.n_rings + height - 1, *self.grid))
            for ring in range(self.n_rings):
                of_places[:, :, ring : ring + height] += windows[ring][:, None, None] * sizes[:, None]
            inside = of_places[:, :, height // 2 : height // 2 + self.n_rings]
            found.append(inside.reshape(-1, self.n_rings, *self.grid))
        return np.concatenate(found)

    @cached_property
    def _spectra(self) -> list[Array]:
        """Conjugate spectra of the filters of each size."""
        return [conjugate_spectra(filters[:, 0], self.grid[0]) for filters in self.filters]

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def check_stored(self, sample_shape: tuple[int, ...], file_bytes: int) -> None:
        """Refuse a bank that came from a file and does not fit samples of this shape, or takes too much memory."""
        are_arrays = isinstance(self.filters, tuple) and all(isinstance(one, np.ndarray) for one in self.filters)
        expect(are_arrays and bool(self.filters), "the lift has no filters")
        expect(self.threshold in THRESHOLDS, "the threshold is of an unknown kind")
        expect(is_number(self.level) and is_number(self.pool) and self.pool >= 1, "level or pool is wrong")
        expect(isinstance(self.unit_scale, bool), "unit_scale is neither true nor false")
        grid = expect_shape(self.grid, "the grid of the lift")
        fits = type(self.n_rings) is int and (self.n_rings, *grid) == sample_shape and len(grid) == 1
        expect(fits, "samples do not fit the lift")
        expect(type(self.n_places) is int and 1 <= self.n_places <= self.n_rings, "the places of the lift do not fit")
        for filters in self.filters:
            fits = filters.ndim == 4 and filters.shape[1] == 1 and filters.size > 0
            fits = fits and filters.shape[2] <= self.n_rings and filters.shape[3] <= grid[0]
            expect(fits, f"filters of shape {filters.shape} do not fit samples of {sample_shape}")
            expect(filters.dtype == np.float64, "filters are no finite numbers")
            expect(bool((np.abs(filters) <= LARGEST_FILTER_ENTRY).all()), "filters are no finite numbers")
        needed = self.bytes_of_sample
        allowed = max(SPARE_BYTES + 2 * file_bytes, RESPONSES_PER_SAMPLE * 8 * math.prod(sample_shape))
        expect(needed <= allowed, f"one sample would take {readable_bytes(needed)} in the lift")
