"""Local contrast of samples; the twin of :mod:`redunet.numerics.local_contrast`."""

import torch
from torch import Tensor, nn

from ..numerics.local_contrast import FLOOR_SHARE, ROUNDING_UNITS, window_matrix
from .tensor_blocks import root, tensor_of


class LocalContrast(nn.Module):  # type: ignore[misc]
    """Values less the mean of their surroundings, over how much these vary.

    Parameters
    ----------
    width : float
        Standard deviation of the window, in positions.
    grid : tuple of int
        Lengths of the cyclic axes.
    """

    def __init__(self, width: float, grid: tuple[int, ...]) -> None:
        super().__init__()
        self.n_axes = len(grid)
        for axis, length in enumerate(grid):
            self.register_buffer(f"window_{axis}", tensor_of(window_matrix(width, length)), persistent=False)

    def forward(self, samples: Tensor) -> Tensor:
        """Contrast of samples (n_samples, n_channels, *grid) whose largest magnitudes are 1 (or 0)."""
        differences = samples - self.surroundings(samples)
        squares = differences.square().mean(dim=1, keepdim=True)
        rms = root(squares.mean(dim=tuple(range(1, samples.ndim)), keepdim=True))
        varies = rms > ROUNDING_UNITS * torch.finfo(samples.dtype).eps
        spread = root(self.surroundings(squares)) + FLOOR_SHARE * rms
        return torch.where(varies, differences / torch.where(varies, spread, 1.0), 0.0)

    def surroundings(self, samples: Tensor) -> Tensor:
        """Mean over the window around each position."""
        for axis in range(self.n_axes):
            samples = (samples.movedim(2 + axis, -1) @ getattr(self, f"window_{axis}")).movedim(-1, 2 + axis)
        return samples
