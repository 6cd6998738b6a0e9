"""Tables: what they hold, what fills their gaps, and splits that keep a mouse on one side."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from redunet.data.tabular import digits, fill_missing, iris, mice, split_at_random, split_by_mouse


def test_iris_and_digits_come_with_scikit_learn(bare_machine):
    X, y = iris()
    assert X.shape == (150, 4)
    assert np.bincount(y).tolist() == [50, 50, 50]
    X, y = digits()
    assert X.shape == (1797, 64)
    assert (X.min(), X.max(), len(np.unique(y))) == (0, 16, 10)
    assert not bare_machine


def test_mice_are_72_of_8_classes_with_15_measurements_each(real_folder):
    X, y, mouse = mice(real_folder, download=False)
    assert X.shape == (1080, 77)
    assert np.isnan(X).sum() == 1396
    kinds, counts = np.unique(y, return_counts=True)
    assert kinds.tolist() == ["c-CS-m", "c-CS-s", "c-SC-m", "c-SC-s", "t-CS-m", "t-CS-s", "t-SC-m", "t-SC-s"]
    assert counts.tolist() == [150, 135, 150, 135, 135, 105, 135, 135]
    assert (np.unique(mouse, return_counts=True)[1] == 15).all()
    assert len(np.unique(mouse)) == 72
    assert mouse[0] == "309"
    assert_allclose(X[0, [0, 76]], [0.503643884, 1.67565235], rtol=0, atol=0)


def test_the_split_of_mice_keeps_new_mice_for_the_test(real_folder):
    _, y, mouse = mice(real_folder, download=False)
    train, test = split_by_mouse(mouse, y, 0.3, random_state=0)
    assert not set(mouse[train]) & set(mouse[test])
    assert len(set(y[train])) == len(set(y[test])) == 8
    assert len(set(mouse[test])) == 23  # 3 of 10 and of 9 mice, 2 of 7


@given(
    sizes=st.lists(st.lists(st.integers(1, 4), min_size=2, max_size=6), min_size=1, max_size=4),
    test_size=st.floats(0.01, 0.99),
    seed=st.integers(0, 2**32 - 1),
)
def test_all_rows_of_a_mouse_are_on_one_side_and_every_class_is_on_both(sizes, test_size, seed):
    mouse = np.concatenate([np.repeat(f"{j}{i}", n) for j, of in enumerate(sizes) for i, n in enumerate(of)])
    y = np.array([int(name[0]) for name in mouse])
    order = np.random.default_rng(seed).permutation(len(y))
    mouse, y = mouse[order], y[order]
    train, test = split_by_mouse(mouse, y, test_size, seed)
    assert sorted([*train, *test]) == list(range(len(y)))
    assert not set(mouse[train]) & set(mouse[test])
    assert set(y[train]) == set(y[test]) == set(y)
    for j, of in enumerate(sizes):
        n_tested = len(set(mouse[test][y[test] == j]))
        assert abs(n_tested - test_size * len(of)) <= 0.5 or n_tested in (1, len(of) - 1)
    assert_array_equal(split_by_mouse(mouse, y, test_size, seed)[1], test)


def test_another_seed_tests_other_mice():
    mouse = np.arange(20)
    drawn = {tuple(split_by_mouse(mouse, mouse % 2, 0.3, seed)[1]) for seed in range(10)}
    assert len(drawn) > 5


def test_the_random_split_has_30_percent_for_the_test():
    y = np.repeat([0, 1, 2], 50)
    train, test = split_at_random(y, random_state=0)
    assert len(test) == 45  # the paper's 0.978 is 44 of them
    assert sorted([*train, *test]) == list(range(150))
    assert len(split_at_random(np.zeros(1080), random_state=0)[1]) == 324
    assert np.bincount(y[test]).tolist() != [15, 15, 15]
    for seed in range(5):
        assert np.bincount(y[split_at_random(y, random_state=seed, stratified=True)[1]]).tolist() == [15, 15, 15]


@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0, 0.8))
def test_gaps_are_filled_with_the_mean_of_the_training_rows_and_nothing_else_changes(seed, share):
    rng = np.random.default_rng(seed)
    X_train, X_test = (np.where(rng.random((n, 3)) < share, np.nan, rng.standard_normal((n, 3))) for n in (8, 5))
    assume(not np.isnan(X_train).all(axis=0).any())
    before = X_train.copy(), X_test.copy()
    filled = fill_missing(X_train, X_test)
    means = [np.mean([value for value in column if value == value]) for column in X_train.T]
    for X, full, old in zip((X_train, X_test), filled, before, strict=True):
        assert_array_equal(X, old)
        gaps = np.isnan(X)
        assert_array_equal(full[~gaps], X[~gaps])
        assert_allclose(full[gaps], np.broadcast_to(means, X.shape)[gaps], rtol=1e-12, atol=1e-12)
    assert len(fill_missing(X_train)) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fill_missing(np.array([[1.0, np.nan], [2.0, np.nan]])), "column 1 of X_train has no value at all"),
        (lambda: split_by_mouse(["a", "b", "b"], [0, 0, 1]), "mouse b has rows of more than one class"),
        (lambda: split_by_mouse(["a", "b", "c"], [0, 0, 1]), "class 1 has one mouse"),
        (lambda: split_by_mouse(["a", "b"], [0]), "one entry per row"),
        (lambda: split_by_mouse(["a", "b"], [0, 0], test_size=1.0), "test_size must be a share between 0 and 1"),
        (lambda: split_at_random([0, 1], test_size=30), "test_size must be a share between 0 and 1, got 30"),
    ],
)
def test_mistakes_are_told(call, message):
    with pytest.raises(ValueError, match=message):
        call()
