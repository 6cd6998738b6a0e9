"""Sums of energies without copies: the same as by definition."""

import numpy as np
import pytest

from redunet.fast.kernels import energies_of_groups, weighted_products


def noise(shape, kind, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if np.issubdtype(kind, np.complexfloating):
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(kind)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64, np.complex128])
def test_energies_are_sums_over_the_channels_of_a_group(kind):
    along, weights, energies = noise((5, 6, 7), kind), np.arange(1.0, 6.0), np.full((3, 7), np.nan)
    energies_of_groups(along, weights, energies)
    squares = np.square(np.abs(along.astype(np.complex128))).reshape(5, 3, 2, 7).sum(axis=2)
    np.testing.assert_allclose(energies, np.einsum("p,pji->ji", weights, squares), rtol=1e-6)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64, np.complex128])
def test_products_are_real_parts_of_inner_products(kind):
    V, P, weights, products = noise((5, 6, 7), kind), noise((5, 6, 7), kind, 1), np.arange(1.0, 6.0), np.full(7, np.nan)
    weighted_products(V, P, weights, products)
    wide = V.astype(np.complex128), P.astype(np.complex128)
    expected = np.einsum("p,pci,pci->i", weights, wide[0].conj(), wide[1]).real
    np.testing.assert_allclose(products, expected, rtol=1e-5, atol=1e-5)
