"""What the training samples say of a classifier, against leaving them out one by one and fitting again."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris
from sklearn.preprocessing import StandardScaler

from redunet import Lift, NearestSubspaceClassifier, ReduNetClassifier
from redunet.evidence.depth import DepthEvidence, fold_of_each_sample
from redunet.evidence.leave_one_out import Evidence
from redunet.evidence.lifts import candidate_lifts
from redunet.evidence.training_set import some_of_each_class


def waves(m=40, seed=0, noise=1.0):
    """Signals of two channels whose classes differ in how the channels go together; anywhere on the circle."""
    rng = np.random.default_rng(seed)
    y = np.arange(m) % 2
    t = 2 * np.pi * (np.arange(16) / 16 + rng.uniform(size=(m, 1)))
    X = np.stack([np.sin(t), np.cos(t + (y * 1.0)[:, None]), np.sin(2 * t)], axis=1)
    return X + noise * rng.standard_normal(X.shape), y


def left_out_by_hand(make, X, y):
    """Share of samples that classifiers fitted without them classify correctly."""
    right = []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        right.append(make().fit(X[others], y[others]).predict(X[i : i + 1])[0] == y[i])
    return np.mean(right)


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


@pytest.mark.parametrize("eps", [0.1, 1.0])
def test_leave_one_out_of_codes(eps):
    X, y = waves(m=60)

    def make():
        return ReduNetClassifier("shift", n_layers=0, membership="code", eps=eps)

    assert_allclose(make().fit(X, y).loo_score_, left_out_by_hand(make, X, y))


@pytest.mark.parametrize("eps", [0.3, 1.0])
def test_leave_one_out_of_codes_of_small_classes(eps):
    """Six samples of a class have six directions of 24 at each frequency; a code sees the others, too."""
    rng = np.random.default_rng(0)
    y = np.arange(18) % 3
    X = 0.4 * rng.standard_normal((3, 24, 8))[y] + rng.standard_normal((18, 24, 8))

    def make():
        return ReduNetClassifier("shift", n_layers=0, membership="code", eps=eps)

    assert_allclose(make().fit(X, y).loo_score_, left_out_by_hand(make, X, y))


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


def test_scores_that_chance_cannot_tell_apart_are_told_apart_by_their_margin():
    flat = np.full(4, 0.9)
    assert Evidence((1, 2, 3, 4), flat, np.array([0.1, 0.3, 0.2, 0.3]), np.zeros(4), 100.0).best == 1
    peak = Evidence((1, 2, 3, 4, 5, 6), np.array([0.2, 0.2, 1.0, 0.2, 0.8, 0.9]), np.zeros(6), np.zeros(6), 1e6)
    assert peak.best == 5  # a lucky score between bad ones does not count in full


def test_energy_alone_is_seen_by_a_code_and_not_by_a_subspace():
    """Classes with the same directions, and energy at different frequencies: where deep features can end up."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    t = 2 * np.pi * np.arange(32) / 32
    wave = np.where(y[:, None] == 1, np.sin(3 * t), np.sin(5 * t))
    X = np.stack([wave, 2 * wave], axis=1) + 1e-3 * rng.standard_normal((60, 2, 32))
    other = np.where(y[:, None] == 1, np.sin(5 * t), np.sin(3 * t))
    X += 0.05 * np.stack([other, 2 * other], axis=1)  # each class has a little of the other's frequency
    by_code = ReduNetClassifier("shift", n_layers=0, membership="code").fit(X[:30], y[:30])
    by_subspace = ReduNetClassifier("shift", n_layers=0, membership="subspace").fit(X[:30], y[:30])
    assert by_code.score(X[30:], y[30:]) == 1.0
    assert by_subspace.score(X[30:], y[30:]) < 0.9
    either = ReduNetClassifier("shift", n_layers=0).fit(X[:30], y[:30])
    assert either.membership_ == "code"


@pytest.mark.parametrize("membership", ["softmax", "subspace", "code", "relu"])
@pytest.mark.parametrize("seed", range(3))
def test_layers_that_are_kept_answer_held_out_samples_better_than_none(membership, seed):
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


