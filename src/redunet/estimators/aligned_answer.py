"""A second answer by the same blocks as the first: a regression on how near samples are at the shift where they fit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..evidence.leave_one_out import MOST_PARTS, LeftOutAnswers
from ..evidence.lifts import left_out_answers
from ..evidence.ridge_left_out import LabelRidges, RidgeRows
from ..evidence.training_set import SAMPLES_FOR_EVIDENCE, TrainingSet, some_of_each_class
from ..evidence.weighting import WeighedAnswers
from ..fast.sample_lanes import SampleLanes
from ..fast.threads import run_parts
from ..measures.regression import LabelRegression
from ..network.aligned_view import MOST_LANDMARKS, AlignedView, landmarks_among, periods_for
from ..network.network import Network
from ..numerics.arrays import Array
from ..numerics.image_deformation import N_NUMBERS, deformed, displacements, in_the_middle
from ..numerics.sample_keys import sample_keys
from ..numerics.shift_kernel import low_blocks, low_frequencies
from ..storage.expectations import expect, is_number
from ..storage.stored_types import stored_record

# How much is believed before, that class subspaces and an aligned regression count the same: few samples cannot say.
EVENNESS = 1.0
# Training samples that enter at a time.
SAMPLES_AT_A_TIME = 512
# Ridges to choose from, in units of the kernel of a sample with itself.
RIDGE_CHOICES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
# Few images are shown deformed, too: so many copies of each at most, of so many values together. What copies bring gets
# less with every label, and what they take grows with the cube of all: 9 of each of 200 images, one of each of 500.
MOST_COPIES, VALUES_OF_COPIES, COPIES_TIMES_SQUARED_IMAGES = 19, 2**23, 400_000
# Images that are deformed at a time on each core.
IMAGES_PER_PART = 8


@stored_record()
@dataclass(frozen=True, eq=False)
class AlignedAnswer:
    """What samples are answered by that are compared at every shift, and how much it counts.

    Parameters
    ----------
    view : AlignedView
        Of the blocks at the entrance of the classifier's network, which both answers share.
    measure : LabelRegression
        Of what the view shows.
    weight : float
        How much its distances count in the sum of all distances.
    """

    view: AlignedView
    measure: LabelRegression
    weight: float

    def distances(self, V: Array) -> Array:
        """Distances of blocks; shape (n_samples, n_classes)."""
        return self.measure.distances(self.view(V))

    def distances_of_lanes(self, lanes: SampleLanes) -> Array:
        """The same of samples that lie side by side, of whose blocks only the slowest frequencies are needed."""
        low = lanes.blocks(frequencies=self.view.places)
        return self.measure.distances(self.view.features(low).T[None])

    def contrast_weights(self, V: Array, nearest: Array, other: Array, norm_weights: Array) -> Array:
        """Blocks whose inner product with V is why samples are nearer to one class than to another, up to a constant.

        Along the way from nothing, a sample of zeros, to the sample; shape (n_freqs, n_channels, n_samples).

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
        nearest, other : int array, shape (n_samples,)
            Numbers of the two classes of each sample.
        norm_weights : float array, shape (n_freqs,)
            Parseval weights.
        """
        view, coefficients = self.view, self.measure.coefficients[:, 0, :-1]
        slopes = view.path_weights(V[view.places], coefficients[nearest] - coefficients[other])
        return low_blocks(slopes, view.grid, view.n_periods, norm_weights)

    def __repr__(self) -> str:
        return f"AlignedAnswer({self.view.n_landmarks} landmarks, weight={self.weight:.4g})"

    def check_stored(self, grid: tuple[int, ...], n_channels: int, n_classes: int) -> None:
        """Refuse an answer that came from a file and does not fit blocks of such a grid and so many channels."""
        expect(isinstance(self.view, AlignedView), "the aligned answer has no view")
        expect(is_number(self.weight) and self.weight >= 0, "the weight of the aligned answer is no number >= 0")
        self.view.check_stored(grid, n_channels)
        expect(hasattr(self.measure, "coefficients"), "the aligned answer is no regression")
        self.measure.check_stored((n_classes, 1, self.view.n_features), {"float64"}, None)


@dataclass(frozen=True, eq=False)
class AlignedEvidence:
    """What left-out samples say of an aligned answer, for each ridge of its regression.

    Parameters
    ----------
    view : AlignedView
    ridges : LabelRidges
        Regressions in the span of the landmarks.
    shares : float array, shape (n_classes,)
        What is predicted where nothing is known.
    answers : LeftOutAnswers
        For the samples that evidence is taken from, in their order.
    """

    view: AlignedView
    ridges: LabelRidges
    shares: Array
    answers: LeftOutAnswers

    def answer(self, number: int, weight: float) -> AlignedAnswer:
        """The answer with one of the ridges that evidence compared."""
        functionals = self.view.functionals(self.ridges.coefficients(number)).T
        coefficients = np.concatenate([functionals, self.shares[:, None]], axis=1)
        return AlignedAnswer(self.view, LabelRegression(coefficients[:, None], np.ones(1)), weight)

    @property
    def errors(self) -> Array:
        """Square of what the prediction for each left-out sample misses, with the best of the ridges."""
        answers = self.answers
        wanted = 1.0 - np.eye(answers.distances.shape[1])[:, answers.codes]
        errors = np.square(answers.distances - wanted).sum(axis=1)
        return np.asarray(errors[(errors @ answers.weights).argmin()])


def aligned_evidence(training: TrainingSet, samples: Array, random_state: int | None = None) -> AlignedEvidence | None:
    """A regression on the nearness of training samples, and how each is answered by one without it.

    Few images are seen deformed, too, where left-out images are answered better then, beyond chance; an image is left
    out with its copies.

    Parameters
    ----------
    training : TrainingSet
    samples : array, shape (n_samples, *sample_shape)
        The same samples in the order of X.
    random_state : int, optional
        Of the deformations; None for samples as they are alone.

    Returns
    -------
    AlignedEvidence, or None where samples do not differ
    """
    grid = training.network.geometry.grid
    m = len(training.weights)
    bounds, places = range(0, m, SAMPLES_AT_A_TIME), low_frequencies(grid, periods_for(m))[0]
    originals = [training.tiles.blocks(start, min(start + SAMPLES_AT_A_TIME, m))[places] for start in bounds]
    low = np.concatenate(originals, axis=2)
    found = _evidence_of(training, [low])
    n_copies = number_of_copies(m, samples.shape)
    if found is None or random_state is None or not n_copies:
        return found
    copies = deformed_copies(training.network, samples, n_copies, random_state, places)
    order = training.labels.order
    more = _evidence_of(training, [low, *(one[:, :, order] for one in copies)])
    return found if more is None or not is_clearly_less(more.errors, found.errors, found.answers.weights) else more


def is_clearly_less(errors: Array, others: Array, weights: Array) -> bool:
    """Whether the errors of samples are less than others in the mean, by more than the standard error of that."""
    total = weights.sum()
    if not total > 0:
        return False
    gains = others - errors
    mean = float(gains @ weights / total)
    spread = float(np.square(gains - mean) @ weights / total)
    return mean > np.sqrt(spread / total)


def number_of_copies(n_samples: int, shape: tuple[int, ...]) -> int:
    """How many deformed copies of each of so many images are worth their time; none of signals."""
    if len(shape) != 4:
        return 0
    affordable = min(MOST_LANDMARKS, VALUES_OF_COPIES // int(np.prod(shape[1:]))) // n_samples - 1
    return max(0, min(MOST_COPIES, affordable, COPIES_TIMES_SQUARED_IMAGES // n_samples**2))


def deformed_copies(network: Network, samples: Array, n_copies: int, random_state: int, places: Array) -> list[Array]:
    """Some frequencies of deformed copies of images, each array of shape (n_places, n_channels, n_samples).

    How an image is deformed depends on its values and the random state alone, not on where it is or what other images
    there are.

    Parameters
    ----------
    network : Network
        Whose entrance they go through.
    samples : array, shape (n_samples, n_channels, height, width)
    n_copies : int
    random_state : int
    places : int array, shape (n_places,)
        Which frequencies.
    """
    whole = network.representatives(samples)
    keys = sample_keys(whole, random_state)
    centred = in_the_middle(whole)
    copies = np.empty((n_copies, *centred.shape), dtype=centred.dtype)

    def work(first: int) -> None:
        some = range(first, min(first + IMAGES_PER_PART, len(centred)))
        numbers = np.concatenate([_numbers_of(keys[i], n_copies) for i in some])
        moved = displacements(numbers, centred.shape[2:])
        for number, i in enumerate(some):
            copies[:, i] = deformed(centred[i], moved[number * n_copies : (number + 1) * n_copies])

    run_parts(work, range(0, len(centred), IMAGES_PER_PART))
    found = []
    for copy in copies:
        parts: list[Array] = []
        for start in range(0, len(copy), SAMPLES_AT_A_TIME):
            some = slice(start, start + SAMPLES_AT_A_TIME)
            parts.append(network.blocks_of_padded(copy[some])[places])
        found.append(np.concatenate(parts, axis=2))
    return found


def _numbers_of(key: int, n_copies: int) -> Array:
    """Random numbers of a sample, of mean 0 and standard deviation 1; shape (n_copies, N_NUMBERS)."""
    words = np.array([key & 0xFFFFFFFF, key >> 32], dtype=np.uint32)
    return np.random.RandomState(words).standard_normal((n_copies, N_NUMBERS))


def _evidence_of(training: TrainingSet, variants: Sequence[Array]) -> AlignedEvidence | None:
    """Evidence of samples as they are (the first variant) and deformed, sorted by class."""
    m = len(training.weights)
    chosen = some_of_each_class(training.bounds, SAMPLES_FOR_EVIDENCE)
    low = np.concatenate(variants, axis=2)
    landmarks = landmarks_among(low, np.isin(np.arange(low.shape[2]) % m, chosen))
    weights = np.tile(training.weights, len(variants))
    view = AlignedView.of(low, training.network.geometry.grid, periods_for(m), weights, landmarks)
    if view is None:
        return None
    rows = _SpanRows(view, low, landmarks, training)
    scale = view.scale
    ridges = LabelRidges.of_rows(
        rows.parts(np.arange(low.shape[2]), weights), tuple(float(choice * scale) for choice in RIDGE_CHOICES)
    )
    predictions = _predictions_without_one if training.groups is None else _predictions_without_group
    some = training.some
    are_all = len(landmarks) == low.shape[2]
    is_witness = np.ones(len(chosen), dtype=bool) if are_all else ~np.isin(chosen, landmarks % m)
    answers = LeftOutAnswers(
        "ridge",
        ridges.ridges,
        1.0 - rows.shares[:, None] - predictions(ridges, rows, chosen).transpose(0, 2, 1),
        some.codes,
        _weights_of(training, is_witness),
        has_scale=False,
        squared=False,
    )
    return AlignedEvidence(view, ridges, rows.shares, answers)


class _SpanRows:
    """Samples, and what was made of them, as rows of a regression in the span of the landmarks, found when asked for.

    Parameters
    ----------
    view : AlignedView
    low : complex array, shape (n_low, n_channels, n_rows)
        The slowest frequencies of all samples sorted by class, then of their copies in the same order.
    landmarks : int array, shape (n_landmarks,)
        Numbers of the landmarks of the view.
    training : TrainingSet
    """

    def __init__(self, view: AlignedView, low: Array, landmarks: Array, training: TrainingSet) -> None:
        self.view, self.low, self.training = view, low, training
        self.n_samples = len(training.weights)
        self.shares = training.class_weight / training.class_weight.sum()
        self._targets = np.eye(len(self.shares)) - self.shares
        self._place = np.full(low.shape[2], -1)
        self._place[landmarks] = np.arange(len(landmarks))

    @property
    def family(self) -> Array:
        """What is added to the number of a sample to give those of itself and its copies."""
        return np.arange(0, self.low.shape[2], self.n_samples)

    def coordinates(self, numbers: Array) -> Array:
        """Coordinates of rows; shape (n, n_landmarks)."""
        place = self._place[numbers]
        nearness = np.empty((len(numbers), self.view.n_landmarks))
        known = place >= 0
        nearness[known] = self.view.kernel_of_landmarks[place[known]]
        if not known.all():
            nearness[~known] = self.view.nearness(self.low[:, :, numbers[~known]])
        return self.view.span_coordinates(nearness)

    def parts(self, numbers: Array, weights: Array) -> Iterator[RidgeRows]:
        """Rows of some numbers, with weights (n_rows,) of all, some at a time."""
        for start in range(0, len(numbers), SAMPLES_AT_A_TIME):
            some = numbers[start : start + SAMPLES_AT_A_TIME]
            yield RidgeRows(self.coordinates(some), self.targets(some), weights[some])

    def targets(self, numbers: Array) -> Array:
        """Targets of rows (...); shape (..., n_classes)."""
        return np.asarray(self._targets[self.training.codes[numbers % self.n_samples]])


def _predictions_without_one(ridges: LabelRidges, rows: _SpanRows, chosen: Array) -> Array:
    """Predictions for some samples, each left out with its copies; shape (n_ridges, n_chosen, n_classes)."""
    family, once = rows.family, np.minimum(rows.training.weights, 1.0)
    found, at_a_time = [], max(1, SAMPLES_AT_A_TIME // len(family))
    for start in range(0, len(chosen), at_a_time):
        blocks = chosen[start : start + at_a_time, None] + family
        coordinates = rows.coordinates(blocks.ravel()).reshape(*blocks.shape, -1)
        left_out = RidgeRows(coordinates, rows.targets(blocks), np.repeat(once[blocks[:, :1]], len(family), axis=1))
        found.append(ridges.left_out(left_out)[:, :, 0])
    return np.concatenate(found, axis=1)


def _predictions_without_group(ridges: LabelRidges, rows: _SpanRows, chosen: Array) -> Array:
    """Predictions for some samples, each left out with its group and the copies of all of them; the same shape.

    With more than so many groups, several are left out together.
    """
    training, family = rows.training, rows.family
    assert training.groups is not None
    found = np.empty((len(ridges.ridges), len(chosen), len(rows.shares)))
    part_of, weights = training.groups % MOST_PARTS, np.tile(training.weights, len(family))
    for part in np.unique(part_of):
        members, mine = np.flatnonzero(part_of == part), part_of[chosen] == part
        if not mine.any():
            continue
        every = (members + family[:, None]).ravel()
        if len(every) < rows.view.n_landmarks:
            block = rows.coordinates(every)[None], rows.targets(every)[None], weights[every][None]
            together = ridges.left_out(RidgeRows(*block))[:, 0]
            found[:, mine] = together[:, np.searchsorted(members, chosen[mine])]
        else:
            found[:, mine] = ridges.without(rows.parts(every, weights)).predictions(rows.coordinates(chosen[mine]))
    return found


def _weights_of(training: TrainingSet, is_witness: Array) -> Array:
    """How often each sample that evidence is taken from counts; 0 for the only one of its class, and no witnesses."""
    some = training.some
    alone = training.class_weight[some.codes] <= some.once
    return np.where(alone | ~is_witness, 0.0, some.sample_weight)


def answers_of_both(training: TrainingSet, samples: Array) -> LeftOutAnswers:
    """How left-out samples are answered by class subspaces and an aligned regression together, each at its best."""
    subspaces, aligned = left_out_answers(training), aligned_evidence(training, samples)
    if aligned is None:
        return subspaces
    both = WeighedAnswers([replace(subspaces, weights=aligned.answers.weights), aligned.answers], EVENNESS)
    value = subspaces.values[both.best[0]]
    distances = both.summed_distances().T[None]
    return LeftOutAnswers(
        subspaces.option, (value,), distances, subspaces.codes, subspaces.weights, has_scale=False, squared=False
    )
