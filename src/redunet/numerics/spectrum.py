"""Between samples and the blocks V[freq, channel, sample] of their half spectrum.

A real signal has a Hermitian spectrum, so about half of the frequencies carry everything; the others are counted by
their multiplicity. Any number of cyclic axes is the same computation, none at all (plain vectors) included.
"""

import numpy as np
import scipy.fft

from .arrays import Array


def half_spectrum(samples: Array, *, unitary: bool = False) -> Array:
    """Half spectrum of real samples, frequency first.

    Parameters
    ----------
    samples : real array, shape (n_samples, n_channels, *grid)
        The cyclic axes are the last ones; with an empty grid the samples are plain vectors.
    unitary : bool
        Scale the transform by 1/√(grid size), as the paper writes it. The default, no scale, is the one for which
        circ(z) = F* diag(DFT z) F holds.

    Returns
    -------
    V : array, shape (n_freqs, n_channels, n_samples)
        Complex, or real with n_freqs = 1 when the grid is empty; of the precision of the samples.
    """
    axes = tuple(range(2, samples.ndim))
    if not axes:
        return np.ascontiguousarray(samples.T[None])
    V = scipy.fft.rfftn(samples, axes=axes, norm="ortho" if unitary else "backward")
    m, C = samples.shape[:2]
    return np.ascontiguousarray(V.reshape(m, C, -1).transpose(2, 1, 0))


def half_spectrum_to_scale(samples: Array) -> Array:
    """Half spectrum of real samples, each divided by its largest value, so that neither 1e-200 nor 1e200 is lost.

    Parameters
    ----------
    samples : real array, shape (n_samples, n_channels, *grid)

    Returns
    -------
    V : array, shape (n_freqs, n_channels, n_samples)
    """
    largest = np.abs(samples).max(axis=tuple(range(1, samples.ndim)), keepdims=True)
    return half_spectrum(np.divide(samples, largest, out=np.zeros_like(samples), where=largest > 0))


def samples_of(V: Array, grid: tuple[int, ...], *, unitary: bool = False) -> Array:
    """Real samples from their half spectrum; the inverse of :func:`half_spectrum`.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
    grid : tuple of int
        Lengths of the cyclic axes, which the half spectrum alone does not tell.

    Returns
    -------
    samples : real array, shape (n_samples, n_channels, *grid)
    """
    if not grid:
        return np.ascontiguousarray(V[0].T)
    _, C, m = V.shape
    spectrum = V.transpose(2, 1, 0).reshape(m, C, *grid[:-1], grid[-1] // 2 + 1)
    axes = tuple(range(2, 2 + len(grid)))
    samples: Array = scipy.fft.irfftn(spectrum, s=grid, axes=axes, norm="ortho" if unitary else "backward")
    return samples


def multiplicities(grid: tuple[int, ...]) -> Array:
    """How many frequencies of the full spectrum each frequency of the half spectrum stands for.

    Parameters
    ----------
    grid : tuple of int
        Lengths of the cyclic axes.

    Returns
    -------
    w : float array, shape (n_freqs,)
        1 where the last axis' frequency is its own mirror image (0, and T/2 for even T), else 2.
        Sums to the size of the grid.
    """
    if not grid:
        return np.ones(1)
    T = grid[-1]
    last = np.full(T // 2 + 1, 2.0)
    last[0] = 1.0
    if T % 2 == 0:
        last[-1] = 1.0
    return np.tile(last, int(np.prod(grid[:-1])))


def squared_norms(V: Array, weights: Array) -> Array:
    """Squared norm of each sample, taken in the spectrum (Parseval).

    Parameters
    ----------
    V : array, shape (..., n_freqs, n_channels, n_samples)
    weights : float array, shape (n_freqs,)
        What |v(p)|² counts: the multiplicity, over the grid's size unless the transform is unitary.

    Returns
    -------
    float64 array, shape (..., n_samples)
    """
    energy = np.square(V.real)
    if np.iscomplexobj(V):
        energy += np.square(V.imag)
    return np.einsum("p,...pi->...i", weights, energy.sum(axis=-2, dtype=np.float64))


def normalise(V: Array, weights: Array) -> Array:
    """Samples scaled onto the unit sphere; a sample that is zero stays zero.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
    weights : float array, shape (n_freqs,)

    Returns
    -------
    array of the shape and precision of V
    """
    norm = np.sqrt(squared_norms(V, weights))
    scale = np.divide(1.0, norm, out=np.zeros_like(norm), where=norm > 0)
    return V * scale.astype(V.real.dtype)
