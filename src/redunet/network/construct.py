"""The construction: the only loop that builds layers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..inputs.errors import InputError
from ..measures.class_moments import ClassMoments
from ..numerics.arrays import Array
from .carrier import Carrier
from .history import History
from .layer import Layer
from .recipe import Recipe
from .step_control import Step, StepControl, StepState, step_control


class Observer:
    """Looks on while a network is built: a line of progress, a checkpoint, samples held out."""

    # Whether it reads eigenvectors off the moments, which must be summed in double precision then.
    reads_eigenvectors = False

    def begin(self, construction: "Construction") -> None:
        """Called before the first layer that is built now."""

    def layer_added(self, construction: "Construction") -> bool:
        """Called after each layer; True ends the construction."""
        return False


@dataclass(frozen=True, eq=False)
class Stage:
    """A construction after some of its layers: with the features there, all that is needed to go on.

    Parameters
    ----------
    layers : tuple of Layer
    rates : tuple of (R, R_c)
        At the input and after each layer.
    M : array, shape (n_classes, n_freqs, n_channels, n_channels)
        Class moments of the features.
    steps : StepState
    """

    layers: tuple[Layer, ...]
    rates: tuple[tuple[float, float], ...]
    M: Array
    steps: StepState


class Construction:
    """A network that is being built: the layers so far, the features after them, and what is needed to go on.

    Parameters
    ----------
    carrier : Carrier
        Training samples, or their moments; overwritten by those after each layer.
    moments : ClassMoments
        Of these features.
    recipe : Recipe
    start : Stage, optional
        Go on from here; carrier and moments are those of the features there.
    exact_moments : bool
        Whether eigenvectors are read off the moments by others than the layers.
    """

    def __init__(
        self,
        carrier: Carrier,
        moments: ClassMoments,
        recipe: Recipe,
        start: Stage | None = None,
        *,
        exact_moments: bool = False,
    ) -> None:
        self.carrier, self.recipe = carrier, recipe
        self.layers: list[Layer] = list(start.layers) if start else []
        self.steps: StepControl = step_control(recipe, moments.alpha(recipe.eps), start.steps if start else None)
        self.exact_moments = exact_moments or recipe.measure.reads_eigenvectors
        # The operators of a layer are kept in the precision of the features, which they are applied in.
        self.kind = np.result_type(carrier.dtype, np.complex64 if carrier.paired else np.float32)
        self.moments = moments
        self._rates_here = self._solved(moments, len(self.layers), last=not self._may_go_on(len(self.layers)))
        self.rates: list[tuple[float, float]] = list(start.rates) if start else [self._rates_here]
        self._layer_here: Layer | None = None

    @property
    def rate_reduction(self) -> float:
        """ΔR of the present features."""
        R, R_c = self._rates_here
        return R - R_c

    @property
    def goes_on(self) -> bool:
        """Whether another layer is to be tried."""
        return len(self.layers) < self.recipe.n_layers and not self.steps.has_ended

    @property
    def history(self) -> History:
        """Coding rates at the input and after each layer."""
        return History(*np.array(self.rates).T)

    def precise_moments(self) -> ClassMoments:
        """Moments of the present features, precise enough to read eigenvectors off them."""
        if self.moments.exact:
            return self.moments
        return self.moments.of_other_features(self.carrier.moments(), exact=True)

    def stage(self) -> Stage:
        """What is needed to go on later, beside the features."""
        return Stage(tuple(self.layers), tuple(self.rates), self.moments.M, self.steps.state)

    def try_layer(self) -> bool:
        """Build one layer and carry the features through it; whether it stays, since ΔR did not fall too far."""
        step, weights = self.steps.propose(), self.moments.space.norm_weights
        layer = self._layer(step)
        M = self.carrier.advance(layer, weights, in_place=not self.steps.goes_back, exact_moments=self.exact_moments)
        after = self._moments(M)
        n_built = len(self.layers) + 1
        R, R_c = self._solved(after, n_built, step.size, last=not self._may_go_on(n_built))
        if not self.steps.accepts(step, R - R_c - self.rate_reduction, R - R_c):
            return False
        if self.steps.goes_back:
            self.carrier.accept()
        self.layers.append(layer)
        self.rates.append((R, R_c))
        self.moments, self._rates_here, self._layer_here = after, (R, R_c), None
        return True

    def _layer(self, step: Step) -> Layer:
        """The layer from the present features; of a step that was too long, the same one with a shorter step."""
        if step.momentum:
            begin = self._moments(self.carrier.extrapolate(step.momentum, self.moments.space.norm_weights))
            self._solved(begin, len(self.layers), step.size)
            self._layer_here = None
            return self._layer_of(begin, step)
        if self._layer_here is None:
            self._layer_here = self._layer_of(self.moments, step)
        same = self._layer_here.step_size == step.size
        return self._layer_here if same else replace(self._layer_here, step_size=step.size)

    def _layer_of(self, moments: ClassMoments, step: Step) -> Layer:
        """One step of gradient ascent on ΔR, from features of these moments (eqs. 4, 5, 13)."""
        recipe = self.recipe
        operators = moments.operators(recipe.eps, self.kind)
        measure = recipe.measure.of_moments(moments, recipe.measure_options, self.kind)
        return Layer(
            operators.expansion,
            operators.compression,
            moments.class_share,
            step.size,
            recipe.sharpness,
            measure,
            step.momentum,
        )

    def _moments(self, M: Array) -> ClassMoments:
        """Class moments of other features of the same samples."""
        exact = self.exact_moments or self.carrier.dtype == np.float64
        return self.moments.of_other_features(M, exact=exact)

    def _may_go_on(self, n_built: int) -> bool:
        """Whether a layer without momentum may follow after so many: it needs operators, beside the rates."""
        return n_built < self.recipe.n_layers and self.recipe.momentum == 0

    def _solved(
        self, moments: ClassMoments, n_built: int, step_size: float | None = None, *, last: bool = False
    ) -> tuple[float, float]:
        """Rates R and R_c of features, after the operators of the layer that follows, unless there will be none."""
        recipe = self.recipe
        _refuse_lost_energy(moments, n_built, recipe, self.steps.step_size if step_size is None else step_size)
        try:
            if not last:
                moments.operators(recipe.eps, self.kind)
            return moments.rates(recipe.eps)
        except np.linalg.LinAlgError as error:
            raise InputError(
                f"layer {n_built + 1} of {recipe.n_layers}: eps={recipe.eps:g} is too small for the precision of the "
                f"features, I + αM is not positive definite; pass a larger eps."
            ) from error


def construct(
    carrier: Carrier,
    moments: ClassMoments,
    recipe: Recipe,
    *,
    start: Stage | None = None,
    observers: Sequence[Observer] = (),
) -> Construction:
    """Build the network forward, each layer from the features that the one before it gives (Algorithm 1).

    Parameters
    ----------
    carrier : Carrier
        Training samples on the unit sphere, or their moments; overwritten by their features.
    moments : ClassMoments
        Of these samples.
    recipe : Recipe
    start : Stage, optional
        Go on from here; carrier and moments are those of the features there.
    observers : sequence of Observer

    Returns
    -------
    Construction
        With all its layers, and the features after the last one.
    """
    exact = any(observer.reads_eigenvectors for observer in observers)
    construction = Construction(carrier, moments, recipe, start, exact_moments=exact)
    for observer in observers:
        observer.begin(construction)
    while construction.goes_on:
        if construction.try_layer() and any([observer.layer_added(construction) for observer in observers]):
            break
    return construction


def _refuse_lost_energy(moments: ClassMoments, n_built: int, recipe: Recipe, step_size: float) -> None:
    """Refuse to go on when features left the unit sphere: m of them have the energy m, unless something overflowed."""
    m = moments.n_samples
    energy = np.einsum("p,jpcc->", moments.space.norm_weights, moments.M).real
    if not abs(energy - m) < 1e-3 * m:
        raise InputError(
            f"layer {max(1, n_built)} of {recipe.n_layers}: the features are not finite with eps={recipe.eps:g} and "
            f"step_size={step_size:g}; pass a larger eps or a smaller step_size."
        )
