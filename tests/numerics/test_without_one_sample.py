"""Leaving a sample out by formula, against leaving it out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redunet.fast import kernels
from redunet.numerics.moments import moment
from redunet.numerics.operators import ridge_operator
from redunet.numerics.without_one_sample import code_without, energy_inside_without

# (n_freqs, n_channels, n_samples)
CASES = [(5, 6, 10), (5, 6, 3), (3, 12, 40), (1, 20, 12), (4, 1, 3), (2, 3, 1)]
LOST_SHARE = 1e-8


def samples(n_freqs, n_channels, m, seed=0, real=False):
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((n_freqs, n_channels, m)) + (
        0 if real else 1j * rng.standard_normal((n_freqs, n_channels, m))
    )
    weights = rng.uniform(0.5, 2.0, n_freqs)
    return V / np.sqrt((np.abs(V) ** 2).sum(axis=(0, 1))), weights, rng.choice([0.5, 1.0], m)


@pytest.mark.parametrize("real", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_energy_in_the_subspaces_of_the_others(case, real):
    V, weights, s = samples(*case, real=real)
    rank = max(1, case[1] - 1)
    M = moment(V, s)
    eigenvalues, vectors = np.linalg.eigh(M)
    energies = np.ascontiguousarray((np.abs(vectors.conj().swapaxes(1, 2) @ V) ** 2).swapaxes(1, 2))
    eigenvalues, negligible = np.clip(eigenvalues, 0, None), 1e-10 * eigenvalues.max()
    brute = np.zeros((rank, case[2]))
    for i in range(case[2]):
        v = V[:, :, i]
        values, basis = np.linalg.eigh(M - s[i] * v[:, :, None] * v[:, None, :].conj())
        basis = (basis * (values > negligible)[:, None, :])[..., : -rank - 1 : -1]
        brute[:, i] = (weights @ np.abs(np.einsum("pcr,pc->pr", basis.conj(), v)) ** 2).cumsum()
    options = {"negligible": negligible, "lost_share": LOST_SHARE}
    readable = energy_inside_without(eigenvalues, energies, s, weights, **options, rank=rank)
    fast = np.empty((rank, case[2]))
    kernels.energy_inside_without(eigenvalues, energies, s, weights, *options.values(), fast)
    assert_allclose(readable, brute, atol=1e-9)
    assert_allclose(fast, brute, atol=2e-5)


def test_copies_of_a_sample_and_zeros_are_no_trouble():
    V, weights, _ = samples(4, 5, 6)
    V[:, :, 1] = V[:, :, 0]
    V[2] = 0
    eigenvalues, vectors = np.linalg.eigh(moment(V))
    eigenvalues = np.clip(eigenvalues, 0, None)
    energies = np.ascontiguousarray((np.abs(vectors.conj().swapaxes(1, 2) @ V) ** 2).swapaxes(1, 2))
    fast = np.empty((4, 6))
    options = {"negligible": 1e-12, "lost_share": LOST_SHARE}
    kernels.energy_inside_without(eigenvalues, energies, np.ones(6), weights, *options.values(), fast)
    readable = energy_inside_without(eigenvalues, energies, np.ones(6), weights, **options, rank=4)
    assert_allclose(fast, readable, atol=2e-5)
    assert_allclose(fast[:, 0], fast[:, 1], atol=1e-6)


def test_code_without_a_sample():
    V, weights, s = samples(3, 4, 9)
    alpha = 2.5
    C, logdet = ridge_operator(moment(V, s), alpha)
    leverage = np.einsum("pci,pci->pi", V.conj(), C @ V).real
    quadratic, change = code_without(leverage, s, weights, weights)
    for i in range(9):
        v = V[:, :, i : i + 1]
        C_without, logdet_without = ridge_operator(moment(V, s) - s[i] * v @ v.conj().swapaxes(1, 2), alpha)
        assert_allclose(quadratic[i], weights @ (v.conj().swapaxes(1, 2) @ C_without @ v)[:, 0, 0].real, rtol=1e-9)
        assert_allclose(change[i], weights @ (logdet_without - logdet), rtol=1e-9)
