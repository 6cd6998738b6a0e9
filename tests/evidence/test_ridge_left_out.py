"""Ridge regressions without a sample and its copies: what fitting them again without these gives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redunet.evidence.ridge_left_out import LabelRidges

RIDGES = (0.01, 1.0, 30.0)


@pytest.fixture(scope="module")
def ridges():
    rng = np.random.default_rng(0)
    F, y = rng.standard_normal((24, 7)), np.arange(24) % 3
    return LabelRidges(F, np.eye(3)[y], np.array([0.5, 0.3, 0.2]), rng.uniform(0.5, 3, 24), RIDGES)


def fitted(ridges, number, weights):
    F = ridges.coordinates
    G = (F * weights[:, None]).T @ F + ridges.ridges[number] * np.eye(F.shape[1])
    return np.linalg.solve(G, (F * weights[:, None]).T @ (ridges.indicators - ridges.shares))


def test_coefficients_are_those_of_the_normal_equations(ridges):
    for number in range(len(RIDGES)):
        assert_allclose(ridges.coefficients(number), fitted(ridges, number, ridges.weights), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("size", [1, 3])
def test_left_out_predictions_are_those_of_fits_without_the_block(ridges, size):
    blocks = np.arange(24).reshape(size, -1).T
    once = np.minimum(ridges.weights, 1.0)
    found = ridges.left_out(blocks, once)
    together = np.stack([ridges.left_out_together(block, once) for block in blocks], axis=1)
    for number in range(len(RIDGES)):
        for i, block in enumerate(blocks):
            weights = ridges.weights.copy()
            weights[block] -= once[block]
            B = fitted(ridges, number, weights)
            expected = ridges.shares + ridges.coordinates[block] @ B
            assert_allclose(found[number, i], expected[0], atol=1e-8)
            assert_allclose(together[number, i], expected, atol=1e-8)
