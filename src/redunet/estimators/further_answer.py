"""A second answer beside that of the network: other features of the same sample, measured in another way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..evidence.leave_one_out import LeftOutAnswers
from ..evidence.lifts import left_out_answers, lift_by_evidence
from ..evidence.training_set import TrainingSet
from ..fast.sample_lanes import SampleLanes
from ..lift.lift import Lift
from ..measures.left_out import Choices
from ..measures.measure import AnswerMeasure, MeasureOptions
from ..measures.subspace import NearestSubspaces
from ..network.geometry import Geometry
from ..network.network import Network
from ..numerics.arrays import Array
from ..storage.expectations import expect, is_number
from ..storage.stored_types import stored_record
from .reading import TrainingData
from .silent_samples import silent_rows


def distances_by(network: Network, measure: AnswerMeasure, samples: Array, n_classes: int) -> Array:
    """Distance of each sample to each class after a network; shape (n_samples, n_classes)."""
    distances = np.empty((len(samples), n_classes))

    def visit_lanes(rows: Array, lanes: SampleLanes) -> None:
        distances[rows] = measure.distances_of_lanes(lanes)

    def visit_blocks(rows: slice | Array, V: Array) -> None:
        distances[rows] = measure.distances(V)

    network.visit(samples, visit_lanes, visit_blocks)
    return distances


@stored_record()
@dataclass(frozen=True, eq=False)
class FurtherAnswer:
    """Another way to the classes, and how much it counts.

    Parameters
    ----------
    network : Network
        Without layers: a lift, and the way of samples to the sphere.
    measure : AnswerMeasure
        What samples are measured by there.
    weight : float
        How much its distances count in the sum of all distances.
    """

    network: Network
    measure: AnswerMeasure
    weight: float

    def distances(self, samples: Array, n_classes: int) -> Array:
        """Distances of samples; a sample that no filter responds to is equally far from all classes."""
        distances = np.ones((len(samples), n_classes))

        def measure(rows: Array) -> None:
            distances[rows] = distances_by(self.network, self.measure, samples[rows], n_classes)

        distances[silent_rows(np.arange(len(samples)), measure)] = 1.0
        return distances

    def __repr__(self) -> str:
        return f"FurtherAnswer({self.network!r}, {self.measure.name!r}, weight={self.weight:.4g})"

    def check_stored(self, sample_shape: tuple[int, ...], n_classes: int, file_bytes: int) -> None:
        """Refuse an answer that came from a file and does not fit samples of this shape and so many classes."""
        expect(isinstance(self.network, Network), "a further answer has no network")
        expect(
            hasattr(self.measure, "residuals") and hasattr(self.measure, "left_out"), "a further answer has no measure"
        )
        expect(is_number(self.weight) and self.weight >= 0, "the weight of a further answer is no number >= 0")
        network = self.network
        network.check_stored(sample_shape, n_classes, file_bytes)
        kinds = {network.operator_kind(np.dtype(real)) for real in (np.float32, np.float64)}
        rank = getattr(self.measure, "rank", None)
        self.measure.check_stored((n_classes, *network.block_shape), kinds, rank)
        fits = np.allclose(self.measure.weights, network.geometry.norm_weights)
        expect(fits, "the weights of the frequencies do not fit")


def nearest_subspaces_of_filters(
    data: TrainingData,
    filters: Sequence[Lift],
    ranks: tuple[int, ...] | None,
    shown: Callable[[str], None] | None,
) -> tuple[Network, LeftOutAnswers, Callable[[int], NearestSubspaces]]:
    """Class subspaces of the responses to the best of several lifts: the way there, and what left-out samples say.

    Parameters
    ----------
    data : TrainingData
    filters : sequence of Lift
    ranks : tuple of int, optional
        Dimensions of subspaces to choose from; a short list by default.
    shown : callable, optional
        Told what is being looked at.

    Returns
    -------
    network : Network
    answers : LeftOutAnswers
    measure_of : callable
        The measure of a rank.
    """
    samples, labels, weights, groups = data.samples, data.labels, data.weights, data.groups
    if len(filters) > 1:
        least_rank = min(ranks or (1,))
        lift, _ = lift_by_evidence(samples, labels, weights, filters, least_rank, groups, shown, data.witnesses)
    else:
        lift = filters[0].fit_samples(samples, weights)
    network = Network.entrance(Geometry(lift.bank_.shape), samples, lift=lift.bank_)
    training = TrainingSet(network, samples, labels, weights, None, groups, data.witnesses)
    answers = left_out_answers(training, Choices(ranks, ()))
    moments = training.moments
    return network, answers, lambda rank: NearestSubspaces.of_moments(moments, MeasureOptions(1.0, int(rank)))
