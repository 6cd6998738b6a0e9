"""Evidence from the training samples alone: how each would be answered by classes that had not seen it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..fast.eigensystems import eigensystems
from ..fast.threads import run_parts
from ..numerics.arrays import Array
from ..numerics.subspaces import rounding_share
from ..numerics.without_one_sample import code_without
from ..storage.expectations import expect, expect_numbers, is_number
from ..storage.stored_types import stored_record

# Scores closer than so many standard errors are told apart by their margin (compared on signals and images).
UNCERTAINTY = 0.5
# Ranks to choose from.
RANKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
# A direction that only one sample reached into is gone without it: less than this share of it is left, the rounding
# errors of double precision, in which moments are summed and samples are measured whatever their own precision.
ROUNDING_LEFT = 1e-10
# Samples that are looked at together, which bounds the memory.
BLOCK = 128


@stored_record()
@dataclass(frozen=True, eq=False)
class Evidence:
    """How well each of several choices answers samples that it has not seen.

    Parameters
    ----------
    choices : tuple
        Ranks, or values of ε.
    scores : float array, shape (n_choices,)
        Share of samples answered rightly.
    margins : float array, shape (n_choices,)
        Mean of (d_other − d_own) / (d_other + d_own) for the squared distances to the own class and to the nearest
        other: in [−1, 1], it still tells choices apart when all answers are right. For code lengths, which have no
        scale, the mean difference in units of its standard deviation.
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
        """The best choice itself."""
        return self.choices[self.best]

    @property
    def best_score(self) -> float:
        """Its score."""
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
    return int(np.where(scores >= highest - UNCERTAINTY * uncertain - 1e-9, np.round(margins, 6), -np.inf).argmax())


def possible_ranks(n_channels: int) -> tuple[int, ...]:
    """Ranks of the short list that leave something out."""
    return tuple(rank for rank in RANKS if rank < n_channels)


@dataclass(frozen=True, eq=False)
class TrainingFeatures:
    """Features of training samples, and what their classes know of them.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
        All or some of the features.
    codes : int array, shape (n_samples,)
        Class of each.
    sample_weight : float array, shape (n_samples,)
        How often each was counted in the moments; a sample that was counted twice is left out once, as if it were two.
    M : array, shape (n_classes, n_freqs, n_channels, n_channels)
        Class moments of all features.
    class_weight : float array, shape (n_classes,)
    norm_weights, rate_weights : float array, shape (n_freqs,)
    dimension : int
        Number of channels that α counts.
    dtype : float32 or float64
        Of the features.
    most_directions : int
        Size of the largest class.
    """

    V: Array
    codes: Array
    sample_weight: Array
    M: Array
    class_weight: Array
    norm_weights: Array
    rate_weights: Array
    dimension: int
    dtype: np.dtype
    most_directions: int


def leave_one_out(
    features: TrainingFeatures, ranks: tuple[int, ...], eps_choices: tuple[float, ...]
) -> tuple[Evidence | None, Evidence | None]:
    """Answers of the nearest subspace for several ranks, and of the shortest code for several ε, all at once.

    Each sample is answered by classes of which its own has not seen it. Exact, and everything is read off one
    eigenbasis of each class (:mod:`redunet.numerics.without_one_sample`). None where there is nothing to choose from.
    """
    V, codes, M = features.V, features.codes, features.M
    k, m = len(M), V.shape[2]
    inside, lengths = np.empty((len(ranks), k, m)), np.empty((len(eps_choices), k, m))
    n_directions = 0
    for j in range(k):
        eigenvalues, vectors = eigensystems(M[j], features.most_directions)
        n_directions = max(n_directions, int((eigenvalues > ROUNDING_LEFT * eigenvalues[:, -1:]).sum(axis=1).max()))
        negligible = rounding_share(M.shape[-1], features.dtype) * float(eigenvalues.max())
        # A code keeps all directions, a subspace those that are more than rounding errors.
        bases = np.ascontiguousarray(vectors.conj().swapaxes(1, 2))
        real = eigenvalues > negligible
        eigenvalues = np.clip(eigenvalues, 0.0, None)
        for_class = partial(_answers_of_class, features, j, eigenvalues, bases, real, negligible, ranks, eps_choices)

        def work(start: int, for_class: _Answers = for_class, j: int = j) -> None:
            some = slice(start, min(start + BLOCK, m))
            inside[:, j, some], lengths[:, j, some] = for_class(some)

        run_parts(work, range(0, m, BLOCK))
    outside = np.clip(1.0 - inside, 0.0, 1.0)
    # With a sample left out no class has more directions than these, and a larger rank is nothing new.
    useful = [i for i, rank in enumerate(ranks) if rank < n_directions or i == 0]
    by_rank = by_code = None
    if ranks:
        chosen = tuple(ranks[i] for i in useful)
        by_rank = _evidence(chosen, outside[useful], codes, features.sample_weight, relative=True)
    if eps_choices:
        by_code = _evidence(eps_choices, lengths, codes, features.sample_weight, relative=False)
    return by_rank, by_code


