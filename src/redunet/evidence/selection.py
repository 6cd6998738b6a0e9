"""Choices made from the training samples alone: rank and lift by leave-one-out, depth by samples held out.

Leaving one sample out of its class is exact and costs next to nothing while there are no layers. Layers know the labels
of all samples they were built from, and leaving one out afterwards does not undo that; so what layers are worth is seen
on samples that they were built without.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..fast.tiles import Tiles
from ..inputs.errors import Data, InputError, Option
from ..inputs.labels import Labels
from ..lift.lift import Lift
from ..lift.responses import FilterBank
from ..measures.code import CodeBooks
from ..measures.subspace import NearestSubspaces
from ..network.construct import Recipe, construct
from ..network.geometry import Geometry, Span
from ..network.layer import Layer
from ..network.network import Network
from ..numerics.arrays import Array
from .answers import answers_of
from .leave_one_out import Evidence, TrainingFeatures, best_of, leave_one_out, possible_ranks

# Evidence is taken from at most so many samples, evenly spaced within their classes.
MOST_SAMPLES, MOST_SAMPLES_FOR_LIFT = 2000, 1000
# Every FOLDS-th sample is held out; further folds are built until enough samples have been held out.
FOLDS, ENOUGH_HELD_OUT = 4, 100
# Layers at most, and layers without a gain beyond chance after which no more are tried: many where they cost
# milliseconds (so few numbers in an operator), few where they cost seconds.
MOST_LAYERS, PATIENCE, LITTLE_PATIENCE, CHEAP = 30, 10, 2, 2**16
# Kernel sizes of the short list of lifts, as shares of the length of a signal or the side of an image; several of them
# may go into one bank. Samples shorter than LEAST_POOLED have no high frequencies to spare.
SIGNAL_SHARES: tuple[tuple[float, ...], ...] = ((1 / 8,), (1 / 2,), (1 / 16, 1 / 8, 1 / 4, 1 / 2))
IMAGE_SHARES: tuple[tuple[float, ...], ...] = ((0.2,), (0.3,), (0.4,))
LEAST_POOLED = 12
# Samples are copies of each other if their coordinates differ by no more than this, in units of a typical one.
SAME_NUMBER = 1e-5
EPS_CHOICES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
SHARPNESS_CHOICES = (20.0, 50.0, 200.0)


@dataclass(frozen=True, eq=False)
class Entered:
    """Training samples at the entrance of a network, sorted by class.

    Parameters
    ----------
    network : Network
        Without layers.
    tiles : Tiles
    bounds : int array, shape (n_classes + 1,)
    weights : float array, shape (n_samples,)
        Of the sorted samples.
    """

    network: Network
    tiles: Tiles
    bounds: Array
    weights: Array

    @classmethod
    def of(cls, network: Network, samples: Array, labels: Labels, weights: Array) -> "Entered":
        """Training samples of positive weight, brought to the entrance of a network."""
        tiles = network.training_tiles(samples, labels, weights)
        return cls(network, tiles, labels.bounds, weights[labels.order])

    @property
    def codes(self) -> Array:
        """Class of each sample."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    @property
    def class_weight(self) -> Array:
        """Total weight of each class."""
        return np.add.reduceat(self.weights, self.bounds[:-1])


def evidence_of(
    entered: Entered, ranks: tuple[int, ...] | None, eps_choices: tuple[float, ...]
) -> tuple[Evidence | None, Evidence | None]:
    """Leave-one-out evidence for the rank of class subspaces and for the ε of code books, before any layer.

    ``ranks`` None are those of a short list; nothing is computed for an empty tuple.
    """
    geometry, tiles = entered.network.geometry, entered.tiles
    chosen = some_of_each_class(entered.bounds, MOST_SAMPLES)
    features = TrainingFeatures(
        tiles.chosen(chosen),
        entered.codes[chosen],
        entered.weights[chosen],
        tiles.moments(),
        entered.class_weight,
        geometry.norm_weights,
        geometry.rate_weights,
        geometry.n_channels,
        entered.network.dtype,
        tiles.largest_class,
    )
    if ranks is None:
        ranks = possible_ranks(entered.network.n_independent_channels)
    return leave_one_out(features, ranks, eps_choices)


@dataclass(frozen=True, eq=False)
class DepthEvidence:
    """What layers did to the answers of samples that they were built without.

    Parameters
    ----------
    recipe : Recipe
        How the layers were built.
    right : bool array, shape (n_depths, n_held_out)
        Whether each sample was answered rightly after 0, 1, … layers.
    weights : float array, shape (n_held_out,)
        How often each sample counts.
    """

    recipe: Recipe
    right: Array
    weights: Array

    @property
    def scores(self) -> Array:
        """Share of the held-out samples that were answered rightly, after 0, 1, … layers."""
        return self.right @ self.weights / self.weights.sum()

    @property
    def depth(self) -> int:
        """Where to cut: the depth at which most more samples are right than at depth 0, beyond what chance does.

        Of n samples whose answer the layers changed from wrong to right or back, chance alone would move the balance by
        √n; what is within twice that is no reason for a layer.
        """
        change = self.right.astype(int) - self.right[0].astype(int)
        balance = np.round(change @ self.weights, 9)
        counted = np.where(balance > 2 * np.sqrt(np.abs(change) @ self.weights), balance, 0)
        return int(counted.argmax())


