"""What is kept of samples that are seen once: their class moments, and a few of them for evidence. It adds up.

The moments of all samples are the sum of the moments of any parts: over blocks of a file, over days, over machines. So
parts can be gathered in any order and anywhere, and taken out again.
"""

from dataclasses import dataclass

import numpy as np

from ..fast.threads import run_parts
from ..inputs.errors import InputError
from ..measures.class_moments import ClassMoments
from ..network.network import Network
from ..numerics.arrays import Array, ArrayRecord
from ..numerics.moments import moment
from ..storage.expectations import expect, expect_numbers
from ..storage.stored_types import stored_record
from .reservoir import Reservoir

# Samples enter a network in parts of so many bytes, which stay in the cache of the processor; or in larger ones, so
# that a part has FEW_SAMPLES samples where these take no more than LARGEST_PART_BYTES.
PART_BYTES, LARGEST_PART_BYTES, FEW_SAMPLES = 2 * 2**20, 64 * 2**20, 2048
# What is left of a class from which all samples were taken is no more than this share: rounding.
ROUNDING_SHARE = 1e-9
# Samples that were never added leave a moment with a direction of less than no energy, by more than this share.
NEGATIVE_SHARE = 1e-6


@stored_record()
@dataclass(frozen=True, eq=False)
class GatheredMoments(ArrayRecord):
    """Second moments of the classes at the entrance of a network, and a few of the samples.

    Parameters
    ----------
    M : float64 or complex128 array, shape (n_classes, n_freqs, n_channels, n_channels)
        Zero for a class without samples.
    class_weight : float array, shape (n_classes,)
        Number, or total weight, of the samples of each class.
    reservoir : Reservoir
    """

    M: Array
    class_weight: Array
    reservoir: Reservoir

    @property
    def seen(self) -> Array:
        """Numbers of the classes that have samples."""
        return np.flatnonzero(self.class_weight)

    def plus(self, other: "GatheredMoments") -> "GatheredMoments":
        """What all samples of both have given."""
        M, class_weight = self.M + other.M, self.class_weight + other.class_weight
        return GatheredMoments(M, class_weight, self.reservoir.plus(other.reservoir))

    def minus(self, other: "GatheredMoments") -> "GatheredMoments":
        """What is left when the moments of samples are taken out again; the reservoir stays as it is.

        Differences of nearly equal numbers lose digits: where a share s of the samples is left, what is left has a
        relative error of about 1e-16 / s.
        """
        left = self.class_weight - other.class_weight
        gone = left <= ROUNDING_SHARE * self.class_weight
        M = self.M - other.M
        for j in other.seen:
            scale = float(np.einsum("pcc->", self.M[j]).real)
            lowest = float(np.linalg.eigvalsh(M[j]).min())
            if left[j] < -ROUNDING_SHARE * self.class_weight[j] or lowest < -NEGATIVE_SHARE * scale:
                raise InputError(
                    "these samples cannot be taken out: not all of them were seen before with these labels and "
                    "weights. Pass samples exactly as they were passed to fit or partial_fit."
                )
        M[gone] = 0.0
        return GatheredMoments(M, np.where(gone, 0.0, left), self.reservoir)

    def recoded(self, new_codes: Array, n_classes: int) -> "GatheredMoments":
        """The same among so many classes, of which class j here is number ``new_codes[j]``."""
        M = np.zeros((n_classes, *self.M.shape[1:]), dtype=self.M.dtype)
        class_weight = np.zeros(n_classes)
        M[new_codes], class_weight[new_codes] = self.M, self.class_weight
        return GatheredMoments(M, class_weight, self.reservoir.recoded(new_codes))

    def of_seen_classes(self) -> "GatheredMoments":
        """The same without classes that have no samples."""
        seen = self.seen
        if len(seen) == len(self.class_weight):
            return self
        new_codes = np.zeros(len(self.class_weight), dtype=np.int64)
        new_codes[seen] = np.arange(len(seen))
        return GatheredMoments(self.M[seen], self.class_weight[seen], self.reservoir.recoded(new_codes))

    def class_moments(self, network: Network) -> ClassMoments:
        """The moments, for whoever reads operators and measures off them; every class must have samples."""
        return ClassMoments(self.M, self.class_weight, network.space)

    def check_stored(self, network: Network, sample_shape: tuple[int, ...], n_classes: int) -> None:
        """Refuse moments that came from a file and do not fit a network and so many classes."""
        n_freqs, n_channels = network.block_shape
        kind = np.complex128 if network.geometry.grid else np.float64
        fits = isinstance(self.M, np.ndarray) and self.M.dtype == kind
        expect(fits and self.M.shape == (n_classes, n_freqs, n_channels, n_channels), "the moments do not fit")
        expect(bool(np.isfinite(self.M).all()), "the moments are not finite")
        expect_numbers(self.class_weight, (n_classes,), "the weights of the classes")
        expect(bool((self.class_weight >= 0).all()), "the weights of the classes are negative")
        expect(isinstance(self.reservoir, Reservoir), "the moments have no reservoir")
        self.reservoir.check_stored(sample_shape, n_classes)


