"""Rectified linear units: a layer of them, written out for vectors."""

import numpy as np
from numpy.testing import assert_allclose

from redunet import ReduNet


def test_rectified_units_are_the_remark():
    """σ(z) = z − Σ_j ReLU(P_j z), with P_j = I − C_j/α_j, written out for vectors."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 5)), np.arange(30) % 2
    options = {"membership": "relu", "n_layers": 1, "step_size": 0.01, "tol": None, "affine": False, "eps": 0.5}
    net = ReduNet(**options).fit(X, y)
    Z = (X / np.linalg.norm(X, axis=1, keepdims=True)).T
    alpha = 5 / (30 * 0.25)
    E = alpha * np.linalg.inv(np.eye(5) + alpha * Z @ Z.T)
    residual = Z.copy()
    for j in range(2):
        alpha_j = 5 / ((y == j).sum() * 0.25)
        residual -= np.maximum(Z - np.linalg.inv(np.eye(5) + alpha_j * Z[:, y == j] @ Z[:, y == j].T) @ Z, 0)
    after = Z + 0.01 * (E @ Z - alpha * residual)
    assert_allclose(net.transform(X), (after / np.linalg.norm(after, axis=0)).T, atol=1e-10)
