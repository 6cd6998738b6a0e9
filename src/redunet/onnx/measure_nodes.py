"""What classes measure samples by, in a graph: a twin for each measure, found by the class of the measure."""

from collections.abc import Callable
from typing import Any

from ..inputs.errors import InputError
from ..measures.code import CodeBooks
from ..measures.measure import Measure
from ..measures.rectified import RectifiedProjections
from ..measures.regression import LabelRegression
from ..measures.residual import ResidualNorms
from ..measures.subspace import NearestSubspaces
from ..numerics.arrays import Array
from .block_nodes import inner_products, multiplied, projected, squared_norms
from .fourier_nodes import from_half_spectrum, half_spectrum
from .graph_builder import Tensor


def residuals(measure: Measure, V: Tensor) -> Tensor:
    """How badly each class explains each sample; shape (n_classes, n_samples).

    Parameters
    ----------
    measure : Measure
    V : Tensor, shape (n_parts, n_freqs, n_samples, n_channels)
        Features of unit norm.
    """
    return _twin(RESIDUALS, measure)(measure, V)


def pull(measure: Measure, V: Tensor, P: Tensor, class_share: Array, sharpness: float) -> Tensor:
    """What a layer takes from each sample; a tensor of the shape of V.

    Parameters
    ----------
    measure : Measure
    V : Tensor, shape (n_parts, n_freqs, n_samples, n_channels)
    P : Tensor, shape (n_parts, n_classes, n_freqs, n_samples, n_channels)
        Compressed samples C_j V.
    class_share : float array, shape (n_classes,)
        γ_j.
    sharpness : float
        λ of the soft membership.
    """
    return _twin(PULLS, measure)(measure, V, P, class_share, sharpness)


def _residual_norms(measure: Any, V: Tensor) -> Tensor:
    """‖C_j v‖ / unit_j; see :func:`redunet.numerics.membership.residual_norms`."""
    P = multiplied(measure.compression, V.unsqueeze(1))
    return squared_norms(P, measure.weights).sqrt() / measure.unit[:, None]


def _distances_to_subspaces(measure: Any, V: Tensor) -> Tensor:
    """‖v − U_j U_j* v‖: the rest itself, since in single precision little would be left of a difference of norms."""
    V = V.unsqueeze(1)
    return squared_norms(V - projected(measure.bases, V), measure.weights).sqrt()


def _code_lengths(measure: Any, V: Tensor) -> Tensor:
    """v* C_j v / unit_j + offset_j; see :func:`redunet.numerics.membership.code_length`."""
    V = V.unsqueeze(1)
    leverage = inner_products(V, multiplied(measure.compression, V), measure.weights)
    return leverage / measure.unit[:, None] + measure.offset[:, None]


def _unpredicted(measure: Any, V: Tensor) -> Tensor:
    """One minus what the regression predicts for each class."""
    n_channels = measure.coefficients.shape[-1]
    return 1.0 - measure.coefficients[:, 0] @ V.reshape(-1, n_channels).transpose(1, 0)


def _guessed_pull(measure: Measure, V: Tensor, P: Tensor, class_share: Array, sharpness: float) -> Tensor:
    """Σ_j γ_j π̂_j C_j v, with memberships guessed by the measure (eq. 11)."""
    membership = (residuals(measure, V) * -sharpness).softmax(0)
    shares = membership * class_share[:, None]
    return (shares.unsqueeze(1, 3) * P).sum(1)


def _rectified_pull(measure: Any, V: Tensor, P: Tensor, class_share: Array, sharpness: float) -> Tensor:
    """What no class explains, by rectified linear units, times α; the units act on a sample, not on its spectrum."""
    n_classes, n_freqs, n_channels, _ = measure.compression.shape
    grid = measure.grid
    projections = V.unsqueeze(1) - P / measure.unit.reshape(-1, 1, 1, 1)
    if grid:
        values = from_half_spectrum(projections.reshape(2, n_classes, n_freqs, -1), n_classes, grid).relu()
        explained = half_spectrum(values, n_classes, grid, grid).sum(1).reshape(2, n_freqs, -1, n_channels)
    else:
        explained = projections.relu().sum(1)
    return (V - explained) * float(class_share[0] * measure.unit[0])


RESIDUALS: dict[type[Measure], Callable[[Any, Tensor], Tensor]] = {
    ResidualNorms: _residual_norms,
    RectifiedProjections: _residual_norms,
    NearestSubspaces: _distances_to_subspaces,
    CodeBooks: _code_lengths,
    LabelRegression: _unpredicted,
}
PULLS: dict[type[Measure], Callable[..., Tensor]] = {
    **dict.fromkeys(RESIDUALS, _guessed_pull),
    RectifiedProjections: _rectified_pull,
}


def _twin(twins: dict[type[Measure], Callable[..., Tensor]], measure: Measure) -> Callable[..., Tensor]:
    """What a table has for a measure."""
    found = twins.get(type(measure))
    if found is None:
        raise InputError(
            "a model that measures samples by {kind} cannot be exported: no nodes of ONNX are known for it; fit it "
            "with one of the memberships {names}.",
            kind=type(measure).__name__,
            names=sorted(one.name for one in twins),
        )
    return found
