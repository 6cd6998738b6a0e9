"""Samples without labels on their way through the layers: each is a class with its views, hence few samples a class."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..fast.tiles import Tiles
from ..numerics.arrays import Array
from .layer import Layer
from .network import Network


class CarriedViews:
    """As many classes as there are samples, each of one sample and its views.

    Tiles have samples of one class each, and would be nearly empty here. So all classes share tiles, which every sample
    passes as a new sample would, and the second moments of the classes are computed from the features afterwards.

    Parameters
    ----------
    network : Network
        Without layers.
    V : array, shape (n_freqs, n_channels, n_classes · n_members)
        Samples at the entrance; those of one class stand together.
    class_weight : float array, shape (n_classes,)
        Total weight of each class, of which its members have equal shares.
    """

    STATE = Tiles.STATE

    def __init__(self, network: Network, V: Array, class_weight: Array) -> None:
        self.n_classes = len(class_weight)
        self.largest_class = V.shape[2] // self.n_classes
        self._member_weight = class_weight / self.largest_class
        self._tiles = network.tiles(np.array([0, V.shape[2]]), self.n_classes)
        self._tiles.fill(0, V)

    @property
    def dtype(self) -> np.dtype:
        """Precision of the features."""
        return self._tiles.dtype

    @property
    def paired(self) -> bool:
        """Whether channels are complex."""
        return self._tiles.paired

    def moments(self) -> Array:
        """Second moment of each class in double precision; shape (n_classes, n_freqs, n_channels, n_channels)."""
        return self._moments(self._tiles)

    def extrapolate(self, beta: float, weights: Array) -> Array:
        """Start the next layer from X + β (X − Y), Y the features before X; second moments of the classes there."""
        self._tiles.extrapolate(beta, weights)
        return self._moments(self._tiles.with_features(self._tiles.Y))

    def advance(self, layer: Layer, weights: Array, *, in_place: bool, exact_moments: bool = False) -> Array:
        """Carry all samples through a layer, and give the second moments of the classes of the result."""
        self._tiles.advance(layer, weights, in_place=in_place)
        return self._moments(self._tiles if in_place else self._tiles.with_features(self._tiles.Y))

    def accept(self) -> None:
        """Put the result of the last layer in the place of the features, and those in the place of the ones before."""
        self._tiles.accept()

    def carry(self, layers: Sequence[Layer], weights: Array, *, more_to_come: bool = False) -> None:
        """Carry all samples through layers that are there already."""
        self._tiles.carry(layers, weights, more_to_come=more_to_come)

    def state(self) -> dict[str, Array]:
        """Arrays by name: what :meth:`restore` goes on from."""
        return self._tiles.state()

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over what :meth:`state` gave."""
        self._tiles.restore(state)

    def _moments(self, tiles: Tiles) -> Array:
        """Second moments of the classes of features in tiles."""
        k, n = self.n_classes, self.largest_class
        V = tiles.blocks(0, k * n)
        members = V.reshape(*V.shape[:2], k, n).transpose(2, 0, 1, 3)
        members = members.astype(np.result_type(V.dtype, np.float64))
        return np.asarray((members * self._member_weight[:, None, None, None]) @ members.conj().swapaxes(2, 3))
