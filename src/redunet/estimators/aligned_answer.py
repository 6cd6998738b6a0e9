"""A second answer by the same blocks as the first: a regression on the slow part of each sample at its own centre."""

from dataclasses import dataclass

import numpy as np

from ..evidence.leave_one_out import LeftOutAnswers, leave_one_out
from ..evidence.lifts import left_out_answers
from ..evidence.training_set import SAMPLES_FOR_EVIDENCE, TrainingSet, some_of_each_class
from ..evidence.weighting import WeighedAnswers
from ..fast.sample_lanes import SampleLanes
from ..measures.class_moments import ClassMoments, FeatureSpace
from ..measures.left_out import Choices, LeftOutSamples
from ..measures.measure import MeasureOptions
from ..measures.regression import LabelRegression
from ..network.aligned_view import MOST_PERIODS, AlignedView
from ..numerics.alignment import functional_blocks, low_frequencies
from ..numerics.arrays import Array
from ..storage.expectations import expect, is_number
from ..storage.stored_types import stored_record

# How much is believed before, that class subspaces and an aligned regression count the same: few samples cannot say.
EVENNESS = 1.0
# Training samples that are brought to their centres at a time.
SAMPLES_AT_A_TIME = 512


@stored_record()
@dataclass(frozen=True, eq=False)
class AlignedAnswer:
    """What samples at their own centre are answered by, and how much it counts.

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

    def distances(self, V: Array, phases: Array) -> Array:
        """Distances of blocks whose samples have their first harmonics at these phases; (n_samples, n_classes)."""
        return self.measure.distances(self.view(V, phases))

    def distances_of_lanes(self, lanes: SampleLanes, phases: Array) -> Array:
        """The same of samples that lie side by side, of whose blocks only the slowest frequencies are needed."""
        places, _ = low_frequencies(self.view.grid, MOST_PERIODS)
        return self.measure.distances(self.view.of_low(lanes.blocks(frequencies=places), phases))

    def contrast_weights(self, V: Array, phases: Array, nearest: Array, other: Array, norm_weights: Array) -> Array:
        """Blocks whose inner product with V is why samples are nearer to one class than to another, up to a constant.

        Along the way from the mean of all training samples to the sample; shape (n_freqs, n_channels, n_samples).

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
        phases : float array, shape (n_axes, n_samples)
        nearest, other : int array, shape (n_samples,)
            Numbers of the two classes of each sample.
        norm_weights : float array, shape (n_freqs,)
            Parseval weights.
        """
        view, coefficients = self.view, self.measure.coefficients[:, 0]
        coordinates = view.coordinates_of(V, phases, view.grid)
        slopes = view.path_weights(coordinates, coefficients[nearest] - coefficients[other])
        return functional_blocks(slopes, phases, view.grid, MOST_PERIODS, norm_weights)

    def __repr__(self) -> str:
        n_landmarks, n_directions = self.view.landmarks.shape
        return f"AlignedAnswer({n_landmarks} landmarks in {n_directions} directions, weight={self.weight:.4g})"

    def check_stored(self, grid: tuple[int, ...], n_channels: int, n_classes: int) -> None:
        """Refuse an answer that came from a file and does not fit blocks of such a grid and so many channels."""
        expect(isinstance(self.view, AlignedView), "the aligned answer has no view")
        expect(is_number(self.weight) and self.weight >= 0, "the weight of the aligned answer is no number >= 0")
        self.view.check_stored(grid, n_channels)
        expect(hasattr(self.measure, "coefficients"), "the aligned answer is no regression")
        self.measure.check_stored((n_classes, 1, self.view.n_features), {"float64"}, None)


@dataclass(frozen=True, eq=False)
class AlignedEvidence:
    """What left-out samples say of an aligned answer, for each ε of its regression.

    Parameters
    ----------
    view : AlignedView
    moments : ClassMoments
        Of the classes, in the span of the landmarks.
    answers : LeftOutAnswers
        For the samples that evidence is taken from, in their order.
    """

    view: AlignedView
    moments: ClassMoments
    answers: LeftOutAnswers

    def answer(self, number: int, weight: float) -> AlignedAnswer:
        """The answer with one of the values that evidence compared."""
        options = MeasureOptions(float(self.answers.values[number]))
        measure = LabelRegression.of_moments(self.moments, options).of_vectors(self.view)
        return AlignedAnswer(self.view, measure, weight)


def aligned_evidence(training: TrainingSet, samples: Array) -> AlignedEvidence | None:
    """A view of the training samples at their centres, and how each is answered by a regression without it.

    Parameters
    ----------
    training : TrainingSet
    samples : array, shape (n_samples, *sample_shape)
        The same samples in the order of X; where they are is seen in them, and not in their responses.

    Returns
    -------
    AlignedEvidence, or None where samples do not differ at their centres
    """
    network, weights = training.network, training.weights
    phases = network.centre_phases(samples)[:, training.labels.order]
    grid, n_channels, m = network.geometry.grid, network.geometry.n_channels, len(weights)
    bounds = range(0, m, SAMPLES_AT_A_TIME)

    def blocks(start: int) -> tuple[Array, Array]:
        stop = min(start + SAMPLES_AT_A_TIME, m)
        return training.tiles.blocks(start, stop), phases[:, start:stop]

    coordinates = np.concatenate([AlignedView.coordinates_of(*blocks(start), grid) for start in bounds])
    view = AlignedView.of(coordinates, grid, n_channels, len(training.bounds) - 1, weights)
    if view is None:
        return None
    # Features of unit norm: the kernel of a sample with itself is 1, and so is the constant.
    V = np.empty((view.whitening.shape[1], m))
    for start in bounds:
        some = slice(start, start + SAMPLES_AT_A_TIME)
        V[:, some] = (view.features(coordinates[some]) @ view.whitening).T
    moments = _class_moments(V, weights, training.bounds)
    chosen = some_of_each_class(training.bounds, SAMPLES_FOR_EVIDENCE)
    groups = None if training.groups is None else training.groups[chosen]
    some_samples = LeftOutSamples(
        V[None][:, :, chosen], training.codes[chosen], weights[chosen], moments, len(V), groups
    )
    question = LabelRegression.left_out(some_samples, Choices(None, None))
    assert question is not None
    return AlignedEvidence(view, moments, leave_one_out(some_samples, [question])[0])


def answers_of_both(training: TrainingSet, samples: Array) -> LeftOutAnswers:
    """How left-out samples are answered by class subspaces and an aligned regression together, each at its best."""
    subspaces, aligned = left_out_answers(training), aligned_evidence(training, samples)
    if aligned is None:
        return subspaces
    both = WeighedAnswers([subspaces, aligned.answers], EVENNESS)
    value = subspaces.values[both.best[0]]
    distances = both.summed_distances().T[None]
    return LeftOutAnswers(
        subspaces.option, (value,), distances, subspaces.codes, subspaces.weights, has_scale=False, squared=False
    )


def _class_moments(V: Array, weights: Array, bounds: Array) -> ClassMoments:
    """Moments of the classes of vectors (n, n_samples), sorted by class, whose last coordinate is constant."""
    n, k = len(V), len(bounds) - 1
    M = np.empty((k, 1, n, n))
    for j in range(k):
        mine = V[:, bounds[j] : bounds[j + 1]]
        M[j, 0] = (mine * weights[bounds[j] : bounds[j + 1]]) @ mine.T
    class_weight = np.add.reduceat(weights, bounds[:-1])
    space = FeatureSpace(n, (), np.ones(1), np.ones(1), np.dtype(np.float64), np.eye(n)[-1])
    return ClassMoments(M, class_weight, space, int(np.diff(bounds).max()))
