"""Lifts as PyTorch modules: the twin of each kind of lift, and the table that finds it.

A twin gives the half spectrum of lifted samples, and the record of the lift again with the numbers that it has then.
"""

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ..inputs.errors import InputTypeError
from ..lift.pooled_bank import PooledBank
from ..lift.responses import FilterBank
from ..lift.thresholds import THRESHOLDS
from .circular_correlation import circular_correlation, margins_of
from .contrast_twin import LocalContrast
from .low_frequencies import LowFrequencies
from .tensor_blocks import half_spectrum, root, tensor_of
from .threshold_twins import THRESHOLD_TWINS
from .twin import Twin


class LiftTwin(Twin):
    """What samples pass before they enter a network.

    Parameters
    ----------
    like : Lifting or None
        The record; None for samples that enter as they are.
    """

    # Whether samples come to it in the precision that the user has them in, and not in that of the module.
    reads_as_given: ClassVar[bool] = False

    def forward(self, samples: Tensor) -> Tensor:
        """Half spectrum of lifted samples, of any norm; (n, *sample_shape) to (n_freqs, n_channels, n)."""
        raise NotImplementedError

    def record(self) -> Any:
        """The lift with the numbers that this has now."""
        return self.like


class NoLiftTwin(LiftTwin):
    """Samples as they are."""

    def forward(self, samples: Tensor) -> Tensor:
        """Half spectrum of samples; those with cyclic axes are divided by their largest values."""
        if samples.ndim == 2:
            return half_spectrum(samples)
        largest = largest_value(samples)
        return half_spectrum(samples / torch.where(largest > 0, largest, 1.0))


class FilterBankTwin(LiftTwin):
    """Responses to filters, after a threshold, and their lowest frequencies.

    ``filters`` are the filters, one tensor for each kernel size; ``level`` is what a response must exceed.
    """

    def __init__(self, bank: FilterBank) -> None:
        super().__init__(bank)
        self.filters = nn.ParameterList([nn.Parameter(tensor_of(one)) for one in bank.filters])
        level = tensor_of(np.asarray(bank.level))
        if THRESHOLDS[bank.threshold].default_quantile is None:
            self.register_buffer("level", level, persistent=False)
        else:
            self.level = nn.Parameter(level)
        self.spectrum = LowFrequencies(bank.grid, bank.coarse_grid) if bank.pool != 1 else None
        self.contrast = None if bank.contrast is None else LocalContrast(bank.contrast, bank.grid)

    def forward(self, samples: Tensor) -> Tensor:
        """Half spectrum of the responses on the coarse grid."""
        responses = self.responses(samples)
        return half_spectrum(responses) if self.spectrum is None else self.spectrum(responses)

    def responses(self, samples: Tensor) -> Tensor:
        """Responses on the fine grid, after the threshold; (n_samples, n_channels_in, *grid) to (…, n_channels, …)."""
        samples = self.scaled(functional.pad(samples, margins_of((0, zeros) for zeros in self.like.pad)))
        linear = [circular_correlation(samples, filters) for filters in self.filters]
        responses = linear[0] if len(linear) == 1 else torch.cat(linear, dim=1)
        threshold = THRESHOLD_TWINS[self.like.threshold]
        return threshold.apply(responses, threshold.usable_level(self.level))

    def scaled(self, samples: Tensor) -> Tensor:
        """Padded samples: their local contrast, and with ``unit_scale`` each of root mean square 1."""
        bank = self.like
        if self.contrast is None and not bank.unit_scale:
            return samples
        peaks = largest_value(samples)  # first, because squares of large values overflow
        samples = samples / torch.where(peaks > 0, peaks, 1.0)
        if self.contrast is not None:
            samples = self.contrast(samples)
        if not bank.unit_scale:
            return samples
        n_values = samples.shape[1] * math.prod(n - zeros for n, zeros in zip(bank.grid, bank.pad, strict=True))
        axes = tuple(range(1, samples.ndim))
        rms = root(samples.square().sum(dim=axes, keepdim=True) / n_values)
        return samples / torch.where(rms > 0, rms, 1.0)

    def record(self) -> FilterBank:
        """The bank with these filters and this level."""
        filters = tuple(one.numpy(force=True).astype(np.float64) for one in self.filters)
        level = THRESHOLD_TWINS[self.like.threshold].usable_level(self.level)
        return replace(self.like, filters=filters, level=float(level))


class PooledBankTwin(LiftTwin):
    """What is counted of the responses to dilated filters, standardised.

    Counts are whole numbers, so that they have no gradient. They are counted by the compiled code of the estimator, on
    the processor, since a threshold is one of the training responses and must be met to the last bit.
    """

    reads_as_given = True

    def __init__(self, bank: PooledBank) -> None:
        super().__init__(bank)
        inverse = np.divide(1.0, bank.scale, out=np.zeros_like(bank.scale), where=bank.scale > 0)
        self.register_buffer("mean", tensor_of(bank.mean), persistent=False)
        self.register_buffer("inverse_scale", tensor_of(inverse), persistent=False)

    def forward(self, samples: Tensor) -> Tensor:
        """Features of signals as vectors; shape (1, n_features, n_samples)."""
        counts, lengths = self.like.counts(samples.numpy(force=True))
        shares = torch.from_numpy(counts / lengths[:, None]).to(self.mean)
        return half_spectrum((shares.sqrt() - self.mean) * self.inverse_scale)


def largest_value(samples: Tensor) -> Tensor:
    """Largest magnitude of each sample, with axes of length 1; what is scaled by it has no gradient by it."""
    return samples.detach().abs().amax(dim=tuple(range(1, samples.ndim)), keepdim=True)


# The twin of each kind of lift. A new one is a class here, or in a file of its own, and a line.
LIFT_TWINS: dict[type[Any], type[LiftTwin]] = {
    type(None): NoLiftTwin,
    FilterBank: FilterBankTwin,
    PooledBank: PooledBankTwin,
}


def lift_twin(lift: Any) -> LiftTwin:
    """The twin of the lift of a network, None included."""
    twin = LIFT_TWINS.get(type(lift))
    if twin is None:
        raise InputTypeError(
            f"a lift of the kind {type(lift).__name__} has no PyTorch module; fit with a Lift or a PooledLift."
        )
    return twin(lift)
