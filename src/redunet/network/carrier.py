"""What a construction carries through the layers that it builds: features, or their moments alone."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from ..numerics.arrays import Array
from .layer import Layer


class Carrier(Protocol):
    """Training samples on their way through the layers.

    :class:`redunet.fast.tiles.Tiles` carries the samples themselves, each by what the layers guess of it;
    :class:`redunet.network.carried_moments.CarriedMoments` carries the moments of the classes.
    """

    @property
    def dtype(self) -> np.dtype:
        """Precision of the features, which layers are stored in, too."""

    @property
    def paired(self) -> bool:
        """Whether channels are complex."""

    def moments(self) -> Array:
        """Second moment of each class in double precision; shape (n_classes, n_freqs, n_channels, n_channels)."""

    def extrapolate(self, beta: float, weights: Array) -> Array:
        """Start the next layer from X + β (X − Y), Y the features before X; second moments of the classes there."""

    def advance(self, layer: Layer, weights: Array, *, in_place: bool, exact_moments: bool = False) -> Array:
        """Carry all samples through a layer, and give the second moments of the classes of the result."""

    def accept(self) -> None:
        """Put the result of the last layer in the place of the features, and those in the place of the ones before."""

    def carry(self, layers: Sequence[Layer], weights: Array, *, more_to_come: bool = False) -> None:
        """Carry all samples through layers that are there already."""

    def state(self) -> dict[str, Array]:
        """Arrays by name: what :meth:`restore` goes on from."""

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over what :meth:`state` gave."""

    @property
    def STATE(self) -> tuple[str, ...]:  # noqa: N802 - a constant
        """Names of the arrays that the state may have."""
