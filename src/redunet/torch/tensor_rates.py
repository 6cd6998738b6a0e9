"""Coding rates of tensors, with gradients: all features together, class by class, and the difference."""

from typing import Any

import torch
from torch import Tensor

from ..inputs.errors import Data, InputError, Option
from ..inputs.parameters import CONVENTIONS, INVARIANCES, check_choice, check_eps, check_shape
from ..network.geometry import Geometry
from .feature_batches import Members, read_features, read_members, read_sample_weight, refuse_other_than_floats
from .tensor_blocks import half_spectrum

# Every pivot of I + M is at least 1, M being positive semidefinite: one below this shows rounding errors, no more.
LEAST_PIVOT = 0.5
# Features whose values are all smaller count as zero: gradients of their direction would leave the range of single
# precision. In half precision this is so below its smallest normal number, which is larger.
LEAST_FEATURE_VALUE = 1e-30
# Devices that have no numbers of double precision.
DEVICES_WITHOUT_DOUBLE = ("mps",)


def coding_rate(
    Z: Tensor,
    eps: float,
    *,
    invariance: str | None = None,
    sample_shape: tuple[int, ...] | None = None,
    convention: str = "exact",
    sample_weight: Any = None,
) -> Tensor:
    """Coding rate R of features, in nats: ½ log det(I + α Z Zᵀ) (eq. 1); with a gradient.

    The same as :func:`redunet.coding_rate` of the same numbers. The features are taken as they are, not projected to
    the sphere.

    Parameters
    ----------
    Z : tensor, shape (n_samples, n_features) or (n_samples, n_channels, *grid)
        Features of a batch, of any floating-point type, on any device.
    eps : float
        Distortion ε (not ε²).
    invariance : None, "shift" or "translation"
        With one, the rate is that of all circular shifts (translations) of the features, divided by their number.
    sample_shape : tuple of int, optional
        Layout of one sample when Z is flat.
    convention : "exact" or "published"
        Scale of the spectrum; matters with an invariance only.
    sample_weight : tensor, shape (n_samples,), optional

    Returns
    -------
    tensor without axes
        float64 for features of float64, else float32; on the device of Z.
    """
    features = FeatureBatch(Z, invariance, sample_shape, convention, sample_weight)
    return features.result(features.rate(check_eps(eps)))


def class_coding_rate(
    Z: Tensor,
    y: Tensor,
    eps: float,
    *,
    invariance: str | None = None,
    sample_shape: tuple[int, ...] | None = None,
    convention: str = "exact",
    sample_weight: Any = None,
) -> Tensor:
    """Coding rate R_c of the classes apart, in nats: Σ_j γ_j ½ log det(I + α_j Z Π_j Zᵀ) (eq. 1); with a gradient.

    The same as :func:`redunet.class_coding_rate`, which takes labels alone.

    Parameters
    ----------
    Z, eps, invariance, sample_shape, convention, sample_weight
        As in :func:`coding_rate`.
    y : int tensor of shape (n_samples,), or tensor of shape (n_samples, n_classes)
        Numbers of the classes, from 0 on; or how much each sample belongs to each class, Π: not negative, with a sum
        of 1 for each sample. There is a gradient for memberships, too. Classes without samples add nothing.

    Returns
    -------
    tensor without axes
    """
    features = FeatureBatch(Z, invariance, sample_shape, convention, sample_weight)
    return features.result(features.class_rate(features.members(y), check_eps(eps)))


def rate_reduction(
    Z: Tensor,
    y: Tensor,
    eps: float,
    *,
    invariance: str | None = None,
    sample_shape: tuple[int, ...] | None = None,
    convention: str = "exact",
    sample_weight: Any = None,
) -> Tensor:
    """Rate reduction ΔR = R − R_c, in nats: what coding the classes apart saves (eq. 1); with a gradient.

    The same as :func:`redunet.rate_reduction`, which takes labels alone. Never negative, but for rounding
    errors. Its gradient is E Z − Σ_j γ_j C_j Z Π_j, the direction in which a layer of the network moves its features.

    Parameters
    ----------
    Z, y, eps, invariance, sample_shape, convention, sample_weight
        As in :func:`class_coding_rate`.

    Returns
    -------
    tensor without axes
    """
    features = FeatureBatch(Z, invariance, sample_shape, convention, sample_weight)
    eps = check_eps(eps)
    return features.result(features.rate(eps) - features.class_rate(features.members(y), eps))


