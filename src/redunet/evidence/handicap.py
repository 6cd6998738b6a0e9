"""The handicap of a left-out sample: its own class has a sample less than all others, and is the farther for it.

With ten samples in a class that is as much as the distances of classes differ by, so that an answer looks worse by
left-out samples than it is for new ones, and another one, whose distances do not depend on the number of samples, would
be believed too much beside it.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..measures.class_moments import ClassMoments
from ..measures.left_out import LeftOutSamples
from ..measures.measure import Measure
from ..numerics.arrays import Array
from .leave_one_out import LeftOutAnswers


def class_handicaps(samples: LeftOutSamples, measure_of: Callable[[ClassMoments], Measure]) -> Array:
    """How much farther each class is from samples of other classes once it has a sample less; shape (n_classes,).

    Not below 0, and 0 for a class whose first sample is all it has.

    Parameters
    ----------
    samples : LeftOutSamples
        Sorted by class.
    measure_of : callable
        Gives the measure of classes of some moments.
    """
    codes = samples.codes
    first = np.unique(codes, return_index=True)[1]
    held_out = np.zeros(len(codes), dtype=bool)
    held_out[first[samples.moments.class_weight > samples.sample_weight[first]]] = True
    kept = samples.moments, samples.moments_without(held_out)
    full, less = (measure_of(moments).distances(samples.V) for moments in kept)
    others = codes[:, None] != np.arange(len(first))
    farther = np.where(others, less - full, 0.0).sum(axis=0) / np.maximum(others.sum(axis=0), 1)
    return np.maximum(farther, 0.0)


def without_handicap(
    answers: LeftOutAnswers, number: int, samples: LeftOutSamples, measure_of: Callable[[ClassMoments], Measure]
) -> LeftOutAnswers:
    """Answers for one value of the option, as if the class of each left-out sample had as many samples as it has.

    Parameters
    ----------
    answers : LeftOutAnswers
        Of single samples left out, not of groups.
    number : int
        Of the value.
    samples : LeftOutSamples
        That the answers are about.
    measure_of : callable
        Gives the measure of classes of some moments, with that value.
    """
    distances, codes = answers.distances_of(number).copy(), answers.codes
    distances[np.arange(len(codes)), codes] -= class_handicaps(samples, measure_of)[codes]
    return replace(answers, values=(answers.values[number],), distances=distances.T[None], squared=False)
