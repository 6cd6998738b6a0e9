"""A kernel over all shifts: what explicit shifts of samples give, the same for every shift, and its gradient."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redunet.numerics.shift_kernel import (
    kernel_over_shifts,
    kernel_slopes,
    low_blocks,
    low_frequencies,
    mirrored_twice,
    shift_waves,
    squared_distances_at_shifts,
)
from redunet.numerics.spectrum import half_spectrum, multiplicities, samples_of

GRIDS = [(7,), (8,), (1,), (5, 6), (6, 5), (4, 4), (2, 9)]
MOST = 2


def some(grid, n=3, n_channels=2, seed=0):
    return np.random.default_rng(seed).random((n, n_channels, *grid)) ** 3


def slow_parts(X, grid):
    """The slowest frequencies of samples, and the samples that are made of these alone."""
    V = half_spectrum(X)
    places, numbers = low_frequencies(grid, MOST)
    kept = np.zeros_like(V)
    kept[places] = V[places]
    half = (*grid[:-1], grid[-1] // 2 + 1)
    for place, number in zip(places, numbers, strict=True):
        if number[-1] == 0 and number.any():  # its mirror image is stored, too
            kept[np.ravel_multi_index(tuple(-number % np.array(grid)), half)] = V[place].conj()
    return V[places], samples_of(kept, grid)


@pytest.mark.parametrize("grid", [(7,), (14,), (7, 14), (14, 7, 7)])
def test_distances_are_those_of_explicit_shifts(grid):
    """Seven shifts along each axis, which are whole numbers of positions on circles of 7 and 14."""
    (A, a), (B, b) = (slow_parts(some(grid, seed=seed), grid) for seed in (0, 1))
    numbers = low_frequencies(grid, MOST)[1]
    found = squared_distances_at_shifts(A, B, numbers, shift_waves(numbers, 3))
    axes = tuple(range(1, 1 + len(grid)))
    for number, shares in enumerate(np.ndindex(*[7] * len(grid))):
        steps = tuple(share * length // 7 for share, length in zip(shares, grid, strict=True))
        for i in range(3):
            for j in range(3):
                explicit = np.square(a[i] - np.roll(b[j], steps, axes)).sum() * np.prod(grid)
                assert found[number, i, j] == pytest.approx(explicit, abs=1e-9)


@pytest.mark.parametrize("grid", [(7,), (7, 14)])
def test_the_kernel_is_the_same_for_every_shift_of_the_group(grid):
    X = some(grid)
    numbers = low_frequencies(grid, MOST)[1]
    waves = shift_waves(numbers, 3)
    A, _ = slow_parts(X, grid)
    found = kernel_over_shifts(A, A, numbers, waves, 0.3)
    axes = tuple(range(2, 2 + len(grid)))
    for shares in np.ndindex(*[7] * len(grid)):
        moved = np.roll(X, tuple(share * length // 7 for share, length in zip(shares, grid, strict=True)), axes)
        assert_allclose(kernel_over_shifts(slow_parts(moved, grid)[0], A, numbers, waves, 0.3), found, atol=1e-9)
    assert_allclose(found, found.T)


@pytest.mark.parametrize("grid", GRIDS)
def test_it_is_a_kernel(grid):
    """No eigenvalue of the matrix of any samples is below zero."""
    A, _ = slow_parts(some(grid, n=20), grid)
    numbers = low_frequencies(grid, MOST)[1]
    kernel = kernel_over_shifts(A, A, numbers, shift_waves(numbers, 3), 2.0)
    assert np.linalg.eigvalsh(kernel).min() > -1e-12


def test_it_tells_apart_what_the_energies_of_frequencies_do_not():
    """A sample of the same energy at each frequency, whose frequencies are placed differently."""
    X = some((9,), n=1, n_channels=1)
    V = half_spectrum(X)
    V[2] *= np.exp(1j)
    both = np.concatenate([X, samples_of(V, (9,))])
    numbers = low_frequencies((9,), MOST)[1]
    A, _ = slow_parts(both, (9,))
    nearest = squared_distances_at_shifts(A, A, numbers, shift_waves(numbers, 3)).min(axis=0)
    assert nearest[0, 1] > 0.1
    assert_allclose(np.diag(nearest), 0, atol=1e-12)


@pytest.mark.parametrize("grid", [(7,), (5, 6)])
def test_slopes_are_central_differences_of_sums_of_kernels(grid):
    rng = np.random.default_rng(2)
    numbers = low_frequencies(grid, MOST)[1]
    waves = shift_waves(numbers, 3)
    A, B = (slow_parts(some(grid, n=n, seed=n), grid)[0] / 5 for n in (2, 4))
    pulls = rng.standard_normal((2, 4))
    slopes = kernel_slopes(A, B, numbers, waves, 0.7, pulls)
    step = 1e-5
    for _ in range(5):
        change = rng.standard_normal(A.shape) + 1j * rng.standard_normal(A.shape)
        change[0] = change[0].real  # the mean of a real sample is real
        there, back = (
            (pulls * kernel_over_shifts(A + sign * step * change, B, numbers, waves, 0.7)).sum(axis=1)
            for sign in (1, -1)
        )
        expected = np.einsum("p,pcm->m", mirrored_twice(numbers), (change.conj() * slopes).real)
        assert_allclose((there - back) / (2 * step), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("grid", GRIDS)
def test_one_of_each_pair_of_mirrored_frequencies_is_kept(grid):
    places, numbers = low_frequencies(grid, 2)
    kept = {tuple(number) for number in numbers.tolist()}
    assert len(kept) == len(numbers) == len(set(places.tolist()))
    wanted = np.ndindex(*(2 * min(2, (length - 1) // 2) + 1 for length in grid))
    centre = np.array([min(2, (length - 1) // 2) for length in grid])
    for index in wanted:
        number = np.array(index) - centre
        assert (tuple(number.tolist()) in kept) + (tuple((-number).tolist()) in kept) == (2 if not number.any() else 1)
    wave = np.exp(2j * np.pi * sum(n * p / T for n, p, T in zip(numbers[-1], np.indices(grid), grid, strict=True)))
    assert np.abs(np.fft.rfftn(wave.real).ravel()).argmax() in places


@pytest.mark.parametrize("grid", GRIDS)
def test_functionals_as_blocks_have_the_same_inner_products(grid):
    rng, X = np.random.default_rng(1), some(grid)
    V, weights = half_spectrum(X), multiplicities(grid) / np.prod(grid)
    places, numbers = low_frequencies(grid, MOST)
    low = rng.standard_normal((len(places), *V.shape[1:])) + 1j * rng.standard_normal((len(places), *V.shape[1:]))
    low[0] = low[0].real
    W = low_blocks(low, grid, MOST, weights)
    inner = np.einsum("p,pci->i", weights, (V.conj() * W).real)
    expected = np.einsum("p,pci->i", mirrored_twice(numbers), (V[places].conj() * low).real)
    assert_allclose(inner, expected)
    # The half spectrum of a real array: the inner product is one over positions, as well.
    assert_allclose((X * samples_of(W, grid)).reshape(3, -1).sum(axis=1), inner)