_Answers = Callable[[slice], tuple[Array, Array]]


def _answers_of_class(
    features: TrainingFeatures,
    j: int,
    eigenvalues: Array,
    bases: Array,
    real: Array,
    negligible: float,
    ranks: tuple[int, ...],
    eps_choices: tuple[float, ...],
    some: slice,
) -> tuple[Array, Array]:
    """What class j says of some samples: energy inside its subspaces (n_ranks, n) and code lengths (n_eps, n)."""
    from ..fast.kernels import energy_inside_without

    own = features.codes[some] == j
    once = np.minimum(features.sample_weight[some], 1.0)[own]
    weights = features.norm_weights
    along = bases @ features.V[:, :, some].astype(bases.dtype, copy=False)
    energies = np.square(along.real)
    if np.iscomplexobj(along):
        energies += np.square(along.imag)
    inside, lengths = np.empty((len(ranks), len(own))), np.empty((len(eps_choices), len(own)))
    if ranks:
        most, rows = max(ranks), np.array(ranks) - 1
        strongest = np.einsum(
            "pc,pci->ci", (weights[:, None] * real)[:, : -most - 1 : -1], energies[:, : -most - 1 : -1]
        )
        inside[:] = strongest.cumsum(axis=0)[rows]
        if own.any():
            without = np.empty((most, int(own.sum())))
            mine = np.ascontiguousarray(energies[:, :, own].swapaxes(1, 2))
            energy_inside_without(eigenvalues, mine, once, weights, negligible, ROUNDING_LEFT, without)
            inside[:, own] = without[rows]
    for i, eps in enumerate(eps_choices):
        lengths[i] = _code_lengths(features, eigenvalues, energies, features.class_weight[j], eps)
        # Without a sample the class has less weight, too; samples of equal weight are done together.
        for weight in np.unique(once):
            mine = np.flatnonzero(own)[once == weight]
            rest = features.class_weight[j] - weight
            lengths[i, mine] = _code_lengths(features, eigenvalues, energies[:, :, mine], rest, eps, without=weight)
    return inside, lengths


def _code_lengths(
    features: TrainingFeatures, eigenvalues: Array, energies: Array, weight: float, eps: float, without: float = 0.0
) -> Array:
    """Code lengths of samples with a class of so much weight, each left out so often; shape (n_samples,).

    eigenvalues (n_freqs, n_channels) of the moment with all samples, energies (n_freqs, n_channels, n_samples).
    """
    if weight <= 0:  # nothing is left of the class
        return np.full(energies.shape[2], np.inf)
    inverse_alpha = weight * eps**2 / features.dimension
    leverage = np.einsum("pc,pci->pi", 1 / (eigenvalues + inverse_alpha), energies)
    logdet = features.rate_weights @ np.log1p(eigenvalues / inverse_alpha).sum(axis=1)
    left = np.full(energies.shape[2], without)
    quadratic, change = code_without(leverage, left, features.norm_weights, features.rate_weights)
    n_coefficients = features.dimension * features.norm_weights.sum()
    return quadratic * weight / n_coefficients + (logdet + change) / features.dimension


def _evidence(
    choices: tuple[float, ...], distances: Array, codes: Array, sample_weight: Array, *, relative: bool
) -> Evidence:
    """Scores and margins of distances (n_choices, n_classes, n_samples)."""
    samples = np.arange(len(codes))
    scores, margins, effects = [], [], []
    for of_choice in distances:
        rounded = np.round(of_choice, 9)
        right = rounded.argmin(axis=0) == codes
        own = of_choice[codes, samples]
        others = of_choice.copy()
        others[codes, samples] = np.inf
        nearest = others.min(axis=0)
        margin = (nearest - own) / (np.maximum(nearest + own, 1e-12) if relative else 1.0)
        margin = np.clip(margin, -1e6, 1e6)  # a class that is gone without the sample has no finite code
        mean = np.average(margin, weights=sample_weight)
        spread = np.sqrt(np.average((margin - mean) ** 2, weights=sample_weight))
        scores.append(np.average(right, weights=sample_weight))
        effects.append(mean / max(float(spread), 1e-12))
        margins.append(mean if relative else effects[-1])
    return Evidence(choices, np.array(scores), np.array(margins), np.array(effects), float(sample_weight.sum()))
