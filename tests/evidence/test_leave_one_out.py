"""What leave-one-out says of each choice, and which choice is best on that evidence.

That its distances are exact is tested for each measure, in ``tests/measures``.
"""

import numpy as np
from numpy.testing import assert_allclose

from redunet import NearestSubspaceClassifier, ReduNetClassifier
from redunet.evidence.leave_one_out import Evidence
from tests.reference.leave_one_out import waves


def test_leave_one_out_tells_the_truth_where_the_training_score_does_not():
    X, y = waves(m=24, noise=2.0)
    X_new, y_new = waves(m=2000, seed=1, noise=2.0)
    clf = NearestSubspaceClassifier(2, invariance="shift").fit(X, y)
    new = clf.score(X_new, y_new)
    assert abs(clf.loo_score_ - new) < abs(clf.score(X, y) - new)


def test_the_rank_is_the_one_that_the_evidence_is_best_for():
    X, y = waves()
    clf = NearestSubspaceClassifier(invariance="shift").fit(X, y)
    assert clf.rank_ == clf.evidence_.choices[clf.evidence_.best]
    assert clf.evidence_.choices == (1, 2)
    for rank, score in zip(clf.evidence_.choices, clf.evidence_.scores, strict=True):
        assert_allclose(NearestSubspaceClassifier(int(rank), invariance="shift").fit(X, y).loo_score_, score)


def test_scores_that_chance_cannot_tell_apart_are_compared_by_their_margin():
    flat = np.full(4, 0.9)
    assert Evidence((1, 2, 3, 4), flat, np.array([0.1, 0.3, 0.2, 0.3]), np.zeros(4), 100.0).best == 1
    peak = Evidence((1, 2, 3, 4, 5, 6), np.array([0.2, 0.2, 1.0, 0.2, 0.8, 0.9]), np.zeros(6), np.zeros(6), 1e6)
    assert peak.best == 5  # a lucky score between bad ones does not count in full


def test_the_estimate_is_without_the_luck_of_the_choice():
    """Labels that mean nothing: the best of many choices looks better than chance, its estimate does not."""
    rng = np.random.default_rng(0)
    best, expected = [], []
    for _ in range(30):
        X, y = rng.standard_normal((40, 6, 12)), rng.permutation(np.arange(40) % 2)
        clf = NearestSubspaceClassifier(invariance="shift").fit(X, y)
        best.append(clf.evidence_.scores.max())
        expected.append(clf.loo_score_)
    assert np.mean(best) > 0.55
    assert abs(np.mean(expected) - 0.5) < 0.05


def test_there_is_no_estimate_where_every_class_has_one_sample():
    X = np.random.default_rng(0).standard_normal((5, 30)).cumsum(axis=1)
    clf = ReduNetClassifier("shift").fit(X, np.arange(5))
    assert np.isnan(clf.loo_score_)
    assert clf.evidence_.n_samples == 0
    assert list(clf.predict(np.roll(X, 3, axis=1))) == [0, 1, 2, 3, 4]
