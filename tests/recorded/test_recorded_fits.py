"""Fits of every kind give what they gave when they were recorded."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from .fits import FOLDER, cases, fitted, machine

CASES = {case[0]: case for case in cases()}


@pytest.fixture(scope="module")
def records():
    """What was recorded, the record of this machine first; a case that changed is in the newest record alone."""
    found = []
    for path in sorted(FOLDER.glob("fits-*.npz")):
        with np.load(path) as record:
            found.append(dict(record))
    return sorted(found, key=lambda record: str(record["machine"]) != machine())


@pytest.mark.parametrize("name", CASES)
def test_a_fit_gives_what_was_recorded(name, records):
    found = fitted(CASES[name])
    recorded = next(record for record in records if any(key.startswith(f"{name}:") for key in record))
    assert {key for key in recorded if key.startswith(f"{name}:")} == set(found)
    for key, value in found.items():
        if str(recorded["machine"]) == machine():
            assert_array_equal(value, recorded[key], err_msg=key)
        else:
            assert_allclose(value, recorded[key], rtol=1e-3, atol=1e-4, err_msg=key)
