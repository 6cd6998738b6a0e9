"""An exported file does what its model does: every kind of model, in both precisions, in ONNX Runtime."""

import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import redunet
import redunet.onnx
from redunet import Lift, ReduNetClassifier
from redunet.data.images import mnist, pick_digits
from redunet.inputs.errors import WordedError
from redunet.lift.thresholds import THRESHOLDS
from redunet.measures.registry import MEASURES
from redunet.onnx import filter_nodes, measure_nodes

from ..storage.test_zoo import FILES
from .exported_file import ExportedFile
from .kinds_of_models import CLASSIFIERS, TRANSFORMERS, new_samples

# A file of single precision gives probabilities up to so much, as the requirement is.
SINGLE_PRECISION = 1e-4
# Distances of the models themselves are rounded to so many digits, which leaves half a unit of the last; those of
# layers in single precision have errors of its rounding before, which depend on the processor.
ROUNDED = {np.dtype(np.float64): 0.51e-9, np.dtype(np.float32): 0.5e-6 + 2e-7}
# Files that hold a lift alone, which is no model, and kinds of models that are refused.
LIFTS = ("lift", "counts", "rings", "peaks", "ring filters")
REFUSED = ("aligned", "kernel", "on rings", "clusters", "clusters of a kernel", "clusters of signals")


def samples_of(X, real):
    """Samples of the fit and others, in the precision of the file, so that both sides see the same numbers."""
    return np.concatenate([X, new_samples(X)]).astype(real)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_file_of_single_precision_answers_as_the_model(name, tmp_path):
    model, X = CLASSIFIERS[name]()
    X = samples_of(X, np.float32)
    found = ExportedFile(model, tmp_path).run(X)
    assert_allclose(found["probabilities"], model.predict_proba(X), atol=SINGLE_PRECISION, rtol=0)
    assert_array_equal(found["label"], model.predict(X))
    distances = model.distances(X)
    scale = max(1.0, np.abs(distances[np.isfinite(distances)]).max())
    # Layers amplify the rounding of single precision, by how much depends on the processor.
    tolerance = SINGLE_PRECISION if len(model.network_.layers) else 1e-5
    assert_allclose(found["distances"], distances, atol=tolerance * scale, rtol=0)
    assert found["probabilities"].dtype == found["distances"].dtype == np.float32


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_in_double_precision_the_distances_are_those_of_the_model_up_to_its_rounding(name, tmp_path):
    model, X = CLASSIFIERS[name]()
    X = samples_of(X, np.float64)
    file = ExportedFile(model, tmp_path, precision="float64")
    found = file.run(X)
    tolerance = ROUNDED[np.dtype(model.network_.dtype)]
    if model.network_.dtype == np.float32 and model.network_.span is not None:
        tolerance = 1e-4  # the model finds lengths outside of the span by Pythagoras, in single precision
    assert_allclose(found["distances"], model.distances(X), atol=tolerance, rtol=1e-11)
    assert_array_equal(found["label"], model.predict(X))
    assert file.input.type == "tensor(double)"
    assert found["probabilities"].dtype == np.float64


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_features_are_those_of_the_network(name, tmp_path):
    model, X = TRANSFORMERS[name]()
    assert len(model.network_.layers) > 0
    for precision, tolerance in (("float32", 3e-6), ("float64", 1e-13)):
        samples = samples_of(X, precision)
        found = ExportedFile(model, tmp_path, precision=precision).run(samples)["features"]
        expected = model.transform(samples.astype(np.float64))
        assert found.shape == expected.shape
        assert_allclose(found, expected, atol=tolerance, rtol=0)


