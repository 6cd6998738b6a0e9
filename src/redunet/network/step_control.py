"""How far each layer goes, and when the construction ends: fixed and automatic steps, momentum, tolerance."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

from .recipe import Recipe

# The automatic step is counted in η α: E is at most α, so η α is the share of itself that a feature moves at most.
# It starts in the middle of the range that is good for all data seen so far, grows while ΔR grows, halves when ΔR would
# fall, and gives up where a layer would hardly move anything.
FIRST_STEP, LARGEST_STEP, SMALLEST_STEP, STEP_GROWTH = 0.5, 2.0, 1e-3, 1.2
# ΔR has stopped growing when so many layers in a row hardly changed it.
STAGNANT_LAYERS = 2


class Step(NamedTuple):
    """What a layer is to do: go η along its direction, from features carried on by β times their last step."""

    size: float
    momentum: float


@dataclass(frozen=True)
class StepState:
    """Where a step control is, for a construction that goes on later.

    Parameters
    ----------
    natural_step : float
        η α that is tried next.
    n_stagnant : int
        Layers in a row that hardly raised ΔR.
    momentum_age : int
        Layers tried since the momentum last started from nothing.
    """

    natural_step: float
    n_stagnant: int = 0
    momentum_age: int = 0


class StepControl(ABC):
    """Proposes the step of each layer, and judges what became of ΔR.

    Parameters
    ----------
    recipe : Recipe
    state : StepState
    """

    def __init__(self, recipe: Recipe, state: StepState) -> None:
        self.recipe, self.state = recipe, state

    @property
    def has_ended(self) -> bool:
        """Whether no further layer is worth trying."""
        return self.state.n_stagnant >= STAGNANT_LAYERS

    @property
    @abstractmethod
    def goes_back(self) -> bool:
        """Whether the features before a layer may be needed again after it."""

    @property
    @abstractmethod
    def step_size(self) -> float:
        """η of the layer that is tried next."""

    def propose(self) -> Step:
        """The step of the layer that is tried next."""
        state = self.state
        step = Step(self.step_size, _momentum(self.recipe.momentum, state.momentum_age))
        self.state = StepState(state.natural_step, state.n_stagnant, state.momentum_age + 1)
        return step

    @abstractmethod
    def accepts(self, step: Step, growth: float, rate_reduction: float) -> bool:
        """Whether a layer stays that made ΔR grow by so much, to so much; what comes next depends on it."""

    def _stagnant_with(self, growth: float, rate_reduction: float) -> int:
        """Layers in a row that hardly raised ΔR, one that made it grow by so much included."""
        tol, natural = self.recipe.tol, self.state.natural_step
        stagnant = tol is not None and growth < tol * natural * rate_reduction
        return self.state.n_stagnant + 1 if stagnant else 0


class FixedStep(StepControl):
    """The same η for all layers, whatever becomes of ΔR."""

    @property
    def goes_back(self) -> bool:
        """Whether a layer with momentum looks back."""
        return self.recipe.momentum != 0

    @property
    def step_size(self) -> float:
        """η as it was given."""
        assert self.recipe.step_size is not None
        return self.recipe.step_size

    def accepts(self, step: Step, growth: float, rate_reduction: float) -> bool:
        """Every layer stays."""
        n_stagnant = self._stagnant_with(growth, rate_reduction)
        self.state = StepState(self.state.natural_step, n_stagnant, self.state.momentum_age)
        return True


class AutomaticStep(StepControl):
    """As far as ΔR does not fall: steps grow while it grows, and a layer that lowers it is tried again, shorter.

    Parameters
    ----------
    alpha : float
        α, which η is counted in units of one over.
    """

    goes_back = True

    def __init__(self, recipe: Recipe, state: StepState, alpha: float) -> None:
        super().__init__(recipe, state)
        self.alpha, self._gave_up = alpha, False

    @property
    def step_size(self) -> float:
        """η of the layer that is tried next."""
        return self.state.natural_step / self.alpha

    @property
    def has_ended(self) -> bool:
        """Whether ΔR has stopped growing, or a layer would hardly move anything."""
        return super().has_ended or self._gave_up

    def accepts(self, step: Step, growth: float, rate_reduction: float) -> bool:
        """A layer stays if ΔR did not fall; else the momentum starts again, or, without one, the step is halved."""
        state = self.state
        if growth >= 0:
            n_stagnant = self._stagnant_with(growth, rate_reduction)
            self.state = StepState(following_step(state.natural_step), n_stagnant, state.momentum_age)
            return True
        if step.momentum:  # where the features came from no longer tells where to go
            self.state = StepState(state.natural_step, state.n_stagnant, 0)
        else:
            self.state = StepState(state.natural_step / 2, state.n_stagnant, state.momentum_age)
            self._gave_up = self.state.natural_step < SMALLEST_STEP
        return False


def step_control(recipe: Recipe, alpha: float, state: StepState | None = None) -> StepControl:
    """The step control that a recipe asks for, at its beginning or where another one was."""
    if recipe.step_size is None:
        return AutomaticStep(recipe, state or StepState(FIRST_STEP), alpha)
    state = state or StepState(0.0)
    return FixedStep(recipe, StepState(recipe.step_size * alpha, state.n_stagnant, state.momentum_age))


def following_step(natural: float) -> float:
    """η α that is tried after a layer of η α that raised ΔR."""
    return min(natural * STEP_GROWTH, LARGEST_STEP)


def _momentum(momentum: float | str, age: int) -> float:
    """β of a layer: none in the first, which has no layer before it; "nesterov" lets it grow towards 1."""
    if not age:
        return 0.0
    return age / (age + 3) if isinstance(momentum, str) else momentum
