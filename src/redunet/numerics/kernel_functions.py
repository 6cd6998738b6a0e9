"""Kernels: inner products of samples in a space of more features, computed from the samples themselves."""

import numpy as np

from .arrays import Array

# Degree of the polynomial kernel.
DEGREE = 3


def linear(A: Array, B: Array, gamma: float) -> Array:
    """Inner products x · y; shapes (m, n) and (l, n) to (m, l). ``gamma`` has no part in it."""
    return np.asarray(A @ B.T)


def cosine(A: Array, B: Array, gamma: float) -> Array:
    """Inner products of directions, x · y / (‖x‖ ‖y‖); 0 where one of the two is zero. ``gamma`` has no part in it."""
    return np.asarray(_directions(A) @ _directions(B).T)


def poly(A: Array, B: Array, gamma: float) -> Array:
    """Inner products of all monomials of at most three features, (1 + γ x · y)³."""
    return np.asarray((1.0 + gamma * (A @ B.T)) ** DEGREE)


def rbf(A: Array, B: Array, gamma: float) -> Array:
    """Gaussian radial basis functions, exp(−γ ‖x − y‖²)."""
    return np.exp(-gamma * squared_distances(A, B))


def squared_distances(A: Array, B: Array) -> Array:
    """Squared distances ‖x − y‖² of samples (m, n) and (l, n); shape (m, l).

    The mean of B is taken off first, so that samples far from the origin lose no digits.
    """
    centre = B.mean(axis=0)
    A, B = A - centre, B - centre
    squares: Array = np.square(A).sum(axis=1)[:, None] + np.square(B).sum(axis=1) - 2 * (A @ B.T)
    return np.clip(squares, 0.0, None)


def linear_diagonal(A: Array, gamma: float) -> Array:
    """Inner product of each sample with itself; shape (m, n) to (m,)."""
    return np.asarray(np.square(A).sum(axis=1))


def cosine_diagonal(A: Array, gamma: float) -> Array:
    """1 for each sample, 0 for one that is zero."""
    return np.asarray(A.any(axis=1), dtype=np.float64)


def poly_diagonal(A: Array, gamma: float) -> Array:
    """The polynomial kernel of each sample with itself."""
    return np.asarray((1.0 + gamma * linear_diagonal(A, gamma)) ** DEGREE)


def rbf_diagonal(A: Array, gamma: float) -> Array:
    """1 for each sample."""
    return np.ones(len(A))


def _directions(A: Array) -> Array:
    """Samples of unit length; zero stays zero."""
    largest = np.abs(A).max(axis=1, keepdims=True)
    A = np.divide(A, largest, out=np.zeros_like(A), where=largest > 0)
    lengths = np.linalg.norm(A, axis=1, keepdims=True)
    return np.divide(A, lengths, out=np.zeros_like(A), where=lengths > 0)
