"""Evidence for a lift: the one of a list whose classes, each without the sample in question, classify best."""

from collections.abc import Iterable, Iterator

import numpy as np

from ..inputs.errors import Data, InputError, Option
from ..inputs.labels import Labels
from ..lift.lift import Lift
from ..lift.responses import FilterBank
from ..measures.left_out import Choices
from ..measures.subspace import NearestSubspaces
from ..network.geometry import Geometry
from ..network.network import Network
from ..numerics.arrays import Array
from .leave_one_out import Evidence, best_of, leave_one_out
from .training_set import TrainingSet, some_of_each_class

# Evidence is taken from at most so many samples, evenly spaced within their classes.
SAMPLES_FOR_LIFT = 1000
# Kernel sizes of the short list of lifts, as shares of the length of a signal or the side of an image; several of them
# may go into one bank. Samples with fewer positions than LEAST_POOLED_POSITIONS have no high frequencies to spare.
SIGNAL_SHARES: tuple[tuple[float, ...], ...] = ((1 / 8,), (1 / 2,), (1 / 16, 1 / 8, 1 / 4, 1 / 2))
IMAGE_SHARES: tuple[tuple[float, ...], ...] = ((0.2,), (0.3,), (0.4,))
LEAST_POOLED_POSITIONS = 12


def refuse_linear_lift(bank: FilterBank, rank: int = 1) -> None:
    """After a linear lift, a class subspace of as many directions as X has channels holds every sample."""
    if not bank.is_linear:
        return
    n_channels_in = bank.filters[0].shape[1]
    if rank < n_channels_in:
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

    The evidence is that of class subspaces, whatever layers guess by; ``least_rank`` is the rank that was given, or the
    least of those to choose from.
    """
    some = np.sort(labels.order[some_of_each_class(labels.bounds, SAMPLES_FOR_LIFT)])
    few = Labels.of(labels.classes, labels.codes[some], weights[some])
    found: list[tuple[Lift, Evidence]] = []
    refused: InputError | None = None
    for lift in lifts:
        try:
            bank = lift.fit_samples(samples[some], weights[some]).bank_
            refuse_linear_lift(bank, least_rank)
            network = Network.entrance(Geometry(bank.shape), samples, lift=bank)
            found.append((lift, _evidence(TrainingSet(network, samples[some], few, weights[some]))))
        except InputError as error:  # this bank does not go with these samples; another may
            refused = error
    if not found:
        raise InputError("no lift of the list goes with these samples: {why}", why=refused) from refused
    scores = np.array([evidence.steady_scores[evidence.best] for _, evidence in found])
    effects = np.array([evidence.effects[evidence.best] for _, evidence in found])
    return found[best_of(scores, effects, float(weights[some].sum()))][0].fit_samples(samples, weights)


def _evidence(training: TrainingSet) -> Evidence:
    """Evidence of class subspaces, of the ranks of a short list."""
    question = NearestSubspaces.left_out(training.some, Choices(ranks=None, eps=()))
    if question is None:
        raise InputError(
            "a lift of 1 channel leaves nothing outside of a class subspace; pass {channels} >= 2.",
            channels=Option("n_channels"),
        )
    return leave_one_out(training.some, [question])[0]


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
            pool = 2 if side >= LEAST_POOLED_POSITIONS else 1
            yield Lift(filters, n_channels, size, threshold, quantile=quantile, pool=pool, random_state=random_state)
