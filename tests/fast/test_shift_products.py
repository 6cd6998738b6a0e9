"""The quick kernel over all shifts is the readable one, to single precision."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet.fast.shift_products import KernelOverShifts, Whitening, opposite_shifts
from redunet.numerics.shift_kernel import kernel_over_shifts, low_frequencies, shift_waves

GRIDS = [(1,), (9,), (7, 8), (5, 6, 4)]


def complex_numbers(rng, *shape, dtype=np.complex64):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


def frequencies_and_waves(grid):
    numbers = low_frequencies(grid, 2)[1]
    return numbers, shift_waves(numbers, 3)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_it_is_the_readable_kernel(grid, dtype):
    rng = np.random.default_rng(0)
    numbers, waves = frequencies_and_waves(grid)
    # More than one part of samples, and an odd number of tiles of landmarks, the last one not full.
    landmarks, samples = (complex_numbers(rng, len(numbers), 5, n, dtype=dtype) for n in (150, 70))
    gamma = 0.1 / len(numbers)
    found = KernelOverShifts(landmarks, numbers, waves, gamma)(samples)
    assert found.shape == (70, 150)
    assert_allclose(found, kernel_over_shifts(samples, landmarks, numbers, waves, gamma), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("gamma", [1e-6, 1.0, 1e4])
def test_it_is_the_readable_kernel_of_samples_that_are_very_near_and_very_far(gamma):
    rng = np.random.default_rng(0)
    numbers, waves = frequencies_and_waves((7, 8))
    landmarks = 0.1 * complex_numbers(rng, len(numbers), 3, 4)
    samples = np.concatenate([landmarks, 100 * landmarks, 0 * landmarks], axis=2)
    found = KernelOverShifts(landmarks, numbers, waves, gamma)(samples)
    near = gamma * np.square(np.abs(landmarks)).sum(axis=(0, 1)).max()
    error = 1e-6 * (1 + 4 * near)  # exponents are rounded in units of their parts
    assert_allclose(found, kernel_over_shifts(samples, landmarks, numbers, waves, gamma), rtol=error, atol=error)


@pytest.mark.parametrize("grid", GRIDS)
def test_a_sample_has_the_same_bits_whatever_is_beside_it(grid):
    rng = np.random.default_rng(1)
    numbers, waves = frequencies_and_waves(grid)
    landmarks, low = (complex_numbers(rng, len(numbers), 4, n) for n in (37, 101))
    kernel, whitening = (
        KernelOverShifts(landmarks, numbers, waves, 0.05),
        Whitening(complex_numbers(rng, len(numbers), 4, 4)),
    )
    together = kernel(whitening(low))
    for some in (slice(0, 1), slice(7, 8), slice(3, 60), slice(90, 101)):
        assert_array_equal(kernel(whitening(low[:, :, some])), together[some])


def test_whitening_is_a_product_of_matrices():
    rng = np.random.default_rng(2)
    matrices, low = complex_numbers(rng, 6, 5, 9), complex_numbers(rng, 6, 9, 77)
    found = Whitening(matrices)(low)
    assert found.shape == (6, 5, 77)
    assert_allclose(found, matrices @ low, atol=2e-5)


@pytest.mark.parametrize("grid", GRIDS)
def test_pairs_of_opposite_shifts_have_every_shift_once(grid):
    numbers, waves = frequencies_and_waves(grid)
    n_low = len(numbers)
    pairs, shares = opposite_shifts(waves)
    assert_allclose(2 * shares.sum(), 1)
    opposite = np.concatenate([waves[pairs, :n_low], -waves[pairs, n_low:]], axis=1)
    own = shares < 1 / len(waves)  # a shift that is its own opposite is there once
    assert len(pairs) + np.count_nonzero(~own) == len(waves)
    every = np.concatenate([waves[pairs], opposite[~own]])
    assert_allclose(np.sort(np.round(every, 9), axis=0), np.sort(np.round(waves, 9), axis=0), atol=1e-8)
