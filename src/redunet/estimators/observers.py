"""Who looks on while the network of an estimator is built: the line of progress, the checkpoint."""

from typing import Any

from ..network.construct import Construction, Observer
from ..network.geometry import Geometry
from ..network.stored_stage import ConstructionProgress


class ProgressObserver(Observer):
    """Shows the number of layers and ΔR.

    Parameters
    ----------
    shown : callable
        Given the number of layers built and ΔR.
    """

    def __init__(self, shown: Any) -> None:
        self.shown = shown

    def begin(self, construction: Construction) -> None:
        """Show where the construction begins."""
        self.shown(len(construction.layers), construction.rate_reduction)

    def layer_added(self, construction: Construction) -> bool:
        """Show another layer."""
        self.begin(construction)
        return False


class CheckpointWriter(Observer):
    """Writes the stage that the construction is at, when it is time to.

    Parameters
    ----------
    saved : ConstructionProgress
    geometry : Geometry
        Where features live.
    """

    def __init__(self, saved: ConstructionProgress, geometry: Geometry) -> None:
        self.saved, self.geometry = saved, geometry

    def layer_added(self, construction: Construction) -> bool:
        """Offer the stage after another layer."""
        self.saved.offer(construction.carrier, construction.stage, self.geometry)
        return False
