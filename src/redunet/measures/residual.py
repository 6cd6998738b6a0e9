"""The residual norm ‖C_j v‖: what the compression of a class leaves of a sample; the paper's own guess."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..fast.row_layout import KernelMeasure, RowLayout
from ..numerics.arrays import Array
from ..numerics.membership import residual_norms
from .class_moments import ClassMoments
from .measure import Measure, MeasureOptions, numbers_of_classes


@dataclass(frozen=True, eq=False)
class ResidualNorms(Measure):
    """How much of a sample the ridge regression on a class leaves, ‖C_j v‖ (the formula before eq. 12).

    Parameters
    ----------
    compression : array, shape (n_classes, n_freqs, n_channels, n_channels)
        C_j = α_j (I + α_j M_j)⁻¹.
    unit : float array, shape (n_classes,)
        What the norm is measured in: α_j, so that it lies in [0, 1] (exact convention), or 1 (published).
    weights : float array, shape (n_freqs,)
        Parseval weights.
    """

    compression: Array
    unit: Array
    weights: Array

    name = "softmax"
    answered_by = "subspace"

    @classmethod
    def of_moments(cls, moments: ClassMoments, options: MeasureOptions, kind: np.dtype | None = None) -> Self:
        """Residual norms by the compressions of a layer."""
        alpha = moments.class_alpha(options.eps)
        compression, _ = moments.compressions(options.eps, kind or moments.M.dtype)
        unit = alpha if options.relative_residual else np.ones(len(alpha))
        return cls(compression, unit, moments.space.norm_weights)

    def residuals(self, V: Array) -> Array:
        """Norm of what each class leaves of each sample, in its unit; shape (n_classes, n_samples)."""
        return residual_norms(self.compression @ V, self.unit, self.weights)

    def for_kernel(self, layout: RowLayout) -> KernelMeasure:
        """The compressions that the layer has anyway."""
        return KernelMeasure(self.unit, np.zeros(len(self.unit)), False, layout.no_probes())

    def layer_fields(self) -> dict[str, Array]:
        """The unit; the compressions are stored by the layer."""
        return numbers_of_classes(self.unit)

    @classmethod
    def of_layer_fields(
        cls, fields: Mapping[str, Array], compression: Array, weights: Array, grid: tuple[int, ...]
    ) -> Self:
        """Residual norms of a layer that was stored."""
        return cls(compression, fields["residual_unit"], weights)

    def page_data(self) -> dict[str, Any]:
        """The unit; the page has the compressions of the layer."""
        return {"name": self.name, "unit": self.unit}