def depth_by_evidence(entered: Entered, recipes: list[Recipe]) -> DepthEvidence | None:
    """Held-out evidence for the depth of a network; the best of several recipes. None where classes are too small.

    Parameters
    ----------
    entered : Entered
    recipes : list of Recipe
        With as many layers as may be tried.
    """
    chosen = some_of_each_class(entered.bounds, MOST_SAMPLES)
    V, codes, weights = entered.tiles.chosen(chosen), entered.codes[chosen], entered.weights[chosen]
    turn = _folds(V, codes, entered.network.span)
    if turn is None:
        return None
    best: DepthEvidence | None = None
    for recipe in recipes:
        answers: list[Array] = []
        for fold in range(FOLDS):
            answers.append(_held_out_answers(entered.network, V, codes, weights, turn == fold, recipe))
            n_depths = min(map(len, answers))
            right = np.concatenate([of_fold[:n_depths] for of_fold in answers], axis=1)
            seen = np.concatenate([weights[turn == seen_fold] for seen_fold in range(fold + 1)])
            evidence = DepthEvidence(recipe, right, seen)
            hopeless = len(recipes) == 1 and evidence.scores.max() <= evidence.scores[0]
            if hopeless or seen.sum() >= ENOUGH_HELD_OUT:
                break
        if best is None or evidence.scores[evidence.depth] > best.scores[best.depth]:
            best = evidence
    return best


def _folds(V: Array, codes: Array, span: Span | None = None) -> Array | None:
    """Which fold each sample is held out in; None where a class has too few different samples.

    It depends on the values of a sample alone, not on its place: samples in another order are held out in the same
    fold, and copies of a sample together, so that none is answered by its own copy. Samples are put in the order of
    one number each, their coordinate along a direction that is always the same; rounding errors move that number by
    little, so that single precision holds out the same samples as double precision. A second one tells copies from
    samples that happen to be near.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
    codes : int array, shape (n_samples,)
        Class of each sample, ascending.
    span : Span, optional
        That V holds coordinates in. Its basis depends on the order of the samples, the vectors themselves do not.
    """
    n_freqs, n_channels, _ = V.shape
    rng = np.random.RandomState(0)
    if span is None:
        directions = rng.standard_normal((2, 2, n_freqs, n_channels))
    else:
        inside = rng.standard_normal((2, 2, n_freqs, len(span.basis))) @ span.basis
        directions = np.concatenate([inside, np.zeros((2, 2, n_freqs, 1))], axis=3)
    numbers = np.einsum("npc,pci->ni", directions[0], V.real) + np.einsum("npc,pci->ni", directions[1], V.imag)
    numbers /= np.sqrt(np.mean(np.square(numbers)))
    turn = np.empty(len(codes), dtype=int)
    for j in range(int(codes.max()) + 1):
        of_class = numbers[:, codes == j]
        order = of_class[0].argsort(kind="stable")
        differs = (np.abs(np.diff(of_class[:, order])) > SAME_NUMBER).any(axis=0)
        place = np.concatenate([[0], differs.cumsum()])
        if place[-1] + 1 < FOLDS:
            return None
        turn[np.flatnonzero(codes == j)[order]] = place % FOLDS
    return turn


def _held_out_answers(
    network: Network, V: Array, codes: Array, weights: Array, held_out: Array, recipe: Recipe
) -> Array:
    """Whether each held-out sample is answered rightly after 0, 1, … layers; bool array (n_depths, n_held_out)."""
    geometry = network.geometry
    k = int(codes.max()) + 1
    kept = ~held_out
    tiles = network.tiles(np.searchsorted(codes[kept], np.arange(k + 1)), k)
    tiles.fill(0, V[:, :, kept], weights[kept])
    aside = network.tiles(np.array([0, int(held_out.sum())]), k)
    aside.fill(0, V[:, :, held_out])
    class_weight = np.bincount(codes[kept], weights[kept])
    right: list[Array] = []
    patience = PATIENCE if V.shape[0] * V.shape[1] ** 2 <= CHEAP else LITTLE_PATIENCE

    def look(M: Array, layer: Layer | None) -> None:
        V_aside = aside.blocks(0, aside.samples[-1][1])
        # Where a layer guesses by subspaces, answers are measured by the same ones.
        if layer is not None and layer.subspaces is not None:
            measure: NearestSubspaces | CodeBooks = NearestSubspaces(layer.subspaces, geometry.norm_weights)
        else:
            measure = answers_of(network, M, class_weight, recipe)
        right.append(measure.distances(V_aside).argmin(axis=1) == codes[held_out])

    def watch(layer: Layer, M_before: Array) -> bool:
        look(M_before, layer)
        aside.carry([layer], geometry.norm_weights, more_to_come=True)
        so_far = DepthEvidence(recipe, np.stack(right), weights[held_out])
        return len(right) >= so_far.depth + patience

    construct(tiles, class_weight, recipe, geometry, watch=watch)
    look(tiles.moments(), None)
    return np.stack(right)


