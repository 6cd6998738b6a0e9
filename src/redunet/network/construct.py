"""The construction: the only loop that builds layers."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..fast.eigensystems import eigensystems
from ..fast.ridge_operators import layer_operators
from ..fast.tiles import Tiles
from ..inputs.errors import InputError
from ..numerics.arrays import Array
from ..numerics.operators import coding_alpha
from ..numerics.rates import class_coding_rate, coding_rate
from ..numerics.subspaces import principal_subspaces, rounding_share
from .geometry import Geometry
from .history import History
from .layer import Layer

# The automatic step is counted in η α: E is at most α, so η α is the share of itself that a feature moves at most.
# It starts in the middle of the range that is good for all data seen so far, grows while ΔR grows, halves when ΔR would
# fall, and gives up where a layer would hardly move anything.
FIRST_STEP, LARGEST_STEP, SMALLEST_STEP, GROWTH = 0.5, 2.0, 1e-3, 1.2
# ΔR has stopped growing when so many layers in a row hardly changed it.
PATIENCE = 2


@dataclass(frozen=True)
class Recipe:
    """The constants of a construction.

    Parameters
    ----------
    n_layers : int
        Layers at most.
    eps : float
        Distortion ε.
    step_size : float or None
        η; None adapts it so that no layer lowers ΔR.
    sharpness : float
        λ of the soft membership.
    relative_residual : bool
        Measure ‖C_j v‖ in units of α_j, so that it lies in [0, 1] (exact convention), or as it is (published).
    membership : "softmax", "subspace", "code" or "relu"
        How a layer guesses the class of a sample.
    rank : int
        Dimension of the class subspaces that "subspace" guesses by.
    tol : float or None
        Stop when ΔR grows by less than this share of itself per natural step; None never stops.
    momentum : float or "nesterov"
        β of every layer but the first; "nesterov" lets it grow towards 1.
    """

    n_layers: int
    eps: float
    step_size: float | None
    sharpness: float
    relative_residual: bool
    tol: float | None
    momentum: float | str
    membership: str = "softmax"
    rank: int = 1


@dataclass(frozen=True, eq=False)
class Construction:
    """What was built: the layers and the history."""

    layers: tuple[Layer, ...]
    history: History


@dataclass(frozen=True, eq=False)
class Stage:
    """A construction after some of its layers: with the features there, all that is needed to go on.

    Parameters
    ----------
    layers : tuple of Layer
    rates : tuple of (R, R_c)
        At the input and after each layer.
    M_j : array, shape (n_classes, n_freqs, n_channels, n_channels)
        Class moments of the features.
    natural_step : float
        η α that is tried next.
    n_stagnant : int
        Layers in a row that hardly raised ΔR.
    momentum_age : int
        Layers tried since the momentum last started from nothing.
    """

    layers: tuple[Layer, ...]
    rates: tuple[tuple[float, float], ...]
    M_j: Array
    natural_step: float
    n_stagnant: int
    momentum_age: int


@dataclass(frozen=True, eq=False)
class _Solution:
    """Operators and rates of features, both read off their moments."""

    M_j: Array
    operators: Array
    logdets: Array
    R: float
    R_c: float

    @property
    def rate_reduction(self) -> float:
        return self.R - self.R_c


def construct(
    tiles: Tiles,
    class_weight: Array,
    recipe: Recipe,
    geometry: Geometry,
    *,
    on_layer: Callable[[int, float], None] | None = None,
    watch: Callable[[Layer, Array], bool] | None = None,
    start: Stage | None = None,
    on_stage: Callable[[Callable[[], Stage]], None] | None = None,
) -> Construction:
    """Build the network forward, each layer from the features that the one before it gives.

    Parameters
    ----------
    tiles : Tiles
        Training samples on the unit sphere, sorted by class; overwritten by their features.
    class_weight : float array, shape (n_classes,)
        Number, or total weight, of the samples of each class.
    recipe : Recipe
    geometry : Geometry
        Of the samples; the tiles may hold their coordinates in a span.
    on_layer : callable, optional
        Told the number of layers built and ΔR, at the start and after each layer.
    watch : callable, optional
        Given each layer that was built and the class moments of the features before it; True ends the construction.
    start : Stage, optional
        Go on from here; the tiles hold the features there.
    on_stage : callable, optional
        Given, after each layer, what tells the stage that the construction is at.

    Returns
    -------
    Construction
    """
    m = float(class_weight.sum())
    gamma = class_weight / m
    dimension, norm_weights, rate_weights = geometry.n_channels, geometry.norm_weights, geometry.rate_weights
    alpha = float(coding_alpha(dimension, m, recipe.eps))
    alpha_j = np.asarray(coding_alpha(dimension, class_weight, recipe.eps))
    residual_unit = _residual_unit(recipe, alpha_j, class_weight, dimension * float(norm_weights.sum()))
    # The operators of a layer are kept in the precision of the features, which they are applied in.
    kind = np.result_type(tiles.X.dtype, np.complex64 if tiles.paired else np.float32)

    def solve(M_j: Array, n_built: int, step_size: float) -> _Solution:
        _check_energy(M_j, norm_weights, m, n_built, recipe, step_size)
        try:
            operators, logdets = layer_operators(M_j, alpha_j, alpha, kind)
        except np.linalg.LinAlgError as error:
            raise InputError(
                f"layer {n_built + 1} of {recipe.n_layers}: eps={recipe.eps:g} is too small for the precision of the "
                f"features, I + αM is not positive definite; pass a larger eps."
            ) from error
        R, R_c = coding_rate(logdets[-1], rate_weights), class_coding_rate(logdets[:-1], gamma, rate_weights)
        return _Solution(M_j, operators, logdets, R, R_c)

    def build_layer(begin: _Solution, eta: float, beta: float) -> Layer:
        E, C = begin.operators[-1], begin.operators[:-1]
        offset = subspaces = None
        if recipe.membership == "code":
            offset = begin.logdets[:-1] @ rate_weights / dimension
        if recipe.membership == "subspace":
            rounding = rounding_share(tiles.n_channels, tiles.X.dtype)
            subspaces = principal_subspaces(
                *eigensystems(begin.M_j, tiles.largest_class), recipe.rank, rounding
            ).astype(kind)
        return Layer(
            E, C, gamma, eta, recipe.sharpness, residual_unit, beta, recipe.membership, offset, subspaces, geometry.grid
        )

    adaptive = recipe.step_size is None
    natural = FIRST_STEP if recipe.step_size is None else recipe.step_size * alpha  # η α
    in_place = not adaptive and recipe.momentum == 0
    # Eigenvectors are read off the moments where layers guess by subspaces, and by those who watch.
    exact_moments = recipe.membership == "subspace" or watch is not None
    momentum_age, n_stagnant = 0, 0
    layers: list[Layer] = []
    if start is not None:
        layers = list(start.layers)
        momentum_age, n_stagnant = start.momentum_age, start.n_stagnant
        natural = start.natural_step if adaptive else natural
    eta = natural / alpha if recipe.step_size is None else recipe.step_size
    now = solve(tiles.moments() if start is None else start.M_j, len(layers), eta)
    rates = [(now.R, now.R_c)] if start is None else list(start.rates)
    layer: Layer | None = None

    def stage() -> Stage:
        return Stage(tuple(layers), tuple(rates), now.M_j, natural, n_stagnant, momentum_age)

    if on_layer is not None:
        on_layer(len(layers), now.rate_reduction)
    while len(layers) < recipe.n_layers and n_stagnant < PATIENCE:
        beta = _momentum(recipe.momentum, momentum_age)
        momentum_age += 1
        begin = solve(tiles.extrapolate(beta, norm_weights), len(layers), eta) if beta else now
        # A step that was too long is tried again, shorter, with the same operators.
        layer = build_layer(begin, eta, beta) if layer is None or beta else replace(layer, step_size=eta)
        M_j = tiles.advance(layer, norm_weights, in_place=in_place, exact_moments=exact_moments)
        after = solve(M_j, len(layers) + 1, eta)
        growth = after.rate_reduction - now.rate_reduction
        if adaptive and growth < 0:
            if beta:
                momentum_age = 0  # where the features came from no longer tells where to go
                layer = None
                continue
            natural /= 2
            eta = natural / alpha
            if natural < SMALLEST_STEP:
                break
            continue
        if not in_place:
            tiles.accept()
        layers.append(layer)
        ended = watch is not None and watch(layer, now.M_j)
        layer = None
        rates.append((after.R, after.R_c))
        now = after
        stagnant = recipe.tol is not None and growth < recipe.tol * natural * now.rate_reduction
        n_stagnant = n_stagnant + 1 if stagnant else 0
        if on_layer is not None:
            on_layer(len(layers), now.rate_reduction)
        if adaptive:
            natural = following_step(natural)
            eta = natural / alpha
        if on_stage is not None:
            on_stage(stage)
        if ended:
            break
    return Construction(tuple(layers), History(*np.array(rates).T))


def following_step(natural: float) -> float:
    """η α that is tried after a layer of η α that raised ΔR."""
    return min(natural * GROWTH, LARGEST_STEP)


def _residual_unit(recipe: Recipe, alpha_j: Array, class_weight: Array, n_coefficients: float) -> Array:
    """What the residual of each class is measured in; shape (n_classes,)."""
    if recipe.membership == "code":
        return n_coefficients / class_weight
    if recipe.membership == "relu" or (recipe.membership == "softmax" and recipe.relative_residual):
        return alpha_j
    return np.ones(len(alpha_j))


def _momentum(momentum: float | str, age: int) -> float:
    """β of a layer: none in the first, which has no layer before it; "nesterov" lets it grow towards 1."""
    if not age:
        return 0.0
    return age / (age + 3) if isinstance(momentum, str) else momentum


def _check_energy(M_j: Array, norm_weights: Array, m: float, n_built: int, recipe: Recipe, step_size: float) -> None:
    """Refuse to go on when features left the unit sphere: m of them have the energy m, unless something overflowed."""
    energy = np.einsum("p,jpcc->", norm_weights, M_j).real
    if not abs(energy - m) < 1e-3 * m:
        raise InputError(
            f"layer {max(1, n_built)} of {recipe.n_layers}: the features are not finite with eps={recipe.eps:g} and "
            f"step_size={step_size:g}; pass a larger eps or a smaller step_size."
        )
