"""Leave-one-out: how each training sample would be classified by classes that had not seen it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..fast.threads import run_parts
from ..measures.left_out import ClassView, LeftOut, LeftOutSamples
from ..numerics.arrays import Array
from ..storage.expectations import expect, expect_numbers, is_number
from ..storage.stored_types import stored_record

# Scores closer than so many standard errors are compared by their margin (tried on signals and images).
STANDARD_ERRORS_APART = 0.5
# Samples that are looked at together, which bounds the memory.
SAMPLES_PER_PART = 128
# What a view has where no measure looks at samples in the eigenbases of the classes.
NOTHING = np.empty((0, 0))


@stored_record()
@dataclass(frozen=True, eq=False)
class Evidence:
    """How well each of several choices classifies samples that it has not seen.

    Parameters
    ----------
    choices : tuple
        Ranks, or values of ε.
    scores : float array, shape (n_choices,)
        Share of samples that are classified correctly.
    margins : float array, shape (n_choices,)
        Mean of (d_other − d_own) / (d_other + d_own) for the squared distances to the own class and to the nearest
        other: in [−1, 1], it still tells choices apart when all samples are classified correctly. For code lengths,
        which have no scale, the mean difference in units of its standard deviation.
    effects : float array, shape (n_choices,)
        The mean margin in units of its standard deviation over samples, which can be compared between lifts.
    n_samples : float
        Number, or total weight, of the samples that the scores were counted on.
    """

    choices: tuple[float, ...]
    scores: Array
    margins: Array
    effects: Array
    n_samples: float

    @property
    def best_choice(self) -> float:
        """The choice that is best on the evidence."""
        return self.choices[self.best]

    @property
    def best_score(self) -> float:
        """Share of samples that the best choice classifies correctly."""
        return float(self.scores[self.best])

    @property
    def best(self) -> int:
        """Number of the best choice: of the scores that chance cannot tell from the highest, the largest margin.

        The best of many scores is so by luck in part, hence choices are compared by their score averaged with those of
        their neighbours. A score counted on n samples is uncertain by its standard error; within half of one of the
        highest, the margin says more about new samples. Of equal ones it is the first.
        """
        return best_of(self.steady_scores, self.margins, self.n_samples)

    @property
    def steady_scores(self) -> Array:
        """Each score averaged with those of the next smaller and larger choice."""
        padded = np.pad(self.scores, 1, mode="edge")
        return (padded[:-2] + padded[1:-1] + padded[2:]) / 3

    def check_stored(self) -> None:
        """Refuse evidence that came from a file and does not fit together."""
        choices = self.choices
        fits = isinstance(choices, tuple) and choices and all(is_number(one) and one > 0 for one in choices)
        expect(bool(fits), "the evidence has no choices")
        for values in (self.scores, self.margins, self.effects):
            expect_numbers(values, (len(choices),), "the evidence")
        expect(is_number(self.n_samples) and self.n_samples > 0, "the evidence has no samples")


def best_of(scores: Array, margins: Array, n_samples: float) -> int:
    """Where the margin is largest, among the scores that are within half a standard error of the highest."""
    highest = min(float(scores.max()), 1.0)
    uncertain = np.sqrt(highest * (1 - highest) / n_samples)
    good = scores >= highest - STANDARD_ERRORS_APART * uncertain - 1e-9
    return int(np.where(good, np.round(margins, 6), -np.inf).argmax())


def leave_one_out(samples: LeftOutSamples, questions: Sequence[LeftOut]) -> list[Evidence]:
    """Evidence for each of several measures, each sample measured by classes of which its own has not seen it.

    Exact, and everything is read off one eigenbasis of each class.
    """
    k, m = len(samples.moments.M), len(samples.codes)
    distances = [np.empty((len(question.values), k, m)) for question in questions]
    in_eigenbases = any(question.reads_class_eigenvectors for question in questions)
    for j in range(k):
        eigenvalues, rows = _eigenbasis(samples, j) if in_eigenbases else (NOTHING, NOTHING)

        def work(start: int, j: int = j, eigenvalues: Array = eigenvalues, rows: Array = rows) -> None:
            some = slice(start, min(start + SAMPLES_PER_PART, m))
            view = ClassView(samples, j, some, eigenvalues, rows)
            for question, found in zip(questions, distances, strict=True):
                found[:, j, some] = question.distances(view)

        run_parts(work, range(0, m, SAMPLES_PER_PART))
    return [_evidence(samples, question, found) for question, found in zip(questions, distances, strict=True)]


def _eigenbasis(samples: LeftOutSamples, j: int) -> tuple[Array, Array]:
    """Eigenvalues of the moment of a class, not negative, and its eigenvectors, conjugated, as rows."""
    eigenvalues, vectors = samples.moments.eigensystem(j)
    return np.clip(eigenvalues, 0.0, None), np.ascontiguousarray(vectors.conj().swapaxes(1, 2))


def _evidence(samples: LeftOutSamples, question: LeftOut, distances: Array) -> Evidence:
    """Scores and margins of distances (n_values, n_classes, n_samples)."""
    useful = question.useful_values()
    found = [_score(distances[i], samples, has_scale=question.has_scale) for i in useful]
    scores, margins, effects = (np.array(column) for column in zip(*found, strict=True))
    choices: tuple[Any, ...] = tuple(question.values[i] for i in useful)
    return Evidence(choices, scores, margins, effects, float(samples.sample_weight.sum()))


def _score(distances: Array, samples: LeftOutSamples, *, has_scale: bool) -> tuple[float, float, float]:
    """Share of samples classified correctly, mean margin and effect size, of distances (n_classes, n_samples)."""
    codes, weight = samples.codes, samples.sample_weight
    places = np.arange(len(codes))
    correct = np.round(distances, 9).argmin(axis=0) == codes
    own = distances[codes, places]
    others = distances.copy()
    others[codes, places] = np.inf
    nearest = others.min(axis=0)
    margin = (nearest - own) / (np.maximum(nearest + own, 1e-12) if has_scale else 1.0)
    margin = np.clip(margin, -1e6, 1e6)  # a class that has nothing left without the sample has no finite code
    mean = np.average(margin, weights=weight)
    spread = np.sqrt(np.average((margin - mean) ** 2, weights=weight))
    effect = mean / max(float(spread), 1e-12)
    return np.average(correct, weights=weight), mean if has_scale else effect, effect
