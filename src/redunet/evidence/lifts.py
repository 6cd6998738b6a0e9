"""Evidence for a lift: the one of a list whose classes, each without the sample in question, classify best."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..inputs.errors import Data, InputError, Option
from ..inputs.labels import Labels
from ..lift.lift import Lift
from ..lift.responses import LEAST_CONTRAST_WIDTH, FilterBank
from ..measures.left_out import Choices
from ..measures.subspace import NearestSubspaces
from ..network.geometry import Geometry
from ..network.network import Network
from ..numerics.arrays import Array
from .leave_one_out import LeftOutAnswers, best_candidate, leave_one_out, luck_of_best
from .training_set import TrainingSet, some_of_each_class

# Evidence is taken from at most so many samples, evenly spaced within their classes.
SAMPLES_FOR_LIFT = 1000
# Of large samples fewer: so many values together, but no fewer samples than this.
VALUES_FOR_LIFT, FEWEST_SAMPLES_FOR_LIFT = 2**24, 200
# Kernel sizes of the short list of lifts, as shares of the length of a signal, where all go into one bank, or of the
# side of an image. Samples with fewer positions than LEAST_POOLED_POSITIONS have no high frequencies to spare.
SIGNAL_SHARES, IMAGE_SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2), (0.2, 0.3, 0.4)
# The size of kernels for images that are answered in two ways.
SHARED_IMAGE_SHARE = 0.2
# Width of the surroundings that the values of such images are compared with, as a share of the side.
CONTRAST_SHARE = 0.1
SIGNAL_CHANNELS = IMAGE_CHANNELS = 48
LEAST_POOLED_POSITIONS = 12
# Channels of an image in colour, at most; more are no colours that filters of the usual kind look for.
MOST_COLOURS = 4
# Positions along the side of an image that its responses keep, about; small images keep half of theirs.
IMAGE_POSITIONS = 16
# Positions that are kept along the side of an image of several channels without filters; it has twice as many or more.
CHANNEL_POSITIONS = 32
# Ranks to choose from where none are given.
SHORT_LIST = Choices(ranks=None, eps=())
# Frequencies of the responses to a signal that are kept, about.
SIGNAL_FREQUENCIES = 32


def refuse_linear_lift(bank: FilterBank, rank: int = 1) -> None:
    """After a linear lift, a class subspace of as many directions as X has channels holds every sample."""
    if not bank.is_linear:
        return
    n_channels_in = bank.n_independent_channels
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
    samples: Array,
    labels: Labels,
    weights: Array,
    lifts: Sequence[Lift],
    least_rank: int = 1,
    groups: Array | None = None,
    shown: Callable[[str], None] | None = None,
    witnesses: Array | None = None,
    answers_of: Callable[[TrainingSet, Array], LeftOutAnswers] | None = None,
) -> tuple[Lift, float]:
    """The lift of a short list whose leave-one-out evidence is best, fitted, and by how much luck it is so.

    The evidence is that of class subspaces, whatever layers guess by; ``least_rank`` is the rank that was given, or the
    least of those to choose from. ``shown`` is told what is being looked at. ``witnesses`` (a bool array) are those
    samples that the evidence comes from, where it is not all of them; the best lift is fitted to all samples.
    ``answers_of`` gives other evidence: how left-out samples are answered, given the training set at the entrance and
    the samples themselves; the first lift is then the usual one, and another is taken where that is no matter of
    chance.

    Returns
    -------
    lift : Lift
    luck : float
        How much higher the score of the best one is than what samples say that had no part in the choice.
    """
    most = max(FEWEST_SAMPLES_FOR_LIFT, min(SAMPLES_FOR_LIFT, VALUES_FOR_LIFT // math.prod(samples.shape[1:])))
    if witnesses is None:
        some = np.sort(labels.order[some_of_each_class(labels.bounds, most)])
    else:
        asked = np.flatnonzero(witnesses)
        of_asked = Labels.of(labels.classes, labels.codes[asked])
        some = np.sort(asked[of_asked.order[some_of_each_class(of_asked.bounds, most)]])
    few = Labels.of(labels.classes, labels.codes[some], weights[some])
    found: list[tuple[Lift, LeftOutAnswers]] = []
    refused: InputError | None = None
    for number, lift in enumerate(lifts):
        if shown is not None:
            shown(f"lift {number + 1} of {len(lifts)}: {lift!r}")
        try:
            bank = lift.fit_samples(samples[some], weights[some]).bank_
            refuse_linear_lift(bank, least_rank)
            network = Network.entrance(Geometry(bank.shape), samples, lift=bank)
            of_some = None if groups is None else groups[some]
            training = TrainingSet(network, samples[some], few, weights[some], None, of_some)
            found.append(
                (lift, left_out_answers(training) if answers_of is None else answers_of(training, samples[some]))
            )
        except InputError as error:  # this bank does not go with these samples; another may
            refused = error
    if not found:
        raise InputError("no lift of the list goes with these samples: {why}", why=refused) from refused
    every = [answers for _, answers in found]
    if answers_of is not None:
        best = first_unless_beaten(every)
        return _fitted(found[best][0], samples, weights, some), luck_of_best(every) if best else 0.0
    nothing_left_out = witnesses is not None and not every[0].weights.any()
    best = len(found) // 2 if nothing_left_out else best_candidate(every)[0]  # neither the least nor the most
    return _fitted(found[best][0], samples, weights, some), luck_of_best(every)


def _fitted(lift: Lift, samples: Array, weights: Array, some: Array) -> Lift:
    """The lift, which was fitted to some samples, fitted to all of them."""
    return lift if len(some) == len(samples) else lift.fit_samples(samples, weights)


def first_unless_beaten(answers: Sequence[LeftOutAnswers]) -> int:
    """Number of the first candidate, or of the best of those that classify more of the same samples correctly.

    More by more than the standard error of the difference: of the samples that one of the two alone classifies
    correctly, each is a coin.
    """
    weights = answers[0].weights
    correct = [one.correct[one.evidence().best] for one in answers]
    best, most = 0, 0.0
    for number, one in enumerate(correct[1:], 1):
        gain, differing = (one ^ correct[0]) @ (weights * np.where(one, 1.0, -1.0)), (one ^ correct[0]) @ weights
        if gain > max(most, np.sqrt(differing)):
            best, most = number, float(gain)
    return best


def left_out_answers(training: TrainingSet, choices: Choices = SHORT_LIST) -> LeftOutAnswers:
    """Leave-one-out distances to class subspaces, for the ranks that are given, or those of a short list."""
    question = NearestSubspaces.left_out(training.some, choices)
    if question is None:
        raise InputError(
            "a lift of 1 channel leaves nothing outside of a class subspace; pass {channels} >= 2.",
            channels=Option("n_channels"),
        )
    return leave_one_out(training.some, [question])[0]


def candidate_lifts(grid: tuple[int, ...], random_state: object) -> list[Lift]:
    """A short list of lifts for samples of so many positions along each axis.

    Short, since the best of many is the best by luck. For signals it is one: random filters of several lengths
    together, of whose responses the slowest frequencies are kept. For images patches of a fifth to two fifths of their
    side did best (``benchmarks/ablation.py``).
    """
    side = min(grid)
    if len(grid) == 1:
        pool = max(2, side / (2 * SIGNAL_FREQUENCIES)) if side >= LEAST_POOLED_POSITIONS else 1
        sizes = tuple(dict.fromkeys(_kernel_size(share, side) for share in SIGNAL_SHARES))
        return [Lift("random", SIGNAL_CHANNELS, sizes, "relu", quantile=0.5, pool=pool, random_state=random_state)]
    pool = _image_pool(side)
    return [
        Lift("patches", IMAGE_CHANNELS, size, threshold, quantile=quantile, pool=pool, random_state=random_state)
        for size in dict.fromkeys(_kernel_size(share, side) for share in IMAGE_SHARES)
        for threshold, quantile in (("relu", 0.5), ("soft", 0.3))
    ]


def _image_pool(side: int) -> float:
    """How many times coarser the responses to images are; those to large images are no finer than those to small ones.

    The numbers that a class is described by grow with the frequencies that are kept, and samples do not become more.
    """
    return max(2.0, side / IMAGE_POSITIONS) if side >= LEAST_POOLED_POSITIONS else 1.0


def large_image_lifts(n_channels: int, grid: tuple[int, ...]) -> list[Lift]:
    """For large images (or volumes) of several channels: the slow part of the channels as they are; else none.

    Noise and the exact shape of edges are in the fast part. Without them images of several channels are classified
    better, and everything takes as much memory and time as small images do (``benchmarks/large_images.py``).
    """
    return [_slow_channels(n_channels, grid)] if min(grid) >= 2 * CHANNEL_POSITIONS else []


def _slow_channels(n_channels: int, grid: tuple[int, ...]) -> Lift:
    """The channels as they are, but the fast part of large samples."""
    same = np.eye(n_channels).reshape(n_channels, n_channels, *(1 for _ in grid))
    return Lift(same, n_channels, 1, "none", pool=max(1.0, min(grid) / CHANNEL_POSITIONS))


def are_pictures(n_channels: int, grid: tuple[int, ...]) -> bool:
    """Whether samples are grey images or images in colour, large enough for filters to see something of them."""
    return len(grid) == 2 and n_channels <= MOST_COLOURS and min(grid) >= LEAST_POOLED_POSITIONS


def shared_image_lifts(n_channels: int, grid: tuple[int, ...], random_state: object) -> list[Lift]:
    """Lifts for images that class subspaces and an aligned regression both answer by, the usual one first.

    Of the local contrast, so that what is dark in one image and bright in another looks alike. Where there are colours,
    those of large even parts may tell the classes, and contrast does not see them: the second takes values as they are.
    The third are the colours themselves, for images on which there is nothing to see for a filter. Rectified, since the
    slow part of responses of both signs is next to nothing. (See docs/findings.md.)
    """
    side = min(grid)
    contrast = max(LEAST_CONTRAST_WIDTH, CONTRAST_SHARE * side)
    filters = [
        Lift(
            "patches",
            IMAGE_CHANNELS,
            _kernel_size(SHARED_IMAGE_SHARE, side),
            "relu",
            quantile=0.5,
            contrast=width,
            pool=_image_pool(side),
            random_state=random_state,
        )
        for width in ((contrast,) if n_channels == 1 else (contrast, None))
    ]
    return filters if n_channels == 1 else [*filters, _slow_channels(n_channels, grid)]


def _kernel_size(share: float, side: int) -> int:
    """An odd number of positions, this share of a side."""
    return min(max(3, 2 * int(share * side / 2) + 1), side)
