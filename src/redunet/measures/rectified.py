"""Rectified linear units: what no class explains, by soft projections that are cut at zero (the paper's Remark)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..numerics.arrays import Array
from ..numerics.membership import rectified_residual, residual_norms
from .class_moments import ClassMoments
from .measure import Measure, MeasureOptions, numbers_of_classes


@dataclass(frozen=True, eq=False)
class RectifiedProjections(Measure):
    """Projections onto the classes, cut at zero, and subtracted from a sample all at once: no class is guessed.

    Parameters
    ----------
    compression : array, shape (n_classes, n_freqs, n_channels, n_channels)
        C_j = α_j (I + α_j M_j)⁻¹; the projection is v − C_j v / α_j.
    unit : float array, shape (n_classes,)
        α_j.
    weights : float array, shape (n_freqs,)
        Parseval weights.
    grid : tuple of int
        Lengths of the cyclic axes: units act on a sample, not on its spectrum.
    """

    compression: Array
    unit: Array
    weights: Array
    grid: tuple[int, ...]

    name = "relu"
    answered_by = "subspace"
    # Each coordinate is cut at zero by itself, so that the coordinates have a meaning of their own.
    free_of_basis = False

    @classmethod
    def of_moments(cls, moments: ClassMoments, options: MeasureOptions, kind: np.dtype | None = None) -> Self:
        """Projections by the compressions of a layer."""
        compression, _ = moments.compressions(options.eps, kind or moments.M.dtype)
        return cls(compression, moments.class_alpha(options.eps), moments.space.norm_weights, moments.space.grid)

    def residuals(self, V: Array) -> Array:
        """Norm of what the projection onto each class leaves of each sample; shape (n_classes, n_samples)."""
        return residual_norms(self.compression @ V, self.unit, self.weights)

    def pull(self, V: Array, P: Array, class_share: Array, sharpness: float) -> Array:
        """What no class explains, times α."""
        # With the right guess the pull is γ_j C_j v, and γ_j α_j is the same number α for every class.
        alpha = V.real.dtype.type(class_share[0] * self.unit[0])
        return alpha * rectified_residual(V, P, self.unit, self.grid)

    def layer_fields(self) -> dict[str, Array]:
        """The unit; the compressions are stored by the layer."""
        return numbers_of_classes(self.unit)

    @classmethod
    def of_layer_fields(
        cls, fields: Mapping[str, Array], compression: Array, weights: Array, grid: tuple[int, ...]
    ) -> Self:
        """Projections of a layer that was stored."""
        return cls(compression, fields["residual_unit"], weights, grid)

    def page_data(self) -> dict[str, Any]:
        """The unit; the page has the compressions of the layer."""
        return {"name": self.name, "unit": self.unit}
