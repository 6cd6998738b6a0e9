"""The construction: the only loop over layers."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..numerics.operators import coding_alpha
from ..numerics.rates import class_coding_rate, coding_rate
from .history import History
from .layer import Layer
from .ridge import ridge_operators
from .tiles import Tiles

# η α of the automatic step. E is at most α, so this is the share of itself that a feature can move in one layer.
NATURAL_STEP = 0.5


@dataclass(frozen=True)
class Recipe:
    """The constants of a construction.

    Parameters
    ----------
    n_layers : int
    eps : float
        Distortion ε.
    step_size : float or None
        η; None takes the natural step η α = 0.5.
    sharpness : float
        λ of the soft membership.
    relative_residual : bool
        Measure ‖C_j v‖ in units of α_j, so that it lies in [0, 1] (exact convention), or as it is (published).
    """

    n_layers: int
    eps: float
    step_size: float | None
    sharpness: float
    relative_residual: bool


@dataclass(frozen=True, eq=False)
class Construction:
    """What was built: the layers, the history, and the class moments of the features after the last layer."""

    layers: tuple[Layer, ...]
    history: History
    moments: Array


def construct(
    tiles: Tiles,
    class_weight: Array,
    recipe: Recipe,
    *,
    dimension: int,
    norm_weights: Array,
    rate_weights: Array,
    on_layer: Callable[[int, float], None] | None = None,
) -> Construction:
    """Build the network forward, each layer from the features that the one before it gives.

    Parameters
    ----------
    tiles : Tiles
        Training samples on the unit sphere, sorted by class; overwritten by their features.
    class_weight : float array, shape (n_classes,)
        Number, or total weight, of the samples of each class.
    recipe : Recipe
    dimension : int
        Number of channels that α counts; that of the tiles, unless they hold coordinates in a span.
    norm_weights, rate_weights : float array, shape (n_freqs,)
        Weights of the frequencies in norms and in rates.
    on_layer : callable, optional
        Told the number of layers built and ΔR before each layer and at the end.

    Returns
    -------
    Construction
    """
    m = float(class_weight.sum())
    gamma = class_weight / m
    alpha = float(coding_alpha(dimension, m, recipe.eps))
    alpha_j = np.asarray(coding_alpha(dimension, class_weight, recipe.eps))
    residual_unit = alpha_j if recipe.relative_residual else np.ones(len(gamma))
    step_size = NATURAL_STEP / alpha if recipe.step_size is None else recipe.step_size
    # The operators of a layer are kept in the precision of the features, which they are applied in.
    kind = np.result_type(tiles.X.dtype, np.complex64 if tiles.paired else np.float32)

    layers: list[Layer] = []
    rates: list[tuple[float, float]] = []
    M_j = tiles.moments()
    for n_built in range(recipe.n_layers + 1):
        _check_energy(M_j, norm_weights, m, n_built, recipe, step_size)
        try:
            operators, logdets = ridge_operators(
                np.concatenate([M_j, M_j.sum(axis=0, keepdims=True)]), np.append(alpha_j, alpha)
            )
        except np.linalg.LinAlgError as error:
            raise ValueError(
                f"layer {n_built + 1} of {recipe.n_layers}: eps={recipe.eps:g} is too small for the precision of the "
                f"features, I + αM is not positive definite; pass a larger eps."
            ) from error
        R, R_c = coding_rate(logdets[-1], rate_weights), class_coding_rate(logdets[:-1], gamma, rate_weights)
        rates.append((R, R_c))
        if on_layer is not None:
            on_layer(n_built, R - R_c)
        if n_built == recipe.n_layers:
            break
        operators = operators.astype(kind)
        layer = Layer(operators[-1], operators[:-1], gamma, step_size, recipe.sharpness, residual_unit)
        M_j = tiles.advance(layer, norm_weights)
        layers.append(layer)
    return Construction(tuple(layers), History(*np.array(rates).T), M_j)


def _check_energy(M_j: Array, norm_weights: Array, m: float, n_built: int, recipe: Recipe, step_size: float) -> None:
    """Refuse to go on when features left the unit sphere: m of them have the energy m, unless something overflowed."""
    energy = np.einsum("p,jpcc->", norm_weights, M_j).real
    if not abs(energy - m) < 1e-3 * m:
        raise ValueError(
            f"layer {max(1, n_built)} of {recipe.n_layers}: the features are not finite with eps={recipe.eps:g} and "
            f"step_size={step_size:g}; pass a larger eps or a smaller step_size."
        )
