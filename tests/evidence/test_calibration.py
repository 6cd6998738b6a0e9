"""Probabilities: sharpness and doubt are those that labels of left-out samples have, and new samples confirm them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.base import clone
from sklearn.metrics import log_loss

from redunet import Lift, NearestSubspaceClassifier, ReduNetClassifier
from redunet.evidence.calibration import DOUBT_PUSH, SHARPNESS_PULL, calibrate, weighted_median
from tests.reference.leave_one_out import waves

rng = np.random.default_rng(0)


def labelled(distances, sharpness, doubt):
    """Labels drawn with the probabilities (1 − doubt) softmax(−sharpness · d) + doubt / n_classes."""
    p = (1 - doubt) * softmax(-sharpness * distances, axis=1) + doubt / distances.shape[1]
    return (p.cumsum(axis=1) > rng.uniform(size=(len(p), 1))).argmax(axis=1)


@pytest.mark.parametrize(("sharpness", "doubt", "n_classes"), [(3.0, 0.1, 4), (40.0, 0.02, 2), (0.3, 0.3, 12)])
def test_sharpness_and_doubt_that_labels_were_drawn_with_are_found_again(sharpness, doubt, n_classes):
    distances = 6 / sharpness * rng.standard_normal((30_000, n_classes))
    found = calibrate(distances, labelled(distances, sharpness, doubt), np.ones(30_000))
    assert_allclose(found.sharpness, sharpness, rtol=0.06)
    assert_allclose(found.doubt, doubt, atol=0.01)


def test_no_other_numbers_give_labels_and_what_is_believed_before_a_higher_probability():
    distances, times = rng.standard_normal((60, 3)), rng.integers(1, 4, 60).astype(float)
    codes = labelled(distances, 2.0, 0.1)
    spreads = np.repeat(distances.std(axis=1), times.astype(int))
    unit = np.sort(spreads)[(len(spreads) - 1) // 2]

    def loss(sharpness, doubt):
        p = (1 - doubt) * softmax(-sharpness * distances, axis=1) + doubt / 3
        before = SHARPNESS_PULL * np.log(sharpness * unit) ** 2 - DOUBT_PUSH * np.log(doubt)
        return -(times @ np.log(p[np.arange(60), codes])) + before

    found = calibrate(distances, codes, times)
    for sharper, doubtful in ((1.03, 1), (0.97, 1), (1, 1.03), (1, 0.97)):
        assert loss(found.sharpness * sharper, found.doubt * doubtful) > loss(*found[:2]) - 1e-9


def test_a_few_samples_without_a_mistake_make_sure_but_not_certain():
    codes = np.arange(20) % 2
    perfect = np.where(codes[:, None] == np.arange(2), 0.0, 1.0)
    few, many = (
        calibrate(perfect, codes, np.ones(20)),
        calibrate(np.tile(perfect, (50, 1)), np.tile(codes, 50), np.ones(1000)),
    )
    assert 3 < few.sharpness < many.sharpness < 100
    assert 0 < many.doubt < few.doubt < 0.1


def test_one_wrong_label_far_off_makes_no_other_answer_unsure():
    distances = rng.standard_normal((300, 3))
    codes = labelled(distances, 8.0, 0.0)
    expected = calibrate(distances, codes, np.ones(300))
    distances[7] = [0, 500, 500]
    codes[7] = 1
    found = calibrate(distances, codes, np.ones(300))
    assert_allclose(found.sharpness, expected.sharpness, rtol=0.2)
    assert found.doubt < 0.03


def test_samples_of_weight_0_do_not_count_and_whole_weights_are_repetition():
    distances, codes = rng.standard_normal((40, 3)), rng.integers(0, 3, 40)
    times = rng.integers(0, 3, 40)
    again = np.repeat(np.arange(40), times)
    assert calibrate(distances, codes, times.astype(float)) == calibrate(
        distances[again], codes[again], np.ones(len(again))
    )


def test_a_class_that_nothing_is_left_of_is_as_far_as_the_farthest():
    distances, codes = rng.standard_normal((50, 3)), rng.integers(0, 2, 50)
    gone = distances.copy()
    distances[:, 2] = distances[:, :2].max(axis=1)
    for far in (np.inf, 1e6, np.nan):
        gone[:, 2] = far
        assert calibrate(gone, codes, np.ones(50)) == calibrate(distances, codes, np.ones(50))


def test_where_nothing_was_left_out_answers_are_half_doubted():
    distances = rng.standard_normal((5, 5))
    found = calibrate(distances, np.arange(5), np.zeros(5))
    assert found.doubt == 0.5
    assert_allclose(found.sharpness, 1 / np.median(distances.std(axis=1)), rtol=0.01)
    assert calibrate(np.ones((5, 5)), np.arange(5), np.ones(5)) == (1.0, 0.5, None)


def test_the_median_of_weighted_values_is_that_of_repeated_ones():
    values, times = rng.standard_normal(9), np.array([1, 0, 3, 2, 1, 1, 4, 2, 1])
    assert weighted_median(values, times.astype(float)) == np.sort(np.repeat(values, times))[7]


def blobs(n, seed, n_classes=4):
    random = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    mixing = np.random.default_rng(5).standard_normal((n_classes, 6, 6))
    centres = np.random.default_rng(6).standard_normal((n_classes, 6))
    return centres[y] + np.einsum("ijk,ik->ij", mixing[y], random.standard_normal((n, 6))), y


MODELS = {
    "auto": ReduNetClassifier(),
    "subspace": ReduNetClassifier(membership="subspace", n_layers=0),
    "code": ReduNetClassifier(membership="code", n_layers=0),
    "regression": ReduNetClassifier(membership="regression", n_layers=0),
    "nearest": NearestSubspaceClassifier(),
    "layers, softmax": ReduNetClassifier(membership="softmax", n_layers=10, tol=None),
    "layers, subspace": ReduNetClassifier(membership="subspace", n_layers=10, tol=None),
    "layers, code": ReduNetClassifier(membership="code", n_layers=10, tol=None),
    "layers, regression": ReduNetClassifier(membership="regression", n_layers=10, tol=None),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_classes", [2, 4, 12])
def test_probabilities_of_new_samples_are_neither_too_sure_nor_too_unsure(name, n_classes):
    X, y = blobs(240, 1, n_classes)
    X_new, y_new = blobs(2400, 2, n_classes)
    clf = clone(MODELS[name]).fit(X, y)
    p = clf.predict_proba(X_new)
    assert_allclose(p.sum(axis=1), 1)
    assert abs(p.max(axis=1).mean() - clf.score(X_new, y_new)) < 0.1
    fixed = softmax(-50 * clf.distances(X_new), axis=1)
    assert log_loss(y_new, p) < log_loss(y_new, np.clip(fixed, 1e-15, 1)) + 0.01


def test_lifted_signals_are_calibrated_and_have_the_same_bits_at_every_shift():
    X, y = waves(m=60, seed=0)
    clf = ReduNetClassifier("shift", lift=Lift("random", 6, 5, random_state=0)).fit(X[:, :1], y)
    assert clf._sharpness != 50
    for shift in (1, 3, 7):
        assert_array_equal(clf.predict_proba(np.roll(X[:, :1], shift, axis=-1)), clf.predict_proba(X[:, :1]))


def test_probabilities_are_made_of_distances_by_sharpness_and_doubt():
    X, y = blobs(60, 0)
    clf = ReduNetClassifier().fit(X, y)
    expected = (1 - clf._doubt) * softmax(-clf._sharpness * clf.distances(X), axis=1) + clf._doubt / 4
    assert_allclose(clf.predict_proba(X), expected, atol=1e-12)
    assert_array_equal(clf.probabilities_of(clf.distances(X)), clf.predict_proba(X))


def test_the_sharpness_of_layers_has_no_part_in_probabilities_without_layers():
    X, y = blobs(60, 0)
    one, other = (ReduNetClassifier(n_layers=0, sharpness=value).fit(X, y) for value in (5.0, 500.0))
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_a_sharpness_that_is_given_decides_the_probabilities_of_nearest_subspaces():
    X, y = blobs(60, 0)
    clf = NearestSubspaceClassifier(sharpness=50.0).fit(X, y)
    assert_allclose(clf.predict_proba(X), softmax(-50 * clf.distances(X), axis=1), atol=1e-12)
    with pytest.raises(ValueError, match=r"sharpness must be 'auto', got 'atuo'\. Did you mean 'auto'"):
        NearestSubspaceClassifier(sharpness="atuo").fit(X, y)


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith("layers")])
def test_layers_that_are_added_later_are_calibrated_like_those_built_at_once(name):
    X, y = blobs(120, 3)
    at_once = clone(MODELS[name]).fit(X, y)
    later = clone(MODELS[name]).set_params(n_layers=4, warm_start=True).fit(X, y)
    later.set_params(n_layers=10).fit(X, y)
    assert later.n_layers_ == at_once.n_layers_
    assert (later._sharpness, later._doubt) == (at_once._sharpness, at_once._doubt)
    without = clone(MODELS[name]).set_params(n_layers=0).fit(X, y)
    assert later._sharpness != without._sharpness


def test_where_classes_are_too_small_to_hold_samples_out_left_out_ones_calibrate_layers():
    X, y = blobs(12, 0)
    layered = ReduNetClassifier(membership="subspace", rank=1, n_layers=3, tol=None).fit(X, y)
    without = ReduNetClassifier(membership="subspace", rank=1, n_layers=0).fit(X, y)
    assert (layered._sharpness, layered._doubt) == (without._sharpness, without._doubt)


def test_groups_calibrate_for_samples_of_new_groups():
    random = np.random.default_rng(0)
    centres = random.standard_normal((2, 10, 5)) * 2 + np.array([0.6, -0.6])[:, None, None]
    y, person = np.repeat([0, 1], 100), np.tile(np.repeat(np.arange(10), 10), 2) + 10 * np.repeat([0, 1], 100)
    X = centres[y, person % 10] + 0.05 * random.standard_normal((200, 5))
    alone = ReduNetClassifier(n_layers=0, membership="regression").fit(X, y)
    grouped = ReduNetClassifier(n_layers=0, membership="regression").fit(X, y, groups=person)
    assert grouped.predict_proba(X).max(axis=1).mean() < alone.predict_proba(X).max(axis=1).mean()
