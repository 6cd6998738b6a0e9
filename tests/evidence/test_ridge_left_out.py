"""Ridge regressions without a sample and its copies: what fitting them again without these gives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redunet.evidence import ridge_left_out
from redunet.evidence.ridge_left_out import LabelRidges, RidgeRows

RIDGES = (0.01, 1.0, 30.0)
RNG = np.random.default_rng(0)
TARGETS = np.eye(3)[np.arange(24) % 3] - np.array([0.5, 0.3, 0.2])
ROWS = RidgeRows(RNG.standard_normal((24, 7)), TARGETS, RNG.uniform(0.5, 3, 24))


def rows_of(numbers, weights=ROWS.weights):
    return RidgeRows(ROWS.coordinates[numbers], ROWS.targets[numbers], weights[numbers])


@pytest.fixture
def ridges():
    return LabelRidges.of_rows([rows_of(slice(0, 10)), rows_of(slice(10, 24))], RIDGES)


def fitted(number, weights):
    weighed = ROWS.coordinates * weights[:, None]
    return np.linalg.solve(weighed.T @ ROWS.coordinates + RIDGES[number] * np.eye(7), weighed.T @ ROWS.targets)


@pytest.mark.parametrize("columns", [3, 256])
def test_coefficients_are_those_of_the_normal_equations(columns, monkeypatch):
    monkeypatch.setattr(ridge_left_out, "COLUMNS_PER_PART", columns)
    ridges = LabelRidges.of_rows([rows_of(slice(0, 10)), rows_of(slice(10, 24))], RIDGES)
    for number in range(len(RIDGES)):
        assert_allclose(ridges.coefficients(number), fitted(number, ROWS.weights), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("size", [1, 3])
def test_left_out_predictions_are_those_of_fits_without_the_block(ridges, size):
    blocks = np.arange(24).reshape(size, -1).T
    once = np.minimum(ROWS.weights, 1.0)
    found = ridges.left_out(rows_of(blocks, once))
    for i, block in enumerate(blocks):
        without = ridges.without([rows_of(block[:1], once), rows_of(block[1:], once)])
        again = without.predictions(ROWS.coordinates[block])
        for number in range(len(RIDGES)):
            weights = ROWS.weights.copy()
            weights[block] -= once[block]
            expected = ROWS.coordinates[block] @ fitted(number, weights)
            assert_allclose(found[number, i], expected, atol=1e-8)
            assert_allclose(again[number], expected, atol=1e-8)
