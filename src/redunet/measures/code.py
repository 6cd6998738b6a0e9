"""The code length: the class whose code book describes a sample in the fewest nats, log-determinant included."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from ..fast.cached import cached_property
from ..fast.row_layout import KernelMeasure, RowLayout
from ..numerics.arrays import Array, single_of
from ..numerics.without_one_sample import code_without
from ..storage.expectations import expect, expect_numbers
from ..storage.stored_types import stored_record
from .class_moments import ClassMoments
from .left_out import Choices, ClassView, LeftOut, LeftOutSamples
from .measure import AnswerMeasure, Contrast, MeasureOptions, applied_by_class, expect_measure, numbers_of_classes

# Distortions ε to choose from.
EPS_CHOICES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)


@stored_record()
@dataclass(frozen=True, eq=False)
class CodeBooks(AnswerMeasure):
    """A code book for each class: how long the code of a sample is, per coefficient.

    Unlike a subspace it sees how much energy a class has at each frequency, not its directions alone.

    Parameters
    ----------
    compression : array, shape (n_classes, n_freqs, n_channels, n_channels)
        C_j = α_j (I + α_j M_j)⁻¹.
    unit, offset : float array, shape (n_classes,)
        The length is v* C_j v / unit_j + offset_j.
    weights : float array, shape (n_freqs,)
        Parseval weights.
    """

    compression: Array
    unit: Array
    offset: Array
    weights: Array

    name = answered_by = "code"

    @classmethod
    def of_moments(cls, moments: ClassMoments, options: MeasureOptions, kind: np.dtype | None = None) -> Self:
        """Code books of distortion ε."""
        space = moments.space
        compression, logdets = moments.compressions(options.eps, kind or moments.M.dtype)
        unit = space.n_coefficients / moments.class_weight
        return cls(compression, unit, logdets @ space.rate_weights / space.dimension, space.norm_weights)

    def residuals(self, V: Array) -> Array:
        """Length of the code of each sample with each code book, which may be negative; (n_classes, n_samples)."""
        from ..fast.kernels import weighted_products

        products = np.empty((len(self.compression), V.shape[2]))
        V = np.ascontiguousarray(V)
        for j, C_j in enumerate(self._single if V.real.itemsize == 4 else self.compression):
            weighted_products(V, C_j @ V, self.weights, products[j])
        return products / self.unit[:, None] + self.offset[:, None]

    @cached_property
    def _single(self) -> Array:
        """The compressions in single precision."""
        return self.compression.astype(single_of(self.compression.dtype), copy=False)

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def contrast(self, V: Array, nearest: Array, other: Array) -> Contrast:
        """The difference of two quadratic forms, and of two log-determinants, which do not depend on the sample."""
        V = V.astype(np.result_type(V.dtype, np.float64))
        weights = applied_by_class(self._coded, V, other) - applied_by_class(self._coded, V, nearest)
        return Contrast(weights, self.offset[other] - self.offset[nearest])

    def _coded(self, j: int, V: Array) -> Array:
        """Samples (n_freqs, n_channels, n) compressed by class j, in its unit."""
        coded: Array = self.compression[j] @ V / self.unit[j]
        return coded

    def for_kernel(self, layout: RowLayout) -> KernelMeasure:
        """The quadratic form of the compressions that the layer has anyway."""
        return KernelMeasure(self.unit, self.offset, True, layout.no_probes())

    @classmethod
    def left_out(cls, samples: LeftOutSamples, choices: Choices) -> "CodesLeftOut | None":
        """Code lengths by code books that have not seen a sample, for every ε."""
        eps = EPS_CHOICES if choices.eps is None else choices.eps
        return CodesLeftOut(samples, eps) if eps else None

    def layer_fields(self) -> dict[str, Array]:
        """Unit and offset; the compressions are stored by the layer."""
        return numbers_of_classes(self.unit, self.offset)

    @classmethod
    def of_layer_fields(
        cls, fields: Mapping[str, Array], compression: Array, weights: Array, grid: tuple[int, ...]
    ) -> Self:
        """Code books of a layer that was stored."""
        return cls(compression, fields["residual_unit"], fields["residual_offset"], weights)

    def page_data(self) -> dict[str, Any]:
        """Unit, offset and compressions; a layer of the page has the same compressions already."""
        return {"name": self.name, "unit": self.unit, "offset": self.offset, "compression": self.compression}

    def in_short(self, eps: float) -> str:
        """The distortion of the codes."""
        return f"code length, ε = {eps:g}"

    def in_words(self, eps: float) -> str:
        """What the nearest class is, as the end of a sentence."""
        return f"the class with the shortest code at ε = {eps:g}"

    def check_stored(self, shape: tuple[int, int, int], kinds: set[str], rank: int | None) -> None:
        """Refuse code books that came from a file and do not fit features of this shape."""
        expect_measure(self.compression, self.weights, shape[1], kinds)
        expect(self.compression.shape == (*shape, shape[2]), "the code books do not fit")
        for numbers in (self.unit, self.offset):
            expect_numbers(numbers, shape[:1], "the code books")
        expect(bool((self.unit > 0).all()), "the units of the codes are not > 0")
        expect(rank is None, "rank_ is not that of the answers")


class CodesLeftOut(LeftOut):
    """Code lengths of samples by code books that have not seen them, exact for every ε (Sherman and Morrison)."""

    option = "eps"
    has_scale = False

    def measures(self, moments: ClassMoments) -> Iterator[CodeBooks]:
        """The measure by classes of other moments, for each value."""
        return (CodeBooks.of_moments(moments, MeasureOptions(float(eps))) for eps in self.values)

    def distances(self, view: ClassView) -> Array:
        """Code lengths with one code book; shape (n_eps, n)."""
        class_weight = self.samples.moments.class_weight[view.j]
        lengths = np.empty((len(self.values), len(view.own)))
        # Without a sample the class has less weight, too; samples of equal weight are done together.
        of_weight = [(weight, np.flatnonzero(view.own)[view.once == weight]) for weight in np.unique(view.once)]
        for i, eps in enumerate(self.values):
            lengths[i] = self._lengths(view, slice(None), class_weight, eps)
            for weight, mine in of_weight:
                lengths[i, mine] = self._lengths(view, mine, class_weight - weight, eps, without=weight)
        return lengths

    def _lengths(self, view: ClassView, some: Any, weight: float, eps: float, without: float = 0.0) -> Array:
        """Code lengths of some samples of a view, each left out so often, with a class of so much weight; (n,)."""
        energies, eigenvalues, space = view.energies[:, :, some], view.eigenvalues, self.samples.moments.space
        n_samples = energies.shape[2]
        if weight <= 0:  # nothing is left of the class
            return np.full(n_samples, np.inf)
        inverse_alpha = weight * eps**2 / space.dimension
        leverage = np.einsum("pc,pci->pi", 1 / (eigenvalues + inverse_alpha), energies)
        if view.has_other_directions:
            leverage += view.energies_outside[:, some] / inverse_alpha
        logdet = space.rate_weights @ np.log1p(eigenvalues / inverse_alpha).sum(axis=1)
        quadratic, change = code_without(leverage, np.full(n_samples, without), space.norm_weights, space.rate_weights)
        return quadratic * weight / space.n_coefficients + (logdet + change) / space.dimension
