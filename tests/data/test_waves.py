"""Sinusoids and square waves: one period, any start, the curve without noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from redunet.data.waves import WAVES, sinusoids


@given(n=st.integers(1, 6), n_points=st.integers(3, 40), seed=st.integers(0, 2**32 - 1))
def test_a_signal_is_one_period_so_that_its_shifts_are_signals_of_the_same_class(n, n_points, seed):
    X, y = sinusoids(n, n_points, noise=0, random_state=seed)
    assert X.shape == (2 * n, n_points)
    assert_array_equal(y, np.repeat([0, 1], n))
    # A sine that is sampled evenly over one whole period holds the first frequency and nothing else.
    energy = np.abs(np.fft.rfft(X[:n], axis=1)) ** 2
    assert_allclose(energy[:, 1], (n_points / 2) ** 2, rtol=1e-9)
    energy[:, 1] = 0
    assert_allclose(energy, 0, atol=1e-9)
    assert set(np.unique(X[n:])) <= {-1.0, 0.0, 1.0}
    assert (np.abs(X[n:].sum(axis=1)) <= 1).all()  # up for one half of the period, down for the other
    assert ((np.diff(X[n:], axis=1, append=X[n:, :1]) != 0).sum(axis=1) == 2).all()


def test_the_listing_of_the_paper_repeats_the_end_point():
    X, _ = sinusoids(20, noise=0, repeat_end_point=True, random_state=0)
    assert X.shape == (40, 150)
    assert_allclose(X[:, -1], X[:, 0], atol=1e-12)
    without, _ = sinusoids(20, noise=0, random_state=0)
    assert (np.abs(without[:20, -1] - without[:20, 0]) > 1e-4).all()
    # The same starts, 149 steps to the period instead of 150.
    assert_allclose(X[:, :-1], sinusoids(20, 149, noise=0, random_state=0)[0], atol=1e-10)


def test_without_noise_the_same_seed_gives_the_curve_clean_at_any_density():
    X, _ = sinusoids(100, random_state=3)
    clean, _ = sinusoids(100, noise=0, random_state=3)
    residual = X - clean
    assert_allclose(residual.std(), 0.1, rtol=0.02)
    assert abs(residual.mean()) < 0.003
    assert abs(np.corrcoef(residual[:, 0], residual[:, 1])[0, 1]) < 0.25  # every point has noise of its own
    dense, _ = sinusoids(100, 1500, noise=0, random_state=3)
    assert_allclose(dense[:, ::10], clean, atol=1e-10)


def test_every_signal_has_a_start_of_its_own_in_five_periods():
    X, _ = sinusoids(2000, 4, noise=0, random_state=0)
    phase = np.arctan2(X[:2000, 0], X[:2000, 1])  # sin t₀ and sin(t₀ + π/2)
    assert len(np.unique(phase.round(9))) == 2000
    assert_allclose(np.histogram(phase, 4, (-np.pi, np.pi))[0], 500, atol=80)
    ups = X[2000:, 0] > 0
    assert not np.array_equal(ups, X[:2000, 0] > 0)  # classes do not share their starts
    assert_array_equal(sinusoids(5, random_state=1)[0], sinusoids(5, random_state=1)[0])


def test_the_two_families():
    t = np.array([0.1, 1.0, 4.0])
    assert_array_equal(WAVES[0](t), np.sin(t))
    assert_array_equal(WAVES[1](t), [1, 1, -1])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_per_class": 0}, ValueError, "n_per_class must be >= 1"),
        ({"n_per_class": 3, "n_points": 1}, ValueError, "n_points must be >= 2"),
        ({"n_per_class": 3, "noise": -0.1}, ValueError, "noise must be a number >= 0, got -0.1"),
        ({"n_per_class": 3, "repeat_end_point": "yes"}, TypeError, "repeat_end_point must be True or False"),
    ],
)
def test_mistakes_are_told(arguments, error, message):
    with pytest.raises(error, match=message):
        sinusoids(**arguments)
