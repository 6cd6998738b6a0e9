"""Blocks of samples at the entrance of a network, which stay where they are, and a few samples for evidence."""

from collections.abc import Sequence
from typing import Any

from ..fast.block_tasks import BlockTasks
from ..fast.tiles import Tiles
from ..measures.class_moments import ClassMoments
from ..network.carried_blocks import CarriedBlocks
from ..network.network import Network
from ..numerics.arrays import Array
from .gathered_moments import GatheredMoments
from .moment_set import MomentSet
from .training_set import tiles_without


class BlockSet(MomentSet):
    """What :class:`redunet.evidence.training_set.TrainingSet` is to samples in memory, for samples in blocks.

    Parameters
    ----------
    network : Network
        Without layers.
    gathered : GatheredMoments
        Of all samples.
    classes : array, shape (n_classes,)
        Their labels.
    tasks : BlockTasks
    blocks : sequence of handles of CarriedBlock
        At the entrance.
    keeps_features_before : bool
        Whether layers have momentum.
    """

    def __init__(
        self,
        network: Network,
        gathered: GatheredMoments,
        classes: Array,
        tasks: BlockTasks,
        blocks: Sequence[Any],
        keeps_features_before: bool,
    ) -> None:
        super().__init__(network, gathered, classes)
        self.tasks, self.keeps_features_before = tasks, keeps_features_before
        self._blocks: Sequence[Any] | None = blocks

    def consume(self) -> CarriedBlocks:
        """The blocks, to be carried through layers; this set has them no more, so that their memory can be freed."""
        assert self._blocks is not None, "the blocks of this training set were consumed by a construction"
        blocks, self._blocks = self._blocks, None
        return CarriedBlocks(self.tasks, blocks, self.network, self.keeps_features_before)

    def without(self, held_out: Array) -> tuple[Tiles, ClassMoments]:
        """The samples that evidence is taken from, but some of them (a bool array), to be carried through layers."""
        return tiles_without(self.network, self.some, held_out)
