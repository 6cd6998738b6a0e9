"""A fitted classifier as an exhibit that the page can run."""

from typing import Any

from ..numerics.arrays import Array
from .classifier_data import class_names, classifier_data
from .network_data import array_data, history_data
from .shown_classifier import ShownClassifier

MOVING_TITLE = "Move it: the features move along, the answer stays"


def live_network(clf: ShownClassifier, samples: Array, labels: Array, caption: str) -> dict[str, Any]:
    """A network for the page to run, with samples that the reader can move.

    Where the page has no script for one of the measures, the exhibit comes without a classifier, and the page says so.
    """
    classifier = classifier_data(clf)
    if classifier is None:
        return {"kind": "network", "title": MOVING_TITLE, "caption": None, "classifier": None}
    found = {"kind": "network", "title": MOVING_TITLE, "caption": caption, "classifier": classifier}
    return found | live_samples(clf, samples, labels)


def live_samples(clf: ShownClassifier, samples: Array, labels: Array) -> dict[str, Any]:
    """Samples that the reader can move, what Python answers them, and the rates of the layers, if there are any."""
    distances = clf.distances(samples)
    return {
        "samples": [
            {"label": label, "values": array_data(sample.reshape(clf.sample_shape_))}
            for sample, label in zip(samples, class_names(labels.tolist()), strict=True)
        ],
        "history": history_data(getattr(clf, "history_")) if clf.network_.layers else None,  # noqa: B009
        "expected": [{"answer": int(row.argmin()), "distances": row.tolist()} for row in distances],
    }
