"""Samples in lanes: tiles whose samples lie side by side, as vector instructions take them.

What is computed of a sample in a lane has the same bits whichever samples are in the other lanes. The same samples as
blocks V[freq, channel, sample] are what readable code takes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from .cached import cached_property

# Gives memory of a shape and type.
Room = Callable[[tuple[int, ...], np.dtype], Array]
# Samples that lie side by side take so many bytes: 16 of them in float32, 8 in float64.
LANE_BYTES = 64
# Energies of samples in single precision that can be trusted: far from the smallest and the largest numbers.
USABLE_ENERGIES = (1e-24, 1e30)


def lanes_of(dtype: np.dtype) -> int:
    """Samples that lie side by side."""
    return LANE_BYTES // np.dtype(dtype).itemsize


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Memory that starts where a vector of lanes may start without being read in two parts."""
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.empty(n_bytes + LANE_BYTES, np.uint8)
    start = -memory.ctypes.data % LANE_BYTES
    found: Array = memory[start : start + n_bytes].view(dtype).reshape(shape)
    return found


def aligned_copy(values: Array, dtype: np.dtype) -> Array:
    """Values in such memory, in one row."""
    found = aligned_empty(values.shape, dtype)
    found[...] = values
    return found.reshape(-1)


@dataclass(frozen=True, eq=False)
class SampleLanes:
    """Half spectra of samples in lanes, each at a scale of its own.

    Parameters
    ----------
    tiles : float array, shape (n_tiles, n_freqs, 2 · n_channels, lanes)
        Real parts of all channels, then the imaginary ones. Lanes without a sample hold anything.
    n_samples : int
    weights : float64 array, shape (n_freqs,)
        Parseval weights.
    """

    tiles: Array
    n_samples: int
    weights: Array

    @cached_property
    def energies(self) -> Array:
        """Squared norm of each sample; float64 array, shape (n_samples,)."""
        from .kernels import energies_of_lanes

        found = np.empty((len(self.tiles), self.tiles.shape[3]))
        weights = np.array(self.weights)  # what is read-only has another type, for which the kernel is compiled again
        for tile, energies in zip(self.tiles, found, strict=True):
            energies_of_lanes(tile, weights, energies)
        return found.reshape(-1)[: self.n_samples]

    @property
    def are_usable(self) -> Array:
        """Which samples have a scale at which their squares are far from the smallest and largest numbers."""
        smallest, largest = USABLE_ENERGIES
        return (self.energies > smallest) & (self.energies < largest)

    @property
    def kind(self) -> np.dtype:
        """Type of the samples as blocks."""
        return np.result_type(self.tiles.dtype, np.complex64)

    def some(self, chosen: Array) -> "SampleLanes":
        """Some of the samples, side by side."""
        from .kernels import gather_lanes

        _, n_freqs, n_rows, size = self.tiles.shape
        tiles = aligned_empty((-(-len(chosen) // size), n_freqs, n_rows, size), self.tiles.dtype)
        gather_lanes(self.tiles, chosen, tiles)
        return SampleLanes(tiles, len(chosen), self.weights)

    def blocks(self, chosen: Array | None = None, frequencies: Array | None = None) -> Array:
        """Samples at unit norm, as blocks (n_freqs, n_channels, n); all samples and frequencies by default."""
        samples = np.arange(self.n_samples) if chosen is None else chosen
        return blocks_of_tiles(self.tiles, samples, 1 / np.sqrt(self.energies[samples]), frequencies)


def blocks_of_tiles(tiles: Array, samples: Array, scale: Array, frequencies: Array | None = None) -> Array:
    """Some samples of tiles as blocks, each times a factor; sample i is in lane i % lanes of tile i // lanes."""
    from .kernels import blocks_of_lanes

    _, n_freqs, n_rows, _ = tiles.shape
    places = np.arange(n_freqs) if frequencies is None else frequencies
    V = np.empty((len(places), n_rows // 2, len(samples)), np.result_type(tiles.dtype, np.complex64))
    blocks_of_lanes(tiles, samples, scale.astype(tiles.dtype), places, V)
    return V
