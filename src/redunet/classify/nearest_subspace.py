"""Nearest subspace, per frequency: a classifier whose answer no shift can change."""

from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..numerics.subspaces import captured_energy, energy_spectrum, principal_subspaces

# Subspaces chosen automatically hold at least this share of the energy of their class.
ENERGY_KEPT = 0.95


@dataclass(frozen=True, eq=False)
class NearestSubspaces:
    """A subspace for each class at each frequency.

    Parameters
    ----------
    bases : array, shape (n_classes, n_freqs, n_channels, rank)
        Orthonormal columns.
    weights : float array, shape (n_freqs,)
        Parseval weights.
    """

    bases: Array
    weights: Array

    @classmethod
    def of_moments(
        cls,
        M: Array,
        rank: int,
        weights: Array,
        dtype: np.dtype,
    ) -> "NearestSubspaces":
        """Subspaces of the strongest directions of class moments (n_classes, n_freqs, n_channels, n_channels).

        ``dtype`` is that of the features, whose rounding errors are not taken for directions.
        """
        rounding = max(np.finfo(np.float64).eps, 10 * float(np.finfo(dtype).eps) ** 2)
        return cls(principal_subspaces(M, rank, M.shape[-1] * rounding).astype(dtype), weights)

    def energy(self, V: Array) -> Array:
        """Share of each sample's energy in each class subspace, in [0, 1]; the larger, the nearer.

        Rounded far above the rounding errors of V's precision and far below any meaning, so that a tie is a tie, and is
        broken the same way, whatever the order of additions.

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
            Features of unit norm.

        Returns
        -------
        float64 array, shape (n_samples, n_classes)
        """
        decimals = 5 if V.real.dtype == np.float32 else 10
        return np.clip(np.round(captured_energy(self.bases, V, self.weights), decimals), 0.0, 1.0)


def rank_for_energy(M: Array, weights: Array, kept: float = ENERGY_KEPT) -> int:
    """Smallest rank whose subspaces hold the share ``kept`` of the energy, but one less than would hold every sample.

    Parameters
    ----------
    M : array, shape (n_classes, n_freqs, n_channels, n_channels)
    weights : float array, shape (n_freqs,)
    """
    share = energy_spectrum(M, weights)
    rank = int(np.searchsorted(share, kept)) + 1
    return max(1, min(rank, len(share) - 1))
