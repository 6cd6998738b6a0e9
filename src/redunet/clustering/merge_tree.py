"""Clusters that are joined two by two, each time those whose common code is the shortest for what it replaces."""

from typing import NamedTuple

import numpy as np

from ..numerics.arrays import Array
from .coding_length import CodingRule, segment_lengths
from .segment_moments import SegmentMoments


class MergeTree(NamedTuple):
    """Which clusters were joined, one pair after the other.

    Parameters
    ----------
    children : int array, shape (n_leaves − 1, 2)
        Join i makes node n_leaves + i of these two nodes, as in scikit-learn's AgglomerativeClustering.
    added_lengths : float array, shape (n_leaves − 1,)
        Nats by which the whole code grows with the join; negative where it gets shorter.
    """

    children: Array
    added_lengths: Array

    @property
    def n_leaves(self) -> int:
        """Clusters at the beginning."""
        return len(self.children) + 1

    def roots(self, n_clusters: int) -> Array:
        """Number of the cluster that each leaf belongs to when so many clusters are left; shape (n_leaves,)."""
        n = self.n_leaves
        parent = np.arange(2 * n - 1)
        for i in range(n - n_clusters):
            parent[self.children[i]] = n + i
        for node in range(n + n - n_clusters - 1, -1, -1):
            parent[node] = parent[parent[node]]
        return np.asarray(np.unique(parent[:n], return_inverse=True)[1])


def merge_tree(moments: SegmentMoments, rule: CodingRule) -> MergeTree:
    """Join clusters until one is left; of pairs that are equally good, the first."""
    n = len(moments.weight)
    lengths = segment_lengths(moments, rule)
    added = np.full((n, n), np.inf)
    for a in range(n - 1):
        others = np.arange(a + 1, n)
        together = segment_lengths(moments[[a]] + moments[others], rule)
        added[a, others] = added[others, a] = together - lengths[a] - lengths[others]
    node, children, grown = np.arange(n), np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    alive = np.ones(n, dtype=bool)
    current = SegmentMoments(moments.weight.copy(), moments.sums.copy(), moments.second.copy())
    nearest = added.argmin(axis=1)
    for i in range(n - 1):
        living = np.flatnonzero(alive)
        a = living[added[living, nearest[living]].argmin()]
        a, b = sorted((int(a), int(nearest[a])))
        children[i], grown[i] = sorted((node[a], node[b])), added[a, b]
        for array in (current.weight, current.sums, current.second):
            array[a] += array[b]
        alive[b], node[a] = False, n + i
        added[b], added[:, b] = np.inf, np.inf
        others = living[(living != a) & (living != b)]
        if len(others):
            lengths[a] = segment_lengths(current[[a]], rule)[0]
            together = segment_lengths(current[[a]] + current[others], rule)
            added[a, others] = added[others, a] = together - lengths[a] - lengths[others]
            nearest[living] = added[living].argmin(axis=1)
    return MergeTree(children, grown)
