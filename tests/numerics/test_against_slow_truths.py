"""Rates, operators, gradient and layers against explicit matrices: what the whole project stands on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redunet
from redunet import ReduNet
from redunet.numerics.moments import class_moments
from redunet.numerics.operators import coding_alpha, ridge_operator
from redunet.numerics.spectrum import half_spectrum, samples_of
from redunet.numerics.step import pull
from tests.reference import algorithm1, vector_network
from tests.reference.shifts import circulant, circular_convolution, enumerated

# (n_channels, *grid): odd and even lengths, one and several channels, H ≠ W both ways, volumes.
SHIFTS = [(1, 6), (1, 7), (3, 8), (2, 5), (3, 1)]
TRANSLATIONS = [(1, 3, 4), (2, 4, 3), (2, 5, 2), (3, 1, 4), (2, 3, 3), (1, 2, 3, 4)]
SHAPES = [("shift", shape) for shape in SHIFTS] + [("translation", shape) for shape in TRANSLATIONS]
CODES = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])  # classes of different size

each_shape = pytest.mark.parametrize(("invariance", "shape"), SHAPES, ids=str)


def random_samples(shape, seed=0):
    """Samples on the unit sphere, in no order of class."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(CODES)
    samples = rng.standard_normal((len(codes), *shape)) + 0.5 * rng.standard_normal((3, *shape))[codes]
    norms = np.linalg.norm(samples.reshape(len(codes), -1), axis=1)
    return samples / norms.reshape(-1, *[1] * len(shape)), codes


@each_shape
def test_rates_are_those_of_all_shifts_enumerated(invariance, shape):
    samples, codes = random_samples(shape)
    R, R_c = vector_network.rates(*enumerated(samples, codes), eps=0.3)
    positions = np.prod(shape[1:])
    options = {"eps": 0.3, "invariance": invariance}
    assert_allclose(redunet.coding_rate(samples, **options), R / positions, rtol=1e-10)
    assert_allclose(redunet.class_coding_rate(samples, codes, **options), R_c / positions, rtol=1e-10)
    assert_allclose(redunet.rate_reduction(samples, codes, **options), (R - R_c) / positions, rtol=1e-10)


def test_rates_of_vectors_are_their_definition():
    samples, codes = random_samples((4,))
    R, R_c = vector_network.rates(samples.T, codes, eps=0.3)
    assert_allclose(redunet.coding_rate(samples, eps=0.3), R, rtol=1e-12)
    assert_allclose(redunet.class_coding_rate(samples, codes, eps=0.3), R_c, rtol=1e-12)


@each_shape
def test_operators_are_those_of_all_shifts_enumerated(invariance, shape):
    samples, codes = random_samples(shape)
    E, C, _ = vector_network.operators(*enumerated(samples, codes), eps=0.3)
    kernels = ReduNet(invariance, n_layers=1, eps=0.3).fit(samples, codes).network_.kernels(0)
    assert_allclose(_block_circulant(kernels.expansion), E, atol=1e-10 * np.abs(E).max())
    for kernel, C_j in zip(kernels.compression, C, strict=True):
        assert_allclose(_block_circulant(kernel), C_j, atol=1e-10 * np.abs(C_j).max())


def _block_circulant(kernel):
    """Block matrix whose block (c, c') is the circulant matrix of kernel[c, c'] (the paper's Propositions)."""
    return np.block([[circulant(block[None]) for block in row] for row in kernel])


@each_shape
@pytest.mark.parametrize("eta", [0.02, 0.5])
def test_layers_are_those_of_the_vector_network_on_all_shifts(invariance, shape, eta):
    samples, codes = random_samples(shape)
    net = ReduNet(invariance, n_layers=3, eps=0.4, step_size=eta, sharpness=5.0).fit(samples, codes)
    Z, shift_codes = enumerated(samples, codes)
    positions = np.prod(shape[1:])
    expected = [np.subtract(*vector_network.rates(Z, shift_codes, eps=0.4)) / positions]
    for _ in range(3):
        Z = vector_network.layer(Z, shift_codes, eps=0.4, eta=eta, lam=5.0)
        expected.append(np.subtract(*vector_network.rates(Z, shift_codes, eps=0.4)) / positions)
    unshifted = Z.T[::positions].reshape(samples.shape)  # the first of the shifts of each sample is the sample itself
    assert_allclose(net.transform(samples), unshifted, atol=1e-10)
    assert_allclose(net.history_.rate_reduction, expected, rtol=1e-10)


def test_layers_of_vectors_are_their_definition():
    samples, codes = random_samples((6,))
    net = ReduNet(n_layers=4, eps=0.4, step_size=0.3, sharpness=5.0, affine=False).fit(samples, codes)
    Z = samples.T
    for _ in range(4):
        Z = vector_network.layer(Z, codes, eps=0.4, eta=0.3, lam=5.0)
    assert_allclose(net.transform(samples), Z.T, atol=1e-12)


@each_shape
def test_published_convention_is_algorithm_1_as_it_stands(invariance, shape):
    samples, codes = random_samples(shape)
    net = ReduNet(invariance, n_layers=3, eps=0.4, step_size=0.3, sharpness=5.0, convention="published")
    features, objectives = algorithm1.features_and_rates(samples, codes, eps=0.4, eta=0.3, lam=5.0, n_layers=3)
    assert_allclose(net.fit(samples, codes).transform(samples), features, atol=1e-10)
    assert_allclose(net.history_.rate_reduction, objectives, rtol=1e-10)


