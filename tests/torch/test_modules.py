"""A module does what the estimator does that it was made of."""

import io
from copy import copy, deepcopy
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

from redunet import Lift, ReduNet, ReduNetClassifier
from redunet.estimators.further_answer import FurtherAnswer
from redunet.inputs.errors import InputError, InputTypeError
from redunet.lift.thresholds import THRESHOLDS

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'redunet[torch]'")

from redunet.torch import ClassifierModule, FeatureModule, module_of  # noqa: E402
from redunet.torch import circular_correlation as correlation  # noqa: E402
from redunet.torch.measure_twins import MEASURE_TWINS, measure_twin  # noqa: E402
from redunet.torch.sums_in_parts import InnerProducts, SquaredNorms, SumOverClasses  # noqa: E402
from redunet.torch.threshold_twins import THRESHOLD_TWINS  # noqa: E402

from .fitted_models import NOISY, PICTURES, RECIPES, SIGNALS, WAVES, fitted  # noqa: E402

GUESSES = ("softmax", "subspace", "code", "relu")


@pytest.fixture
def unrounded(monkeypatch):
    """Estimators give distances as they are computed, not rounded to nine digits."""
    for place in ("measure", "regression"):
        monkeypatch.setattr(f"redunet.measures.{place}.rounded", lambda distances, kind: distances)


def as_estimators_take_them(samples):
    """Samples of one shape as they are; signals of unequal lengths as a list."""
    return [one[:, ~np.isnan(one[0])] for one in samples] if np.isnan(samples).any() else samples


def precision_of(model):
    """How far a module in double precision may be from an estimator, which may compute in single precision."""
    return 1e-10 if model.network_.dtype == np.float64 else 1e-5


