"""Evidence for the scale of tables: whether left-out samples are answered better once columns are standardised."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..numerics.arrays import Array
from .choices import Chosen
from .leave_one_out import LeftOutAnswers, best_of, judged


class ScalingEvidence(NamedTuple):
    """What left-out samples say of the scale.

    Parameters
    ----------
    standardise : bool
        Whether columns are to be standardised.
    scores : tuple of float
        Share of left-out samples that are classified correctly with columns as they are, and standardised.
    luck : float
        How much higher the better score is than what samples say that had no part in the choice.
    """

    standardise: bool
    scores: tuple[float, float]
    luck: float


def scaling_by_evidence(chosen_of: Callable[[bool], Chosen]) -> ScalingEvidence:
    """Whether to standardise: the better of two scores, and of equally good ones the larger margin.

    Parameters
    ----------
    chosen_of : callable
        Given whether columns are standardised, what evidence chooses then.
    """
    answers = [chosen_of(standardised).answers for standardised in (False, True)]
    best = _best(answers)
    found = [one.evidence() for one in answers]
    scores = found[0].best_score, found[1].best_score
    luck = 0.0
    if found[best].n_samples:
        score = judged(answers[0], lambda rows: _correct_by_best(answers, rows))
        luck = max(0.0, scores[best] - score)
    return ScalingEvidence(best == 1, scores, luck)


def _best(answers: Sequence[LeftOutAnswers], some: Array | None = None) -> int:
    """0 for columns as they are, 1 for standardised ones, as all or some of the samples say; 1 where none says it."""
    found = [one.evidence(some) for one in answers]
    if not found[0].n_samples:
        return 1
    scores = np.array([evidence.best_score for evidence in found])
    effects = np.array([evidence.effects[evidence.best] for evidence in found])
    return best_of(scores, effects, found[0].n_samples)


def _correct_by_best(answers: Sequence[LeftOutAnswers], some: Array) -> Array:
    best = answers[_best(answers, some)]
    return best.correct[best.evidence(some).best]
