"""A lift that is linear shows class subspaces no more than the channels of X do, however many filters it has."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from redunet import Lift, NearestSubspaceClassifier, ReduNetClassifier

rng = np.random.default_rng(0)
Y = np.arange(40) % 2
# Two classes that differ in frequency, and in how their channels go together.
WAVES = np.sin(np.arange(24) * (0.5 + 0.5 * Y[:, None]) + rng.uniform(0, 6, (40, 1)))
SIGNALS = WAVES + 0.1 * rng.standard_normal((40, 24))
CHANNELS = np.stack([WAVES, np.roll(WAVES, 1, axis=1) * (1 + Y[:, None]), WAVES**2], axis=1)
CHANNELS = CHANNELS + 0.1 * rng.standard_normal(CHANNELS.shape)

LINEAR = [{"threshold": "none"}, {"quantile": 0}, {"level": 0.0}, {"threshold": "none", "contrast": 2.0}]
THRESHOLDS = [{}, {"threshold": "relu"}, {"threshold": "relu", "level": 0.0}, {"level": 1e-3}]


def lift(**options):
    return Lift("random", 6, 5, random_state=0, **options)


@pytest.mark.parametrize("options", LINEAR)
def test_responses_of_a_linear_lift_span_as_many_directions_as_there_are_channels(options):
    for X, n_channels in ((SIGNALS[:, None], 1), (CHANNELS[:, :2], 2), (CHANNELS, 3)):
        bank = lift(invariance="shift", **options).fit(X).bank_
        spectra = np.fft.rfft(bank(X), axis=-1).transpose(2, 1, 0)
        assert (np.linalg.matrix_rank(spectra, rtol=1e-9) <= n_channels).all()
        assert bank.n_independent_channels == n_channels


@pytest.mark.parametrize("options", THRESHOLDS)
def test_responses_above_a_threshold_span_more(options):
    bank = lift(invariance="shift", **options).fit(SIGNALS[:, None]).bank_
    spectra = np.fft.rfft(bank(SIGNALS[:, None]), axis=-1).transpose(2, 1, 0)
    assert np.linalg.matrix_rank(spectra, rtol=1e-9).max() > 1
    assert bank.n_independent_channels == 6
    ReduNetClassifier("shift", lift=lift(**options)).fit(SIGNALS, Y)


@pytest.mark.parametrize("options", LINEAR)
@pytest.mark.parametrize("membership", ["auto", "subspace", "softmax", "relu"])
def test_a_linear_lift_of_one_channel_is_refused(options, membership):
    clf = ReduNetClassifier("shift", lift=lift(**options), membership=membership)
    message = (
        "lift must not be linear for class subspaces of rank 1 where X has 1 channel: .* its 6 channels hold no more "
        r"than X does, .*; pass Lift\(threshold='relu'\), or threshold='soft' with a quantile > 0"
    )
    with pytest.raises(ValueError, match=message):
        clf.fit(SIGNALS, Y)


def test_a_rank_of_all_channels_that_came_in_is_refused_after_a_linear_lift():
    for rank in (3, 4):
        with pytest.raises(ValueError, match=f"of rank {rank} where X has 3 channels: .*; pass rank <= 2, or Lift"):
            ReduNetClassifier("shift", lift=lift(threshold="none"), rank=rank).fit(CHANNELS, Y)
    assert ReduNetClassifier("shift", lift=lift(threshold="none"), rank=2).fit(CHANNELS, Y).rank_ == 2


def test_the_ranks_to_choose_from_are_less_than_the_channels_that_came_in_after_a_linear_lift():
    clf = ReduNetClassifier("shift", lift=lift(threshold="none"), membership="subspace").fit(CHANNELS, Y)
    assert clf.evidence_.choices == (1, 2)


def test_a_linear_lift_of_a_list_is_passed_over_and_refused_if_there_is_no_other():
    lifts = [lift(threshold="none"), lift(quantile=0), lift(threshold="relu")]
    assert ReduNetClassifier("shift", lift=lifts).fit(SIGNALS, Y).lift_.threshold == "relu"
    for membership in ("auto", "code"):
        with pytest.raises(ValueError, match="no lift of the list goes with these samples: lift must not be linear"):
            ReduNetClassifier("shift", lift=lifts[:2], membership=membership).fit(SIGNALS, Y)
    with pytest.raises(ValueError, match="no lift of the list goes with these samples: lift must not be linear"):
        ReduNetClassifier("shift", lift=lifts[:2], rank=3).fit(CHANNELS, Y)
    with pytest.raises(ValueError, match=r"no lift of the list goes with these samples: .*pass n_channels >= 2"):
        ReduNetClassifier("shift", lift=[Lift("random", 1, 5, random_state=0)]).fit(SIGNALS, Y)


def test_a_code_tells_classes_apart_by_their_energies_after_a_linear_lift():
    clf = ReduNetClassifier("shift", lift=lift(threshold="none"), membership="code").fit(SIGNALS[:20], Y[:20])
    assert clf.score(SIGNALS[20:], Y[20:]) == 1.0


def test_a_linear_lift_is_a_transformer_like_any_other():
    assert lift(threshold="none").fit(SIGNALS).transform(SIGNALS[:, None]).shape == (40, 6, 24)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("clf", [NearestSubspaceClassifier(invariance="shift"), ReduNetClassifier("shift", n_layers=0)])
def test_channels_that_are_multiples_of_each_other_tell_no_classes_apart(clf, dtype):
    X = (SIGNALS[:, None] * np.array([1.0, -2.0, 0.3])[:, None]).astype(dtype)
    clf.set_params(rank=2)
    if isinstance(clf, ReduNetClassifier):
        clf.set_params(membership="subspace")
    with pytest.warns(UserWarning, match="every training sample is equally far from all classes, .* count as one"):
        clf.fit(X, Y)
    assert_array_equal(clf.predict(X), 0)
    X[:, 2] += 0.01 * rng.standard_normal(X[:, 2].shape)  # no longer copies
    assert clf.set_params(rank=1).fit(X, Y).predict(X).any()  # and no warning, which would be an error


def test_classes_that_hold_the_same_samples_are_told_so():
    X = np.concatenate([CHANNELS[:10], CHANNELS[:10]])
    for clf in (NearestSubspaceClassifier(invariance="shift"), ReduNetClassifier("shift", membership="code")):
        with pytest.warns(UserWarning, match="classes of the same samples are one class"):
            clf.fit(X, np.repeat([0, 1], 10))


def test_the_order_of_classes_is_never_the_answer():
    clf = NearestSubspaceClassifier(invariance="shift").fit(CHANNELS, Y)
    other = NearestSubspaceClassifier(invariance="shift").fit(CHANNELS, 1 - Y)
    assert_array_equal(clf.predict(CHANNELS), 1 - other.predict(CHANNELS))
