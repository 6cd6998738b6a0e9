"""A weight of 0 is the sample left out, a whole weight is the sample repeated; for every estimator and every lift."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from redunet import Lift, NearestSubspaceClassifier, ReduNet, ReduNetClassifier
from redunet.inputs.samples import distinct_samples

rng = np.random.default_rng(0)
Y = np.arange(40) % 2
SIGNALS = np.cumsum(rng.standard_normal((40, 20)), axis=1) + 3 * np.sin(np.arange(20) * (1 + Y[:, None]))
IMAGES = rng.standard_normal((40, 7, 6)) + Y[:, None, None] * np.linspace(0, 2, 6)
CHANNELS = rng.standard_normal((40, 3, 10)) + Y[:, None, None] * rng.standard_normal((3, 10))
WIDE = rng.standard_normal((40, 60)) + 0.5 * Y[:, None]
NARROW = rng.standard_normal((40, 5)) + 0.5 * Y[:, None]
BANKS = ["patches", "pca", "dictionary", "random", "stft", "wavelet"]


def some_without_weight(seed):
    """Weights of 40 samples, some of them 0."""
    weights = np.random.default_rng(seed).uniform(0.5, 2.0, 40)
    weights[np.random.default_rng(seed).permutation(40)[:9]] = 0
    return weights


def answers(clf, X):
    return clf.transform(X) if isinstance(clf, ReduNet) else clf.predict_proba(X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("estimator", "X"),
    [
        (ReduNet(n_layers=3), NARROW),
        (ReduNet(n_layers=3), WIDE),
        (ReduNet("shift", n_layers=3), CHANNELS),
        (ReduNetClassifier(), NARROW),
        (ReduNetClassifier(membership="softmax", n_layers=2), WIDE),
        (ReduNetClassifier("shift", n_layers=2), CHANNELS),
        (ReduNetClassifier("shift", lift="auto"), SIGNALS),
        (NearestSubspaceClassifier(), WIDE),
        (NearestSubspaceClassifier(invariance="shift"), CHANNELS),
        *((ReduNetClassifier("shift", lift=Lift(bank, 4, 5, random_state=0)), SIGNALS) for bank in BANKS),
        (ReduNetClassifier("translation", lift=Lift("patches", 4, 3, "relu", quantile=0.4, random_state=0)), IMAGES),
    ],
)
def test_a_sample_of_weight_0_is_a_sample_left_out(estimator, X, dtype):
    X = X.astype(dtype)
    X = np.where((some_without_weight(0) == 0).reshape(-1, *[1] * (X.ndim - 1)), 100 * X, X)  # they would be heard
    weights = some_without_weight(0)
    left = weights > 0
    weighted = clone(estimator).fit(X, Y, sample_weight=weights)
    without = clone(estimator).fit(X[left], Y[left], sample_weight=weights[left])
    assert_array_equal(answers(weighted, X), answers(without, X))


def test_samples_of_weight_0_are_checked_and_counted_like_all_others():
    X = NARROW.copy()
    X[7] = 0
    weights = np.ones(40)
    weights[[2, 7]] = 0
    with pytest.raises(ValueError, match=r"1 sample of X is all zero \(first: row 7\)"):
        ReduNetClassifier(affine=False).fit(X, Y, sample_weight=weights)
    with pytest.raises(ValueError, match="class 1 has total weight 0"):
        ReduNetClassifier().fit(NARROW, Y, sample_weight=1 - Y)
    with pytest.raises(ValueError, match="class 1 has one sample; a class needs at least 2"):
        ReduNetClassifier().fit(NARROW, Y, sample_weight=np.where(np.arange(40) == 1, 1, 1 - Y))


def whole_weights(seed):
    """Weights of 40 samples, and which samples to take how often, in another order."""
    draw = np.random.default_rng(seed)
    weights = draw.integers(0, 4, 40)
    return weights, draw.permutation(np.repeat(np.arange(40), weights))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("lift", "X"),
    [
        *((Lift(bank, 4, 5, random_state=0), SIGNALS) for bank in BANKS),
        *((Lift(bank, 4, 3, "relu", quantile=0.4, random_state=0), IMAGES) for bank in BANKS if bank != "stft"),
        (Lift("patches", 6, (3, 5), pad=2, pool=2, unit_scale=False, random_state=0), SIGNALS),
        (Lift(rng.standard_normal((3, 5))), SIGNALS),
    ],
)
def test_whole_weights_are_repetitions_for_a_lift(lift, X, seed):
    weights, repeated = whole_weights(seed)
    by_weight = clone(lift).fit(X, sample_weight=weights)
    by_repetition = clone(lift).fit(X[repeated])
    for one, other in zip(by_weight.filters_, by_repetition.filters_, strict=True):
        assert_array_equal(one, other)
    assert by_weight.level_ == by_repetition.level_
    assert by_weight.level_ > 0


@pytest.mark.parametrize("filters", ["patches", "pca", "dictionary"])
def test_weights_matter_to_filters_that_are_learned(filters):
    weights, _ = whole_weights(0)
    one, other = (Lift(filters, 4, 5, random_state=0).fit(SIGNALS, sample_weight=w) for w in (weights, weights + 1))
    assert not np.allclose(one.filters_[0], other.filters_[0])
    assert one.level_ != other.level_


@pytest.mark.parametrize("filters", BANKS)
def test_the_order_of_samples_does_not_matter_to_a_lift(filters):
    X = np.concatenate([SIGNALS + shift for shift in range(10)])  # more than a level is learned from
    order = np.random.default_rng(1).permutation(len(X))
    one, other = (Lift(filters, 4, 5, random_state=0).fit(samples) for samples in (X, X[order]))
    assert_array_equal(one.filters_[0], other.filters_[0])
    assert one.level_ == other.level_


@pytest.mark.parametrize("lift", ["auto", *(Lift(bank, 4, 5, random_state=0) for bank in BANKS)])
def test_whole_weights_are_repetitions_for_a_classifier_with_a_lift(lift):
    weights, repeated = whole_weights(2)
    by_weight = ReduNetClassifier("shift", lift=lift).fit(SIGNALS, Y, sample_weight=weights)
    by_repetition = ReduNetClassifier("shift", lift=lift).fit(SIGNALS[repeated], Y[repeated])
    assert by_weight.lift_.get_params() == by_repetition.lift_.get_params()
    # Moments are summed in another order, and distances are rounded to nine decimals (six after a lift that pools,
    # which computes in single precision): a last digit may differ.
    digit = 1e-6 if by_weight.network_.dtype != SIGNALS.dtype else 1e-9
    found, expected = (clf.decision_function(SIGNALS) for clf in (by_weight, by_repetition))
    assert_allclose(found, expected, rtol=0, atol=3 * digit)


def test_distinct_samples_have_the_weight_of_their_copies():
    X = np.array([[1.0, 0.0], [2.0, 3.0], [1.0, -0.0], [5.0, 5.0], [2.0, 3.0]])
    distinct, weights = distinct_samples(X, np.array([1.0, 0.5, 2.0, 0.0, 0.25]))
    found = {tuple(sample): weight for sample, weight in zip(distinct.tolist(), weights.tolist(), strict=True)}
    assert found == {(1.0, 0.0): 3.0, (2.0, 3.0): 0.75}
