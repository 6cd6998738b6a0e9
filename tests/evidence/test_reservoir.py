"""The reservoir: a bounded choice of samples that depends on their values alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from redunet.evidence.reservoir import LEAST_OF_A_CLASS, Reservoir
from redunet.numerics.sample_keys import sample_keys


def samples_of(n=300, n_classes=3, seed=0, rare=False):
    """Samples, some of them equal, their classes and weights."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2)).round(1)
    y = rng.integers(0, n_classes, n) if not rare else (np.arange(n) % 50 == 0).astype(int)
    return X, y, rng.integers(1, 4, n).astype(float)


def assert_same(one, other):
    for name in ("samples", "codes", "keys"):
        assert_array_equal(getattr(one, name), getattr(other, name))
    assert_allclose(one.weights, other.weights)


def by_hand(size, X, y, w):
    """The rule as it reads: distinct (sample, class), the smallest keys, and the smallest of each class."""
    distinct = {}
    for row, code, weight, key in zip(map(tuple, X), y.tolist(), w.tolist(), sample_keys(X).tolist(), strict=True):
        distinct.setdefault((key, code, row), []).append(weight)
    ordered = sorted(distinct)
    kept = []
    for place, (key, code, row) in enumerate(ordered):
        before = sum(other[1] == code for other in ordered[:place])
        if place < size or before < LEAST_OF_A_CLASS:
            kept.append((key, code, row, sum(distinct[key, code, row])))
    return kept


@given(seed=st.integers(0, 1000), size=st.integers(1, 120), rare=st.booleans())
def test_it_is_the_rule_as_it_reads(seed, size, rare):
    X, y, w = samples_of(seed=seed, rare=rare)
    found = Reservoir.of(size, X, y, w)
    expected = by_hand(size, X, y, w)
    assert (
        list(
            zip(
                found.keys.tolist(),
                found.codes.tolist(),
                map(tuple, found.samples),
                found.weights.tolist(),
                strict=True,
            )
        )
        == expected
    )


@given(seed=st.integers(0, 1000), size=st.integers(1, 120), n_parts=st.integers(1, 9), rare=st.booleans())
def test_parts_in_any_order_give_the_reservoir_of_the_whole(seed, size, n_parts, rare):
    X, y, w = samples_of(seed=seed, rare=rare)
    rng = np.random.default_rng(seed)
    parts = np.array_split(rng.permutation(len(X)), n_parts)
    total = Reservoir.of(size, X[:0], y[:0], w[:0])
    for part in parts:
        total = total.plus(Reservoir.of(size, X[part], y[part], w[part]))
    assert_same(total, Reservoir.of(size, X, y, w))


def test_taking_out_is_never_having_had_while_nothing_was_left_out():
    X, y, w = samples_of(100)
    whole = Reservoir.of(1000, X, y, w)
    assert_same(whole.minus(X[:40], y[:40], w[:40]), Reservoir.of(1000, X[40:], y[40:], w[40:]))
    assert len(whole.minus(X, y, w).samples) == 0


def test_samples_that_were_not_kept_are_not_missed_when_they_are_taken_out():
    X, y, w = samples_of(400)
    small = Reservoir.of(5, X, y, w)
    gone = ~np.isin(sample_keys(X), small.keys)
    assert gone.any()
    assert_same(small.minus(X[gone], y[gone], w[gone]), small)


def test_a_reservoir_of_no_size_keeps_nothing():
    X, y, w = samples_of(50)
    empty = Reservoir.of(0, X, y, w)
    assert len(empty.samples) == len(empty.plus(empty).samples) == 0
    assert len(empty.minus(X, y, w).samples) == 0


def test_classes_can_be_renumbered():
    X, y, w = samples_of(60)
    assert_array_equal(
        Reservoir.of(20, X, y, w).recoded(np.array([2, 0, 4])).codes,
        np.array([2, 0, 4])[Reservoir.of(20, X, y, w).codes],
    )
