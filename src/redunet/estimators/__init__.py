"""The scikit-learn faces: check -> geometry -> construct -> keep."""

from .classifier import ReduNetClassifier
from .features import ReduNet
from .nearest import NearestSubspaceClassifier

__all__ = ["NearestSubspaceClassifier", "ReduNet", "ReduNetClassifier"]
