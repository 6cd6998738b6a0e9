"""Gaussian mixtures on the sphere: lengths, classes, spread, and the cases of the paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from redunet.data.gaussians import GAUSSIAN_CASES, gaussians_on_sphere


@given(
    n_classes=st.integers(1, 5),
    n_dims=st.integers(1, 4),
    n=st.integers(1, 7),
    sigma=st.floats(0, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_sample_has_length_one_and_every_class_its_number(n_classes, n_dims, n, sigma, seed):
    means = np.random.default_rng(seed).uniform(0.5, 1, (n_classes, n_dims))
    X, y = gaussians_on_sphere(means, sigma, n, seed)
    assert X.shape == (n_classes * n, n_dims)
    assert_allclose(np.linalg.norm(X, axis=1), 1, atol=1e-12)
    assert_array_equal(y, np.repeat(np.arange(n_classes), n))
    again, _ = gaussians_on_sphere(means, sigma, n, seed)
    assert_array_equal(again, X)


def test_sigma_is_the_standard_deviation_and_classes_lie_about_their_means():
    # On the circle, for small σ, the angle from the mean is Gaussian with standard deviation σ / ‖mean‖.
    means = 2 * np.array([[1.0, 0.0], [0.0, 1.0], [-np.sqrt(0.5), np.sqrt(0.5)]])
    X, y = gaussians_on_sphere(means, 0.04, 20_000, 0)
    angles = np.angle(np.exp(1j * (np.arctan2(X[:, 1], X[:, 0]) - np.radians([0, 90, 135])[y])))
    for j in range(3):
        assert abs(angles[y == j].mean()) < 0.001
        assert_allclose(angles[y == j].std(), 0.02, rtol=0.03)


def test_without_spread_a_sample_is_the_direction_of_its_mean():
    X, _ = gaussians_on_sphere([[0, 3.0], [-2.0, 0]], 0, 2)
    assert_allclose(X, [[0, 1], [0, 1], [-1, 0], [-1, 0]], atol=1e-15)


def test_the_cases_of_the_paper():
    shapes = {name: np.shape(case.means) for name, case in GAUSSIAN_CASES.items()}
    assert shapes == {
        "circle-2": (2, 2),
        "sphere-3": (3, 3),
        "circle-2-near": (2, 2),
        "sphere-3-near": (3, 3),
        "circle-3": (3, 2),
        "circle-6": (6, 2),
    }
    for case in GAUSSIAN_CASES.values():
        assert_allclose(np.linalg.norm(case.means, axis=1), 1, atol=1e-12)
        assert (case.sigma, case.n_per_class) == (0.1, 500)
        X, y = case.sample(0)
        assert X.shape == (500 * len(case.means), len(case.means[0]))
        assert ((X @ np.transpose(case.means)).argmax(axis=1) == y).mean() > 0.9  # classes can be told apart
        assert not np.array_equal(case.sample(1)[0], X)


def test_near_cases_start_nearer_than_a_right_angle_and_the_triple_has_two_classes_almost_on_a_line():
    def cosines(name):
        means = np.array(GAUSSIAN_CASES[name].means)
        return (means @ means.T)[np.triu_indices(len(means), 1)]

    assert_allclose(cosines("circle-2"), 0, atol=1e-15)
    assert_allclose(cosines("sphere-3"), 0, atol=1e-15)
    assert cosines("circle-2-near").max() > 0.4
    assert cosines("sphere-3-near").max() > 0.4
    assert cosines("circle-3").min() < -0.95  # opposite: one line, two classes


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1.0, 0.0], 0.1, 5), ValueError, r"means must be finite, of shape \(n_classes, n_dims\), got shape \(2,\)"),
        (([[np.nan, 0.0]], 0.1, 5), ValueError, "means must be finite"),
        (([[1.0, 0.0]], -1, 5), ValueError, "sigma must be a number >= 0, got -1"),
        (([[1.0, 0.0]], 0.1, 0), ValueError, "n_per_class must be >= 1, got 0"),
        (([[1.0, 0.0]], 0.1, 2.5), TypeError, "n_per_class must be a whole number"),
        (([[0.0, 0.0]], 0, 5), ValueError, "has no direction"),
    ],
)
def test_mistakes_are_told(arguments, error, message):
    with pytest.raises(error, match=message):
        gaussians_on_sphere(*arguments)
