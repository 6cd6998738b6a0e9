"""What a page needs of a classifier; the page is below the estimators, which call it."""

from collections.abc import Sequence
from typing import Any, Protocol

from ..evidence.leave_one_out import Evidence
from ..measures.measure import AnswerMeasure
from ..network.history import History
from ..network.network import Network
from ..numerics.arrays import Array


class ShownClassifier(Protocol):
    """A fitted classifier, such as :class:`redunet.ReduNetClassifier`."""

    network_: Network
    answers_: AnswerMeasure
    history_: History
    evidence_: Evidence
    classes_: Array
    sample_shape_: tuple[int, ...]
    lift_: Any
    membership_: str
    eps_: float
    n_layers_: int
    loo_score_: float

    def distances(self, X: Any) -> Array:
        """Distance of each sample to each class; shape (n_samples, n_classes)."""

    def predict(self, X: Any) -> Array:
        """The nearest class of each sample."""

    def score(self, X: Any, y: Sequence[Any] | Array) -> float:
        """Accuracy on labelled samples."""
