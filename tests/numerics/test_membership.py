"""Soft memberships: the softmax of its formula, and nothing that is no number."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from redunet.numerics.membership import soft_membership

RESIDUALS = np.array([[0.2, 5.0, np.inf], [0.3, 5.0, 7.0], [0.1, 6.0, 7.0]])


def test_it_is_the_softmax_of_its_formula():
    finite = RESIDUALS[:, :2]
    shares = np.exp(-3.0 * finite)
    assert_allclose(soft_membership(finite, 3.0), (shares / shares.sum(axis=0)).T, rtol=1e-13)


def test_however_sharp_the_nearest_classes_share_all_of_it():
    expected = [[0, 0, 1], [0.5, 0.5, 0], [0, 0.5, 0.5]]
    assert_array_equal(soft_membership(RESIDUALS, 1e308), expected)
