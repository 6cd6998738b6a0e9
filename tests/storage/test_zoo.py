"""Files of every format there ever was load, and answer what they did when they were written."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redunet
from redunet.storage.model_file import FORMAT

from .models import said

ZOO = Path(__file__).parent / "zoo"
FILES = sorted(ZOO.glob("*/*.redunet"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_old_file_loads_and_answers_as_it_did(path):
    with np.load(path.with_suffix(".npz")) as kept:
        samples, expected = kept["samples"], kept["said"]
    # Another machine may add in another order.
    assert_allclose(said(redunet.load(path), samples), expected, rtol=1e-4, atol=1e-5)


def test_every_format_has_its_files():
    for number in range(1, FORMAT + 1):
        assert len(list((ZOO / f"format-{number}").glob("*.redunet"))) >= 10


def test_lifts_of_the_first_format_kept_the_scale_of_samples():
    lift = redunet.load(ZOO / "format-1" / "lift.redunet")
    assert lift.unit_scale is lift.bank_.unit_scale is False  # a new fit of it does what the old one did
    assert redunet.load(ZOO / "format-2" / "lift.redunet").unit_scale is True
