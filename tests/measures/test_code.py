"""The code length: against a Gaussian density, and against leaving samples out by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from redunet import ReduNetClassifier
from redunet.measures.code import CodeBooks
from redunet.numerics.membership import code_length
from tests.reference.incremental_coding_length import incremental_coding_length
from tests.reference.leave_one_out import left_out_by_hand, waves


def test_code_membership_is_a_gaussian_density():
    """The guess by code length is softmax of −λ · 2/n times minus the log-density under ε²/n I + M_j/m_j."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 4)) * [1, 2, 3, 4], np.arange(30) % 2
    Z = X / np.linalg.norm(X, axis=1, keepdims=True)
    clf = ReduNetClassifier(n_layers=0, membership="code", eps=0.5, affine=False).fit(X, y)
    lengths = []
    for j in range(2):
        covariance = 0.25 / 4 * np.eye(4) + Z[y == j].T @ Z[y == j] / (y == j).sum()
        lengths.append(-2 / 4 * multivariate_normal(cov=covariance).logpdf(Z))
    assert_allclose(clf.decision_function(X), lengths[0] - lengths[1], atol=1e-8)


@pytest.mark.parametrize("eps", [0.1, 1.0])
def test_leave_one_out_is_what_leaving_out_by_hand_gives(eps):
    X, y = waves(m=60)

    def make():
        return ReduNetClassifier("shift", n_layers=0, membership="code", eps=eps)

    assert_allclose(make().fit(X, y).loo_score_, left_out_by_hand(make, X, y))


@pytest.mark.parametrize("eps", [0.3, 1.0])
def test_leave_one_out_of_small_classes_counts_all_directions(eps):
    """Six samples of a class have six directions of 24 at each frequency; a code sees the others, too."""
    rng = np.random.default_rng(0)
    y = np.arange(18) % 3
    X = 0.4 * rng.standard_normal((3, 24, 8))[y] + rng.standard_normal((18, 24, 8))

    def make():
        return ReduNetClassifier("shift", n_layers=0, membership="code", eps=eps)

    assert_allclose(make().fit(X, y).loo_score_, left_out_by_hand(make, X, y))


def test_energy_alone_is_seen_by_a_code_and_not_by_a_subspace():
    """Classes with the same directions, and energy at different frequencies: where deep features can end up."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    t = 2 * np.pi * np.arange(32) / 32
    wave = np.where(y[:, None] == 1, np.sin(3 * t), np.sin(5 * t))
    X = np.stack([wave, 2 * wave], axis=1) + 1e-3 * rng.standard_normal((60, 2, 32))
    other = np.where(y[:, None] == 1, np.sin(5 * t), np.sin(3 * t))
    X += 0.05 * np.stack([other, 2 * other], axis=1)  # each class has a little of the other's frequency
    by_code = ReduNetClassifier("shift", n_layers=0, membership="code").fit(X[:30], y[:30])
    by_subspace = ReduNetClassifier("shift", n_layers=0, membership="subspace").fit(X[:30], y[:30])
    assert by_code.score(X[30:], y[30:]) == 1.0
    assert by_subspace.score(X[30:], y[30:]) < 0.9
    either = ReduNetClassifier("shift", n_layers=0).fit(X[:30], y[:30])
    assert either.membership_ == "code"


def test_the_incremental_coding_length_of_large_classes_is_the_code_length_and_two_terms_of_the_class():
    """Beside the code length it has half the effective dimension of the class, and the nats of its label."""
    rng = np.random.default_rng(0)
    n, eps = 4, 0.5
    X, y = rng.standard_normal((30, n)) * [1, 2, 3, 4], (np.arange(30) % 3 > 0).astype(int)
    Z = X / np.linalg.norm(X, axis=1, keepdims=True)
    new = rng.standard_normal((5, n))
    new /= np.linalg.norm(new, axis=1, keepdims=True)
    clf = ReduNetClassifier(n_layers=0, membership="code", eps=eps, affine=False).fit(Z, y)
    for j in range(2):
        mine = Z[y == j]
        A = n / (len(mine) * eps**2) * mine.T @ mine
        effective_dimension = np.trace(np.linalg.solve(np.eye(n) + A, A))
        expected = n / 2 * clf.distances(new)[:, j] - effective_dimension / 2 - np.log(len(mine) / len(Z))
        # A class whose samples come many times is as large as one likes, and has the same code book.
        repeated = np.tile(mine, (3000, 1))
        found = [incremental_coding_length(one, repeated, len(mine) / len(Z), eps) for one in new]
        assert_allclose(found, expected, atol=2e-3)
        few = [incremental_coding_length(one, mine, len(mine) / len(Z), eps) for one in new]
        assert np.abs(np.array(few) - expected).max() > 0.05


def test_the_quick_length_of_a_code_is_the_readable_one():
    rng = np.random.default_rng(0)
    V = rng.standard_normal((3, 4, 5)) + 1j * rng.standard_normal((3, 4, 5))
    factors = rng.standard_normal((2, 3, 4, 4)) + 1j * rng.standard_normal((2, 3, 4, 4))
    books = CodeBooks(factors @ factors.conj().swapaxes(2, 3), np.array([2.0, 3.0]), np.array([0.1, -0.2]), np.ones(3))
    slow = code_length(V, books.compression @ V, books.unit, books.offset, books.weights)
    assert_allclose(books.residuals(V), slow, rtol=1e-12)
