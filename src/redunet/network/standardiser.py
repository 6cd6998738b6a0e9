"""Columns of a table brought to one scale before they enter a network."""

from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..storage.expectations import expect, expect_numbers
from ..storage.stored_types import stored_record

# A column that varies by less than this share of its largest value is constant but for rounding.
CONSTANT_SHARE = 1e-12


@stored_record()
@dataclass(frozen=True, eq=False)
class Standardiser:
    """Mean and standard deviation of each feature of plain vectors.

    Parameters
    ----------
    mean : float array, shape (n_features,)
    scale : float array, shape (n_features,)
        Standard deviations; 1 for a feature that is constant.
    """

    mean: Array
    scale: Array

    @classmethod
    def of(cls, samples: Array, weights: Array) -> "Standardiser":
        """The mean and standard deviation of samples (n_samples, n_features), each counted by its weight."""
        samples = samples.astype(np.float64, copy=False)
        largest = np.abs(samples).max(axis=0)  # first, for squares of it may be too large or too small
        unit = np.where(largest > 0, largest, 1.0)
        shares = weights / weights.sum()
        mean = shares @ (samples / unit)
        deviation = np.sqrt(shares @ np.square(samples / unit - mean))
        varies = deviation > CONSTANT_SHARE
        return cls(mean * unit, np.where(varies, deviation * unit, 1.0))

    def __repr__(self) -> str:
        return f"Standardiser of {len(self.mean)} features"

    def __call__(self, samples: Array) -> Array:
        """Standardised samples, of the precision of the samples."""
        return ((samples - self.mean) / self.scale).astype(samples.dtype, copy=False)

    def check_stored(self, n_features: int) -> None:
        """Refuse what came from a file and does not standardise so many features."""
        for numbers in (self.mean, self.scale):
            expect_numbers(numbers, (n_features,), "the scale of the features")
        expect(bool((self.scale > 0).all()), "the scale of the features is not > 0")
