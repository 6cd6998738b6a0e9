"""Samples that come in groups: the whole group is left out, of every choice and of the estimate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redunet import ReduNetClassifier


def patients(n_patients=12, n_each=5, shape=(20,)):
    """Samples of two classes that have more in common with those of the same patient than with their class."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(n_patients), n_each)
    y = groups % 2
    centres = (
        2 * rng.standard_normal((n_patients, *shape))
        + 0.6 * (np.arange(n_patients) % 2)[(slice(None), *[None] * len(shape))]
    )
    return centres[groups] + 0.3 * rng.standard_normal((len(groups), *shape)), y, groups


@pytest.mark.parametrize(
    "options",
    [
        {"membership": "regression", "eps": 0.5},
        {"membership": "subspace", "rank": 2},
        {"membership": "code", "eps": 0.5},
    ],
)
def test_it_is_leaving_out_each_group_by_hand(options):
    X, y, groups = patients()
    correct = []
    for group in range(12):
        others = groups != group
        # The offset of vectors depends on all samples: a constant coordinate of one's own is the same in every fit.
        clf = ReduNetClassifier(n_layers=0, **options).fit(X[others], y[others])
        correct.append(clf.predict(X[~others]) == y[~others])
    found = ReduNetClassifier(n_layers=0, **options).fit(X, y, groups=groups)
    assert_allclose(found.loo_score_, np.mean(correct), atol=0.05)
    assert found.loo_score_ < ReduNetClassifier(n_layers=0, **options).fit(X, y).loo_score_


def test_signals_of_groups():
    X, y, groups = patients(16, 4, (40,))
    X = X.cumsum(axis=1)
    by_group = ReduNetClassifier("shift").fit(X, y, groups=groups)
    by_sample = ReduNetClassifier("shift").fit(X, y)
    assert by_group.loo_score_ <= by_sample.loo_score_
    assert np.isfinite(by_group.predict_proba(X)).all()


def test_more_groups_than_are_left_out_one_by_one_and_a_class_of_one_group():
    X, y, groups = patients(50, 2)
    y = np.where(groups == 0, 2, y)
    clf = ReduNetClassifier(membership="subspace", n_layers=0).fit(
        X, y, groups=[f"patient {group}" for group in groups]
    )
    assert 0 <= clf.loo_score_ <= 1
    assert clf.evidence_.n_samples == 98  # the only group of class 2 has nothing to be compared with


def test_depth_holds_out_whole_groups():
    X, y, groups = patients(12, 6)
    clf = ReduNetClassifier(membership="softmax", rank=1).fit(X, y, groups=groups)
    assert clf.depth_scores_ is not None
    assert clf.depth_scores_[0] < ReduNetClassifier(membership="softmax", rank=1).fit(X, y).depth_scores_[0]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.zeros(7), r"groups must have shape \(60,\), one group per sample, got shape \(7,\)"),
        (np.zeros(60), "groups has one group, and nothing is left without it; pass at least 2"),
        (np.append(np.arange(59.0), np.nan), "groups has no group for row 59"),
    ],
)
def test_what_are_no_groups(groups, message):
    X, y, _ = patients()
    with pytest.raises(ValueError, match=message):
        ReduNetClassifier().fit(X, y, groups=groups)
