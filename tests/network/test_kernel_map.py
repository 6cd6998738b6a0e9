"""Features of a kernel: inner products as its definition has them, landmarks that no order changes, errors."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet.inputs.errors import InputError
from redunet.inputs.parameters import KERNEL_NAMES
from redunet.network.kernel_map import KERNELS, KernelMap, choose_landmarks, gamma_choices, usual_gamma
from tests.reference.slow_kernels import products

RNG = np.random.default_rng(0)
SAMPLES, OTHERS = RNG.standard_normal((30, 5)) + 0.5, RNG.standard_normal((12, 5))
NAMES = list(KERNELS)


def test_every_kernel_has_a_name_that_options_take():
    assert set(KERNEL_NAMES) == set(KERNELS)


@pytest.mark.parametrize("kernel", NAMES)
def test_inner_products_of_features_are_the_kernel(kernel):
    found = KernelMap.of(kernel, 0.3, SAMPLES)
    inside, outside = found(SAMPLES), found(OTHERS)
    assert_allclose(inside @ inside.T, products(kernel, 0.3, SAMPLES, SAMPLES), atol=1e-8)
    assert_allclose(inside @ outside.T, products(kernel, 0.3, SAMPLES, OTHERS), atol=1e-8)
    # What lies outside of the span is a length alone.
    lengths = np.sqrt(np.diagonal(products(kernel, 0.3, OTHERS, OTHERS)))
    assert_allclose(np.linalg.norm(outside, axis=1), lengths, atol=1e-8)
    assert_allclose(found.lengths(OTHERS), lengths, atol=1e-12)


def test_training_samples_lie_inside_and_far_samples_outside():
    found = KernelMap.of("rbf", 0.3, SAMPLES)
    assert_array_equal(found(SAMPLES)[:, -1], 0.0)
    far = found(SAMPLES[:3] + 1000.0)
    assert_allclose(far, np.eye(far.shape[1])[[-1] * 3], atol=1e-12)


@pytest.mark.parametrize("shape", [(40, 6), (6, 40)])
def test_coordinates_of_the_linear_kernel_are_those_of_the_span(shape):
    samples = RNG.standard_normal(shape)
    found = KernelMap.of("linear", 1.0, samples)
    assert found.n_coordinates == min(shape) + (shape[0] < shape[1])
    assert found.dimension == shape[1]
    new = RNG.standard_normal((5, shape[1]))
    basis = np.linalg.svd(samples, full_matrices=False)[2]
    assert_allclose(np.linalg.norm(found(new)[:, : min(shape)], axis=1), np.linalg.norm(new @ basis.T, axis=1))


def test_samples_far_from_the_origin_lose_no_digits():
    near = KernelMap.of("rbf", 0.3, SAMPLES)
    moved = KernelMap.of("rbf", 0.3, SAMPLES + 2.0**20)  # exact in double precision up to 1e-10
    features, others = near(OTHERS), moved(OTHERS + 2.0**20)
    assert_allclose(others @ others.T, features @ features.T, atol=1e-6)


def test_landmarks_depend_on_values_and_seed_and_not_on_order_or_copies():
    order = RNG.permutation(len(SAMPLES))
    chosen = SAMPLES[choose_landmarks(SAMPLES, 10, seed=3)]
    assert_array_equal(chosen, SAMPLES[order][choose_landmarks(SAMPLES[order], 10, seed=3)])
    twice = np.concatenate([SAMPLES, SAMPLES[order]])
    assert_array_equal(chosen, twice[choose_landmarks(twice, 10, seed=3)])
    assert len(choose_landmarks(twice, 1000)) == len(SAMPLES)
    other = SAMPLES[choose_landmarks(SAMPLES, 10, seed=4)]
    assert len(np.unique(np.concatenate([chosen, other]), axis=0)) > 10


def test_with_fewer_landmarks_inner_products_are_those_of_projections():
    landmarks = SAMPLES[:8]
    features = KernelMap.of("rbf", 0.3, landmarks)(SAMPLES)
    K, between = products("rbf", 0.3, landmarks, landmarks), products("rbf", 0.3, landmarks, SAMPLES)
    projected = between.T @ np.linalg.solve(K, between)
    assert_allclose(features[:, :-1] @ features[:, :-1].T, projected, atol=1e-8)
    assert_allclose(np.square(features[:, -1]), np.clip(1 - np.diagonal(projected), 0, None), atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_scales_to_choose_from_follow_the_scale_of_samples(kernel):
    assert_allclose(np.array(gamma_choices(kernel, 10 * SAMPLES)) * 100, gamma_choices(kernel, SAMPLES))
    one = KernelMap.of(kernel, usual_gamma(kernel, SAMPLES), SAMPLES)
    ten = KernelMap.of(kernel, usual_gamma(kernel, 10 * SAMPLES), 10 * SAMPLES)
    assert_allclose(one(OTHERS) @ one(SAMPLES).T, ten(10 * OTHERS) @ ten(10 * SAMPLES).T, atol=1e-8)
    assert usual_gamma(kernel, np.zeros((1, 3))) == 1.0


def test_usual_scale_is_one_over_the_median_squared_distance():
    pairs = [np.sum((x - y) ** 2) for i, x in enumerate(SAMPLES) for y in SAMPLES[:i]]
    assert_allclose(usual_gamma("rbf", SAMPLES), 1 / np.median(pairs))
    assert gamma_choices("linear", SAMPLES) == gamma_choices("cosine", SAMPLES) == (1.0,)


def test_a_function_gives_what_the_name_gives():
    def my_rbf(A, B):
        return np.exp(-0.3 * ((A[:, None] - B) ** 2).sum(axis=2))

    named, own = KernelMap.of("rbf", 0.3, SAMPLES), KernelMap.of(my_rbf, 1.0, SAMPLES)
    assert own.name == "my_rbf"
    assert own.dimension == named.dimension
    assert_allclose(own(OTHERS) @ own(SAMPLES).T, named(OTHERS) @ named(SAMPLES).T, atol=1e-8)
    assert_allclose(own.lengths(OTHERS), 1.0)


def test_single_precision_is_computed_in_double_precision():
    double = KernelMap.of("rbf", 0.3, SAMPLES)
    single = KernelMap.of("rbf", 0.3, SAMPLES.astype(np.float32))
    assert single(OTHERS.astype(np.float32)).dtype == np.float32
    assert_allclose(
        single(OTHERS.astype(np.float32)) @ single(SAMPLES.astype(np.float32)).T,
        double(OTHERS) @ double(SAMPLES).T,
        atol=1e-5,
    )


def test_it_can_be_pickled():
    found = KernelMap.of("poly", 0.3, SAMPLES)
    found(OTHERS)
    assert_array_equal(pickle.loads(pickle.dumps(found))(OTHERS), found(OTHERS))


def test_zero_has_no_direction():
    found = KernelMap.of("cosine", 1.0, SAMPLES)
    assert_array_equal(found(np.zeros((1, 5))), 0.0)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda A, B: A @ np.triu(np.ones((5, 5))) @ B.T, r"must be symmetric.*differ by"),
        (lambda A, B: -(A @ B.T), r"is zero for all pairs|must be positive semidefinite"),
        (lambda A, B: ((A[:, None] - B) ** 2).sum(axis=2), r"must be positive semidefinite.*eigenvalue -"),
        (lambda A, B: A @ A.T if len(A) == len(B) and A is not B else np.zeros(3), r"of shape \(3,\)"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), r"not a finite number"),
        (lambda A, B: np.zeros((len(A), len(B))), r"is zero for all pairs"),
        (lambda A, B: [["a"] * len(B)] * len(A), r"must give a matrix of inner products"),
    ],
)  # fmt: skip
def test_functions_that_are_no_inner_products_are_refused(function, message):
    with pytest.raises(InputError, match=message):
        KernelMap.of(function, 1.0, SAMPLES)


def test_an_overflow_is_refused_with_a_remedy():
    with pytest.raises(InputError, match="scale X to values around 1, or pass a smaller gamma"):
        KernelMap.of("poly", 1.0, 1e150 * SAMPLES)
