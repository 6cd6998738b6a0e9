"""How sure to be: from distances of samples that the classes have not seen, to probabilities that can be acted on.

The probability of class j is (1 − doubt) · softmax(−sharpness · d)_j + doubt / n_classes. The sharpness (one over a
temperature) says what a difference of distances means; the doubt is the share of samples whose class the distances tell
nothing about, such as outliers and wrong labels. Both are those that give the labels of left-out samples the highest
probability. Nothing is held out for it; only what layers do is seen on samples that were held out.

Where classes were given weights (``class_weight``), each has an offset, too, by which its distances are smaller: a
subspace is the same whatever the weight of its class, and a class that counts more is to be answered more often.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax

from ..network.recipe import Recipe
from ..numerics.arrays import Array
from .choices import Chosen
from .depth import held_out_evidence
from .leave_one_out import FAR
from .moment_set import Training
from .weighting import WeighedAnswers

# What is believed before any sample is seen, in units of the log likelihood of one sample: a weak pull of the sharpness
# to one over the typical spread of distances, as the square of the difference of logarithms; and a weak push of the
# doubt away from 0, as minus its logarithm, so that a few samples without a mistake do not make it sure. (Chosen on
# sets of signals and tables that benchmarks/calibration.py does not report.)
SHARPNESS_PULL, DOUBT_PUSH = 0.3, 0.1
# The same for the offset of a class, in the exponent of the softmax, which is pulled to 0; and the largest one.
OFFSET_PULL, LARGEST_OFFSET = 0.3, 20.0
# The largest distance of the logarithm of the sharpness from that of one over the typical spread.
LOG_SHARPNESS_RANGE = 6.0
# Bounds of the log odds of the doubt; half a doubt is the most.
DOUBT_LOG_ODDS = (-12.0, 0.0)
# Where the search for the two numbers starts: log of the sharpness in units of the spread, log odds of the doubt.
STARTS = ((-0.5, -4.0), (1.0, -4.0), (2.5, -4.0))
# Digits of what is found; more would have no meaning, and would depend on the order of the samples.
SIGNIFICANT_DIGITS = 3


class Calibration(NamedTuple):
    """How distances become probabilities.

    Parameters
    ----------
    sharpness : float
        Factor of the distances in the softmax.
    doubt : float
        Share of each answer that is spread evenly over the classes, in [0, 0.5].
    offsets : float array, shape (n_classes,), or None
        What is taken from the distances to each class; None for nothing.
    """

    sharpness: float
    doubt: float
    offsets: Array | None = None


def calibrate(distances: Array, codes: Array, sample_weight: Array, *, with_offsets: bool = False) -> Calibration:
    """Sharpness and doubt (and offsets of classes) that give the labels of samples the highest probability.

    Parameters
    ----------
    distances : float array, shape (n_samples, n_classes)
        By classes that have not seen the sample. A class that nothing is left of may be infinitely far.
    codes : int array, shape (n_samples,)
        Class of each sample.
    sample_weight : float array, shape (n_samples,)
        How often each sample counts.
    with_offsets : bool
        Whether classes have offsets.
    """
    distances = _usable(distances)
    counted = np.flatnonzero(sample_weight > 0)
    some = counted if len(counted) else np.arange(len(codes))
    nearness = distances.mean(axis=1, keepdims=True) - distances
    spreads = np.sqrt(np.square(nearness).mean(axis=1))
    unit = weighted_median(spreads[some], sample_weight[some] if len(counted) else np.ones(len(some)))
    if not unit > 0:  # every sample is equally far from all classes
        return Calibration(1.0, float(expit(DOUBT_LOG_ODDS[1])))
    if not len(counted):
        return Calibration(_rounded(1 / unit), float(expit(DOUBT_LOG_ODDS[1])))
    times, scores = sample_weight[counted], nearness[counted] / unit
    places, n_classes = np.arange(len(counted)), distances.shape[1]
    own = scores[places, codes[counted]]
    is_own = codes[counted, None] == np.arange(n_classes)

    def loss(x: Array) -> tuple[float, Array]:
        """Minus the log likelihood of the labels and of what is believed before, and the gradient."""
        sharpness, doubt, offsets = np.exp(x[0]), expit(x[1]), x[2:]
        log_shares = log_softmax(sharpness * scores + (offsets if with_offsets else 0.0), axis=1)
        share = np.exp(log_shares[places, codes[counted]])
        expected = np.einsum("ij,ij->i", np.exp(log_shares), scores)
        p = (1 - doubt) * share + doubt / n_classes
        by_sharpness = (1 - doubt) * share * (own - expected) * sharpness / p
        by_doubt = (1 / n_classes - share) * doubt * (1 - doubt) / p
        value = -(times @ np.log(p)) + SHARPNESS_PULL * x[0] ** 2 - DOUBT_PUSH * np.log(doubt)
        slope = [2 * SHARPNESS_PULL * x[0] - times @ by_sharpness, -DOUBT_PUSH * (1 - doubt) - times @ by_doubt]
        if with_offsets:
            value += OFFSET_PULL * offsets @ offsets
            by_own = times * (1 - doubt) * share / p
            slope += (2 * OFFSET_PULL * offsets - by_own @ (is_own - np.exp(log_shares))).tolist()
        return float(value), np.array(slope)

    bounds = [(-LOG_SHARPNESS_RANGE, LOG_SHARPNESS_RANGE), DOUBT_LOG_ODDS]
    bounds += [(-LARGEST_OFFSET, LARGEST_OFFSET)] * (n_classes if with_offsets else 0)
    precise = {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 500}
    starts = [np.array([*start, *np.zeros(len(bounds) - 2)]) for start in STARTS]
    found = [minimize(loss, x, jac=True, bounds=bounds, method="L-BFGS-B", options=precise) for x in starts]
    best = min(found, key=lambda one: float(one.fun)).x
    sharpness = _rounded(np.exp(best[0]) / unit)
    return Calibration(sharpness, _rounded(expit(best[1])), best[2:].round(3) / sharpness if with_offsets else None)


def calibration_of_answers(weighed: WeighedAnswers, with_offsets: bool) -> Calibration:
    """Calibration of answers without layers, by what leaving each sample out gives."""
    answers = weighed.answers[0]
    return calibrate(weighed.summed_distances(), answers.codes, answers.weights, with_offsets=with_offsets)


def calibration_of_choice(training: Training, chosen: Chosen, with_offsets: bool) -> Calibration:
    """Calibration of what was chosen: by left-out samples, or by samples held out where layers are to be built."""
    n_layers, held_out = chosen.recipe.n_layers, chosen.held_out
    if not len(chosen.answers.codes):  # no sample was kept that could say it
        return Calibration(chosen.recipe.sharpness, 0.0)
    if n_layers and held_out is not None:
        parts = held_out.distances[n_layers], held_out.codes, held_out.weights
        return calibrate(*parts, with_offsets=with_offsets)
    found = calibration_after_layers(training, chosen.recipe, with_offsets) if n_layers else None
    return calibration_of_answers(WeighedAnswers([chosen.answers]), with_offsets) if found is None else found


def calibration_after_layers(training: Training, recipe: Recipe, with_offsets: bool) -> Calibration | None:
    """Calibration of a network with layers: leaving one out before the layers does not say what layers do to a sample.

    So networks with as many layers are built without a quarter of the samples, until 100 samples have been held out
    or all have been. None where classes are too small to hold anything out.
    """
    found = held_out_evidence(training, recipe)
    if found is None:
        return None
    return calibrate(found.distances[-1], found.codes, found.weights, with_offsets=with_offsets)


def weighted_median(values: Array, weights: Array) -> float:
    """The least value that half of the weight is not above."""
    order = values.argsort(kind="stable")
    upto = weights[order].cumsum()
    return float(values[order[np.searchsorted(upto, upto[-1] / 2 * (1 - 1e-12))]])


def _usable(distances: Array) -> Array:
    """Distances in which a class that nothing is left of is as far as the farthest of the others."""
    missing = ~(distances < FAR)
    if not missing.any():
        return distances
    farthest = np.where(missing, -np.inf, distances).max(axis=1, keepdims=True)
    return np.where(missing, np.where(np.isfinite(farthest), farthest, 0.0), distances)


def _rounded(value: float) -> float:
    """A number with few significant digits."""
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
