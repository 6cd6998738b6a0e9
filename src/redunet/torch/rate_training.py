"""Training by the rate reduction itself: features that span more together, less class by class; then closed forms."""

from copy import copy
from typing import Any

import numpy as np
from torch import Tensor

from ..inputs.labels import Labels
from ..measures.measure import MeasureOptions
from ..numerics.arrays import Array
from .classifier_module import ClassifierModule
from .tensor_rates import rate_reduction


class MinusRateReduction:
    """Minus the rate reduction ΔR of the features of a batch, to be made small.

    Parameters
    ----------
    clf : ReduNetClassifier
        Fitted; it says ε and where features live.
    """

    def __init__(self, clf: Any) -> None:
        grid = clf.network_.geometry.grid
        self.eps = float(getattr(clf, "eps_", None) or 0.3)
        self.invariance = {0: None, 1: "shift"}.get(len(grid), "translation")
        self.convention = getattr(clf, "convention", "exact")

    def __call__(self, module: ClassifierModule, X: Tensor, codes: Tensor, weights: Tensor) -> Tensor:
        """Minus ΔR of samples of these classes and weights."""
        features = module.features(X)
        options = {"invariance": self.invariance, "convention": self.convention, "sample_weight": weights}
        return -rate_reduction(features, codes, self.eps, **options)


def with_closed_form_answers(clf: Any, X: Array, codes: Array, weights: Array) -> Any:
    """The classifier with the answers that the features of labelled samples have now, as a construction ends with.

    Parameters
    ----------
    clf : ReduNetClassifier
    X : array, shape (n_samples, *sample_shape)
    codes : int array, shape (n_samples,)
        Numbers of the classes of the samples.
    weights : float array, shape (n_samples,)
    """
    found, network = copy(clf), clf.network_
    seen = np.unique(codes) if clf._seen is None else clf._seen
    labels = Labels.of(clf.classes_[seen], np.searchsorted(seen, codes))
    tiles = network.tiles(labels.bounds, len(seen))
    in_order = weights[labels.order]
    for rows, V in network.invariant_blocks(X[labels.order]):
        tiles.fill(rows.start, V, in_order[rows])
    moments = network.class_moments(tiles, np.bincount(labels.codes, weights))
    options = MeasureOptions(float(getattr(clf, "eps_", None) or 0.3), clf.rank_ or 1)
    found.answers_ = type(clf.answers_).of_moments(moments, options)
    return found
