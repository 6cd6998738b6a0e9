"""Evidence for the scale of tables: whether left-out samples are answered better once columns are standardised."""

from collections.abc import Callable
from typing import NamedTuple

from .choices import Chosen
from .leave_one_out import best_candidate, luck_of_best


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
    as_they_are, standardised = (one.evidence() for one in answers)
    # Where no sample says which is better, columns are standardised, as is usual.
    best = best_candidate(answers, steady=False)[0] if as_they_are.n_samples else 1
    luck = luck_of_best(answers, steady=False)
    return ScalingEvidence(best == 1, (as_they_are.best_score, standardised.best_score), luck)
