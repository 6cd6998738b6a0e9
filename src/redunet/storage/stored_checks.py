"""Whether the parts of a model that came from a file fit together."""

import math
from types import NoneType
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import check_random_state

from ..evidence.leave_one_out import Evidence
from ..inputs.byte_sizes import readable_bytes
from ..inputs.parameters import MEMBERSHIPS
from ..lift.lift import Lift
from ..lift.polar import PolarGrid
from ..lift.responses import FilterBank
from ..measures.code import CodeBooks
from ..measures.subspace import NearestSubspaces
from ..network.geometry import Geometry, Span
from ..network.history import History
from ..network.network import Network
from ..numerics.arrays import Array
from .array_header import SPARE_BYTES, ModelFileError
from .stored_layers import LARGEST_IN_BASIS, StoredLayers

# Larger entries of a filter could overflow in a square. A lifted sample may take so many times the memory of a sample,
# where that is more than a file of its size is allowed.
LARGEST_FILTER, MOST_RESPONSES = 1e100, 8192

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


def check_model(model: Any, n_file: int) -> None:
    """Refuse parts that are missing or do not fit, so that no later computation meets them.

    Parameters
    ----------
    model : estimator
        As it was read.
    n_file : int
        Bytes of its file, which say how much memory it may take.
    """
    _check_attributes(model, FITTED[type(model).__name__])
    _check_parameters(model)
    shape = _shape(model.sample_shape_, "sample_shape_")
    _expect(model.n_features_in_ == math.prod(shape), "the number of features is not that of a sample")
    _check_names(getattr(model, "feature_names_in_", None), model.n_features_in_)
    if isinstance(model, PolarGrid):
        _check_rings(model, shape)
        return
    if isinstance(model, Lift):
        _check_lift(model, shape, n_file)
        return
    network = model.network_
    k = len(model.classes_)
    _check_classes(model.classes_)
    _check_network(network, shape, k, n_file)
    if hasattr(model, "n_layers_"):
        _expect(model.n_layers_ == len(network.layers), "the number of layers is another")
        _check_history(model.history_, model.n_layers_)
    if hasattr(model, "answers_"):
        _check_answers(model.answers_, network, k)
        _check_evidence(model)
    lift = getattr(model, "lift_", None)
    if hasattr(model, "lift_"):
        _expect((lift is None) == (network.lift is None), "the lift of the network is another")
    if lift is not None:
        # A lift that a classifier fitted was not given X itself, hence knows no features.
        _check_attributes(lift, {key: FITTED["Lift"][key] for key in FITTED["Lift"] if key != "n_features_in_"})
        _check_parameters(lift)
        _expect(lift.sample_shape_ == shape, "the lift takes samples of another shape")
        _check_lift(lift, shape, n_file)


def _check_attributes(model: Any, expected: dict[str, Any]) -> None:
    for name, kind in expected.items():
        _expect(hasattr(model, name), f"it lacks {name}")
        wanted = kind[0] if isinstance(kind, tuple) else kind
        value = getattr(model, name)
        flag = isinstance(value, bool) and wanted is not bool  # which Python takes for a number
        _expect(isinstance(value, kind) and not flag, f"{name} is no {wanted.__name__}")


def _check_parameters(model: Any) -> None:
    """Refuse parameters that a fit would refuse."""
    try:
        model.check_parameters()
        check_random_state(getattr(model, "random_state", None))
        _expect(isinstance(getattr(model, "verbose", 0), int), "verbose is no number")
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"the parameters of the model are wrong: {str(error)[:200]}") from None


def _check_names(names: Any, n_features: int) -> None:
    if names is None:
        return
    fits = isinstance(names, np.ndarray) and names.shape == (n_features,)
    _expect(fits and all(isinstance(name, str) for name in names.tolist()), "there is not a name for each feature")


def _check_classes(classes: Array) -> None:
    _expect(classes.ndim == 1 and len(classes) >= 2, "classes_ are no labels")
    labels = classes.tolist()
    if classes.dtype == object:
        _expect(all(isinstance(one, (str, bytes)) or math.isfinite(one) for one in labels), "classes_ are no labels")
    _expect(len(set(labels)) == len(labels), "a class is there twice")
    _expect(classes.dtype.kind not in "fc" or bool(np.isfinite(classes).all()), "classes_ are no labels")


def _check_history(history: History, n_layers: int) -> None:
    for rates in (history.coding_rate, history.class_coding_rate):
        _check_numbers(rates, (n_layers + 1,), "the history")


