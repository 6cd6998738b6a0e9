"""Unlabelled samples: which class each belongs to, how sure that is, and whether it helps the labelled ones.

Labels spread to neighbours first. Then, in rounds, the classes are measured with all samples, each unlabelled one in
its most probable class and with a weight that says how sure that is, and answer the unlabelled samples again. Labelled
samples stay in their classes, so that none is ever emptied, and they alone choose rank or ε.

Whether it helps is seen on labelled samples that are left out: in a few folds, all of the above is done without the
labels of a fold, and without its samples.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from ..measures.left_out import Choices, LeftOutSamples
from ..measures.measure import AnswerMeasure
from ..network.network import Network
from ..network.recipe import Recipe
from ..numerics.arrays import Array
from ..numerics.membership import soft_membership
from .choices import Chosen, choose_measure
from .label_spreading import neighbour_graph, spread_labels

# Rounds at most, and the share of unlabelled samples below which changes of class are no reason for another one.
MOST_ROUNDS, SHARE_THAT_CHANGES = 10, 0.001
# Labels spread among so many samples at most, since each is compared with each.
MOST_SPREAD = 6000
# Folds of the labelled samples, and the unlabelled samples and the rounds that are taken for each of them.
N_FOLDS, UNLABELLED_PER_FOLD, ROUNDS_PER_FOLD = 5, 1500, 3
# Ranks of class subspaces in the rounds: large ones remember the mistakes of the round before.
RANKS_OF_ROUNDS = (1, 2, 3, 4, 6, 8)
# How sharp probabilities are in the rounds, over the typical spread of distances; and the least such spread. (Ranks and
# sharpness were chosen on training images of MNIST.)
SHARPNESS_IN_SPREADS, LEAST_SPREAD = 2.0, 1e-12
# Samples that are measured at a time, which bounds the memory.
SAMPLES_AT_A_TIME = 1024
# The least probability whose logarithm is taken.
LEAST_PROBABILITY = 1e-12


class Asked(NamedTuple):
    """How samples are to be answered.

    Parameters
    ----------
    recipe : Recipe
    membership : str
        Name of the measure.
    choices : Choices
        Values of its option that were given; those of the rounds for None.
    """

    recipe: Recipe
    membership: str
    choices: Choices


class Memberships(NamedTuple):
    """The class that each sample is counted in.

    Parameters
    ----------
    codes : int array, shape (n_samples,)
        The most probable class, or the one that was given.
    sureness : float array, shape (n_samples,)
        From 0, where all classes are as probable, to 1, where there is no doubt; 1 for labelled samples.
    """

    codes: Array
    sureness: Array


class UnlabelledEvidence(NamedTuple):
    """What left-out labelled samples say of unlabelled ones.

    Parameters
    ----------
    helps : bool
        Whether unlabelled samples are to join in: left-out labels are less of a surprise with them (mean log loss).
    losses : tuple of float
        Mean log loss of left-out labelled samples without unlabelled samples, and with them. Not a number where every
        class has one labelled sample, so that there is nothing to leave out.
    score : float
        Share of left-out labelled samples that are classified correctly with unlabelled ones; not a number, likewise.
    """

    helps: bool
    losses: tuple[float, float]
    score: float


class RoundAnswer(NamedTuple):
    """What the classes of one round answer."""

    chosen: Chosen
    measure: AnswerMeasure

    def probabilities(self, V: Array) -> Array:
        """Probability of each class for each sample of blocks V; shape (n_samples, n_classes).

        How sharp they are is measured in the typical spread of the distances. Labelled samples would say more than is
        true: the unlabelled ones around them were counted in their class because of them.
        """
        parts = [self.measure.distances(V[:, :, i : i + SAMPLES_AT_A_TIME]) for i in _starts(V.shape[2])]
        distances = np.concatenate(parts)
        nearness = distances.mean(axis=1, keepdims=True) - distances
        spread = float(np.median(np.sqrt(np.square(nearness).mean(axis=1))))
        return soft_membership(distances.T, SHARPNESS_IN_SPREADS / max(spread, LEAST_SPREAD))


class PartlyLabelledSet:
    """Samples at the entrance of a network, of which some have labels.

    Parameters
    ----------
    network : Network
        Without layers.
    V : array, shape (n_freqs, n_channels, n_samples)
    codes : int array, shape (n_samples,)
        Class of each sample; −1 where it is not known. Every class has a sample.
    weights : float array, shape (n_samples,)
        Greater than 0.
    asked : Asked
    """

    def __init__(self, network: Network, V: Array, codes: Array, weights: Array, asked: Asked) -> None:
        self.network, self.V, self.codes, self.weights, self.asked = network, V, codes, weights, asked
        self.n_classes = int(codes.max()) + 1

    def memberships(self) -> Memberships:
        """Class of each sample, after all rounds."""
        some = self._chosen_rows(MOST_SPREAD)
        graph = neighbour_graph(self.V[:, :, some], self.network.geometry)
        return self._refined(np.arange(len(self.codes)), self.codes, self._spread(graph, some, self.codes), MOST_ROUNDS)

    def evidence(self) -> UnlabelledEvidence:
        """Whether left-out labelled samples are answered better with the unlabelled ones than without."""
        folds = list(self._folds())
        if not folds:
            return UnlabelledEvidence(True, (float("nan"), float("nan")), float("nan"))
        some = self._chosen_rows(UNLABELLED_PER_FOLD)
        graph = neighbour_graph(self.V[:, :, some], self.network.geometry)
        left_out: list[Array] = []
        without, joined = [], []
        for fold in folds:
            known = np.setdiff1d(np.flatnonzero(self.codes >= 0), fold)
            codes = self.codes.copy()
            codes[fold] = -1
            used = np.isin(some, fold, invert=True)
            start = self._spread(graph[used][:, used], some[used], codes)
            found = self._refined(some[used], codes, start, ROUNDS_PER_FOLD)
            left_out.append(fold)
            without.append(self._answer(known, codes, self.weights).probabilities(self.V[:, :, fold]))
            joined.append(self._answer_by(some[used], codes, found).probabilities(self.V[:, :, fold]))
        rows = np.concatenate(left_out)
        found_by = [np.concatenate(parts) for parts in (without, joined)]
        losses = [_log_loss(one, self.codes[rows], self.weights[rows]) for one in found_by]
        correct = np.round(found_by[1], 9).argmax(axis=1) == self.codes[rows]
        score = float(np.average(correct, weights=self.weights[rows]))
        return UnlabelledEvidence(losses[1] < losses[0], (losses[0], losses[1]), score)

    def _folds(self) -> Iterator[Array]:
        """Rows of labelled samples that are left out together; of each class one at least stays.

        They are put in the order of what leaving each out says of it, which does not depend on the order they came in.
        """
        labelled = np.flatnonzero(self.codes >= 0)
        labelled = labelled[self.codes[labelled].argsort(kind="stable")]
        margins = np.round(self._answer(labelled, self.codes, self.weights).chosen.answers.margins[0], 9)
        fold = np.full(len(labelled), -1)
        for j in range(self.n_classes):
            mine = np.flatnonzero(self.codes[labelled] == j)
            n = len(mine)
            if n > 1:
                fold[mine[margins[mine].argsort(kind="stable")]] = np.arange(n) % min(N_FOLDS, n)
        yield from (labelled[fold == one] for one in range(N_FOLDS) if (fold == one).any())

    def _chosen_rows(self, most: int) -> Array:
        """All labelled samples, and so many unlabelled ones, evenly spaced by how sure their answers are."""
        unlabelled = np.flatnonzero(self.codes < 0)
        labelled = np.flatnonzero(self.codes >= 0)
        if len(unlabelled) > most:
            sureness = self._answer(labelled, self.codes, self.weights).probabilities(self.V[:, :, unlabelled])
            order = np.round(sureness, 9).max(axis=1).argsort(kind="stable")
            unlabelled = unlabelled[order[np.arange(most) * len(unlabelled) // most]]
        return np.sort(np.concatenate([labelled, unlabelled]))

    def _spread(self, graph: csr_matrix, rows: Array, codes: Array) -> Memberships:
        """What spreads to samples from the labelled ones of them; the others are not counted yet."""
        found = Memberships(np.maximum(codes, 0), (codes >= 0).astype(float))
        arrived = _memberships(spread_labels(graph, codes[rows], self.n_classes), codes[rows])
        found.codes[rows], found.sureness[rows] = arrived
        return found

    def _refined(self, rows: Array, codes: Array, start: Memberships, most_rounds: int) -> Memberships:
        """Memberships of some samples once the classes, measured with all of these, have answered them in rounds."""
        found = start
        for _ in range(most_rounds):
            probabilities = self._answer_by(rows, codes, found).probabilities(self.V[:, :, rows])
            answered = _memberships(probabilities, codes[rows])
            changed = float((answered.codes != found.codes[rows]).mean())
            found = Memberships(found.codes.copy(), found.sureness.copy())
            found.codes[rows], found.sureness[rows] = answered
            if changed < SHARE_THAT_CHANGES:
                break
        return found

    def _answer_by(self, rows: Array, codes: Array, found: Memberships) -> RoundAnswer:
        """What classes answer that some samples are counted in, each as sure as it is; labelled by ``codes``."""
        return self._answer(rows, found.codes, self.weights * found.sureness, codes >= 0)

    def _answer(self, rows: Array, codes: Array, weights: Array, labelled: Array | None = None) -> RoundAnswer:
        """What classes answer that some samples are counted in; the labelled ones of them choose and calibrate."""
        rows = rows[weights[rows] > 0]
        rows = rows[codes[rows].argsort(kind="stable")]
        k, network, recipe = self.n_classes, self.network, self.asked.recipe
        tiles = network.tiles(np.searchsorted(codes[rows], np.arange(k + 1)), k)
        for i in _starts(len(rows)):
            some = rows[i : i + SAMPLES_AT_A_TIME]
            tiles.fill(i, self.V[:, :, some], weights[some])
        moments = network.class_moments(tiles, np.bincount(codes[rows], weights[rows], k))
        asked = rows if labelled is None else rows[labelled[rows]]
        left_out = LeftOutSamples(
            self.V[:, :, asked], codes[asked], weights[asked], moments, network.n_independent_channels
        )
        ranks = tuple(rank for rank in RANKS_OF_ROUNDS if rank < network.n_independent_channels) or (1,)
        choices = self.asked.choices
        choices = choices if choices.ranks is not None else choices._replace(ranks=ranks)
        chosen = choose_measure(left_out, recipe, (self.asked.membership,), choices)
        measure = chosen.recipe.answer.of_moments(moments, chosen.recipe.measure_options)
        return RoundAnswer(chosen, measure)


def _memberships(probabilities: Array, codes: Array) -> Memberships:
    """The most probable classes and how sure they are; labelled samples stay where they are."""
    k = probabilities.shape[1]
    sureness = np.clip((probabilities.max(axis=1) - 1 / k) / (1 - 1 / k), 0.0, 1.0)
    best = np.round(probabilities, 9).argmax(axis=1)
    return Memberships(np.where(codes >= 0, codes, best), np.where(codes >= 0, 1.0, sureness))


def _log_loss(probabilities: Array, codes: Array, weights: Array) -> float:
    """Mean surprise about the classes of samples, which says more of a few samples than the number of mistakes."""
    own = np.maximum(probabilities[np.arange(len(codes)), codes], LEAST_PROBABILITY)
    return float(np.average(-np.log(own), weights=weights))


def _starts(n_samples: int) -> range:
    return range(0, n_samples, SAMPLES_AT_A_TIME)
