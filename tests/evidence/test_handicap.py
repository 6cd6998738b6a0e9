"""The handicap of left-out samples: found as its definition says, and taken off their own class alone."""

import numpy as np
from numpy.testing import assert_allclose

from redunet.evidence.handicap import class_handicaps, without_handicap
from redunet.evidence.lifts import left_out_answers
from redunet.evidence.training_set import TrainingSet
from redunet.inputs.labels import Labels
from redunet.measures.measure import MeasureOptions
from redunet.measures.subspace import NearestSubspaces
from redunet.network.geometry import Geometry
from redunet.network.network import Network
from redunet.numerics.sample_keys import sample_keys


def training(codes, order=None, weights=None):
    """A training set, its samples in an order; samples."""
    codes, rng = np.asarray(codes), np.random.default_rng(0)
    X = rng.standard_normal((len(codes), 4, 6)) + codes[:, None, None]
    order = np.arange(len(codes)) if order is None else order
    weights = np.ones(len(order)) if weights is None else weights
    network = Network.entrance(Geometry((4, 6)), X)
    return TrainingSet(network, X[order], Labels.of(np.arange(3), codes[order]), weights), X


def subspaces(moments):
    return NearestSubspaces.of_moments(moments, MeasureOptions(1.0, 2))


def of_two_ranks(moments, V):
    return NearestSubspaces.distances_by_options(moments, [MeasureOptions(1.0, rank) for rank in (1, 2)], V)


def handicaps_of_two_ranks(found):
    answers = left_out_answers(found)
    return class_handicaps(answers, [list(answers.values).index(rank) for rank in (1, 2)], found.some, of_two_ranks)


def test_a_handicap_is_how_much_farther_a_class_is_that_has_a_sample_less():
    codes = np.repeat([0, 1, 2], 5)
    found, X = training(codes)
    handicaps = handicaps_of_two_ranks(found)[1]
    V = found.network.entered(X)
    keys = sample_keys(np.ascontiguousarray(V.transpose(2, 0, 1)).view(V.real.dtype))
    kept = np.array([keys[i] > keys[codes == codes[i]].min() for i in range(15)])
    assert kept.sum() == 12
    less = TrainingSet(found.network, X[kept], Labels.of(np.arange(3), codes[kept]), np.ones(12))
    farther = subspaces(less.moments).distances(V) - subspaces(found.moments).distances(V)
    assert_allclose(handicaps, [max(0.0, farther[codes != j, j].mean()) for j in range(3)], atol=1e-6)
    assert (handicaps > 0).any()


def test_a_handicap_does_not_depend_on_the_order_of_samples():
    codes = np.repeat([0, 1, 2], 5)
    order = np.random.default_rng(1).permutation(15)
    for rows in (order, order[::-1]):
        handicaps = handicaps_of_two_ranks(training(codes, rows)[0])
        assert_allclose(handicaps, handicaps_of_two_ranks(training(codes)[0]), atol=1e-6)


def test_a_sample_of_weight_three_is_three_samples():
    codes = np.repeat([0, 1, 2], 5)
    counts = np.random.default_rng(2).integers(1, 4, 15)
    copies = training(codes, np.repeat(np.arange(15), counts))[0]
    weighed = training(codes, weights=counts.astype(float))[0]
    assert_allclose(handicaps_of_two_ranks(weighed), handicaps_of_two_ranks(copies), atol=1e-6)


def test_a_class_of_one_sample_has_no_handicap():
    found, _ = training(np.array([0, 1, 1, 1, 2, 2, 2]))
    assert_allclose(handicaps_of_two_ranks(found)[:, 0], 0, atol=1e-8)


def test_only_the_own_class_of_a_sample_comes_nearer():
    codes = np.repeat([0, 1, 2], 5)
    found, _ = training(codes)
    answers = left_out_answers(found)
    numbers = [list(answers.values).index(rank) for rank in (1, 2)]
    handicaps = handicaps_of_two_ranks(found)
    own = codes[:, None] == np.arange(3)
    every = without_handicap(answers, numbers, found.some, of_two_ranks)
    for rank, number, fair, expected in zip((1, 2), numbers, every, handicaps, strict=True):
        assert fair.values == (rank,)
        change = answers.distances_of(number) - fair.distances_of(0)
        assert_allclose(change[~own], 0, atol=1e-12)
        assert_allclose(change[own], expected[codes], atol=1e-12)