class FeatureBatch:
    """Features of a batch, checked and as blocks of their spectrum, with methods for their coding rates.

    All is computed in double precision where the device has it, since a log-determinant of single precision is wrong
    where ε is small; ``result`` gives a rate in the precision of the features.

    Parameters
    ----------
    Z : tensor, shape (n_samples, n_features) or (n_samples, n_channels, *grid)
    invariance, sample_shape, convention, sample_weight
        As in :func:`coding_rate`.
    on_sphere : bool
        Project each sample to the unit sphere first.
    name, labels_name : str
        What the user calls features and labels.
    """

    def __init__(
        self,
        Z: Any,
        invariance: str | None,
        sample_shape: tuple[int, ...] | None,
        convention: str,
        sample_weight: Any,
        *,
        on_sphere: bool = False,
        name: str = "Z",
        labels_name: str = "y",
    ) -> None:
        check_choice("invariance", invariance, INVARIANCES)
        check_choice("convention", convention, CONVENTIONS)
        shape = check_shape("sample_shape", sample_shape)
        refuse_other_than_floats(Z, name)
        self.name, self.labels_name = name, labels_name
        self.result_dtype = torch.float64 if Z.dtype == torch.float64 else torch.float32
        self.samples = read_features(Z, invariance, shape, _working_dtype(Z.device), name)
        if on_sphere:
            least = max(LEAST_FEATURE_VALUE, torch.finfo(Z.dtype).tiny)
            self.samples = on_unit_sphere(self.samples, least)
        self.weights = read_sample_weight(sample_weight, self.samples)
        self.geometry = Geometry(tuple(self.samples.shape[1:]), unitary=convention == "published")
        self.frequency_weights = self.samples.new_tensor(self.geometry.rate_weights)
        self.V = half_spectrum(self.samples, unitary=self.geometry.unitary)

    def members(self, y: Any) -> list[Members]:
        """Members of each class, from labels or memberships."""
        return read_members(y, self.samples, name=self.labels_name, features_name=self.name)

    def rate(self, eps: float) -> Tensor:
        """Coding rate R of all samples together."""
        return self._rate_of(self.V, self.weights / self.weights.sum(), eps)

    def class_rate(self, members: list[Members], eps: float) -> Tensor:
        """Coding rate R_c, each class apart."""
        total = self.weights.sum()
        rate = self.V.real.new_zeros(())
        for one in members:
            weights = one.membership * self.weights[one.rows]
            weight = weights.sum()
            # A class of so little weight adds less than a rounding error, and its gradient cannot be computed.
            if (weight / total).detach() > torch.finfo(weight.dtype).tiny ** 0.5:
                rate = rate + weight / total * self._rate_of(self.V[:, :, one.rows], weights / weight, eps)
        return rate

    def result(self, rate: Tensor) -> Tensor:
        """A rate in the precision that a user gets."""
        return rate.to(self.result_dtype)

    def _rate_of(self, V: Tensor, share: Tensor, eps: float) -> Tensor:
        """Coding rate of samples, of whose weight each has a share."""
        scale = self.geometry.n_channels / eps**2
        with torch.autocast(V.device.type, enabled=False):  # products of half precision would not do
            gram = scale * smaller_moment(V, share)
        if not torch.isfinite(gram.detach()).all():
            raise InputError(
                "the coding rate of {data} is not finite; scale {data} to values around 1, or pass a larger {option}.",
                data=Data(self.name),
                option=Option("eps"),
            )
        return 0.5 * (self.frequency_weights * logdet_of_identity_plus(gram)).sum()


def on_unit_sphere(samples: Tensor, least: float = LEAST_FEATURE_VALUE) -> Tensor:
    """Samples scaled to norm 1; one that is zero, or too short for a direction, becomes zero, and its gradient is 0.

    Parameters
    ----------
    samples : tensor, shape (n_samples, ...)
    least : float
        What at least one value of a sample must exceed.

    Returns
    -------
    tensor of the same shape
    """
    axes = tuple(range(1, samples.ndim))
    # The direction of a sample does not change with its scale, so a scale has no part in the gradient. With the largest
    # value at 1, squares neither overflow nor vanish.
    largest = samples.detach().abs().amax(dim=axes, keepdim=True)
    has_direction = largest > least
    # Ones stand in for zeros until the end: the root of 0 has an infinite gradient, and anomaly detection would see it.
    scaled = torch.where(has_direction, samples / torch.where(has_direction, largest, 1.0), 1.0)
    norm = scaled.square().sum(dim=axes, keepdim=True).sqrt()
    return torch.where(has_direction, scaled / norm, 0.0)


def smaller_moment(V: Tensor, share: Tensor) -> Tensor:
    """Second moment of samples at each frequency, or their inner products, whichever is the smaller matrix.

    I plus a multiple of it has the same determinant for both.

    Parameters
    ----------
    V : tensor, shape (n_freqs, n_channels, n_samples)
    share : float tensor, shape (n_samples,)
        How much each sample counts.

    Returns
    -------
    tensor, shape (n_freqs, n, n)
        Hermitian and positive semidefinite, but for rounding errors.
    """
    _, n_channels, n_samples = V.shape
    # The root of a share has no gradient at 0; the moment has one.
    if n_samples < n_channels and not share.requires_grad:
        weighted = V * share.sqrt()
        return weighted.mH @ weighted
    return (V * share) @ V.mH


def logdet_of_identity_plus(M: Tensor) -> Tensor:
    """Logarithm of det(I + M) of positive semidefinite matrices; finite, with a finite gradient, for whatever rank.

    By a Cholesky factorisation. Where rounding errors of a large M leave nothing of I, by the eigenvalues of M; those
    below 0 count as 0.

    Parameters
    ----------
    M : tensor, shape (n_freqs, n, n)
        Hermitian; what is above the diagonal is not read.

    Returns
    -------
    float tensor, shape (n_freqs,)
    """
    identity = torch.eye(M.shape[-1], dtype=M.dtype, device=M.device)
    root, failed = torch.linalg.cholesky_ex(identity + M)
    diagonal = root.diagonal(dim1=-2, dim2=-1).real
    if not failed.any() and (diagonal.detach().square() > LEAST_PIVOT).all():
        return 2 * diagonal.log().sum(dim=-1)
    return torch.linalg.eigvalsh(M).clamp(min=0).log1p().sum(dim=-1)


def _working_dtype(device: torch.device) -> torch.dtype:
    """The most precise numbers that a device has."""
    return torch.float32 if device.type in DEVICES_WITHOUT_DOUBLE else torch.float64
