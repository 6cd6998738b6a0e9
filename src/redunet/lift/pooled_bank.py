"""Short dilated filters at work: what signals respond with, pooled over the whole circle."""

import math
from dataclasses import dataclass

import numpy as np

from ..fast.threads import run_parts
from ..inputs.byte_sizes import readable_bytes
from ..numerics.arrays import Array
from ..numerics.pooling import HEAVY_TAPS, N_COUNTS
from ..storage.array_header import SPARE_BYTES
from ..storage.expectations import expect
from ..storage.stored_types import stored_record

# Signals that a core works on at a time, always the same ones.
SIGNALS_PER_PART = 8
# Memory that the counts of the signals that are lifted together may take.
MAX_COUNT_BYTES = 64 * 2**20
# Bytes that a feature takes on its way: a count, its root in double precision, the root standardised.
BYTES_PER_FEATURE = 24
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
    length : int
        Of a signal, the padding included.
    """

    dilations: Array
    thresholds: Array
    mean: Array
    scale: Array
    pad: tuple[int, ...]
    length: int

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
        return max(1, MAX_COUNT_BYTES // (BYTES_PER_FEATURE * self.n_features))

    def padded(self, samples: Array) -> Array:
        """Samples with a margin of zeros; shape (n_samples, n_channels_in, length)."""
        return np.pad(samples, [(0, 0), (0, 0), (0, self.pad[0])]) if any(self.pad) else samples

    def __call__(self, samples: Array) -> Array:
        """Features of padded samples, standardised; shape (n_samples, n_features), of the precision of the samples."""
        features = np.empty((len(samples), self.n_features), dtype=np.result_type(samples.dtype, np.float32))
        inverse = np.divide(1.0, self.scale, out=np.zeros_like(self.scale), where=self.scale > 0)
        for start in range(0, len(samples), self.samples_at_a_time):
            some = slice(start, start + self.samples_at_a_time)
            features[some] = (self.raw_features(samples[some]) - self.mean) * inverse
        return features

    def raw_features(self, samples: Array) -> Array:
        """Features before they are standardised: the root of each count, as a share of the length; float64."""
        counts = np.empty((len(samples), *self.thresholds.shape, N_COUNTS), dtype=np.int32)
        for channel in range(samples.shape[1]):
            for view, signals in enumerate(views(samples[:, channel], self.thresholds.shape[1])):
                _count(signals, self.dilations, self.thresholds[channel, view], counts[:, channel, view])
        return np.sqrt(counts.reshape(len(samples), -1) / samples.shape[2])

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
        expect(pad_fits and self.length == sample_shape[1] + self.pad[0], "samples do not fit the lift")
        needed = 64 * self.length
        expect(needed <= SPARE_BYTES + 2 * file_bytes, f"one sample would take {readable_bytes(needed)} in the lift")


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


def _count(signals: Array, dilations: Array, thresholds: Array, counts: Array) -> None:
    """Counts of signals (n, length), written into an array (n, n_dilations, 84, n_thresholds, 3), on all cores."""
    from ..fast.kernels import pooled_counts

    signals, thresholds = np.ascontiguousarray(signals), np.ascontiguousarray(thresholds)

    def work(first: int) -> None:
        last = min(first + SIGNALS_PER_PART, len(signals))
        found = np.empty((last - first, *counts.shape[1:]), dtype=np.int32)
        pooled_counts(signals[first:last], dilations, HEAVY_TAPS, thresholds, found)
        counts[first:last] = found

    run_parts(work, range(0, len(signals), SIGNALS_PER_PART))
