"""Evidence for the scale γ of a kernel: the one of a short list by which left-out samples are answered best."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..inputs.labels import Labels
from ..numerics.arrays import Array
from ..numerics.sample_keys import sample_keys
from .leave_one_out import LeftOutAnswers, best_candidate, luck_of_best
from .training_set import some_of_each_class

# Evidence is taken from at most so many samples, which their values choose.
SAMPLES_FOR_KERNEL = 1000
# Landmarks, at most, that samples are compared with for it.
LANDMARKS_FOR_EVIDENCE = 200


class KernelEvidence(NamedTuple):
    """What left-out samples say of the scale of a kernel.

    Parameters
    ----------
    gamma : float or None
        The best one; None where no sample could be left out to say which it is.
    scores : float array, shape (n_gammas, 2)
        Each γ, and the share of left-out samples that are classified correctly with it.
    luck : float
        How much higher the best score is than what samples say that had no part in the choice.
    """

    gamma: float | None
    scores: Array
    luck: float


def gamma_by_evidence(gammas: Sequence[float], answers_of: Callable[[float], LeftOutAnswers]) -> KernelEvidence:
    """The γ by which left-out samples are answered best; of equally good ones the one of the largest effect.

    Parameters
    ----------
    gammas : sequence of float
    answers_of : callable
        Given γ, the answers to left-out samples by what evidence chooses then.
    """
    answers = [answers_of(gamma) for gamma in gammas]
    found = [one.evidence() for one in answers]
    scores = np.array([[gamma, one.best_score] for gamma, one in zip(gammas, found, strict=True)])
    if not found[0].n_samples:
        return KernelEvidence(None, scores, 0.0)
    best, _ = best_candidate(answers, steady=False)
    return KernelEvidence(float(gammas[best]), scores, luck_of_best(answers, steady=False))


def few_of_each_class(samples: Array, labels: Labels) -> Array:
    """Numbers of a few samples of each class, ascending, which their values choose and not their order."""
    if len(samples) <= SAMPLES_FOR_KERNEL:
        return np.arange(len(samples))
    order = np.lexsort((sample_keys(samples), labels.codes))
    bounds = np.searchsorted(labels.codes[order], np.arange(len(labels.classes) + 1))
    return np.sort(order[some_of_each_class(bounds, SAMPLES_FOR_KERNEL)])
