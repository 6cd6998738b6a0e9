"""The handicap of a left-out sample: its own class has a sample less than all others, and is the farther for it.

With ten samples in a class that is as much as the distances of classes differ by, so that an answer looks worse by
left-out samples than it is for new ones, and another one, whose distances do not depend on the number of samples, would
be believed too much beside it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..measures.class_moments import ClassMoments
from ..measures.left_out import LeftOutSamples
from ..numerics.arrays import Array
from .leave_one_out import LeftOutAnswers

# Samples whose distances say what it is, at most, evenly spaced: it is a mean over all of them.
MOST_SAMPLES = 500

# Gives distances of samples to classes of some moments, an array (n_samples, n_classes) for each value of an option.
DistancesBy = Callable[[ClassMoments, Array], Sequence[Array]]


def class_handicaps(
    answers: LeftOutAnswers, numbers: Sequence[int], samples: LeftOutSamples, distances_by: DistancesBy
) -> Array:
    """How much farther each class is from samples of other classes once it has a sample less.

    Not below 0, and 0 for a class whose first sample is all it has.

    Parameters
    ----------
    answers : LeftOutAnswers
        Of single samples left out, not of groups: classes that a sample is not of have all their samples there.
    numbers : sequence of int
        Of the values.
    samples : LeftOutSamples
        That the answers are about, sorted by class.
    distances_by : callable
        For these values, in their order.

    Returns
    -------
    float array, shape (n_values, n_classes)
    """
    codes = samples.codes
    first = np.unique(codes, return_index=True)[1]
    held_out = np.zeros(len(codes), dtype=bool)
    held_out[first[samples.moments.class_weight > samples.sample_weight[first]]] = True
    some = np.arange(min(len(codes), MOST_SAMPLES)) * len(codes) // min(len(codes), MOST_SAMPLES)
    V, others = samples.V[:, :, some], codes[some][:, None] != np.arange(len(first))
    found = np.empty((len(numbers), len(first)))
    for row, number, less in zip(found, numbers, distances_by(samples.moments_without(held_out), V), strict=True):
        farther = np.where(others, less - answers.distances_of(number)[some], 0.0).sum(axis=0)
        row[:] = np.maximum(farther / np.maximum(others.sum(axis=0), 1), 0.0)
    return found


def without_handicap(
    answers: LeftOutAnswers, numbers: Sequence[int], samples: LeftOutSamples, distances_by: DistancesBy
) -> list[LeftOutAnswers]:
    """Answers for some values of the option, as if the class of each left-out sample had as many samples as it has.

    One for each value, with no other value to choose from; arguments as in :func:`class_handicaps`.
    """
    codes, found = answers.codes, []
    for number, handicaps in zip(numbers, class_handicaps(answers, numbers, samples, distances_by), strict=True):
        distances = answers.distances_of(number).copy()
        distances[np.arange(len(codes)), codes] -= handicaps[codes]
        found.append(replace(answers, values=(answers.values[number],), distances=distances.T[None], squared=False))
    return found
