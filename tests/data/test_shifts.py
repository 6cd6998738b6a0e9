"""All shifts and translations against numpy.roll."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from redunet.data.shifts import all_shifts, translations


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
    with pytest.raises(ValueError, match="signals must have at least one axis"):
        all_shifts(1.0)
