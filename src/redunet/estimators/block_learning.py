"""Fits to samples in blocks, which tasks read, here or on other machines; nobody has all samples at once."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..evidence.block_set import BlockSet
from ..evidence.gathered_moments import GatheredMoments
from ..evidence.survey import Survey
from ..evidence.training_set import SAMPLES_FOR_EVIDENCE
from ..fast.block_tasks import BlockTasks, put_together
from ..inputs.declared_classes import places_among, read_classes
from ..inputs.errors import Data, InputError, Option
from ..inputs.labels import Labels
from ..inputs.parameters import check_shape
from ..inputs.samples import sample_shape_of
from ..network.carried_blocks import moments_of, summed
from ..network.memory import refuse_large_moments
from ..network.network import Network
from ..network.recipe import Recipe
from ..network.stored_stage import ConstructionProgress
from ..numerics.arrays import Array
from .block_reading import (
    BlockReader,
    RawBlock,
    SurveyedMoments,
    added_up,
    entered_of,
    gathered_of,
    survey_of,
    surveyed_moments_of,
)
from .moment_learning import MomentLearner
from .reading import TrainingData


@dataclass(frozen=True, eq=False)
class SampleBlocks:
    """Labelled samples in blocks, and whoever does tasks on them.

    Parameters
    ----------
    tasks : BlockTasks
    blocks : sequence of RawBlock
        Whose parts are handles.
    row_shape : tuple of int, optional
        Shape of a sample as it comes, where that is known before any is read.
    dtype : float32 or float64, optional
        Precision of the samples, where that is known before any is read.
    """

    tasks: BlockTasks
    blocks: Sequence[RawBlock]
    row_shape: tuple[int, ...] | None = None
    dtype: np.dtype | None = None

    def each(self, task: Callable[..., Any], *shared: Any) -> list[Any]:
        """Handles of what a task makes of each block; ``shared`` are its first arguments."""
        return [self.tasks.call(task, *shared, *block) for block in self.blocks]


class BlockLearner(MomentLearner):
    """What an estimator has that can be fitted to samples in blocks."""

    # Whether a fit to blocks is going on, which has few samples at hand.
    _in_blocks: bool = False

    def fit_blocks(self, blocks: SampleBlocks, classes: Any = None, checkpoint: Any = None) -> Self:
        """Build the network from samples in blocks; the bits depend on the blocks, and not on who does the tasks.

        Lift and evidence come from a few samples, which their values choose; the constant coordinate, the moments and,
        with ``construction="samples"``, the layers come from all of them.

        Parameters
        ----------
        blocks : SampleBlocks
        classes : array-like, optional
            All labels there may be.
        checkpoint : str, path or Checkpoint, optional
            As in ``fit``.
        """
        recipe = self.check_parameters()
        declared = None if classes is None else read_classes(classes)
        moments = self.construction == "moments"
        if moments:
            self._refuse_progress(checkpoint)
        elif self.warm_start:
            raise InputError(
                "{warm} goes on with samples that are in memory, and blocks are not; leave it out, and pass a larger "
                "{layers}.",
                warm=Option("warm_start", True),
                layers=Option("n_layers"),
            )
        if isinstance(self.class_weight, str):
            raise InputError(
                "{weight} needs the number of samples of every class before the first block is counted; pass a dict of "
                "weights by label.",
                weight=Option("class_weight", self.class_weight),
            )
        if not len(blocks.blocks):
            raise InputError("{data} has no blocks; pass samples.", data=Data("X"))
        with self._fitting_blocks():
            reader = BlockReader(clone(self), declared, self._survey_size())
            if moments:
                return self._fit_moments_of_blocks(recipe, blocks, reader)
            return self._fit_samples_in_blocks(recipe, blocks, reader, checkpoint)

    def _fit_moments_of_blocks(self, recipe: Recipe, blocks: SampleBlocks, reader: BlockReader) -> Self:
        """One pass over the samples where it is known how they enter, two where that has to be learned."""
        nothing = self._empty_samples(blocks)
        if nothing is not None and not self._learns_before_entrance and self._lift_is_given(nothing):
            geometry = self._geometry(nothing.shape[1:], float)
            labels = Labels.of(np.empty(0), np.empty(0, dtype=np.int64))
            with self._fast_and_announced():
                network = self._begin(recipe, TrainingData(nothing, labels, np.empty(0), geometry))
            refuse_large_moments(network, 2 if reader.declared is None else len(reader.declared))
            shared = blocks.tasks.share(reader), blocks.tasks.share(network)
            together = put_together(blocks.tasks, added_up, blocks.each(surveyed_moments_of, *shared))
            found = _refuse_no_samples(None if together is None else together.survey)
            self._refuse_bad_classes(found, nothing)
            gathered = _among_declared(together, reader.declared)
        else:
            found = self._surveyed(blocks, reader)
            few = self._few_samples(found)
            with self._fast_and_announced():
                network = self._begin(recipe, few)
            classes = found.classes if reader.declared is None else reader.declared
            refuse_large_moments(network, len(classes))
            shared = blocks.tasks.share(reader), blocks.tasks.share(network)
            gathered = put_together(blocks.tasks, added_up, blocks.each(gathered_of, *shared, classes))
        classes = found.classes if reader.declared is None else reader.declared
        reservoir = found.reservoir.of_size(int(self.evidence_samples)).recoded(places_among(found.classes, classes))
        self._keep_layout(found)
        return self._finish(recipe, network, GatheredMoments(gathered.M, gathered.class_weight, reservoir), classes)

    def _fit_samples_in_blocks(
        self, recipe: Recipe, blocks: SampleBlocks, reader: BlockReader, checkpoint: Any
    ) -> Self:
        """A pass over the samples for the survey, and one for their entrance; from there on features stay in memory."""
        tasks, found = blocks.tasks, self._surveyed(blocks, reader)
        _refuse_classes_without_samples(found, reader.declared)
        few, k = self._few_samples(found), len(found.classes)
        with self._computing_from(checkpoint, _fingerprint(found), found.classes, adds_layers=False) as saved:
            remembered = None if saved is None else saved.choices()
            network = self._begin(recipe, few) if remembered is None else self._begin_again(remembered, recipe, few)
            refuse_large_moments(network, k)
            shared = tasks.share(reader), tasks.share(network), found.classes
            inside = tasks.keep(blocks.each(entered_of, *shared))
            M = put_together(tasks, summed, [tasks.call(moments_of, block) for block in inside])
            reservoir = found.reservoir.of_size(int(self.evidence_samples))
            gathered = GatheredMoments(M, found.class_weight, reservoir)
            training = BlockSet(network, gathered, found.classes, tasks, inside, bool(recipe.momentum))
            del inside  # the features at the entrance are let go as soon as no layer needs them
            if remembered is None:
                recipe = self._choose_by_moments(recipe, training)
                if saved is not None:
                    self._remember_choices(saved, recipe)
            else:
                recipe = self._choose_again(remembered)
            self._keep_layout(found)
            built = self._construct(recipe, training, saved, adds_layers=False)
            self._keep_built(built, training, self.sample_shape_)
            self._keep_answers(recipe, built)
            self._warn_of_few(reservoir.samples)
            self._forget_moments()
        return self

    @contextmanager
    def _fitting_blocks(self) -> Iterator[None]:
        """Context in which no lift is taken that needs all samples at once."""
        self._in_blocks = True
        try:
            yield
        finally:
            del self._in_blocks

    @property
    def _has_all_samples(self) -> bool:
        """Whether all samples are at hand, and not moments or blocks alone."""
        return self.construction == "samples" and not self._in_blocks

    @property
    def _learns_before_entrance(self) -> bool:
        """Whether a constant coordinate, a scale or a kernel is learned from samples before any of them can enter."""
        return self._learns_constant or self._learns_scale or self.kernel is not None

    def _survey_size(self) -> int:
        """Samples that a survey keeps: those for evidence, and enough to learn a lift, a scale or a kernel from."""
        nothing = self._takes_no_lift() and not self._learns_scale and self.kernel is None
        least = 0 if nothing else SAMPLES_FOR_EVIDENCE
        return max(int(self.evidence_samples), least)

    def _takes_no_lift(self) -> bool:
        """Whether there is no lift, whatever the samples are."""
        return True

    def _lift_is_given(self, samples: Array) -> bool:
        """Whether samples of this shape enter without a lift, or by one that is fitted already."""
        return True

    def _empty_samples(self, blocks: SampleBlocks) -> Array | None:
        """No samples, in the layout of those of the blocks; None where that is not known before they are read."""
        if blocks.row_shape is None or blocks.dtype is None:
            return None
        layout = check_shape("sample_shape", self.sample_shape)
        shape = sample_shape_of((0, *blocks.row_shape), self.invariance, layout)
        return np.empty((0, *shape), dtype=blocks.dtype)

    def _surveyed(self, blocks: SampleBlocks, reader: BlockReader) -> Survey:
        """The survey of all samples, which is refused where nothing can be learned from them."""
        each = blocks.each(survey_of, blocks.tasks.share(reader))
        found = _refuse_no_samples(put_together(blocks.tasks, added_up, each))
        self._refuse_bad_classes(found, found.reservoir.samples)
        return found

    def _refuse_bad_classes(self, found: Survey, samples: Array) -> None:
        labels, weights = found.stand_ins()
        self._refuse_small_classes(samples, labels, weights)

    def _few_samples(self, found: Survey) -> TrainingData:
        """The samples that the survey kept, in the geometry of all samples."""
        kept = found.reservoir
        geometry = self._geometry(kept.samples.shape[1:], lambda: found.root_mean_square_norm)
        return self._with_entrance(
            TrainingData(kept.samples, Labels.of(found.classes, kept.codes), kept.weights, geometry)
        )

    def _keep_layout(self, found: Survey) -> None:
        """Set what is known of X."""
        self.sample_shape_ = found.reservoir.samples.shape[1:]
        self.n_features_in_ = math.prod(found.row_shape)
        if found.names is not None:
            self.feature_names_in_ = np.array(found.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _begin_again(self, remembered: tuple[Recipe, dict[str, Any]], recipe: Recipe, few: TrainingData) -> Network:
        """The network without layers of a fit that was interrupted."""
        return self._begin(recipe, few)

    def _choose_again(self, remembered: tuple[Recipe, dict[str, Any]]) -> Recipe:
        """The recipe of a fit that was interrupted, and what it chose beside it."""
        return remembered[0]

    def _remember_choices(self, saved: ConstructionProgress, recipe: Recipe) -> None:
        """Write what was chosen for the next call, should this one be interrupted; here nothing is."""

    def _warn_of_few(self, samples: Array) -> None:
        """Warn where the samples that were kept show that nothing tells the classes apart; here nothing is answered."""


def _refuse_no_samples(found: Survey | None) -> Survey:
    if found is None:
        raise InputError("{data} has no samples in any of its blocks; pass some.", data=Data("X"))
    if not found.class_weight.any():
        raise InputError(
            "{option} is zero for every sample; give at least two samples of each class a weight > 0.",
            option=Option("sample_weight"),
        )
    return found


def _refuse_classes_without_samples(found: Survey, declared: Array | None) -> None:
    missing = [] if declared is None else np.setdiff1d(declared, found.classes).tolist()
    if missing:
        raise InputError(
            "class {label!r} has no samples, and with {samples} every class needs some; leave it out of {classes}, or "
            "pass {moments}.",
            label=missing[0],
            samples=Option("construction", "samples"),
            classes=Data("classes"),
            moments=Option("construction", "moments"),
        )


def _among_declared(together: SurveyedMoments, declared: Array | None) -> GatheredMoments:
    """Moments among all classes that were declared, if any were."""
    survey, gathered = together
    if declared is None:
        return gathered
    return gathered.recoded(places_among(survey.classes, declared), len(declared))


def _fingerprint(found: Survey) -> list[Array]:
    """Arrays that say which samples a fit belongs to, without reading all of them again."""
    kept = found.reservoir
    numbers = np.array([found.largest, found.squares])
    return [found.blocks, found.n_rows, found.counts, found.class_weight, numbers, kept.samples, kept.codes]
