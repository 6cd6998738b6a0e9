"""Thresholds that make responses sparse, and the level they act at.

To add one, write its functions and give it a line in ``THRESHOLDS``, at the end.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array

# Responses below this share of the largest one count as silence when a level is learned.
SILENT_SHARE = 1e-4


@dataclass(frozen=True)
class Threshold:
    """One kind of threshold.

    Parameters
    ----------
    apply : function of (responses, level)
        Gives the responses after the threshold, of the same shape and precision.
    strength : function of responses
        What is compared with the level.
    is_linear : function of the level
        Whether the threshold changes nothing at this level.
    silent_zone : function of the level, optional
        Interval of responses that become zero, where the others become what of them lies outside of it; None for a
        threshold of another kind.
    default_quantile : float, optional
        Share of the responses below the level, where a user gives none; None for a threshold without a level.
    tells_signs_apart : bool
        Whether a response and its negative are treated differently.
    """

    apply: Callable[[Array, float], Array]
    strength: Callable[[Array], Array]
    is_linear: Callable[[float], bool]
    silent_zone: Callable[[float], tuple[float, float]] | None
    default_quantile: float | None
    tells_signs_apart: bool


def shrink(responses: Array, level: float) -> Array:
    """Responses moved towards zero by the level; those within the level of zero become zero."""
    return np.copysign(np.maximum(np.abs(responses) - responses.dtype.type(level), 0), responses)


def rectify(responses: Array, level: float) -> Array:
    """What of each response exceeds the level, else zero."""
    return np.maximum(responses - responses.dtype.type(level), 0)


def unchanged(responses: Array, level: float = 0.0) -> Array:
    """Responses as they are, whatever the level."""
    return responses


def learned_level(responses: Array, threshold: str, quantile: float, sample_weight: Array | None = None) -> float:
    """Quantile of the strength of the responses that are not silent.

    Parameters
    ----------
    responses : array, shape (n_samples, ...)
    threshold : "soft" or "relu"
    quantile : float in [0, 1)
    sample_weight : float array, shape (n_samples,), optional
        How often each sample counts. Where they do not count alike, the quantile is one of the responses; otherwise it
        may lie between two of them.
    """
    values = THRESHOLDS[threshold].strength(responses)
    heard = values > SILENT_SHARE * float(values.max(initial=0.0))
    if quantile == 0 or not heard.any():
        return 0.0
    if sample_weight is None or (sample_weight == sample_weight[0]).all():
        return float(np.quantile(values[heard], quantile))
    weights = np.broadcast_to(sample_weight.reshape(-1, *[1] * (values.ndim - 1)), values.shape)
    return float(np.quantile(values[heard], quantile, weights=weights[heard], method="inverted_cdf"))


# Every threshold by the name that ``Lift(threshold=...)`` takes.
THRESHOLDS = {
    "soft": Threshold(
        shrink,
        np.abs,
        is_linear=lambda level: level == 0,
        silent_zone=lambda level: (-level, level),
        default_quantile=0.3,
        tells_signs_apart=False,
    ),
    "relu": Threshold(
        rectify,
        unchanged,
        is_linear=lambda level: False,
        silent_zone=lambda level: (-np.inf, level),
        default_quantile=0.0,
        tells_signs_apart=True,
    ),
    "none": Threshold(
        unchanged,
        unchanged,
        is_linear=lambda level: True,
        silent_zone=lambda level: (0.0, 0.0),
        default_quantile=None,
        tells_signs_apart=False,
    ),
}
