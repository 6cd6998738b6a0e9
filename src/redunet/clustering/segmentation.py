"""The clusters of the shortest code, and how many there are."""

import numpy as np

from ..numerics.arrays import Array
from .coding_length import CodingRule
from .merge_tree import merge_tree
from .reassignment import Segmentation, reassign
from .segment_moments import SegmentMoments
from .start_segments import start_segments

# Samples of a small cluster of the start, about; each of these starts is tried.
SAMPLES_PER_START = (5, 10, 20)
# Small clusters at most, and operations that joining them may take.
MOST_START_SEGMENTS, MOST_OPERATIONS = 300, 1.2e10
# How many more and fewer clusters than those of the tree's shortest code are looked at.
NUMBERS_AROUND = 2
# Clusters that are split or joined one after the other, at most.
MOST_CHANGES = 50


def shortest_segmentation(
    V: Array, weights: Array, rule: CodingRule, n_clusters: int | None, points: Array, seed: int
) -> Segmentation:
    """Clusters whose code is the shortest that was found.

    Small clusters of near samples are joined by the nats that this saves, samples change to the cluster that codes
    them shortest, and clusters are split and joined as long as the code gets shorter.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
        Samples that are all different.
    weights : float array, shape (n_samples,)
    rule : CodingRule
    n_clusters : int or None
        None for as many as give the shortest code.
    points : real array, shape (n_samples, n_features)
        Where samples are near each other.
    seed : int
    """
    P, C, m = V.shape
    keep = n_clusters is not None
    most = int(min(MOST_START_SEGMENTS, max(20.0, np.sqrt(MOST_OPERATIONS / (P * C**3)))))
    least = min(m, max(2, 2 * (n_clusters or 1)))
    sizes = dict.fromkeys(int(np.clip(m // each, least, max(most, least))) for each in SAMPLES_PER_START)
    found: list[Segmentation] = []
    starts = start_segments(points, weights, [*sizes, *([n_clusters] if n_clusters else [])], seed)
    for labels in starts:
        labels = np.unique(labels, return_inverse=True)[1]
        n_leaves = int(labels.max()) + 1
        if n_clusters is not None and n_leaves < n_clusters:
            labels = _with_more_segments(labels, n_clusters)
            n_leaves = n_clusters
        moments = SegmentMoments.of(V, weights, labels, n_leaves)
        tree = merge_tree(moments, rule)
        if n_clusters is not None:
            numbers = [n_clusters]
        else:
            lengths = np.concatenate([[0.0], np.cumsum(tree.added_lengths)])
            best = n_leaves - int(lengths.argmin())
            numbers = list(range(max(1, best - NUMBERS_AROUND), min(n_leaves, best + NUMBERS_AROUND) + 1))
        for number in numbers:
            start = Segmentation.of(V, weights, tree.roots(number)[labels], rule)
            found.append(reassign(V, weights, start, rule, keep_number=keep))
    best_found = min(found, key=lambda one: one.length)
    return _improved(V, weights, best_found, rule, keep)


def _with_more_segments(labels: Array, n_clusters: int) -> Array:
    """Labels with so many clusters: samples of large ones become clusters of their own."""
    labels = labels.copy()
    for number in range(int(labels.max()) + 1, n_clusters):
        largest = np.bincount(labels).argmax()
        labels[np.flatnonzero(labels == largest)[0]] = number
    return labels


def _improved(V: Array, weights: Array, found: Segmentation, rule: CodingRule, keep: bool) -> Segmentation:
    """Clusters after splits and joins that make the code shorter."""
    for _ in range(MOST_CHANGES):
        tried = _after_split(V, weights, found, rule)
        if tried is not None and keep:
            tried = _after_join(V, weights, tried, rule, keep)
        if tried is None or tried.length >= found.length:
            tried = None if keep else _after_join(V, weights, found, rule, keep)
        if tried is None or tried.length >= found.length:
            break
        found = tried
    return found


def _after_split(V: Array, weights: Array, found: Segmentation, rule: CodingRule) -> Segmentation | None:
    """The clusters after the split that saves the most; None where no cluster can be split."""
    best: tuple[float, Array] | None = None
    for j in range(found.n_clusters):
        members = np.flatnonzero(found.labels == j)
        if len(members) < 2:
            continue
        part, share = V[:, :, members], weights[members]
        side = _sides(part, found.moments[[j]], rule)
        if side.all() or not side.any():
            continue
        halves = reassign(
            part, share, Segmentation.of(part, share, side.astype(np.int64), rule), rule, keep_number=True
        )
        whole = Segmentation.of(part, share, np.zeros(len(members), dtype=np.int64), rule)
        saved = whole.length - halves.length
        if best is None or saved > best[0]:
            labels = found.labels.copy()
            labels[members[halves.labels == 1]] = found.n_clusters
            best = (saved, labels)
    if best is None:
        return None
    start = Segmentation.of(V, weights, best[1], rule)
    return reassign(V, weights, start, rule, keep_number=True)


def _sides(V: Array, moments: SegmentMoments, rule: CodingRule) -> Array:
    """Which samples of a cluster are on one side of it: along its longest axis, or those with more energy along it."""
    means, covariances = moments.covariances(rule.affine)
    variances, axes = np.linalg.eigh(covariances[0])
    p = int((variances[:, -1]).argmax())
    along = axes[p][:, -1].conj() @ (V[p] - (means[0][:, None] if p == 0 else 0.0))
    if rule.affine and p == 0:
        return np.asarray(along.real > 0)
    energy = np.abs(along) ** 2
    return np.asarray(energy > np.median(energy))


def _after_join(V: Array, weights: Array, found: Segmentation, rule: CodingRule, keep: bool) -> Segmentation | None:
    """The clusters after the join that adds the least; None where there is one cluster."""
    if found.n_clusters < 2:
        return None
    roots = merge_tree(found.moments, rule).roots(found.n_clusters - 1)
    start = Segmentation.of(V, weights, roots[found.labels], rule)
    return reassign(V, weights, start, rule, keep_number=keep)
