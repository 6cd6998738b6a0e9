"""Local filters on rings at work: the strongest response of each, at any angle."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..fast.cached import cached_property
from ..fast.threads import run_parts
from ..inputs.byte_sizes import readable_bytes
from ..numerics.arrays import Array
from ..numerics.orbit import representative
from ..numerics.ring_correlation import conjugate_spectra, kept_frequencies, peaks
from ..storage.array_header import SPARE_BYTES
from ..storage.expectations import expect, expect_numbers, is_number
from ..storage.stored_types import stored_record
from .pooled_bank import rows_of_each_length

# Samples that a core works on at a time. Fewer are filled up with zeros, so that products are always of one size.
SAMPLES_PER_PART = 16
# Memory that the features of the samples that are lifted together may take.
MAX_FEATURE_BYTES = 32 * 2**20
# Larger entries of a filter could overflow in a square.
LARGEST_FILTER_ENTRY = 1e15


@stored_record()
@dataclass(frozen=True, eq=False)
class PeakBank:
    """Local filters, each near rings of its own, and the scale of their peaks; a vector, the same at every rotation.

    Parameters
    ----------
    filters : tuple of float32 arrays, each of shape (n_filters, height, width)
        One array for each kernel size, height in rings and width in angles.
    first_rings : tuple of int64 arrays, each of shape (n_filters,)
        The innermost ring that each filter sees.
    mean, scale : float64 array, shape (n_features,)
        Mean and standard deviation of each peak over the training samples; a scale of 0 leaves the feature out.
    n_rings : int
    length : int or None
        Angles of a sample; None for samples of any length.
    slack : int
        So many rings a filter may move inwards or outwards.
    pool : float
        1 reads responses at every angle; 2 keeps the lower half of their frequencies, read at every second angle of
        the representative of a sample.
    """

    filters: tuple[Array, ...]
    first_rings: tuple[Array, ...]
    mean: Array
    scale: Array
    n_rings: int
    length: int | None
    slack: int
    pool: float = 1.0

    # Features are the same bits for every rotation, and a maximum is no sum over the sample. Nothing is appended.
    is_invariant = True
    is_linear = False
    pad = (0,)

    @property
    def n_features(self) -> int:
        """Features of a sample: one for each filter."""
        return sum(len(filters) for filters in self.filters)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a lifted sample, a vector."""
        return (self.n_features,)

    @property
    def n_independent_channels(self) -> int:
        """Dimension of what lifted samples span, at most."""
        return self.n_features

    @property
    def offset(self) -> float:
        """Length of a typical lifted sample: every feature that varies has the mean square 1."""
        return math.sqrt(max(1, int(np.count_nonzero(self.scale))))

    @property
    def samples_at_a_time(self) -> int:
        """Samples that may be lifted together, for bounded memory."""
        return max(1, MAX_FEATURE_BYTES // (4 * self.n_features))

    def padded(self, samples: Array) -> Array:
        """Samples as they are."""
        return samples

    def __call__(self, samples: Array) -> Array:
        """Features of samples, standardised; shape (n_samples, n_features), of the precision of the samples."""
        features = self._standardised(self.peaks(samples))
        return features.astype(np.result_type(samples.dtype, np.float32), copy=False)

    def unit_vectors(self, samples: Array) -> Array:
        """Features of samples on the unit sphere, with a constant coordinate; float32 (n_samples, n_features + 1)."""
        return self.unit_vectors_of(self.peaks(samples))

    def unit_vectors_of(self, found: Array) -> Array:
        """The same for samples whose peaks are known already, as :meth:`peaks` gave them."""
        features = self._standardised(found)
        vectors = np.concatenate([features, np.full((len(features), 1), self.offset)], axis=1)
        vectors /= np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
        return vectors.astype(np.float32)

    def peaks(self, samples: Array) -> Array:
        """The strongest response of each filter to samples (n_samples, n_rings, n_angles); (n_samples, n_features).

        Every sample is turned to its representative and brought to a root mean square of 1 first, so that all rotations
        of it have the same bits, and bright images the same features as dark ones.
        """
        found = np.empty((len(samples), self.n_features), dtype=np.result_type(samples.dtype, np.float32))

        def work(part: tuple[Array, int]) -> None:
            rows, length = part
            few = np.zeros((SAMPLES_PER_PART, self.n_rings, length), dtype=found.dtype)
            few[: len(rows)] = unit_scaled(representative(samples[rows, :, :length]))
            found[rows] = peaks(few, self._spectra(length, few.dtype), self.slack, self._n_positions(length))[
                : len(rows)
            ]

        if self.length is not None:
            self._own_spectra  # noqa: B018 - computed once, not by each thread
        run_parts(work, list(self._parts(samples)))
        return found

    def without_padding(self) -> "PeakBank":
        """The same bank, for samples of any length."""
        return replace(self, length=None)

    @property
    def part_names(self) -> tuple[str, ...]:
        """What :meth:`parts_of` tells apart: the size of filters, in rings × angles."""
        return tuple(f"filters of {one.shape[1]} × {one.shape[2]}" for one in self.filters)

    def parts_of(self, shares: Array) -> Array:
        """Shares of features (n_samples, n_features), added up over filters of one size; (n_samples, n_parts)."""
        ends = np.cumsum([len(filters) for filters in self.filters])[:-1]
        return np.stack([part.sum(axis=1) for part in np.split(shares, ends, axis=1)], axis=1)

    def _parts(self, samples: Array) -> Iterator[tuple[Array, int]]:
        """Rows of a few samples of one length, and this length."""
        for rows, length in rows_of_each_length(samples):
            for first in range(0, len(rows), SAMPLES_PER_PART):
                yield rows[first : first + SAMPLES_PER_PART], length

    def _standardised(self, found: Array) -> Array:
        return (found - self.mean) * np.divide(1.0, self.scale, out=np.zeros_like(self.scale), where=self.scale > 0)

    def _n_positions(self, length: int) -> int:
        """Angles at which responses on a circle of this length are read."""
        return max(1, round(length / self.pool))

    def _spectra(self, length: int, dtype: np.dtype) -> Array:
        spectra = self._own_spectra if length == self.length else self._spectra_around(length)
        return spectra.astype(np.result_type(dtype, np.complex64), copy=False)

    @cached_property
    def _own_spectra(self) -> Array:
        assert self.length is not None
        return self._spectra_around(self.length)

    def _spectra_around(self, length: int) -> Array:
        """Conjugate spectra of all filters on their rings; complex64 array, shape (n_freqs, n_filters, n_rings)."""
        n_freqs = kept_frequencies(length, self._n_positions(length))
        spectra = np.zeros((n_freqs, self.n_features, self.n_rings), dtype=np.complex64)
        first = 0
        for filters, rings in zip(self.filters, self.first_rings, strict=True):
            numbers, height = first + np.arange(len(filters)), filters.shape[1]
            seen = rings[:, None] + np.arange(height)
            spectra[:, numbers[:, None], seen] = conjugate_spectra(filters, length).transpose(2, 0, 1)[:n_freqs]
            first += len(filters)
        return spectra

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def check_stored(self, sample_shape: tuple[int, ...], file_bytes: int) -> None:
        """Refuse a bank that came from a file and does not fit samples of this shape."""
        fits = len(sample_shape) == 2 and type(self.n_rings) is int and self.n_rings == sample_shape[0]
        expect(fits and type(self.length) is int and self.length == sample_shape[1], "samples do not fit the lift")
        expect(type(self.slack) is int and 0 <= self.slack < sample_shape[0], "the slack of the filters does not fit")
        expect(is_number(self.pool) and self.pool >= 1, "pool is wrong")
        are_pairs = isinstance(self.filters, tuple) and isinstance(self.first_rings, tuple)
        expect(are_pairs and len(self.filters) == len(self.first_rings) > 0, "the lift has no filters")
        for filters, rings in zip(self.filters, self.first_rings, strict=True):
            expect(isinstance(filters, np.ndarray) and isinstance(rings, np.ndarray), "the lift has no filters")
            fits = filters.ndim == 3 and filters.size > 0 and filters.dtype == np.float32
            expect(fits and filters.shape[1] <= sample_shape[0], "the filters of the lift do not fit")
            expect(filters.shape[2] <= sample_shape[1], "the filters of the lift do not fit")
            expect(bool((np.abs(filters) <= LARGEST_FILTER_ENTRY).all()), "filters are no finite numbers")
            expect(rings.dtype == np.int64 and rings.shape == filters.shape[:1], "the rings of the filters do not fit")
            inside = (rings >= 0) & (rings + filters.shape[1] <= sample_shape[0])
            expect(bool(inside.all()), "the rings of the filters do not fit")
        expect_numbers(self.mean, self.shape, "the mean of the lift")
        expect_numbers(self.scale, self.shape, "the scale of the lift")
        expect(bool((self.scale >= 0).all()), "the scale of the lift is negative")
        needed = 8 * self.n_features * self.n_rings * (sample_shape[1] // 2 + 1)
        allowed = SPARE_BYTES + 2 * file_bytes + 1024 * math.prod(sample_shape) * 8
        expect(needed <= max(allowed, 64 * file_bytes), f"the filters would take {readable_bytes(needed)}")


def unit_scaled(samples: Array) -> Array:
    """Samples of root mean square 1; samples of zeros stay zeros."""
    flat = samples.reshape(len(samples), -1)
    largest = np.abs(flat).max(axis=1, keepdims=True)  # first, because squares of large values overflow
    flat = flat / np.where(largest > 0, largest, 1)
    rms = np.sqrt(np.square(flat).mean(axis=1, keepdims=True))
    return (flat / np.where(rms > 0, rms, 1)).reshape(samples.shape)