def test_the_cut_is_where_more_answers_turn_right_than_chance_would():
    right = np.zeros((4, 100), dtype=bool)
    right[:, :80] = True
    right[1, :3] = False
    right[2, 80:95] = True  # 15 more
    right[3, 80:84] = True  # 4 more: no more than chance
    assert DepthEvidence(None, right, np.ones(100)).depth == 2
    assert DepthEvidence(None, right[[0, 1, 3]], np.ones(100)).depth == 0
    assert_allclose(DepthEvidence(None, right, np.ones(100)).scores, [0.8, 0.77, 0.95, 0.84])


def test_what_is_held_out_depends_on_values_and_not_on_their_order():
    rng = np.random.default_rng(0)
    V = rng.standard_normal((3, 4, 20))
    codes = np.repeat([0, 1], 10)
    turn = fold_of_each_sample(V, codes)
    assert sorted(np.bincount(turn)) == [4, 4, 6, 6]
    order = np.concatenate([rng.permutation(10), 10 + rng.permutation(10)])
    assert_array_equal(fold_of_each_sample(V[:, :, order], codes), turn[order])
    V[:, :, 1] = V[:, :, 0]
    turn = fold_of_each_sample(V, codes)
    assert turn[0] == turn[1]
    assert fold_of_each_sample(V[:, :, [0, 1, 2, 3, 10, 11, 12, 13]], np.repeat([0, 1], 4)) is None


def test_single_precision_holds_out_the_same_samples():
    rng = np.random.default_rng(0)
    V = rng.standard_normal((3, 4, 200)) + 1j * rng.standard_normal((3, 4, 200))
    codes = np.repeat([0, 1], 100)
    assert_array_equal(fold_of_each_sample(V.astype(np.complex64), codes), fold_of_each_sample(V, codes))


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


def test_what_is_given_is_kept_and_what_is_auto_is_chosen():
    X, y = waves(m=80)
    clf = ReduNetClassifier("shift", membership="subspace", rank=1, eps=0.5, sharpness=30.0, n_layers=3, tol=None)
    clf.fit(X, y)
    assert (clf.membership_, clf.rank_, clf.eps_, clf.sharpness_) == ("subspace", 1, 0.5, 30.0)
    assert clf.n_layers_ <= 3
    chosen = ReduNetClassifier("shift", membership="code", eps="auto", sharpness="auto").fit(X, y)
    assert chosen.eps_ in chosen.evidence_.choices
    assert chosen.rank_ is None
    assert chosen.sharpness_ in (20.0, 50.0, 200.0)
    assert_array_equal(chosen.predict(np.roll(X, 5, axis=-1)), chosen.predict(X))


def test_choices_are_the_same_every_time():
    X, y = waves(m=60)
    X = X[:, 0]
    first, again = (ReduNetClassifier("shift", lift="auto").fit(X, y) for _ in range(2))
    assert_array_equal(first.decision_function(X), again.decision_function(X))
    assert first.lift_.get_params() == again.lift_.get_params()


def test_of_a_list_of_lifts_the_better_one_is_taken():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    t = 2 * np.pi * (np.arange(48) / 48 + rng.uniform(size=(60, 1)))
    X = np.where(y[:, None] == 1, np.sign(np.sin(t)), np.sin(t)) + 0.3 * rng.standard_normal((60, 48))
    deaf = Lift([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], level=1e-3)  # nearly copies of the signal
    good = Lift("random", 16, 9, random_state=0)
    clf = ReduNetClassifier("shift", lift=[deaf, good]).fit(X[:30], y[:30])
    assert clf.lift_.filters == "random"
    assert clf.score(X[30:], y[30:]) > 0.9
    assert not hasattr(good, "bank_")  # the lift that was given stays as it was


def test_the_short_list_fits_small_and_large_samples():
    for grid in [(3,), (24,), (150,), (5, 7), (28, 28)]:
        lifts = list(candidate_lifts(grid, 0))
        assert 2 <= len(lifts) <= 6
        assert all(max(lift.kernel_size) <= min(grid) for lift in lifts)


def test_evidence_is_taken_from_samples_of_every_class():
    bounds = np.array([0, 10_000, 10_003, 20_000])
    chosen = some_of_each_class(bounds, 2000)
    assert len(chosen) <= 2002
    assert np.bincount(np.searchsorted(bounds[1:], chosen, side="right")).min() >= 2
    assert_array_equal(some_of_each_class(bounds, 30_000), np.arange(20_000))
