"""Subspaces per frequency against their definition."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from redunet.fast.eigensystems import eigensystems
from redunet.numerics.moments import class_moments
from redunet.numerics.spectrum import half_spectrum, multiplicities
from redunet.numerics.subspaces import energy_outside, principal_subspaces
from tests.reference.shifts import all_shifts, circulant


def random_classes(shape, m=6, seed=0):
    rng = np.random.default_rng(seed)
    samples = rng.standard_normal((2 * m, *shape))
    return samples, np.array([0, m, 2 * m])


def test_energy_outside_is_what_a_projection_on_full_spectrum_subspaces_leaves():
    samples, bounds = random_classes((3, 5))
    V = half_spectrum(samples)
    U = principal_subspaces(*eigensystems(class_moments(V, bounds)), 2, 1e-14)
    energy = energy_outside(U, V, multiplicities((5,)) / 5)
    full = np.fft.fft(samples, axis=-1)
    for j in range(2):
        projected = np.zeros(len(samples))
        for p in range(5):
            class_samples = full[bounds[j] : bounds[j + 1], :, p].T
            basis = np.linalg.svd(class_samples)[0][:, :2]
            projected += np.square(np.abs(basis.conj().T @ full[:, :, p].T)).sum(axis=0) / 5
        assert_allclose(energy[:, j], np.square(samples).sum(axis=(1, 2)) - projected, rtol=1e-10)


def test_a_subspace_of_full_rank_holds_everything():
    samples, bounds = random_classes((3, 4))
    V = half_spectrum(samples)
    U = principal_subspaces(*eigensystems(class_moments(V, bounds)), 3, 1e-14)
    assert_allclose(energy_outside(U, V, multiplicities((4,)) / 4), 0, atol=1e-20)


def test_one_sample_and_all_its_shifts_lie_in_a_subspace_of_rank_one():
    samples, _ = random_classes((2, 6))
    V = half_spectrum(samples[:1])
    U = principal_subspaces(*eigensystems(class_moments(V, [0, 1])), 1, 1e-14)
    energy = energy_outside(U, half_spectrum(all_shifts(samples[0])), multiplicities((6,)) / 6)
    assert_allclose(energy, 0, atol=1e-20)
    span = np.linalg.matrix_rank(circulant(samples[0]))
    assert span == 6  # as one subspace of all shifts, flat, it would take six dimensions


def test_a_class_with_fewer_directions_than_the_rank_gets_no_made_up_ones():
    samples, _ = random_classes((4,), m=1)
    U = principal_subspaces(*eigensystems(class_moments(half_spectrum(samples), [0, 1, 2])), 3, 1e-14)
    assert_array_equal(U[:, :, :, 1:], 0)
    assert_allclose(np.linalg.norm(U[:, 0, :, 0], axis=1), 1.0)


def test_eigenvectors_of_few_directions_are_those_of_the_whole_matrix():
    rng = np.random.default_rng(0)
    V = rng.standard_normal((7, 20, 5)) + 1j * rng.standard_normal((7, 20, 5))
    M = V @ V.conj().swapaxes(1, 2)
    values, vectors = eigensystems(M)
    few_values, few_vectors = eigensystems(M, most_directions=5)
    assert_allclose(few_values[:, -5:], values[:, -5:], rtol=1e-12)
    assert_array_equal(few_values[:, :-5], 0)
    for one, other in ((vectors, few_vectors),):
        projections = [basis[..., -5:] @ basis[..., -5:].conj().swapaxes(1, 2) for basis in (one, other)]
        assert_allclose(*projections, atol=1e-12)
