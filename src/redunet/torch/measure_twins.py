"""What classes measure samples by, as PyTorch modules: the twin of each measure, and the table that finds it.

A twin is one class, made of the record of a measure, and one line in ``MEASURE_TWINS``. It gives residuals, and the
record again with the numbers that it has then.
"""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from ..inputs.errors import InputTypeError
from ..measures.code import CodeBooks
from ..measures.measure import Measure
from ..measures.rectified import RectifiedProjections
from ..measures.regression import LabelRegression
from ..measures.residual import ResidualNorms
from ..measures.subspace import NearestSubspaces
from ..numerics.arrays import Array
from .mirrored_frequencies import MirroredFrequencies
from .sums_in_parts import InnerProducts, SumOverClasses
from .tensor_blocks import half_spectrum, root, samples_of, squared_norms, tensor_of, times_real
from .twin import Twin

# Energy outside of a subspace below which it is measured by itself, not as a difference: in double precision; and in
# single precision, where it is divided by the number of directions, whose rounding errors make up for each other.
SMALL_ENERGY, SMALL_ENERGY_SINGLE = 1e-8, 1e-2


class MeasureTwin(Twin):
    """What each class measures a sample by; the twin of :class:`redunet.measures.measure.Measure`.

    Parameters
    ----------
    measure : Measure
    frequencies : MirroredFrequencies
        Of the features that are measured.
    """

    # Whether it reads what compressions make of a sample: those of the layer that guesses by it, or its own.
    reads_compressed: ClassVar[bool] = False

    def __init__(self, measure: Any, frequencies: MirroredFrequencies) -> None:
        super().__init__(measure)
        self.frequencies = frequencies
        self.register_buffer("weights", tensor_of(measure.weights), persistent=False)

    def residuals(self, V: Tensor, P: Tensor | None) -> Tensor:
        """How badly each class explains each sample; shape (n_classes, n_samples).

        Parameters
        ----------
        V : tensor, shape (n_freqs, n_channels, n_samples)
            Features of unit norm.
        P : tensor, shape (n_freqs, n_classes, n_channels, n_samples), or None
            Compressed samples C_j V; None where they are not read.
        """
        raise NotImplementedError

    def pull(self, V: Tensor, P: Tensor, class_share: Tensor, sharpness: Tensor) -> Tensor:
        """What a layer takes from each sample, Σ_j γ_j π̂_j C_j v; of the shape of V.

        Parameters
        ----------
        V : tensor, shape (n_freqs, n_channels, n_samples)
        P : tensor, shape (n_freqs, n_classes, n_channels, n_samples)
        class_share : tensor, shape (n_classes,)
        sharpness : tensor, shape ()
        """
        membership = torch.softmax(-sharpness * self.residuals(V, P), dim=0)
        return SumOverClasses.apply(P, class_share[:, None] * membership)

    def record(self, compression: Array | None) -> Any:
        """The measure with the numbers that this has now, for compressions that were made an array already."""
        raise NotImplementedError


class ResidualNormsTwin(MeasureTwin):
    """The norm of what the compression of each class leaves, ‖C_j v‖; it has no numbers of its own to train."""

    reads_compressed = True

    def __init__(self, measure: ResidualNorms, frequencies: MirroredFrequencies) -> None:
        super().__init__(measure, frequencies)
        self.register_buffer("unit", tensor_of(measure.unit))

    def residuals(self, V: Tensor, P: Tensor | None) -> Tensor:
        """Norms of compressed samples, in the unit of each class."""
        assert P is not None
        return root(squared_norms(P, self.weights)) / self.unit[:, None]

    def record(self, compression: Array | None) -> Any:
        """The same units with these compressions."""
        return replace(self.like, compression=compression)


class RectifiedProjectionsTwin(ResidualNormsTwin):
    """Projections onto the classes, cut at zero in the sample domain, and subtracted all at once."""

    def pull(self, V: Tensor, P: Tensor, class_share: Tensor, sharpness: Tensor) -> Tensor:
        """What no class explains, times α."""
        grid = self.like.grid
        n_freqs, k, n_channels, n = P.shape
        projections = V[:, None] - times_real(P, (1 / self.unit)[:, None, None])
        cut = samples_of(projections.reshape(n_freqs, k * n_channels, n), grid).relu()
        explained = half_spectrum(cut).reshape(P.shape).sum(dim=1)
        return class_share[0] * self.unit[0] * (V - explained)


