"""The distance to class subspaces: against the span of a class written out, and against leaving samples out by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from redunet import NearestSubspaceClassifier, ReduNetClassifier
from tests.reference.leave_one_out import left_out_by_hand, waves


def test_flat_classifier_is_the_nearest_span():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 5)) * np.array([3.0, 2.0, 1.0, 0.5, 0.2]), np.repeat([0, 1], 20)
    X[y == 1] = X[y == 1][:, ::-1]
    clf = NearestSubspaceClassifier(rank=2, affine=False).fit(X, y)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    distances = []
    for j in range(2):
        basis = np.linalg.svd(unit[y == j].T)[0][:, :2]
        distances.append(np.linalg.norm(unit - unit @ basis @ basis.T, axis=1))
    assert_allclose(clf.decision_function(X), distances[0] - distances[1], atol=1e-8)
    assert_array_equal(clf.predict(X), np.argmin(distances, axis=0))


def test_answers_of_many_shifted_float32_signals_keep_their_bits():
    """Where rounding errors would show: thousands of single-precision scores, each near some boundary of rounding."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 4
    X = (rng.standard_normal((4, 3, 50))[y] + rng.standard_normal((400, 3, 50))).astype(np.float32)
    moved = np.stack([np.roll(x, by, axis=-1) for x, by in zip(X, rng.integers(1, 50, 400), strict=True)])
    for clf in (ReduNetClassifier("shift", n_layers=3), NearestSubspaceClassifier(invariance="shift")):
        clf.fit(X[::2], y[::2])
        assert_array_equal(clf.decision_function(moved), clf.decision_function(X))


@pytest.mark.parametrize("rank", [1, 2])
def test_leave_one_out_is_what_leaving_out_by_hand_gives(rank):
    X, y = waves()

    def make():
        return NearestSubspaceClassifier(rank, invariance="shift")

    assert_allclose(make().fit(X, y).loo_score_, left_out_by_hand(make, X, y))


def test_leave_one_out_of_vectors():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)[::2]
    y = y[::2]

    def make():
        return NearestSubspaceClassifier(2, affine=False)

    assert_allclose(make().fit(X, y).loo_score_, left_out_by_hand(make, X, y))
