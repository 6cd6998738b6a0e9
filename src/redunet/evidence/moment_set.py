"""Gathered moments at the entrance of a network: where evidence comes from when the samples themselves are gone."""

from ..fast.cached import cached_property
from ..inputs.labels import Labels
from ..measures.class_moments import ClassMoments
from ..measures.left_out import LeftOutSamples
from ..network.carried_moments import CarriedMoments
from ..network.network import Network
from ..numerics.arrays import Array
from .gathered_moments import GatheredMoments
from .training_set import TrainingSet


class MomentSet:
    """What :class:`redunet.evidence.training_set.TrainingSet` is to samples, for moments and a few samples.

    Parameters
    ----------
    network : Network
        Without layers.
    gathered : GatheredMoments
        Of classes that all have samples.
    classes : array, shape (n_classes,)
        Their labels.
    """

    def __init__(self, network: Network, gathered: GatheredMoments, classes: Array) -> None:
        self.network, self.gathered = network, gathered
        self.labels = Labels.of(classes, gathered.reservoir.codes)
        self.class_weight, self.sample_shape = gathered.class_weight, gathered.reservoir.samples.shape[1:]

    @cached_property
    def moments(self) -> ClassMoments:
        """Moments of the classes, of all samples that were ever seen."""
        return self.gathered.class_moments(self.network)

    def consume(self) -> CarriedMoments:
        """The moments, to be carried through layers."""
        return CarriedMoments(self.moments)

    @cached_property
    def some(self) -> LeftOutSamples:
        """The samples that were kept, at the entrance, sorted by class."""
        reservoir = self.gathered.reservoir
        order = self.labels.order
        V, n_independent = self.network.entered(reservoir.samples[order]), self.network.n_independent_channels
        return LeftOutSamples(V, reservoir.codes[order], reservoir.weights[order], self.moments, n_independent)

    def without(self, held_out: Array) -> tuple[CarriedMoments, ClassMoments]:
        """The moments of all samples but some of those that were kept (a bool array), to be carried through layers."""
        moments = self.some.moments_without(held_out)
        return CarriedMoments(moments), moments


# Where evidence comes from: samples, or their moments and a few of them.
Training = TrainingSet | MomentSet
