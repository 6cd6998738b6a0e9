"""Samples side by side in vector registers: the same as by definition, and the same bits whoever is beside a sample."""

import numpy as np
import pytest

from redunet import Lift, ReduNetClassifier
from redunet.fast import kernels
from redunet.fast.image_lanes import ImageLanes
from redunet.fast.sample_lanes import SampleLanes, aligned_copy, aligned_empty, lanes_of
from redunet.inputs.errors import SilentSampleError
from redunet.measures.subspace import NearestSubspaces

PRECISIONS = [(np.float32, 1e-5), (np.float64, 1e-13)]


def noise(shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def lanes_of_noise(n_samples, dtype, n_freqs=3, n_channels=5, seed=0):
    """Samples in lanes, and the same as blocks."""
    size = lanes_of(dtype)
    tiles = aligned_empty((-(-n_samples // size), n_freqs, 2 * n_channels, size), dtype)
    tiles[...] = noise(tiles.shape, dtype, seed)
    reals = tiles.transpose(1, 2, 0, 3).reshape(n_freqs, 2 * n_channels, -1)[:, :, :n_samples].astype(np.float64)
    weights = np.arange(1.0, n_freqs + 1)
    return SampleLanes(tiles, n_samples, weights), reals[:, :n_channels] + 1j * reals[:, n_channels:]


def random_subspaces(n_classes, n_freqs, n_channels, rank, seed=0):
    shape = (n_classes, n_freqs, n_channels, n_channels)
    bases = np.linalg.qr(noise(shape, seed=seed) + 1j * noise(shape, seed=seed + 1)).Q[..., :rank]
    bases[0, :, :, rank - 1 :] = 0  # a class with fewer directions
    return NearestSubspaces(np.ascontiguousarray(bases), np.arange(1.0, n_freqs + 1))


@pytest.mark.parametrize(("dtype", "rtol"), PRECISIONS)
def test_energies_are_sums_of_squares(dtype, rtol):
    lanes, V = lanes_of_noise(21, dtype)
    np.testing.assert_allclose(lanes.energies, np.einsum("p,pci->i", lanes.weights, np.abs(V) ** 2), rtol=rtol)


@pytest.mark.parametrize(("dtype", "rtol"), PRECISIONS)
def test_blocks_are_the_samples_at_unit_norm(dtype, rtol):
    lanes, V = lanes_of_noise(37, dtype)
    V /= np.sqrt(np.einsum("p,pci->i", lanes.weights, np.abs(V) ** 2))
    chosen, places = np.array([3, 4, 5, 35, 7, 16, 0]), np.array([2, 0])
    np.testing.assert_allclose(lanes.blocks(), V, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(lanes.blocks(chosen, places), V[places][:, :, chosen], rtol=rtol, atol=rtol)
    np.testing.assert_array_equal(lanes.some(chosen).blocks(), lanes.blocks(chosen))  # the same bits


@pytest.mark.parametrize(("dtype", "rtol"), PRECISIONS)
@pytest.mark.parametrize(("n_forms", "n_samples"), [(1, 5), (3, 40), (10, 16), (23, 70)])
def test_forms_are_those_of_their_definition(n_forms, n_samples, dtype, rtol):
    lanes, V = lanes_of_noise(n_samples, dtype)
    (n_tiles, n_freqs, _, size), C = lanes.tiles.shape, 5
    forms = noise((n_freqs, n_forms, C, C)) + 1j * noise((n_freqs, n_forms, C, C), seed=1)
    forms = forms + forms.conj().swapaxes(2, 3)
    packed = aligned_empty((n_freqs * n_forms * C * C + kernels.FORMS_IN_VECTOR,), dtype)
    packed[-kernels.FORMS_IN_VECTOR :] = np.nan
    kernels.pack_forms(forms, packed[: -kernels.FORMS_IN_VECTOR].reshape(n_freqs, -1))
    found, first = np.zeros((n_tiles, n_forms, size)), np.zeros((1, n_forms, size))
    kernels.add_forms_of_lanes(lanes.tiles, packed, lanes.weights, 0, 2, found)
    kernels.add_forms_of_lanes(lanes.tiles, packed, lanes.weights, 2, 3, found)
    kernels.add_forms_of_first_lane(lanes.tiles, packed, lanes.weights, 0, 2, first)
    kernels.add_forms_of_first_lane(lanes.tiles, packed, lanes.weights, 2, 3, first)
    expected = np.einsum("p,pai,pjab,pbi->ji", lanes.weights, V.conj(), forms, V).real
    found_in_order = found.transpose(1, 0, 2).reshape(n_forms, -1)[:, :n_samples]
    np.testing.assert_allclose(found_in_order, expected, atol=rtol * np.abs(expected).max())
    np.testing.assert_array_equal(first[0, :, 0], found[0, :, 0])  # the same bits


@pytest.mark.parametrize(("dtype", "rtol"), PRECISIONS)
@pytest.mark.parametrize("n_directions", [1, 4, 12, 29])
def test_energies_along_rows_are_those_of_their_definition(n_directions, dtype, rtol):
    lanes, V = lanes_of_noise(19, dtype)
    (n_tiles, n_freqs, _, size), C, n_groups = lanes.tiles.shape, 5, 3
    rows = noise((n_freqs, C, n_groups * n_directions, 2))
    found = np.zeros((n_tiles, n_groups, size))
    kernels.add_row_energies_of_lanes(
        lanes.tiles, aligned_copy(rows, dtype), lanes.weights, n_groups, 0, n_freqs, found
    )
    along = np.einsum("pcr,pci->pri", rows[..., 0] + 1j * rows[..., 1], V).reshape(n_freqs, n_groups, n_directions, -1)
    expected = np.einsum("p,pjri->ji", lanes.weights, np.abs(along) ** 2)
    np.testing.assert_allclose(found.transpose(1, 0, 2).reshape(n_groups, -1)[:, :19], expected, rtol=rtol)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rank", [1, 2, 5, 6])
@pytest.mark.parametrize("n_classes", [2, 12])
def test_distances_in_lanes_are_those_of_blocks(n_classes, rank, dtype):
    lanes, V = lanes_of_noise(21, dtype, n_channels=8)
    measure = random_subspaces(n_classes, 3, 8, rank)
    # Samples near to one of the subspaces and within it, where a difference of energies says nothing.
    for sample, share in ((3, 1e-2), (7, 1e-3), (9, 1e-5)):
        inside = measure.bases[1] @ (measure.bases[1].conj().swapaxes(1, 2) @ V[:, :, sample, None])
        V[:, :, sample] = inside[:, :, 0] + share * V[:, :, sample]
    size = lanes_of(dtype)
    flat = np.zeros((3, 16, len(lanes.tiles) * size))
    flat[:, :8, :21], flat[:, 8:, :21] = V.real, V.imag
    lanes.tiles[...] = flat.reshape(3, 16, -1, size).transpose(2, 0, 1, 3)
    V /= np.sqrt(np.einsum("p,pci->i", lanes.weights, np.abs(V) ** 2))
    expected = measure.distances(V)
    found = measure.distances_of_lanes(lanes)
    np.testing.assert_allclose(found, expected, atol=5e-6 if dtype == np.float32 else 1e-9)
    for one in (0, 3, 20):
        alone = measure.distances_of_lanes(lanes.some(np.array([one])))
        np.testing.assert_array_equal(alone[0], found[one])  # the same bits


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [(3,), (1, 5), (11,)])
@pytest.mark.parametrize("shape", [(1, 12, 13), (3, 11, 12)])
def test_an_image_has_the_same_bits_whichever_images_are_beside_it(shape, sizes, dtype):
    images = noise((37, *shape), dtype)
    bank = Lift("random", 27, sizes, pool=2, random_state=0).fit(images).bank_
    zone = (-bank.level, bank.level)
    lift = ImageLanes(bank.filters, bank.grid, bank.coarse_grid, zone, np.dtype(dtype))
    together, size = lift.tiles(images), lanes_of(dtype)
    for i in (5, 16, 36):
        there = together[i // size, :, :, i % size]
        np.testing.assert_array_equal(lift.tiles(images[i : i + 1])[0, :, :, 0], there)
        np.testing.assert_array_equal(lift.tiles(images[i - 5 : i + 2])[0, :, :, 5], there)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("lift", ["auto", Lift("patches", 20, 5, pool=2, random_state=0)])
def test_answers_do_not_depend_on_the_batch(lift, dtype):
    X, y = noise((60, 20, 20)).cumsum(axis=1).cumsum(axis=2), np.arange(60) % 3
    X = (X + 40 * np.sin(np.arange(20) * (1 + y[:, None, None]) / 4)).astype(dtype)
    clf = ReduNetClassifier("translation", lift=lift).fit(X[:40], y[:40])
    distances = clf.distances(X)
    for n in (1, 2, 16, 17, 41):
        np.testing.assert_array_equal(clf.distances(X[:n]), distances[:n])  # the same bits
    moved = np.roll(X, (3, -7), axis=(1, 2))
    np.testing.assert_array_equal(clf.distances(moved), distances)


def test_samples_whose_squares_are_too_large_are_measured_by_blocks():
    X, y = noise((30, 1, 12, 12)), np.arange(30) % 2
    lift = Lift("random", 6, 3, "relu", unit_scale=False, quantile=0, random_state=0)
    clf = ReduNetClassifier("translation", lift=lift).fit(X, y)
    np.testing.assert_allclose(clf.distances(1e200 * X[:3]), clf.distances(X[:3]), atol=1e-8)
    np.testing.assert_allclose(clf.distances(1e-200 * X[:3]), clf.distances(X[:3]), atol=1e-8)


@pytest.mark.parametrize(("dtype", "factor"), [(np.float32, 1e20), (np.float64, 1e200)])
def test_a_sample_that_is_measured_by_blocks_leaves_the_others_as_they_are(dtype, factor):
    X, y = noise((400, 1, 12, 12), dtype), np.arange(60) % 2
    lift = Lift("random", 12, 3, "relu", unit_scale=False, quantile=0, random_state=0)
    clf = ReduNetClassifier("translation", lift=lift, rank=4).fit(X[:60], y)
    expected = clf.distances(X)
    some = X.copy()
    some[[3, 340]] *= dtype(factor)
    found, rest = clf.distances(some), ~np.isin(np.arange(400), (3, 340))
    np.testing.assert_array_equal(found[rest], expected[rest])
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_row_of_a_sample_without_a_response_is_reported_wherever_it_is():
    X, y = noise((40, 1, 12, 12)), np.arange(40) % 2
    clf = ReduNetClassifier("translation", lift=Lift("patches", 6, 3, random_state=0)).fit(X, y)
    some = X.copy()
    some[[7, 31]] = 1.0
    with pytest.raises(SilentSampleError) as caught:
        clf.predict(some)
    assert caught.value.rows == [7, 31]
