"""Moments on their way through layers are the moments of samples that layers carry by their true class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet.measures.class_moments import ClassMoments
from redunet.network.carried_moments import CarriedMoments
from redunet.network.construct import construct
from redunet.network.geometry import Geometry
from redunet.network.network import Network
from redunet.network.recipe import Recipe
from redunet.numerics.moments import class_moments

GEOMETRIES = [Geometry((4,), offset=1.0), Geometry((3, 8)), Geometry((2, 4, 3)), Geometry((2, 7), unitary=True)]
BOUNDS = np.array([0, 12, 30])


def recipe(**options):
    usual = {"n_layers": 5, "eps": 0.5, "step_size": 0.1, "sharpness": 20.0, "relative_residual": True, "tol": None}
    return Recipe(**usual | {"momentum": 0.0} | options)


def entered(geometry, seed=0):
    """Blocks of 30 samples of two classes, their weights, and the moments of the classes."""
    rng = np.random.default_rng(seed)
    codes, weights = np.repeat([0, 1], [12, 18]), rng.uniform(0.5, 2.0, 30)
    shape = geometry.sample_shape
    V = geometry.blocks(rng.standard_normal((2, *shape))[codes] + rng.standard_normal((30, *shape)))
    space = Network(geometry, (), np.dtype(np.float64)).space
    M = class_moments(V, BOUNDS, weights)
    return V, codes, weights, ClassMoments(M, np.bincount(codes, weights), space)


def carried_by_hand(V, codes, weights, layers, norm_weights):
    """Each sample through each layer by the operators of its own class, then scaled by its class as a whole."""
    features, before = V.astype(complex), V.astype(complex)

    def on_sphere(F):
        for j in range(2):
            mine = codes == j
            energy = np.einsum("p,pci,i->", norm_weights, np.abs(F[:, :, mine]) ** 2, weights[mine])
            F[:, :, mine] *= np.sqrt(weights[mine].sum() / energy)
        return F

    for layer in layers:
        start = features
        if layer.momentum:
            start = on_sphere(features + layer.momentum * (features - before))
        after = np.empty_like(features)
        for j in range(2):
            mine = codes == j
            F = start[:, :, mine]
            pull = layer.class_share[j] * (layer.compression[j] @ F)
            after[:, :, mine] = F + layer.step_size * (layer.expansion @ F - pull)
        features, before = on_sphere(after), features
    return features


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
@pytest.mark.parametrize(
    "options", [{}, {"step_size": None, "n_layers": 8}, {"momentum": 0.6}, {"momentum": "nesterov"}]
)
def test_they_are_the_moments_of_samples_that_are_carried_by_their_class(geometry, options):
    V, codes, weights, moments = entered(geometry)
    built = construct(CarriedMoments(moments), moments, recipe(**options))
    assert built.layers
    features = carried_by_hand(V, codes, weights, built.layers, geometry.norm_weights)
    if not geometry.grid:
        features = features.real
    assert_allclose(built.moments.M, class_moments(features, BOUNDS, weights), atol=1e-9)


def test_every_class_has_the_mean_square_norm_1_after_each_layer():
    *_, moments = entered(GEOMETRIES[1])
    built = construct(CarriedMoments(moments), moments, recipe())
    energy = np.einsum("p,jpcc->j", moments.space.norm_weights, built.moments.M).real
    assert_allclose(energy, moments.class_weight)


def test_the_automatic_step_never_lowers_the_rate_reduction():
    *_, moments = entered(GEOMETRIES[1])
    built = construct(CarriedMoments(moments), moments, recipe(step_size=None, n_layers=20, tol=1e-4))
    assert len(built.layers) > 3
    assert (np.diff(built.history.rate_reduction) >= 0).all()


@pytest.mark.parametrize("options", [{}, {"momentum": 0.5}, {"step_size": None}])
def test_carrying_through_layers_that_are_there_ends_where_building_them_ended(options):
    *_, moments = entered(GEOMETRIES[1])
    built = construct(CarriedMoments(moments), moments, recipe(**options))
    again = CarriedMoments(moments)
    again.carry(built.layers, moments.space.norm_weights)
    assert_allclose(again.moments(), built.moments.M, atol=1e-12)


def test_what_is_stored_is_enough_to_go_on():
    *_, moments = entered(GEOMETRIES[1])
    built = construct(CarriedMoments(moments), moments, recipe(momentum=0.5))
    restored = CarriedMoments(moments)
    restored.restore(built.carrier.state())
    assert_allclose(restored.moments(), built.moments.M, atol=1e-12)
    assert_array_equal(
        restored.extrapolate(0.5, moments.space.norm_weights),
        built.carrier.extrapolate(0.5, moments.space.norm_weights),
    )
    with pytest.raises(ValueError, match="another shape"):
        restored.restore({name: array[:1] for name, array in built.carrier.state().items()})
