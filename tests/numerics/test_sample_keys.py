"""Keys of samples: the same for the same values, and evenly spread for different ones."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from redunet.numerics.sample_keys import sample_keys


def test_a_key_depends_on_the_values_of_its_sample_alone():
    X = np.random.default_rng(0).standard_normal((50, 3, 4))
    order = np.random.default_rng(1).permutation(50)
    assert_array_equal(sample_keys(X[order]), sample_keys(X)[order])
    assert_array_equal(sample_keys(np.asfortranarray(X)), sample_keys(X))
    assert_array_equal(sample_keys(X.reshape(50, 12)), sample_keys(X))


def test_a_sample_of_single_precision_has_the_key_of_the_same_numbers_in_double_precision():
    X = np.random.default_rng(0).standard_normal((20, 5)).astype(np.float32)
    assert_array_equal(sample_keys(X), sample_keys(X.astype(np.float64)))


def test_zero_has_one_key():
    assert sample_keys(np.array([[0.0, 1.0]])) == sample_keys(np.array([[-0.0, 1.0]]))


@pytest.mark.parametrize("kind", ["small whole numbers", "one value differs", "noise"])
def test_keys_are_evenly_spread_and_differ(kind):
    rng = np.random.default_rng(0)
    if kind == "small whole numbers":
        X = np.stack(np.meshgrid(*[np.arange(12.0)] * 4), axis=-1).reshape(-1, 4)  # words that end in many zeros
    elif kind == "one value differs":
        X = np.zeros((20_000, 6))
        X[:, 3] = np.arange(20_000)
    else:
        X = rng.standard_normal((20_000, 3))
    keys = sample_keys(X)
    assert keys.dtype == np.int64
    assert keys.min() >= 0
    assert len(np.unique(keys)) == len(X)
    counts = np.histogram(keys.astype(float), bins=16, range=(0, 2.0**63))[0]
    expected = len(X) / 16
    # Chi squared with 15 degrees of freedom is below 45 but once in 10,000 times.
    assert np.sum((counts - expected) ** 2 / expected) < 45
    # And the order of the keys says nothing of the order of the samples.
    assert abs(np.corrcoef(keys.astype(float), np.arange(len(X)))[0, 1]) < 0.03


def test_no_samples_have_no_keys():
    assert sample_keys(np.empty((0, 3))).shape == (0,)
