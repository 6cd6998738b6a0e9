"""A page about one fitted classifier: how well it answers, what it confuses, and the classifier itself to use."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..evidence.expected_accuracy import expected_accuracy
from ..numerics.arrays import Array
from .classifier_data import answers_of, class_names, classifier_data, classifier_megabytes
from .evaluation import Evaluation, accuracy_data, calibration_data
from .live_network import live_samples
from .model_sentences import description, what_it_is
from .network_data import array_data
from .page import write_page
from .shown_classifier import ShownClassifier
from .shown_samples import as_they_came, least_sure, shown_cases, some_of_each, worst_mistakes

# Megabytes that a classifier may take on a page; a larger one is described, but does not run there.
LARGEST_CLASSIFIER = 30.0
MOST_LIVE_SAMPLES = 12  # that the reader can move
MOST_MAP_SAMPLES = 300  # rows of the heat map
MOST_CASES = 6  # worst mistakes, and least sure answers


def write_model_page(
    clf: ShownClassifier,
    path: Path,
    samples: Array | None,
    labels: Array | None,
    *,
    columns: Sequence[str] | None = None,
    places: Sequence[str] | None = None,
    max_megabytes: float = LARGEST_CLASSIFIER,
) -> None:
    """Write the page.

    Parameters
    ----------
    clf : ShownClassifier
        Fitted.
    path : Path
    samples : array, shape (n_samples, *sample_shape), optional
        Samples to answer and to show.
    labels : array, shape (n_samples,), optional
        What they are.
    columns : sequence of str, optional
        Names of the features, by which columns of a file are found.
    places : sequence of str, optional
        What each sample is called, such as "row 12".
    max_megabytes : float
        A classifier that takes more does not run in the page.
    """
    classifier = runnable_classifier(clf, max_megabytes)
    found = None if samples is None else evaluated(clf, samples, labels)
    names = [f"sample {i}" for i in range(0 if samples is None else len(samples))] if places is None else places
    sections = []
    if samples is not None and found is not None:
        if found.codes is not None:
            sections += [accuracy_section(clf, found), confusion_section(clf, found), calibration_section(found)]
        sections += cases_sections(clf, samples, found, names, columns)
        if classifier is not None and can_be_moved(clf, samples):
            sections.append(moving_section(clf, samples, labels))
    sections += [
        file_section(clf, classifier, columns, max_megabytes),
        research_section(clf, samples, labels, classifier),
    ]
    data = {
        "title": "A classifier and its answers",
        "subtitle": what_it_is(clf),
        "version": __version__,
        "classifier": classifier,
        "summary": [],
        "experiments": sections,
    }
    write_page(data, path)


def runnable_classifier(clf: ShownClassifier, max_megabytes: float) -> dict[str, Any] | None:
    """The classifier for the page to run, in double precision if there is room for it.

    None if it is too large, or if the page has no script for a part of it.
    """
    for double in (True, False):
        if classifier_megabytes(clf, double=double) <= max_megabytes:
            return classifier_data(clf, double=double)
    return None


def evaluated(clf: ShownClassifier, samples: Array, labels: Array | None) -> Evaluation:
    """Answers to all samples."""
    distances = clf.distances(as_they_came(samples))
    codes = None
    if labels is not None:
        numbers = {label: j for j, label in enumerate(clf.classes_.tolist())}
        codes = np.array([numbers[label] for label in labels.tolist()])
    return Evaluation(clf.probabilities_of(distances), distances.argmin(axis=1), codes)


def section(name: str, title: str, text: str, exhibits: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A section of the page, as those of experiments are."""
    rows: dict[str, Any] = {"seconds": None, "rows": [], "figures": []}
    return {"name": name, "title": title, "text": text, "exhibits": exhibits} | rows | more


def accuracy_section(clf: ShownClassifier, found: Evaluation) -> dict[str, Any]:
    """Accuracy on the samples given beside the estimate of the fit."""
    data = accuracy_data(found.right, expected_accuracy(clf), clf.evidence_.n_samples)
    return section(
        "accuracy", "How often it is right", "", [{"kind": "accuracy", "title": None, "caption": None} | data]
    )


def confusion_section(clf: ShownClassifier, found: Evaluation) -> dict[str, Any]:
    """What is taken for what, with recall and precision of each class."""
    exhibit = {
        "kind": "confusion",
        "title": None,
        "caption": None,
        "classes": class_names(clf.classes_.tolist()),
        "counts": found.confusion().tolist(),
    }
    text = (
        "Each row is a class as it is, each column a class as it was answered; correct answers are on the diagonal. "
        "Recall is the share of a class that was found, precision the share of its answers that are correct."
    )
    return section("confusion", "What it takes for what", text, [exhibit])


def calibration_section(found: Evaluation) -> dict[str, Any]:
    """Whether probabilities are what they say."""
    data = calibration_data(found.confidence, found.right)
    text = (
        "Answers in groups of similar probability, and how many of each group are correct: on the dashed line the "
        "probabilities are true. The number at each point counts its answers; the bars are 95 % intervals."
    )
    return section(
        "calibration",
        "Can its probabilities be trusted?",
        text,
        [{"kind": "calibration", "title": None, "caption": None} | data],
    )


