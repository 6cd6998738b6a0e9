"""Class moments on their way through the layers: a construction whose cost does not depend on the number of samples.

With the true label of every sample a layer acts linearly within a class, v → T_j v with T_j = I + η (E − γ_j C_j), so
that M_j → T_j M_j T_j*. Features are brought back to the sphere class by class, in the mean, and not sample by sample.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ..measures.class_moments import ClassMoments
from ..numerics.arrays import Array
from ..numerics.linear_layers import brought_to_sphere, carried, layer_of_class
from .layer import Layer


class CarriedMoments:
    """The second moments of the classes, and the linear map that the layers so far are to the samples of each class.

    Parameters
    ----------
    moments : ClassMoments
        Of the samples at the entrance.
    """

    # Names of the arrays that say where the features are.
    STATE = ("X", "Y")

    def __init__(self, moments: ClassMoments) -> None:
        self.begin = moments
        k, n_freqs, C, _ = moments.M.shape
        self.X: Array = np.broadcast_to(np.eye(C, dtype=moments.M.dtype), (k, n_freqs, C, C)).copy()
        self.Y: Array = self.X.copy()
        self._M = moments.M

    @property
    def dtype(self) -> np.dtype:
        """Precision of the features, which layers are stored in, too."""
        return self.begin.space.dtype

    @property
    def paired(self) -> bool:
        """Whether channels are complex."""
        return np.iscomplexobj(self.begin.M)

    def moments(self) -> Array:
        """Second moment of each class; shape (n_classes, n_freqs, n_channels, n_channels)."""
        return self._M

    def extrapolate(self, beta: float, weights: Array) -> Array:
        """Start the next layer from X + β (X − Y), Y the features before X; second moments of the classes there."""
        self.Y, M = self._on_sphere(self.X + beta * (self.X - self.Y), weights)
        return M

    def advance(self, layer: Layer, weights: Array, *, in_place: bool, exact_moments: bool = False) -> Array:
        """Carry the moments through a layer, and give those of the result; they are always exact."""
        source = self.Y if layer.momentum else self.X
        maps = layer_of_class(layer.expansion, layer.compression, layer.class_share, layer.step_size)
        target, M = self._on_sphere(maps @ source, weights)
        if in_place:
            self.X, self._M = target, M
        else:
            self.Y, self._M_next = target, M
        return M

    def accept(self) -> None:
        """Put the result of the last layer in the place of the features, and those in the place of the ones before."""
        self.X, self.Y, self._M = self.Y, self.X, self._M_next

    def carry(self, layers: Sequence[Layer], weights: Array, *, more_to_come: bool = False) -> None:
        """Carry the moments through layers that are there already."""
        for layer in layers:
            if layer.momentum:
                self.extrapolate(layer.momentum, weights)
            self.advance(layer, weights, in_place=False)
            self.accept()

    def state(self) -> dict[str, Array]:
        """The maps as they are, and those before them: what :meth:`restore` goes on from."""
        return {"X": self.X, "Y": self.Y}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over the maps of the same construction, as :meth:`state` gave them."""
        for name in self.STATE:
            if state[name].shape != self.X.shape or state[name].dtype != self.X.dtype:
                raise ValueError("maps of another shape")
        self.X, self.Y = (np.array(state[name]) for name in self.STATE)
        self._M = carried(self.begin.M, self.X)

    def _on_sphere(self, maps: Array, weights: Array) -> tuple[Array, Array]:
        """Maps whose features have the mean square norm 1 in each class, and the moments of these features."""
        return brought_to_sphere(maps, carried(self.begin.M, maps), self.begin.class_weight, weights)
