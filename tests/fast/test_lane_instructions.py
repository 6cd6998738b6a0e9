"""Instructions on samples side by side, with products that are rounded once and without."""

import numba
import numpy as np
import pytest
from numba import types
from numba.extending import intrinsic
from numpy.testing import assert_allclose

from redunet.fast.kernels import lane_instructions
from redunet.fast.kernels.compilation import FLAGS
from redunet.fast.kernels.lane_instructions import Lanes
from redunet.fast.sample_lanes import LANE_BYTES


def exponentials():
    """A kernel, compiled now, that gives the exponentials of as many numbers as there are lanes."""

    @intrinsic
    def fill(typing, values, found):
        def emit(context, builder, signature, args):
            lanes = Lanes(context, builder, signature.args[0])
            values, found = (lanes.data(kind, value) for kind, value in zip(signature.args, args, strict=True))
            lanes.store(lanes.exponential(lanes.load(values)), found)
            return context.get_dummy_value()

        return types.void(values, found), emit

    @numba.njit(fastmath=set(FLAGS))
    def kernel(values, found):
        fill(values, found)

    return kernel


@pytest.mark.parametrize("rounded_once", [True, False])
def test_exponentials_are_those_of_numpy(rounded_once, monkeypatch):
    can_round_once = lane_instructions._HAS_FUSED_PRODUCTS
    monkeypatch.setattr(lane_instructions, "_HAS_FUSED_PRODUCTS", rounded_once and can_round_once)
    kernel = exponentials()
    n = LANE_BYTES // 4
    values = np.concatenate([np.linspace(-80, 80, 7 * n), np.linspace(-1, 1, 6 * n), [0.0] * n, [-1e30, -np.inf] * n])
    values = values.astype(np.float32)
    found = np.empty_like(values)
    for first in range(0, len(values), n):
        kernel(values[first : first + n], found[first : first + n])
    expected = np.exp(np.maximum(values, -80).astype(np.float64))
    assert_allclose(found, expected, rtol=3e-7)
