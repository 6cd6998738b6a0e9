"""Kernels as their definitions read, a pair of samples at a time, and features that they are inner products of."""

import itertools
import math

import numpy as np


def products(kernel, gamma, A, B):
    """Inner products of samples in the space of a kernel, by its definition."""
    of_pair = {
        "linear": lambda x, y: sum(a * b for a, b in zip(x, y, strict=True)),
        "rbf": lambda x, y: math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, y, strict=True))),
        "poly": lambda x, y: (1 + gamma * sum(a * b for a, b in zip(x, y, strict=True))) ** 3,
        "cosine": lambda x, y: float(x @ y) / (math.sqrt(float(x @ x)) * math.sqrt(float(y @ y))),
    }[kernel]
    return np.array([[of_pair(x, y) for y in B] for x in A])


def monomials(samples, gamma):
    """Features whose inner product is (1 + γ x · y)³: monomials of degree 3 of √γ x with a 1 before it."""
    extended = np.hstack([np.ones((len(samples), 1)), math.sqrt(gamma) * samples])
    found = []
    for places in itertools.combinations_with_replacement(range(extended.shape[1]), 3):
        counts = [places.count(place) for place in set(places)]
        n_orders = math.factorial(3) / math.prod(math.factorial(count) for count in counts)
        found.append(math.sqrt(n_orders) * np.prod(extended[:, places], axis=1))
    return np.stack(found, axis=1)
