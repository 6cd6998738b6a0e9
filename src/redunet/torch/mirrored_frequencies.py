"""The frequencies of real kernels: what is held at a frequency says what is held at its mirror image.

The spectrum of a real kernel has conjugate values at p and −p. Half of the frequencies carry everything, but with
several cyclic axes a half spectrum still has some pairs of mirror images, and with any number some frequencies that are
their own. Here every number is held once, as real numbers, so that whatever an optimiser does with them they are the
spectrum of a real kernel.
"""

import numpy as np
import torch
from torch import Tensor, nn

from ..numerics.arrays import Array


class MirroredFrequencies(nn.Module):  # type: ignore[misc]
    """Between a half spectrum and the real numbers that it is held as, where mirror images are held once.

    Arrays and tensors have the frequency first.

    Parameters
    ----------
    grid : tuple of int
        Lengths of the cyclic axes; empty for plain vectors, which are real and are held as they are.
    """

    def __init__(self, grid: tuple[int, ...]) -> None:
        super().__init__()
        self.grid = grid
        mirror = mirror_images(grid)
        here = np.arange(len(mirror))
        # Of two mirror images the first is held; the second is its conjugate. One that is its own mirror is real.
        first = np.where(mirror >= 0, np.minimum(here, mirror), here)
        self.held = np.flatnonzero(first == here)
        self.is_real = mirror[self.held] == self.held
        sign = np.where(mirror == here, 0.0, np.where(first < here, -1.0, 1.0))
        self.all_are_held = len(self.held) == len(mirror)
        self.register_buffer("place", torch.from_numpy(np.searchsorted(self.held, first)), persistent=False)
        self.register_buffer("factor", torch.from_numpy(np.stack([np.ones(len(sign)), sign], axis=1)), persistent=False)

    @property
    def n_frequencies(self) -> int:
        """Frequencies of the half spectrum."""
        return len(self.place)

    def raw(self, spectrum: Array) -> Tensor:
        """The real numbers that a spectrum is held as.

        Parameters
        ----------
        spectrum : array, shape (n_freqs, ...)

        Returns
        -------
        float64 tensor, shape (n_held, ..., 2)
            Real and imaginary parts; of the shape of the spectrum for plain vectors.
        """
        if not self.grid:
            return torch.from_numpy(np.array(spectrum, dtype=np.float64))
        held = np.ascontiguousarray(spectrum[self.held], dtype=np.complex128)
        held[self.is_real] = held[self.is_real].real
        return torch.view_as_real(torch.from_numpy(held)).clone()

    def spectrum(self, raw: Tensor) -> Tensor:
        """The half spectrum of real kernels that is held as these numbers; shape (n_freqs, ...)."""
        if not self.grid:
            return raw
        parts = raw if self.all_are_held else raw.index_select(0, self.place)
        factor = self.factor.reshape(len(self.factor), *[1] * (raw.ndim - 2), 2)
        return torch.view_as_complex(parts * factor)

    def spectrum_of_held(self, held: Array) -> Array:
        """The half spectrum from its values at the frequencies that are held; shape (n_freqs, ...)."""
        found: Array = held[self.place.numpy(force=True)]
        if self.grid:
            turned = self.factor.numpy(force=True)[:, 1] < 0
            found[turned] = found[turned].conj()
        return found


def mirror_images(grid: tuple[int, ...]) -> Array:
    """Number of the mirror image −p of each frequency p of a half spectrum, −1 where it is not stored; (n_freqs,)."""
    if not grid:
        return np.zeros(1, dtype=np.int64)
    shape = (*grid[:-1], grid[-1] // 2 + 1)
    p = np.unravel_index(np.arange(np.prod(shape)), shape)
    opposite = [(-along) % length for along, length in zip(p, grid, strict=True)]
    stored = opposite[-1] == p[-1]
    numbers = np.ravel_multi_index([np.where(stored, along, 0) for along in opposite], shape)
    return np.where(stored, numbers, -1)