def gather(
    network: Network, samples: Array, codes: Array, weights: Array, n_classes: int, evidence_samples: int
) -> GatheredMoments:
    """Class moments of samples at the entrance of a network, and a few of the samples, in bounded memory.

    Parameters
    ----------
    network : Network
        Without layers and without a span.
    samples : array, shape (n_samples, *sample_shape)
    codes : int array, shape (n_samples,)
        Class of each sample, of which any may be missing.
    weights : float array, shape (n_samples,)
        Of each sample; those of weight 0 do not count.
    n_classes : int
    evidence_samples : int
        Samples to keep for evidence.
    """
    n_freqs, n_channels = network.block_shape
    M = np.zeros((n_classes, n_freqs, n_channels, n_channels), dtype=network.operator_kind(np.dtype(np.float64)))
    class_weight = np.zeros(n_classes)
    counted = np.flatnonzero(weights)
    at_a_time = min(_samples_at_a_time(network), len(counted))
    # Memory that all parts use one after the other.
    room_of_samples = np.empty((at_a_time, *samples.shape[1:]), dtype=samples.dtype)
    room_of_blocks = network.empty_blocks(at_a_time)
    for start in range(0, len(counted), max(1, at_a_time)):
        rows = counted[start : start + at_a_time]
        rows = rows[np.argsort(codes[rows], kind="stable")]
        some = np.take(samples, rows, axis=0, out=room_of_samples[: len(rows)], mode="clip")
        of_some, weight = codes[rows], weights[rows]
        V = network.entered(some, room_of_blocks[:, :, : len(rows)])
        bounds, equal = np.searchsorted(of_some, np.arange(n_classes + 1)), bool((weight == 1).all())

        def add_class(
            j: int, V: Array = V, bounds: Array = bounds, weight: Array = weight, equal: bool = equal
        ) -> None:
            mine = slice(bounds[j], bounds[j + 1])
            M[j] += moment(V[:, :, mine], None if equal else weight[mine])

        run_parts(add_class, np.unique(of_some).tolist())
        class_weight += np.bincount(of_some, weight, n_classes)
    if len(counted) < len(samples) and evidence_samples:
        samples, codes, weights = samples[counted], codes[counted], weights[counted]
    return GatheredMoments(M, class_weight, Reservoir.of(evidence_samples, samples, codes, weights))


def _samples_at_a_time(network: Network) -> int:
    """How many samples enter together: enough for quick products, in bounded memory."""
    n_freqs, n_channels = network.block_shape
    of_one = n_freqs * n_channels * (16 if network.geometry.grid else 8)
    return max(1, PART_BYTES // of_one, min(FEW_SAMPLES, LARGEST_PART_BYTES // of_one))
