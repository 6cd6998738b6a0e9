"""Blocks that are carried through layers: what all samples together would be, and nothing is overwritten."""

import pickle
import sys

import numpy as np
import pytest

from redunet.fast.block_tasks import LocalTasks
from redunet.inputs.labels import Labels
from redunet.measures.registry import MEASURES
from redunet.network.carried_blocks import CarriedBlocks, after_layer, carried_on, entered
from redunet.network.construct import construct
from redunet.network.geometry import Geometry
from redunet.network.network import Network
from redunet.network.recipe import Recipe


def recipe(**options):
    usual = dict(
        n_layers=4, eps=0.5, step_size=None, sharpness=20.0, relative_residual=True, tol=None, momentum=0.0,
        membership="softmax", rank=2,
    )  # fmt: skip
    return Recipe(**usual | options)


@pytest.fixture(params=[(5,), (3, 8)], ids=["vectors", "signals"])
def training(request):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 40)
    samples = rng.standard_normal((120, *request.param)) + 0.7 * codes.reshape(-1, *[1] * len(request.param))
    order = rng.permutation(120)
    network = Network.entrance(Geometry(request.param), samples, spanned=False)
    return network, samples[order], codes[order], rng.integers(1, 3, 120).astype(float)


def blocks_of(training, cuts=(7, 7, 60)):
    network, samples, codes, weights = training
    parts = zip(*(np.split(one, cuts) for one in (samples, codes, weights)), strict=True)
    return [entered(network, *part, 3) for part in parts]


def start(training, blocks, momentum=True):
    network, samples, codes, weights = training
    tiles = network.training_tiles(samples, Labels.of(np.arange(3), codes), weights)
    carried = CarriedBlocks(LocalTasks(), blocks, network, momentum)
    return tiles, network.class_moments(tiles, np.bincount(codes, weights)), carried


@pytest.mark.parametrize("membership", [name for name in MEASURES if name != "regression"])
@pytest.mark.parametrize("options", [{}, {"momentum": "nesterov"}, {"step_size": 0.1}], ids=str)
def test_layers_from_blocks_are_those_from_all_samples(training, membership, options):
    blocks = blocks_of(training)
    assert blocks[1] is None  # a block without samples
    tiles, moments, carried = start(training, blocks)
    np.testing.assert_allclose(carried.moments(), moments.M, rtol=1e-12, atol=1e-12)
    how = recipe(membership=membership, **options)
    one, other = construct(tiles, moments, how), construct(carried, moments, how)
    assert len(one.layers) == len(other.layers) > 0
    np.testing.assert_allclose(one.history.rate_reduction, other.history.rate_reduction, rtol=1e-9)
    np.testing.assert_allclose(one.layers[-1].compression, other.layers[-1].compression, rtol=1e-6, atol=1e-9)


def test_layers_that_are_there_already_bring_blocks_to_the_same_bits(training):
    blocks = blocks_of(training)
    _, moments, carried = start(training, blocks)
    built = construct(carried, moments, recipe(momentum="nesterov"))
    again = start(training, blocks)[2]
    again.carry(built.layers, training[0].geometry.norm_weights, more_to_come=True)
    np.testing.assert_array_equal(again.moments(), carried.moments())


def test_a_block_knows_how_much_memory_it_takes(training):
    block = blocks_of(training)[2]
    least = block.tiles.X.nbytes + block.tiles.sample_weight.nbytes + block.M.nbytes
    assert least < sys.getsizeof(block) < least + 20_000  # Dask asks it before it moves a block, or writes it to disk


def test_tasks_change_none_of_their_arguments(training):
    blocks = blocks_of(training)
    _, moments, carried = start(training, blocks)
    layer = construct(carried, moments, recipe(n_layers=1)).layers[0]
    weights, block = training[0].geometry.norm_weights, blocks[2]
    before = pickle.dumps(block)
    once = after_layer(block, layer, weights, False)
    twice = after_layer(pickle.loads(before), layer, weights, False)
    further = carried_on(once, block, 0.5, weights)
    assert pickle.dumps(block) == before
    np.testing.assert_array_equal(once.tiles.X, twice.tiles.X)
    np.testing.assert_array_equal(once.moments(), twice.moments())
    assert not np.array_equal(further.tiles.X, once.tiles.X)
    assert after_layer(None, layer, weights, False) is None
