"""What the code of a cluster is computed from: its weight, its sum and its second moments."""

from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array

# Numbers that are multiplied at a time, so that memory stays bounded for many samples.
NUMBERS_AT_A_TIME = 2**22


@dataclass(frozen=True, eq=False)
class SegmentMoments:
    """Weights, sums and second moments of several clusters; those of two clusters together are their sums.

    Parameters
    ----------
    weight : float array, shape (n_clusters,)
    sums : array, shape (n_clusters, n_channels)
        At frequency 0. All circular shifts of a sample belong to its cluster, and their sum is 0 at any other one.
    second : array, shape (n_clusters, n_freqs, n_channels, n_channels)
        Σ w v v* at each frequency.
    """

    weight: Array
    sums: Array
    second: Array

    @classmethod
    def of(cls, V: Array, weights: Array, labels: Array, n_clusters: int) -> "SegmentMoments":
        """Moments of samples.

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
        weights : float array, shape (n_samples,)
        labels : int array, shape (n_samples,)
            Number of the cluster of each sample.
        n_clusters : int
        """
        P, C, _ = V.shape
        weight = np.bincount(labels, weights, minlength=n_clusters)
        sums = np.zeros((n_clusters, C), dtype=V.dtype)
        second = np.zeros((n_clusters, P, C, C), dtype=V.dtype)
        order = np.argsort(labels, kind="stable")
        bounds = np.searchsorted(labels[order], np.arange(n_clusters + 1))
        at_a_time = max(1, NUMBERS_AT_A_TIME // (P * C))
        for j in range(n_clusters):
            for start in range(bounds[j], bounds[j + 1], at_a_time):
                some = order[start : min(start + at_a_time, bounds[j + 1])]
                part = V[:, :, some]
                weighted = part * weights[some]
                sums[j] += weighted[0].sum(axis=1)
                second[j] += weighted @ part.conj().swapaxes(1, 2)
        return cls(weight, sums, second)

    def __getitem__(self, which: Array | list[int]) -> "SegmentMoments":
        """Moments of some of the clusters."""
        return SegmentMoments(self.weight[which], self.sums[which], self.second[which])

    def __add__(self, other: "SegmentMoments") -> "SegmentMoments":
        """Moments of clusters joined with others, one by one; one cluster may be joined with many."""
        return SegmentMoments(self.weight + other.weight, self.sums + other.sums, self.second + other.second)

    def covariances(self, affine: bool) -> tuple[Array, Array]:
        """Means at frequency 0 and covariances of the clusters; moments about zero unless ``affine``.

        Returns
        -------
        means : array, shape (n_clusters, n_channels)
        covariances : array, shape (n_clusters, n_freqs, n_channels, n_channels)
        """
        means = self.sums / self.weight[:, None]
        covariances = self.second / self.weight[:, None, None, None]
        if not affine:
            return np.zeros_like(means), covariances
        covariances[:, 0] -= means[:, :, None] * means[:, None, :].conj()
        return means, covariances
