"""An estimator that a module became is one like any other: the same guarantee, the same files, whatever was trained."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from redunet import ReduNetClassifier, load
from redunet.inputs.errors import InputError, InputTypeError
from tests.reference.shifts import all_shifts

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'redunet[torch]'")

from redunet.torch import estimator_of, module_of  # noqa: E402
from redunet.torch.mirrored_frequencies import MirroredFrequencies, mirror_images  # noqa: E402

from .fitted_models import CODES, RECIPES, SIGNALS, VECTORS, fitted  # noqa: E402
from .test_modules import as_estimators_take_them  # noqa: E402

# One of every geometry, lift and measure; all of them would take long.
TRAINED = (
    *("signals softmax", "odd signals subspace", "signals code", "signals relu", "vectors regression", "wide softmax"),
    *("pictures softmax", "odd pictures code", "pictures subspace", "pictures relu", "volumes subspace"),
    *("images, pool 2", "several sizes", "padded", "lift and layers", "published", "nesterov", "two answers"),
    *("class offsets", "stored moments", "stored single", "nearest of pictures", "features of pictures"),
    *("features in single precision", "unequal lengths", "threshold none", "affine number"),
)
# With a margin of zeros it is moves within the margin that change nothing.
OTHERS = ("vectors", "wide", "stored moments", "affine", "unequal", "padded")
CYCLIC = [name for name in TRAINED if not name.startswith(OTHERS)]


def said(model, samples):
    given = as_estimators_take_them(samples)
    return model.predict_proba(given) if hasattr(model, "predict_proba") else model.transform(given)


def shaken(name, size=0.3, seed=0):
    """A module with noise in every parameter, which may have any size beside the parameter."""
    module = module_of(fitted(name)[0])
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            noise = torch.randn(parameter.shape, generator=draw, dtype=parameter.dtype)
            parameter += size * (parameter.abs().mean() + 0.1) * noise
    return module


def trained(name, n_steps=3, rate=0.1):
    """A module after steps of Adam at a large rate, towards targets without any meaning."""
    model, samples = fitted(name)
    module = module_of(model)
    optimiser = torch.optim.Adam(module.parameters(), lr=rate)
    draw = torch.Generator().manual_seed(1)
    for _ in range(n_steps):
        optimiser.zero_grad()
        out = module(samples)
        out = torch.where(torch.isfinite(out), out, 0.0)
        (out * torch.randn(out.shape, generator=draw, dtype=out.dtype)).sum().backward()
        optimiser.step()
    return module


def arrays_of(record):
    """Every array of a record, and of records in it, by name."""
    if isinstance(record, np.ndarray):
        return {"": record}
    if isinstance(record, (tuple, list)):
        parts = {str(i): one for i, one in enumerate(record)}
    elif hasattr(record, "__dataclass_fields__"):
        parts = {field.name: getattr(record, field.name) for field in fields(record)}
    else:
        return {}
    return {f"{name}.{inner}": array for name, part in parts.items() for inner, array in arrays_of(part).items()}


def records_of(model):
    """Network and answers of a model."""
    found = {"network": model.network_, "layers": list(model.network_.layers)}
    if hasattr(model, "answers_"):
        found |= {"answers": model.answers_, "further": model.further_answers_}
    return {f"{name}.{inner}": array for name, one in found.items() for inner, array in arrays_of(one).items()}


@pytest.mark.parametrize("name", RECIPES)
def test_the_estimator_of_the_module_of_a_model_is_the_model(name):
    model, samples = fitted(name)
    again = estimator_of(module_of(model))
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    tolerance = 1e-10 if model.network_.dtype == np.float64 else 1e-5
    assert_allclose(said(again, samples), said(model, samples), atol=tolerance)
    if hasattr(model, "predict"):
        given = as_estimators_take_them(samples)
        assert_array_equal(again.predict(given), model.predict(given))
        assert_allclose(again.distances(given), model.distances(given), atol=max(tolerance, 1e-9))  # of rounded numbers
        assert again.loo_score_ == model.loo_score_ or np.isnan(model.loo_score_)


@pytest.mark.parametrize("name", TRAINED)
def test_arrays_of_the_estimator_have_the_shapes_and_types_of_those_of_the_model(name):
    model = fitted(name)[0]
    before, after = records_of(model), records_of(estimator_of(shaken(name)))
    assert before.keys() == after.keys()
    for key, array in after.items():
        assert (array.shape, array.dtype) == (before[key].shape, before[key].dtype), key
        assert array.flags.c_contiguous or not before[key].flags.c_contiguous, key


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("change", [shaken, trained])
def test_the_estimator_gives_what_the_trained_module_gives(name, change):
    module = change(name)
    model, samples = estimator_of(module), fitted(name)[1]
    with torch.no_grad():
        out = module(samples)
        found = (out.exp() if hasattr(model, "predict") else out).numpy()
    # Rounded distances are multiplied by the sharpness.
    tolerance = 1e-7 * max(1.0, getattr(model, "_sharpness", 0.0))
    if model.network_.dtype == np.float32:
        tolerance = max(1e3 * tolerance, 1e-4)
    assert_allclose(said(model, samples), found, atol=tolerance)
    start = said(fitted(name)[0], samples)
    assert np.abs(found - start).max() > 1e-3  # something was changed


@pytest.mark.parametrize("name", CYCLIC)
@pytest.mark.parametrize("change", [shaken, trained])
def test_whatever_was_trained_answers_are_the_same_bits_at_every_shift(name, change):
    model, samples = estimator_of(change(name)), fitted(name)[1]
    shaped = samples.reshape(len(samples), *model.sample_shape_)[:2]
    for sample in shaped:
        every = all_shifts(sample)
        if hasattr(model, "predict_proba"):
            answers = model.predict_proba(every)
            assert_array_equal(answers, np.broadcast_to(answers[:1], answers.shape))
        else:  # features of a shifted sample are the shifted features
            expected = all_shifts(model.transform(sample[None])[0])
            assert_allclose(model.transform(every), expected, atol=1e-8 if every.dtype == np.float64 else 1e-4)


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("change", [shaken, trained])
def test_whatever_was_trained_operators_are_those_of_real_kernels(name, change):
    model = estimator_of(change(name))
    network, mirror = model.network_, mirror_images(model.network_.geometry.grid)
    stored = np.flatnonzero(mirror >= 0)
    for i, layer in enumerate(network.layers):
        for operators in (layer.expansion[None], layer.compression):
            assert_array_equal(operators, operators.conj().swapaxes(-1, -2))
            assert_array_equal(operators[:, mirror[stored]], operators[:, stored].conj())
        if network.geometry.grid:  # the spectrum of the kernels is the operators again: nothing of them was lost
            axes = tuple(range(-len(network.geometry.grid), 0))
            spectrum = np.fft.rfftn(network.kernels(i).expansion, axes=axes)
            found = np.moveaxis(spectrum.reshape(*spectrum.shape[:2], -1), -1, 0)
            assert_allclose(found, layer.expansion, atol=1e-5 * np.abs(layer.expansion).max())


@pytest.mark.parametrize("name", ["pictures subspace", "odd signals subspace", "volumes subspace", "images, pool 2"])
def test_whatever_was_trained_subspaces_have_orthonormal_bases_and_real_projections(name):
    model = estimator_of(shaken(name))
    mirror = mirror_images(model.network_.geometry.grid)
    stored = np.flatnonzero(mirror >= 0)
    for bases in (model.answers_.bases, *(one.measure.bases for one in model.network_.layers)):
        gram = bases.conj().swapaxes(-1, -2) @ bases
        directions = np.diagonal(gram, axis1=-2, axis2=-1).real
        assert_allclose(np.minimum(np.abs(directions), np.abs(directions - 1)), 0, atol=1e-12)
        assert_allclose(gram, directions[..., None] * np.eye(bases.shape[-1]), atol=1e-12)
        projections = bases @ bases.conj().swapaxes(-1, -2)
        assert_array_equal(projections[:, mirror[stored]], projections[:, stored].conj())


def test_a_class_of_few_directions_gets_no_more_of_them_by_training():
    before, after = fitted("few directions")[0], estimator_of(shaken("few directions"))
    directions = before.answers_.bases.any(axis=2)
    assert not directions.all()
    assert_array_equal(after.answers_.bases.any(axis=2), directions)


@pytest.mark.parametrize("name", TRAINED)
def test_whatever_was_trained_the_estimator_is_stored_and_read_to_the_same_bits(name, tmp_path):
    model, samples = estimator_of(shaken(name)), fitted(name)[1]
    model.save(tmp_path / "model.redunet")
    assert_array_equal(said(load(tmp_path / "model.redunet"), samples), said(model, samples))


@given(st.sampled_from(["pictures softmax", "signals code", "images, pool 2"]), st.floats(0.01, 3), st.integers(0, 99))
def test_no_noise_leaves_the_invariant_networks(name, size, seed):
    model, samples = estimator_of(shaken(name, size, seed)), fitted(name)[1]
    every = all_shifts(samples[0].reshape(model.sample_shape_))
    answers = model.predict_proba(every)
    assert_array_equal(answers, np.broadcast_to(answers[:1], answers.shape))
    for layer in model.network_.layers:
        assert_array_equal(layer.compression, layer.compression.conj().swapaxes(-1, -2))


@pytest.mark.parametrize("name", ["lift and layers", "pictures code", "two answers", "vectors softmax"])
def test_a_trained_estimator_explains_and_reports(name, tmp_path):
    model, samples = estimator_of(trained(name)), fitted(name)[1]
    explanation = model.explain(samples[:3])
    assert np.isfinite(explanation.difference).all()
    model.report(tmp_path / "page.html", samples, model.predict(samples))
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_a_module_in_single_precision_becomes_an_estimator_in_the_types_of_the_model():
    model, samples = fitted("lift and layers")
    again = estimator_of(module_of(model).to(dtype=torch.float32))
    assert again.answers_.bases.dtype == model.answers_.bases.dtype == np.complex128
    assert_allclose(again.predict_proba(samples), model.predict_proba(samples), atol=1e-4)
    assert again.loo_score_ == model.loo_score_  # rounding is no training


def test_what_left_out_samples_said_is_not_said_of_what_was_trained():
    model = ReduNetClassifier("shift", n_layers="auto").fit(SIGNALS, CODES)
    model.depth_scores_ = np.array([0.9, 1.0])
    module = module_of(model)
    assert estimator_of(module).loo_score_ == model.loo_score_
    with torch.no_grad():
        module.answer.measure.bases[0] += 0.01
    after = estimator_of(module)
    assert np.isnan(after.loo_score_)
    assert after.depth_scores_ is None
    assert model.depth_scores_ is not None


def test_a_model_of_moments_keeps_none_and_refuses_more_samples():
    model = fitted("stored moments")[0]
    after = estimator_of(module_of(model))
    assert after.moments_ is None
    assert after.added_files_ == ()
    assert_array_equal(after.classes_, model.classes_)
    assert model.moments_ is not None
    with pytest.raises(InputError, match="or trained further, and keeps no moments"):
        after.partial_fit(VECTORS[:2], ["sine", "square"])


def test_the_lift_of_the_estimator_is_that_of_its_network():
    after = estimator_of(shaken("lift and layers"))
    assert after.lift_.bank_ is after.network_.lift
    for one, other in zip(after.lift_.filters_, after.network_.lift.filters, strict=True):
        assert_array_equal(one, other)
    assert after.lift_.level_ == after.network_.lift.level
    assert after.lift_.level_ != fitted("lift and layers")[0].lift_.level_


def test_a_soft_threshold_never_shrinks_by_less_than_nothing():
    model, samples = fitted("images, pool 2")
    module = module_of(model)
    with torch.no_grad():
        module.lift.level.fill_(-0.5)
        found = module(samples).exp().numpy()
    after = estimator_of(module)
    assert after.lift_.level_ == 0.0
    assert_allclose(after.predict_proba(samples), found, atol=1e-6)


def test_offsets_of_classes_that_are_trained_are_kept():
    module = module_of(fitted("signals subspace")[0])
    assert estimator_of(module)._class_offsets is None
    with torch.no_grad():
        module.calibration.offsets[1] = 0.25
    assert_array_equal(estimator_of(module)._class_offsets, [0.0, 0.25, 0.0])


def test_what_no_estimator_could_compute_with_is_refused():
    module = module_of(fitted("signals softmax")[0])
    with torch.no_grad():
        module.layers[1].expansion.raw[0, 0, 0, 0, 0] = float("nan")
    with pytest.raises(InputError, match=r"the parameter layers\.1\.expansion\.raw of the module holds NaN"):
        estimator_of(module)
    with pytest.raises(InputTypeError, match=r"estimator_of takes a module that .* made, got Linear"):
        estimator_of(torch.nn.Linear(2, 2))


# --- frequencies and their mirror images ----------------------------------------------------------------------------


@pytest.mark.parametrize("grid", [(), (1,), (2,), (5,), (6,), (4, 6), (3, 4), (4, 5), (2, 2), (4, 3, 4), (3, 2, 1)])
def test_what_is_held_is_the_spectrum_of_a_real_array_and_every_one_can_be_held(grid):
    frequencies = MirroredFrequencies(grid)
    rng = np.random.default_rng(0)
    axes = tuple(range(1, 1 + len(grid)))

    def spectrum_of(samples):
        if not grid:
            return samples[None]
        return np.moveaxis(np.fft.rfftn(samples, axes=axes).reshape(len(samples), -1), -1, 0)

    real = spectrum_of(rng.standard_normal((3, *grid)))
    held = frequencies.raw(real)
    assert_allclose(frequencies.spectrum(held).numpy(), real, atol=1e-12)
    assert_allclose(frequencies.spectrum_of_held(real[frequencies.held]), real, atol=1e-12)
    # Any numbers are held as something whose inverse transform is real, and is all of it.
    anything = frequencies.spectrum(torch.randn(held.shape, dtype=torch.float64)).numpy()
    if grid:
        shaped = np.moveaxis(anything, 0, -1).reshape(3, *grid[:-1], grid[-1] // 2 + 1)
        assert_allclose(spectrum_of(np.fft.irfftn(shaped, s=grid, axes=axes)), anything, atol=1e-12)
