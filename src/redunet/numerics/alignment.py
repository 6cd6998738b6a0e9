"""Samples brought to their own centre: what a shift does to a spectrum is undone by the phase of its first harmonic.

A circular shift by s along an axis of length T multiplies frequency k by exp(−2πi k s / T). So does it with the first
harmonic of the sample along that axis, whose phase φ therefore says where the sample is; frequency k times exp(−i k φ)
is the same for every shift. Unlike energies at each frequency, it keeps where parts are relative to each other.
"""

import itertools

import numpy as np

from .arrays import Array


def centre_phases(samples: Array) -> Array:
    """Phase of the first harmonic of each sample along each cyclic axis, summed over channels and all other axes.

    A constant that is added to a sample changes nothing. A sample whose first harmonic is 0 has no centre along that
    axis, and is left where it is.

    Parameters
    ----------
    samples : real array, shape (n_samples, n_channels, *grid)

    Returns
    -------
    phases : float64 array, shape (n_axes, n_samples)
    """
    mass = samples.sum(axis=1, dtype=np.float64)
    phases = np.empty((mass.ndim - 1, len(samples)))
    for axis in range(1, mass.ndim):
        along = mass.sum(axis=tuple(other for other in range(1, mass.ndim) if other != axis))
        wave = np.exp(-2j * np.pi * np.arange(along.shape[1]) / along.shape[1])
        phases[axis - 1] = np.angle((along - along[:, :1]) @ wave)
    return phases


def low_frequencies(grid: tuple[int, ...], most: int) -> tuple[Array, Array]:
    """The slowest frequencies of a half spectrum, one of each pair that mirror each other.

    Parameters
    ----------
    grid : tuple of int
        Lengths of the cyclic axes.
    most : int
        Periods along each axis, at most; those of half of the length, which are their own mirror images, are left out.

    Returns
    -------
    places : int array, shape (n_low,)
        Places of the frequencies in the half spectrum; the mean, frequency 0, is the first.
    numbers : int array, shape (n_low, n_axes)
        Periods along each axis, negative ones too.
    """
    most_along = [min(most, (length - 1) // 2) for length in grid]
    half = (*grid[:-1], grid[-1] // 2 + 1)
    every = itertools.product(*(range(-n, n + 1) for n in most_along[:-1]), range(most_along[-1] + 1))
    # With 0 periods along the last axis k and −k are both stored, and one of the two is enough: that whose first number
    # from the end that is not 0 is positive.
    kept = sorted((k for k in every if k[::-1] >= (0,) * len(k)), key=lambda k: (sum(abs(n) for n in k), k))
    numbers = np.array(kept, dtype=np.int64)
    return np.ravel_multi_index(tuple((numbers % np.array(grid)).T), half), numbers


def aligned_coordinates(V: Array, phases: Array, grid: tuple[int, ...], most: int) -> Array:
    """What samples are at their own centre, as far as the slowest frequencies show it: real coordinates.

    Inner products of coordinates are those of the slow parts of the samples at their centres, up to the scale of the
    spectrum.

    Parameters
    ----------
    V : complex array, shape (n_freqs, n_channels, n_samples)
        Half spectra.
    phases : float array, shape (n_axes, n_samples)
        As :func:`centre_phases` gives them.
    grid : tuple of int
    most : int
        Periods along each axis, at most.

    Returns
    -------
    float64 array, shape (n_samples, n_channels · (2 n_low − 1))
    """
    places, numbers = low_frequencies(grid, most)
    return coordinates_of_low(V[places], numbers, phases)


def coordinates_of_low(V: Array, numbers: Array, phases: Array) -> Array:
    """The same from the frequencies that :func:`low_frequencies` gives, and no others.

    Parameters
    ----------
    V : complex array, shape (n_low, n_channels, n_samples)
    numbers : int array, shape (n_low, n_axes)
    phases : float array, shape (n_axes, n_samples)
    """
    turned = V * np.exp(-1j * (numbers @ phases))[:, None, :]
    both = np.sqrt(2.0) * turned[1:]  # each stands for its mirror image, too
    parts = np.concatenate([turned[:1].real, both.real, both.imag])
    return np.ascontiguousarray(parts.reshape(-1, V.shape[2]).T)


def functional_blocks(
    functionals: Array, phases: Array, grid: tuple[int, ...], most: int, norm_weights: Array
) -> Array:
    """Linear functionals of aligned coordinates as blocks, whose inner products with half spectra they are.

    The adjoint of :func:`aligned_coordinates`: Σ_p w_p Re V(p)* W(p) is the functional of the coordinates of V.

    Parameters
    ----------
    functionals : float array, shape (n_samples, n_coordinates)
    phases : float array, shape (n_axes, n_samples)
    grid : tuple of int
    most : int
        Periods along each axis, at most.
    norm_weights : float array, shape (n_freqs,)
        Parseval weights w.

    Returns
    -------
    W : complex128 array, shape (n_freqs, n_channels, n_samples)
        The half spectrum of a real array.
    """
    places, numbers = low_frequencies(grid, most)
    n_low = len(places)
    parts = functionals.T.reshape(2 * n_low - 1, -1, len(functionals))
    found = np.concatenate([parts[:1].astype(np.complex128), np.sqrt(2.0) * (parts[1:n_low] + 1j * parts[n_low:])])
    found *= np.exp(1j * (numbers @ phases))[:, None, :]
    found /= norm_weights[places, None, None]
    W = np.zeros((len(norm_weights), *found.shape[1:]), dtype=np.complex128)
    W[places] = found
    # Where the mirror image of a frequency is stored, too, each has half of it.
    half = (*grid[:-1], grid[-1] // 2 + 1)
    twice = np.flatnonzero((numbers[:, -1] == 0) & numbers.any(axis=1))
    mirrored = np.ravel_multi_index(tuple((-numbers[twice] % np.array(grid)).T), half)
    W[places[twice]] = found[twice] / 2
    W[mirrored] = found[twice].conj() / 2
    return W
