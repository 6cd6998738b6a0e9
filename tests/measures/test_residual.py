"""The residual norm: against the ridge regression of a sample on the samples of a class, written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redunet.measures.class_moments import ClassMoments, FeatureSpace
from redunet.measures.measure import MeasureOptions
from redunet.measures.residual import ResidualNorms
from redunet.numerics.moments import class_moments

EPS = 0.5


def two_classes():
    """Vectors on the sphere, ten of each class, and their class moments."""
    V = np.random.default_rng(0).standard_normal((1, 5, 20))
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    space = FeatureSpace(5, (), np.ones(1), np.ones(1), np.dtype(np.float64))
    return V, ClassMoments(class_moments(V, np.array([0, 10, 20])), np.array([10.0, 10.0]), space)


@pytest.mark.parametrize("relative", [True, False])
def test_it_is_what_a_ridge_regression_on_the_samples_of_a_class_leaves(relative):
    """C_j v / α_j = v − Z a, for the a that makes |v − Z a|² + |a|² / α_j smallest."""
    V, moments = two_classes()
    residuals = ResidualNorms.of_moments(moments, MeasureOptions(EPS, relative_residual=relative)).residuals(V)
    alpha = 5 / (10 * EPS**2)
    for j in range(2):
        Z = V[0][:, 10 * j : 10 * j + 10]
        a = np.linalg.solve(Z.T @ Z + np.eye(10) / alpha, Z.T @ V[0])
        left = np.linalg.norm(V[0] - Z @ a, axis=0)
        assert_allclose(residuals[j], left if relative else alpha * left, rtol=1e-10)


def test_a_relative_residual_lies_between_0_and_1():
    V, moments = two_classes()
    residuals = ResidualNorms.of_moments(moments, MeasureOptions(EPS)).residuals(V)
    assert ((residuals > 0) & (residuals < 1)).all()
    assert (residuals[0, :10] < residuals[1, :10]).mean() > 0.5
