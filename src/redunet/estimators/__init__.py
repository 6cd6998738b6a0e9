"""Estimators with scikit-learn's interface: check -> entrance -> choose -> construct -> store.

``features``, ``classifier``, ``nearest`` and ``clusters`` have one estimator each; ``reading``, ``building`` and
``answering`` are what they have in common, in the order in which a fit needs them; ``explaining`` says why an answer
was given.
"""

from .classifier import ReduNetClassifier
from .clusters import RateReductionClustering
from .features import ReduNet
from .nearest import NearestSubspaceClassifier

__all__ = ["NearestSubspaceClassifier", "RateReductionClustering", "ReduNet", "ReduNetClassifier"]
