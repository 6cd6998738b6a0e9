"""All shifts and translations against numpy.roll."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from redunet.data.shifts import all_shifts, all_shifts_of_each, each_shift, shifted_at_random, translations


@given(
    lead=st.lists(st.integers(1, 3), max_size=2),
    height=st.integers(1, 6),
    width=st.integers(1, 6),
    stride=st.integers(1, 7),
)
def test_shifts_and_translations_are_rolls(lead, height, width, stride):
    images = np.arange(np.prod([*lead, height, width])).reshape(*lead, height, width)
    downs, rights = range(0, height, stride), range(0, width, stride)
    rolls = [np.roll(images, (down, right), axis=(-2, -1)) for down in downs for right in rights]
    assert_array_equal(translations(images, stride), np.stack(rolls))
    assert_array_equal(all_shifts(images, stride), np.stack([np.roll(images, s, axis=-1) for s in rights]))
    assert_array_equal(list(each_shift(images, 2, stride)), np.stack(rolls))


def test_shifts_of_a_volume_are_rolls_along_three_axes():
    volume = np.arange(24).reshape(2, 3, 4)
    rolls = [np.roll(volume, by, axis=(0, 1, 2)) for by in np.ndindex(2, 3, 4)]
    assert_array_equal(all_shifts(volume, n_axes=3), np.stack(rolls))


def test_shifts_of_each_sample_come_sample_by_sample():
    samples = np.random.default_rng(0).standard_normal((2, 3, 4, 6))
    shifted = all_shifts_of_each(samples, 2, 2)
    assert shifted.shape == (2 * 2 * 3, 3, 4, 6)
    assert_array_equal(shifted[1], np.roll(samples[0], 2, axis=-1))
    assert_array_equal(shifted[6], samples[1])


def test_each_sample_has_a_random_shift_of_its_own():
    samples = np.tile(np.arange(30), (200, 1))
    offsets = shifted_at_random(samples, 1, seed=0).argmin(axis=1)
    assert len(np.unique(offsets)) > 25
    assert_array_equal(shifted_at_random(samples, 1, seed=0), [np.roll(samples[0], by) for by in offsets])
    assert_array_equal(shifted_at_random(samples, 1, np.random.default_rng(0)).argmin(axis=1), offsets)


def test_the_numbers_of_the_paper():
    image = np.arange(784).reshape(28, 28)
    assert translations(image, stride=7).shape == (16, 28, 28)
    assert len(np.unique(translations(image).reshape(784, -1), axis=0)) == 784
    assert all_shifts(np.zeros(150)).shape == (150, 150)


def test_mistakes_are_told():
    with pytest.raises(ValueError, match="stride must be >= 1, got 0"):
        translations(np.zeros((4, 4)), 0)
    with pytest.raises(ValueError, match=r"images must have at least two axes, got shape \(4,\)"):
        translations(np.zeros(4))
    with pytest.raises(ValueError, match=r"signals must have at least 1 axes, got shape \(\)"):
        all_shifts(1.0)