@each_shape
def test_increment_with_true_labels_is_the_gradient_of_the_rate_reduction(invariance, shape):
    samples, codes = random_samples(shape)
    order = np.argsort(codes, kind="stable")
    samples, codes = samples[order], codes[order]
    gradient = _gradient(samples, codes, eps=0.5)

    def objective(Z):
        return redunet.rate_reduction(Z, codes, eps=0.5, invariance=invariance)

    _assert_central_differences(objective, samples, gradient)


def test_increment_of_vectors_is_the_gradient_of_the_rate_reduction():
    samples, codes = random_samples((5,))
    order = np.argsort(codes, kind="stable")
    samples, codes = samples[order], codes[order]
    gradient = _gradient(samples, codes, eps=0.5)
    _assert_central_differences(lambda Z: redunet.rate_reduction(Z, codes, eps=0.5), samples, gradient)


def _gradient(samples, codes, eps):
    """E V − Σ_j γ_j C_j V Π_j, back in the sample domain."""
    V = half_spectrum(samples)
    m_j = np.bincount(codes)
    M_j = class_moments(V, np.r_[0, np.cumsum(m_j)])
    E, _ = ridge_operator(M_j.sum(axis=0), coding_alpha(samples.shape[1], len(codes), eps))
    C, _ = ridge_operator(M_j, coding_alpha(samples.shape[1], m_j, eps))
    step = E @ V - pull(C @ V, m_j / len(codes), np.eye(len(m_j))[codes])
    return samples_of(step, samples.shape[2:])


def _assert_central_differences(objective, samples, gradient, h=1e-5):
    rng = np.random.default_rng(1)
    for _ in range(20):
        index = tuple(rng.integers(samples.shape))
        ahead, behind = samples.copy(), samples.copy()
        ahead[index] += h
        behind[index] -= h
        assert_allclose((objective(ahead) - objective(behind)) / (2 * h), gradient[index], atol=1e-6)


@each_shape
def test_kernels_convolved_with_a_signal_do_what_the_layer_does(invariance, shape):
    samples, codes = random_samples(shape)
    net = ReduNet(invariance, n_layers=2, eps=0.3, step_size=0.2, sharpness=5.0).fit(samples, codes)
    layer, kernels = net.network_.layers[1], net.network_.kernels(1)
    z = ReduNet(invariance, n_layers=1, eps=0.3, step_size=0.2, sharpness=5.0).fit(samples, codes).transform(samples)[0]
    compressed = np.array([circular_convolution(kernel, z) for kernel in kernels.compression])
    distance = np.array([np.linalg.norm(C_z) for C_z in compressed]) / layer.measure.unit
    pi = np.exp(-5.0 * distance) / np.exp(-5.0 * distance).sum()
    moved = z + 0.2 * (
        circular_convolution(kernels.expansion, z) - np.einsum("j,j...->...", layer.class_share * pi, compressed)
    )
    assert_allclose(net.transform(samples)[0], moved / np.linalg.norm(moved), atol=1e-10)


def test_length_one_signals_are_vectors():
    samples, codes = random_samples((4,))
    options = {"n_layers": 3, "eps": 0.3, "step_size": 0.3}
    vector = ReduNet(affine=False, **options).fit(samples, codes)
    signal = ReduNet("shift", **options).fit(samples[:, :, None], codes)
    image = ReduNet("translation", **options).fit(samples[:, :, None, None], codes)
    assert_allclose(signal.transform(samples[:, :, None])[:, :, 0], vector.transform(samples), atol=1e-12)
    assert_allclose(image.transform(samples[:, :, None, None])[:, :, 0, 0], vector.transform(samples), atol=1e-12)
    assert_allclose(signal.history_.rate_reduction, vector.history_.rate_reduction, rtol=1e-12)


@pytest.mark.parametrize("length", [6, 7])
def test_images_of_height_one_are_signals(length):
    samples, codes = random_samples((2, length))
    options = {"n_layers": 3, "eps": 0.3, "step_size": 0.3}
    signal = ReduNet("shift", **options).fit(samples, codes)
    image = ReduNet("translation", **options).fit(samples[:, :, None, :], codes)
    on_its_side = ReduNet("translation", **options).fit(samples[:, :, :, None], codes)
    features = signal.transform(samples)
    assert_allclose(image.transform(samples[:, :, None, :])[:, :, 0, :], features, atol=1e-12)
    assert_allclose(on_its_side.transform(samples[:, :, :, None])[:, :, :, 0], features, atol=1e-12)


def test_unitary_spectrum_is_not_the_vector_network_on_all_shifts():
    """The finding behind the two conventions: the paper's scale of the transform makes moments T times too small."""
    samples, codes = random_samples((2, 6))
    R, _ = vector_network.rates(*enumerated(samples, codes), eps=0.3)
    published = redunet.coding_rate(samples, eps=0.3, invariance="shift", convention="published")
    assert abs(published - R / 6) > 0.1 * R / 6
    silently_larger = redunet.coding_rate(samples, eps=0.3 * np.sqrt(6), invariance="shift")
    assert_allclose(published, silently_larger, rtol=1e-12)
