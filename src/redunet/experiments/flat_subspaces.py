"""The paper's classifier: the nearest class subspace of features taken as flat vectors, which a shift can change."""

from dataclasses import dataclass

import numpy as np

from ..data.shifts import each_shift
from ..numerics.arrays import Array

# Number of directions of a class. The paper does not say how many; ten are what the work it builds on takes.
RANK = 10


@dataclass(frozen=True, eq=False)
class FlatSubspaces:
    """Strongest directions of the features of each class; array of shape (n_classes, n_features, rank)."""

    bases: Array

    @classmethod
    def of(cls, Z: Array, y: Array, rank: int = RANK) -> "FlatSubspaces":
        """Subspaces of features (n_samples, ...) with class numbers 0, 1, …"""
        flat = Z.reshape(len(Z), -1)
        found = []
        for j in range(int(y.max()) + 1):
            # Eigenvectors of the smaller of the two Gram matrices span the same directions as an SVD.
            of_class = flat[y == j].astype(np.float64)
            _, vectors = np.linalg.eigh(of_class @ of_class.T)
            basis = np.linalg.qr(of_class.T @ vectors[:, : -min(rank, len(of_class)) - 1 : -1])[0]
            found.append(basis[:, : min(rank, basis.shape[1])])
        least = min(basis.shape[1] for basis in found)
        return cls(np.stack([basis[:, :least] for basis in found]).astype(Z.dtype))

    def predict(self, Z: Array) -> Array:
        """Number of the class whose subspace holds most of the energy of each sample."""
        flat = Z.reshape(len(Z), -1)
        inside = [np.square(flat @ basis).sum(axis=1) for basis in self.bases]
        return np.stack(inside, axis=1).argmax(axis=1)

    def score(self, Z: Array, y: Array) -> float:
        """Share of samples that are classified correctly."""
        return float(np.mean(self.predict(Z) == y))

    def score_shifted(self, Z: Array, y: Array, n_axes: int, stride: int = 1) -> float:
        """Share of samples that are classified correctly, over all circular shifts of their features.

        Features of a shifted sample are the shifted features, so the network need not run again. Shifts are along the
        last ``n_axes`` axes, by multiples of the stride.
        """
        return float(np.mean([self.score(shifted, y) for shifted in each_shift(Z, n_axes, stride)]))
