"""Coding rates of any samples: all together, class by class, and the difference."""

from typing import Any

import numpy as np

from .fast.blas import single_threaded
from .inputs.parameters import CONVENTIONS, INVARIANCES, check_choice, check_eps, check_kernel, check_shape
from .inputs.samples import read_bare_samples, read_labels, read_weights, refuse_weightless_classes
from .network.geometry import Geometry
from .network.kernel_map import KernelMap, choose_landmarks, usual_gamma
from .numerics.arrays import Array
from .numerics.operators import coding_alpha
from .numerics.rates import class_coding_rate as class_rate_of
from .numerics.rates import coding_logdet
from .numerics.rates import coding_rate as rate_of
from .numerics.spectrum import half_spectrum


def coding_rate(
    Z: Any,
    *,
    eps: float,
    invariance: str | None = None,
    sample_shape: tuple[int, ...] | None = None,
    convention: str = "exact",
    sample_weight: Any = None,
    kernel: Any = None,
    gamma: float | str = "auto",
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
    kernel : None, "linear", "rbf", "poly", "cosine" or callable
        For plain vectors: the rate of the features of a kernel, as in :class:`redunet.ReduNet`. It is found from inner
        products alone, ½ log det(I + α K). The dimension that α counts is that of Z for "linear" and "cosine", and
        one more than there are different samples for the others.
    gamma : float or "auto"
        γ of "rbf" and "poly"; "auto" as in :class:`redunet.ReduNet`.

    Returns
    -------
    float
    """
    features = _Features(Z, eps, invariance, sample_shape, convention, sample_weight, kernel, gamma)
    return features.rate()


def class_coding_rate(
    Z: Any,
    y: Any,
    *,
    eps: float,
    invariance: str | None = None,
    sample_shape: tuple[int, ...] | None = None,
    convention: str = "exact",
    sample_weight: Any = None,
    kernel: Any = None,
    gamma: float | str = "auto",
) -> float:
    """Coding rate R_c of the classes apart, in nats: Σ_j γ_j ½ log det(I + α_j Z Π_j Zᵀ) (eq. 1).

    Parameters
    ----------
    Z, eps, invariance, sample_shape, convention, sample_weight, kernel, gamma
        As in :func:`coding_rate`.
    y : array-like, shape (n_samples,)
        Labels.

    Returns
    -------
    float
    """
    features = _Features(Z, eps, invariance, sample_shape, convention, sample_weight, kernel, gamma)
    return features.class_rate(y)


def rate_reduction(
    Z: Any,
    y: Any,
    *,
    eps: float,
    invariance: str | None = None,
    sample_shape: tuple[int, ...] | None = None,
    convention: str = "exact",
    sample_weight: Any = None,
    kernel: Any = None,
    gamma: float | str = "auto",
) -> float:
    """Rate reduction ΔR = R − R_c, in nats: what coding the classes apart saves (eq. 1).

    Never negative, but for rounding errors.

    Parameters
    ----------
    Z, y, eps, invariance, sample_shape, convention, sample_weight, kernel, gamma
        As in :func:`class_coding_rate`.

    Returns
    -------
    float
    """
    features = _Features(Z, eps, invariance, sample_shape, convention, sample_weight, kernel, gamma)
    return features.rate() - features.class_rate(y)


class _Features:
    """Samples, checked and as blocks of their spectrum, with methods for their coding rates."""

    def __init__(
        self,
        Z: Any,
        eps: float,
        invariance: str | None,
        sample_shape: tuple[int, ...] | None,
        convention: str,
        sample_weight: Any,
        kernel: Any,
        gamma: Any,
    ) -> None:
        self.eps = check_eps(eps)
        check_choice("invariance", invariance, INVARIANCES)
        check_choice("convention", convention, CONVENTIONS)
        check_kernel(kernel, invariance, gamma, 1)
        samples = read_bare_samples(Z, invariance, check_shape("sample_shape", sample_shape))
        self.weights = read_weights(sample_weight, len(samples))
        self.geometry = Geometry(samples.shape[1:], unitary=convention == "published")
        self.dimension = self.geometry.n_channels
        if kernel is not None:
            landmarks = samples[choose_landmarks(samples, len(samples))]
            with single_threaded():
                scale = usual_gamma(kernel, landmarks) if isinstance(gamma, str) else float(gamma)
                features_of_kernel = KernelMap.of(kernel, scale, landmarks)
                samples, self.dimension = features_of_kernel(samples), features_of_kernel.dimension
        self.V = half_spectrum(samples, unitary=self.geometry.unitary)

    def rate(self) -> float:
        """Coding rate R of all samples together."""
        return _finite(rate_of(self._logdet(slice(None)), self.geometry.rate_weights))

    def class_rate(self, y: Any) -> float:
        """Coding rate R_c, each class apart."""
        labels = read_labels(y, len(self.weights), "Z")
        refuse_weightless_classes(labels, self.weights)
        gamma = np.bincount(labels.codes, self.weights) / self.weights.sum()
        logdet = np.stack([self._logdet(labels.codes == j) for j in range(len(gamma))])
        return _finite(class_rate_of(logdet, gamma, self.geometry.rate_weights))

    def _logdet(self, rows: slice | Array) -> Array:
        """Log det(I + α M) at each frequency, of the samples in some rows."""
        weights = self.weights[rows]
        alpha = float(coding_alpha(self.dimension, weights.sum(), self.eps))
        with single_threaded(), np.errstate(over="ignore", invalid="ignore"):
            return coding_logdet(self.V[:, :, rows], weights, alpha)


def _finite(rate: float) -> float:
    """The rate; refused if it overflowed."""
    if not np.isfinite(rate):
        raise ValueError("the coding rate is not finite; scale Z to values around 1, or pass a larger eps.")
    return rate
