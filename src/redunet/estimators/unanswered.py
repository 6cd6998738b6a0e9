"""Samples without an answer in a batch: NaN for their distances, and a label that says that there is none."""

import warnings
from collections.abc import Callable

import numpy as np

from ..inputs.bad_samples import ALL_ZERO, NO_RESPONSE, counted_reasons
from ..inputs.errors import UnansweredSampleWarning
from ..numerics.arrays import Array
from .silent_samples import silent_rows


def distances_of_usable(
    samples: Array, reasons: dict[int, str], measure: Callable[[Array], Array], n_classes: int, *, zero_has_place: bool
) -> tuple[Array, dict[int, str]]:
    """Distances of the samples that can be measured, NaN for all others; and why those cannot.

    Parameters
    ----------
    samples : array, shape (n_samples, n_channels, *grid)
    reasons : dict
        Why some rows are known not to be usable; it is not changed.
    measure : callable
        Distances (n, n_classes) of samples, or a SilentSampleError.
    n_classes : int
    zero_has_place : bool
        Whether a sample of zeros can be measured.
    """
    reasons = dict(reasons)
    if not zero_has_place:
        zero = np.flatnonzero(~samples.reshape(len(samples), -1).any(axis=1))
        reasons |= {int(row): ALL_ZERO for row in zero if int(row) not in reasons}
    rows = np.delete(np.arange(len(samples)), sorted(reasons))
    distances = np.full((len(samples), n_classes), np.nan)

    def measure_some(some: Array) -> None:
        distances[some] = measure(samples[some])

    return distances, reasons | {int(row): NO_RESPONSE for row in silent_rows(rows, measure_some)}


def warn_of_unanswered(reasons: dict[int, str], n_samples: int) -> None:
    """Count the samples without an answer."""
    if reasons:
        warnings.warn(
            f"{len(reasons)} of {n_samples} samples of X have no answer, and NaN in its place: "
            f"{counted_reasons(reasons)}.",
            UnansweredSampleWarning,
            stacklevel=4,
        )


def labels_with_gaps(classes: Array, codes: Array, answered: Array) -> Array:
    """Labels of samples, with a missing one where there is no answer.

    NaN among floats, NaT among times; None in an array of objects for labels of any other type, which have no value
    that stands for nothing.

    Parameters
    ----------
    classes : array, shape (n_classes,)
    codes : int array, shape (n_samples,)
        Class of each sample; any for those without an answer.
    answered : bool array, shape (n_samples,)
    """
    labels = classes[codes]
    if labels.dtype.kind not in "fmM":
        labels = labels.astype(object)
    labels[~answered] = None if labels.dtype == object else np.nan if labels.dtype.kind == "f" else "NaT"
    return labels
