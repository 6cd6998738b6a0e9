"""A page about one fitted classifier: what it is, what it expects of itself, and the network itself to play with."""

from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..numerics.arrays import Array
from .live_network import live_network
from .network_data import array_data, megabytes
from .page import write_page
from .shown_classifier import ShownClassifier

LARGEST_LIVE_NETWORK = 16.0  # megabytes; a larger network is described, but does not run in the page
MOST_LIVE_SAMPLES = 12  # that the reader can move
MOST_MAP_SAMPLES = 300  # rows of the heat map


def write_model_page(clf: ShownClassifier, path: Path, samples: Array | None, labels: Array | None) -> None:
    """Write the page.

    Parameters
    ----------
    clf : ShownClassifier
        Fitted.
    path : Path
    samples : array, shape (n_samples, *sample_shape), optional
        Samples to show; the first few of each class, if there are labels.
    labels : array, shape (n_samples,), optional
        What they are.
    """
    rows = [
        row("classes", len(clf.classes_), whole=True),
        row("layers", clf.n_layers_, whole=True),
        *expected_rows(clf),
        row("ΔR after the last layer (nats)", float(clf.history_.rate_reduction[-1])),
    ]
    if samples is not None and labels is not None:
        rows.append(row("accuracy on the samples given", clf.score(samples, labels), note=f"{len(labels)} samples"))
    data = {
        "title": "A network and its answers",
        "subtitle": f"{clf.network_.geometry}; classes {', '.join(map(str, clf.classes_[:20]))}",
        "version": __version__,
        "summary": rows,
        "experiments": [
            {
                "name": "model",
                "title": "The model",
                "text": description(clf),
                "seconds": None,
                "rows": [],
                "figures": [],
                "exhibits": exhibits(clf, samples, labels),
            }
        ],
    }
    write_page(data, path)


def expected_rows(clf: ShownClassifier) -> list[dict[str, Any]]:
    """The line about the accuracy to expect, where it is known."""
    if np.isnan(clf.loo_score_):  # every class has one sample, so that none could be left out
        return []
    note = "each training sample left out of its class"
    return [row("accuracy expected of new samples", clf.loo_score_, note=note)]


def row(quantity: str, value: float, *, whole: bool = False, note: str | None = None) -> dict[str, Any]:
    """One line of the table."""
    named = {"experiment": "model", "title": "The model", "quantity": quantity, "ours": value, "whole": whole}
    return named | {"paper": None, "published": None, "seconds": None, "note": note}


def description(clf: ShownClassifier) -> str:
    """What was given or chosen, in words."""
    answer = f"The answer is {clf.answers_.in_words(clf.eps_)}."
    layers = f"{clf.n_layers_} layers guess the class by {clf.membership_!r}." if clf.n_layers_ else "No layers."
    lift = f"Lift: {clf.lift_!r}" if clf.lift_ is not None else "No lift."
    tried = ", ".join(
        f"{choice:g}: {score:.3f}" for choice, score in zip(clf.evidence_.choices, clf.evidence_.scores, strict=True)
    )
    return f"{answer} {layers}\n\n{lift}\n\nLeave-one-out accuracy by {clf.answers_.option_symbol}: {tried}."


def exhibits(clf: ShownClassifier, samples: Array | None, labels: Array | None) -> list[dict[str, Any]]:
    """The live network where the page can run it, and how alike the samples are."""
    if samples is None:
        return []
    found = []
    shown = some_of_each(labels, len(samples), MOST_LIVE_SAMPLES)
    names = clf.predict(samples[shown]) if labels is None else labels[shown]
    if len(clf.network_.geometry.grid) in (1, 2) and megabytes(clf.network_, clf.answers_) <= LARGEST_LIVE_NETWORK:
        caption = "Drag the sample: what each layer makes of it moves along, and the answer stays."
        found.append(live_network(clf, samples[shown], names, caption))
    if labels is not None:
        many = some_of_each(labels, len(samples), MOST_MAP_SAMPLES)
        found.append(similarity_map(clf.network_.features(samples[many])))
    return found


def similarity_map(features: Array) -> dict[str, Any]:
    """A heat map of how alike the features of samples are, shape (n_samples, ...)."""
    flat = features.reshape(len(features), -1)
    unit = flat / np.linalg.norm(flat, axis=1, keepdims=True)
    return {
        "kind": "heatmap",
        "title": "How alike features are",
        "caption": "|cosine| between the features of samples, sorted by class.",
        "xlabel": "sample, by class",
        "ylabel": "sample, by class",
        "values": array_data(np.abs(unit @ unit.T)),
        "low": 0.0,
        "high": 1.0,
    }


def some_of_each(labels: Array | None, n: int, most: int) -> Array:
    """Numbers of at most so many samples, class after class, as many of each."""
    if labels is None:
        return np.arange(min(n, most))
    classes = np.unique(labels)
    return np.concatenate([np.flatnonzero(labels == one)[: max(1, most // len(classes))] for one in classes])[:most]
