"""Samples that the page shows: some of each class, the worst mistakes, the least sure answers, and explanations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inputs.errors import InputError
from ..inputs.unequal_lengths import lengths_of
from ..numerics.arrays import Array
from .classifier_data import class_names
from .evaluation import Evaluation
from .network_data import array_data
from .shown_classifier import ShownClassifier


def some_of_each(labels: Array | None, n: int, most: int) -> Array:
    """Numbers of at most so many samples, class after class, as many of each."""
    if labels is None:
        return np.arange(min(n, most))
    classes = np.unique(labels)
    return np.concatenate([np.flatnonzero(labels == one)[: max(1, most // len(classes))] for one in classes])[:most]


def as_they_came(samples: Array) -> Any:
    """Samples as estimators take them: signals of unequal lengths as a list, without what stands after their ends."""
    lengths = lengths_of(samples) if samples.ndim == 3 else None
    if lengths is None:
        return samples
    return [one[:, :length] for one, length in zip(samples, lengths, strict=True)]


def worst_mistakes(found: Evaluation, most: int) -> Array:
    """Numbers of wrong answers, those first that were given with the highest probability."""
    wrong = np.flatnonzero(~found.right)
    return wrong[np.argsort(-found.confidence[wrong], kind="stable")][:most]


def least_sure(found: Evaluation, most: int) -> Array:
    """Numbers of the answers whose class is hardly more probable than the next."""
    top = -np.sort(-found.probabilities, axis=1)[:, :2]
    return np.argsort(top[:, 0] - top[:, 1], kind="stable")[:most]


def explained(clf: ShownClassifier, samples: Array) -> Any:
    """Why samples are answered as they are, as ``explain`` says it; None where it refuses, as with a single class.

    Its ``positions``, of the shape of the samples, are positive where a sample speaks for its answer against the next
    class, which is ``other``.
    """
    if not len(samples):
        return None
    try:
        return clf.explain(as_they_came(samples))
    except InputError:
        return None


def shown_cases(
    clf: ShownClassifier, samples: Array, found: Evaluation, rows: Array, places: Sequence[str]
) -> list[dict[str, Any]]:
    """Samples with their answers and explanations, as the page draws them.

    Parameters
    ----------
    clf : ShownClassifier
    samples : array, shape (n_samples, *sample_shape)
    found : Evaluation
        Of all samples.
    rows : int array
        Numbers of the samples to show.
    places : sequence of str
        What each sample is called.
    """
    why, shown = explained(clf, samples[rows]), as_they_came(samples[rows])
    cases = []
    for i, row in enumerate(rows.tolist()):
        case = {
            "place": places[row],
            "answer": int(found.answers[row]),
            "label": None if found.codes is None else int(found.codes[row]),
            "probabilities": found.probabilities[row].tolist(),
            "values": array_data(shown[i]),
            "positions": None if why is None else array_data(why.positions[i][..., : shown[i].shape[-1]]),
            "other": None if why is None else class_names(why.other[i : i + 1].tolist())[0],
        }
        cases.append(case)
    return cases
