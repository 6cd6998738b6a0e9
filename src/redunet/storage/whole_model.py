"""Whether the parts of a model that came from a file fit together."""

import math
from types import NoneType
from typing import Any

import numpy as np
import scipy.sparse

from ..classify.code_length import CodeBooks
from ..classify.evidence import Evidence
from ..classify.nearest_subspace import NearestSubspaces
from ..data.polar import PolarGrid
from ..lift.lift import Lift
from ..lift.responses import FilterBank
from ..network.geometry import Geometry
from ..network.history import History
from ..network.network import Network
from .array_file import ModelFileError
from .stored_layers import StoredLayers

# Fitted attributes of each estimator and what they are; names of features are there if there were any.
_READ = {"sample_shape_": tuple, "n_features_in_": int}
_BUILT = {**_READ, "classes_": np.ndarray, "network_": Network}
_ANSWERED = {**_BUILT, "loo_score_": float, "evidence_": Evidence, "_sharpness": float}
_LAYERED = {"history_": History, "n_layers_": int}
FITTED: dict[str, dict[str, Any]] = {
    "ReduNet": {**_BUILT, **_LAYERED},
    "NearestSubspaceClassifier": {**_ANSWERED, "answers_": NearestSubspaces, "rank_": int},
    "ReduNetClassifier": {
        **_ANSWERED,
        **_LAYERED,
        "answers_": (NearestSubspaces, CodeBooks),
        "depth_scores_": (np.ndarray, NoneType),
        "membership_": str,
        "rank_": (int, NoneType),
        "eps_": float,
        "sharpness_": float,
        "lift_": (Lift, NoneType),
    },
    "Lift": {**_READ, "bank_": FilterBank, "filters_": tuple, "level_": float},
    "PolarGrid": {**_READ, "radii_": np.ndarray, "_weights": scipy.sparse.csr_array},
}


def check_model(model: Any) -> None:
    """Refuse parts that are missing or whose shapes do not fit, so that no later computation meets them."""
    expected = FITTED[type(model).__name__]
    for name, kind in expected.items():
        _expect(hasattr(model, name), f"it lacks {name}")
        wanted = kind[0] if isinstance(kind, tuple) else kind
        _expect(isinstance(getattr(model, name), kind), f"{name} is no {wanted.__name__}")
    shape = _shape(model.sample_shape_, "sample_shape_")
    _expect(model.n_features_in_ == math.prod(shape), "the number of features is not that of a sample")
    names = getattr(model, "feature_names_in_", None)
    _expect(names is None or len(names) == model.n_features_in_, "there is not a name for each feature")
    if isinstance(model, PolarGrid):
        _check_rings(model, shape)
        return
    if isinstance(model, Lift):
        _check_bank(model.bank_, shape)
        return
    network = model.network_
    k = len(model.classes_)
    _expect(model.classes_.ndim == 1 and k >= 2, "classes_ are no labels")
    _check_network(network, shape, k)
    if hasattr(model, "n_layers_"):
        _expect(model.n_layers_ == len(network.layers), "the number of layers is another")
        _expect(len(model.history_) == model.n_layers_ + 1, "the history is not as long as the network")
    if hasattr(model, "answers_"):
        _check_answers(model.answers_, network, k)
        _expect(model._sharpness > 0, "the sharpness is not a number > 0")
    lift = getattr(model, "lift_", None)
    if lift is not None:
        _check_bank(lift.bank_, shape)


def _check_network(network: Network, shape: tuple[int, ...], k: int) -> None:
    geometry = network.geometry
    _expect(isinstance(geometry, Geometry), "the network has no geometry")
    inside = _shape(geometry.sample_shape, "the shape of a feature")
    _expect(network.dtype in (np.float32, np.float64), "the precision is none of float32 and float64")
    _expect(
        geometry.offset is None or (isinstance(geometry.offset, float) and geometry.offset > 0), "offset is not > 0"
    )
    if network.lift is None:
        _expect(inside == shape, f"samples of shape {shape} do not enter a network of {inside}")
    else:
        _expect(isinstance(network.lift, FilterBank), "the lift of the network is no filter bank")
        _check_bank(network.lift, shape)
        _expect(network.lift.shape == inside, f"the lift gives {network.lift.shape}, the network takes {inside}")
    n_freqs, n_channels = channels_inside(network)
    if network.span is not None:
        basis = network.span.basis
        _expect(basis.dtype == network.dtype and bool(np.isfinite(basis).all()), "the span holds no finite numbers")
        _expect(
            not geometry.grid and basis.ndim == 2 and basis.shape[0] == geometry.n_channels, "the span does not fit"
        )
    if len(network.layers):
        _expect(isinstance(network.layers, StoredLayers), "layers are no layers")
        assert isinstance(network.layers, StoredLayers)
        _expect(network.layers.n_classes == k, "the layers know another number of classes")
        network.layers.check(n_freqs, n_channels, k, _kind(network, network.dtype))


