"""The small language for graphs: what is written is what is computed, and nothing twice."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet.inputs.errors import InputError
from redunet.onnx import graph_builder
from redunet.onnx.graph_builder import Graph

from .computed_graph import computed

X = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda x: x + 1.5 - x * 0.5 / 2.0, X / 1.0 + 1.5 - X / 4),
        (lambda x: 1.0 - x, 1 - X),
        (lambda x: x @ X.T, X @ X.T),
        (lambda x: X.T @ x, X.T @ X),
        (lambda x: (x > 0.0).where(x, -1.0), np.where(X > 0, X, -1)),
        (lambda x: (x > 0.0).where(2.0, x.abs().sqrt()), np.where(X > 0, 2, np.sqrt(np.abs(X)))),
        (lambda x: x.sum(0), X.sum(0)),
        (lambda x: x.max(1, keepdims=True), X.max(1, keepdims=True)),
        (lambda x: x.sum_of_squares(0, 1), np.square(X).sum()),
        (lambda x: x.transpose(1, 0).reshape(2, -1), X.T.reshape(2, -1)),
        (lambda x: x.slice(1, -2), X[:, -2:]),
        (lambda x: x.slice(1, 1, 3), X[:, 1:3]),
        (lambda x: x.take([2, 0], axis=0), X[[2, 0]]),
        (lambda x: x.unsqueeze(0, -1), X[None, ..., None]),
        (lambda x: x.at_least(0.0).at_most(1.0), np.clip(X, 0, 1)),
        (lambda x: -x.relu(), -np.maximum(X, 0)),
        (lambda x: x.join(x * 2.0, axis=1), np.concatenate([X, 2 * X], axis=1)),
    ],
)
def test_tensors_compute_what_arrays_would(build, expected):
    assert_allclose(computed(build, X), expected, rtol=1e-6)


def test_whole_numbers_and_bits_compute_what_arrays_would():
    n = np.arange(-6, 7)
    assert_array_equal(computed(lambda x: x % 4, n), n % 4)
    words = np.arange(8, dtype=np.int32)
    assert_array_equal(computed(lambda x: (x & 5) | ~x, words), (words & 5) | ~words)


def test_a_constant_and_a_node_are_in_a_graph_once():
    graph = Graph(np.float32)
    x = graph.input("x", (3,))
    ones = [graph.constant(np.ones(3)), graph.constant(np.ones(3)), graph.constant([1.0, 1.0, 1.0])]
    assert len({one.name for one in ones}) == 1
    assert len(graph.constants) == 1
    assert (x + np.ones(3)).name == (x + 1.0 * np.ones(3)).name
    assert len(graph.nodes) == 1
    assert (x + np.zeros(3)).name != (x + np.ones(3)).name
    # the same bytes, but another type or shape, are another constant
    before = len(graph.constants)
    graph.constant(np.ones(3, np.int32), np.int32)
    graph.constant(np.ones((3, 1)))
    assert len(graph.constants) == before + 2


def test_a_loop_carries_and_collects():
    def powers(x):
        def one_round(inside, number, value):
            return [value * 2.0], [value + number.cast(np.float32)]

        last, collected = x.graph.loop(3, one_round, x)
        return collected.join(last.unsqueeze(0), axis=0)

    assert_allclose(computed(powers, X), np.stack([X, 2 * X + 1, 4 * X + 2, 8 * X]), rtol=1e-6)


def test_a_loop_in_a_loop_sees_the_tensors_around_it():
    def build(x):
        doubled = x * 2.0

        def outer(inside, number, value):
            def inner(inmost, _, one):
                return [one + doubled + number.cast(np.float32)], []

            (found,) = inside.loop(2, inner, value)
            return [found], []

        (found,) = x.graph.loop(3, outer, x)
        return found

    assert_allclose(computed(build, X), X + 6 * 2 * X + 2 * (0 + 1 + 2), rtol=1e-5)


def test_what_a_loop_computes_of_outer_tensors_alone_is_computed_outside():
    graph = Graph(np.float32)
    x = graph.input("x", (3,))

    def one_round(inside, number, value):
        return [value + x * 3.0], []

    graph.loop(5, one_round, x)
    assert [node.op_type for node in graph.nodes] == ["Mul", "Loop"]


def test_more_numbers_than_a_file_can_hold_are_refused(monkeypatch):
    monkeypatch.setattr(graph_builder, "LARGEST_GRAPH_BYTES", 1000)
    graph = Graph(np.float64)
    graph.constant(np.arange(100.0))
    graph.constant(np.arange(100.0))  # there already
    with pytest.raises(InputError, match=r"more than 1 kB of numbers.*precision='float32'.*fewer layers"):
        graph.constant(np.arange(26.0))
