"""From features to answers in a graph: distances by one or two answers, probabilities, labels."""

import json
from typing import Any

import numpy as np

from ..estimators.answering import InvariantAnswers
from ..inputs.errors import plain_value
from ..measures.measure import Measure
from ..network.network import Network
from ..numerics.arrays import Array
from .entrance_nodes import after_network
from .graph_builder import Tensor
from .measure_nodes import residuals

# Distance of every class for a sample that the filters of a second answer do not respond to, as in ``FurtherAnswer``.
DISTANCE_IN_SILENCE = 1.0
# What whole numbers can be in a file.
LARGEST_LABEL = 2**63 - 1


def distances_of(model: InvariantAnswers, samples: Tensor) -> Tensor:
    """Distances of samples to all classes; the twin of :meth:`InvariantAnswers.distances`.

    Parameters
    ----------
    model : InvariantAnswers
        A fitted classifier.
    samples : Tensor, shape (n_samples, *sample_shape)

    Returns
    -------
    Tensor, shape (n_samples, n_classes)
        Not numbers for samples that cannot be answered.
    """
    graph = samples.graph
    found: list[Tensor] = []
    if model.answer_weight_:
        with graph.part("answer"):
            one = _distances_by(model.network_, model.answers_, samples, np.nan)
        found.append(one if model.answer_weight_ == 1 else one * model.answer_weight_)
    for number, answer in enumerate(model.further_answers_):
        with graph.part(f"further_answer_{number}"):
            one = _distances_by(answer.network, answer.measure, samples, DISTANCE_IN_SILENCE)
        found.append(one * answer.weight)
    distances = found[0]
    for one in found[1:]:
        distances = distances + one
    if model._class_offsets is not None:
        distances = distances - model._class_offsets
    distances = distances + not_finite(samples, 1 + len(model.sample_shape_))
    return distances if model._seen is None else _with_unseen(distances, model._seen, len(model.classes_))


def _distances_by(network: Network, measure: Measure, samples: Tensor, in_silence: float) -> Tensor:
    """Distances after one network; those of samples that have no place there are all one number."""
    found = after_network(network, samples)
    distances = residuals(measure, found.V).transpose(1, 0)
    return distances if found.silent is None else found.silent.where(in_silence, distances)


def not_finite(samples: Tensor, n_axes: int) -> Tensor:
    """Zero for each sample, not a number where it holds something that is none or infinite; shape (n_samples, 1).

    Comparisons would take such a sample for an ordinary one.
    """
    return (samples - samples).sum(*range(1, n_axes)).unsqueeze(-1)


def _with_unseen(distances: Tensor, seen: Array, n_classes: int) -> Tensor:
    """Distances to all classes that were declared: infinite to those that have no samples yet."""
    places = np.full(n_classes, len(seen))
    places[seen] = np.arange(len(seen))
    nowhere = distances.slice(1, 0, 1) * 0.0 + np.inf  # still not a number where the sample cannot be answered
    return distances.join(nowhere, axis=1).take(places, axis=1)


def probabilities_of(model: InvariantAnswers, distances: Tensor) -> Tensor:
    """Calibrated probabilities; the twin of :meth:`InvariantAnswers.probabilities_of`."""
    shares = (distances * -model._sharpness).softmax(1)
    if not model._doubt:
        return shares
    n_classes = len(model.classes_)
    seen = np.arange(n_classes) if model._seen is None else model._seen
    evenly = np.zeros(n_classes)
    evenly[seen] = model._doubt / len(seen)
    return shares * (1 - model._doubt) + evenly


def labels_of(classes: Array, distances: Tensor) -> Tensor:
    """The label of the nearest class, of equally near ones the first; shape (n_samples,).

    Text for text, whole numbers for whole numbers, the number of the class for labels of another type.
    """
    nearest = distances.graph.node("ArgMin", distances, dtype=np.int64, axis=1, keepdims=0)
    labels = stored_labels(classes)
    return nearest if labels is None else distances.graph.constant(labels, labels.dtype).take(nearest, axis=0)


def stored_labels(classes: Array) -> Array | None:
    """Labels as a file can hold them, text or whole numbers; None for labels of any other type.

    Truth values are their numbers, 0 and 1.
    """
    values = [plain_value(one) for one in classes.tolist()]
    if all(isinstance(one, str) for one in values):
        return np.array(values, dtype=object)
    if not all(_is_whole(one) for one in values):
        return None
    return np.array([int(one) for one in values], dtype=np.int64)


def _is_whole(label: Any) -> bool:
    """Whether a label is a whole number that a file can hold."""
    if isinstance(label, float) and not label.is_integer():
        return False
    return isinstance(label, (bool, int, float)) and abs(label) <= LARGEST_LABEL


def class_names(classes: Array) -> str:
    """Labels as JSON: numbers and text as they are, others as text."""
    values = [plain_value(one) for one in classes.tolist()]
    plain = [one if isinstance(one, (str, bool, int, float)) else _text(one) for one in values]
    return json.dumps(plain, ensure_ascii=False)


def _text(label: Any) -> str:
    return label.decode(errors="replace") if isinstance(label, bytes) else str(label)
