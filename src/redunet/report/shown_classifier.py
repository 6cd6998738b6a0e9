"""What a page needs of a classifier; the page is below the estimators, which call it."""

from collections.abc import Sequence
from typing import Any, Protocol

from ..evidence.leave_one_out import Evidence
from ..measures.measure import AnswerMeasure
from ..network.network import Network
from ..numerics.arrays import Array


class ShownClassifier(Protocol):
    """A fitted classifier, such as :class:`redunet.ReduNetClassifier`.

    Those with layers have ``history_`` and ``n_layers_``, too, those with a lift ``lift_``.
    """

    invariance: str | None
    network_: Network
    answers_: AnswerMeasure
    further_answers_: tuple[Any, ...]
    aligned_answer_: Any
    answer_weight_: float
    evidence_: Evidence
    classes_: Array
    sample_shape_: tuple[int, ...]
    loo_score_: float
    _seen: Array | None
    _sharpness: float
    _doubt: float
    _class_offsets: Array | None

    def distances(self, X: Any) -> Array:
        """Distance of each sample to each class; shape (n_samples, n_classes)."""

    def probabilities_of(self, distances: Array) -> Array:
        """Probability of each class for samples whose distances are known; shape (n_samples, n_classes)."""

    def explain(self, X: Any) -> Any:
        """Why samples are answered as they are: see :class:`redunet.Explanation`."""

    def predict(self, X: Any) -> Array:
        """The nearest class of each sample."""

    def score(self, X: Any, y: Sequence[Any] | Array) -> float:
        """Accuracy on labelled samples."""
