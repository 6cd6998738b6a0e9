"""White-box deep networks, built forward from the principle of rate reduction.

The flow::

    samples -> lift -> blocks V[freq, channel, sample] -> (moments -> operators -> step) × layers
            -> features -> class subspaces -> answer

``ReduNetClassifier`` classifies, ``ReduNet`` gives features, ``RateReductionClustering`` finds clusters, and
``rate_reduction`` is what layers increase.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .coding_rates import class_coding_rate, coding_rate, rate_reduction
    from .estimators import NearestSubspaceClassifier, RateReductionClustering, ReduNet, ReduNetClassifier
    from .estimators.explanation import Explanation
    from .estimators.loading import load
    from .lift.lift import Lift
    from .lift.peak_lift import PeakLift
    from .lift.polar import PolarGrid
    from .lift.pooled_lift import PooledLift
    from .lift.ring_lift import RingLift
    from .storage.checkpoint import Checkpoint
    from .storage.model_file_error import ModelFileError

__version__ = "0.2.0"

__all__ = [
    "Checkpoint",
    "Explanation",
    "Lift",
    "ModelFileError",
    "NearestSubspaceClassifier",
    "PeakLift",
    "PolarGrid",
    "PooledLift",
    "RateReductionClustering",
    "ReduNet",
    "ReduNetClassifier",
    "RingLift",
    "class_coding_rate",
    "coding_rate",
    "load",
    "rate_reduction",
]

# Names are loaded when they are first used: scikit-learn alone takes a second.
_ROOMS = dict.fromkeys(
    ("NearestSubspaceClassifier", "RateReductionClustering", "ReduNet", "ReduNetClassifier"), "estimators"
)
_ROOMS |= dict.fromkeys(("class_coding_rate", "coding_rate", "rate_reduction"), "coding_rates")
_ROOMS |= {"Lift": "lift.lift", "PolarGrid": "lift.polar", "PooledLift": "lift.pooled_lift"}
_ROOMS |= {"PeakLift": "lift.peak_lift", "RingLift": "lift.ring_lift"}
_ROOMS |= {"ModelFileError": "storage.model_file_error", "Checkpoint": "storage.checkpoint"}
_ROOMS |= {"load": "estimators.loading", "Explanation": "estimators.explanation"}


def __getattr__(name: str) -> object:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_ROOMS[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
