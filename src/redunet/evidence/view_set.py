"""Samples without labels at the entrance of a network, each a class with its views."""

import numpy as np

from ..fast.cached import cached_property
from ..inputs.labels import Labels
from ..measures.class_moments import ClassMoments
from ..network.carried_views import CarriedViews
from ..network.network import Network
from ..numerics.arrays import Array


class ViewSet:
    """What :class:`redunet.evidence.training_set.TrainingSet` is to samples with labels, for samples without.

    There is nothing to leave out: a class without its sample is none. So no evidence comes from here.

    Parameters
    ----------
    network : Network
        Without layers.
    samples : array, shape (n_samples, *sample_shape)
        The members of each class one after the other, as many in each.
    labels : Labels
    sample_weight : float array, shape (n_samples,)
        The same for all members of a class.
    """

    def __init__(self, network: Network, samples: Array, labels: Labels, sample_weight: Array) -> None:
        self.network, self.labels, self.sample_shape = network, labels, samples.shape[1:]
        self.class_weight = np.bincount(labels.codes, sample_weight)
        self._carried: CarriedViews | None = CarriedViews(network, network.entered(samples), self.class_weight)

    @cached_property
    def moments(self) -> ClassMoments:
        """Moments of the classes."""
        assert self._carried is not None, "the samples of this set were consumed by a construction"
        carried = self._carried
        return ClassMoments(carried.moments(), self.class_weight, self.network.space, carried.largest_class)

    def consume(self) -> CarriedViews:
        """The samples, to be overwritten: a network is built from them, and this set has them no more."""
        assert self._carried is not None, "the samples of this set were consumed by a construction"
        carried, self._carried = self._carried, None
        return carried
