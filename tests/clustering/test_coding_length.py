"""The length of the code of clusters, against its definition; and what samples and joins add to it."""

from dataclasses import replace

import numpy as np
import pytest

from redunet.clustering.coding_length import ClusterCodes, CodingRule, segment_lengths
from redunet.clustering.merge_tree import merge_tree
from redunet.clustering.reassignment import Segmentation, reassign
from redunet.clustering.segment_moments import SegmentMoments
from redunet.numerics.spectrum import half_spectrum, multiplicities

from ..reference.coding_length import all_shifts, coding_length


def rule_for(V, counts=None, variance=0.1, affine=True):
    P, C, m = V.shape
    counts = np.ones(P) if counts is None else counts
    return CodingRule(variance, np.full(P, float(C)), counts, affine, float(m))


@pytest.fixture
def vectors():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(size=(20, 4)) * [2, 1, 0.1, 0.1] + 3, rng.normal(size=(30, 4)), np.eye(4)])


@pytest.mark.parametrize("affine", [True, False])
def test_the_length_is_that_of_the_definition(vectors, affine):
    V, labels = vectors.T[None], np.arange(len(vectors)) % 3
    rule = rule_for(V, affine=affine)
    found = segment_lengths(SegmentMoments.of(V, np.ones(len(vectors)), labels, 3), rule)
    for j in range(3):
        part = vectors[labels == j]
        expected = coding_length(part, rule.variance, len(part), len(vectors), affine)
        np.testing.assert_allclose(found[j], expected, rtol=1e-12)


@pytest.mark.parametrize("length", [5, 6])
@pytest.mark.parametrize("affine", [True, False])
def test_signals_are_coded_with_all_their_shifts(length, affine):
    samples = np.random.default_rng(1).normal(size=(7, 2, length)) + 0.5
    V, counts = half_spectrum(samples), multiplicities((length,))
    rule = rule_for(V, counts, affine=affine)
    # What directions cost is counted for each frequency apart, hence left out on both sides; and the mean of all
    # shifts of a signal of c channels has c numbers.
    free = replace(rule, dimensions=np.zeros(len(counts)), affine=False)
    moments = SegmentMoments.of(V, np.ones(7), np.zeros(7, dtype=int), 1)
    if affine:
        moments.second[:, 0] -= moments.sums[:, :, None] * moments.sums[:, None, :].conj() / 7
    shifts = all_shifts(samples)
    away = shifts - shifts.mean(axis=0) if affine else shifts
    n = shifts.shape[1]
    logdet = np.linalg.slogdet(np.eye(n) + away.T @ away / (len(shifts) * rule.variance / length))[1]
    np.testing.assert_allclose(segment_lengths(moments, free)[0], 0.5 * 7 * logdet, rtol=1e-10)


def test_weights_count_as_copies(vectors):
    V, times = vectors.T[None], np.arange(len(vectors)) % 3 + 1
    copies = np.repeat(V, times, axis=2)
    rule = rule_for(copies)
    one = segment_lengths(SegmentMoments.of(V, times.astype(float), np.zeros(len(vectors), dtype=int), 1), rule)
    other = segment_lengths(SegmentMoments.of(copies, np.ones(times.sum()), np.zeros(times.sum(), dtype=int), 1), rule)
    np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("cyclic", [False, True])
def test_the_code_of_a_sample_is_what_its_weight_adds(cyclic):
    rng = np.random.default_rng(2)
    V = half_spectrum(rng.normal(size=(40, 3, 6))) if cyclic else rng.normal(size=(1, 3, 40))
    rule = rule_for(V, multiplicities((6,)) if cyclic else None, variance=0.5, affine=False)
    weights, labels, step = np.ones(40), np.zeros(40, dtype=int), 1e-5
    lengths = ClusterCodes.of(SegmentMoments.of(V, weights, labels, 1), rule).lengths(V)
    for i in (0, 7):
        more, less = weights.copy(), weights.copy()
        more[i] += step
        less[i] -= step
        both = [segment_lengths(SegmentMoments.of(V, one, labels, 1), rule)[0] for one in (more, less)]
        # The share of the name grows with the weight: m log(M/m) has the slope log(M/m) − 1.
        np.testing.assert_allclose(lengths[i, 0] - 1, (both[0] - both[1]) / (2 * step), rtol=1e-6)


def test_the_tree_joins_the_pair_that_adds_the_least_each_time(vectors):
    V, labels = vectors.T[None], np.random.default_rng(3).integers(0, 6, len(vectors))
    weights, rule = np.ones(len(vectors)), rule_for(vectors.T[None])
    tree = merge_tree(SegmentMoments.of(V, weights, labels, 6), rule)

    def length(labels):
        return Segmentation.of(V, weights, labels, rule).length

    for left in range(6, 1, -1):
        current = tree.roots(left)[labels]
        assert len(np.unique(current)) == left
        pairs = [(a, b) for a in range(left) for b in range(a)]
        least = min(length(np.where(current == a, b, current)) for a, b in pairs)
        np.testing.assert_allclose(length(tree.roots(left - 1)[labels]), least, rtol=1e-10)
        np.testing.assert_allclose(tree.added_lengths[6 - left], least - length(current), rtol=1e-6)
    assert sorted(tree.children.ravel().tolist()) == list(range(10))


def test_reassignment_makes_the_code_shorter_and_keeps_the_number():
    rng = np.random.default_rng(4)
    V = np.concatenate([rng.normal(size=(3, 50)) * [[3], [0.1], [0.1]], rng.normal(size=(3, 50)) + 4], axis=1)[None]
    rule, weights = rule_for(V), np.ones(100)
    start = Segmentation.of(V, weights, rng.integers(0, 5, 100), rule)
    kept = reassign(V, weights, start, rule, keep_number=True)
    free = reassign(V, weights, start, rule, keep_number=False)
    assert kept.length < start.length
    assert free.length < start.length
    assert kept.n_clusters == 5
    assert free.n_clusters <= 5
    np.testing.assert_allclose(kept.length, Segmentation.of(V, weights, kept.labels, rule).length, rtol=1e-12)
