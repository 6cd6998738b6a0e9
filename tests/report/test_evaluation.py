"""Accuracy, its uncertainty, and calibration, as the page has them."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binomtest

from redunet.evidence.expected_accuracy import expected_accuracy
from redunet.report.evaluation import Evaluation, accuracy_data, calibration_data, wilson_interval


def expected(score, **fitted):
    """What is expected of a model whose left-out samples have this score."""
    return expected_accuracy(SimpleNamespace(loo_score_=score, **fitted))


@pytest.mark.parametrize(("n_right", "n"), [(0, 1), (1, 1), (7, 10), (45, 50), (1000, 1000), (3, 4000)])
def test_the_interval_is_that_of_wilson(n_right, n):
    expected = binomtest(n_right, n).proportion_ci(0.95, method="wilson")
    np.testing.assert_allclose(wilson_interval(n_right / n, n), (expected.low, expected.high), atol=1e-6)


@pytest.mark.parametrize(
    ("n_right", "estimate", "words"),
    [(80, 0.82, "agree"), (60, 0.9, "worse than the estimate"), (99, 0.8, "better than the estimate")],
)
def test_a_difference_beyond_chance_is_said_in_words(n_right, estimate, words):
    data = accuracy_data(np.arange(100) < n_right, expected(estimate), 200)
    assert words in data["verdict"]
    assert [share["value"] for share in data["shares"]] == [n_right / 100, estimate]


def test_without_an_estimate_there_is_nothing_to_compare():
    data = accuracy_data(np.array([True, False]), expected(float("nan")), 0)
    assert data["verdict"] is None
    assert len(data["shares"]) == 1


@pytest.mark.parametrize("start_was_kept", [False, True])
def test_after_training_the_estimate_is_that_of_samples_held_out_of_it(start_was_kept):
    history = SimpleNamespace(start_was_kept=start_was_kept)
    found = expected(0.9, n_layers_=3, depth_scores_=np.array([0.5, 0.6, 0.7, 0.8]), training_history_=history)
    assert found["expected_accuracy"] == (0.8 if start_was_kept else 0.9)
    (_, estimate) = accuracy_data(np.array([True, False]), found, 0)["shares"]
    assert estimate["value"] == found["expected_accuracy"]
    assert ("held out of the training" in estimate["note"]) == (not start_was_kept)


def test_after_layers_the_estimate_is_that_of_samples_held_out_and_there_is_none_without_them():
    right = np.arange(100) < 80
    layers = {"n_layers_": 2}
    assert len(accuracy_data(right, expected(0.9, **layers), 200)["shares"]) == 1
    found = accuracy_data(right, expected(0.9, **layers, depth_scores_=np.array([0.9, 0.8, 0.7])), 200)
    assert found["verdict"] is None
    estimate = found["shares"][1]
    assert (estimate["value"], estimate["interval"]) == (0.7, None)
    assert estimate["note"] == "training samples that were held out while 2 layers were built"


def test_bins_of_probability_count_answers_and_how_many_are_correct():
    confidence = np.array([0.31, 0.39, 0.95, 0.97, 1.0, 0.99])
    right = np.array([False, True, True, True, True, False])
    bins = calibration_data(confidence, right)["bins"]
    assert [one["count"] for one in bins] == [2, 4]
    assert [one["share"] for one in bins] == [0.5, 0.75]
    np.testing.assert_allclose([one["probability"] for one in bins], [0.35, 0.9775])


@pytest.mark.parametrize(
    ("sure", "words"), [(0.6, "less sure than it could be"), (0.99, "more sure than it should be")]
)
def test_probabilities_that_are_too_high_or_too_low_are_said_in_words(sure, words):
    assert words in calibration_data(np.full(100, sure), np.arange(100) < 80)["words"]
    assert "sure" not in calibration_data(np.full(100, 0.8), np.arange(100) < 80)["words"]


def test_confusions_are_counted_by_class_and_answer():
    found = Evaluation(np.eye(3)[[0, 1, 1, 2]], np.array([0, 1, 1, 2]), np.array([0, 1, 2, 2]))
    assert found.confusion().tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert found.right.tolist() == [True, True, False, True]
    assert found.confidence.tolist() == [1.0] * 4
