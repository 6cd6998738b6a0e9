"""Between samples and their half spectrum by matrix products; the twin of :mod:`redunet.numerics.spectrum`.

Operators of ONNX for the Fourier transform are not everywhere, and not in both directions; products of matrices are.
Complex numbers are two real ones, along a first axis: blocks V have the shape (n_parts, n_freqs, n_samples, n_channels)
with the real and the imaginary part, or the real part alone for plain vectors.
"""

import math

import numpy as np

from ..numerics.arrays import Array
from ..numerics.spectrum import multiplicities
from .graph_builder import Graph, Tensor, refuse_too_large


def blocks_of(samples: Tensor, n_channels: int, grid: tuple[int, ...], coarse: tuple[int, ...] | None = None) -> Tensor:
    """Half spectrum of real samples; shape (2, n_freqs, n_samples, n_channels).

    Parameters
    ----------
    samples : Tensor, shape (n_samples, n_channels, *grid)
    n_channels : int
    grid : tuple of int
    coarse : tuple of int, optional
        Of the frequencies those that a coarser grid has; all by default.
    """
    axes = range(2, 2 + len(grid))
    first = samples.transpose(*axes, 0, 1).reshape(1, math.prod(grid), -1)
    coarse = grid if coarse is None else coarse
    n_freqs = math.prod((*coarse[:-1], coarse[-1] // 2 + 1))
    return half_spectrum(first, 1, grid, coarse).reshape(2, n_freqs, -1, n_channels)


def samples_of_blocks(V: Tensor, n_channels: int, grid: tuple[int, ...], *, unitary: bool) -> Tensor:
    """Real samples from their half spectrum (2, n_freqs, n_samples, n_channels); (n_samples, n_channels, *grid)."""
    n_freqs = math.prod((*grid[:-1], grid[-1] // 2 + 1))
    first = from_half_spectrum(V.reshape(2, 1, n_freqs, -1), 1, grid)
    if unitary:
        first = first * math.sqrt(math.prod(grid))
    n_axes = len(grid)
    return first.reshape(*grid, -1, n_channels).transpose(n_axes, n_axes + 1, *range(n_axes))


def half_spectrum(x: Tensor, n: int, grid: tuple[int, ...], coarse: tuple[int, ...]) -> Tensor:
    """Half spectrum along the middle axis, which is a grid.

    Parameters
    ----------
    x : Tensor, shape (n, grid size, any)
    n : int
    grid, coarse : tuple of int
        Lengths of the cyclic axes, and of those of a grid that has the frequencies to keep.

    Returns
    -------
    Tensor, shape (2, n, n_freqs, any)
    """
    waves = np.arange(coarse[-1] // 2 + 1)
    n_before, n_freqs = n * math.prod(grid[:-1]), len(waves)
    cosines, sines = cosines_and_sines(x.graph, waves, grid[-1])
    V = np.stack([cosines, -sines])[:, None] @ x.reshape(n_before, grid[-1], -1)
    for axis in reversed(range(len(grid) - 1)):  # complex from here on
        waves = all_waves(coarse[axis])
        cosines, sines = cosines_and_sines(x.graph, waves, grid[axis])
        x = V.reshape(2, n * math.prod(grid[:axis]), grid[axis], -1)
        V = cosines @ x + sines @ turned(x)
        n_freqs *= len(waves)
    return V.reshape(2, n, n_freqs, -1)


def from_half_spectrum(V: Tensor, n: int, grid: tuple[int, ...]) -> Tensor:
    """Real values on a grid from their half spectrum; (2, n, n_freqs, any) to (n, grid size, any)."""
    for axis in range(len(grid) - 1):
        cosines, sines = cosines_and_sines(V.graph, all_waves(grid[axis]), grid[axis])
        V = V.reshape(2, n * math.prod(grid[:axis]), grid[axis], -1)
        V = cosines.T @ V - sines.T @ turned(V)
    waves = np.arange(grid[-1] // 2 + 1)
    cosines, sines = cosines_and_sines(V.graph, waves, grid[-1])
    # A frequency stands for its mirror image, too.
    counts = multiplicities(grid[-1:]) / math.prod(grid)
    both = np.stack([cosines.T * counts, -sines.T * counts])[:, None]
    x = both @ V.reshape(2, n * math.prod(grid[:-1]), len(waves), -1)
    return x.sum(0).reshape(n, math.prod(grid), -1)


def turned(V: Tensor) -> Tensor:
    """Complex numbers times −i; a + ib becomes b − ia."""
    return V.slice(0, 1, 2).join(-V.slice(0, 0, 1), axis=0)


def all_waves(length: int) -> Array:
    """How many periods of each frequency an axis has, in the order of a Fourier transform."""
    return np.rint(np.fft.fftfreq(length, 1 / length)).astype(np.int64)


def cosines_and_sines(graph: Graph, waves: Array, length: int) -> tuple[Array, Array]:
    """cos(2π p t / T) and sin(2π p t / T) for each frequency p and position t; shape (n_freqs, length) each.

    They are refused before they are computed, if they are too many for the file.
    """
    refuse_too_large(2 * len(waves) * length * graph.real.itemsize)
    angles = 2 * np.pi / length * np.arange(length)
    # Whole turns are taken out in whole numbers, so that nothing is lost in large angles.
    places = waves[:, None] * np.arange(length) % length
    return np.cos(angles)[places], np.sin(angles)[places]
