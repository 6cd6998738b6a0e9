"""The lowest frequencies of samples, by sums over sines and cosines along one axis after the other."""

import math

import numpy as np
import torch
from torch import Tensor, nn

from ..numerics.arrays import Array
from .tensor_blocks import tensor_of


class LowFrequencies(nn.Module):  # type: ignore[misc]
    """Half spectrum of samples on a coarser grid: the frequencies that it has, and no work for the others.

    Parameters
    ----------
    grid, coarse : tuple of int
        Lengths of the cyclic axes; those of the coarse grid are odd.
    """

    def __init__(self, grid: tuple[int, ...], coarse: tuple[int, ...]) -> None:
        super().__init__()
        self.coarse = coarse
        for axis, (length, kept) in enumerate(zip(grid, coarse, strict=True)):
            waves = np.fft.fftfreq(kept, 1 / kept)
            if axis == len(grid) - 1:
                matrix = _cosines_and_sines(length, np.arange(kept // 2 + 1))  # of real numbers
            else:
                of_real = _cosines_and_sines(length, waves)
                of_imaginary = np.stack([-of_real[:, 1], of_real[:, 0]], axis=1)  # i times it
                matrix = np.stack([of_real, of_imaginary], axis=1)
            self.register_buffer(f"matrix_{axis}", tensor_of(matrix), persistent=False)

    def forward(self, samples: Tensor) -> Tensor:
        """Half spectrum of samples (n_samples, n_channels, *grid); shape (n_freqs, n_channels, n_samples)."""
        n_axes = len(self.coarse)
        last = n_axes - 1
        # Shapes (n_samples, n_channels, *axes to do, *axes done, 2, frequencies of the last one done).
        parts = torch.tensordot(samples, getattr(self, f"matrix_{last}"), dims=1)
        for axis in reversed(range(last)):
            parts = torch.tensordot(parts, getattr(self, f"matrix_{axis}"), dims=([2 + axis, -2], [0, 1]))
        # The axes are in reverse order now, and real and imaginary parts are next to the first of them.
        first, done = parts.ndim - 1, range(2, parts.ndim - 2)
        V = parts.permute(first, *reversed(done), 1, 0, first - 1).contiguous()
        return torch.view_as_complex(V).reshape(math.prod(V.shape[:n_axes]), *V.shape[n_axes:-1])


def _cosines_and_sines(length: int, waves: Array) -> Array:
    """Real and imaginary parts of exp(−2πi · wave · position / length); shape (length, 2, n_waves)."""
    angles = 2 * np.pi * (np.arange(length)[:, None] * waves % length) / length
    return np.stack([np.cos(angles), -np.sin(angles)], axis=1)
