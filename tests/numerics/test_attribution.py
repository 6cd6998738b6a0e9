"""Shares of frequencies and values add up, and are what the definitions say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from redunet.network.geometry import Geometry
from redunet.numerics import orbit
from redunet.numerics.attribution import frequency_shares, interpolated, value_shares
from redunet.numerics.removal import N_OVERLAPS, N_STRETCHES, cut_out, levelled, spread_losses, stretches
from redunet.numerics.spectrum import samples_of
from tests.reference import attribution as slow

GRIDS = st.sampled_from([(7,), (8,), (3, 4), (4, 3), (2, 3, 3)])


def placed(filters, grid):
    """Filters on the whole grid, with their centre at position 0."""
    kernel = filters.shape[2:]
    found = np.zeros((*filters.shape[:2], *grid))
    found[(slice(None), slice(None), *(slice(side) for side in kernel))] = filters
    return np.roll(found, [-(side // 2) for side in kernel], axis=tuple(range(2, filters.ndim)))


@given(grid=GRIDS, unitary=st.booleans(), seed=st.integers(0, 99))
def test_shares_of_frequencies_and_of_positions_have_the_same_sum(grid, unitary, seed):
    rng = np.random.default_rng(seed)
    geometry = Geometry((3, *grid), unitary=unitary)
    V, G = (geometry.blocks(rng.standard_normal((5, 3, *grid))) for _ in range(2))
    products = samples_of(V, grid, unitary=unitary) * samples_of(G, grid, unitary=unitary)
    shares = frequency_shares(V, G, geometry.norm_weights)
    assert shares.shape == (5, len(geometry.norm_weights))
    assert_allclose(shares.sum(axis=1), products.reshape(5, -1).sum(axis=1), atol=1e-12)


@given(coarse=st.sampled_from([(5,), (3, 5), (1, 3)]), more=st.integers(0, 4), seed=st.integers(0, 99))
def test_products_of_interpolated_samples_keep_their_sum(coarse, more, seed):
    rng, grid = np.random.default_rng(seed), tuple(n + more for n in coarse)
    a, b = rng.standard_normal((2, 4, 3, *coarse))
    fine = (interpolated(a, grid) * interpolated(b, grid)).reshape(4, 3, -1).sum(axis=2)
    ratio = np.prod(grid) / np.prod(coarse)
    assert_allclose(fine, ratio * (a * b).reshape(4, 3, -1).sum(axis=2), atol=1e-11)


def test_an_interpolated_sinusoid_is_the_same_sinusoid():
    coarse, fine = np.arange(9) / 9, np.arange(24) / 24
    wave = interpolated(np.cos(2 * np.pi * 3 * coarse + 1)[None, None], (24,))
    assert_allclose(wave[0, 0], np.cos(2 * np.pi * 3 * fine + 1), atol=1e-12)


@pytest.mark.parametrize(("grid", "kernel"), [((9,), (3,)), ((8,), (4,)), ((4, 5), (3, 2))])
def test_values_get_the_shares_of_the_windows_that_they_are_in(grid, kernel):
    rng = np.random.default_rng(0)
    shares, samples = rng.standard_normal((2, 3, *grid)), rng.standard_normal((2, 2, *grid))
    filters = rng.standard_normal((3, 2, *kernel))
    found = value_shares(shares, samples, placed(filters, grid))
    expected = np.stack([slow.value_shares(*pair, filters) for pair in zip(shares, samples, strict=True)])
    assert_allclose(found, expected, atol=1e-4)  # every value counts a millionth more than it is
    assert_allclose(found.reshape(2, -1).sum(axis=1), shares.reshape(2, -1).sum(axis=1), atol=1e-10)


def test_a_window_of_zeros_is_shared_out_by_the_filter():
    rng = np.random.default_rng(0)
    filters, shares = rng.standard_normal((2, 1, 3)), rng.standard_normal((1, 2, 12))
    sample = np.zeros((1, 1, 12))
    sample[0, 0, 2] = 5.0
    for samples in (sample, np.zeros_like(sample)):
        found = value_shares(shares, samples, placed(filters, (12,)))
        assert_allclose(found[0], slow.value_shares(shares[0], samples[0], filters), atol=1e-4)
        assert_allclose(found.sum(), shares.sum(), atol=1e-9)


@given(grid=GRIDS, seed=st.integers(0, 99))
def test_a_sample_that_starts_elsewhere_can_be_put_back(grid, seed):
    rng = np.random.default_rng(seed)
    samples = rng.standard_normal((4, 2, *grid))
    origin = orbit.first_positions(samples)
    started = orbit.started_at(samples, origin)
    assert_array_equal(started, orbit.representative(samples))
    assert_array_equal(orbit.put_back(started, origin), samples)


@given(length=st.integers(1, 200))
def test_stretches_cover_a_circle_evenly(length):
    positions = stretches(length)
    assert len(positions) == min(length, N_STRETCHES)
    times = np.bincount(positions.ravel(), minlength=length)
    assert len(times) == length
    assert times.min() >= 1
    assert times.max() <= N_OVERLAPS + 1


def test_a_stretch_is_levelled_to_a_straight_line_or_cut_out():
    signal = np.array([[5.0, 1.0, 9.0, 9.0, 9.0, 3.0], [0.0, 2.0, 7.0, 7.0, 7.0, 2.0]])
    middle, around = np.array([2, 3, 4]), np.array([5, 0])
    assert_allclose(levelled(signal, middle), [[5, 1, 1.5, 2, 2.5, 3], [0, 2, 2, 2, 2, 2]])
    assert_allclose(levelled(signal, around)[0], [9 - 8 * 2 / 3, 1, 9, 9, 9, 9 - 8 / 3])
    assert_array_equal(cut_out(signal, middle)[0], [5, 1, 3, np.nan, np.nan, np.nan])
    assert_array_equal(cut_out(signal, around)[1], [2, 7, 7, 7, np.nan, np.nan])


@given(length=st.integers(2, 150), seed=st.integers(0, 99))
def test_losses_become_shares_that_add_up_to_the_total(length, seed):
    positions = stretches(length)
    losses = np.random.default_rng(seed).standard_normal((2, len(positions)))
    shares = spread_losses(losses, positions, 0.7)
    assert shares.shape == (2, length)
    assert_allclose(shares.sum(), 0.7, atol=1e-12)
