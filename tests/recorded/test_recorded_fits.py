"""Fits of every kind give what they gave when they were recorded."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from .fits import RECORD, cases, fitted, machine

CASES = {case[0]: case for case in cases()}


@pytest.fixture(scope="module")
def recorded():
    with np.load(RECORD) as found:
        return dict(found)


@pytest.mark.parametrize("name", CASES)
def test_a_fit_gives_what_was_recorded(name, recorded):
    same_bits = str(recorded["machine"]) == machine()
    found = fitted(CASES[name])
    assert {key for key in recorded if key.startswith(f"{name}:")} == set(found)
    for key, value in found.items():
        if same_bits:
            assert_array_equal(value, recorded[key], err_msg=key)
        else:
            assert_allclose(value, recorded[key], rtol=1e-3, atol=1e-4, err_msg=key)
