"""Evidence for the depth of a network: what layers do to samples that they were built without.

Layers know the labels of all samples they were built from, and leaving one out afterwards does not undo that; so what
layers are worth is seen on samples that were held out.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..fast.cached import cached_property
from ..measures.measure import Measure
from ..network.construct import Construction, Observer, construct
from ..network.kernel_map import KernelMap
from ..network.network import Network
from ..network.recipe import Recipe
from ..network.span import Span
from ..numerics.arrays import Array
from .moment_set import Training

# Every N_FOLDS-th sample is held out; further folds are built until enough samples have been held out.
N_FOLDS, ENOUGH_SAMPLES_HELD_OUT = 4, 100
# Layers at most, and layers without a gain beyond chance after which no more are tried: many where they cost
# milliseconds (so few numbers in an operator), few where they cost seconds.
LAYERS_TRIED, PATIENT_LAYERS, IMPATIENT_LAYERS, NUMBERS_OF_CHEAP_OPERATOR = 30, 10, 2, 2**16
# Samples are copies of each other if their coordinates differ by no more than this, in units of a typical one.
COPY_TOLERANCE = 1e-5


@dataclass(frozen=True, eq=False)
class DepthEvidence:
    """What layers did to samples that they were built without.

    Parameters
    ----------
    recipe : Recipe
        How the layers were built.
    distances : float array, shape (n_depths, n_held_out, n_classes)
        Distance of each sample to each class after 0, 1, … layers.
    codes : int array, shape (n_held_out,)
        Class of each sample.
    weights : float array, shape (n_held_out,)
        How often each sample counts.
    """

    recipe: Recipe
    distances: Array
    codes: Array
    weights: Array

    @cached_property
    def correct(self) -> Array:
        """Whether each sample was classified correctly after 0, 1, … layers; bool, shape (n_depths, n_held_out)."""
        return self.distances.argmin(axis=2) == self.codes

    @property
    def scores(self) -> Array:
        """Share of the held-out samples that were classified correctly, after 0, 1, … layers."""
        return self.correct @ self.weights / self.weights.sum()

    @property
    def depth(self) -> int:
        """Where to cut: the depth with the most more correct samples than depth 0, beyond what chance does.

        Of n samples whose class the layers changed from wrong to correct or back, chance alone would move the balance
        by √n; what is within twice that is no reason for a layer.
        """
        change = self.correct.astype(int) - self.correct[0].astype(int)
        balance = np.round(change @ self.weights, 9)
        counted = np.where(balance > 2 * np.sqrt(np.abs(change) @ self.weights), balance, 0)
        return int(counted.argmax())


def depth_by_evidence(training: Training, recipes: list[Recipe]) -> DepthEvidence | None:
    """Held-out evidence for the depth of a network; the best of several recipes. None where classes are too small.

    Parameters
    ----------
    training : Training
    recipes : list of Recipe
        With as many layers as may be tried.
    """
    fold_of_sample = _folds(training)
    if fold_of_sample is None:
        return None
    best: DepthEvidence | None = None
    for recipe in recipes:
        found: list[DepthEvidence] = []
        for fold in range(N_FOLDS):
            found.append(_held_out_evidence(training, fold_of_sample == fold, recipe))
            evidence = _together(found)
            hopeless = len(recipes) == 1 and evidence.scores.max() <= evidence.scores[0]
            if hopeless or evidence.weights.sum() >= ENOUGH_SAMPLES_HELD_OUT:
                break
        if best is None or evidence.scores[evidence.depth] > best.scores[best.depth]:
            best = evidence
    return best


def held_out_evidence(training: Training, recipe: Recipe) -> DepthEvidence | None:
    """What all layers of a recipe do to samples that they were built without; None where classes are too small.

    Parameters
    ----------
    training : Training
    recipe : Recipe
    """
    fold_of_sample = _folds(training)
    if fold_of_sample is None:
        return None
    found: list[DepthEvidence] = []
    for fold in range(N_FOLDS):
        found.append(_held_out_evidence(training, fold_of_sample == fold, recipe, all_layers=True))
        if sum(one.weights.sum() for one in found) >= ENOUGH_SAMPLES_HELD_OUT:
            break
    last = [replace(one, distances=one.distances[-1:]) for one in found]  # tol may have stopped some of them before
    return _together(last)


def _folds(training: Training) -> Array | None:
    """Number of the fold that each sample is held out in; None where a class has too few."""
    some = training.some
    if some.groups is None:
        return fold_of_each_sample(some.V, some.codes, training.network.span, training.network.kernel)
    return fold_of_each_group(some.groups, some.codes)


def _together(found: list[DepthEvidence]) -> DepthEvidence:
    """Evidence of several folds, down to the depth that all of them reached."""
    n_depths = min(len(one.distances) for one in found)
    distances = np.concatenate([one.distances[:n_depths] for one in found], axis=1)
    codes, weights = (np.concatenate([getattr(one, name) for one in found]) for name in ("codes", "weights"))
    return DepthEvidence(found[0].recipe, distances, codes, weights)


def fold_of_each_sample(
    V: Array, codes: Array, span: Span | None = None, kernel: KernelMap | None = None
) -> Array | None:
    """Number of the fold that each sample is held out in; None where a class has too few different samples.

    It depends on the values of a sample alone, not on its place: samples in another order are held out in the same
    fold, and copies of a sample together, so that none is classified by its own copy. Samples are put in the order of
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
    kernel : KernelMap, optional
        That V holds features of. A linear one holds out the samples that are held out without it.
    """
    if not len(codes):
        return None
    n_freqs, n_channels, _ = V.shape
    rng = np.random.RandomState(0)
    basis = None if kernel is None else kernel.basis
    if basis is not None:
        n_features, n_inside = basis.shape
        has_constant = kernel is not None and n_channels > kernel.n_coordinates
        drawn = rng.standard_normal((2, 2, n_freqs, n_features + has_constant))
        directions = np.zeros((2, 2, n_freqs, n_channels))
        directions[..., :n_inside] = drawn[..., :n_features] @ basis
        directions[..., n_channels - has_constant :] = drawn[..., n_features:]
    elif span is None:
        directions = rng.standard_normal((2, 2, n_freqs, n_channels))
    else:
        inside = rng.standard_normal((2, 2, n_freqs, len(span.basis))) @ span.basis
        directions = np.concatenate([inside, np.zeros((2, 2, n_freqs, 1))], axis=3)
    numbers = np.einsum("npc,pci->ni", directions[0], V.real) + np.einsum("npc,pci->ni", directions[1], V.imag)
    numbers /= np.sqrt(np.mean(np.square(numbers)))
    fold = np.empty(len(codes), dtype=int)
    for j in range(int(codes.max()) + 1):
        of_class = numbers[:, codes == j]
        order = of_class[0].argsort(kind="stable")
        differs = (np.abs(np.diff(of_class[:, order])) > COPY_TOLERANCE).any(axis=0)
        place = np.concatenate([[0], differs.cumsum()])
        if place[-1] + 1 < N_FOLDS:
            return None
        fold[np.flatnonzero(codes == j)[order]] = place % N_FOLDS
    return fold


def fold_of_each_group(groups: Array, codes: Array) -> Array | None:
    """Number of the fold that each sample is held out in, whole groups together; None where a fold has all of a class.

    Parameters
    ----------
    groups : int array, shape (n_samples,)
        Number of the group of each sample.
    codes : int array, shape (n_samples,)
        Class of each sample.
    """
    fold = np.unique(groups, return_inverse=True)[1] % N_FOLDS
    for one in range(N_FOLDS):
        if len(np.unique(codes[fold != one])) < len(np.unique(codes)) or not (fold == one).any():
            return None
    return fold


def _held_out_evidence(
    training: Training, held_out: Array, recipe: Recipe, *, all_layers: bool = False
) -> DepthEvidence:
    """Build a network from the samples that are not held out, and see what its layers do to those that are."""
    some = training.some
    held = some.V[:, :, held_out], some.codes[held_out], some.sample_weight[held_out]
    observer = HeldOutSamples(training.network, *held, recipe, all_layers)
    carrier, moments = training.without(held_out)
    construction = construct(carrier, moments, recipe, observers=[observer])
    observer.end(construction)
    return observer.evidence


class HeldOutSamples(Observer):
    """Carries samples that were held out through each layer that is built, and classifies them before and after.

    Parameters
    ----------
    network : Network
        Whose entrance the samples have passed.
    V : array, shape (n_freqs, n_channels, n_held_out)
    codes : int array, shape (n_held_out,)
        Class of each.
    weights : float array, shape (n_held_out,)
    recipe : Recipe
    all_layers : bool
        Whether all layers are to be built; else no more than promise something.
    """

    reads_eigenvectors = True

    def __init__(
        self, network: Network, V: Array, codes: Array, weights: Array, recipe: Recipe, all_layers: bool = False
    ) -> None:
        self.codes, self.weights, self.recipe = codes, weights, recipe
        self.norm_weights = network.geometry.norm_weights
        cheap = V.shape[0] * V.shape[1] ** 2 <= NUMBERS_OF_CHEAP_OPERATOR
        self.patience = recipe.n_layers + 1 if all_layers else PATIENT_LAYERS if cheap else IMPATIENT_LAYERS
        self.tiles = network.tiles(np.array([0, V.shape[2]]), int(codes.max(initial=0)) + 1)
        self.tiles.fill(0, V)
        self.distances: list[Array] = []

    @property
    def evidence(self) -> DepthEvidence:
        """What was found so far."""
        return DepthEvidence(self.recipe, np.stack(self.distances), self.codes, self.weights)

    def begin(self, construction: Construction) -> None:
        """Remember the moments before the first layer."""
        self.moments = construction.moments

    def layer_added(self, construction: Construction) -> bool:
        """Classify the samples before the layer, then carry them through it; True if no more layers are promising."""
        layer = construction.layers[-1]
        # Where layers guess by what answers are measured by, it is the measure of the layer itself.
        self._classify(layer.measure.as_answer(self.moments, self.recipe.measure_options))
        self.tiles.carry([layer], self.norm_weights, more_to_come=True)
        self.moments = construction.moments
        return len(self.distances) >= self.evidence.depth + self.patience

    def end(self, construction: Construction) -> None:
        """Classify the samples after the last layer."""
        self._classify(self.recipe.answer.of_moments(construction.moments, self.recipe.measure_options))

    def _classify(self, answer: Measure) -> None:
        """Note how far the samples are from the classes where they are now."""
        self.distances.append(answer.distances(self.tiles.blocks(0, len(self.codes))))
