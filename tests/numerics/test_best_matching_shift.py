"""Alignment, compared with every shift tried one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redunet.data.shifts import each_shift
from redunet.network.geometry import Geometry
from redunet.numerics.best_matching_shift import aligned_products


def drawn(geometry, n_samples, seed):
    """Blocks of random samples, and the samples on the sphere that they are of."""
    samples = np.random.default_rng(seed).standard_normal((n_samples, *geometry.sample_shape))
    V = geometry.blocks(samples)
    return V, geometry.samples(V)


@pytest.mark.parametrize("unitary", [False, True])
@pytest.mark.parametrize("shape", [(3, 7), (2, 8), (2, 4, 6), (3, 5, 3)])
def test_the_product_is_the_largest_over_all_shifts(shape, unitary):
    geometry = Geometry(shape, unitary=unitary)
    V, first = drawn(geometry, 5, 0)
    W, second = drawn(geometry, 4, 1)
    slow = np.max(
        [
            np.tensordot(first.reshape(5, -1), moved.reshape(4, -1), (1, 1))
            for moved in each_shift(second, len(shape) - 1)
        ],
        axis=0,
    )
    fast = aligned_products(V, W, geometry.grid, geometry.norm_weights[0])
    assert_allclose(fast, slow, atol=1e-12)


def test_plain_vectors_have_their_inner_product():
    geometry = Geometry((6,), offset=0.5)
    V, samples = drawn(Geometry((6,)), 5, 0)
    assert_allclose(aligned_products(V, V, (), geometry.norm_weights[0]), samples @ samples.T, atol=1e-12)


def test_a_sample_matches_its_own_shifts_completely():
    geometry = Geometry((2, 4, 5))
    V, samples = drawn(geometry, 3, 0)
    moved = geometry.blocks(np.roll(samples, (2, 3), axis=(-2, -1)))
    assert_allclose(np.diag(aligned_products(V, moved, geometry.grid, geometry.norm_weights[0])), 1.0)
