"""One layer of the network, a frozen record."""

from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..numerics.membership import code_length, rectified_residual, soft_membership
from ..numerics.spectrum import squared_norms
from ..numerics.step import extrapolate, increment, layer_step
from ..numerics.subspaces import energy_outside


@dataclass(frozen=True, eq=False)
class Layer:
    """Operators and constants of one layer; all that a new sample needs to pass it.

    Parameters
    ----------
    expansion : array, shape (n_freqs, n_channels, n_channels)
        E, which pushes all features apart.
    compression : array, shape (n_classes, n_freqs, n_channels, n_channels)
        C_j, which pulls the features of class j together.
    class_share : float array, shape (n_classes,)
        γ_j, the share of class j in the training samples.
    step_size : float
        η.
    sharpness : float
        λ of the soft membership.
    residual_unit : float array, shape (n_classes,)
        What the residual of a class is measured in: α_j (exact convention) or 1 (published) for ‖C_j v‖, 1 for the
        distance to a subspace, the unit of a code length for "code", α_j for "relu".
    momentum : float
        β: the layer starts from features carried on by β times their last step; 0 starts from the features themselves.
    membership : "softmax", "subspace", "code" or "relu"
        How the layer guesses the class of a sample.
    residual_offset : float array, shape (n_classes,), optional
        What is added to the residual: for "code", the log-determinants.
    subspaces : array, shape (n_classes, n_freqs, n_channels, rank), optional
        Bases of the class subspaces, for "subspace".
    grid : tuple of int
        Lengths of the cyclic axes, which "relu" needs.
    """

    expansion: Array
    compression: Array
    class_share: Array
    step_size: float
    sharpness: float
    residual_unit: Array
    momentum: float = 0.0
    membership: str = "softmax"
    residual_offset: Array | None = None
    subspaces: Array | None = None
    grid: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.residual_offset is None:
            object.__setattr__(self, "residual_offset", np.zeros(len(self.class_share)))
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # unpickled arrays are writeable

    def residuals(self, V: Array, P: Array, weights: Array) -> Array:
        """What the guess is made from: how badly each class explains each sample; shape (n_classes, n_samples).

        A norm or a distance; for "code" a code length per coefficient, which may be negative.

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
        P : array, shape (n_classes, n_freqs, n_channels, n_samples)
            Compressed samples C_j V.
        weights : float array, shape (n_freqs,)
            Parseval weights.
        """
        if self.membership == "code":
            assert self.residual_offset is not None
            return code_length(V, P, self.residual_unit, self.residual_offset, weights)
        if self.membership == "subspace":
            assert self.subspaces is not None
            return np.sqrt(energy_outside(self.subspaces, V, weights)).T
        return np.sqrt(squared_norms(P, weights)) / self.residual_unit[:, None]

    def __call__(self, V: Array, weights: Array, V_before: Array | None = None) -> Array:
        """Features after this layer, written to be read; the network itself takes the fast way through tiles.

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
            Features before this layer.
        weights : float array, shape (n_freqs,)
            Parseval weights.
        V_before : array of the shape of V, optional
            Features one layer earlier, which a layer with momentum needs.
        """
        if self.momentum and V_before is not None:
            V = extrapolate(V, V_before, self.momentum, weights)
        P = self.compression @ V
        if self.membership == "relu":
            # With the right guess the pull is γ_j C_j v, and γ_j α_j is the same number α for every class.
            alpha = V.real.dtype.type(self.class_share[0] * self.residual_unit[0])
            direction = self.expansion @ V - alpha * rectified_residual(V, P, self.residual_unit, self.grid)
        else:
            membership = soft_membership(self.residuals(V, P, weights), self.sharpness)
            direction = increment(V, self.expansion, P, self.class_share, membership)
        return layer_step(V, direction, self.step_size, weights)

    def __repr__(self) -> str:
        n_classes, n_freqs, n_channels, _ = self.compression.shape
        return (
            f"Layer({n_classes} classes, {n_freqs} frequencies, {n_channels} channels, step_size={self.step_size:.4g})"
        )
