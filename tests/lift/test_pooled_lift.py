"""Pooled lifts: the kernel is the readable twin, and features are the same bits wherever a signal is cut open."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import redunet
from redunet import PooledLift, ReduNetClassifier
from redunet.fast import kernels
from redunet.numerics import pooling

rng = np.random.default_rng(0)


def signals(n=12, length=30, n_channels=1, *, dtype=np.float64, seed=0):
    """Walks that wrap around, some of them with plateaus, and the class of each."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = random.standard_normal((n, n_channels, length)).cumsum(axis=2)
    X -= np.linspace(0, 1, length) * X[:, :, -1:]
    X[::3] = np.round(X[::3])
    t = 2 * np.pi * np.arange(length) / max(length, 1)
    return (X + 2 * np.sin((1 + y)[:, None, None] * t)).astype(dtype), y


@given(length=st.integers(1, 140), seed=st.integers(0, 1000))
def test_the_kernel_counts_what_the_readable_twin_counts(length, seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((2, length)).astype(np.float32)
    X[1] = np.round(X[1])  # with ties
    dilations = np.array([1, 3], dtype=np.int64)
    thresholds = (3 * random.standard_normal((2, 84, 2))).astype(np.float32)
    thresholds[0, 0] = (-1e9, 1e9)
    counts = np.empty((2, *thresholds.shape, 3), dtype=np.int32)
    kernels.pooled_counts(X, dilations, pooling.HEAVY_TAPS, thresholds, counts)
    for signal, found in zip(X, counts, strict=True):
        assert_array_equal(found, pooling.pooled_counts(signal, dilations, thresholds))


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        ([0, 0, 0], (0, 0, 0)),
        ([1, 1, 1], (3, 3, 0)),
        ([1, 0, 1, 1, 0], (3, 2, 2)),
        ([1, 1, 0, 0, 1], (3, 3, 1)),
        ([1], (1, 1, 0)),
    ],
)
def test_counts_of_a_circle(above, expected):
    assert pooling.circular_counts(np.array(above, dtype=bool)) == expected


