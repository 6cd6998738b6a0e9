"""Nearest subspace, per frequency: a classifier whose answer no shift can change."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..fast.cached import cached_property
from ..fast.eigensystems import eigensystems
from ..fast.threads import run_parts
from ..numerics.arrays import Array
from ..numerics.spectrum import squared_norms
from ..numerics.subspaces import energy_outside, principal_subspaces, rounding_share
from ..storage.expectations import expect, expect_at_most_one
from ..storage.stored_types import stored_record

# Frequencies that a core works on at a time, always the same ones.
PART = 32
# Energy outside of a subspace below which it is measured by itself, not as a difference.
NEAR = 1e-4


@stored_record()
@dataclass(frozen=True, eq=False)
class NearestSubspaces:
    """A subspace for each class at each frequency.

    Parameters
    ----------
    bases : float64 or complex128 array, shape (n_classes, n_freqs, n_channels, rank)
        Orthonormal columns; columns of zeros where a class has fewer directions.
    weights : float array, shape (n_freqs,)
        Parseval weights.
    """

    bases: Array
    weights: Array

    @classmethod
    def of_moments(
        cls, M: Array, rank: int, weights: Array, dtype: np.dtype, most_directions: int | None = None
    ) -> "NearestSubspaces":
        """Subspaces of the strongest directions of class moments (n_classes, n_freqs, n_channels, n_channels).

        ``dtype`` is that of the features, whose rounding errors are not taken for directions; ``most_directions`` is
        the size of the largest class, if known.
        """
        rounding = rounding_share(M.shape[-1], dtype)
        return cls(principal_subspaces(*eigensystems(M, most_directions), rank, rounding), weights)

    @property
    def rank(self) -> int:
        """Dimension of the subspaces, at each frequency."""
        return int(self.bases.shape[-1])

    def distances(self, V: Array) -> Array:
        """Distance of each sample to each class subspace, in [0, 1].

        Computed in double precision and rounded, above the rounding errors of V and far below any meaning, so that a
        tie is a tie, and is broken the same way, whatever the order of additions.

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
            Features of unit norm.

        Returns
        -------
        float64 array, shape (n_samples, n_classes)
        """
        decimals = rounded_decimals(V)
        V = V.astype(np.result_type(V.dtype, np.float64))
        total = squared_norms(V, self.weights)[:, None]
        outside = 1.0 - self._energy_inside(V) / total
        # What is left of a difference of nearly equal numbers is rounding: there the rest itself is measured.
        near = np.flatnonzero((outside < NEAR).any(axis=1))
        if len(near):
            outside[near] = energy_outside(self.bases, V[:, :, near], self.weights) / total[near]
        return np.round(np.sqrt(np.clip(outside, 0.0, 1.0)), decimals)

    def _energy_inside(self, V: Array) -> Array:
        """Energy of each sample in each class subspace, on all cores; shape (n_samples, n_classes)."""
        k, n_freqs, _, rank = self.bases.shape
        parts = [slice(first, first + PART) for first in range(0, n_freqs, PART)]
        energies = np.empty((len(parts), V.shape[2], k))

        def work(number: int) -> None:
            part = parts[number]
            along = self._rows[part] @ V[part]
            energy = np.square(along.real)
            if np.iscomplexobj(along):
                energy += np.square(along.imag)
            of_class = energy.reshape(len(energy), k, rank, -1).sum(axis=2)
            energies[number] = np.einsum("p,pji->ij", self.weights[part], of_class)

        run_parts(work, range(len(parts)))
        return energies.sum(axis=0)

    @cached_property
    def _rows(self) -> Array:
        """The bases as rows to multiply with; shape (n_freqs, n_classes · rank, n_channels)."""
        k, n_freqs, C, rank = self.bases.shape
        return np.ascontiguousarray(self.bases.conj().transpose(1, 0, 3, 2)).reshape(n_freqs, k * rank, C)

    def __getstate__(self) -> dict[str, object]:
        return {"bases": self.bases, "weights": self.weights}

    def check_stored(self, shape: tuple[int, int, int], kinds: set[str], rank: int | None) -> None:
        """Refuse subspaces that came from a file and do not fit.

        Parameters
        ----------
        shape : tuple of int
            (n_classes, n_freqs, n_channels) of the features that are measured.
        kinds : set of str
            Types that large arrays may have.
        rank : int or None
            What the classifier says of its rank.
        """
        bases = self.bases
        expect_measure(bases, self.weights, shape[1], kinds)
        fits = bases.ndim == 4 and bases.shape[:3] == shape and 1 <= bases.shape[3] <= shape[2]
        expect(fits, "subspaces do not fit")
        expect_at_most_one(bases, "subspaces have no orthonormal basis")
        expect(rank is not None, "rank_ is not that of the answers")
        expect(rank is None or rank >= 1, "rank_ is not >= 1")


def expect_measure(large: Any, weights: Any, n_freqs: int, kinds: set[str]) -> None:
    """Refuse the arrays of a measure that came from a file: of another type, not finite, or of other frequencies."""
    are_arrays = isinstance(large, np.ndarray) and isinstance(weights, np.ndarray)
    expect(are_arrays, "the answers are no arrays")
    expect(weights.shape == (n_freqs,), "the weights of the frequencies do not fit")
    expect(large.dtype.name in kinds, "the answers are of another type")
    expect(bool(np.isfinite(large).all()), "the answers are not finite")


def rounded_decimals(V: Array) -> int:
    """Decimals of a distance that are above the rounding errors of features."""
    return 6 if V.real.dtype == np.float32 else 9
