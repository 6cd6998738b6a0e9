"""Figures show what they are given, on the axis they are given."""

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose

from redunet import ReduNet, plot


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture
def net():
    rng = np.random.default_rng(0)
    return ReduNet("shift", n_layers=3).fit(rng.standard_normal((20, 2, 8)), np.arange(20) % 2)


def test_rates_are_the_history_with_units(net):
    ax = plot.rates(net.history_)
    assert_allclose(ax.lines[2].get_ydata(), net.history_.rate_reduction)
    assert "nats" in ax.get_ylabel()
    assert ax.get_xlabel() == "layer"


@pytest.mark.parametrize("dimension", [2, 3])
def test_scatter_has_a_colour_for_each_class(dimension):
    Z = np.random.default_rng(0).standard_normal((30, dimension))
    ax = plot.scatter(Z, np.arange(30) % 3)
    assert len(ax.collections) == 3
    assert len({tuple(points.get_facecolor()[0]) for points in ax.collections}) == 3
    with pytest.raises(ValueError, match="scatter shows 2 or 3"):
        plot.scatter(np.ones((4, 5)), np.arange(4))


def test_similarity_is_sorted_by_class():
    Z = np.eye(4)[[0, 1, 0, 1]]
    ax = plot.similarity(Z, np.array([0, 1, 0, 1]))
    shown = ax.images[0].get_array()
    assert_allclose(shown, np.kron(np.eye(2), np.ones((2, 2))))
    assert len(ax.lines) == 2  # the border between the classes


def test_cosines_are_between_flat_samples():
    Z = np.random.default_rng(0).standard_normal((3, 2, 5))
    flat = Z.reshape(3, -1)
    expected = abs(flat[0] @ flat[1]) / np.linalg.norm(flat[0]) / np.linalg.norm(flat[1])
    assert_allclose(plot.cosines(Z)[0, 1], expected)
    assert_allclose(plot.cosines(Z[:1], Z[1:]), plot.cosines(Z)[:1, 1:])


def test_the_axis_that_is_given_is_drawn_on(net):
    _, axes = plt.subplots(1, 4)
    assert plot.rates(net.history_, axes[0]) is axes[0]
    assert plot.histogram([("a", np.array([0.1, 0.2]))], axes[1]) is axes[1]
    assert plot.signals(np.ones((2, 30)), np.ones((2, 10)), ("a", "b"), axes[2]) is axes[2]
    assert plot.images(np.arange(24.0).reshape(2, 3, 4), axes[3], columns=2) is axes[3]
    sheet = axes[3].images[0].get_array()
    assert_allclose(sheet[:3, :4], np.arange(12).reshape(3, 4))
    assert_allclose(sheet[:3, 5:9], np.arange(12, 24).reshape(3, 4))


def test_kernels_are_those_of_the_layer_with_shift_0_in_the_middle(net):
    shown = plot.kernels(net.network_, 0, which=1).images[0].get_array()
    kernel = net.network_.kernels(0).compression[1]
    assert_allclose(shown[0, 4], kernel[0, 0, 0])
    assert_allclose(shown[1, 8 + 5], kernel[1, 1, 1])
    vectors = ReduNet(n_layers=1).fit(np.random.default_rng(0).standard_normal((9, 3)), np.arange(9) % 2)
    with pytest.raises(ValueError, match="signals and images"):
        plot.kernels(vectors.network_)
