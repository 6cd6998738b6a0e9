"""The construction: the only loop over layers."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..numerics.moments import class_moments
from ..numerics.operators import coding_alpha, ridge_operator
from ..numerics.rates import class_coding_rate, coding_rate
from .history import History
from .layer import Layer, samples_per_block

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
    V: Array,
    bounds: Array,
    sample_weight: Array,
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
    V : array, shape (n_freqs, n_channels, n_samples)
        Training samples on the unit sphere, sorted by class; overwritten by their features.
    bounds : int array, shape (n_classes + 1,)
        Class j has the samples bounds[j] to bounds[j+1] − 1.
    sample_weight : float array, shape (n_samples,)
        Positive.
    recipe : Recipe
    dimension : int
        Number of channels that α counts; that of V, unless V holds coordinates in a span.
    norm_weights, rate_weights : float array, shape (n_freqs,)
        Weights of the frequencies in norms and in rates.
    on_layer : callable, optional
        Told the number of layers built and ΔR before each layer and at the end.

    Returns
    -------
    Construction
    """
    m = sample_weight.sum()
    m_j = np.add.reduceat(sample_weight, bounds[:-1])
    gamma = m_j / m
    alpha = coding_alpha(dimension, m, recipe.eps)
    alpha_j = coding_alpha(dimension, m_j, recipe.eps)
    residual_unit = np.asarray(alpha_j) if recipe.relative_residual else np.ones(len(m_j))
    step_size = NATURAL_STEP / float(alpha) if recipe.step_size is None else recipe.step_size

    layers: list[Layer] = []
    rates: list[tuple[float, float]] = []
    for n_built in range(recipe.n_layers + 1):
        M_j = class_moments(V, bounds, sample_weight)
        try:
            E, logdet = ridge_operator(M_j.sum(axis=0), alpha)
            C, logdet_j = ridge_operator(M_j, alpha_j)
        except np.linalg.LinAlgError as error:
            raise ValueError(
                f"layer {n_built + 1} of {recipe.n_layers}: eps={recipe.eps:g} is too small for the precision of the "
                f"features, I + αM is not positive definite; pass a larger eps."
            ) from error
        rates.append((coding_rate(logdet, rate_weights), class_coding_rate(logdet_j, gamma, rate_weights)))
        energy = np.einsum("p,jpcc->", norm_weights, M_j).real  # m samples of norm 1 have m, unless something is lost
        if not (np.isfinite(rates[-1]).all() and abs(energy - m) < 1e-3 * m):
            raise ValueError(
                f"layer {max(1, n_built)} of {recipe.n_layers}: the features are not finite with eps={recipe.eps:g} and "
                f"step_size={step_size:g}; pass a larger eps or a smaller step_size."
            )
        if on_layer is not None:
            on_layer(n_built, rates[-1][0] - rates[-1][1])
        if n_built == recipe.n_layers:
            break
        layer = Layer(E.astype(V.dtype), C.astype(V.dtype), gamma, step_size, recipe.sharpness, residual_unit)
        pass_layer(layer, V, norm_weights)
        layers.append(layer)
    history = History(*np.array(rates).T)
    return Construction(tuple(layers), history, M_j)


def pass_layer(layer: Layer, V: Array, norm_weights: Array) -> None:
    """Carry the features V through one layer, in place and in bounded memory."""
    n_freqs, n_channels, m = V.shape
    block = samples_per_block(n_freqs, n_channels, len(layer.class_share), V.dtype)
    for start in range(0, m, block):
        V[:, :, start : start + block] = layer(V[:, :, start : start + block], norm_weights)
