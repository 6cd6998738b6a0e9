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


def test_a_signal_lies_on_a_ground_of_its_shares():
    signal, shares = np.sin(np.arange(20.0)), np.linspace(-1, 2, 20)
    ax = plot.signal_shares(signal, shares[None])
    assert_allclose(ax.lines[0].get_ydata(), signal)
    ground = ax.images[0]
    assert_allclose(ground.get_array()[0], shares)
    assert ground.get_clim() == (-2, 2)  # white is no share
    assert ground.get_extent()[:2] == [-0.5, 19.5]
    with pytest.raises(ValueError, match="pass one channel"):
        plot.signal_shares(signal, np.ones((2, 20)))


def test_shares_of_an_image_are_the_stronger_the_less_shines_through():
    image, shares = np.eye(4), np.zeros((1, 4, 4))
    shares[0, 1, 2], shares[0, 3, 0] = 0.5, -0.125
    ax = plot.image_shares(image, shares)
    assert_allclose(ax.images[0].get_array(), image)
    assert_allclose(ax.images[1].get_array(), shares[0])
    opacity = ax.images[1].get_alpha()
    assert opacity[0, 0] == 0
    assert_allclose(opacity[3, 0], opacity[1, 2] / 2)
    with pytest.raises(ValueError, match="pass one channel"):
        plot.image_shares(image, np.ones((3, 4)))


def test_bars_of_features_have_the_largest_on_top_and_the_rest_together():
    ax = plot.feature_shares(["a", "b", "c", "d"], np.array([0.1, -3.0, 2.0, 0.2]), most=2)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "c", "2 others"]
    assert_allclose([bar.get_width() for bar in ax.patches], [-3.0, 2.0, 0.3])
    colours = [bar.get_facecolor() for bar in ax.patches]
    assert colours[1] == colours[2] != colours[0]
    assert ax.yaxis_inverted()
    with pytest.raises(ValueError, match="one name for each share"):
        plot.feature_shares(["a"], np.ones(2))
