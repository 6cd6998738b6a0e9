"""Models from their files: the estimators that a file may name are imported here, and so registered."""

import os
from pathlib import Path
from typing import Any

from ..lift.lift import Lift
from ..lift.peak_lift import PeakLift
from ..lift.polar import PolarGrid
from ..lift.pooled_lift import PooledLift
from ..lift.ring_lift import RingLift
from ..storage.model_file import load_model
from .classifier import ReduNetClassifier
from .clusters import RateReductionClustering
from .features import ReduNet
from .nearest import NearestSubspaceClassifier

# What a model file may hold. A class that is not imported is not registered, hence refused.
LOADABLE = (
    *(Lift, NearestSubspaceClassifier, PeakLift, PolarGrid, PooledLift, RateReductionClustering, ReduNet),
    *(ReduNetClassifier, RingLift),
)


def load(path: str | os.PathLike[str]) -> Any:
    """A fitted estimator from a model file, whoever sent it: loading runs no code that the file could bring along.

    Opening is quick whatever the size of the file: layers are read one at a time when samples pass them, and every
    part is checked when it is read.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    The estimator that was saved.

    Raises
    ------
    ModelFileError
        Where the file is truncated, altered, of an unknown format, or of parts that do not fit together.
    """
    return load_model(Path(path))
