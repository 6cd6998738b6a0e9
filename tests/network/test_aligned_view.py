"""A view of blocks by their nearness to landmarks: a span that keeps the kernel, and the way to a sample."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redunet.network.aligned_view import (
    KERNEL_SHARES,
    MOST_LANDMARKS,
    SAMPLES_ALL_LANDMARKS,
    AlignedView,
    landmarks_among,
    periods_for,
)
from redunet.numerics.shift_kernel import kernel_over_shifts, low_frequencies, mirrored_twice
from redunet.numerics.spectrum import half_spectrum

GRID = (5, 6)


@pytest.fixture(scope="module")
def blocks():
    X = np.random.default_rng(0).random((30, 2, *GRID)) ** 2
    V = half_spectrum(X)
    return V / np.sqrt((np.abs(V) ** 2).sum(axis=(0, 1)))


def slowest(blocks):
    return blocks[low_frequencies(GRID, 2)[0]]


@pytest.fixture(scope="module")
def view(blocks):
    return AlignedView.of(slowest(blocks), GRID, 2, np.ones(30), np.arange(30))


def test_features_are_the_kernel_with_each_landmark_and_a_constant(blocks, view):
    found = view(blocks)[0].T
    low = view.whitening @ blocks[low_frequencies(GRID, 2)[0]]
    expected = kernel_over_shifts(low, view.landmarks, view.numbers, view.waves, view.gamma)
    assert_allclose(found[:, :-1], expected, atol=1e-5)
    assert (found[:, -1] == 1).all()


def test_landmarks_are_training_samples_and_no_more_than_asked_for(blocks, view):
    assert view.n_landmarks == 30
    low = slowest(blocks)
    few = AlignedView.of(low, GRID, 2, np.ones(30), np.arange(3, 10))
    assert few.n_landmarks == 7
    assert_allclose(few.whitening, view.whitening)
    whitened = (view.whitening @ low).transpose(2, 0, 1)
    for landmark in few.landmarks.transpose(2, 0, 1):
        assert np.abs(whitened - landmark).max(axis=(1, 2)).min() < 1e-6


def test_whitening_makes_energies_the_root_of_what_they_were(blocks, view):
    low = slowest(blocks)
    before = [np.linalg.eigvalsh(one @ one.conj().T) for one in low]
    after = [np.linalg.eigvalsh(one @ one.conj().T) for one in view.whitening.astype(complex) @ low]
    strongest = max(one.max() for one in before)
    assert_allclose(np.array(after), np.sqrt(np.array(before) * strongest), rtol=1e-3)


def test_weights_of_samples_are_numbers_of_copies(blocks):
    low, weights, nobody = slowest(blocks), 1 + np.arange(30) % 3, np.zeros(60, dtype=bool)
    weighed = AlignedView.of(low, GRID, 2, weights.astype(float), landmarks_among(low, nobody[:30]))
    copies = np.repeat(low, weights, axis=2)
    copied = AlignedView.of(copies, GRID, 2, np.ones(weights.sum()), landmarks_among(copies, nobody[: weights.sum()]))
    assert_allclose(weighed.whitening, copied.whitening, atol=1e-5)
    assert_allclose(weighed.landmarks, copied.landmarks, atol=1e-5)


def test_coordinates_in_the_span_have_the_inner_products_of_the_kernel(blocks, view):
    nearness = view.nearness(slowest(blocks))
    inside = view.span_coordinates(nearness)
    low = view.whitening @ slowest(blocks)
    kernel = kernel_over_shifts(low, low, view.numbers, view.waves, view.gamma)
    assert_allclose(inside @ inside.T, kernel, atol=1e-3 * view.scale)
    functionals = np.random.default_rng(1).standard_normal((inside.shape[1], 4))
    assert_allclose(nearness @ view.functionals(functionals), inside @ functionals, rtol=1e-6, atol=1e-6)


def nearness_of_nothing(view):
    nothing = np.zeros((len(view.numbers), view.n_channels, 1))
    return kernel_over_shifts(nothing, view.landmarks, view.numbers, view.waves, view.gamma)[0]


def test_the_way_from_nothing_adds_up_to_the_difference(blocks, view):
    low = slowest(blocks)[:, :, :6]
    coefficients = np.random.default_rng(2).standard_normal((6, view.n_landmarks))
    weights = view.path_weights(low, coefficients)
    there = (view.features(low)[:, :-1] * coefficients).sum(axis=1)
    found = np.einsum("p,pcm->m", mirrored_twice(view.numbers), (low.conj() * weights).real)
    assert_allclose(found, there - coefficients @ nearness_of_nothing(view), atol=1e-5)


def test_all_of_a_few_samples_are_landmarks_and_of_many_those_that_are_not_wanted_elsewhere():
    rng = np.random.default_rng(0)
    low = rng.standard_normal((3, 2, SAMPLES_ALL_LANDMARKS + 10)) + 0j
    wanted = rng.random(low.shape[2]) < 0.6
    few = landmarks_among(low[:, :, :40], wanted[:40])
    assert set(few) == set(range(40))
    chosen = landmarks_among(low, wanted)
    assert len(set(chosen)) == len(chosen) == MOST_LANDMARKS
    assert set(np.flatnonzero(~wanted)) <= set(chosen)
    order = rng.permutation(low.shape[2])
    assert set(order[landmarks_among(low[:, :, order], wanted[order])]) == set(chosen)


def test_many_samples_are_looked_at_more_finely():
    assert periods_for(999) < periods_for(1000)


def test_samples_that_are_all_the_same_have_no_view(blocks):
    low = np.repeat(slowest(blocks)[:, :, :1], 6, axis=2)
    assert AlignedView.of(low, GRID, 2, np.ones(6), np.arange(6)) is None
    assert AlignedView.of(0 * low, GRID, 2, np.ones(6), np.arange(6)) is None


def test_landmarks_that_are_nearly_the_same_have_coordinates(blocks):
    """Rounding of single precision makes the kernel of many of them indefinite."""
    rng = np.random.default_rng(0)
    low = np.tile(slowest(blocks)[:, :, :3], 500)
    low = low * (1 + 1e-4 * rng.standard_normal((len(low), 2, 1500)))
    view = AlignedView.of(low, GRID, 2, np.ones(1500), np.arange(1500))
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(view.kernel_of_landmarks + KERNEL_SHARES[0] * view.scale * np.eye(1500))
    F = view.span_coordinates(view.kernel_of_landmarks)
    assert_allclose(F @ F.T, view.kernel_of_landmarks, atol=2e-3)
