"""From checked parameters to a network."""

from dataclasses import replace
from typing import Any

from ..network.construct import Recipe, construct
from ..network.labels import Labels
from ..numerics.arrays import Array
from ..parameters import (
    CONVENTIONS,
    MEMBERSHIPS,
    check_choice,
    check_eps,
    check_momentum,
    check_positive,
    check_step_size,
    check_tol,
    check_whole,
)
from ..progress import progress_of
from ..selection import MOST_LAYERS, Entered
from .reading import SampleReader

# What the construction takes where the evidence has nothing to say.
USUAL_EPS, USUAL_SHARPNESS = 0.3, 50.0


class NetworkBuilder(SampleReader):
    """The construction from checked parameters."""

    n_layers: Any
    eps: Any
    step_size: float | str
    membership: str
    sharpness: Any
    tol: float | None
    momentum: str | float | None
    verbose: int

    def _recipe(self) -> Recipe:
        """The options, once they are known to be right; for what "auto" will choose, the usual value."""
        self._check_layout()
        n_layers, eps, sharpness = MOST_LAYERS, USUAL_EPS, USUAL_SHARPNESS
        if not self._chooses("n_layers"):
            check_whole("n_layers", self.n_layers, 0)
            n_layers = int(self.n_layers)
        if not self._chooses("eps"):
            eps = check_eps(self.eps)
        if not self._chooses("sharpness"):
            check_positive("sharpness", self.sharpness)
            sharpness = float(self.sharpness)
        check_choice("membership", self.membership, self._memberships)
        check_choice("convention", self.convention, CONVENTIONS)
        return Recipe(
            n_layers=n_layers,
            eps=eps,
            step_size=check_step_size(self.step_size),
            sharpness=sharpness,
            relative_residual=self.convention == "exact",
            tol=check_tol(self.tol),
            momentum=check_momentum(self.momentum),
            membership=self.membership,
        )

    _memberships: tuple[str, ...] = MEMBERSHIPS

    def _chooses(self, name: str) -> bool:
        """Whether an option is left to the evidence, in an estimator that can find it."""
        return False

    def _build(self, recipe: Recipe, entered: Entered, samples: Array, labels: Labels) -> None:
        """Build and keep the network and its history; the tiles become the features of the training samples."""
        progress = progress_of(recipe.n_layers, self.verbose)
        network = entered.network
        built = construct(entered.tiles, entered.class_weight, recipe, network.geometry, on_layer=progress)
        if progress is not None:
            progress.done(len(built.layers), float(built.history.rate_reduction[-1]))
        self._keep(replace(network, layers=built.layers), samples, labels)
        self.history_ = built.history
        self.n_layers_ = len(built.layers)
