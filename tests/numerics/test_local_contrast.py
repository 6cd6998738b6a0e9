"""Local contrast: its definition by sums, and what changes nothing about it."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet.fast import sample_contrast
from redunet.numerics.local_contrast import FLOOR_SHARE, WINDOW_END, local_contrast, window_matrix, window_weights

RNG = np.random.default_rng(0)
SHAPES = [(1, 28, 28), (3, 9, 14), (2, 15, 1), (1, 1, 6), (2, 20), (1, 7), (2, 90, 71)]


def unit_peaks(samples):
    return samples / np.abs(samples).max(axis=tuple(range(1, samples.ndim)), keepdims=True)


def contrast_by_sums(sample, width):
    """Contrast of a sample (n_channels, *grid) from the definition: every value of the window, one after the other."""
    grid, end = sample.shape[1:], int(np.ceil(WINDOW_END * width))

    def mean_around(values, position):
        total, weights = 0.0, 0.0
        for offset in np.ndindex(*(2 * end + 1,) * len(grid)):
            moves = np.array(offset) - end
            weight = np.exp(-0.5 * np.sum(moves**2) / width**2)
            total += weight * values[tuple((np.array(position) + moves) % grid)]
            weights += weight
        return total / weights

    places = list(np.ndindex(*grid))
    differences = np.zeros_like(sample)
    for channel, position in ((c, p) for c in range(len(sample)) for p in places):
        differences[(channel, *position)] = sample[(channel, *position)] - mean_around(sample[channel], position)
    squares = np.square(differences).mean(axis=0)
    floor = FLOOR_SHARE * np.sqrt(squares.mean())
    for position in places:
        differences[(slice(None), *position)] /= np.sqrt(mean_around(squares, position)) + floor
    return differences


@pytest.mark.parametrize("width", [0.6, 1.3])
@pytest.mark.parametrize("shape", [(2, 9), (1, 8), (2, 5, 6), (1, 3, 4, 2)])
def test_contrast_is_what_its_definition_says(shape, width):
    samples = unit_peaks(RNG.standard_normal((2, *shape)))
    expected = np.stack([contrast_by_sums(sample, width) for sample in samples])
    assert_allclose(local_contrast(samples, width), expected, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("width", [0.5, 1, 3, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_fast_contrast_is_the_readable_one(shape, width, dtype):
    samples = unit_peaks(RNG.standard_normal((19, *shape))).astype(dtype)
    samples[3] = 0.7
    found = sample_contrast.local_contrast(samples, width)
    assert found.dtype == dtype
    assert_allclose(found, local_contrast(samples, width), atol=60 * np.finfo(dtype).eps)
    assert not found[3].any()


@pytest.mark.parametrize("grid", [(13, 20), (90, 71), (9000,), (4, 2000), (3, 1100)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sample_has_the_same_bits_whatever_is_beside_it(grid, dtype):
    n = 300 if math.prod(grid) < 1000 else 30
    samples = unit_peaks(RNG.standard_normal((n, 2, *grid))).astype(dtype)
    together = sample_contrast.local_contrast(samples, 2.0)
    for some in (slice(0, 1), slice(5, 6), slice(2, n // 3), slice(n - 7, n)):
        assert_array_equal(sample_contrast.local_contrast(samples[some], 2.0), together[some])


def test_neither_brightness_nor_scale_matters_and_a_shift_moves_along():
    samples = RNG.standard_normal((3, 2, 8, 11))
    found = local_contrast(unit_peaks(samples), 1.5)
    assert_allclose(local_contrast(unit_peaks(5 * samples + 3), 1.5), found, atol=1e-12)
    moved = np.roll(samples, (3, 7), axis=(2, 3))
    assert_allclose(local_contrast(unit_peaks(moved), 1.5), np.roll(found, (3, 7), axis=(2, 3)), atol=1e-12)


def test_a_part_in_the_shade_has_the_contrast_of_one_in_the_light():
    pattern = np.tile([1.0, -1.0, -1.0, 1.0], 20)[None, None]
    light = np.where(np.arange(80) < 40, 1.0, 0.1)
    found = local_contrast(pattern * light, 2.0)[0, 0]
    inside = slice(10, 30), slice(50, 70)
    shade, bright = (np.sqrt(np.mean(np.square(found[part]))) for part in reversed(inside))
    assert 0.2 < shade / bright < 1.0  # ten times less light


@pytest.mark.parametrize("length", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("width", [0.5, 1.0, 7.0])
def test_windows_are_means(length, width):
    weights, matrix = window_weights(width, length), window_matrix(width, length)
    assert_allclose(weights.sum(), 1)
    assert_allclose(weights, weights[::-1], rtol=1e-12)
    assert_allclose(matrix.sum(axis=1), 1)
    assert_allclose(matrix, matrix.T, atol=1e-15)
