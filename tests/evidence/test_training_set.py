"""The training samples at the entrance: what is computed of them once, and who may overwrite them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet.evidence.choices import OpenChoices, choose
from redunet.evidence.training_set import TrainingSet, some_of_each_class
from redunet.fast.tiles import Tiles
from redunet.inputs.labels import Labels
from redunet.measures.left_out import Choices
from redunet.network.geometry import Geometry
from redunet.network.network import Network
from redunet.network.recipe import Recipe
from redunet.numerics.moments import class_moments
from tests.reference.leave_one_out import waves

RECIPE = Recipe(
    n_layers=4, eps=0.3, step_size=None, sharpness=50.0, relative_residual=True, tol=None, momentum=0.0,
    membership="subspace",
)  # fmt: skip
LEFT_OPEN = OpenChoices(("subspace", "code"), Choices(None, (0.3, 1.0)), (20.0, 50.0), depth=True)


@pytest.fixture
def training():
    """Signals of two classes in turn, of different weights."""
    X, y = waves()
    network = Network.entrance(Geometry(X.shape[1:]), X)
    return TrainingSet(network, X, Labels.of(np.arange(2), y), np.arange(1.0, 41.0))


def test_samples_are_sorted_by_class_with_their_weights_and_moments(training):
    X, y = waves()
    order = np.argsort(y, kind="stable")
    V = Geometry(X.shape[1:]).blocks(X[order])
    assert_array_equal(training.codes, y[order])
    assert_array_equal(training.weights, np.arange(1.0, 41.0)[order])
    assert_array_equal(training.class_weight, [sum(range(1, 41, 2)), sum(range(2, 41, 2))])
    # Samples are entered as the representatives of their shifts, which moments do not depend on.
    assert_allclose(training.moments.M, class_moments(V, training.bounds, training.weights), atol=1e-12)


def test_moments_and_eigenvectors_are_computed_once_for_all_evidence(training, monkeypatch):
    from redunet.measures import class_moments as module

    sums, solved = [], []
    moments, eigensystems = Tiles.moments, module.eigensystems
    monkeypatch.setattr(Tiles, "moments", lambda tiles: sums.append(tiles) or moments(tiles))
    monkeypatch.setattr(module, "eigensystems", lambda *args: solved.append(args[0]) or eigensystems(*args))
    choose(training, RECIPE, LEFT_OPEN)
    assert sum(one is training.tiles for one in sums) == 1
    assert sum(np.shares_memory(M, training.moments.M) for M in solved) == 1
    assert training.moments is training.some.moments


def test_evidence_overwrites_nothing(training):
    before = training.tiles.X.copy()
    parts = [part.copy() for part in (training.moments.M, training.some.V, training.weights)]
    choose(training, RECIPE, LEFT_OPEN)
    assert_array_equal(training.tiles.X, before)
    assert set(training.tiles.state()) == {"X"}
    for part, now in zip(parts, (training.moments.M, training.some.V, training.weights), strict=True):
        assert_array_equal(now, part)


def test_who_consumes_the_samples_has_them_alone(training):
    tiles, moments, some = training.tiles, training.moments, training.some.V.copy()
    assert training.consume() is tiles
    with pytest.raises(AssertionError, match="were consumed by a construction"):
        _ = training.tiles
    with pytest.raises(AssertionError, match="were consumed by a construction"):
        training.consume()
    tiles.X[:] = 0
    assert training.moments is moments
    assert_array_equal(training.some.V, some)  # a copy, not the tiles


def test_evidence_is_taken_from_samples_of_every_class():
    bounds = np.array([0, 10_000, 10_003, 20_000])
    chosen = some_of_each_class(bounds, 2000)
    assert len(chosen) <= 2002
    assert np.bincount(np.searchsorted(bounds[1:], chosen, side="right")).min() >= 2
    assert_array_equal(some_of_each_class(bounds, 30_000), np.arange(20_000))
