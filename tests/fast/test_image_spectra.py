"""Responses of images by products of matrices: the same as those by Fourier transforms."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redunet import Lift
from redunet.fast.image_spectra import ImageSpectra
from redunet.fast.representatives import first_positions, representative
from redunet.numerics import orbit
from redunet.numerics.spectrum import half_spectrum, normalise

SHAPES = [(1, 28, 28), (3, 9, 14), (2, 15, 8), (1, 7, 7), (1, 2, 5), (1, 1, 6), (1, 5, 1)]


def fitted_bank(shape, threshold, pool, n_images=11):
    images = np.random.default_rng(0).standard_normal((n_images, *shape))
    sizes = tuple({min(3, *shape[1:]), min(5, *shape[1:])})
    quantile = None if threshold == "none" else 0.3
    lift = Lift("random", 5, sizes, threshold, pool=pool, quantile=quantile, random_state=0)
    return lift.fit(images).bank_, images


@pytest.mark.parametrize("threshold", ["soft", "relu", "none"])
@pytest.mark.parametrize("pool", [1, 2, 2.5])
@pytest.mark.parametrize("shape", SHAPES)
def test_spectra_by_matrices_are_those_by_fourier_transforms(shape, pool, threshold):
    bank, images = fitted_bank(shape, threshold, pool if min(shape[1:]) > 6 else 1)
    expected = half_spectrum(bank(images))
    assert isinstance(bank._double, ImageSpectra)
    np.testing.assert_allclose(bank.spectra(images, np.float64), expected, atol=1e-13 * np.abs(expected).max())
    single = bank.spectra(images, np.float32)
    assert single.dtype == np.complex64
    np.testing.assert_allclose(single, expected, atol=3e-6 * np.abs(expected).max())


@pytest.mark.parametrize("n_images", [1, 2, 31, 32, 33, 70])
def test_any_number_of_images_is_the_same_computation(n_images):
    bank, images = fitted_bank((1, 12, 12), "soft", 2, n_images)
    one_by_one = [bank.spectra(images[i : i + 1], np.float64)[:, :, 0] for i in range(n_images)]
    np.testing.assert_allclose(bank.spectra(images, np.float64), np.stack(one_by_one, axis=2), atol=1e-12)


def test_images_whose_responses_are_large_are_worked_on_one_by_one():
    bank, images = fitted_bank((1, 300, 260), "soft", 2, 2)
    few = ImageSpectra(bank.filters, bank.grid, bank.coarse_grid, (-bank.level, bank.level), np.dtype(np.float64))
    assert few.images_at_a_time == 1
    expected = half_spectrum(bank(images))
    np.testing.assert_allclose(few(bank.scaled(images)), expected, atol=1e-12 * np.abs(expected).max())


def test_values_that_are_not_scaled_keep_their_precision():
    images = 1e200 * np.random.default_rng(1).standard_normal((4, 1, 9, 9))
    bank = Lift("random", 3, 3, unit_scale=False, random_state=0).fit(images).bank_
    V = bank.spectra(images, np.float32)
    assert V.dtype == np.complex128
    assert np.isfinite(V).all()


def test_a_pickled_bank_holds_its_fields_alone():
    bank, images = fitted_bank((1, 9, 9), "soft", 2)
    before = len(pickle.dumps(bank))
    bank.spectra(images, np.float64)
    bank(images)
    assert len(pickle.dumps(bank)) == before
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(bank)).spectra(images, np.float64), bank.spectra(images, np.float64)
    )


def test_the_sphere_is_reached_from_any_scale():
    from redunet.fast.kernels import scale_to_sphere

    rng = np.random.default_rng(2)
    weights = rng.uniform(0.5, 2, 4)
    V = rng.standard_normal((4, 3, 6)) + 1j * rng.standard_normal((4, 3, 6))
    expected = normalise(V, weights)
    scales = 10.0 ** np.array([-250, -30, 0, 30, 250, 0])
    scales[5] = 0
    scaled = V * scales
    scale_to_sphere(scaled, weights)
    np.testing.assert_allclose(scaled[:, :, :5], expected[:, :, :5], rtol=1e-12)
    assert not scaled[:, :, 5].any()


@settings(deadline=None)
@given(st.data())
def test_the_first_position_is_that_of_the_readable_search(data):
    grid = data.draw(st.sampled_from([(6,), (4, 4), (3, 5), (1, 4)]))
    n_channels = data.draw(st.integers(1, 2))
    size = n_channels * int(np.prod(grid))
    rows = data.draw(st.lists(st.lists(st.integers(0, 2), min_size=size, max_size=size), min_size=1, max_size=4))
    samples = np.array(rows, dtype=data.draw(st.sampled_from([np.float32, np.float64]))).reshape(-1, n_channels, *grid)
    np.testing.assert_array_equal(first_positions(samples), orbit.first_positions(samples))
    np.testing.assert_array_equal(representative(samples), orbit.representative(samples))


def test_volumes_take_the_readable_search():
    samples = np.random.default_rng(3).integers(0, 2, (5, 1, 3, 2, 4)).astype(float)
    np.testing.assert_array_equal(representative(samples), orbit.representative(samples))
