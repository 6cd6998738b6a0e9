"""Nearest subspace, per frequency: a classifier whose answer no shift can change."""

from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..numerics.spectrum import squared_norms
from ..numerics.subspaces import energy_outside, energy_spectrum, principal_subspaces

# Subspaces chosen automatically hold at least this share of the energy of the classes, on average.
ENERGY_KEPT = 0.95


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
    def of_moments(cls, M: Array, rank: int | None, weights: Array, dtype: np.dtype) -> "NearestSubspaces":
        """Subspaces of the strongest directions of class moments (n_classes, n_freqs, n_channels, n_channels).

        Without a rank it is the smallest that holds 95 % of the energy. ``dtype`` is that of the features, whose
        rounding errors are not taken for directions.
        """
        rounding = max(np.finfo(np.float64).eps, 10 * float(np.finfo(dtype).eps) ** 2)
        rank = rank or rank_for_energy(M, weights)
        return cls(principal_subspaces(M, rank, M.shape[-1] * rounding), weights)

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
        decimals = 6 if V.real.dtype == np.float32 else 9
        V = V.astype(np.result_type(V.dtype, np.float64))
        total = squared_norms(V, self.weights)[:, None]
        outside = energy_outside(self.bases, V, self.weights) / total
        return np.round(np.sqrt(np.minimum(outside, 1.0)), decimals)


def rank_for_energy(M: Array, weights: Array, kept: float = ENERGY_KEPT) -> int:
    """Smallest rank whose subspaces hold the share ``kept`` of the energy, but fewer than would hold every sample.

    Parameters
    ----------
    M : array, shape (n_classes, n_freqs, n_channels, n_channels)
    weights : float array, shape (n_freqs,)
    """
    share = energy_spectrum(M, weights)
    rank = int(np.searchsorted(share, kept)) + 1
    return max(1, min(rank, len(share) - 1))
