"""The number of layers: held-out samples say where to cut, whatever the order and the precision of the samples."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from redunet import ReduNetClassifier
from redunet.evidence.depth import DepthEvidence, fold_of_each_sample
from tests.reference.leave_one_out import waves


def test_the_cut_is_where_more_answers_become_correct_than_chance_would():
    correct = np.zeros((4, 100), dtype=bool)
    correct[:, :80] = True
    correct[1, :3] = False
    correct[2, 80:95] = True  # 15 more
    correct[3, 80:84] = True  # 4 more: no more than chance
    distances = np.stack([~correct, np.full(correct.shape, 0.5)], axis=2)  # all samples are of the first of two classes
    evidence = DepthEvidence(None, distances, np.zeros(100, dtype=int), np.ones(100))
    assert_array_equal(evidence.correct, correct)
    assert evidence.depth == 2
    assert_allclose(evidence.scores, [0.8, 0.77, 0.95, 0.84])
    assert replace(evidence, distances=distances[[0, 1, 3]]).depth == 0


def test_what_is_held_out_depends_on_values_and_not_on_their_order():
    rng = np.random.default_rng(0)
    V = rng.standard_normal((3, 4, 20))
    codes = np.repeat([0, 1], 10)
    fold = fold_of_each_sample(V, codes)
    assert sorted(np.bincount(fold)) == [4, 4, 6, 6]
    order = np.concatenate([rng.permutation(10), 10 + rng.permutation(10)])
    assert_array_equal(fold_of_each_sample(V[:, :, order], codes), fold[order])
    V[:, :, 1] = V[:, :, 0]
    fold = fold_of_each_sample(V, codes)
    assert fold[0] == fold[1]
    assert fold_of_each_sample(V[:, :, [0, 1, 2, 3, 10, 11, 12, 13]], np.repeat([0, 1], 4)) is None


def test_single_precision_holds_out_the_same_samples():
    rng = np.random.default_rng(0)
    V = rng.standard_normal((3, 4, 200)) + 1j * rng.standard_normal((3, 4, 200))
    codes = np.repeat([0, 1], 100)
    assert_array_equal(fold_of_each_sample(V.astype(np.complex64), codes), fold_of_each_sample(V, codes))


@pytest.mark.parametrize("membership", ["softmax", "subspace", "code", "relu"])
@pytest.mark.parametrize("seed", range(3))
def test_layers_that_are_chosen_answer_held_out_samples_better_than_none(membership, seed):
    X, y = waves(m=80, seed=seed)
    clf = ReduNetClassifier("shift", membership=membership).fit(X, y)
    assert clf.depth_scores_[clf.n_layers_] >= clf.depth_scores_[0]
    assert (clf.n_layers_ == 0) or (clf.depth_scores_[clf.n_layers_] > clf.depth_scores_[0])


def test_layers_are_found_where_they_help():
    """Digits of one direction per class: layers put them there, as samples that nobody has seen confirm."""
    X, y = load_digits(return_X_y=True)
    found = ReduNetClassifier(membership="softmax", rank=1).fit(X[:600], y[:600])
    assert found.n_layers_ > 0
    assert found.depth_scores_[found.n_layers_] > found.depth_scores_[0]
    without = ReduNetClassifier(membership="softmax", rank=1, n_layers=0).fit(X[:600], y[:600])
    assert found.score(X[600:], y[600:]) > without.score(X[600:], y[600:]) + 0.02


def test_the_depth_of_a_network_in_a_span_does_not_depend_on_the_order_of_samples():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.standard_normal((3, 80))[y] + 3 * rng.standard_normal((60, 80))
    clf = ReduNetClassifier(membership="softmax").fit(X, y)
    assert clf.network_.span is not None
    for _ in range(3):
        order = rng.permutation(60)
        other = ReduNetClassifier(membership="softmax").fit(X[order], y[order])
        assert_array_equal(other.depth_scores_, clf.depth_scores_)


def test_classes_too_small_to_hold_anything_out_get_no_layers():
    X, y = waves(m=6)
    clf = ReduNetClassifier("shift").fit(X, y)
    assert clf.n_layers_ == 0
    assert clf.depth_scores_ is None
