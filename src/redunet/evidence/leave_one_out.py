"""Leave-one-out: how each training sample would be classified by classes that had not seen it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..fast.cached import cached_property
from ..fast.threads import run_parts
from ..measures.left_out import ClassView, LeftOut, LeftOutSamples
from ..numerics.arrays import Array
from ..storage.expectations import expect, expect_numbers, is_number
from ..storage.stored_types import stored_record

# Scores closer than so many standard errors are compared by their margin (tried on signals and images).
STANDARD_ERRORS_APART = 0.5
# Samples that are looked at together, which bounds the memory.
SAMPLES_PER_PART = 128
# Parts of the samples that a choice is judged on, each by what the others choose.
N_FOLDS = 10
# Groups are left out one by one up to so many, then several together.
MOST_PARTS = 20
# Distance to a class that has no samples but those that are left out.
FAR = 1e6
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
        Number, or total weight, of the samples that the scores were counted on; 0 where every class has one sample, so
        that there was nothing to leave out, and scores are 0.
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
        if not self.n_samples:  # nothing was left out: neither the least nor the most
            return len(self.choices) // 2
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
        expect(is_number(self.n_samples) and self.n_samples >= 0, "the evidence has no samples")


def best_of(scores: Array, margins: Array, n_samples: float) -> int:
    """Where the margin is largest, among the scores that are within half a standard error of the highest."""
    highest = min(float(scores.max()), 1.0)
    uncertain = np.sqrt(highest * (1 - highest) / max(n_samples, 1.0))
    good = scores >= highest - STANDARD_ERRORS_APART * uncertain - 1e-9
    return int(np.where(good, np.round(margins, 6), -np.inf).argmax())


@dataclass(frozen=True, eq=False)
class LeftOutAnswers:
    """Distances of training samples to classes that have not seen them, for several values of one option.

    Parameters
    ----------
    option : str
        What is chosen, as a recipe calls it.
    values : tuple
        Of the option.
    distances : float array, shape (n_values, n_classes, n_samples)
    codes : int array, shape (n_samples,)
        Class of each sample.
    weights : float array, shape (n_samples,)
        How often each sample counts; 0 for the only sample of its class, which nothing is left to be compared with.
    has_scale : bool
        Whether a margin is measured in units of the distances themselves, or of its spread over the samples.
    squared : bool
        Whether they are the squares of what the measure calls a distance.
    """

    option: str
    values: tuple[Any, ...]
    distances: Array
    codes: Array
    weights: Array
    has_scale: bool
    squared: bool

    def distances_of(self, number: int) -> Array:
        """Distances as the measure gives them, for one of the values; shape (n_samples, n_classes)."""
        found = self.distances[number].T
        return np.sqrt(found) if self.squared else found

    @cached_property
    def correct(self) -> Array:
        """Whether each sample is classified correctly; bool array, shape (n_values, n_samples)."""
        return np.round(self.distances, 9).argmin(axis=1) == self.codes

    @cached_property
    def margins(self) -> Array:
        """How much nearer the own class is than the nearest other; shape (n_values, n_samples)."""
        places = np.arange(len(self.codes))
        own = self.distances[:, self.codes, places]
        others = self.distances.copy()
        others[:, self.codes, places] = np.inf
        nearest = others.min(axis=1)
        margins = (nearest - own) / (np.maximum(nearest + own, 1e-12) if self.has_scale else 1.0)
        return np.clip(margins, -1e6, 1e6)  # a class that has nothing left without the sample has no finite code

    def evidence(self, some: Array | None = None) -> Evidence:
        """What all samples say of each value, or only some of them (a bool array)."""
        weights = self.weights if some is None else np.where(some, self.weights, 0.0)
        total = float(weights.sum())
        if total == 0:
            nothing = np.zeros(len(self.values))
            return Evidence(self.values, nothing, nothing, nothing, 0.0)
        scores, means = (np.average(values, axis=1, weights=weights) for values in (self.correct, self.margins))
        spreads = np.sqrt(np.average((self.margins - means[:, None]) ** 2, axis=1, weights=weights))
        effects = means / np.maximum(spreads, 1e-12)
        return Evidence(self.values, scores, means if self.has_scale else effects, effects, total)

    @property
    def folds(self) -> Array:
        """Number of the fold that each sample is in where choices are judged; by its margin, hence in any order."""
        _, place = np.unique(np.round(self.margins[0], 9), return_inverse=True)
        return place % N_FOLDS


def judged(answers: LeftOutAnswers, correct_by: Callable[[Array], Array]) -> float:
    """Share of samples that are classified correctly by what the others choose: the score of a choice, luck taken out.

    The best of several scores is so by luck in part. So the choice is made again without a part of the samples and
    judged on these, part by part. Not a number where there was nothing to leave out.

    Parameters
    ----------
    answers : LeftOutAnswers
        Of the samples.
    correct_by : callable
        Given which samples may be looked at (a bool array), says whether each sample is then classified correctly.
    """
    weights = answers.weights
    if not weights.any():
        return float("nan")
    folds = answers.folds
    correct = np.zeros(len(folds), dtype=bool)
    for fold in np.unique(folds):
        correct = np.where(folds == fold, correct_by(folds != fold), correct)
    return float(correct @ weights / weights.sum())


def best_answers(answers: Sequence[LeftOutAnswers], some: Array | None = None) -> tuple[int, int]:
    """Number of the measure, and of the value of its option, that answer best, as all or some of the samples say."""
    found = [one.evidence(some) for one in answers]
    number = max(range(len(found)), key=lambda i: found[i].best_score)
    return number, found[number].best


def judged_score(answers: Sequence[LeftOutAnswers]) -> float:
    """Accuracy to expect of the measure and value that answer best, of several of each; see :func:`judged`."""
    if len(answers) == len(answers[0].values) == 1:
        return float(answers[0].evidence().best_score) if answers[0].weights.any() else float("nan")

    def correct_by(some: Array) -> Array:
        number, value = best_answers(answers, some)
        return answers[number].correct[value]

    return judged(answers[0], correct_by)


def best_candidate(
    answers: Sequence[LeftOutAnswers], some: Array | None = None, *, steady: bool = True
) -> tuple[int, int]:
    """Number of the best of several candidates (such as lifts), and of the best value of its option.

    Candidates are compared by effect where chance cannot tell their scores apart, as all or some of the samples say.
    A steady score is averaged with those of neighbouring values: that is for many candidates, of which the best is so
    by luck in part. Of two, each is taken at its own best.
    """
    found = [one.evidence(some) for one in answers]
    scores = np.array([one.steady_scores[one.best] if steady else one.best_score for one in found])
    effects = np.array([evidence.effects[evidence.best] for evidence in found])
    number = best_of(scores, effects, found[0].n_samples)
    return number, found[number].best


def luck_of_best(answers: Sequence[LeftOutAnswers], *, steady: bool = True) -> float:
    """How much higher the score of the best candidate is than what samples say that had no part in the choice."""
    if len(answers) < 2 or not answers[0].weights.any():
        return 0.0

    def correct_by(some: Array) -> Array:
        number, value = best_candidate(answers, some, steady=steady)
        return answers[number].correct[value]

    number, value = best_candidate(answers, steady=steady)
    return max(0.0, float(answers[number].evidence().scores[value]) - judged(answers[0], correct_by))


def leave_one_out(samples: LeftOutSamples, questions: Sequence[LeftOut]) -> list[LeftOutAnswers]:
    """Answers of each of several measures, each sample measured by classes of which its own has not seen it.

    Exact, and everything is read off one eigenbasis of each class. Where samples come in groups, whole groups
    are left out.
    """
    if samples.groups is not None:
        return leave_groups_out(samples, questions)
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
    alone = samples.moments.class_weight[samples.codes] <= samples.once
    # Where there is one class, nothing can be classified wrongly.
    weights = np.where(alone | (k < 2), 0.0, samples.sample_weight)
    return [
        _answers(samples, question, found, question.useful_values(), weights)
        for question, found in zip(questions, distances, strict=True)
    ]


def leave_groups_out(samples: LeftOutSamples, questions: Sequence[LeftOut]) -> list[LeftOutAnswers]:
    """The same where samples come in groups, such as the recordings of one person: the whole group is left out.

    Classes are measured again without each group. With more than so many groups, several are left out together.
    """
    assert samples.groups is not None
    moments, k, m = samples.moments, len(samples.moments.M), len(samples.codes)
    distances = [np.full((len(question.values), k, m), FAR) for question in questions]
    weights = samples.sample_weight.copy()
    parts = samples.groups % MOST_PARTS
    for part in np.unique(parts):
        held_out = parts == part
        without = samples.moments_without(held_out)
        missing = without.class_weight <= 1e-9 * moments.class_weight
        weights[held_out & missing[samples.codes]] = 0.0
        without = replace(without, class_weight=np.maximum(without.class_weight, 1e-9 * moments.class_weight))
        V = samples.V[:, :, held_out]
        for question, found in zip(questions, distances, strict=True):
            for i, measure in enumerate(question.measures(without)):
                of_part = measure.distances(V).T
                if question.squared:
                    of_part = np.square(of_part)
                of_part[missing] = FAR
                found[i][:, held_out] = of_part
    return [
        _answers(samples, question, found, list(range(len(question.values))), weights)
        for question, found in zip(questions, distances, strict=True)
    ]


def _eigenbasis(samples: LeftOutSamples, j: int) -> tuple[Array, Array]:
    """Eigenvalues of the moment of a class, not negative, and its eigenvectors, conjugated, as rows."""
    eigenvalues, vectors = samples.moments.eigensystem(j)
    return np.clip(eigenvalues, 0.0, None), np.ascontiguousarray(vectors.conj().swapaxes(1, 2))


def _answers(
    samples: LeftOutSamples, question: LeftOut, distances: Array, useful: list[int], weights: Array
) -> LeftOutAnswers:
    """What was found, for the values that are worth comparing."""
    values = tuple(question.values[i] for i in useful)
    kind = question.has_scale, question.squared
    return LeftOutAnswers(question.option, values, distances[useful], samples.codes, weights, *kind)