def test_models_of_this_list_are_of_the_kinds_that_their_names_say():
    layered = [name for name in CLASSIFIERS if " layers " in name]
    assert len(layered) >= 5 * len(MEASURES)
    for name in layered:
        model, _ = CLASSIFIERS[name]()
        assert len(model.network_.layers) == 3
        assert model.network_.layers[0].measure.name == name.split()[0]
        assert (model.network_.span is not None) == ("wide" in name and model.network_.layers[0].measure.free_of_basis)
        assert (model.network_.layers[-1].momentum > 0) == ("momentum" in name or "odd" in name)
    assert CLASSIFIERS["standardised"]()[0].network_.scaler is not None
    both = CLASSIFIERS["two answers"]()[0]
    assert len(both.further_answers_) == 1
    assert both.answer_weight_ > 0
    assert both.further_answers_[0].weight > 0
    assert CLASSIFIERS["weighted classes"]()[0]._class_offsets is not None
    assert CLASSIFIERS["a class without samples"]()[0]._seen is not None


def test_every_measure_and_every_threshold_has_its_nodes():
    assert set(measure_nodes.RESIDUALS) == set(measure_nodes.PULLS) == set(MEASURES.values())
    assert set(filter_nodes.THRESHOLDS) == set(THRESHOLDS)


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.stem not in (*LIFTS, *REFUSED)],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_models_from_files_of_every_format_can_be_exported(path, tmp_path):
    model = redunet.load(path)
    with np.load(path.with_suffix(".npz")) as kept:
        X = kept["samples"].astype(np.float32)
    found = ExportedFile(model, tmp_path).run(X)
    if hasattr(model, "predict_proba"):
        assert_allclose(found["probabilities"], model.predict_proba(X), atol=SINGLE_PRECISION, rtol=0)
    else:
        assert_allclose(found["features"], model.transform(X), atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.stem in (*LIFTS, *REFUSED)],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_what_cannot_be_exported_is_refused_and_leaves_no_file(path, tmp_path):
    with pytest.raises(WordedError, match=r"cannot be exported|be exported; pass"):
        redunet.onnx.export(redunet.load(path), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["two answers", "images, layers", "relu layers of wide vectors", "volumes"])
def test_onnx_runtime_opens_and_runs_a_file_without_a_warning(name, tmp_path, capfd):
    model, X = CLASSIFIERS[name]()
    capfd.readouterr()
    ExportedFile(model, tmp_path).run(X)
    assert capfd.readouterr().err == ""


def test_a_batch_may_have_any_size_and_each_sample_is_answered_by_itself(tmp_path):
    model, X = CLASSIFIERS["two answers"]()
    file = ExportedFile(model, tmp_path)
    together = file.run(X)
    for row in (0, 7):
        alone = file.run(X[row : row + 1])
        for name, values in together.items():
            if name == "label":
                assert alone[name] == values[row]
            else:
                assert_allclose(alone[name][0], values[row], atol=2e-6)


@pytest.mark.parametrize(
    "name", ["pool", "pooled", "two answers", "code layers of signals", "images, layers", "volumes"]
)
def test_the_answer_to_a_shifted_sample_is_the_same_up_to_rounding(name, tmp_path):
    model, X = CLASSIFIERS[name]()
    n_axes = X.ndim - (1 if X.ndim == 2 else 2)
    moved = np.roll(X, range(2, 2 + n_axes), axis=tuple(range(-n_axes, 0)))
    file = ExportedFile(model, tmp_path)
    one, other = file.run(X), file.run(moved)
    assert_allclose(one["probabilities"], other["probabilities"], atol=1e-5)
    assert_array_equal(one["label"], other["label"])


def test_a_file_answers_mnist_as_the_model_does(tmp_path):
    if "REDUNET_DATA" not in os.environ:
        pytest.skip("REDUNET_DATA names no folder with MNIST")
    try:
        images, digits = mnist("train", download=False)
        new, _ = mnist("test", download=False)
    except OSError as error:
        pytest.skip(str(error))
    X, y = pick_digits(images, digits, range(10), 10, random_state=0)
    lift = Lift("patches", 24, 11, pool=2, random_state=0)
    model = ReduNetClassifier("translation", lift=lift).fit(X / 255.0, y)
    samples = (new[:500, None] / 255.0).astype(np.float32)
    found = ExportedFile(model, tmp_path).run(samples)
    assert np.mean(found["label"] == model.predict(samples)) >= 0.999
    assert_allclose(found["probabilities"], model.predict_proba(samples), atol=SINGLE_PRECISION, rtol=0)
