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
from ..numerics.sample_keys import sample_keys
from .leave_one_out import LeftOutAnswers

# Samples whose distances say what it is, at most: it is a mean over all of them.
MOST_SAMPLES = 500
# Samples whose keys are found at a time.
SAMPLES_AT_A_TIME = 256

# Gives distances of samples to classes of some moments, an array (n_samples, n_classes) for each value of an option.
DistancesBy = Callable[[ClassMoments, Array], Sequence[Array]]


def class_handicaps(
    answers: LeftOutAnswers, numbers: Sequence[int], samples: LeftOutSamples, distances_by: DistancesBy
) -> Array:
    """How much farther each class is from samples of other classes once it has a sample less.

    Not below 0, and 0 for a class that has one sample alone. Which sample is taken out of a class is decided by values,
    not by the order of the samples.

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
    by_key = np.argsort(_keys(samples.V), kind="stable")
    first = by_key[np.unique(codes[by_key], return_index=True)[1]]
    held_out = np.zeros(len(codes), dtype=bool)
    held_out[first[samples.moments.class_weight > samples.once[first]]] = True
    some = np.sort(by_key[:MOST_SAMPLES])
    V = samples.V[:, :, some]
    others = np.where(codes[some][:, None] != np.arange(len(first)), samples.sample_weight[some, None], 0.0)
    total = others.sum(axis=0)
    without = samples.moments_without(held_out, samples.once)
    found = np.empty((len(numbers), len(first)))
    for row, number, less in zip(found, numbers, distances_by(without, V), strict=True):
        farther = (others * (less - answers.distances_of(number)[some])).sum(axis=0)
        row[:] = np.maximum(farther / np.where(total > 0, total, 1.0), 0.0)
    return found


def _keys(V: Array) -> Array:
    """A number for each of some blocks (n_freqs, n_channels, n_samples) that its values alone decide."""
    found = []
    for start in range(0, V.shape[2], SAMPLES_AT_A_TIME):
        rows = np.ascontiguousarray(V[:, :, start : start + SAMPLES_AT_A_TIME].transpose(2, 0, 1))
        found.append(sample_keys(rows.view(rows.real.dtype)))
    return np.concatenate(found)


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
