"""The quick kernel over all shifts is the readable one, to single precision."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redunet.fast.shift_products import KernelOverShifts
from redunet.numerics.shift_kernel import kernel_over_shifts, low_frequencies, shift_waves


@pytest.mark.parametrize("grid", [(1,), (9,), (7, 8), (5, 6, 4)])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_it_is_the_readable_kernel(grid, dtype):
    rng = np.random.default_rng(0)
    numbers = low_frequencies(grid, 2)[1]
    waves = shift_waves(numbers, 3)
    landmarks, samples = (
        (rng.standard_normal((len(numbers), 5, n)) + 1j * rng.standard_normal((len(numbers), 5, n))).astype(dtype)
        for n in (150, 70)  # more than one part of each
    )
    gamma = 0.1 / len(numbers)
    found = KernelOverShifts(landmarks, numbers, waves, gamma)(samples)
    assert found.shape == (70, 150)
    assert_allclose(found, kernel_over_shifts(samples, landmarks, numbers, waves, gamma), rtol=1e-4, atol=1e-6)