def refuse_linear_lift(bank: FilterBank, rank: int = 1) -> None:
    """After a linear lift, a class subspace of as many directions as X has channels holds every sample."""
    n_channels_in = bank.filters[0].shape[1]
    if not bank.is_linear or rank < n_channels_in:
        return
    raise InputError(
        "{lift} must not be linear for class subspaces of rank {rank} where {data} has {channels}: with {threshold}"
        "{level} its {n_channels} channels hold no more than {data} does, and every class subspace holds every sample; "
        "pass {smaller}Lift(threshold='relu'), or threshold='soft' with a quantile > 0.",
        lift=Option("lift"),
        rank=rank,
        data=Data("X"),
        channels="1 channel" if n_channels_in == 1 else f"{n_channels_in} channels",
        threshold=Option("threshold", bank.threshold),
        level=" and level 0" if bank.threshold == "soft" else "",
        n_channels=bank.n_channels,
        smaller=f"rank <= {n_channels_in - 1}, or " if n_channels_in > 1 else "",
    )


def lift_by_evidence(
    samples: Array, labels: Labels, weights: Array, lifts: Iterable[Lift], least_rank: int = 1
) -> Lift:
    """The lift of a short list whose leave-one-out evidence is best, fitted.

    ``least_rank`` is that of the class subspaces that it is for, or the least of those to choose from.
    """
    some = np.sort(labels.order[some_of_each_class(labels.bounds, MOST_SAMPLES_FOR_LIFT)])
    few = Labels.of(labels.classes, labels.codes[some], weights[some])
    found: list[tuple[Lift, Evidence]] = []
    refused: InputError | None = None
    for lift in lifts:
        try:
            bank = lift.fit_samples(samples[some], weights[some]).bank_
            refuse_linear_lift(bank, least_rank)
            network = Network.entrance(Geometry(bank.shape), samples, lift=bank)
            evidence, _ = evidence_of(Entered.of(network, samples[some], few, weights[some]), None, ())
            if evidence is None:
                raise InputError(
                    "a lift of 1 channel leaves nothing outside of a class subspace; pass {channels} >= 2.",
                    channels=Option("n_channels"),
                )
        except InputError as error:  # this bank does not go with these samples; another may
            refused = error
            continue
        found.append((lift, evidence))
    if not found:
        raise InputError("no lift of the list goes with these samples: {why}", why=refused) from refused
    scores = np.array([evidence.steady_scores[evidence.best] for _, evidence in found])
    effects = np.array([evidence.effects[evidence.best] for _, evidence in found])
    return found[best_of(scores, effects, float(weights[some].sum()))][0].fit_samples(samples, weights)


def candidate_lifts(grid: tuple[int, ...], random_state: object) -> Iterator[Lift]:
    """A short list of lifts for samples of so many positions along each axis.

    Short, since the best of many is the best by luck. Random filters of an eighth of their length, of half of it, and
    of several lengths together did as well as any on signals (``benchmarks/signals.py``), patches of a fifth to two
    fifths of their side best on images (``benchmarks/ablation.py``).
    """
    side = min(grid)
    filters, n_channels, shares = ("random", 128, SIGNAL_SHARES) if len(grid) == 1 else ("patches", 48, IMAGE_SHARES)
    sizes = [tuple(min(max(3, 2 * int(share * side / 2) + 1), side) for share in together) for together in shares]
    for size in dict.fromkeys(sizes):
        for threshold, quantile in (("relu", 0.5), ("soft", 0.3)):
            pool = 2 if side >= LEAST_POOLED else 1
            yield Lift(filters, n_channels, size, threshold, quantile=quantile, pool=pool, random_state=random_state)


def some_of_each_class(bounds: Array, most: int) -> Array:
    """Numbers of at most so many of the sorted samples, evenly spaced within each class, and two of each at least."""
    m = int(bounds[-1])
    if m <= most:
        return np.arange(m)
    parts = []
    for start, stop in pairwise(bounds.tolist()):
        n = min(stop - start, max(2, int(most * (stop - start) / m)))
        parts.append(start + np.arange(n) * (stop - start) // n)
    return np.concatenate(parts)
