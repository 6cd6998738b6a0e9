"""The loop that builds layers: who looks on and when, what ends it, and how it goes on later with the same bits."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from redunet.inputs.errors import InputError
from redunet.measures.class_moments import ClassMoments
from redunet.network.construct import Observer, construct
from redunet.network.geometry import Geometry
from redunet.network.network import Network
from redunet.network.recipe import Recipe

GEOMETRY = Geometry((3, 8))
WEIGHT = np.array([12.0, 18.0])


def recipe(**options):
    """Six layers at most, by a fixed step unless the options say otherwise."""
    usual = {"n_layers": 6, "eps": 0.5, "step_size": 0.1, "sharpness": 20.0, "relative_residual": True, "tol": None}
    return Recipe(**usual | {"momentum": 0.0} | options)


def entered(dtype=np.float64):
    """A network without layers, and tiles of 30 signals of two classes at its entrance."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [12, 18])
    samples = (rng.standard_normal((2, 3, 8))[codes] + rng.standard_normal((30, 3, 8))).astype(dtype)
    network = Network.entrance(GEOMETRY, samples)
    tiles = network.tiles(np.array([0, 12, 30]), 2)
    tiles.fill(0, GEOMETRY.blocks(samples))
    return network, tiles


def build(options, observers=(), dtype=np.float64):
    network, tiles = entered(dtype)
    return construct(tiles, network.class_moments(tiles, WEIGHT), options, observers=observers)


class Diary(Observer):
    """Writes down what it sees, and ends the construction after so many layers."""

    def __init__(self, name, pages, last=None):
        self.name, self.pages, self.last = name, pages, last

    def begin(self, construction):
        self.pages.append((self.name, "begin", len(construction.layers)))

    def layer_added(self, construction):
        self.pages.append((self.name, "layer", len(construction.layers)))
        return len(construction.layers) == self.last


def test_observers_are_called_in_order_before_the_first_layer_and_after_each():
    pages = []
    build(recipe(n_layers=2), [Diary("a", pages), Diary("b", pages)])
    assert pages == [(name, what, n) for what, n in [("begin", 0), ("layer", 1), ("layer", 2)] for name in "ab"]


def test_an_observer_that_says_true_ends_the_construction_and_all_others_are_still_called():
    pages = []
    built = build(recipe(), [Diary("a", pages, last=2), Diary("b", pages)])
    assert len(built.layers) == 2
    assert len(built.history) == 3
    assert pages[-2:] == [("a", "layer", 2), ("b", "layer", 2)]


def test_observers_change_nothing():
    alone, watched = build(recipe()), build(recipe(), [Observer(), Diary("a", [])])
    assert_same_layers(alone, watched)


def test_an_observer_sees_the_features_and_the_rates_after_the_layer():
    found = []

    class Looking(Observer):
        def layer_added(self, construction):
            M = construction.carrier.moments()
            found.append(construction.history.rate_reduction[-1] == construction.rate_reduction)
            np.testing.assert_allclose(construction.moments.M, M, atol=1e-12)
            return False

    build(recipe(step_size=None), [Looking()])
    assert found == [True] * 6


def test_no_layers_are_the_input():
    built = build(recipe(n_layers=0))
    assert built.layers == []
    assert len(built.history) == 1
    assert not built.goes_on


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("membership", ["softmax", "subspace"])
@pytest.mark.parametrize("momentum", [0.0, "nesterov"])
@pytest.mark.parametrize("step_size", [None, 0.1])
def test_a_stage_goes_on_to_the_same_bits(step_size, momentum, membership, dtype):
    options = recipe(step_size=step_size, momentum=momentum, membership=membership)
    straight = build(options, dtype=dtype)
    stopped = []

    class Stop(Observer):
        def layer_added(self, construction):
            if len(construction.layers) < 3:
                return False
            state = {name: array.copy() for name, array in construction.carrier.state().items()}
            stopped.append((construction.stage(), state))
            return True

    build(options, [Stop()], dtype=dtype)
    [(stage, state)] = stopped
    assert len(stage.layers) == 3
    network, tiles = entered(dtype)
    tiles.restore(state)
    exact = dtype == np.float64
    moments = ClassMoments(stage.M, WEIGHT, network.space, tiles.largest_class, exact)
    assert_same_layers(construct(tiles, moments, options, start=stage), straight)


def assert_same_layers(one, other):
    """Two constructions have the same layers, rates and features, bit for bit."""
    assert len(one.layers) == len(other.layers)
    for first, second in zip(one.layers, other.layers, strict=True):
        assert_array_equal(first.expansion, second.expansion)
        assert_array_equal(first.compression, second.compression)
        assert (first.step_size, first.momentum) == (second.step_size, second.momentum)
    assert one.rates == other.rates
    assert_array_equal(one.carrier.X, other.carrier.X)


def test_features_that_are_not_finite_are_refused_with_the_layer():
    network, tiles = entered()
    tiles.X[0, 0, 0, 0] = np.inf
    with pytest.raises(InputError, match=r"^layer 1 of 6: the features are not finite with eps=0.5 and step_size=0.1"):
        construct(tiles, network.class_moments(tiles, WEIGHT), recipe())
