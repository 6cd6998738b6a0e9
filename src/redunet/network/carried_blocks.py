"""Blocks of samples on their way through the layers, each by tasks of its own, here or on other machines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..fast.blas import single_threaded
from ..fast.block_tasks import BlockTasks, put_together
from ..fast.tiles import Tiles
from ..inputs.labels import Labels
from ..numerics.arrays import Array, ArrayRecord
from .layer import Layer
from .network import Network


@dataclass(frozen=True, eq=False)
class CarriedBlock(ArrayRecord):
    """The samples of one block somewhere in a network, and the moments of their classes there.

    Parameters
    ----------
    tiles : Tiles
        Of the classes that the block has samples of.
    present : int array, shape (n_present,)
        Numbers of these classes.
    n_classes : int
        Of the whole training set.
    M : array, shape (n_present, n_freqs, n_channels, n_channels), optional
        Second moments of these classes, where they are known.
    """

    tiles: Tiles
    present: Array
    n_classes: int
    M: Array | None = None

    def moments(self) -> Array:
        """Second moments of all classes, zero where the block has no samples."""
        some = self.tiles.moments() if self.M is None else self.M
        M = np.zeros((self.n_classes, *some.shape[1:]), dtype=some.dtype)
        M[self.present] = some
        return M


# What a block without samples is.
Carried = CarriedBlock | None


def entered(network: Network, samples: Array, codes: Array, weights: Array, n_classes: int) -> Carried:
    """Samples of positive weight at the entrance of a network, with numbers of their classes.

    Parameters
    ----------
    network : Network
        Without layers.
    samples : array, shape (n_samples, *sample_shape)
    codes : int array, shape (n_samples,)
    weights : float array, shape (n_samples,)
    n_classes : int
        Of the whole training set.
    """
    if not len(samples):
        return None
    present, inside = np.unique(codes, return_inverse=True)
    with single_threaded():
        tiles = network.training_tiles(samples, Labels.of(present, inside), weights, n_classes=n_classes)
        return CarriedBlock(tiles, present, n_classes, tiles.moments())


def after_layer(block: Carried, layer: Layer, weights: Array, exact_moments: bool) -> Carried:
    """A block after a layer that starts from its features."""
    if block is None:
        return None
    with single_threaded():
        tiles, M = block.tiles.after(layer, weights, exact_moments=exact_moments)
    return CarriedBlock(tiles, block.present, block.n_classes, M)


def carried_on(block: Carried, before: Carried, beta: float, weights: Array) -> Carried:
    """A block at X + β (X − Y), Y its features before the last layer."""
    if block is None or before is None:
        return None
    with single_threaded():
        return CarriedBlock(block.tiles.carried_on(before.tiles, beta, weights), block.present, block.n_classes)


def moments_of(block: Carried) -> Array | None:
    """Second moments of all classes in a block; None for a block without samples."""
    if block is None:
        return None
    with single_threaded():
        return block.moments()


def exact_moments_of(block: Carried) -> Array | None:
    """Second moments of all classes in a block, summed in double precision; None for a block without samples."""
    if block is None:
        return None
    with single_threaded():
        return CarriedBlock(block.tiles, block.present, block.n_classes).moments()


def summed(parts: Sequence[Array | None]) -> Array | None:
    """The sum of moments in their order; None where no block has samples."""
    total: Array | None = None
    for part in parts:
        if part is not None:
            total = part.copy() if total is None else total + part
    return total


class CarriedBlocks:
    """Training samples in blocks, each carried through the layers by a task for each layer.

    The features of a block after a layer come from its features after the layer before. Where they are lost, the tasks
    that gave them are done again, from the samples on.

    Parameters
    ----------
    tasks : BlockTasks
    blocks : sequence of handles of CarriedBlock
        At the entrance.
    network : Network
        Whose entrance it is.
    keeps_features_before : bool
        Whether features before the last layer are needed, as layers with momentum do.
    """

    # Features stay with those who do the tasks; they are not written to files.
    STATE: tuple[str, ...] = ()

    def __init__(self, tasks: BlockTasks, blocks: Sequence[Any], network: Network, keeps_features_before: bool) -> None:
        self.tasks, self.keeps_features_before = tasks, keeps_features_before
        self.dtype, self.paired = np.dtype(network.dtype), bool(network.geometry.grid)
        self.X: list[Any] = list(blocks)
        self.Y: list[Any] = []

    def moments(self) -> Array:
        """Second moment of each class in double precision; shape (n_classes, n_freqs, n_channels, n_channels)."""
        return self._total(exact_moments_of, self.X)

    def extrapolate(self, beta: float, weights: Array) -> Array:
        """Start the next layer from X + β (X − Y), Y the features before X; second moments of the classes there."""
        self._carry_on(beta, weights)
        return self._total(moments_of, self.Y)

    def advance(self, layer: Layer, weights: Array, *, in_place: bool, exact_moments: bool = False) -> Array:
        """Carry all samples through a layer, and give the second moments of the classes of the result."""
        target = self._after(layer, weights, exact_moments)
        if in_place:
            self.X = target
        else:
            self.Y = target
        return self._total(moments_of, target)

    def accept(self) -> None:
        """Put the result of the last layer in the place of the features, and those in the place of the ones before."""
        self.X, self.Y = self.Y, self.X if self.keeps_features_before else []

    def carry(self, layers: Sequence[Layer], weights: Array, *, more_to_come: bool = False) -> None:
        """Carry all samples through layers that are there already."""
        for layer in layers:
            if layer.momentum:
                self._carry_on(layer.momentum, weights)
            self.Y = self._after(layer, weights, False)
            self.accept()

    def state(self) -> dict[str, Array]:
        """Nothing: features are computed again from the samples and the layers."""
        return {}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Nothing to take over; :meth:`carry` brings the features back."""

    def _carry_on(self, beta: float, weights: Array) -> None:
        pairs = zip(self.X, self.Y, strict=True)
        self.Y = self.tasks.keep([self.tasks.call(carried_on, now, before, beta, weights) for now, before in pairs])

    def _after(self, layer: Layer, weights: Array, exact_moments: bool) -> list[Any]:
        """Handles of all blocks after a layer."""
        source, shared = self.Y if layer.momentum else self.X, self.tasks.share(layer)
        if not layer.momentum:
            self.Y = []  # not needed any more, and their memory is
        calls = [self.tasks.call(after_layer, block, shared, weights, exact_moments) for block in source]
        return self.tasks.keep(calls)

    def _total(self, moments: Any, blocks: Sequence[Any]) -> Array:
        total = put_together(self.tasks, summed, [self.tasks.call(moments, block) for block in blocks])
        assert total is not None, "no block has samples"
        return np.asarray(total)
