"""The training samples at the entrance of a network: where all evidence comes from."""

from itertools import pairwise

import numpy as np

from ..fast.cached import cached_property
from ..fast.tiles import Tiles
from ..inputs.labels import Labels
from ..measures.class_moments import ClassMoments
from ..measures.left_out import LeftOutSamples
from ..network.network import Network
from ..numerics.arrays import Array

# Evidence is taken from at most so many samples, evenly spaced within their classes.
SAMPLES_FOR_EVIDENCE = 2000


class TrainingSet:
    """Training samples of positive weight at the entrance of a network, sorted by class; nothing here is overwritten.

    Parameters
    ----------
    network : Network
        Without layers.
    samples : array, shape (n_samples, *sample_shape)
    labels : Labels
    sample_weight : float array, shape (n_samples,)
    vectors : array, shape (n_samples, n_features + 1), optional
        What an invariant lift makes of the samples, where that is known already.
    groups : int array, shape (n_samples,), optional
        Number of the group of each sample, where whole groups are to be left out.
    witnesses : bool array, shape (n_samples,), optional
        Samples that evidence may be taken from, where it is not all of them: those whose labels were given.
    """

    def __init__(
        self,
        network: Network,
        samples: Array,
        labels: Labels,
        sample_weight: Array,
        vectors: Array | None = None,
        groups: Array | None = None,
        witnesses: Array | None = None,
    ) -> None:
        self.groups = None if groups is None else groups[labels.order]
        self.witnesses = None if witnesses is None else witnesses[labels.order]
        self.network, self.labels, self.sample_shape = network, labels, samples.shape[1:]
        self.bounds, self.weights = labels.bounds, sample_weight[labels.order]
        self._tiles: Tiles | None = network.training_tiles(samples, labels, sample_weight, vectors)

    @property
    def tiles(self) -> Tiles:
        """The samples themselves, to be read; :meth:`consume` is for whoever builds from them."""
        assert self._tiles is not None, "the samples of this training set were consumed by a construction"
        return self._tiles

    def consume(self) -> Tiles:
        """The samples, to be overwritten: a network is built from them, and this set has them no more."""
        tiles, self._tiles = self.tiles, None
        return tiles

    @property
    def codes(self) -> Array:
        """Class of each sample."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    @cached_property
    def class_weight(self) -> Array:
        """Total weight of each class."""
        return np.add.reduceat(self.weights, self.bounds[:-1])

    @cached_property
    def moments(self) -> ClassMoments:
        """Moments of the classes."""
        return self.network.class_moments(self.tiles, self.class_weight)

    @cached_property
    def some(self) -> LeftOutSamples:
        """Samples that evidence is taken from: all, or so many of each class that it takes seconds."""
        chosen = self._numbers_of_some
        return LeftOutSamples(
            self.tiles.chosen(chosen),
            self.codes[chosen],
            self.weights[chosen],
            self.moments,
            self.network.n_independent_channels,
            None if self.groups is None else self.groups[chosen],
        )

    @property
    def _numbers_of_some(self) -> Array:
        """Numbers of the samples that evidence is taken from."""
        if self.witnesses is None:
            return some_of_each_class(self.bounds, SAMPLES_FOR_EVIDENCE)
        numbers = np.flatnonzero(self.witnesses)
        bounds = np.searchsorted(self.codes[numbers], np.arange(len(self.bounds)))
        return numbers[some_of_each_class(bounds, SAMPLES_FOR_EVIDENCE)]

    def without(self, held_out: Array) -> tuple[Tiles, ClassMoments]:
        """The samples that evidence is taken from, but some of them (a bool array), to be carried through layers.

        Samples that are no witnesses are carried along, all of them.
        """
        if self.witnesses is None:
            return tiles_without(self.network, self.some, held_out)
        every = np.ones(len(self.witnesses), dtype=bool)
        every[self._numbers_of_some[held_out]] = False
        V = self.tiles.chosen(np.arange(len(every)))
        everyone = LeftOutSamples(V, self.codes, self.weights, self.moments, self.network.n_independent_channels)
        return tiles_without(self.network, everyone, ~every)


def tiles_without(network: Network, some: LeftOutSamples, held_out: Array) -> tuple[Tiles, ClassMoments]:
    """Samples at the entrance of a network but those held out (a bool array), and the moments of their classes."""
    used = ~held_out
    codes, weights = some.codes[used], some.sample_weight[used]
    k = int(some.codes.max()) + 1
    tiles = network.tiles(np.searchsorted(codes, np.arange(k + 1)), k)
    tiles.fill(0, some.V[:, :, used], weights)
    return tiles, network.class_moments(tiles, np.bincount(codes, weights))


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
