"""A few of many samples, always the same ones: what evidence is taken from where only moments are kept."""

from dataclasses import dataclass, replace

import numpy as np

from ..numerics.arrays import Array, ArrayRecord
from ..numerics.sample_keys import sample_keys
from ..storage.expectations import expect, expect_numbers
from ..storage.stored_types import stored_record

# Samples of each class that are kept however few of all samples they are.
LEAST_OF_A_CLASS = 20
# What is left of a weight from which all of it was taken is no more than this share: rounding.
ROUNDING_SHARE = 1e-9


@stored_record()
@dataclass(frozen=True, eq=False)
class Reservoir(ArrayRecord):
    """The samples of the smallest keys among all that were seen, and some of each class.

    A key depends on the values of a sample alone (:func:`redunet.numerics.sample_keys.sample_keys`). So the same
    samples are kept in whatever order, and divided into whatever parts, they came. Samples that are equal are kept
    once, with the sum of their weights.

    Parameters
    ----------
    size : int
        Samples to keep; beside them there are at most twenty of each class.
    samples : array, shape (n_kept, *sample_shape)
        In ascending order of their keys.
    codes : int64 array, shape (n_kept,)
        Class of each.
    weights : float array, shape (n_kept,)
        How often each counts.
    keys : int64 array, shape (n_kept,)
    """

    size: int
    samples: Array
    codes: Array
    weights: Array
    keys: Array

    @classmethod
    def of(cls, size: int, samples: Array, codes: Array, weights: Array) -> "Reservoir":
        """The reservoir of samples that are seen together; 0 keeps none."""
        if not size:
            return cls(0, samples[:0], codes[:0].astype(np.int64), weights[:0], np.empty(0, dtype=np.int64))
        whole = cls(size, samples, codes.astype(np.int64), weights, sample_keys(samples))
        return whole._promising()._kept()

    def plus(self, other: "Reservoir") -> "Reservoir":
        """The reservoir of all samples that either was made of, as large as the smaller of the two."""
        joined = replace(
            self,
            size=min(self.size, other.size),
            samples=np.concatenate([self.samples, other.samples]),
            codes=np.concatenate([self.codes, other.codes]),
            weights=np.concatenate([self.weights, other.weights]),
            keys=np.concatenate([self.keys, other.keys]),
        )
        return joined._kept()

    def minus(self, samples: Array, codes: Array, weights: Array) -> "Reservoir":
        """What is left when samples are taken out again; those that were not kept are not missed."""
        taken: dict[tuple[int, int], float] = {}
        keys = sample_keys(samples) if len(self.keys) else ()
        for key, code, weight in zip(keys, codes.tolist(), weights.tolist(), strict=False):
            taken[int(key), code] = taken.get((int(key), code), 0.0) + weight
        mine = zip(self.keys.tolist(), self.codes.tolist(), strict=True)
        left = self.weights - np.array([taken.get(one, 0.0) for one in mine])
        return replace(self, weights=left)._rows(np.flatnonzero(left > ROUNDING_SHARE * self.weights))

    def recoded(self, new_codes: Array) -> "Reservoir":
        """The same samples where class j has another number, ``new_codes[j]``."""
        return replace(self, codes=new_codes[self.codes])

    def of_size(self, size: int) -> "Reservoir":
        """The reservoir of no more than so many samples, which those of a larger one are enough for; 0 keeps none."""
        return replace(self, size=size)._kept()

    def _promising(self) -> "Reservoir":
        """The few of many samples that may be kept, so that not all of them have to be sorted."""
        if len(self.keys) <= 4 * self.size:
            return self
        near = self.keys <= np.partition(self.keys, 2 * self.size)[2 * self.size]
        pairs = np.unique(np.stack([self.keys[near], self.codes[near]]), axis=1)
        if pairs.shape[1] < self.size:  # many equal samples
            return self
        n_classes = int(self.codes.max()) + 1
        rare = np.bincount(pairs[1], minlength=n_classes) < LEAST_OF_A_CLASS
        return self._rows(np.flatnonzero(near | rare[self.codes]))

    def _kept(self) -> "Reservoir":
        """Equal samples put together; of them those of the smallest keys, and some of each class."""
        order = np.lexsort((self.codes, self.keys))
        keys, codes = self.keys[order], self.codes[order]
        first = np.ones(len(order), dtype=bool)
        first[1:] = (keys[1:] != keys[:-1]) | (codes[1:] != codes[:-1])
        starts = np.flatnonzero(first)
        weights = np.add.reduceat(self.weights[order], starts) if len(starts) else self.weights
        rows, codes = order[starts], codes[starts]
        # The place of each among those of its class, which are in ascending order of their keys already.
        by_class = np.argsort(codes, kind="stable")
        bounds = np.searchsorted(codes[by_class], codes[by_class])
        place = np.empty(len(rows), dtype=np.int64)
        place[by_class] = np.arange(len(rows)) - bounds
        least = LEAST_OF_A_CLASS if self.size else 0
        stays = (np.arange(len(rows)) < self.size) | (place < least)
        kept = self._rows(rows[stays])
        return replace(kept, weights=weights[stays])

    def _rows(self, rows: Array) -> "Reservoir":
        return replace(
            self, samples=self.samples[rows], codes=self.codes[rows], weights=self.weights[rows], keys=self.keys[rows]
        )

    def check_stored(self, sample_shape: tuple[int, ...], n_classes: int) -> None:
        """Refuse a reservoir that came from a file and does not fit samples of this shape and so many classes."""
        expect(type(self.size) is int and self.size >= 0, "the reservoir has no size")
        expect(isinstance(self.samples, np.ndarray), "the reservoir has no samples")
        n_kept = len(self.samples)
        expect(self.samples.shape == (n_kept, *sample_shape), "the samples of the reservoir have another shape")
        expect(self.samples.dtype in (np.float32, np.float64), "the samples of the reservoir are no numbers")
        expect(bool(np.isfinite(self.samples).all()), "the samples of the reservoir are not finite")
        expect_numbers(self.weights, (n_kept,), "the weights of the reservoir")
        for numbers in (self.codes, self.keys):
            fits = isinstance(numbers, np.ndarray) and numbers.dtype == np.int64 and numbers.shape == (n_kept,)
            expect(fits, "the reservoir does not fit together")
        expect(bool((self.weights > 0).all()), "the weights of the reservoir are not > 0")
        expect(bool(((self.codes >= 0) & (self.codes < n_classes)).all()), "the classes of the reservoir are others")
