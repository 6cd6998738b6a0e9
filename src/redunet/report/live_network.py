"""A fitted classifier as an exhibit that the page can run."""

from typing import Any

from ..estimators.classifier import ReduNetClassifier
from ..measures.subspace import NearestSubspaces
from ..numerics.arrays import Array
from .network_data import array_data, history_data, network_data


def live_network(clf: ReduNetClassifier, samples: Array, labels: Array, caption: str) -> dict[str, Any]:
    """A network for the page to run, with samples that the reader can move."""
    distances = clf.distances(samples)
    return {
        "kind": "network",
        "title": "Move it: the features move along, the answer stays",
        "caption": caption,
        "network": network_data(clf.network_, clf.answers_, clf.classes_),
        "samples": [
            {"label": str(label), "values": array_data(sample.reshape(clf.sample_shape_))}
            for sample, label in zip(samples, labels, strict=True)
        ],
        "history": history_data(clf.history_) if clf.n_layers_ else None,
        "expected": [{"answer": int(row.argmin()), "distances": row.tolist()} for row in distances],
    }


def megabytes(clf: ReduNetClassifier) -> float:
    """What the arrays of a network take on a page, before base64."""
    arrays = [a for layer in clf.network_.layers for a in (layer.expansion, layer.compression, layer.subspaces)]
    answers = clf.answers_
    arrays.append(answers.bases if isinstance(answers, NearestSubspaces) else answers.compression)
    return sum(8 * a.size for a in arrays if a is not None) / 2**20