class CodeBooksTwin(MeasureTwin):
    """The length of the code of a sample, v* C_j v / unit_j + offset_j; units are held by their logarithms."""

    reads_compressed = True

    def __init__(self, measure: CodeBooks, frequencies: MirroredFrequencies) -> None:
        super().__init__(measure, frequencies)
        self.log_unit = nn.Parameter(tensor_of(np.log(measure.unit)))
        self.offset = nn.Parameter(tensor_of(measure.offset))

    def residuals(self, V: Tensor, P: Tensor | None) -> Tensor:
        """Lengths of codes, which may be negative."""
        assert P is not None
        return InnerProducts.apply(V, P, self.weights) * (-self.log_unit).exp()[:, None] + self.offset[:, None]

    def record(self, compression: Array | None) -> Any:
        """Code books of these compressions."""
        unit, offset = self.log_unit.exp().numpy(force=True), self.offset.numpy(force=True).copy()
        return replace(self.like, compression=compression, unit=unit, offset=offset)


class NearestSubspacesTwin(MeasureTwin):
    """The distance to a subspace of each class at each frequency, spanned by any vectors.

    The projection onto the span of the columns of B is B (B*B)⁻¹ B*, so that it is one whatever the columns become. A
    class that had fewer directions than others keeps its columns of zeros.
    """

    def __init__(self, measure: NearestSubspaces, frequencies: MirroredFrequencies) -> None:
        super().__init__(measure, frequencies)
        bases = measure.bases[:, frequencies.held].swapaxes(0, 1)
        is_there = bases.any(axis=-2)
        # Directions come first, columns of zeros last.
        order = np.argsort(~is_there, axis=-1, kind="stable")
        bases, is_there = np.take_along_axis(bases, order[..., None, :], -1), np.take_along_axis(is_there, order, -1)
        if frequencies.grid:
            bases = bases.astype(np.complex128)
            bases[frequencies.is_real] = real_bases(bases[frequencies.is_real], is_there[frequencies.is_real])
        self.bases = nn.Parameter(frequencies.raw(frequencies.spectrum_of_held(bases)))
        is_there = torch.from_numpy(frequencies.spectrum_of_held(is_there))
        self.register_buffer("is_there", is_there, persistent=False)

    def columns(self) -> Tensor:
        """Vectors that span the subspaces; shape (n_freqs, n_classes, n_channels, rank)."""
        return times_real(self.frequencies.spectrum(self.bases), self.is_there.to(self.weights.dtype)[..., None, :])

    def projectors(self) -> Tensor:
        """Rows U* of orthonormal bases U of the subspaces; shape (n_freqs, n_classes, rank, n_channels)."""
        B = self.columns()
        missing = torch.diag_embed((~self.is_there).to(B.dtype))
        L = cholesky_factor(B.mH @ B + missing)
        ones = torch.eye(L.shape[-1], dtype=L.dtype, device=L.device).expand_as(L)
        return torch.linalg.solve_triangular(L, ones, upper=False) @ B.mH  # few rows are solved for, then multiplied

    def residuals(self, V: Tensor, P: Tensor | None) -> Tensor:
        """Distances to the subspaces, in [0, 1]."""
        rows = self.projectors()
        n_freqs, k, rank, n_channels = rows.shape
        along = rows.reshape(n_freqs, k * rank, n_channels) @ V
        weights = self.weights.double()  # a difference of nearly equal numbers follows
        inside = squared_norms(along.reshape(n_freqs, k, rank, -1), weights)
        total = squared_norms(V, weights)
        total = torch.where(total > 0, total, 1.0)
        outside = 1 - inside / total
        # What is left of it at last is rounding: there the rest itself is measured.
        small = SMALL_ENERGY if self.weights.dtype == torch.float64 else SMALL_ENERGY_SINGLE / (n_freqs * rank)
        near = (outside < small).any(dim=0).nonzero()[:, 0]
        if len(near):
            some = V[:, None, :, near]
            rest = squared_norms(some - rows.mH @ (rows @ some), weights)
            outside = outside.index_copy(1, near, rest / total[near])
        return root(outside.clamp(max=1.0)).to(self.weights.dtype)

    def record(self, compression: Array | None) -> Any:
        """Subspaces with orthonormal bases."""
        kind = self.like.bases.dtype
        held = self.columns().numpy(force=True)[self.frequencies.held]
        is_there = self.is_there.numpy(force=True)[self.frequencies.held]
        bases = self.frequencies.spectrum_of_held(np.linalg.qr(held)[0] * is_there[..., None, :])
        return replace(self.like, bases=np.ascontiguousarray(bases.swapaxes(0, 1), dtype=kind))


