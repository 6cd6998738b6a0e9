"""A survey of blocks is that of all their samples, however they are divided."""

import numpy as np
import pytest

from redunet.estimators.block_reading import added_up
from redunet.evidence.survey import Survey
from redunet.inputs.errors import InputError
from redunet.inputs.samples import read_labels


def survey(number, X, y, weights=None, size=30, names=None):
    weights = np.ones(len(X)) if weights is None else weights
    return Survey.of(number, X, read_labels(y, len(X)), weights, size, names, X.shape[1:])


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.standard_normal((200, 3)), rng.choice(["a", "b", "c"], 200), rng.integers(0, 3, 200).astype(float)


@pytest.mark.parametrize("cuts", [(100,), (1, 2, 150), (50, 51, 52, 199)])
def test_blocks_add_up_to_the_whole(data, cuts):
    X, y, weights = data
    whole = survey(0, X, y, weights)
    parts = zip(*(np.split(one, cuts) for one in (X, y, weights)), strict=True)
    found = added_up([None, *(survey(i, *part) for i, part in enumerate(parts)), None])
    assert found.classes.tolist() == whole.classes.tolist() == ["a", "b", "c"]
    for name in ("counts", "class_weight"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
    np.testing.assert_allclose(found.root_mean_square_norm, whole.root_mean_square_norm, rtol=1e-14)
    np.testing.assert_allclose(
        whole.root_mean_square_norm, np.sqrt(np.average(np.square(X).sum(axis=1), weights=weights)), rtol=1e-14
    )
    for name in ("samples", "codes", "weights", "keys"):  # the same few samples, wherever they were
        np.testing.assert_array_equal(getattr(found.reservoir, name), getattr(whole.reservoir, name))
    assert found.n_rows.sum() == 200


def test_the_typical_length_of_huge_and_of_tiny_samples_is_found():
    big, small = np.full((2, 4), 1e200), np.full((2, 4), 1e-200)
    found = survey(0, small, [0, 1]).plus(survey(1, big, [0, 1]))
    np.testing.assert_allclose(found.root_mean_square_norm, 1e200 * np.sqrt(2), rtol=1e-14)
    np.testing.assert_allclose(survey(0, small, [0, 1]).root_mean_square_norm, 2e-200, rtol=1e-14)
    assert survey(0, np.zeros((2, 4)), [0, 1]).root_mean_square_norm == 1


def test_classes_that_are_too_small_are_seen_by_their_stand_ins():
    labels, weights = survey(0, np.ones((4, 2)), ["a", "a", "a", "b"], np.array([1.0, 1, 1, 0])).stand_ins()
    assert np.bincount(labels.codes).tolist() == [2, 1]
    assert np.bincount(labels.codes, weights).tolist() == [3, 0]


def test_blocks_of_different_widths_are_refused_by_their_numbers():
    with pytest.raises(InputError, match=r"shape \(3,\) in block 4 and of shape \(2,\) in block 7"):
        survey(4, np.ones((2, 3)), [0, 1]).plus(survey(7, np.ones((2, 2)), [0, 1]))
    with pytest.raises(InputError, match="columns of other names"):
        survey(0, np.ones((2, 2)), [0, 1], names=("a", "b")).plus(survey(1, np.ones((2, 2)), [0, 1], names=("b", "a")))