@torch.no_grad()
def assert_same(module, model, samples, tolerance):
    given = as_estimators_take_them(samples)
    if hasattr(model, "predict_proba"):
        expected = model.distances(given)
        size = max(1.0, np.abs(expected[np.isfinite(expected)]).max())
        assert_allclose(module.distances(samples).numpy(), expected, rtol=0, atol=tolerance * size)
        sharp = max(1.0, model._sharpness * size)
        assert_allclose(module(samples).exp().numpy(), model.predict_proba(given), rtol=0, atol=tolerance * sharp)
    else:
        assert_allclose(module(samples).numpy(), model.transform(given), rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", RECIPES)
def test_a_module_gives_what_the_estimator_gives(name, unrounded):
    model, samples = fitted(name)
    assert_same(module_of(model), model, samples, precision_of(model))


@pytest.mark.parametrize("name", RECIPES)
def test_a_module_in_single_precision_gives_what_the_estimator_gives(name, unrounded):
    model, samples = fitted(name)
    module = module_of(model).to(dtype=torch.float32)
    assert {one.dtype for one in module.parameters()} <= {torch.float32}
    assert_same(module, model, samples, 1e-5)


@pytest.mark.parametrize("name", ["pictures softmax", "lift and layers", "wide softmax", "published", "stored images"])
def test_features_and_blocks_are_those_of_the_network(name):
    model, samples = fitted(name)
    module, network = module_of(model), model.network_
    with torch.no_grad():
        features, V = module.features(samples).numpy(), module.blocks(samples).numpy()
    expected = network.features(samples.reshape(len(samples), *model.sample_shape_))
    assert_allclose(features.reshape(expected.shape), expected, atol=1e-10)
    assert V.shape == (*network.block_shape, len(samples))
    if network.span is None:
        assert_allclose(network.geometry.samples(V), expected, atol=1e-10)


@pytest.mark.parametrize("name", ["pictures code", "volumes softmax", "images, pool 2", "several sizes", "two answers"])
def test_a_module_is_invariant_up_to_rounding(name):
    model, samples = fitted(name)
    module, axes = module_of(model), tuple(range(samples.ndim - len(model.sample_shape_) + 1, samples.ndim))
    with torch.no_grad():
        expected = module.distances(samples).numpy()
        for shift in ((1, 2, 1), (3, 1, 2)):
            moved = np.roll(samples, shift[: len(axes)], axis=axes)
            assert_allclose(module.distances(moved).numpy(), expected, atol=1e-9)


def test_flat_samples_and_samples_without_a_channel_axis_are_taken_as_the_estimator_takes_them():
    model, images = fitted("stored images")
    module = module_of(model)
    with torch.no_grad():
        expected = module(images).numpy()
        assert_array_equal(module(images[:, 0]).numpy(), expected)
        assert_array_equal(module(images.reshape(len(images), -1)).numpy(), expected)
    features, signals = fitted("stored features")
    flat = signals.reshape(len(signals), -1)
    with torch.no_grad():
        assert_allclose(module_of(features)(flat).numpy(), features.transform(flat), atol=1e-12)


def test_samples_of_another_shape_are_refused():
    module = module_of(fitted("pictures softmax")[0])
    with pytest.raises(InputError, match=r"X has samples of shape \(3, 4, 6\) but the model was fitted on \(3, 6, 4\)"):
        module(torch.zeros(2, 3, 4, 6))


def test_a_sample_that_no_filter_responds_to_is_equally_far_from_all_classes_by_a_second_answer(unrounded):
    model, signals = fitted("two answers")
    lift = Lift("random", 4, 5, zero_mean=True, random_state=0)
    codes = ReduNetClassifier("shift", lift=lift, n_layers=0, membership="code").fit(NOISY, WAVES)
    model = copy(model)
    model.further_answers_ = (FurtherAnswer(codes.network_, codes.answers_, 0.5),)
    silent = module_of(model).further[0](signals[-1:])
    assert_array_equal(silent.detach().numpy(), [[1.0, 1.0]])
    assert_same(module_of(model), model, signals, 1e-6)


def test_a_module_names_its_parts():
    module = module_of(fitted("two answers")[0])
    assert isinstance(module, ClassifierModule)
    assert not list(module.lift.parameters())  # counts have nothing to train
    assert [name for name, _ in module.further[0].lift.named_parameters()] == ["level", "filters.0"]
    assert {name for name, _ in module.answer.named_parameters()} == {"measure.coefficients", "log_weight"}
    assert {name for name, _ in module.further.named_parameters()} >= {"0.answer.measure.bases", "0.answer.log_weight"}
    assert {name for name, _ in module.calibration.named_parameters()} == {"log_sharpness", "doubt_log_odds", "offsets"}
    layered = module_of(fitted("signals code")[0])
    names = {name for name, _ in layered.layers[0].named_parameters()}
    own = {"measure.log_unit", "measure.offset"}
    assert names == {"log_step_size", "log_sharpness", "expansion.raw", "compression.raw", *own}
    assert "answer.log_weight" not in dict(layered.named_parameters())  # one answer has nothing to be weighed against
    assert isinstance(module_of(fitted("stored features")[0]), FeatureModule)


# --- gradients ----------------------------------------------------------------------------------------------------


def gradients_hold(module, samples, *, to_input=True):
    """Whether gradients to the input and to all parameters that are used are central differences."""
    X = torch.tensor(samples, dtype=torch.float64, requires_grad=to_input)
    names = [name for name, _ in module.named_parameters()]
    start = [parameter.detach().clone().requires_grad_() for parameter in module.parameters()]

    def out(X, *values):
        found = torch.func.functional_call(module, dict(zip(names, values, strict=True)), (X,))
        return found[:, : -1 if found.shape[1] > 2 else None]  # log-probabilities add up: fewer say all

    return torch.autograd.gradcheck(out, (X, *start), atol=1e-6, rtol=1e-4)


def tiny(invariance, membership, shape, **options):
    rng = np.random.default_rng(5)
    codes = np.arange(8) % 2
    samples = rng.standard_normal((2, *shape))[codes] + 0.8 * rng.standard_normal((8, *shape))
    options = {"n_layers": 2, "step_size": 0.2, "tol": None, "rank": 1, "membership": membership} | options
    return ReduNetClassifier(invariance, **options).fit(samples, codes), samples[:2] + 0.3


@pytest.mark.parametrize("membership", [*GUESSES, "regression"])
def test_gradients_of_vectors_are_central_differences(membership):
    model, samples = tiny(None, membership, (3,))
    assert gradients_hold(module_of(model), samples)


@pytest.mark.parametrize("membership", GUESSES)
@pytest.mark.parametrize(("invariance", "shape"), [("shift", (2, 4)), ("translation", (2, 2, 3))])
def test_gradients_with_cyclic_axes_are_central_differences(invariance, shape, membership):
    model, samples = tiny(invariance, membership, shape, momentum=0.5)
    assert gradients_hold(module_of(model), samples)


@pytest.mark.parametrize(
    "options",
    [
        {"threshold": "soft", "pool": 1.5},
        {"threshold": "relu", "quantile": 0.3},
        {"threshold": "none", "pad": 1},
        {"threshold": "soft", "unit_scale": False, "level": 0.1},
        {"kernel_size": (2, 3)},
    ],
    ids=str,
)
def test_gradients_of_a_lift_are_central_differences(options):
    lift = Lift(**{"filters": "random", "n_channels": 3, "kernel_size": 3, "random_state": 0} | options)
    model, samples = tiny("translation", "softmax", (2, 4, 5), lift=lift, n_layers=1)
    assert gradients_hold(module_of(model), samples)


def test_gradients_in_a_span_are_central_differences():
    model, samples = tiny(None, "softmax", (20,), n_layers=1)
    assert model.network_.span is not None
    assert gradients_hold(module_of(model), samples)


def test_gradients_of_pooled_features_reach_all_but_the_input():
    model, samples = fitted("two answers")
    module = module_of(model)
    X = torch.tensor(samples[:3], requires_grad=True)
    module(X)[:, 0].sum().backward()
    assert module.answer.measure.coefficients.grad.abs().sum() > 0
    assert module.further[0].lift.filters[0].grad.abs().sum() > 0
    assert X.grad.abs().sum() > 0  # by the second answer alone


def test_samples_that_lie_in_a_class_or_are_zero_leave_no_nan_in_a_gradient():
    rng = np.random.default_rng(0)
    plane = rng.standard_normal((2, 5))
    samples = np.concatenate([rng.standard_normal((6, 2)) @ plane, rng.standard_normal((6, 5))])
    model = ReduNetClassifier(n_layers=0, rank=2, affine=False, membership="subspace").fit(
        samples, np.repeat([0, 1], 6)
    )
    module = module_of(model)
    X = torch.tensor(np.concatenate([samples, np.zeros((1, 5))]), requires_grad=True)
    distances = module.distances(X)
    assert distances[:6, 0].max() < 1e-7
    (distances.sum() + module(X)[:, 0].sum()).backward()
    for gradient in (X.grad, *(one.grad for one in module.parameters() if one.grad is not None)):
        assert torch.isfinite(gradient).all()


# --- the parts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [SIGNALS, PICTURES[:, :1]])
@pytest.mark.parametrize("sides", [1, 2, 3, 4])
def test_spectra_give_the_correlation_that_convolutions_give(samples, sides):
    X = torch.tensor(samples)
    filters = torch.randn(4, X.shape[1], *[sides] * (X.ndim - 2), dtype=torch.float64)
    by_convolution = correlation.circular_correlation(X, filters)
    assert_allclose(correlation.correlation_of_spectra(X, filters).numpy(), by_convolution.numpy(), atol=1e-12)


def test_both_ways_to_correlate_are_taken_by_some_model():
    sizes = {
        np.prod(filters.shape[2:]) > correlation.CONVOLUTIONS[filters.ndim - 2][1]
        for name in ("several sizes", "large filters", "images lifted by random")
        for filters in fitted(name)[0].lift_.filters_
    }
    assert sizes == {True, False}


@pytest.mark.parametrize("kind", [torch.float64, torch.complex128])
@pytest.mark.parametrize("part_bytes", [1, 10**9])
def test_sums_in_parts_are_the_sums_and_have_their_gradients(kind, part_bytes, monkeypatch):
    monkeypatch.setattr("redunet.torch.sums_in_parts.PART_BYTES", part_bytes)
    P = torch.randn(5, 2, 3, 4, dtype=kind, requires_grad=True)
    V = torch.randn(5, 3, 4, dtype=kind, requires_grad=True)
    shares = torch.rand(2, 4, dtype=torch.float64, requires_grad=True)
    weights = torch.rand(5, dtype=torch.float64)
    cases = {
        SquaredNorms: ((P, weights), torch.einsum("p,pjci->ji", weights, P.abs().square())),
        SumOverClasses: ((P, shares), torch.einsum("ji,pjci->pci", shares.to(kind), P)),
        InnerProducts: ((V, P, weights), torch.einsum("p,pji->ji", weights, (V.conj()[:, None] * P).sum(2).real)),
    }
    for function, (inputs, expected) in cases.items():
        assert_allclose(function.apply(*inputs).detach().numpy(), expected.detach().numpy(), rtol=1e-12)
        assert torch.autograd.gradcheck(function.apply, inputs)
        assert torch.autograd.gradgradcheck(function.apply, inputs)


def test_columns_that_depend_on_each_other_still_give_distances():
    model, samples = fitted("images, pool 2")
    module = module_of(model)
    with torch.no_grad():
        module.answer.measure.bases[:, :, :, 1] = module.answer.measure.bases[:, :, :, 0]
        distances = module.distances(samples)
    assert torch.isfinite(distances).all()
    assert ((distances >= 0) & (distances <= 1)).all()


# --- modules like any other -----------------------------------------------------------------------------------------


def test_a_module_can_be_copied_pickled_and_restored_from_its_state():
    model, samples = fitted("lift and layers")
    module = module_of(model)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.01 * torch.randn_like(parameter)
        expected = module(samples).numpy()
        again = module_of(model)
        again.load_state_dict(module.state_dict())
        file = io.BytesIO()
        torch.save(module, file)
        file.seek(0)
        unpickled = torch.load(file, weights_only=False)
        for other in (again, deepcopy(module), unpickled):
            assert_array_equal(other(samples).numpy(), expected)
    assert deepcopy(module).layers[0].like is module.layers[0].like  # what does not change is shared


def test_a_module_changes_nothing_of_its_estimator():
    model, samples = fitted("signals subspace")
    before = model.predict_proba(samples)
    module = module_of(model)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(1.5)
    assert_array_equal(model.predict_proba(samples), before)


def test_a_module_can_be_made_of_a_model_from_a_file(tmp_path):
    from redunet import load

    model, samples = fitted("pictures softmax")
    model.save(tmp_path / "model.redunet")
    with torch.no_grad():
        found, expected = (module_of(one)(samples).numpy() for one in (load(tmp_path / "model.redunet"), model))
    assert_array_equal(found, expected)


def test_what_is_no_fitted_estimator_is_refused():
    with pytest.raises(InputTypeError, match=r"module_of takes a fitted ReduNetClassifier, .* got PCA"):
        module_of(PCA())
    with pytest.raises(NotFittedError):
        module_of(ReduNet())
    with pytest.raises(InputTypeError, match="the measure 'new' has no PyTorch module"):
        measure_twin(SimpleNamespace(name="new"), None)


def test_every_measure_has_a_twin():
    from redunet.measures.registry import MEASURES

    assert set(MEASURES.values()) == set(MEASURE_TWINS)


def test_every_threshold_has_a_twin():
    assert set(THRESHOLDS) == set(THRESHOLD_TWINS)
