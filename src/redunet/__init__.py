"""White-box deep networks, built forward from the principle of rate reduction.

The flow::

    samples -> blocks V[freq, channel, sample] -> (moments -> operators -> step) × layers
            -> features -> class subspaces -> answer

``ReduNetClassifier`` classifies, ``ReduNet`` gives features, ``rate_reduction`` is what its layers increase.
"""

from .estimators import NearestSubspaceClassifier, ReduNet, ReduNetClassifier
from .rates import class_coding_rate, coding_rate, rate_reduction

__version__ = "0.1.0"

__all__ = [
    "NearestSubspaceClassifier",
    "ReduNet",
    "ReduNetClassifier",
    "class_coding_rate",
    "coding_rate",
    "rate_reduction",
]
