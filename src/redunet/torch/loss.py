"""Rate reduction as a loss, for networks of any kind that are trained by gradients."""

from typing import Any

import torch
from torch import Tensor

from ..inputs.parameters import (
    CONVENTIONS,
    INVARIANCES,
    check_at_least,
    check_choice,
    check_eps,
    check_flag,
    check_positive,
    check_shape,
)
from .tensor_rates import FeatureBatch


class RateReductionLoss(torch.nn.Module):  # type: ignore[misc]
    """Minus the rate reduction of a batch, compression_weight · R_c − expansion_weight · R, which training makes small.

    Features of all classes are spread over as many directions as there are, those of each class over few: classes go to
    subspaces that are orthogonal to each other (maximal coding rate reduction).

    Parameters
    ----------
    eps : float, default=0.5
        Distortion ε (not ε²): what is finer does not count.
    invariance : None, "shift" or "translation", default=None
        With one, features are maps of shape (n_channels, *grid), and all their circular shifts (translations) belong to
        the class.
    sample_shape : tuple of int, optional
        Layout of the features of one sample when they are flat.
    convention : "exact" or "published", default="exact"
        Scale of the spectrum; matters with an invariance only.
    normalise : bool, default=True
        Project the features of each sample to the unit sphere first. Without that longer features have a higher rate,
        and training makes them longer and longer. A feature that is zero stays zero, and its gradient is 0.
    expansion_weight, compression_weight : float, default=1.0
        What R and R_c count.
    expansion_eps : float, optional
        Another ε for R than for R_c.

    Attributes
    ----------
    last_coding_rate, last_class_coding_rate : tensor without axes, or None
        R and R_c of the last batch without their weights and without gradient, for a log.

    Examples
    --------
    >>> import torch
    >>> from redunet.torch import RateReductionLoss
    >>> loss = RateReductionLoss(eps=0.5)
    >>> features, labels = torch.eye(4, requires_grad=True), torch.tensor([0, 0, 1, 1])
    >>> value = loss(features, labels)
    >>> value.backward()
    >>> print(f"{-value.item():.3f} = {loss.last_coding_rate:.3f} - {loss.last_class_coding_rate:.3f}")
    1.022 = 3.219 - 2.197
    """

    def __init__(
        self,
        eps: float = 0.5,
        *,
        invariance: str | None = None,
        sample_shape: tuple[int, ...] | None = None,
        convention: str = "exact",
        normalise: bool = True,
        expansion_weight: float = 1.0,
        compression_weight: float = 1.0,
        expansion_eps: float | None = None,
    ) -> None:
        super().__init__()
        self.eps = check_eps(eps)
        check_choice("invariance", invariance, INVARIANCES)
        check_choice("convention", convention, CONVENTIONS)
        check_flag("normalise", normalise)
        check_at_least("expansion_weight", expansion_weight, 0)
        check_at_least("compression_weight", compression_weight, 0)
        self.invariance, self.convention, self.normalise = invariance, convention, normalise
        self.sample_shape = check_shape("sample_shape", sample_shape)
        self.expansion_weight, self.compression_weight = expansion_weight, compression_weight
        if expansion_eps is not None:
            check_positive("expansion_eps", expansion_eps)
            check_eps(expansion_eps)
        self.expansion_eps = expansion_eps
        self.last_coding_rate: Tensor | None = None
        self.last_class_coding_rate: Tensor | None = None

    def forward(self, features: Tensor, labels: Tensor, sample_weight: Any = None) -> Tensor:
        """The loss of a batch.

        Parameters
        ----------
        features : tensor, shape (n_samples, n_features) or (n_samples, n_channels, *grid)
            Of any floating-point type, on any device.
        labels : int tensor of shape (n_samples,), or tensor of shape (n_samples, n_classes)
            Numbers of the classes, from 0 on; or memberships, whose sum is 1 for each sample, with a gradient if they
            have one. Classes that have no sample in the batch add nothing.
        sample_weight : tensor, shape (n_samples,), optional

        Returns
        -------
        tensor without axes
            float64 for features of float64, else float32.
        """
        batch = FeatureBatch(
            features,
            self.invariance,
            self.sample_shape,
            self.convention,
            sample_weight,
            on_sphere=self.normalise,
            name="features",
            labels_name="labels",
        )
        members = batch.members(labels)
        rate = batch.rate(self.expansion_eps or self.eps)
        class_rate = batch.class_rate(members, self.eps)
        self.last_coding_rate = batch.result(rate.detach())
        self.last_class_coding_rate = batch.result(class_rate.detach())
        return batch.result(self.compression_weight * class_rate - self.expansion_weight * rate)

    def extra_repr(self) -> str:
        """Options that are not as they are by default."""
        defaults = {
            "invariance": None,
            "sample_shape": None,
            "convention": "exact",
            "normalise": True,
            "expansion_weight": 1.0,
            "compression_weight": 1.0,
            "expansion_eps": None,
        }
        options = [f"{name}={getattr(self, name)!r}" for name in defaults if getattr(self, name) != defaults[name]]
        return ", ".join([f"eps={self.eps!r}", *options])
