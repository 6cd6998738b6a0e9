"""A ridge regression on the labels: how far the predicted indicator of a class is from one. For plain vectors."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..fast.threads import run_parts
from ..inputs.errors import InputError, Option
from ..numerics.arrays import Array
from ..storage.expectations import expect
from ..storage.stored_types import stored_record
from .class_moments import ClassMoments, FeatureSpace
from .left_out import Choices, ClassView, LeftOut, LeftOutSamples
from .measure import AnswerMeasure, Contrast, MeasureOptions, SpanOfVectors, expect_measure, numbers_of_classes, rounded

# Ridges to choose from, in units of the mean eigenvalue of the directions that the samples have.
RIDGE_CHOICES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
# Samples of so many features are worth a few at a time for each core, always the same ones.
MANY_FEATURES, SAMPLES_PER_PART = 1024, 16


@stored_record()
@dataclass(frozen=True, eq=False)
class LabelRegression(AnswerMeasure):
    """What a ridge regression of the labels on the features says of a sample.

    Vectors have a constant coordinate u (``affine=True``). What is predicted for class j is u for its own samples and 0
    for all others; the coefficients M_j u E need nothing but class moments, since M_j u is the sum over the class of
    u · v, and the expansion E is the ridge operator. The predictions of all classes add up to about u.

    Parameters
    ----------
    coefficients : array, shape (n_classes, n_freqs, n_channels)
        With n_freqs = 1.
    weights : float array, shape (n_freqs,)
        Parseval weights.
    """

    coefficients: Array
    weights: Array

    name = answered_by = "regression"
    stored_arrays = ("coefficients",)
    takes_single_samples = is_linear = True

    @classmethod
    def of_moments(cls, moments: ClassMoments, options: MeasureOptions, kind: np.dtype | None = None) -> Self:
        """The regression that class moments determine, with the ridge 1/α of the expansion."""
        E = moments.expansion(options.eps, moments.M.dtype)
        coefficients = _class_sums(moments)[:, None] @ E[0]
        return cls(coefficients.astype(kind or coefficients.dtype), moments.space.norm_weights)

    @classmethod
    def refuse_options(cls, options: MeasureOptions, space: FeatureSpace) -> None:
        """Without a constant coordinate the moments do not tell the sums of the classes."""
        if space.constant is None:
            raise InputError(
                "{membership} takes plain vectors with a constant coordinate; pass {invariance} and {affine}, or "
                "another {option}.",
                membership=Option("membership", cls.name),
                invariance=Option("invariance", None),
                affine=Option("affine", True),
                option=Option("membership"),
            )

    def residuals(self, V: Array) -> Array:
        """One minus the prediction for each class; shape (n_classes, n_samples)."""
        return 1.0 - self.coefficients[:, 0] @ V[0]

    def distances(self, V: Array) -> Array:
        """Distances of samples, a few at a time: double precision of all of them at once would be slow to fill."""
        if V.shape[1] < MANY_FEATURES:
            return super().distances(V)
        distances = np.empty((V.shape[2], len(self.coefficients)))

        def work(first: int) -> None:
            some = slice(first, first + SAMPLES_PER_PART)
            predictions = V[0, :, some].T.astype(np.float64) @ self.coefficients[:, 0].T
            distances[some] = rounded(1.0 - predictions, V.dtype)

        run_parts(work, range(0, V.shape[2], SAMPLES_PER_PART))
        return distances

    def contrast(self, V: Array, nearest: Array, other: Array) -> Contrast:
        """The difference of two predictions, linear in the sample."""
        difference = self.coefficients[nearest, 0] - self.coefficients[other, 0]
        return Contrast(difference.T[None], np.zeros(V.shape[2]))

    def of_vectors(self, span: SpanOfVectors) -> Self:
        """The same regression, of vectors instead of their coordinates in a span."""
        return replace(self, coefficients=span.functionals(self.coefficients[:, 0])[:, None])

    @classmethod
    def left_out(cls, samples: LeftOutSamples, choices: Choices) -> "RegressionLeftOut | None":
        """Predictions by regressions that have not seen a sample, for every ε."""
        eps = eps_choices(samples.moments) if choices.eps is None else choices.eps
        return RegressionLeftOut(samples, eps) if eps else None

    def layer_fields(self) -> dict[str, Array]:
        """The coefficients; a unit of 1, as files have it for every measure."""
        return {**numbers_of_classes(np.ones(len(self.coefficients))), "coefficients": self.coefficients}

    @classmethod
    def of_layer_fields(
        cls, fields: Mapping[str, Array], compression: Array, weights: Array, grid: tuple[int, ...]
    ) -> Self:
        """The regression of a layer that was stored."""
        return cls(fields["coefficients"], weights)

    @classmethod
    def layer_arrays_fit(cls, shapes: Mapping[str, tuple[int, ...]], shape: tuple[int, int, int]) -> bool:
        """Whether the coefficients of a stored layer are those of so many classes, frequencies and channels."""
        return shapes["coefficients"] == shape

    def check_stored(self, shape: tuple[int, int, int], kinds: set[str], rank: int | None) -> None:
        """Refuse coefficients that came from a file and do not fit features of this shape."""
        expect_measure(self.coefficients, self.weights, shape[1], kinds)
        expect(self.coefficients.shape == shape and shape[1] == 1, "the coefficients do not fit")
        expect(rank is None, "rank_ is not that of the answers")

    def page_data(self) -> dict[str, Any]:
        """The coefficients."""
        return {"name": self.name, "coefficients": self.coefficients}

    def in_words(self, eps: float) -> str:
        """What the nearest class is, as the end of a sentence."""
        return f"the class that a ridge regression on the labels predicts most of, at ε = {eps:g}"


class RegressionLeftOut(LeftOut):
    """Predictions for samples by regressions that have not seen them, exact for every ε (Sherman and Morrison).

    Without sample i of weight w, v'(M + μ)⁻¹v is h / (1 − w h), and the coefficients change along with it; the ridge
    μ = (m − w) ε² / n is that of the samples that are left.

    Parameters
    ----------
    samples : LeftOutSamples
    eps : tuple of float
    """

    option = "eps"
    reads_class_eigenvectors = False
    has_scale = False

    def __init__(self, samples: LeftOutSamples, eps: tuple[float, ...]) -> None:
        super().__init__(samples, eps)
        moments = samples.moments
        assert moments.space.constant is not None
        V, weight = samples.V[0].astype(np.float64), samples.once
        eigenvalues, vectors = moments.total_eigensystem()
        along, sums = vectors[0].T @ V, _class_sums(moments) @ vectors[0]  # samples and sums in the eigenbasis
        own = np.arange(len(sums))[:, None] == samples.codes
        share = np.where(own, weight * (moments.space.constant @ V), 0.0)  # of each sample in the sum of its class
        self._distances = np.empty((len(eps), *own.shape))
        for i, one in enumerate(eps):
            ridge = (moments.n_samples - weight) * one**2 / moments.space.dimension
            shrunk = along / (np.clip(eigenvalues[0], 0.0, None)[:, None] + ridge)
            leverage = np.einsum("ci,ci->i", along, shrunk)
            rest = np.maximum(1.0 - weight * leverage, np.finfo(np.float64).eps)
            self._distances[i] = 1.0 - (sums @ shrunk - share * leverage) / rest

    def measures(self, moments: ClassMoments) -> Iterator[LabelRegression]:
        """The measure by classes of other moments, for each value."""
        return (LabelRegression.of_moments(moments, MeasureOptions(float(eps))) for eps in self.values)

    def distances(self, view: ClassView) -> Array:
        """One minus the prediction for one class; shape (n_eps, n)."""
        return self._distances[:, view.j, view.some]


def eps_choices(moments: ClassMoments) -> tuple[float, ...]:
    """Distortions ε whose ridge 1/α = m ε² / n is one of the short list.

    Features have unit norm, so that the eigenvalues of m of them add up to m.
    """
    n_samples = moments.n_samples
    mean_eigenvalue = n_samples / min(n_samples, moments.M.shape[-1])
    scale = mean_eigenvalue * moments.space.dimension / n_samples
    return tuple(float(np.sqrt(ridge * scale)) for ridge in RIDGE_CHOICES)


def _class_sums(moments: ClassMoments) -> Array:
    """Sum over each class of u v, for the constant coordinate u of each vector; shape (n_classes, n_channels)."""
    assert moments.space.constant is not None
    return moments.M[:, 0] @ moments.space.constant
