"""Short dilated filters at work: what signals respond with, pooled over the whole circle."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..fast.cached import cached_property
from ..fast.threads import run_parts
from ..inputs.byte_sizes import readable_bytes
from ..inputs.unequal_lengths import lengths_of
from ..numerics.arrays import Array
from ..numerics.pooling import HEAVY_TAPS, N_COUNTS
from ..storage.array_header import SPARE_BYTES
from ..storage.expectations import expect
from ..storage.stored_types import stored_record

# Signals that a core works on at a time, always the same ones.
SIGNALS_PER_PART = 8
# Memory that the features of the signals that are lifted together may take.
MAX_FEATURE_BYTES = 32 * 2**20
# What a filter sees, and what is counted of its responses, in the order of the features.
VIEW_NAMES = ("signal", "difference")
COUNT_NAMES = ("positions", "longest run", "number of runs")
# Counts from a file are refused beyond this many features.
MAX_FEATURES = 10**7


@stored_record()
@dataclass(frozen=True, eq=False)
class PooledBank:
    """Dilated filters, thresholds, and the scale of what is counted; the answer is a vector, the same at every shift.

    Parameters
    ----------
    dilations : int64 array, shape (n_dilations,)
        Distances between the taps of a filter.
    thresholds : float32 array, shape (n_channels_in, n_views, n_dilations, 84, n_thresholds)
        A view is the signal itself, or its circular difference.
    mean, scale : float64 array, shape (n_features,)
        Mean and standard deviation of each feature over the training samples; a scale of 0 leaves the feature out.
    pad : tuple of int
        Zeros appended to a signal.
    length : int or None
        Of a signal, the padding included; None where each signal has a length of its own.
    """

    dilations: Array
    thresholds: Array
    mean: Array
    scale: Array
    pad: tuple[int, ...]
    length: int | None

    # Features are the same bits for every shift, and no threshold makes them sums over the sample.
    is_invariant = True
    is_linear = False

    @property
    def n_features(self) -> int:
        """Features of a signal: so many counts for each threshold."""
        return self.thresholds.size * N_COUNTS

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
        """Samples as they are: zeros are appended where a signal ends, which is where it is counted."""
        return samples

    def __call__(self, samples: Array) -> Array:
        """Features of samples, standardised; shape (n_samples, n_features), of the precision of the samples."""
        features = np.empty((len(samples), self.n_features), dtype=np.result_type(samples.dtype, np.float32))
        for start in range(0, len(samples), self.samples_at_a_time):
            some = slice(start, start + self.samples_at_a_time)
            counts, lengths = self.counts(samples[some])
            features[some] = (np.sqrt(counts / lengths[:, None]) - self.mean) * self._inverse_scale
        return features

    def unit_vectors(self, samples: Array) -> Array:
        """Features of samples on the unit sphere, with a constant coordinate; float32 (n_samples, n_features + 1).

        The twin of :func:`redunet.numerics.pooling.unit_vectors`, on all cores.
        """
        vectors = np.empty((len(samples), self.n_features + 1), dtype=np.float32)

        def work(part: tuple[Array, Array]) -> None:
            rows, signals = part
            vectors[rows] = self._unit(self._counts(signals), signals.shape[2])

        run_parts(work, list(self._parts(samples)))
        return vectors

    def unit_vectors_of(self, counts: Array, lengths: Array) -> Array:
        """The same for signals that were counted already, as :meth:`counts` gave it."""
        vectors = np.empty((len(counts), self.n_features + 1), dtype=np.float32)

        def work(first: int) -> None:
            for i in range(first, min(first + SIGNALS_PER_PART, len(counts))):
                vectors[i] = self._unit(counts[i : i + 1], int(lengths[i]))[0]

        run_parts(work, range(0, len(counts), SIGNALS_PER_PART))
        return vectors

    def without_padding(self) -> "PooledBank":
        """The same bank, for signals that have their zeros already."""
        return replace(self, pad=(0,), length=None)

    @property
    def part_names(self) -> tuple[str, ...]:
        """What :meth:`parts_of` tells apart: the dilation of filters, what they saw, and what was counted."""
        n_channels, n_views = self.thresholds.shape[:2]
        return tuple(
            f"{f'channel {channel}, ' if n_channels > 1 else ''}{VIEW_NAMES[view]}, dilation {dilation}, {count}"
            for channel in range(n_channels)
            for view in range(n_views)
            for dilation in self.dilations.tolist()
            for count in COUNT_NAMES
        )

    def parts_of(self, shares: Array) -> Array:
        """Shares of features (n_samples, n_features), added up over filters and thresholds; (n_samples, n_parts)."""
        return shares.reshape(len(shares), *self.thresholds.shape, N_COUNTS).sum(axis=(4, 5)).reshape(len(shares), -1)

    def counts(self, samples: Array) -> tuple[Array, Array]:
        """What is counted of samples, on all cores, and the length of each, the padding included.

        Returns
        -------
        counts : int32 array, shape (n_samples, n_features)
        lengths : float array, shape (n_samples,)
        """
        counts = np.empty((len(samples), self.n_features), dtype=np.int32)
        lengths = np.empty(len(samples))

        def work(part: tuple[Array, Array]) -> None:
            rows, signals = part
            counts[rows] = self._counts(signals)
            lengths[rows] = signals.shape[2]

        run_parts(work, list(self._parts(samples)))
        return counts, lengths

    def _parts(self, samples: Array) -> Iterator[tuple[Array, Array]]:
        """Rows of a few signals of one length, and the signals themselves with their zeros appended."""
        for rows, length in rows_of_each_length(samples):
            for first in range(0, len(rows), SIGNALS_PER_PART):
                some = rows[first : first + SIGNALS_PER_PART]
                yield some, padded_signals(samples[some, :, :length], self.pad[0])

    def _counts(self, signals: Array) -> Array:
        """Counts of a few padded signals (n, n_channels_in, length); int32 array, shape (n, n_features)."""
        from ..fast.kernels import pooled_counts

        n_channels, n_views = self.thresholds.shape[:2]
        counts = np.empty((len(signals), *self.thresholds.shape, N_COUNTS), dtype=np.int32)
        found = np.empty((len(signals), *counts.shape[3:]), dtype=np.int32)
        for channel in range(n_channels):
            for view, of_view in enumerate(views(signals[:, channel], n_views)):
                pooled_counts(of_view, self.dilations, HEAVY_TAPS, self.thresholds[channel, view], found)
                counts[:, channel, view] = found
        return counts.reshape(len(signals), -1)

    def _unit(self, counts: Array, length: int) -> Array:
        from ..fast.kernels import unit_vectors

        vectors = np.empty((len(counts), self.n_features + 1), dtype=np.float32)
        unit_vectors(counts, float(length), self.mean, self._inverse_scale, self.offset, vectors)
        return vectors

    @cached_property
    def _inverse_scale(self) -> Array:
        return np.divide(1.0, self.scale, out=np.zeros_like(self.scale), where=self.scale > 0)

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def check_stored(self, sample_shape: tuple[int, ...], file_bytes: int) -> None:
        """Refuse a bank that came from a file and does not fit samples of this shape."""
        arrays = (self.dilations, self.thresholds, self.mean, self.scale)
        expect(all(isinstance(array, np.ndarray) for array in arrays), "the lift has no arrays")
        expect(self.dilations.dtype == np.int64 and self.dilations.ndim == 1, "the dilations of the lift are wrong")
        expect(bool(((self.dilations >= 1) & (self.dilations < 2**31)).all()), "the dilations of the lift are wrong")
        fits = self.thresholds.ndim == 5 and self.thresholds.dtype == np.float32 and len(sample_shape) == 2
        expect(fits, "the thresholds of the lift do not fit")
        expected = (sample_shape[0], len(self.dilations), len(HEAVY_TAPS))
        found = (self.thresholds.shape[0], *self.thresholds.shape[2:4])
        expect(found == expected and self.thresholds.shape[1] in (1, 2), "the thresholds of the lift do not fit")
        expect(bool(np.isfinite(self.thresholds).all()), "the thresholds of the lift are not finite")
        expect(0 < self.n_features <= MAX_FEATURES, "the lift has too many features")
        for values in (self.mean, self.scale):
            expect(values.dtype == np.float64 and values.shape == self.shape, "the scale of the lift does not fit")
            expect(bool(np.isfinite(values).all()), "the scale of the lift is not finite")
        expect(bool((self.scale >= 0).all()), "the scale of the lift is negative")
        pad_fits = isinstance(self.pad, tuple) and len(self.pad) == 1 and type(self.pad[0]) is int and self.pad[0] >= 0
        expect(pad_fits, "pad is wrong")
        longest = sample_shape[1] + self.pad[0]
        expect(self.length is None or self.length == longest, "samples do not fit the lift")
        needed = 64 * longest
        expect(needed <= SPARE_BYTES + 2 * file_bytes, f"one sample would take {readable_bytes(needed)} in the lift")


def rows_of_each_length(samples: Array) -> list[tuple[Array, int]]:
    """Rows of the signals of one length in an array (n_samples, n_channels, longest), and this length; for each."""
    lengths = lengths_of(samples)
    if lengths is None:
        return [(np.arange(len(samples)), samples.shape[2])]
    return [(np.flatnonzero(lengths == length), int(length)) for length in np.unique(lengths)]


def padded_signals(signals: Array, n_zeros: int) -> Array:
    """Signals (n, n_channels, length) with so many zeros appended."""
    return np.pad(signals, [(0, 0), (0, 0), (0, n_zeros)]) if n_zeros else signals


def views(signals: Array, n_views: int) -> list[Array]:
    """Signals (n, length) of mean 0 and mean square 1 in single precision; then their circular difference, too.

    Sums run over the values in ascending order, so that they have the same bits for every shift of a signal.
    """
    wanted = [signals, signals - np.roll(signals, 1, axis=1)][:n_views]
    return [_standardised(one) for one in wanted]


def _standardised(signals: Array) -> Array:
    signals = signals.astype(np.float64)
    peaks = np.abs(signals).max(axis=1, keepdims=True)  # first, for squares of it may be too large or too small
    signals = signals / np.where(peaks > 0, peaks, 1.0)
    ascending = np.sort(signals, axis=1)
    mean = ascending.mean(axis=1, keepdims=True)
    deviation = np.sqrt(np.sort(np.square(ascending - mean), axis=1).mean(axis=1, keepdims=True))
    # A signal that is constant but for rounding has no shape.
    varies = deviation > 1e-9
    return np.where(varies, (signals - mean) / np.where(varies, deviation, 1.0), 0.0).astype(np.float32)