def test_filters_have_no_response_to_a_constant_and_the_weights_of_the_definition():
    assert_array_equal(pooling.dilated_responses(np.full(20, 3.0), 2), np.zeros((84, 20)))
    impulse = np.zeros(40)
    impulse[20] = 1.0
    responses = pooling.dilated_responses(impulse, 3)
    for taps, response in zip(pooling.HEAVY_TAPS, responses, strict=True):
        weights = np.full(9, -1.0)
        weights[taps] = 2.0
        expected = np.zeros(40)
        expected[20 - 3 * (np.arange(9) - 4)] = weights
        assert_allclose(response, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_channels", [1, 2, 3])
@pytest.mark.parametrize("length", range(1, 41))
def test_features_are_the_same_bits_at_every_shift(length, n_channels, dtype):
    X, _ = signals(4, length, n_channels, dtype=dtype)
    lift = PooledLift(3, 2).fit(X)
    features = lift.transform(X)
    assert features.dtype == dtype
    moved = lift.transform(np.concatenate([np.roll(X, shift, axis=-1) for shift in range(length)]))
    assert_array_equal(moved.reshape(length, *features.shape), np.broadcast_to(features, (length, *features.shape)))


@given(length=st.integers(1, 200), n_features=st.integers(1, 40), seed=st.integers(0, 1000))
def test_unit_vectors_are_those_of_the_readable_twin(length, n_features, seed):
    random = np.random.default_rng(seed)
    counts = random.integers(0, length + 1, (3, n_features)).astype(np.int32)
    mean, scale = random.uniform(size=n_features), random.uniform(size=n_features) * random.integers(0, 2, n_features)
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    vectors = np.empty((3, n_features + 1), dtype=np.float32)
    kernels.unit_vectors(counts, float(length), mean, inverse, 1.5, vectors)
    assert_allclose(vectors, pooling.unit_vectors(counts, length, mean, scale, 1.5), atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_probabilities_are_the_same_bits_at_every_shift(dtype):
    X, y = signals(24, 40, dtype=dtype)
    clf = ReduNetClassifier("shift", lift="pooled").fit(X, y)
    expected = clf.predict_proba(X)
    for shift in range(40):
        assert_array_equal(clf.predict_proba(np.roll(X, shift, axis=-1)), expected)
    assert clf.membership_ == "regression"
    assert clf.n_layers_ == 0
    assert clf.loo_score_ > 0.8


def test_scale_and_offset_of_a_signal_do_not_matter():
    X, _ = signals(8, 32, dtype=np.float64)
    lift = PooledLift(3, 2).fit(X)
    for other in (4 * X, X / 1024, 2.0**80 * X):
        assert_array_equal(lift.transform(other), lift.transform(X))
    close = lift.transform(X + 8) - lift.transform(X)
    assert np.mean(close != 0) < 0.02  # but for rounding at a threshold


def test_order_and_weights_of_samples_do_not_matter():
    X, _ = signals(9, 30)
    X, weights = X[:, 0], np.array([1, 2, 1, 3, 1, 0, 1, 1, 2])
    lift = PooledLift(3, 2).fit(X, sample_weight=weights)
    repeated = PooledLift(3, 2).fit(np.repeat(X, weights, axis=0))
    order = rng.permutation(9)
    shuffled = PooledLift(3, 2).fit(X[order], sample_weight=weights[order])
    for other in (repeated, shuffled):
        assert_array_equal(other.bank_.thresholds, lift.bank_.thresholds)
        assert_array_equal(other.bank_.mean, lift.bank_.mean)
        assert_array_equal(other.bank_.scale, lift.bank_.scale)


def test_features_do_not_depend_on_the_other_samples():
    X, _ = signals(20, 30)
    lift = PooledLift(3, 2).fit(X[:12])
    assert_array_equal(np.concatenate([lift.transform(X[i : i + 1]) for i in range(20)]), lift.transform(X))


def test_features_are_standardised_over_the_training_signals():
    X, _ = signals(40, 50)
    features = PooledLift().fit(X).transform(X)
    assert_allclose(features.mean(axis=0), 0, atol=1e-9)
    assert (features.std(axis=0) <= 1 + 1e-9).all()


def test_constant_signals_get_an_answer():
    X, y = signals(16, 30)
    clf = ReduNetClassifier("shift", lift=PooledLift(3, 2)).fit(X, y)
    constant = np.zeros((2, 1, 30))
    constant[1] = 5.0
    probabilities = clf.predict_proba(constant)
    assert np.isfinite(probabilities).all()
    assert_array_equal(probabilities[0], probabilities[1])


def test_padding_makes_shifts_that_do_not_wrap_around_circular():
    X, _ = signals(10, 20)
    X[:, :, -5:] = 0
    lift = PooledLift(3, 2, pad=5).fit(X)
    moved = np.zeros_like(X)
    moved[:, :, 5:] = X[:, :, :15]
    assert_array_equal(lift.transform(moved), lift.transform(X))


def test_it_is_stored_by_itself_and_in_a_classifier(tmp_path):
    X, y = signals(16, 30)
    lift = PooledLift(3, 2).fit(X)
    lift.save(tmp_path / "lift.redunet")
    assert_array_equal(redunet.load(tmp_path / "lift.redunet").transform(X), lift.transform(X))
    clf = ReduNetClassifier("shift", lift=PooledLift(3, 2)).fit(X, y)
    clf.save(tmp_path / "model.redunet")
    assert_array_equal(redunet.load(tmp_path / "model.redunet").predict_proba(X), clf.predict_proba(X))


def test_layers_can_be_built_on_pooled_features():
    X, y = signals(24, 40)
    options = {"n_layers": 3, "tol": None, "step_size": 0.01, "eps": 1.0, "membership": "softmax"}
    clf = ReduNetClassifier("shift", lift=PooledLift(3, 2), **options).fit(X, y)
    assert clf.n_layers_ == 3
    assert len(clf.history_) == 4
    assert_array_equal(clf.predict_proba(np.roll(X, 7, axis=-1)), clf.predict_proba(X))


def test_what_it_does_not_take():
    with pytest.raises(ValueError, match=r"n_dilations must be >= 1, got 0"):
        PooledLift(0).fit(np.ones((4, 8)))
    with pytest.raises(ValueError, match="NaN"):
        PooledLift().fit(np.full((4, 8), np.nan))
    X, y = rng.standard_normal((8, 6, 6)), np.arange(8) % 2
    with pytest.raises(ValueError, match=r"PooledLift takes signals, but X has samples of shape \(1, 6, 6\)"):
        ReduNetClassifier("translation", lift="pooled").fit(X, y)
    with pytest.raises(TypeError, match=r"lift must be None, 'auto', the name of a lift, a redunet.PooledLift"):
        ReduNetClassifier("shift", lift=[PooledLift(), PooledLift()]).fit(X[:, 0], y)
    both = [PooledLift(), redunet.Lift("random", 4, 5)]
    with pytest.raises(
        ValueError, match="gives two answers, each with a membership of its own; pass membership='auto'"
    ):
        ReduNetClassifier("shift", lift=both, membership="subspace").fit(X[:, 0], y)


def test_names_of_lifts_are_accepted():
    X, y = signals(16, 30)
    by_name = ReduNetClassifier("shift", lift="wavelet", n_layers=0).fit(X, y)
    assert by_name.lift_.filters == "wavelet"
    with pytest.raises(ValueError, match=r"Did you mean 'wavelet'"):
        ReduNetClassifier("shift", lift="wavelets").fit(X, y)


def test_the_simplest_call_works_for_signals_and_images():
    X, y = signals(16, 30)
    clf = ReduNetClassifier("shift").fit(X[:, 0], y)
    assert isinstance(clf.lift_, PooledLift)
    assert clf.score(np.roll(X[:, 0], 11, axis=1), y) > 0.9
    images = rng.standard_normal((24, 12, 12)).cumsum(axis=1) + 3 * np.sin(np.arange(12)) * (y[:1] + 1)
    assert ReduNetClassifier("translation").fit(images, np.arange(24) % 2).lift_.filters == "patches"
    several = ReduNetClassifier("shift").fit(np.concatenate([X, X**2, X[:, :, ::-1]], axis=1), y)
    assert several.lift_ is None


def test_a_class_may_have_one_signal():
    X, y = signals(9, 30)
    y[:] = 0
    y[1:] = 1 + np.arange(8) % 2
    clf = ReduNetClassifier("shift").fit(X, y)
    assert clf.predict(np.roll(X[:1], 9, axis=-1))[0] == 0
    every = ReduNetClassifier("shift").fit(X, np.arange(9))
    assert_array_equal(every.predict(np.roll(X, 4, axis=-1)), np.arange(9))
    with pytest.raises(ValueError, match="class 0 has one sample"):
        ReduNetClassifier("shift", lift="random").fit(X, y)
    with pytest.raises(ValueError, match="there must be at least 2 classes"):
        ReduNetClassifier("shift").fit(X, np.zeros(9))


def test_a_refit_with_another_lift_does_not_remember_the_first():
    X, y = signals(16, 30)
    clf = ReduNetClassifier("shift", rank=2).fit(X, y)
    linear = redunet.Lift("random", 6, 5, threshold="none", random_state=0)
    with pytest.raises(ValueError, match="must not be linear for class subspaces of rank 2"):
        clf.set_params(lift=[linear]).fit(X, y)
