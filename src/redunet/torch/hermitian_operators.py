"""Operators at each frequency that are Hermitian by construction, as those of rate reduction are."""

import numpy as np
from torch import Tensor, nn

from ..numerics.arrays import Array
from .mirrored_frequencies import MirroredFrequencies


class HermitianOperators(nn.Module):  # type: ignore[misc]
    """Hermitian operators at each frequency, of one or of several classes.

    The parameter may hold any real numbers: its Hermitian part is what acts, and mirror images of a frequency share it.

    Parameters
    ----------
    operators : array, shape (n_classes, n_freqs, n_channels, n_channels)
    frequencies : MirroredFrequencies
    """

    def __init__(self, operators: Array, frequencies: MirroredFrequencies) -> None:
        super().__init__()
        self.frequencies = frequencies
        self.raw = nn.Parameter(frequencies.raw(operators.swapaxes(0, 1)))

    def operators(self) -> Tensor:
        """The operators as they act; shape (n_freqs, n_classes, n_channels, n_channels)."""
        A = self.frequencies.spectrum(self.raw)
        return (A + A.mH) / 2

    def forward(self, V: Tensor) -> Tensor:
        """What each operator makes of samples; (n_freqs, n_channels, n) to (n_freqs, n_classes, n_channels, n)."""
        A = self.operators()
        n_freqs, n_classes, n_channels, _ = A.shape
        products = A.reshape(n_freqs, n_classes * n_channels, n_channels) @ V
        return products.reshape(n_freqs, n_classes, n_channels, -1)

    def array(self, kind: np.dtype) -> Array:
        """The operators as an array of this type; shape (n_classes, n_freqs, n_channels, n_channels)."""
        return np.ascontiguousarray(self.operators().numpy(force=True).swapaxes(0, 1), dtype=kind)
