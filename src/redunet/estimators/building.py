"""From checked parameters to a network."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ..evidence.selection import MOST_LAYERS, Entered
from ..inputs.errors import InputError, NoLayerWarning, Option
from ..inputs.labels import Labels
from ..inputs.parameters import (
    CONVENTIONS,
    MEMBERSHIPS,
    check_choice,
    check_eps,
    check_flag,
    check_momentum,
    check_positive,
    check_step_size,
    check_tol,
    check_whole,
)
from ..network.construct import FIRST_STEP, Recipe, Stage, construct, following_step
from ..network.history import History
from ..numerics.arrays import Array
from ..numerics.operators import coding_alpha
from ..storage.checkpoint import Checkpoint, Progress, identity_of
from ..terminal.progress import progress_of
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
    warm_start: bool
    verbose: int
    history_: History
    n_layers_: int

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

    def _adds_layers(self, samples: Array, labels: Labels) -> bool:
        """Whether this fit adds layers to the network that is there (``warm_start``), which must be of such samples."""
        check_flag("warm_start", self.warm_start)
        if not self.warm_start or not hasattr(self, "network_"):
            return False
        if self._chooses("n_layers"):
            raise InputError(
                "{warm} adds layers up to {layers}; pass a number for {layers}.",
                warm=Option("warm_start", True),
                layers=Option("n_layers"),
            )
        if self.n_layers < self.n_layers_:
            raise InputError(
                "{warm} adds layers, but {asked} and there are {n_built} already; pass a larger {layers}, or {cold}.",
                warm=Option("warm_start", True),
                asked=Option("n_layers", self.n_layers),
                n_built=self.n_layers_,
                layers=Option("n_layers"),
                cold=Option("warm_start", False),
            )
        same = self.sample_shape_ == samples.shape[1:] and np.array_equal(self.classes_, labels.classes)
        if not same or self.network_.dtype != samples.dtype:
            raise InputError(
                "{warm} goes on with the samples of the fit before, but their shape, type or classes are others; pass "
                "those samples, or {cold}.",
                warm=Option("warm_start", True),
                cold=Option("warm_start", False),
            )
        return True

    def _stage(self, recipe: Recipe, entered: Entered) -> Stage:
        """Where the network that is there ends; the tiles are carried there."""
        layers, geometry = tuple(self.network_.layers), entered.network.geometry
        entered.tiles.carry(layers, geometry.norm_weights, more_to_come=True)
        alpha = float(coding_alpha(geometry.n_channels, entered.class_weight.sum(), recipe.eps))
        rates = tuple(zip(self.history_.coding_rate.tolist(), self.history_.class_coding_rate.tolist(), strict=True))
        natural = following_step(layers[-1].step_size * alpha) if layers else FIRST_STEP
        return Stage(layers, rates, entered.tiles.moments(), natural, 0, len(layers))

    @contextmanager
    def _saved(
        self, checkpoint: Any, samples: Array, labels: Labels, weights: Array, *, adds_layers: bool
    ) -> Iterator[Progress | None]:
        """Where the progress of this fit is kept, if it is to be; removed when the fit comes to its end."""
        where = Checkpoint.of(checkpoint)
        if where is None:
            yield None
            return
        identity = identity_of(self, samples, labels, weights, adds_layers=adds_layers)
        with Progress(where, identity) as saved:
            yield saved
            saved.done()

    _memberships: tuple[str, ...] = MEMBERSHIPS

    def _chooses(self, name: str) -> bool:
        """Whether an option is left to the evidence, in an estimator that can find it."""
        return False

    def _build(
        self,
        recipe: Recipe,
        entered: Entered,
        samples: Array,
        labels: Labels,
        saved: Progress | None = None,
        start: Stage | None = None,
    ) -> None:
        """Build and keep the network and its history; the tiles become the features of the training samples."""
        shown = progress_of(recipe.n_layers, self.verbose)
        network, tiles = entered.network, entered.tiles
        on_stage = None
        if saved is not None:
            start = saved.found(tiles) or start

            def on_stage(stage: Callable[[], Stage]) -> None:
                saved.offer(tiles, stage)

        built = construct(
            tiles, entered.class_weight, recipe, network.geometry, on_layer=shown, start=start, on_stage=on_stage
        )
        if shown is not None:
            shown.done(len(built.layers), float(built.history.rate_reduction[-1]))
        self._keep(replace(network, layers=built.layers), samples, labels)
        self.history_ = built.history
        self.n_layers_ = len(built.layers)
        if recipe.n_layers and not built.layers:
            warnings.warn(
                f"no layer raises ΔR with these samples: the network has none, though n_layers={recipe.n_layers}. "
                f"membership={recipe.membership!r} may be too soft at sharpness={recipe.sharpness:g}; pass a larger "
                f"sharpness, or another membership or eps.",
                NoLayerWarning,
                stacklevel=3,
            )