def cases_sections(
    clf: ShownClassifier, samples: Array, found: Evaluation, places: Sequence[str], columns: Sequence[str] | None
) -> list[dict[str, Any]]:
    """The worst mistakes and the least sure answers."""
    shared = {
        "kind": "cases",
        "classes": class_names(clf.classes_.tolist()),
        "columns": None if columns is None else list(columns),
    }
    groups = []
    if found.codes is not None:
        caption = "Wrong answers, those first that were given with the highest probability."
        groups.append(("Worst mistakes", caption, worst_mistakes(found, MOST_CASES)))
    groups.append(("Least sure answers", "Where the next class is nearly as probable.", least_sure(found, MOST_CASES)))
    exhibits = [
        shared | {"title": title, "caption": caption, "cases": shown_cases(clf, samples, found, rows, places)}
        for title, caption, rows in groups
    ]
    return [section("cases", "Answers to look at", "", exhibits)]


def can_be_moved(clf: ShownClassifier, samples: Array) -> bool:
    """Whether the page can move samples: they have an invariance, one length, and one margin for all answers."""
    margins = {getattr(network.lift, "pad", None) for network, _, _ in answers_of(clf)}
    return clf.invariance is not None and as_they_came(samples) is samples and len(margins) == 1


def moving_section(clf: ShownClassifier, samples: Array, labels: Array | None) -> dict[str, Any]:
    """A sample to drag while the answer stays."""
    shown = some_of_each(labels, len(samples), MOST_LIVE_SAMPLES)
    names = clf.predict(samples[shown]) if labels is None else labels[shown]
    caption = "Drag the sample: it wraps around, and the classifier in this page answers it again at every place."
    exhibit = {"kind": "drag", "title": None, "caption": caption} | live_samples(clf, samples[shown], names)
    return section("moving", "Move a sample: the answer stays", "", [exhibit])


def file_section(
    clf: ShownClassifier, classifier: dict[str, Any] | None, columns: Sequence[str] | None, max_megabytes: float
) -> dict[str, Any]:
    """A place to drop a file on; or why there is none, and what to do instead."""
    title = "Answer your own file"
    if classifier is not None:
        text = (
            "The classifier is in this page: a file that is dropped here is answered on this computer, and is sent "
            "nowhere. The answers are those of the command redunet predict."
        )
        if classifier["single"]:
            text += " Numbers are in single precision here, so that probabilities may differ in the fifth decimal."
        exhibit = {
            "kind": "drop",
            "title": None,
            "caption": None,
            "columns": None if columns is None else list(columns),
        }
        return section("file", title, text, [exhibit])
    size = classifier_megabytes(clf, double=False)
    why = (
        f"it takes {size:.0f} MB, and a page holds at most {max_megabytes:g} MB (an option of the report)"
        if size > max_megabytes
        else "this page has no script for a part of it"
    )
    text = f"The classifier is not in this page: {why}. Use its model file: redunet predict model.redunet data.csv"
    return section("file", title, text, [])


def research_section(
    clf: ShownClassifier, samples: Array | None, labels: Array | None, classifier: dict[str, Any] | None
) -> dict[str, Any]:
    """Rates, layers and kernels, folded away."""
    history, score = getattr(clf, "history_", None), expected_accuracy(clf)["expected_accuracy"]
    rows = [
        row("classes", len(clf.classes_), whole=True),
        row("layers", len(clf.network_.layers), whole=True),
        *([] if score is None else [row("accuracy expected of new samples", score)]),
        *([] if history is None else [row("ΔR after the last layer (nats)", float(history.rate_reduction[-1]))]),
    ]
    exhibits = []
    if samples is not None:
        exhibits = research_exhibits(clf, samples, labels, classifier)
    return section(
        "research", "For researchers: rates, layers, kernels", description(clf), exhibits, rows=rows, folded=True
    )


def research_exhibits(
    clf: ShownClassifier, samples: Array, labels: Array | None, classifier: dict[str, Any] | None
) -> list[dict[str, Any]]:
    """The network with all that is inside of it, where there is something to draw; and how alike the samples are."""
    found = []
    if classifier is not None and clf.network_.geometry.grid and can_be_moved(clf, samples):
        shown = some_of_each(labels, len(samples), MOST_LIVE_SAMPLES)
        names = clf.predict(samples[shown]) if labels is None else labels[shown]
        caption = "Drag the sample: what each layer makes of it moves along, and the answer stays."
        exhibit = {"kind": "network", "title": "Inside of the network", "caption": caption}
        found.append(exhibit | live_samples(clf, samples[shown], names))
    if labels is not None:
        many = some_of_each(labels, len(samples), MOST_MAP_SAMPLES)
        found.append(similarity_map(clf.network_.features(samples[many])))
    return found


def row(quantity: str, value: float, *, whole: bool = False) -> dict[str, Any]:
    """One line of the table."""
    named = {"experiment": "research", "title": "The model", "quantity": quantity, "ours": value, "whole": whole}
    return named | {"paper": None, "published": None, "seconds": None, "note": None}


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
