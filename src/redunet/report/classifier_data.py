"""A classifier as the page takes it: every answer of it, and what turns distances into probabilities."""

from collections.abc import Sequence
from typing import Any

from ..measures.measure import Measure
from ..network.network import Network
from ..numerics.arrays import Array
from .network_data import megabytes, network_data
from .shown_classifier import ShownClassifier


def class_names(classes: Sequence[Any] | Array) -> list[str]:
    """Names of classes as text."""
    return [one.decode(errors="replace") if isinstance(one, bytes) else str(one) for one in classes]


def answers_of(clf: ShownClassifier) -> list[tuple[Network, Measure, float]]:
    """The ways to the classes: a network, what is measured after it, and how much its distances count."""
    first = (clf.network_, clf.answers_, float(clf.answer_weight_))
    further = [(one.network, one.measure, float(one.weight)) for one in clf.further_answers_]
    return [one for one in (first, *further) if one[2] or one is first]


def classifier_megabytes(clf: ShownClassifier, *, double: bool) -> float:
    """What a classifier takes on a page."""
    return sum(megabytes(network, measure, double=double) for network, measure, _ in answers_of(clf))


def classifier_data(clf: ShownClassifier, *, double: bool = False) -> dict[str, Any] | None:
    """All that a page needs to answer samples as the classifier does; None if it has no script for a part of it.

    Parameters
    ----------
    clf : ShownClassifier
        Fitted.
    double : bool
        Store the arrays in double precision: probabilities are then those of Python up to its own rounding.
    """
    if clf.aligned_answer_ is not None:  # the page has no landmarks
        return None
    answers = []
    for i, (network, measure, weight) in enumerate(answers_of(clf)):
        data = network_data(network, measure, double=double)
        if data is None:
            return None
        # A sample that no filter responds to is refused by the first answer; for others all classes are equally far.
        answers.append({"weight": weight, "refuses_silence": i == 0, "network": data})
    return {
        "classes": class_names(clf.classes_.tolist()),
        "sample_shape": [int(length) for length in clf.sample_shape_],
        "seen": list(range(len(clf.classes_))) if clf._seen is None else clf._seen.tolist(),
        "sharpness": float(clf._sharpness),
        "doubt": float(clf._doubt),
        "offsets": None if clf._class_offsets is None else clf._class_offsets.tolist(),
        "single": not double,
        "answers": answers,
    }
