"""Small deformations of images: none, whole pixels, and the middle of an image wherever it is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet.numerics.image_deformation import N_NUMBERS, deformed, displacements, in_the_middle, middle_positions


def image(shape=(2, 9, 12), seed=0):
    return np.random.default_rng(seed).random(shape)


def test_zeros_displace_nothing():
    moved = displacements(np.zeros((1, N_NUMBERS)), (9, 12))
    assert_allclose(moved, 0, atol=1e-12)
    assert_allclose(deformed(image(), moved)[0], image(), atol=1e-9)


def test_a_displacement_by_whole_pixels_is_a_shift():
    moved = np.zeros((2, 2, 9, 12))
    moved[0, 0], moved[1, 1] = 2, -5
    found = deformed(image(), moved)
    assert_allclose(found[0], np.roll(image(), -2, 1), atol=1e-9)
    assert_allclose(found[1], np.roll(image(), 5, 2), atol=1e-9)


def test_a_turn_by_itself_is_one_around_the_middle():
    numbers = np.zeros((1, N_NUMBERS))
    numbers[0, 0] = np.pi / 2 / 0.17  # a quarter turn
    picture = np.zeros((1, 11, 11))
    picture[0, 2:5, 4:8] = 1
    found = deformed(picture, displacements(numbers, (11, 11)))[0, 0]
    assert min(np.abs(found - np.rot90(picture[0], k)).max() for k in (1, 3)) < 1e-6


@pytest.mark.parametrize("number", range(N_NUMBERS))
def test_every_number_deforms(number):
    numbers = np.zeros((1, N_NUMBERS))
    numbers[0, number] = 1.0
    moved = displacements(numbers, (9, 12))
    assert 1e-3 < np.abs(moved).max() < 3


def test_many_at_once_are_each_of_them():
    numbers = np.random.default_rng(1).standard_normal((3, N_NUMBERS))
    together = deformed(image(), displacements(numbers, (9, 12)))
    for found, one in zip(together, numbers, strict=True):
        assert_allclose(found, deformed(image(), displacements(one[None], (9, 12)))[0], atol=1e-12)


def test_the_middle_is_the_same_wherever_an_image_is():
    blob = np.zeros((1, 1, 9, 12))
    blob[0, 0, 2:5, 3:8] = 1
    assert_array_equal(middle_positions(blob)[:, 0], [3, 5])
    expected = in_the_middle(blob)
    assert_array_equal(middle_positions(expected)[:, 0], [4, 6])
    for shift in np.ndindex(9, 12):
        assert_array_equal(in_the_middle(np.roll(blob, shift, (2, 3))), expected)


def test_a_constant_has_no_part_in_the_middle():
    samples = image((4, 2, 9, 12))
    assert_array_equal(middle_positions(samples + 7.0), middle_positions(samples))
