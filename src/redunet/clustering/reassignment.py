"""Samples change to the cluster that codes them shortest, until nothing moves."""

from typing import NamedTuple

import numpy as np

from ..numerics.arrays import Array
from .coding_length import ClusterCodes, CodingRule, segment_lengths
from .segment_moments import SegmentMoments

# Rounds at most: each makes the code shorter, and the last ones hardly.
MOST_ROUNDS = 100


class Segmentation(NamedTuple):
    """Samples in clusters, and the length of their code.

    Parameters
    ----------
    labels : int array, shape (n_samples,)
        Number of the cluster of each sample; every cluster has samples.
    moments : SegmentMoments
    length : float
        Of the whole code, in nats.
    """

    labels: Array
    moments: SegmentMoments
    length: float

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.moments.weight)

    @classmethod
    def of(cls, V: Array, weights: Array, labels: Array, rule: CodingRule) -> "Segmentation":
        """Samples with these labels; numbers that no sample has are left out."""
        labels = np.unique(labels, return_inverse=True)[1]
        moments = SegmentMoments.of(V, weights, labels, int(labels.max()) + 1)
        return cls(labels, moments, float(segment_lengths(moments, rule).sum()))


def reassign(V: Array, weights: Array, start: Segmentation, rule: CodingRule, *, keep_number: bool) -> Segmentation:
    """Samples in the clusters that code them shortest, round by round, as long as the whole code gets shorter.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
    weights : float array, shape (n_samples,)
    start : Segmentation
    rule : CodingRule
    keep_number : bool
        Whether the last samples of a cluster stay in it, so that the number of clusters does not fall.
    """
    found = start
    for _ in range(MOST_ROUNDS):
        labels = ClusterCodes.of(found.moments, rule).lengths(V).argmin(axis=1)
        if keep_number:
            emptied = np.bincount(labels, minlength=found.n_clusters) == 0
            labels = np.where(emptied[found.labels], found.labels, labels)
        if np.array_equal(labels, found.labels):
            break
        tried = Segmentation.of(V, weights, labels, rule)
        if tried.length >= found.length or (keep_number and tried.n_clusters < found.n_clusters):
            break
        found = tried
    return found