def _check_evidence(model: Any) -> None:
    """What a classifier says of itself: evidence, rank, and the numbers that were chosen."""
    evidence = model.evidence_
    choices = evidence.choices
    fits = isinstance(choices, tuple) and choices and all(_is_number(one) and one > 0 for one in choices)
    _expect(bool(fits), "the evidence has no choices")
    for values in (evidence.scores, evidence.margins, evidence.effects):
        _check_numbers(values, (len(choices),), "the evidence")
    _expect(_is_number(evidence.n_samples) and evidence.n_samples > 0, "the evidence has no samples")
    _expect(0 <= model.loo_score_ <= 1, "loo_score_ is no share")
    for name in ("_sharpness", "sharpness_", "eps_"):
        value = getattr(model, name, 1.0)
        _expect(_is_number(value) and value > 0, f"{name} is not a number > 0")
    _expect(getattr(model, "membership_", "subspace") in MEMBERSHIPS, "membership_ is of an unknown kind")
    by_codes = isinstance(model.answers_, CodeBooks)
    _expect((model.rank_ is None) == by_codes, "rank_ is not that of the answers")
    _expect(by_codes or model.rank_ >= 1, "rank_ is not >= 1")
    scores = getattr(model, "depth_scores_", None)
    if scores is not None:
        _check_numbers(scores, (len(scores),), "depth_scores_")


