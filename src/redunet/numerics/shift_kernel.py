"""A Gaussian kernel that no shift changes: the mean over all shifts of one of the two samples.

Two samples are near where some shift of one of them is near the other. Unlike energies at each frequency, the kernel
sees where parts of a sample are relative to each other, and unlike a centre that each sample is brought to by itself it
puts every two samples where they fit. An average over a group of shifts is a kernel again (Haasdonk and Burkhardt 2007,
"Invariant kernel functions for pattern analysis and machine learning").
"""

import itertools

import numpy as np

from .arrays import Array


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


def mirrored_twice(numbers: Array) -> Array:
    """How often each frequency counts in a sum over all of them, with its mirror image: 1 for the mean, else 2."""
    return np.where(numbers.any(axis=1), 2.0, 1.0)


def shift_waves(numbers: Array, positions_per_period: int) -> Array:
    """What each of evenly spaced shifts does to the inner products of two samples at each frequency.

    Parameters
    ----------
    numbers : int array, shape (n_low, n_axes)
    positions_per_period : int
        Shifts along an axis for each period that its fastest wave has; axes without a wave get one.

    Returns
    -------
    float array, shape (n_shifts, 2 n_low)
        Times the real parts of Σ_c conj a(k, c) b(k, c), then the imaginary parts, this is the inner product of a with
        the shifted b. The shifts are a group: every one of them has its inverse.
    """
    n_shifts = [positions_per_period * int(most) + 1 for most in np.abs(numbers).max(axis=0)]
    shares = np.array(list(itertools.product(*(np.arange(n) / n for n in n_shifts))))
    angles = 2 * np.pi * shares @ numbers.T
    weights = mirrored_twice(numbers)
    return np.concatenate([np.cos(angles) * weights, np.sin(angles) * weights], axis=1)


def squared_distances_at_shifts(A: Array, B: Array, numbers: Array, waves: Array) -> Array:
    """Squared distances of samples to every shift of other samples; float64 array, shape (n_shifts, m, l).

    Parameters
    ----------
    A : complex array, shape (n_low, n_channels, m)
    B : complex array, shape (n_low, n_channels, l)
        Frequencies of :func:`low_frequencies`.
    numbers : int array, shape (n_low, n_axes)
    waves : float array, shape (n_shifts, 2 n_low)
        As :func:`shift_waves` gives them.
    """
    products = A.conj().swapaxes(1, 2).astype(np.complex128) @ B
    at_shifts = np.tensordot(waves, np.concatenate([products.real, products.imag]), 1)
    of_a, of_b = (np.einsum("p,pcm->m", mirrored_twice(numbers), np.square(np.abs(one))) for one in (A, B))
    return np.clip(of_a[:, None] + of_b - 2 * at_shifts, 0.0, None)


def kernel_over_shifts(A: Array, B: Array, numbers: Array, waves: Array, gamma: float) -> Array:
    """Mean over all shifts s of exp(−γ ‖a − T_s b‖²); float64 array, shape (m, l). Arguments as above."""
    return np.asarray(np.exp(-gamma * squared_distances_at_shifts(A, B, numbers, waves)).mean(axis=0))


def kernel_slopes(A: Array, B: Array, numbers: Array, waves: Array, gamma: float, pulls: Array) -> Array:
    """Gradients of sums of kernels, Σ_l pulls(m, l) k(a_m, b_l), with respect to the samples a.

    Parameters
    ----------
    A, B, numbers, waves, gamma
        As in :func:`kernel_over_shifts`.
    pulls : float array, shape (m, l)

    Returns
    -------
    complex128 array, shape (n_low, n_channels, m)
        Its inner product with a small change of a, mirror images included, is the change of the sum.
    """
    n_low = len(numbers)
    near = np.exp(-gamma * squared_distances_at_shifts(A, B, numbers, waves)) * (2 * gamma * pulls / len(waves))
    # Every shift of b pulls towards itself; at frequency k a shift is a factor, whose sum is a wave of near.
    turned = np.tensordot(waves.T, near, 1) / np.tile(mirrored_twice(numbers), 2)[:, None, None]
    factors = turned[:n_low] - 1j * turned[n_low:]
    return np.asarray(np.einsum("pml,pcl->pcm", factors, B) - A * near.sum(axis=(0, 2)))


def low_blocks(low: Array, grid: tuple[int, ...], most: int, norm_weights: Array) -> Array:
    """Functionals of the slowest frequencies as blocks of all of them, whose inner products with spectra they are.

    Σ_p w_p Re(V(p)* W(p)) is Σ_k 2 Re(V(k)* low(k)), the mean counted once, over the slowest frequencies k.

    Parameters
    ----------
    low : complex array, shape (n_low, n_channels, n_samples)
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
    found = low * (mirrored_twice(numbers) / norm_weights[places])[:, None, None]
    W = np.zeros((len(norm_weights), *found.shape[1:]), dtype=np.complex128)
    W[places] = found
    # Where the mirror image of a frequency is stored, too, each has half of it.
    half = (*grid[:-1], grid[-1] // 2 + 1)
    twice = np.flatnonzero((numbers[:, -1] == 0) & numbers.any(axis=1))
    mirrored = np.ravel_multi_index(tuple((-numbers[twice] % np.array(grid)).T), half)
    W[places[twice]] = found[twice] / 2
    W[mirrored] = found[twice].conj() / 2
    return W
