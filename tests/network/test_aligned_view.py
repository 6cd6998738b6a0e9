"""A view of blocks at their centres: nearness to landmarks, a span that keeps the kernel, and the way to a sample."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redunet.network.aligned_view import AlignedView
from redunet.numerics.alignment import centre_phases
from redunet.numerics.spectrum import half_spectrum

GRID = (5, 6)


@pytest.fixture(scope="module")
def blocks():
    X = np.random.default_rng(0).random((30, 2, *GRID)) ** 2
    V = half_spectrum(X)
    return V / np.sqrt((np.abs(V) ** 2).sum(axis=(0, 1))), centre_phases(X)


@pytest.fixture(scope="module")
def view(blocks):
    coordinates = AlignedView.coordinates_of(*blocks, GRID)
    return AlignedView.of(coordinates, GRID, 2, 3, np.ones(30))


def test_features_are_the_gaussian_kernel_with_each_landmark_and_a_constant(blocks, view):
    found = view(*blocks)[0].T
    projected = (view.coordinates_of(*blocks, GRID) - view.mean) @ view.directions
    for i in range(30):
        for j, landmark in enumerate(view.landmarks):
            assert found[i, j] == pytest.approx(np.exp(-view.gamma * np.square(projected[i] - landmark).sum()))
    assert (found[:, -1] == 1).all()


def test_projections_have_the_mean_0_and_the_root_of_their_spread(blocks, view):
    coordinates = view.coordinates_of(*blocks, GRID)
    projected = (coordinates - view.mean) @ view.directions
    assert_allclose(projected.mean(axis=0), 0, atol=1e-9)
    covariance = np.cov(projected.T, bias=True)
    assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-9)
    energies = np.linalg.eigvalsh(np.cov(coordinates.T, bias=True))[::-1][: len(covariance)]
    assert_allclose(np.diag(covariance), np.sqrt(energies * energies[0]), rtol=1e-4, atol=1e-8)


def test_weights_of_samples_are_numbers_of_copies(blocks):
    coordinates = AlignedView.coordinates_of(*blocks, GRID)
    weights = 1.0 + (np.arange(30) % 3)
    weighed = AlignedView.of(coordinates, GRID, 2, 3, weights)
    copied = AlignedView.of(
        np.repeat(coordinates, weights.astype(int), axis=0), GRID, 2, 3, np.ones(int(weights.sum()))
    )
    assert_allclose(weighed.mean, copied.mean)
    assert_allclose(weighed.directions @ weighed.directions.T, copied.directions @ copied.directions.T, atol=1e-8)


def test_coordinates_in_the_span_have_the_inner_products_of_the_kernel(blocks, view):
    inside = view(*blocks)[0].T @ view.whitening
    projected = (view.coordinates_of(*blocks, GRID) - view.mean) @ view.directions
    kernel = np.exp(-view.gamma * np.square(projected[:, None] - projected).sum(axis=2))
    assert_allclose(inside @ inside.T, kernel + 1, atol=1e-4)
    functionals = np.random.default_rng(1).standard_normal((4, inside.shape[1]))
    assert_allclose(view(*blocks)[0].T @ view.functionals(functionals).T, inside @ functionals.T, atol=1e-8)


def test_the_way_from_the_mean_adds_up_to_the_difference(blocks, view):
    coordinates = view.coordinates_of(*blocks, GRID)
    coefficients = np.random.default_rng(2).standard_normal((30, view.n_features))
    weights = view.path_weights(coordinates, coefficients)
    there = (view.features(coordinates) * coefficients).sum(axis=1)
    at_mean = coefficients @ view.features(view.mean[None])[0]
    assert_allclose(((coordinates - view.mean) * weights).sum(axis=1), there - at_mean, atol=1e-9)


def test_samples_that_are_all_the_same_have_no_view(blocks):
    coordinates = AlignedView.coordinates_of(*blocks, GRID)
    same = np.repeat(coordinates[:1], 6, axis=0)
    assert AlignedView.of(same, GRID, 2, 3, np.ones(6)) is None
