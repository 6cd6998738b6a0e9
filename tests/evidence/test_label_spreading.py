"""Labels that spread to neighbours."""

import numpy as np
from numpy.testing import assert_allclose

from redunet.evidence import label_spreading
from redunet.evidence.label_spreading import SHARE_PASSED_ON, neighbour_graph, spread_labels
from redunet.network.geometry import Geometry


def signals(n_samples=40, seed=0):
    """Noisy pulses of two shapes at random places, and which shape each has."""
    rng = np.random.default_rng(seed)
    shapes = np.zeros((2, 1, 24))
    shapes[0, 0, :6], shapes[1, 0, :12:2] = 1, 1
    codes = np.arange(n_samples) % 2
    moved = np.array([np.roll(shapes[j], rng.integers(24), axis=-1) for j in codes])
    return moved + 0.1 * rng.standard_normal(moved.shape), codes


def test_labels_reach_all_samples_of_a_shape_from_one_of_each():
    samples, codes = signals()
    geometry = Geometry((1, 24))
    known = np.where(np.arange(len(codes)) < 2, codes, -1)
    shares = spread_labels(neighbour_graph(geometry.blocks(samples), geometry, 5), known, 2)
    assert_allclose(shares.sum(axis=1), 1)
    assert (shares.argmax(axis=1) == codes).all()


def test_spreading_ends_where_the_linear_system_says():
    samples, codes = signals(12)
    geometry = Geometry((1, 24))
    graph = neighbour_graph(geometry.blocks(samples), geometry, 3).toarray()
    assert_allclose(graph, graph.T)
    known = np.where(np.arange(len(codes)) < 4, codes, -1)
    labels = (known[:, None] == np.arange(2)).astype(float)
    root = 1 / np.sqrt(graph.sum(axis=1))
    step = root[:, None] * graph * root
    arrived = np.linalg.solve(np.eye(len(step)) - SHARE_PASSED_ON * step, labels)
    arrived /= arrived.sum(axis=0)
    slow = arrived / arrived.sum(axis=1, keepdims=True)
    fast = spread_labels(neighbour_graph(geometry.blocks(samples), geometry, 3), known, 2)
    assert_allclose(fast, slow, atol=0.02)


def test_samples_that_nothing_reaches_are_of_no_class():
    graph = neighbour_graph(np.eye(4)[None][:, :, [0, 0, 1, 1]], Geometry((4,)), 1)
    shares = spread_labels(graph, np.array([0, -1, -1, -1]), 2)
    assert_allclose(shares[2:], 0.5)
    assert_allclose(shares[1], [1, 0])


def test_tiles_of_samples_do_not_matter(monkeypatch):
    samples, _ = signals()
    geometry = Geometry((1, 24))
    whole = neighbour_graph(geometry.blocks(samples), geometry).toarray()
    monkeypatch.setattr(label_spreading, "SAMPLES_PER_TILE", 7)
    assert_allclose(neighbour_graph(geometry.blocks(samples), geometry).toarray(), whole, atol=1e-5)
