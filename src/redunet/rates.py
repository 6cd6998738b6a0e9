"""Coding rates of any samples: how much room they take together, and class by class."""

from typing import Any

import numpy as np

from .blas import single_threaded
from .network.geometry import Geometry
from .numerics.arrays import Array
from .numerics.moments import class_moments, moment
from .numerics.operators import coding_alpha, ridge_operator
from .numerics.rates import class_coding_rate as class_rate_of
from .numerics.rates import coding_rate as rate_of
from .numerics.spectrum import half_spectrum
from .parameters import check_choice, check_positive, check_shape
from .samples import (
    INVARIANCES,
    Labels,
    read_bare_samples,
    read_labels,
    read_weights,
    refuse_weightless_classes,
)

CONVENTIONS = ("exact", "published")


def coding_rate(
    Z: Any,
    *,
    eps: float,
    invariance: str | None = None,
    sample_shape: tuple[int, ...] | None = None,
    convention: str = "exact",
    sample_weight: Any = None,
) -> float:
    """Coding rate R of samples, in nats: ½ log det(I + α Z Zᵀ) (eq. 1).

    With an invariance, that of all circular shifts (translations) of the samples, divided by their number, as the
    paper defines it for signals and images. The samples are taken as they are, not projected to the sphere.

    Parameters
    ----------
    Z : array-like, shape (n_samples, n_features) or (n_samples, n_channels, *grid)
    eps : float
        Distortion ε (not ε²).
    invariance : None, "shift" or "translation"
    sample_shape : tuple of int, optional
        Layout of one sample when Z is flat.
    convention : "exact" or "published"
        Scale of the spectrum; matters with an invariance only.
    sample_weight : array-like, shape (n_samples,), optional

    Returns
    -------
    float
    """
    V, geometry, weights, _ = _blocks(Z, None, eps, invariance, sample_shape, convention, sample_weight)
    with single_threaded():
        _, logdet = ridge_operator(moment(V, weights), coding_alpha(geometry.n_channels, weights.sum(), eps))
    return rate_of(logdet, geometry.rate_weights)


def class_coding_rate(
    Z: Any,
    y: Any,
    *,
    eps: float,
    invariance: str | None = None,
    sample_shape: tuple[int, ...] | None = None,
    convention: str = "exact",
    sample_weight: Any = None,
) -> float:
    """Coding rate R_c of the classes apart, in nats: Σ_j γ_j ½ log det(I + α_j Z Π_j Zᵀ) (eq. 1).

    Parameters
    ----------
    Z, eps, invariance, sample_shape, convention, sample_weight
        As in :func:`coding_rate`.
    y : array-like, shape (n_samples,)
        Labels.

    Returns
    -------
    float
    """
    V, geometry, weights, labels = _blocks(Z, y, eps, invariance, sample_shape, convention, sample_weight)
    assert labels is not None
    m_j = np.bincount(labels.codes, weights)
    order = labels.order
    with single_threaded():
        M_j = class_moments(V[:, :, order], labels.bounds, weights[order])
        _, logdet = ridge_operator(M_j, coding_alpha(geometry.n_channels, m_j, eps))
    return class_rate_of(logdet, m_j / m_j.sum(), geometry.rate_weights)


def rate_reduction(
    Z: Any,
    y: Any,
    *,
    eps: float,
    invariance: str | None = None,
    sample_shape: tuple[int, ...] | None = None,
    convention: str = "exact",
    sample_weight: Any = None,
) -> float:
    """Rate reduction ΔR = R − R_c, in nats: what coding the classes apart saves (eq. 1). Never negative.

    Parameters
    ----------
    Z, y, eps, invariance, sample_shape, convention, sample_weight
        As in :func:`class_coding_rate`.

    Returns
    -------
    float
    """
    options: dict[str, Any] = {
        "eps": eps,
        "invariance": invariance,
        "sample_shape": sample_shape,
        "convention": convention,
        "sample_weight": sample_weight,
    }
    return coding_rate(Z, **options) - class_coding_rate(Z, y, **options)


def _blocks(
    Z: Any,
    y: Any,
    eps: float,
    invariance: str | None,
    sample_shape: tuple[int, ...] | None,
    convention: str,
    sample_weight: Any,
) -> tuple[Array, Geometry, Array, Labels | None]:
    """Checked input as blocks, their geometry, weights and labels."""
    check_positive("eps", eps)
    check_choice("invariance", invariance, INVARIANCES)
    check_choice("convention", convention, CONVENTIONS)
    samples = read_bare_samples(Z, invariance, check_shape("sample_shape", sample_shape))
    weights = read_weights(sample_weight, len(samples))
    labels = None if y is None else read_labels(y, len(samples))
    if labels is not None:
        refuse_weightless_classes(labels, weights)
    geometry = Geometry(samples.shape[1:], unitary=convention == "published")
    return half_spectrum(samples, unitary=geometry.unitary), geometry, weights, labels