class LabelRegressionTwin(MeasureTwin):
    """One minus what a regression on the labels predicts for each class, for plain vectors."""

    def __init__(self, measure: LabelRegression, frequencies: MirroredFrequencies) -> None:
        super().__init__(measure, frequencies)
        self.coefficients = nn.Parameter(tensor_of(measure.coefficients[:, 0]))

    def residuals(self, V: Tensor, P: Tensor | None) -> Tensor:
        """One minus the prediction for each class."""
        return 1 - self.coefficients @ V[0]

    def record(self, compression: Array | None) -> Any:
        """The regression with these coefficients."""
        found = self.coefficients.numpy(force=True)[:, None].astype(self.like.coefficients.dtype)
        return replace(self.like, coefficients=found)


# The twin of each measure. A new one is a class here, or in a file of its own, and a line.
MEASURE_TWINS: dict[type[Measure], type[MeasureTwin]] = {
    ResidualNorms: ResidualNormsTwin,
    RectifiedProjections: RectifiedProjectionsTwin,
    CodeBooks: CodeBooksTwin,
    NearestSubspaces: NearestSubspacesTwin,
    LabelRegression: LabelRegressionTwin,
}


def measure_twin(measure: Measure, frequencies: MirroredFrequencies) -> MeasureTwin:
    """The twin of a measure of features with these frequencies."""
    twin = MEASURE_TWINS.get(type(measure))
    if twin is None:
        raise InputTypeError(
            f"the measure {measure.name!r} has no PyTorch module; pass a model with another membership, one of "
            f"{', '.join(repr(one.name) for one in MEASURE_TWINS)}."
        )
    return twin(measure, frequencies)


def cholesky_factor(G: Tensor) -> Tensor:
    """Lower Cholesky factors of Gram matrices; of columns that depend on each other, as far as rounding tells, too."""
    L, failed = torch.linalg.cholesky_ex(G)
    if not failed.any():
        return L
    size = torch.diagonal(G, dim1=-2, dim2=-1).real.sum(dim=-1).detach()
    shift = torch.where(failed > 0, 10 * torch.finfo(size.dtype).eps * torch.where(size > 0, size, 1.0), 0.0)
    return torch.linalg.cholesky(G + torch.diag_embed(shift[..., None].expand(G.shape[:-1])).to(G.dtype))


def real_bases(U: Array, is_there: Array) -> Array:
    """Real orthonormal bases of subspaces that hold the conjugate of each of their vectors.

    Eigenvectors of a real matrix that is stored as a complex one have any phase, which says nothing.

    Parameters
    ----------
    U : complex array, shape (..., n_channels, rank)
        Orthonormal columns; zeros where there is none.
    is_there : bool array, shape (..., rank)

    Returns
    -------
    float array, shape (..., n_channels, rank)
        In the same order.
    """
    rank = U.shape[-1]
    order = np.linspace(2.0, 1.0, rank) * is_there  # different numbers, so that eigenvectors are the columns again
    ordered = (U * order[..., None, :]) @ U.conj().swapaxes(-1, -2)
    vectors = np.linalg.eigh(ordered.real)[1]
    found: Array = vectors[..., : -rank - 1 : -1] * is_there[..., None, :]
    return found