def _check_numbers(values: Any, shape: tuple[int, ...], what: str) -> None:
    fits = isinstance(values, np.ndarray) and values.shape == shape and values.dtype == np.float64
    _expect(fits and bool(np.isfinite(values).all()), f"{what} holds no finite numbers of shape {shape}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _check_network(network: Network, shape: tuple[int, ...], k: int, n_file: int) -> None:
    geometry = network.geometry
    _expect(isinstance(geometry, Geometry), "the network has no geometry")
    _expect(isinstance(geometry.unitary, bool), "the geometry is neither unitary nor not")
    inside = _shape(geometry.sample_shape, "the shape of a feature")
    _expect(network.dtype in (np.float32, np.float64), "the precision is none of float32 and float64")
    offset = geometry.offset
    _expect(offset is None or (_is_number(offset) and offset > 0 and not geometry.grid), "the offset is not > 0")
    if network.lift is None:
        _expect(inside == shape, f"samples of shape {shape} do not enter a network of {inside}")
    else:
        _expect(isinstance(network.lift, FilterBank), "the lift of the network is no filter bank")
        _check_bank(network.lift, shape, n_file)
        _expect(network.lift.shape == inside, f"the lift gives {network.lift.shape}, the network takes {inside}")
    n_freqs, n_channels = channels_inside(network)
    if network.span is not None:
        _expect(isinstance(network.span, Span) and isinstance(network.span.basis, np.ndarray), "the span has no basis")
        basis = network.span.basis
        _expect(basis.dtype == network.dtype and bool(np.isfinite(basis).all()), "the span holds no finite numbers")
        _expect(
            not geometry.grid and basis.ndim == 2 and basis.shape[0] == geometry.n_channels, "the span does not fit"
        )
        _expect(float(np.abs(basis).max(initial=0.0)) <= LARGEST_IN_BASIS, "the span is no orthonormal basis")
    _expect(isinstance(network.layers, StoredLayers) or network.layers == (), "layers are no layers")
    if isinstance(network.layers, StoredLayers):
        network.layers.check(n_freqs, n_channels, k, _kind(network, network.dtype), geometry.grid)


def channels_inside(network: Network) -> tuple[int, int]:
    """Frequencies and channels of the features that layers see."""
    geometry = network.geometry
    n_freqs = math.prod((*geometry.grid[:-1], geometry.grid[-1] // 2 + 1)) if geometry.grid else 1
    n_channels = geometry.n_channels if network.span is None else network.span.basis.shape[1] + 1
    return n_freqs, n_channels


def _check_answers(answers: Any, network: Network, k: int) -> None:
    n_freqs, n_channels = channels_inside(network)
    by_subspaces = isinstance(answers, NearestSubspaces)
    names = ("bases", "weights") if by_subspaces else ("compression", "unit", "offset", "weights")
    _expect(all(isinstance(getattr(answers, name), np.ndarray) for name in names), "the answers are no arrays")
    _expect(answers.weights.shape == (n_freqs,), "the weights of the frequencies do not fit")
    _expect(np.allclose(answers.weights, network.geometry.norm_weights), "the weights of the frequencies do not fit")
    large = answers.bases if by_subspaces else answers.compression
    if by_subspaces:
        fits = large.ndim == 4 and large.shape[:3] == (k, n_freqs, n_channels) and 1 <= large.shape[3] <= n_channels
        _expect(fits, "subspaces do not fit")
    else:
        _expect(large.shape == (k, n_freqs, n_channels, n_channels), "the code books do not fit")
    _expect(large.dtype.name in _kinds(network), "the answers are of another type")
    _expect(bool(np.isfinite(large).all()), "the answers are not finite")
    if by_subspaces:
        _expect(float(np.abs(large).max()) <= LARGEST_IN_BASIS, "subspaces have no orthonormal basis")
        return
    for numbers in (answers.unit, answers.offset):
        _check_numbers(numbers, (k,), "the code books")
    _expect(bool((answers.unit > 0).all()), "the units of the codes are not > 0")


def _kind(network: Network, real: np.dtype) -> str:
    """Type of the operators of a network of so many digits."""
    return np.result_type(real, np.complex64 if network.geometry.grid else np.float32).name


def _kinds(network: Network) -> set[str]:
    return {_kind(network, np.dtype(real)) for real in (np.float32, np.float64)}


def _check_lift(lift: Lift, shape: tuple[int, ...], n_file: int) -> None:
    _check_bank(lift.bank_, shape, n_file)
    _expect(_is_number(lift.level_), "level_ is no number")
    same = len(lift.filters_) == len(lift.bank_.filters) and all(
        isinstance(one, np.ndarray) and np.array_equal(one, other)
        for one, other in zip(lift.filters_, lift.bank_.filters, strict=True)
    )
    _expect(same, "the filters are not those of the bank")


def _check_bank(bank: Any, shape: tuple[int, ...], n_file: int) -> None:
    fits = isinstance(bank, FilterBank) and isinstance(bank.filters, tuple) and bool(bank.filters)
    _expect(fits and all(isinstance(filters, np.ndarray) for filters in bank.filters), "the lift has no filters")
    _expect(bank.threshold in ("soft", "relu", "none"), "the threshold is of an unknown kind")
    _expect(_is_number(bank.level) and _is_number(bank.pool) and bank.pool >= 1, "level or pool is wrong")
    _expect(isinstance(bank.unit_scale, bool), "unit_scale is neither true nor false")
    grid = _shape(bank.grid, "the grid of the lift")
    pad = bank.pad
    _expect(isinstance(pad, tuple) and all(type(zeros) is int and zeros >= 0 for zeros in pad), "pad is wrong")
    _expect(len(pad) == len(grid) == len(shape) - 1, "pad is wrong")
    _expect(tuple(n + zeros for n, zeros in zip(shape[1:], pad, strict=True)) == grid, "samples do not fit the lift")
    for filters in bank.filters:
        fits = filters.ndim == len(grid) + 2 and filters.shape[1] == shape[0] and filters.size > 0
        fits = fits and all(side <= length for side, length in zip(filters.shape[2:], grid, strict=True))
        _expect(fits, f"filters of shape {filters.shape} do not fit samples of {shape}")
        _expect(filters.dtype == np.float64, "filters are no finite numbers")
        _expect(bool((np.abs(filters) <= LARGEST_FILTER).all()), "filters are no finite numbers")
    # Beside the file, the caller has a sample in hand: what it becomes is measured by both.
    needed = bank.bytes_of_sample
    most = max(SPARE_BYTES + 2 * n_file, MOST_RESPONSES * 8 * math.prod(shape))
    _expect(needed <= most, f"one sample would take {readable_bytes(needed)} in the lift, by pad={pad}")


def _check_rings(model: PolarGrid, shape: tuple[int, ...]) -> None:
    n_points = len(model.radii_) * int(model.n_angles)
    weights = model._weights
    _check_numbers(model.radii_, (int(model.n_rings),), "the radii")
    _expect(len(shape) == 3 and weights.shape == (n_points, math.prod(shape)), "the rings do not fit the images")
    # Bilinear interpolation: shares of four pixels.
    _expect(bool((np.abs(weights.data) <= LARGEST_IN_BASIS).all()), "the rings are no shares of pixels")


def _shape(value: Any, name: str) -> tuple[int, ...]:
    """A tuple of positive whole numbers."""
    fits = isinstance(value, tuple) and value and all(type(n) is int and n > 0 for n in value)
    _expect(bool(fits), f"{name} is {str(value)[:60]}")
    return tuple(value)


def _expect(fits: bool, otherwise: str) -> None:
    if not fits:
        raise ModelFileError(f"the parts of the model do not fit together: {otherwise}.")
