"""Thresholds of filter responses as PyTorch functions that can be trained, in a table by their names."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional


class Shrink(torch.autograd.Function):  # type: ignore[misc]
    """Responses moved towards zero by the level; those within the level of zero become zero.

    It is what PyTorch's softshrink does, with a gradient by the level, too, in fewer passes over the responses than a
    sum of other functions takes.
    """

    @staticmethod
    def forward(responses: Tensor, level: Tensor) -> Tensor:
        """Shrunk responses."""
        return functional.softshrink(responses, float(level.detach()))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        """Keep what the gradient needs."""
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, Tensor | None]:
        """Gradients by the responses and by the level."""
        (shrunk,) = ctx.saved_tensors
        by_level = -torch.dot(slope.flatten(), shrunk.sign().flatten()) if ctx.needs_input_grad[1] else None
        return torch.where(shrunk != 0, slope, 0.0), by_level


class ThresholdTwin(NamedTuple):
    """The twin of one kind of threshold.

    Parameters
    ----------
    apply : function of (responses, level)
    usable_level : function of a level
        The level that it acts at: what training makes of a level may be none.
    """

    apply: Callable[[Tensor, Tensor], Tensor]
    usable_level: Callable[[Tensor], Tensor]


def at_least_nothing(level: Tensor) -> Tensor:
    """A level that is not negative: nothing is shrunk by less than nothing."""
    return level.clamp(min=0)


def any_level(level: Tensor) -> Tensor:
    """A level as it is."""
    return level


# The twin of each threshold.
THRESHOLD_TWINS = {
    "soft": ThresholdTwin(Shrink.apply, at_least_nothing),
    "relu": ThresholdTwin(lambda responses, level: (responses - level).relu(), any_level),
    "none": ThresholdTwin(lambda responses, level: responses, any_level),
}
