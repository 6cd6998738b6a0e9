"""Rows that cannot be answered, and why: they are found one by one where they are not to stop a batch."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .parameters import check_choice

# What `on_bad_samples` takes.
WAYS = ("error", "nan")
# Why a row cannot be answered.
NOT_FINITE = "it has NaN or infinity"
TOO_LARGE = "it has values that are too large to be squared"
ALL_ZERO = "it is all zero, which has no direction"
NO_RESPONSE = "no filter responds to it, as to constant samples"
# A finite value that stands in for one that is not, where the row is not looked at any more.
PLACEHOLDER = 0.0


def check_on_bad_samples(value: Any) -> None:
    """Refuse what is neither "error" nor "nan"."""
    check_choice("on_bad_samples", value, WAYS)


def take_out_unusable(X: Array, largest: float) -> tuple[Array, dict[int, str]]:
    """Rows of numbers with zeros in place of the rows that hold no usable numbers, and why each of those does not.

    Parameters
    ----------
    X : float array, shape (n_samples, n_features)
    largest : float
        Values above it are too large.
    """
    sizes = np.abs(X).max(axis=1, initial=0.0)
    reasons = {int(row): NOT_FINITE for row in np.flatnonzero(~np.isfinite(sizes))}
    reasons |= {int(row): TOO_LARGE for row in np.flatnonzero(np.isfinite(sizes) & (sizes > largest))}
    if reasons:
        X = X.copy()
        X[sorted(reasons)] = PLACEHOLDER
    return X, reasons


def take_out_unusable_signals(signals: Iterable[Any]) -> tuple[list[Any], dict[int, str]]:
    """The same for signals of unequal lengths, one by one; what is no array of numbers is left as it is."""
    found: list[Any] = []
    reasons: dict[int, str] = {}
    for row, one in enumerate(signals):
        signal = one
        try:
            values = np.asarray(one, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.zeros(0)
        if values.size and not np.isfinite(values).all():
            reasons[row] = NOT_FINITE
            signal = np.full_like(values, PLACEHOLDER)
        found.append(signal)
    return found, reasons


def counted_reasons(reasons: dict[int, str]) -> str:
    """How many rows have each reason and where the first is, as "2 rows (first: row 3): it is all zero; …"."""
    parts = []
    for why in sorted(set(reasons.values())):
        rows = sorted(row for row, reason in reasons.items() if reason == why)
        parts.append(f"{len(rows)} {'rows' if len(rows) > 1 else 'row'} (first: row {rows[0]}) because {why}")
    return ", ".join(parts)
