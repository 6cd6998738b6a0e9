"""One layer of the network, a frozen record."""

from dataclasses import dataclass

import numpy as np

from ..fast.row_layout import KernelMeasure, RowLayout
from ..measures.measure import Measure
from ..numerics.arrays import Array, ArrayRecord
from ..numerics.step import extrapolate, layer_step


@dataclass(frozen=True, eq=False)
class Layer(ArrayRecord):
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
    measure : Measure
        What the layer guesses the class of a sample by.
    momentum : float
        β: the layer starts from features carried on by β times their last step; 0 starts from the features themselves.
    """

    expansion: Array
    compression: Array
    class_share: Array
    step_size: float
    sharpness: float
    measure: Measure
    momentum: float = 0.0

    def __post_init__(self) -> None:
        for value in (*vars(self).values(), *vars(self.measure).values()):
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # unpickled arrays are writeable

    def __call__(self, V: Array, weights: Array, V_before: Array | None = None) -> Array:
        """Features after this layer (eq. 13), written to be read; the network itself takes the fast way through tiles.

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
        direction = self.expansion @ V - self.measure.pull(V, P, self.class_share, self.sharpness)
        return layer_step(V, direction, self.step_size, weights)

    def for_kernel(self, layout: RowLayout) -> KernelMeasure | None:
        """What the compiled layer needs of the measure; None where the layer has to be called itself."""
        return self.measure.for_kernel(layout)

    def __repr__(self) -> str:
        n_classes, n_freqs, n_channels, _ = self.compression.shape
        return (
            f"Layer({n_classes} classes, {n_freqs} frequencies, {n_channels} channels, step_size={self.step_size:.4g})"
        )
