"""Samples at their own centre: the same for every shift, and what the definition by explicit sums says."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redunet.numerics.alignment import aligned_coordinates, centre_phases, functional_blocks, low_frequencies
from redunet.numerics.spectrum import half_spectrum, multiplicities, samples_of

GRIDS = [(7,), (8,), (1,), (5, 6), (6, 5), (4, 4), (2, 9)]


def some(grid, n=3, n_channels=2, seed=0):
    return np.random.default_rng(seed).random((n, n_channels, *grid)) ** 3


@pytest.mark.parametrize("grid", GRIDS)
def test_the_phase_is_that_of_the_first_harmonic_by_its_definition(grid):
    X = some(grid)
    for axis in range(len(grid)):
        for i, sample in enumerate(X):
            total = 0.0
            for position in np.ndindex(*grid):
                total += sample[(slice(None), *position)].sum() * np.exp(-2j * np.pi * position[axis] / grid[axis])
            if abs(total) > 1e-9 and grid[axis] > 1:
                assert_allclose(np.exp(1j * centre_phases(X)[axis, i]), total / abs(total), atol=1e-9)


def test_a_constant_has_no_part_in_the_centre():
    X = some((6, 5))
    assert_allclose(np.exp(1j * centre_phases(X + 7.0)), np.exp(1j * centre_phases(X)), atol=1e-9)


@pytest.mark.parametrize("grid", GRIDS)
def test_coordinates_at_the_centre_are_the_same_for_every_shift(grid):
    X = some(grid)
    axes = tuple(range(2, 2 + len(grid)))
    found = aligned_coordinates(half_spectrum(X), centre_phases(X), grid, 2)
    for shift in np.ndindex(*grid):
        moved = np.roll(X, shift, axes)
        assert_allclose(aligned_coordinates(half_spectrum(moved), centre_phases(moved), grid, 2), found, atol=1e-9)


def test_coordinates_tell_apart_what_the_energies_of_frequencies_do_not():
    """A sample of the same energy at each frequency, whose frequencies are placed differently."""
    X = some((9,), n=1, n_channels=1)
    V = half_spectrum(X)
    V[2] *= np.exp(1j)
    other = samples_of(V, (9,))
    assert_allclose(np.abs(half_spectrum(other)), np.abs(half_spectrum(X)), atol=1e-9)
    here, there = (aligned_coordinates(half_spectrum(one), centre_phases(one), (9,), 2) for one in (X, other))
    assert np.abs(here - there).max() > 0.1


@pytest.mark.parametrize("grid", [(7,), (5, 7), (7, 5), (3, 5, 5)])
def test_coordinates_of_all_frequencies_keep_inner_products(grid):
    """With odd lengths every frequency but 0 has its mirror image, so that nothing is left out."""
    X = some(grid)
    found = aligned_coordinates(half_spectrum(X), np.zeros((len(grid), len(X))), grid, 100)
    assert_allclose(found @ found.T / np.prod(grid), X.reshape(3, -1) @ X.reshape(3, -1).T)
    assert found.shape[1] == X[0].size


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
    V, phases, weights = half_spectrum(X), centre_phases(X), multiplicities(grid) / np.prod(grid)
    coordinates = aligned_coordinates(V, phases, grid, 2)
    functionals = rng.standard_normal(coordinates.shape)
    W = functional_blocks(functionals, phases, grid, 2, weights)
    inner = np.einsum("p,pci->i", weights, (V.conj() * W).real)
    assert_allclose(inner, (coordinates * functionals).sum(axis=1))
    # The half spectrum of a real array: the inner product is one over positions, as well.
    assert_allclose((X * samples_of(W, grid)).reshape(3, -1).sum(axis=1), inner)
