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


def training(codes):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((len(codes), 4, 6)) + np.asarray(codes)[:, None, None]
    network = Network.entrance(Geometry((4, 6)), X)
    return TrainingSet(network, X, Labels.of(np.arange(3), np.asarray(codes)), np.ones(len(codes))), X


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
    kept = np.arange(15) % 5 > 0
    less = TrainingSet(found.network, X[kept], Labels.of(np.arange(3), codes[kept]), np.ones(12))
    V = found.network.entered(X)
    farther = subspaces(less.moments).distances(V) - subspaces(found.moments).distances(V)
    assert_allclose(handicaps, [max(0.0, farther[codes != j, j].mean()) for j in range(3)], atol=1e-6)
    assert (handicaps > 0).any()


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
