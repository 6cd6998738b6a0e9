"""Shortest code: the class whose code book describes a sample in the fewest nats, log-determinant included."""

from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..numerics.membership import code_length
from ..storage.expectations import expect, expect_numbers
from ..storage.stored_types import stored_record
from .subspace import expect_measure, rounded_decimals


@stored_record()
@dataclass(frozen=True, eq=False)
class CodeBooks:
    """A code book for each class: how long the code of a sample is, per coefficient.

    Unlike a subspace it sees how much energy a class has at each frequency, not its directions alone.

    Parameters
    ----------
    compression : array, shape (n_classes, n_freqs, n_channels, n_channels)
        C_j = α_j (I + α_j M_j)⁻¹.
    unit, offset : float array, shape (n_classes,)
        The length is v* C_j v / unit_j + offset_j.
    weights : float array, shape (n_freqs,)
        Parseval weights.
    """

    compression: Array
    unit: Array
    offset: Array
    weights: Array

    def distances(self, V: Array) -> Array:
        """Code length of each sample with each code book, rounded; float64 array, shape (n_samples, n_classes)."""
        decimals = rounded_decimals(V)
        V = V.astype(np.result_type(V.dtype, np.float64))
        lengths = [
            code_length(V, (C_j @ V)[None], self.unit[j : j + 1], self.offset[j : j + 1], self.weights)[0]
            for j, C_j in enumerate(self.compression)
        ]
        return np.round(np.stack(lengths, axis=1), decimals)

    def check_stored(self, shape: tuple[int, int, int], kinds: set[str], rank: int | None) -> None:
        """Refuse code books that came from a file and do not fit.

        Parameters
        ----------
        shape : tuple of int
            (n_classes, n_freqs, n_channels) of the features that are measured.
        kinds : set of str
            Types that large arrays may have.
        rank : int or None
            What the classifier says of its rank.
        """
        expect_measure(self.compression, self.weights, shape[1], kinds)
        expect(self.compression.shape == (*shape, shape[2]), "the code books do not fit")
        for numbers in (self.unit, self.offset):
            expect_numbers(numbers, shape[:1], "the code books")
        expect(bool((self.unit > 0).all()), "the units of the codes are not > 0")
        expect(rank is None, "rank_ is not that of the answers")
