"""Whom to believe: weights of distances by several measures, from training samples that the classes have not seen.

The probability of a class is softmax(−Σ w d) of the distances d by one or several measures. The weights w ≥ 0 are those
that give the labels of left-out samples the highest probability, and say how much each measure is to be believed.
Nothing is held out. How sure to be of the sum is found in ``calibration.py``.
"""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from ..fast.cached import cached_property
from ..numerics.arrays import Array
from .leave_one_out import LeftOutAnswers, judged

# Penalty on the square of a weight, in units of the spread of its distances and of one sample: finite weights, too, for
# samples that are all classified correctly.
PENALTY = 0.1
# The largest weight, in units of the spread of its distances.
LARGEST_WEIGHT = 100.0


class WeighedAnswers:
    """Answers of the same samples by several measures, each with the best value of its option and a weight.

    Parameters
    ----------
    answers : sequence of LeftOutAnswers
    evenness : float
        As in :func:`weights_by_evidence`.
    """

    def __init__(self, answers: Sequence[LeftOutAnswers], evenness: float = 0.0) -> None:
        self.answers, self.evenness = answers, evenness
        self.best = [one.evidence().best for one in answers]

    @cached_property
    def weights(self) -> Array:
        """Weight of the distances of each measure."""
        return self._weights(self.best, self.answers[0].weights)

    @property
    def shares(self) -> Array:
        """The weights, as shares of their sum; all on the first measure where no distance tells anything."""
        total = self.weights.sum()
        return self.weights / total if total > 0 else np.eye(len(self.weights))[0]

    def summed_distances(self) -> Array:
        """Distances by all measures, each times its share; shape (n_samples, n_classes)."""
        if len(self.answers) == 1:
            return self.answers[0].distances_of(self.best[0])
        parts = zip(self.shares, self.answers, self.best, strict=True)
        return np.sum([share * one.distances_of(i) for share, one, i in parts], axis=0)

    @property
    def loss(self) -> float:
        """Mean log loss of the labels of left-out samples."""
        return self.log_loss(self._weighed(self.best, self.weights))

    def log_loss(self, distances: Array, some: Array | None = None) -> float:
        """The same of summed distances (n_samples, n_classes), of all samples or some of them (a bool array)."""
        first = self.answers[0]
        weights = first.weights if some is None else np.where(some, first.weights, 0.0)
        losses = -log_softmax(-distances, axis=1)[np.arange(len(distances)), first.codes]
        return float(losses @ weights / max(weights.sum(), 1e-300))

    def distances_by(self, some: Array) -> Array:
        """Summed distances of all samples, by values and weights that some of them choose (a bool array)."""
        best = [one.evidence(some).best for one in self.answers]
        return self._weighed(best, self._weights(best, np.where(some, self.answers[0].weights, 0.0)))

    def judged_score(self) -> float:
        """Accuracy to expect: values and weights are chosen without the samples that they are judged on."""
        return judged_score_of_best([self])

    def _weighed(self, best: Sequence[int], weights: Array) -> Array:
        return np.sum([w * one.distances_of(i) for w, one, i in zip(weights, self.answers, best, strict=True)], axis=0)

    def _weights(self, best: Sequence[int], sample_weight: Array) -> Array:
        distances = [one.distances_of(i) for one, i in zip(self.answers, best, strict=True)]
        return weights_by_evidence(distances, self.answers[0].codes, sample_weight, self.evenness)


def judged_score_of_best(candidates: Sequence[WeighedAnswers]) -> float:
    """Accuracy to expect of the candidate whose log loss is least; nothing is chosen by the samples it is judged on."""
    first = candidates[0].answers[0]

    def correct_by(some: Array) -> Array:
        every = [one.distances_by(some) for one in candidates]
        losses = [one.log_loss(distances, some) for one, distances in zip(candidates, every, strict=True)]
        return np.round(every[int(np.argmin(losses))], 9).argmin(axis=1) == first.codes

    return judged(first, correct_by)


def weights_by_evidence(distances: Sequence[Array], codes: Array, sample_weight: Array, evenness: float = 0.0) -> Array:
    """Weights of several distances whose sum tells classes of left-out samples best; shape (n_distances,).

    Parameters
    ----------
    distances : sequence of float array, shape (n_samples, n_classes)
        By classes that have not seen the sample.
    codes : int array, shape (n_samples,)
        Class of each sample.
    sample_weight : float array, shape (n_samples,)
        How often each sample counts.
    evenness : float
        What is believed before any sample is seen, that measures count the same in units of the spread of their
        distances: a penalty on the squares of what weights differ from their mean, in units of one sample.
    """
    counted = np.flatnonzero(sample_weight)
    if not len(counted):
        return np.ones(len(distances))
    codes, share = codes[counted], sample_weight[counted] / sample_weight.sum()
    scores, units = [], []
    for one in distances:
        nearness = one[counted].mean(axis=1, keepdims=True) - one[counted]
        unit = max(float(np.sqrt(share @ np.square(nearness).mean(axis=1))), 1e-12)
        scores.append(nearness / unit)
        units.append(unit)
    stacked, places = np.stack(scores), np.arange(len(codes))
    own = stacked[:, places, codes]
    penalty, pull = PENALTY / sample_weight.sum(), evenness / sample_weight.sum()

    def loss(weights: Array) -> tuple[float, Array]:
        """Mean log loss with its penalty, and the gradient of both."""
        log_probabilities = log_softmax(np.tensordot(weights, stacked, 1), axis=1)
        expected = np.einsum("nij,ij->ni", stacked, np.exp(log_probabilities))
        value = -(share @ log_probabilities[places, codes]) + penalty * float(weights @ weights)
        uneven = weights - weights.mean()
        value += pull * float(uneven @ uneven)
        return value, (expected - own) @ share + 2 * penalty * weights + 2 * pull * uneven

    bounds = [(0.0, LARGEST_WEIGHT)] * len(units)
    found = minimize(loss, np.ones(len(units)), jac=True, bounds=bounds, method="L-BFGS-B")
    return np.asarray(found.x / units)