def channels_inside(network: Network) -> tuple[int, int]:
    """Frequencies and channels of the features that layers see."""
    geometry = network.geometry
    n_freqs = math.prod((*geometry.grid[:-1], geometry.grid[-1] // 2 + 1)) if geometry.grid else 1
    n_channels = geometry.n_channels if network.span is None else network.span.basis.shape[1] + 1
    return n_freqs, n_channels


def _check_answers(answers: Any, network: Network, k: int) -> None:
    n_freqs, n_channels = channels_inside(network)
    _expect(answers.weights.shape == (n_freqs,), "the weights of the frequencies do not fit")
    arrays = [answers.bases] if isinstance(answers, NearestSubspaces) else [answers.compression]
    _expect(all(array.dtype.name in _kinds(network) for array in arrays), "the answers are of another type")
    arrays += [answers.weights] if isinstance(answers, NearestSubspaces) else [answers.unit, answers.offset]
    _expect(all(bool(np.isfinite(array).all()) for array in arrays), "the answers are not finite")
    if isinstance(answers, NearestSubspaces):
        _expect(answers.bases.ndim == 4 and answers.bases.shape[:3] == (k, n_freqs, n_channels), "subspaces do not fit")
        return
    _expect(answers.compression.shape == (k, n_freqs, n_channels, n_channels), "the code books do not fit")
    _expect(answers.unit.shape == answers.offset.shape == (k,), "the units of the codes do not fit")


def _kind(network: Network, real: np.dtype) -> str:
    """Type of the operators of a network of so many digits."""
    return np.result_type(real, np.complex64 if network.geometry.grid else np.float32).name


def _kinds(network: Network) -> set[str]:
    return {_kind(network, np.dtype(real)) for real in (np.float32, np.float64)}


def _check_bank(bank: Any, shape: tuple[int, ...]) -> None:
    _expect(isinstance(bank, FilterBank) and bool(bank.filters), "the lift has no filters")
    _expect(bank.threshold in ("soft", "relu", "none"), "the threshold is of an unknown kind")
    _expect(bool(np.isfinite(bank.level)) and bool(np.isfinite(bank.pool)) and bank.pool >= 1, "level or pool is wrong")
    _expect(isinstance(bank.unit_scale, bool), "unit_scale is neither true nor false")
    grid = _shape(bank.grid, "the grid of the lift")
    _expect(
        len(bank.pad) == len(grid) and all(isinstance(zeros, int) and zeros >= 0 for zeros in bank.pad), "pad is wrong"
    )
    _expect(
        tuple(n + zeros for n, zeros in zip(shape[1:], bank.pad, strict=True)) == grid, "samples do not fit the lift"
    )
    for filters in bank.filters:
        fits = filters.ndim == len(grid) + 2 and filters.shape[1] == shape[0]
        fits = fits and all(side <= length for side, length in zip(filters.shape[2:], grid, strict=True))
        _expect(fits, f"filters of shape {filters.shape} do not fit samples of {shape}")
        _expect(filters.dtype == np.float64 and bool(np.isfinite(filters).all()), "filters are no finite numbers")


def _check_rings(model: PolarGrid, shape: tuple[int, ...]) -> None:
    n_points = len(model.radii_) * int(model.n_angles)
    _expect(model._weights.shape == (n_points, math.prod(shape)), "the rings do not fit the images")


def _shape(value: Any, name: str) -> tuple[int, ...]:
    """A tuple of positive whole numbers."""
    fits = isinstance(value, tuple) and value and all(type(n) is int and n > 0 for n in value)
    _expect(bool(fits), f"{name} is {str(value)[:60]}")
    return tuple(value)


def _expect(fits: bool, otherwise: str) -> None:
    if not fits:
        raise ModelFileError(f"the parts of the model do not fit together: {otherwise}.")
