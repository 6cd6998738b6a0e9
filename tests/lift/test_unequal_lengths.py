"""Signals of unequal lengths: each is its own circle, and what is counted of it does not depend on the others."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import redunet
from redunet import Lift, NearestSubspaceClassifier, PooledLift, ReduNetClassifier
from redunet.inputs.unequal_lengths import has_unequal_lengths, lengths_of, read_unequal_signals


def signals(n=24, n_channels=1, seed=0):
    """Waves of two kinds, each of its own length between 20 and 60."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = []
    for label in y:
        length = int(rng.integers(20, 61))
        t = 2 * np.pi * (np.arange(length) / length + rng.uniform())
        wave = np.sign(np.sin(3 * t)) if label else np.sin(3 * t)
        X.append(wave + 0.2 * rng.standard_normal((n_channels, length)))
    return [x[0] for x in X] if n_channels == 1 else X, y


@pytest.mark.parametrize("n_channels", [1, 3])
@pytest.mark.parametrize("pad", [0, 7])
def test_features_are_those_of_each_signal_by_itself(n_channels, pad):
    X, _ = signals(n_channels=n_channels)
    lift = PooledLift(3, 2, pad=pad).fit(X)
    assert lift.takes_unequal_lengths_
    together = lift.transform(X)
    assert_array_equal(np.concatenate([lift.transform([one]) for one in X]), together)
    order = np.random.default_rng(0).permutation(len(X))
    assert_array_equal(lift.transform([X[i] for i in order]), together[order])


def test_features_are_the_same_bits_at_every_shift_of_each_signal():
    X, _ = signals()
    lift = PooledLift(3, 2).fit(X)
    expected = lift.transform(X)
    for shift in (1, 7, 19):
        assert_array_equal(lift.transform([np.roll(one, shift * (i + 1)) for i, one in enumerate(X)]), expected)


def test_signals_of_one_length_are_lifted_alike_in_an_array_and_in_a_list():
    X, _ = signals()
    lift = PooledLift(3, 2).fit(X)
    same = np.stack([np.resize(one, 32) for one in X])
    assert_array_equal(lift.transform(same), lift.transform(list(same)))
    assert_array_equal(lift.transform([*same, X[0]])[:-1], lift.transform(same))


def test_a_classifier_takes_them_and_answers_signals_of_any_length(tmp_path):
    X, y = signals(60)
    clf = ReduNetClassifier("shift").fit(X[:30], y[:30])
    assert clf.takes_unequal_lengths_
    assert clf.further_answers_ == ()
    assert clf.score(X[30:], y[30:]) > 0.9
    assert clf.loo_score_ > 0.8
    moved = [np.roll(one, 5) for one in X]
    assert_array_equal(clf.predict_proba(moved), clf.predict_proba(X))
    longer = [np.sign(np.sin(6 * np.pi * np.arange(n) / n)) for n in (61, 90)]  # than any that fit saw
    assert list(clf.predict(longer)) == [1, 1]
    clf.save(tmp_path / "any.redunet")
    again = redunet.load(tmp_path / "any.redunet")
    assert_array_equal(again.predict_proba(X), clf.predict_proba(X))
    objects = np.empty(len(X), dtype=object)
    objects[:] = X
    assert_array_equal(clf.predict_proba(objects), clf.predict_proba(X))


def test_order_and_weights_do_not_matter():
    X, _ = signals(20)
    weights = np.arange(20) % 3
    weights[:2] = 1
    repeated = np.repeat(np.arange(20), weights)
    by_weight = PooledLift(3, 2).fit(X, sample_weight=weights)
    by_repetition = PooledLift(3, 2).fit([X[i] for i in repeated])
    assert_array_equal(by_weight.transform(X), by_repetition.transform(X))


def test_what_is_read():
    assert not has_unequal_lengths([[1.0, 2.0], [3.0, 4.0]])
    assert not has_unequal_lengths(np.ones((3, 4)))
    assert has_unequal_lengths([[1.0, 2.0], [3.0]])
    samples = read_unequal_signals([np.ones(3, np.float32), np.ones(5, np.float32)], "shift")
    assert samples.dtype == np.float32
    assert_array_equal(lengths_of(samples), [3, 5])
    assert lengths_of(samples[1:]) is None


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([np.ones(4), np.array([1.0, np.nan, 2.0])], "row 1 of X contains NaN or infinity; fill gaps first"),
        ([np.ones(4), np.ones((2, 5))], "row 1 of X has 2 channels but row 0 has 1"),
        ([np.ones(4), np.array([])], r"row 1 of X has shape \(0,\)"),
        ([np.ones(4), np.array(["a", "b"])], "row 1 of X holds no numbers"),
        ([np.ones(4), np.ones((2, 2, 2))], r"row 1 of X has shape \(2, 2, 2\)"),
    ],
)
def test_what_is_no_signal_is_refused_with_its_row(X, message):
    with pytest.raises(ValueError, match=message):
        PooledLift().fit(X)


def test_who_does_not_take_them_says_what_helps():
    X, y = signals(12)
    for estimator in (
        ReduNetClassifier("shift", lift=Lift("random", 4, 5)),
        NearestSubspaceClassifier(invariance="shift"),
    ):
        with pytest.raises(ValueError, match=r"X holds signals of unequal lengths.*lift='pooled'"):
            estimator.fit(X, y)
    with pytest.raises(ValueError, match="X holds samples of different shapes"):
        ReduNetClassifier("translation").fit([np.ones((4, 4)), np.ones((4, 5))], [0, 1])
    with pytest.raises(ValueError, match="X holds samples of different shapes"):
        ReduNetClassifier().fit(X, y)
    equal = ReduNetClassifier("shift").fit(np.stack([np.resize(one, 32) for one in X]), y)
    with pytest.raises(ValueError, match="X holds signals of unequal lengths but fit saw signals of 32 values"):
        equal.predict(X)
    unequal = ReduNetClassifier("shift").fit(X, y)
    with pytest.raises(ValueError, match="X has signals of 2 channels but fit saw 1"):
        unequal.predict([np.ones((2, 30)), np.ones((2, 31))])
    with pytest.raises(ValueError, match="X holds no signal"):
        unequal.predict([])
