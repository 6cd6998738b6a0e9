"""From checked parameters to a network."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ..evidence.depth import LAYERS_TRIED
from ..evidence.moment_set import Training
from ..evidence.view_set import ViewSet
from ..fast.compile_notice import announced_compilation
from ..inputs.errors import InputError, NoLayerWarning, Option
from ..inputs.labels import Labels
from ..inputs.parameters import (
    CONVENTIONS,
    check_choice,
    check_eps,
    check_flag,
    check_momentum,
    check_positive,
    check_step_size,
    check_tol,
    check_whole,
)
from ..measures.measure import Measure
from ..measures.registry import MEASURES
from ..network.carrier import Carrier
from ..network.construct import Construction, Observer, Stage, construct
from ..network.history import History
from ..network.recipe import Recipe
from ..network.step_control import FIRST_STEP, StepState, following_step
from ..network.stored_stage import ConstructionProgress
from ..numerics.arrays import Array
from ..storage.checkpoint import Checkpoint, Progress
from ..storage.expectations import expect
from ..storage.fit_identity import identity_of
from ..storage.stored_types import stored_attributes
from ..terminal.progress import progress_of
from .layer_callbacks import LayerCallbacks, TakesCallbacks, has_callbacks
from .observers import CheckpointWriter, ProgressObserver
from .reading import LabelledSampleReader, TrainingData

# What the construction takes where the evidence has nothing to say.
USUAL_EPS, USUAL_SHARPNESS = 0.3, 50.0


@stored_attributes(history_=History, n_layers_=int)
class NetworkBuilder(TakesCallbacks, LabelledSampleReader):
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
        n_layers, eps, sharpness = LAYERS_TRIED, USUAL_EPS, USUAL_SHARPNESS
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

    _memberships: tuple[str, ...] = tuple(MEASURES)

    def _chooses(self, name: str) -> bool:
        """Whether an option is left to the evidence, in an estimator that can find it."""
        return False

    def _refuse_basis_of_kernel(self, membership: str, measure: type[Measure]) -> None:
        """Features of a kernel have no coordinates of their own that a measure could look at one by one."""
        if self.kernel is not None and not measure.free_of_basis:
            raise InputError(
                "{membership} acts on each coordinate by itself, and features of a {kernel} have no coordinates of "
                "their own; pass another {option}, or {off}.",
                membership=Option("membership", membership),
                kernel=Option("kernel"),
                option=Option("membership"),
                off=Option("kernel", None),
            )

    def _adds_layers(self, samples: Array, labels: Labels) -> bool:
        """Whether this fit adds layers to the network that is there (``warm_start``), which must be of such samples."""
        check_flag("warm_start", self.warm_start)
        if not self.warm_start or not hasattr(self, "network_"):
            return False
        self._refuse_other_draws()
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
        lift = self.network_.lift  # one that pools computes in single precision, whatever the samples are
        same_type = self.network_.dtype == samples.dtype or (lift is not None and lift.is_invariant)
        if not (same and same_type):
            raise InputError(
                "{warm} goes on with the samples of the fit before, but their shape, type or classes are others; pass "
                "those samples, or {cold}.",
                warm=Option("warm_start", True),
                cold=Option("warm_start", False),
            )
        return True

    @contextmanager
    def _fast_and_announced(self) -> Iterator[None]:
        """Context of what is computed: one BLAS thread at a time, and a notice when kernels are compiled."""
        with self._threads(), announced_compilation():
            yield

    def _computing(
        self, checkpoint: Any, data: TrainingData, *, adds_layers: bool
    ) -> AbstractContextManager[ConstructionProgress | None]:
        """Context of a fit to samples in memory; see :meth:`_computing_from`."""
        arrays = [data.samples, data.labels.codes, data.weights, *([] if data.groups is None else [data.groups])]
        return self._computing_from(checkpoint, arrays, data.labels.classes, adds_layers=adds_layers)

    @contextmanager
    def _computing_from(
        self, checkpoint: Any, arrays: Sequence[Array], classes: Array, *, adds_layers: bool
    ) -> Iterator[ConstructionProgress | None]:
        """Context of a fit: one BLAS thread at a time, a notice when kernels are compiled, and its progress on disk.

        Gives the progress that an interrupted fit left, and where this one writes its own; None without a checkpoint.
        It is removed when the fit comes to its end. ``arrays`` and ``classes`` say which samples it is fitted to.
        """
        with self._fast_and_announced():
            where = Checkpoint.of(checkpoint)
            if where is None:
                yield None
                return
            self._refuse_other_draws()
            start = {"network": self.network_, "history": self.history_} if adds_layers else None
            identity = identity_of(self, arrays, classes, start)
            with Progress(where, identity) as progress:
                yield ConstructionProgress(progress)
                progress.done()

    def _refuse_other_draws(self) -> None:
        """A fit that goes on after an interruption needs the landmarks, and the views, that it began with."""
        drawn = {"kernel": "landmarks", "augment": "views"}
        used = [name for name in drawn if getattr(self, name, None) is not None]
        if used and self.random_state is None:
            raise InputError(
                "a fit with {option} and {random} draws other {drawn} each time, and could not go on where another "
                "ended; pass a number, such as {number}.",
                option=Option(used[0]),
                drawn=drawn[used[0]],
                random=Option("random_state", None),
                number=Option("random_state", 0),
            )

    def _construct(
        self,
        recipe: Recipe,
        training: Training | ViewSet,
        saved: ConstructionProgress | None,
        *,
        adds_layers: bool,
    ) -> Construction:
        """Build the network from the training samples, or their moments, which are consumed."""
        network, moments = training.network, training.moments
        carrier: Carrier = training.consume()
        start = self._last_stage(recipe, training, carrier) if adds_layers else None
        observers: list[Observer] = []
        shown = progress_of(recipe.n_layers, self.verbose) if recipe.n_layers else None
        if shown is not None:
            observers.append(ProgressObserver(shown))
        if saved is not None:
            start = saved.found(carrier, network.geometry) or start
            observers.append(CheckpointWriter(saved, network.geometry))
        if start is not None:
            moments = moments.of_other_features(start.M, exact=carrier.dtype == np.float64)
        callbacks = None
        if has_callbacks(self):
            callbacks = LayerCallbacks(self, recipe.n_layers, lambda built: self._attributes_after(built, training))
            observers.append(callbacks)
        built = construct(carrier, moments, recipe, start=start, observers=observers)
        if callbacks is not None:
            callbacks.end(built)
        if shown is not None:
            shown.done(len(built.layers), float(built.history.rate_reduction[-1]))
        return built

    def _last_stage(self, recipe: Recipe, training: Training | ViewSet, carrier: Carrier) -> Stage:
        """Where the network that is there ends; the carrier is brought there."""
        layers, network = tuple(self.network_.layers), training.network
        carrier.carry(layers, network.geometry.norm_weights, more_to_come=True)
        moments = training.moments.of_other_features(carrier.moments(), exact=True)
        rates = tuple(zip(self.history_.coding_rate.tolist(), self.history_.class_coding_rate.tolist(), strict=True))
        natural = following_step(layers[-1].step_size * moments.alpha(recipe.eps)) if layers else FIRST_STEP
        return Stage(layers, rates, moments.M, StepState(natural, 0, len(layers)))

    def _attributes_after(self, built: Construction, training: Training | ViewSet) -> dict[str, Any]:
        """Fitted attributes of an estimator whose construction ends where this one is; for callbacks."""
        return {
            "network_": replace(training.network, layers=tuple(built.layers)),
            "classes_": training.labels.classes,
            "sample_shape_": training.sample_shape,
            "history_": built.history,
            "n_layers_": len(built.layers),
        }

    def _keep_built(self, built: Construction, training: Training | ViewSet, sample_shape: tuple[int, ...]) -> None:
        """Set what a fit leaves behind: the network, its history, the classes."""
        recipe, layers = built.recipe, tuple(built.layers)
        self._keep(replace(training.network, layers=layers), sample_shape, training.labels)
        self.history_ = built.history
        self.n_layers_ = len(layers)
        if recipe.n_layers and not layers:
            warnings.warn(
                f"no layer raises ΔR with these samples: the network has none, though n_layers={recipe.n_layers}. "
                f"membership={recipe.membership!r} may be too soft at sharpness={recipe.sharpness:g}; pass a larger "
                f"sharpness, or another membership or eps.",
                NoLayerWarning,
                stacklevel=3,
            )

    def check_stored(self, file_bytes: int) -> None:
        """Refuse parts that came from a file of this size and do not fit together."""
        super().check_stored(file_bytes)
        expect(self.n_layers_ == len(self.network_.layers), "the number of layers is another")
        self.history_.check_stored(self.n_layers_)
