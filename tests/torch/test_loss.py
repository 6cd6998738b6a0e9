"""The loss is minus the rate reduction on the sphere, and training with it makes classes orthogonal."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redunet
from redunet.inputs.errors import InputError, InputTypeError, RowError

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'redunet[torch]'")
from redunet.torch import RateReductionLoss, rate_reduction  # noqa: E402 - needs PyTorch


def batch(shape=(30, 5), seed=0):
    rng = np.random.default_rng(seed)
    Z = torch.as_tensor(3 * rng.standard_normal(shape))
    return Z, torch.as_tensor(rng.integers(0, 3, shape[0]))


def on_sphere(Z):
    """Samples of norm 1."""
    flat = Z.reshape(len(Z), -1)
    return (flat / np.linalg.norm(flat, axis=1, keepdims=True)).reshape(Z.shape)


@pytest.mark.parametrize(
    ("invariance", "shape"), [(None, (30, 5)), (None, (6, 20)), ("shift", (9, 3, 8)), ("translation", (9, 2, 4, 5))]
)
def test_the_loss_is_minus_the_rate_reduction_on_the_sphere(invariance, shape):
    Z, y = batch(shape)
    options = {"eps": 0.5, "invariance": invariance}
    loss = RateReductionLoss(**options)
    value = loss(Z, y)
    assert value.shape == ()
    sphere = on_sphere(Z.numpy())
    assert_allclose(value, -redunet.rate_reduction(sphere, y, **options), rtol=1e-12, atol=1e-10)
    assert_allclose(loss.last_coding_rate, redunet.coding_rate(sphere, **options), rtol=1e-12)
    assert_allclose(loss.last_class_coding_rate, redunet.class_coding_rate(sphere, y, **options), rtol=1e-12)


def test_the_length_of_features_does_not_matter_on_the_sphere_and_does_otherwise():
    Z, y = batch()
    lengths = torch.linspace(1e-6, 1e6, len(Z))[:, None]
    torch.testing.assert_close(RateReductionLoss()(lengths * Z, y), RateReductionLoss()(Z, y))
    as_they_are = RateReductionLoss(normalise=False)(Z, y)
    torch.testing.assert_close(as_they_are, -rate_reduction(Z, y, 0.5))
    assert as_they_are < RateReductionLoss()(Z, y) - 0.1


def test_maps_may_be_shifted_one_by_one_and_only_with_an_invariance():
    Z, y = batch((20, 3, 8))
    shifted = torch.stack([one.roll(i % 8, dims=-1) for i, one in enumerate(Z)])
    loss = RateReductionLoss(invariance="shift")
    torch.testing.assert_close(loss(shifted, y), loss(Z, y), rtol=1e-12, atol=1e-12)
    flat = RateReductionLoss()
    assert (flat(shifted.flatten(1), y) - flat(Z.flatten(1), y)).abs() > 0.1


def test_every_option_enters_the_loss_as_its_name_says():
    Z, y = batch((20, 3, 8))
    sphere = on_sphere(Z.numpy())
    plain = {"invariance": "shift", "convention": "published"}
    loss = RateReductionLoss(
        0.3, **plain, sample_shape=(3, 8), expansion_weight=2.0, compression_weight=0.7, expansion_eps=0.6
    )
    weights = np.random.default_rng(0).uniform(size=20)
    R = redunet.coding_rate(sphere, eps=0.6, sample_weight=weights, **plain)
    R_c = redunet.class_coding_rate(sphere, y, eps=0.3, sample_weight=weights, **plain)
    value = loss(Z.reshape(20, -1), y, sample_weight=torch.as_tensor(weights))
    assert_allclose(value, 0.7 * R_c - 2.0 * R, rtol=1e-12)
    assert_allclose([loss.last_coding_rate, loss.last_class_coding_rate], [R, R_c], rtol=1e-12)


def test_gradients_of_the_loss_pass_the_check_of_pytorch():
    for shape, invariance in (((8, 4), None), ((4, 7), None), ((5, 2, 4), "shift")):
        Z, y = batch(shape)
        loss = RateReductionLoss(0.5, invariance=invariance, expansion_weight=1.5)
        assert torch.autograd.gradcheck(lambda Z, loss=loss, y=y: loss(Z, y), Z.requires_grad_())


def test_a_feature_of_zeros_has_gradient_0_and_leaves_the_others_theirs():
    Z, y = batch()
    Z[4] = 0
    Z.requires_grad_()
    RateReductionLoss()(Z, y).backward()
    assert not Z.grad[4].any()
    others = Z.grad[torch.arange(30) != 4]
    assert torch.isfinite(others).all()
    assert others.any(dim=1).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_features_of_any_length_have_gradients_that_their_precision_holds(dtype):
    smallest = torch.finfo(dtype).smallest_normal
    for length in (0.0, 5e-8, smallest / 2, smallest, 2 * smallest, 1e-29, 1e-5, 1.0, 6e4):
        Z = torch.randn(6, 4, generator=torch.Generator().manual_seed(0)).to(dtype)
        Z[0] = torch.tensor([length, 0, 0, 0])
        Z.requires_grad_()
        value = RateReductionLoss(0.1)(Z, torch.tensor([0, 0, 0, 1, 1, 1]))
        value.backward()
        assert torch.isfinite(value)
        assert torch.isfinite(Z.grad).all(), length


def test_training_makes_classes_orthogonal():
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(60) % 3
    # Three classes that are near each other: one direction, a little of their own, and less noise.
    X = torch.ones(60, 12) + 0.3 * torch.eye(12)[y] + 0.01 * torch.randn(60, 12, generator=generator)
    layer = torch.nn.Linear(12, 6)
    torch.nn.init.normal_(layer.weight, generator=generator)
    torch.nn.init.zeros_(layer.bias)
    loss, optimiser = RateReductionLoss(0.5), torch.optim.Adam(layer.parameters(), lr=0.02)

    def mean_cosine_across_classes():
        features = torch.nn.functional.normalize(layer(X).detach(), dim=1)
        return (features @ features.T).abs()[y[:, None] != y].mean()

    assert mean_cosine_across_classes() > 0.9
    values = []
    for _ in range(300):
        optimiser.zero_grad()
        values.append(loss(layer(X), y))
        values[-1].backward()
        optimiser.step()
    assert values[-1] < values[0] - 1
    assert mean_cosine_across_classes() < 0.1


def test_values_for_a_log_hold_no_graph_and_survive_a_copy():
    Z, y = batch()
    loss = RateReductionLoss()
    assert loss.last_coding_rate is None
    value = loss(Z.requires_grad_(), y)
    assert not loss.last_coding_rate.requires_grad
    torch.testing.assert_close(loss.last_class_coding_rate - loss.last_coding_rate, value.detach())
    for again in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss))):
        assert again(Z, y) == value
    assert not loss.state_dict()


def test_a_loss_shows_its_options():
    assert repr(RateReductionLoss()) == "RateReductionLoss(eps=0.5)"
    loss = RateReductionLoss(0.1, invariance="shift", expansion_weight=2)
    assert repr(loss) == "RateReductionLoss(eps=0.1, invariance='shift', expansion_weight=2)"


def test_errors_name_features_and_labels():
    Z, y = batch()
    loss = RateReductionLoss()
    with pytest.raises(InputError, match="features has 30 samples but labels has 29 rows"):
        loss(Z, y[:-1])
    with pytest.raises(RowError, match=r"features has NaN or infinity in 1 of its 30 samples \(first: row 7\)"):
        loss(torch.where(torch.arange(30)[:, None] == 7, float("nan"), Z), y)
    with pytest.raises(RowError, match="labels must be >= 0, got -1 in row 0"):
        loss(Z, y - y[0] - 1)
    with pytest.raises(RowError, match="labels holds memberships, which must sum to 1"):
        loss(Z, torch.ones(30, 3))
    with pytest.raises(InputError, match="features has samples of shape"):
        loss(Z[:, None], y)
    with pytest.raises(InputTypeError, match="features must be a tensor"):
        loss(Z.numpy(), y)


def test_options_that_cannot_be_used_are_refused_when_the_loss_is_made():
    for name, value in (
        ("eps", 0),
        ("eps", "0.5"),
        ("invariance", "rotation"),
        ("convention", "unitary"),
        ("sample_shape", (0, 3)),
        ("normalise", "yes"),
        ("expansion_weight", -1),
        ("compression_weight", float("nan")),
        ("expansion_eps", 0),
    ):
        with pytest.raises((InputError, InputTypeError), match=name):
            RateReductionLoss(**{name: value})
