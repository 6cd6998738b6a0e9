"""How well a classifier answers labelled samples, as the page shows it: accuracy, confusions, calibration."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evidence.expected_accuracy import LEFT_OUT, how_it_was_found
from ..numerics.arrays import Array

# Standard deviations of a normal distribution that hold 95 % of it.
NORMAL_95 = 1.959964
# Bins of probability of the calibration curve.
N_BINS = 10


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Answers to samples, and what the samples are.

    Parameters
    ----------
    probabilities : float array, shape (n_samples, n_classes)
    answers : int array, shape (n_samples,)
        Number of the class that was answered.
    codes : int array, shape (n_samples,), or None
        Number of the class that a sample belongs to, where it is known.
    """

    probabilities: Array
    answers: Array
    codes: Array | None

    @property
    def right(self) -> Array:
        """Whether each answer is correct; bool array, shape (n_samples,)."""
        assert self.codes is not None
        return np.asarray(self.answers == self.codes)

    @property
    def confidence(self) -> Array:
        """Probability of each answer; shape (n_samples,)."""
        return np.asarray(self.probabilities[np.arange(len(self.answers)), self.answers])

    def confusion(self) -> Array:
        """How often each class (row) was answered as each class (column); int array, shape (n_classes, n_classes)."""
        assert self.codes is not None
        counts = np.zeros((self.probabilities.shape[1],) * 2, dtype=np.int64)
        np.add.at(counts, (self.codes, self.answers), 1)
        return counts


def wilson_interval(share: float, n_samples: float) -> tuple[float, float]:
    """Where the true share lies at a confidence of 95 %, of which so many samples show this share (Wilson, 1927)."""
    z2 = NORMAL_95**2
    middle = (share + z2 / (2 * n_samples)) / (1 + z2 / n_samples)
    spread = share * (1 - share) / n_samples + z2 / (4 * n_samples**2)
    half = NORMAL_95 * math.sqrt(max(spread, 0.0)) / (1 + z2 / n_samples)
    return max(0.0, middle - half), min(1.0, middle + half)


def differ_beyond_chance(one: float, n_one: float, other: float, n_other: float) -> bool:
    """Whether two shares of samples differ by more than chance explains (a test of two proportions at 5 %)."""
    pooled = (one * n_one + other * n_other) / (n_one + n_other)
    error = math.sqrt(pooled * (1 - pooled) * (1 / n_one + 1 / n_other))
    return bool(abs(one - other) > NORMAL_95 * error)


def accuracy_data(right: Array, expected: dict[str, Any], n_left_out: float) -> dict[str, Any]:
    """Accuracy on labelled samples beside the estimate of the fit, each with its interval, and what to make of both.

    Parameters
    ----------
    right : bool array, shape (n_samples,)
    expected : dict
        What :func:`~redunet.evidence.expected_accuracy.expected_accuracy` found.
    n_left_out : float
        Training samples that were left out, each once. How many were held out is not known, so that an estimate by
        these has no interval.
    """
    n, share = len(right), float(np.mean(right))
    found = {
        "name": "on the samples given",
        "value": share,
        "interval": wilson_interval(share, n),
        "note": f"{int(np.sum(right)):,} of {n:,} answers are correct",
    }
    shares: list[dict[str, Any]] = [found]
    verdict = None
    estimate = expected["expected_accuracy"]
    if estimate is not None and (n_left_out > 0 or expected["expected_by"] != LEFT_OUT):
        row = {"name": "estimate of the fit", "value": estimate, "interval": None, "note": how_it_was_found(expected)}
        if expected["expected_by"] == LEFT_OUT:
            row["interval"] = wilson_interval(estimate, n_left_out)
            row["note"] = f"{n_left_out:,.0f} {row['note']}"
            verdict = _verdict(share, n, estimate, n_left_out)
        shares.append(row)
    return {"shares": shares, "verdict": verdict}


def _verdict(share: float, n: int, estimate: float, n_estimate: float) -> str:
    if not differ_beyond_chance(share, n, estimate, n_estimate):
        return "The two agree as far as chance allows."
    if share < estimate:
        return (
            "The samples given are answered worse than the estimate says, by more than chance explains. They may "
            "differ from the training samples (another device, other people, another season), or training samples "
            "that belong together made the estimate too high; then fit with groups."
        )
    return (
        "The samples given are answered better than the estimate says, by more than chance explains. They may be among "
        "the training samples, or easier than those."
    )


def calibration_data(confidence: Array, right: Array) -> dict[str, Any]:
    """Answers in bins of their probability: how many there are, and how many are correct.

    Parameters
    ----------
    confidence : float array, shape (n_samples,)
        Probability of each answer.
    right : bool array, shape (n_samples,)
    """
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    found = []
    for number in np.unique(bins):
        inside = bins == number
        n, share = int(inside.sum()), float(right[inside].mean())
        mean = float(confidence[inside].mean())
        found.append({"probability": mean, "share": share, "count": n, "interval": wilson_interval(share, n)})
    low, high = wilson_interval(float(right.mean()), len(right))
    sure = float(confidence.mean())
    verdict = " It is more sure than it should be." if sure > high else ""
    verdict = " It is less sure than it could be." if sure < low else verdict
    words = (
        f"On average the classifier gives its answers a probability of {sure:.3f}, and {right.mean():.3f} of them are "
        f"correct.{verdict}"
    )
    return {"bins": found, "words": words}
