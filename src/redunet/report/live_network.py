"""A fitted classifier as an exhibit that the page can run."""

from typing import Any

from ..numerics.arrays import Array
from .network_data import array_data, history_data, network_data
from .shown_classifier import ShownClassifier


def live_network(clf: ShownClassifier, samples: Array, labels: Array, caption: str) -> dict[str, Any]:
    """A network for the page to run, with samples that the reader can move.

    Where the page has no script for one of the measures, the exhibit comes without a network, and the page says so.
    """
    title = "Move it: the features move along, the answer stays"
    network = network_data(clf.network_, clf.answers_, clf.classes_)
    if network is None:
        return {"kind": "network", "title": title, "caption": None, "network": None}
    distances = clf.distances(samples)
    return {
        "kind": "network",
        "title": title,
        "caption": caption,
        "network": network,
        "samples": [
            {"label": str(label), "values": array_data(sample.reshape(clf.sample_shape_))}
            for sample, label in zip(samples, labels, strict=True)
        ],
        "history": history_data(clf.history_) if clf.n_layers_ else None,
        "expected": [{"answer": int(row.argmin()), "distances": row.tolist()} for row in distances],
    }
