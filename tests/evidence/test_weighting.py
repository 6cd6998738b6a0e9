"""Weights of distances: those that make the labels of left-out samples most probable, and no others."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax, softmax

from redunet import Lift, PooledLift, ReduNetClassifier
from redunet.evidence.leave_one_out import LeftOutAnswers
from redunet.evidence.weighting import PENALTY, WeighedAnswers, judged_score_of_best, weights_by_evidence

rng = np.random.default_rng(0)


def labelled(weights, *distances):
    """Labels drawn with the probabilities softmax(−Σ w d)."""
    p = softmax(-sum(w * d for w, d in zip(weights, distances, strict=True)), axis=1)
    return (p.cumsum(axis=1) > rng.uniform(size=(len(p), 1))).argmax(axis=1)


def test_weights_that_labels_were_drawn_with_are_found_again():
    one, two = rng.standard_normal((20_000, 4)), 0.1 * rng.standard_normal((20_000, 4))
    codes = labelled((1.5, 12.0), one, two)
    assert_allclose(weights_by_evidence([one, two], codes, np.ones(20_000)), (1.5, 12.0), rtol=0.05)


def test_no_other_weights_give_the_labels_a_higher_probability():
    one, two = rng.standard_normal((60, 3)), rng.standard_normal((60, 3))
    codes, times = labelled((2.0, 0.5), one, two), rng.integers(1, 4, 60).astype(float)

    def loss(weights):
        total = -log_softmax(-(weights[0] * one + weights[1] * two), axis=1)[np.arange(60), codes] @ times
        units = [np.sqrt(times @ np.square(d - d.mean(1, keepdims=True)).mean(1) / times.sum()) for d in (one, two)]
        return total / times.sum() + PENALTY / times.sum() * np.sum(np.square(weights * np.array(units)))

    found = weights_by_evidence([one, two], codes, times)
    for step in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01)):
        assert loss(np.maximum(found + step, 0)) >= loss(found) - 1e-9


def test_distances_that_tell_nothing_count_nothing_and_those_that_mislead_neither():
    good, codes = rng.standard_normal((500, 3)), None
    codes = labelled((3.0,), good)
    useless, misleading = rng.standard_normal((500, 3)), -good
    assert weights_by_evidence([good, useless], codes, np.ones(500))[1] < 0.3
    assert weights_by_evidence([good, misleading], codes, np.ones(500))[1] == 0


def test_weights_are_finite_where_no_mistake_is_made():
    codes = np.arange(20) % 2
    perfect = np.where(codes[:, None] == np.arange(2), 0.0, 1.0)
    [weight] = weights_by_evidence([perfect], codes, np.ones(20))
    assert 1 < weight < 1000


def test_samples_that_do_not_count_do_not():
    distances = rng.standard_normal((40, 3))
    codes, counted = rng.integers(0, 3, 40), np.arange(40) < 30
    assert_allclose(
        weights_by_evidence([distances], codes, counted.astype(float)),
        weights_by_evidence([distances[:30]], codes[:30], np.ones(30)),
        rtol=1e-5,
    )
    assert_array_equal(weights_by_evidence([distances], codes, np.zeros(40)), [1.0])


def noisy(n, seed, noise=2.0):
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    t = 2 * np.pi * (np.arange(40) / 40 + random.uniform(size=(n, 1)))
    return np.where(y[:, None] == 1, np.sign(np.sin(t)), np.sin(t)) + noise * random.standard_normal((n, 40)), y


def test_two_answers_are_the_weighted_sum_of_their_distances_and_the_same_bits_at_every_shift():
    X, y = noisy(80, 1, 0.8)
    lift = [PooledLift(3, 2), Lift("random", 6, 9, random_state=0)]
    clf = ReduNetClassifier("shift", lift=lift).fit(X, y)
    [second] = clf.further_answers_
    assert 0 < second.weight <= 1
    assert_allclose(second.weight + clf.answer_weight_, 1)
    alone = ReduNetClassifier("shift", lift=lift[0]).fit(X, y)
    filters = ReduNetClassifier("shift", lift=lift[1], membership="subspace", rank=second.measure.rank, n_layers=0)
    expected = clf.answer_weight_ * alone.distances(X) + second.weight * filters.fit(X, y).distances(X)
    assert_allclose(clf.distances(X), expected, atol=1e-9)
    for shift in range(40):
        assert_array_equal(clf.predict_proba(np.roll(X, shift, axis=1)), clf.predict_proba(X))


def test_a_second_answer_is_not_looked_for_where_the_first_makes_no_mistake():
    X, y = noisy(40, 0, 0.05)
    clf = ReduNetClassifier("shift").fit(X, y)
    assert clf.loo_score_ == 1
    assert clf.further_answers_ == ()
    assert clf.answer_weight_ == 1


def test_a_signal_that_no_filter_responds_to_is_answered_by_the_other_answer():
    X, y = noisy(60, 0, 1.5)
    lift = [PooledLift(3, 2), Lift("random", 6, 9, threshold="soft", level=0.5, random_state=0)]
    clf = ReduNetClassifier("shift", lift=lift).fit(X, y)
    assert clf.further_answers_
    constant = np.full((2, 40), 3.0)
    constant[1] = 0
    answers = clf.predict_proba(np.concatenate([X, constant]))
    assert np.isfinite(answers).all()
    assert_array_equal(answers[:-2], clf.predict_proba(X))


def test_probabilities_of_pooled_features_are_neither_too_sure_nor_too_unsure():
    X, y = noisy(150, 0, 1.2)
    X_new, y_new = noisy(1000, 1, 1.2)
    clf = ReduNetClassifier("shift").fit(X, y)
    sure = clf.predict_proba(X_new).max(axis=1).mean()
    assert abs(sure - clf.score(X_new, y_new)) < 0.06


def test_of_several_candidates_the_one_of_least_log_loss_is_judged_by_samples_that_had_no_part_in_it():
    random = np.random.default_rng(3)
    codes = random.integers(0, 2, 200)
    good = random.standard_normal((200, 2)) + 1.5 * (codes[:, None] != np.arange(2))
    noise = random.standard_normal((200, 2))
    candidates = [WeighedAnswers([left_out(one, codes)]) for one in (noise, good)]
    assert candidates[1].loss < candidates[0].loss
    expected = (good.argmin(axis=1) == codes).mean()
    assert abs(judged_score_of_best(candidates) - expected) < 1e-9
    assert judged_score_of_best(candidates[:1]) < 0.65


def left_out(distances, codes):
    return LeftOutAnswers("rank", (1,), distances.T[None], codes, np.ones(len(codes)), has_scale=False, squared=False)
