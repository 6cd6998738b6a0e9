"""Gathered moments add up, whatever the parts, and can be taken out again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from redunet import Lift
from redunet.evidence import gathered_moments
from redunet.evidence.gathered_moments import gather
from redunet.inputs.errors import InputError
from redunet.network.geometry import Geometry
from redunet.network.network import Network
from redunet.numerics.moments import moment

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 2, 6)) + np.sin(np.arange(6))
CODES = np.arange(40) % 3
WEIGHTS = RNG.uniform(0.5, 2.0, 40)


def entrance(kind):
    if kind == "lift":
        lift = Lift("random", 4, 3, random_state=0).fit_samples(X, WEIGHTS)
        return Network.entrance(Geometry(lift.bank_.shape), X, lift=lift.bank_)
    return Network.entrance(Geometry((2, 6)), X, spanned=False)


def gathered(network, rows, n_classes=4):
    return gather(network, X[rows], CODES[rows], WEIGHTS[rows], n_classes, 10)


@pytest.mark.parametrize("kind", ["signals", "lift"])
def test_they_are_the_moments_of_each_class(kind, monkeypatch):
    network = entrance(kind)
    lifted = X if network.lift is None else network.lift(X)
    V = network.geometry.blocks(lifted)
    monkeypatch.setattr(gathered_moments, "PART_BYTES", 5000)  # several parts
    found = gathered(network, slice(None))
    for j in range(3):
        assert_allclose(found.M[j], moment(V[:, :, j == CODES], WEIGHTS[j == CODES]), atol=1e-12)
    assert_array_equal(found.M[3], 0)  # a class without samples
    assert_array_equal(found.seen, [0, 1, 2])
    assert_allclose(found.class_weight, np.bincount(CODES, WEIGHTS, 4))


@given(cuts=st.lists(st.integers(0, 40), max_size=5), seed=st.integers(0, 99))
def test_parts_in_any_order_add_up_to_the_whole(cuts, seed):
    network = entrance("signals")
    parts = np.split(np.random.default_rng(seed).permutation(40), sorted(cuts))
    first, *others = (gathered(network, part) for part in parts)
    for other in others:
        first = first.plus(other)
    whole = gathered(network, slice(None))
    assert_allclose(first.M, whole.M, atol=1e-12)
    assert_allclose(first.class_weight, whole.class_weight)
    assert_array_equal(first.reservoir.keys, whole.reservoir.keys)


def test_what_is_taken_out_leaves_what_the_others_give():
    network = entrance("signals")
    out = np.arange(40) < 15
    left = gathered(network, slice(None)).minus(gathered(network, out))
    assert_allclose(left.M, gathered(network, ~out).M, atol=1e-12)
    assert_allclose(left.class_weight, gathered(network, ~out).class_weight)


def test_a_class_that_is_taken_out_whole_has_no_trace():
    network = entrance("signals")
    out = CODES == 1
    left = gathered(network, slice(None)).minus(gathered(network, out))
    assert_array_equal(left.M[1], 0)
    assert_array_equal(left.seen, [0, 2])


@pytest.mark.parametrize("wrong", ["never seen", "other labels", "more weight"])
def test_what_was_never_added_cannot_be_taken_out(wrong):
    network = entrance("signals")
    rows = np.arange(30)
    samples, codes, weights = X[30:], CODES[30:], WEIGHTS[30:]
    if wrong == "other labels":
        samples, codes, weights = X[:9], (CODES[:9] + 1) % 3, WEIGHTS[:9]
    if wrong == "more weight":
        samples, codes, weights = X[:3], CODES[:3], WEIGHTS[:3] + 100
    other = gather(network, samples, codes, weights, 4, 10)
    with pytest.raises(InputError, match="cannot be taken out: not all of them were seen before"):
        gathered(network, rows).minus(other)


def test_classes_can_be_renumbered_and_left_out():
    whole = gathered(entrance("signals"), slice(None), 3)
    wider = whole.recoded(np.array([0, 2, 3]), 5)
    assert_array_equal(wider.seen, [0, 2, 3])
    narrow = wider.of_seen_classes()
    assert_array_equal(narrow.M, whole.M)
    assert_array_equal(narrow.reservoir.codes, whole.reservoir.codes)
