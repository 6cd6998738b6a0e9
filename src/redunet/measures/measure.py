"""What every measure is: the one interface between classes and whoever asks how far a sample is from them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np

from ..fast.row_layout import KernelMeasure, RowLayout
from ..fast.sample_lanes import SampleLanes
from ..numerics.arrays import Array
from ..numerics.membership import soft_membership
from ..numerics.step import pull
from ..storage.expectations import expect
from .class_moments import ClassMoments, FeatureSpace
from .left_out import Choices, LeftOut, LeftOutSamples


class MeasureOptions(NamedTuple):
    """Constants of a construction that measures depend on.

    Parameters
    ----------
    eps : float
        Distortion ε.
    rank : int
        Dimension of class subspaces.
    relative_residual : bool
        Measure ‖C_j v‖ in units of α_j, so that it lies in [0, 1] (exact convention), or as it is (published).
    """

    eps: float
    rank: int = 1
    relative_residual: bool = True


class Contrast(NamedTuple):
    """What makes one class nearer to a sample than another, as an inner product with the sample itself.

    The distance to the other class minus that to the nearer one is constant + Σ_p w_p Re v(p)* weights(p), where w_p
    are the Parseval weights: a sum over frequencies and channels, and as well over positions and channels.

    Parameters
    ----------
    weights : array, shape (n_freqs, n_channels, n_samples)
        In double precision.
    constant : float array, shape (n_samples,)
        What does not depend on the sample.
    """

    weights: Array
    constant: Array


class SpanOfVectors(Protocol):
    """What a linear measure needs of the span that its samples were coordinates in; see ``network/span.py``."""

    def functionals(self, reduced: Array) -> Array:
        """Linear functionals of coordinates (k, n_basis + 1), as functionals of vectors (k, n_features)."""


# Share of a distance by which two must differ for single precision to tell which is the smaller one.
NEARLY_EQUAL = 1e-3


def rounded(distances: Array, kind: np.dtype) -> Array:
    """Distances of samples of this type, rounded above their rounding errors and far below any meaning."""
    return np.round(distances, 6 if np.dtype(kind) in (np.float32, np.complex64) else 9)


class Measure(ABC):
    """What each class measures a sample by: a layer guesses by it (and a classifier answers by an AnswerMeasure).

    A subclass is a frozen dataclass with the field ``weights``, the Parseval weights of shape (n_freqs,), and is listed
    in ``registry.py``.
    """

    # The name of the measure, as ``membership=`` takes it.
    name: ClassVar[str]
    # The name of the measure that a classifier answers by whose layers guess by this one.
    answered_by: ClassVar[str]
    # Whether class moments must be precise enough to read eigenvectors off them.
    reads_eigenvectors: ClassVar[bool] = False
    # Whether it means the same in any orthonormal basis, hence in coordinates in the span of the training samples.
    free_of_basis: ClassVar[bool] = True
    # Names of the arrays that a file stores for each layer, beside the numbers of each class; see layer_fields.
    stored_arrays: ClassVar[tuple[str, ...]] = ()

    weights: Array

    @classmethod
    @abstractmethod
    def of_moments(cls, moments: ClassMoments, options: MeasureOptions, kind: np.dtype | None = None) -> Self:
        """The measure that classes of these moments have.

        Parameters
        ----------
        moments : ClassMoments
        options : MeasureOptions
        kind : dtype, optional
            Of the arrays of a layer; double precision by default.
        """

    @abstractmethod
    def residuals(self, V: Array) -> Array:
        """How badly each class explains each sample; float64 array, shape (n_classes, n_samples).

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
            Features of unit norm.
        """

    def distances(self, V: Array) -> Array:
        """Distance of each sample to each class; float64 array, shape (n_samples, n_classes).

        The residuals, rounded above the rounding errors of V and far below any meaning. Where two classes are nearly
        equally near they are computed in double precision, so that a tie is a tie, and is broken the same way, whatever
        the order of additions.
        """
        return self._told_apart(self.residuals(V), V.dtype, lambda near: V[:, :, near])

    def distances_of_lanes(self, lanes: SampleLanes) -> Array:
        """The same of samples that lie side by side at the entrance; those that can measure them so do."""
        return self.distances(lanes.blocks())

    def _told_apart(self, residuals: Array, kind: np.dtype, blocks_of: Callable[[Array], Array]) -> Array:
        """Residuals of samples of this type as distances; ``blocks_of`` gives the blocks of some of the samples."""
        double = np.result_type(kind, np.float64)
        if kind != double and len(residuals) > 1:
            nearest = np.partition(residuals, 1, axis=0)
            near = np.flatnonzero(nearest[1] - nearest[0] < NEARLY_EQUAL * np.abs(nearest[:2]).max(axis=0))
            if len(near):
                residuals[:, near] = self.residuals(blocks_of(near).astype(double))
        return rounded(residuals.T, kind)

    def pull(self, V: Array, P: Array, class_share: Array, sharpness: float) -> Array:
        """What a layer takes from each sample: Σ_j γ_j π̂_j C_j v, with memberships guessed by this measure (eq. 11).

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
        P : array, shape (n_classes, n_freqs, n_channels, n_samples)
            Compressed samples C_j V.
        class_share : float array, shape (n_classes,)
            γ_j.
        sharpness : float
            λ of the soft membership.

        Returns
        -------
        array of the shape of V
        """
        return pull(P, class_share, soft_membership(self.residuals(V), sharpness))

    def for_kernel(self, layout: RowLayout) -> KernelMeasure | None:
        """What a compiled layer needs of this measure; None where the readable layer has to be taken."""
        return None

    def as_answer(self, moments: ClassMoments, options: MeasureOptions) -> "AnswerMeasure":
        """What a classifier would answer by whose features have these moments, of which this measure was made."""
        from .registry import answer_measure

        return answer_measure(self.name).of_moments(moments, options)

    # Options, checked before any work.

    @classmethod
    def refuse_options(cls, options: MeasureOptions, space: FeatureSpace) -> None:
        """Refuse options that do not go with features that live there."""
        return

    # Files.

    @abstractmethod
    def layer_fields(self) -> dict[str, Array]:
        """What a file stores of the measure of a layer.

        Two numbers for each class (:func:`numbers_of_classes`; the unit is more than 0), and the arrays of
        ``stored_arrays``.
        """

    @classmethod
    @abstractmethod
    def of_layer_fields(
        cls, fields: Mapping[str, Array], compression: Array, weights: Array, grid: tuple[int, ...]
    ) -> Self:
        """The measure of a layer from what :meth:`layer_fields` gave, the compressions and where features live."""

    @classmethod
    def layer_arrays_fit(cls, shapes: Mapping[str, tuple[int, ...]], shape: tuple[int, int, int]) -> bool:
        """Whether the arrays of a stored layer have shapes that fit features of (n_classes, n_freqs, n_channels)."""
        return True

    def check_layer_fields(self) -> None:
        """Refuse numbers of a stored layer that cannot be what they should; all are finite."""
        return

    # People.

    @abstractmethod
    def page_data(self) -> dict[str, Any] | None:
        """Numbers and arrays for the page, which computes with them; None where the page has no script for it."""


class AnswerMeasure(Measure):
    """A measure that a classifier answers by, too, with leave-one-out, a place in model files and words for people."""

    # What the option is called that leave-one-out chooses.
    option_symbol: ClassVar[str] = "ε"
    # Whether a class may have one sample: there is something in common without a second one.
    takes_single_samples: ClassVar[bool] = False
    # Whether it is linear in a sample, so that it needs no coordinates in a span; see of_vectors.
    is_linear: ClassVar[bool] = False
    # Whether classes differ by directions alone, so that channels that are multiples of each other count as one.
    needs_directions: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def left_out(cls, samples: LeftOutSamples, choices: Choices) -> LeftOut | None:
        """Distances of training samples to classes that have not seen them; None where there is nothing to choose."""

    @classmethod
    def distances_by_options(
        cls, moments: ClassMoments, options: Sequence[MeasureOptions], V: Array
    ) -> Sequence[Array]:
        """Distances of samples to classes of these moments; an array (n_samples, n_classes) for each of the options."""
        return [cls.of_moments(moments, one).distances(V) for one in options]

    @abstractmethod
    def contrast(self, V: Array, nearest: Array, other: Array) -> Contrast:
        """Why samples are nearer to one class than to another.

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
            Features of unit norm.
        nearest, other : int array, shape (n_samples,)
            Numbers of the two classes of each sample.
        """

    def of_vectors(self, span: SpanOfVectors) -> Self:
        """The same measure of vectors instead of their coordinates in a span, where it ``is_linear``."""
        raise NotImplementedError

    @abstractmethod
    def check_stored(self, shape: tuple[int, int, int], kinds: set[str], rank: int | None) -> None:
        """Refuse a measure that came from a file and does not fit.

        Parameters
        ----------
        shape : tuple of int
            (n_classes, n_freqs, n_channels) of the features that are measured.
        kinds : set of str
            Types that large arrays may have.
        rank : int or None
            What the classifier says of its rank.
        """

    def in_short(self, eps: float) -> str:
        """What samples are measured by and how, in two or three words, in a model of distortion ε."""
        return f"{self.name}, ε = {eps:g}"

    @abstractmethod
    def in_words(self, eps: float) -> str:
        """What the nearest class is, as the end of a sentence, in a model of distortion ε."""


def applied_by_class(operate: Callable[[int, Array], Array], V: Array, codes: Array) -> Array:
    """Each sample after what the class of its number does to it; shape (n_freqs, n_channels, n_samples).

    Parameters
    ----------
    operate : function of (number of a class, samples of shape (n_freqs, n_channels, n))
        Gives an array of the shape of the samples.
    V : array, shape (n_freqs, n_channels, n_samples)
    codes : int array, shape (n_samples,)
        Number of the class of each sample.
    """
    found = np.empty_like(V)
    for code in np.unique(codes):
        found[:, :, codes == code] = operate(int(code), V[:, :, codes == code])
    return found


def numbers_of_classes(unit: Array, offset: Array | None = None) -> dict[str, Array]:
    """The two numbers that a file stores of the measure of a layer for each class, by name; the offset is 0 by default.

    Parameters
    ----------
    unit, offset : float array, shape (n_classes,)
    """
    return {"residual_unit": unit, "residual_offset": np.zeros(len(unit)) if offset is None else offset}


def expect_measure(large: Any, weights: Any, n_freqs: int, kinds: set[str]) -> None:
    """Refuse the arrays of a measure that came from a file: of another type, not finite, or of other frequencies."""
    are_arrays = isinstance(large, np.ndarray) and isinstance(weights, np.ndarray)
    expect(are_arrays, "the answers are no arrays")
    expect(weights.shape == (n_freqs,), "the weights of the frequencies do not fit")
    expect(large.dtype.name in kinds, "the answers are of another type")
    expect(bool(np.isfinite(large).all()), "the answers are not finite")
