"""Classes of one sample and its views, carried together: moments and layers are those of tiles of each class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet.inputs.labels import Labels
from redunet.measures.class_moments import ClassMoments
from redunet.measures.registry import MEASURES
from redunet.network.carried_views import CarriedViews
from redunet.network.construct import construct
from redunet.network.geometry import Geometry
from redunet.network.network import Network
from redunet.network.recipe import Recipe


def recipe(**options):
    usual = dict(
        n_layers=4, eps=0.5, step_size=None, sharpness=20.0, relative_residual=True, tol=None, momentum=0.0,
        membership="softmax", rank=1,
    )  # fmt: skip
    return Recipe(**usual | options)


@pytest.fixture(params=[(5,), (3, 8), (2, 4, 6)], ids=["vectors", "signals", "images"])
def classes(request):
    """A network, 15 classes of three members each, and their weights."""
    rng = np.random.default_rng(0)
    samples = rng.standard_normal((15, 1, *request.param)) + 0.3 * rng.standard_normal((15, 3, *request.param))
    samples = samples.reshape(45, *request.param)
    return Network.entrance(Geometry(request.param), samples, spanned=False), samples, rng.uniform(1, 3, 15)


def both(classes):
    """The same classes in tiles of their own, and carried together, with their moments."""
    network, samples, weights = classes
    labels = Labels.of(np.arange(15), np.repeat(np.arange(15), 3))
    tiles = network.training_tiles(samples, labels, np.repeat(weights / 3, 3))
    carried = CarriedViews(network, network.entered(samples), weights)
    return tiles, carried, ClassMoments(tiles.moments(), weights, network.space, 3)


def test_moments_are_sums_over_the_members_of_a_class(classes):
    network, samples, weights = classes
    _, carried, _ = both(classes)
    V = network.entered(samples)
    for j, M in enumerate(carried.moments()):
        members = [V[:, :, i] for i in range(3 * j, 3 * j + 3)]
        expected = sum(weights[j] / 3 * v[:, :, None] * v.conj()[:, None, :] for v in members)
        assert_allclose(M, expected, atol=1e-12)


@pytest.mark.parametrize("membership", [name for name in MEASURES if name not in ("regression", "relu")])
@pytest.mark.parametrize("options", [{}, {"momentum": "nesterov"}, {"step_size": 0.05}], ids=str)
def test_layers_are_those_of_tiles_of_each_class(classes, membership, options):
    tiles, carried, moments = both(classes)
    how = recipe(membership=membership, **options)
    one, other = construct(tiles, moments, how), construct(carried, moments, how)
    assert len(one.layers) == len(other.layers) > 0
    assert_allclose(one.history.rate_reduction, other.history.rate_reduction, rtol=1e-9)
    assert_allclose(one.layers[-1].compression, other.layers[-1].compression, rtol=1e-6, atol=1e-8)


def test_a_state_that_is_taken_over_goes_on_with_the_same_bits(classes):
    network, _, _ = classes
    _, carried, moments = both(classes)
    layers, weights = construct(both(classes)[1], moments, recipe()).layers, network.geometry.norm_weights
    carried.carry(layers[:2], weights, more_to_come=True)
    _, other, _ = both(classes)
    other.restore({name: array.copy() for name, array in carried.state().items()})
    assert_array_equal(carried.moments(), other.moments())
    assert_array_equal(
        carried.advance(layers[2], weights, in_place=True), other.advance(layers[2], weights, in_place=False)
    )
    other.accept()
    assert_array_equal(carried.moments(), other.moments())
