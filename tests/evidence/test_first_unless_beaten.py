"""The usual candidate stays unless another one classifies more samples correctly, beyond chance."""

import numpy as np
import pytest

from redunet.evidence.leave_one_out import LeftOutAnswers
from redunet.evidence.lifts import first_unless_beaten


def answers(correct, weights=None):
    """Answers of two classes, every sample of class 0, of which these are classified correctly."""
    correct = np.asarray(correct, dtype=bool)
    distances = np.stack([np.where(correct, 0.1, 0.9), np.full(len(correct), 0.5)])[None]
    times = np.ones(len(correct)) if weights is None else np.asarray(weights, dtype=float)
    return LeftOutAnswers("rank", (1,), distances, np.zeros(len(correct), dtype=int), times, True, False)


@pytest.mark.parametrize(("n_gained", "n_lost", "taken"), [(3, 0, 1), (1, 0, 0), (6, 3, 0), (7, 3, 1), (3, 6, 0)])
def test_another_is_taken_where_it_gains_more_than_the_standard_error(n_gained, n_lost, taken):
    first, other = np.ones(40, dtype=bool), np.ones(40, dtype=bool)
    first[:n_gained] = False
    other[20 : 20 + n_lost] = False
    assert first_unless_beaten([answers(first), answers(other)]) == taken


def test_of_several_that_are_better_the_best_is_taken():
    first, better, best = np.ones((3, 40), dtype=bool)
    first[:20], better[10:20] = False, False
    assert first_unless_beaten([answers(first), answers(better), answers(best)]) == 2


def test_weights_are_numbers_of_samples():
    first, other = np.array([0, 1, 1, 1]), np.array([1, 1, 1, 1])
    assert first_unless_beaten([answers(first), answers(other)]) == 0
    assert first_unless_beaten([answers(first, [3, 1, 1, 1]), answers(other, [3, 1, 1, 1])]) == 1
