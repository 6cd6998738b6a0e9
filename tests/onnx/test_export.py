"""What is in an exported file beside its numbers: layouts, labels, text; and what is refused."""

import json
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import redunet
from redunet import Lift, NearestSubspaceClassifier, PooledLift, ReduNet, ReduNetClassifier
from redunet.inputs.errors import InputError, InputTypeError
from redunet.onnx import export, graph_builder

from .exported_file import ExportedFile
from .kinds_of_models import CHANNELS, CLASSIFIERS, IMAGES, KINDS, NAMES, ROWS, SIGNALS, TABLE, TRANSFORMERS

PLAIN = {"n_layers": 0}


def test_the_file_names_its_samples_and_what_it_gives(tmp_path):
    file = ExportedFile(CLASSIFIERS["table"]()[0], tmp_path)
    assert (file.input.name, file.input.type, file.input.shape) == ("X", "tensor(float)", ["n_samples", 5])
    outputs = {one.name: (one.type, one.shape) for one in file.session.get_outputs()}
    assert outputs == {
        "label": ("tensor(int64)", ["n_samples"]),
        "probabilities": ("tensor(float)", ["n_samples", 3]),
        "distances": ("tensor(float)", ["n_samples", 3]),
    }


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("table", [5]),
        ("pooled", [24]),
        ("channels", [3, 24]),
        ("flat channels", [72]),
        ("images", [2, 8, 7]),
        ("flat images", [112]),
        ("volumes", [2, 4, 3, 5]),
    ],
)
def test_samples_have_the_layout_that_users_pass(name, shape, tmp_path):
    assert ExportedFile(CLASSIFIERS[name]()[0], tmp_path).input.shape == ["n_samples", *shape]


def test_the_other_layout_can_be_asked_for(tmp_path):
    for name in ("pooled", "channels", "flat images"):
        model, X = CLASSIFIERS[name]()
        X = X.astype(np.float32)  # counts of responses above a threshold depend on the last digit
        expected = model.predict_proba(X)
        for flat in (True, False):
            file = ExportedFile(model, tmp_path, flat=flat)
            samples = X.reshape(len(X), -1) if flat else X.reshape(len(X), *model.sample_shape_)
            assert file.input.shape == ["n_samples", *samples.shape[1:]]
            assert_allclose(file.run(samples)["probabilities"], expected, atol=1e-4)
    model, X = TRANSFORMERS["signals"]()
    rows = ExportedFile(model, tmp_path, flat=True).run(X.reshape(len(X), -1))["features"]
    assert_allclose(rows, model.transform(X.reshape(len(X), -1)), atol=1e-5)


def test_columns_with_names_are_flat_and_their_names_are_in_the_file(tmp_path):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(CHANNELS[:, 0], columns=[f"t{i}" for i in range(24)])
    model = ReduNetClassifier("shift", lift=Lift("random", 4, 5, random_state=0), **PLAIN).fit(frame, NAMES)
    file = ExportedFile(model, tmp_path)
    assert file.input.shape == ["n_samples", 24]
    assert json.loads(file.metadata["feature_names"]) == list(frame.columns)
    assert_array_equal(file.run(frame)["label"], model.predict(frame))


@pytest.mark.parametrize(
    ("labels", "kind", "given"),
    [
        (np.array(["oak", "Ähre", "日"]), "tensor(string)", None),
        (np.array(["oak", "fern", "moss"], dtype=object), "tensor(string)", None),
        (np.array([-5, 3, 10**12]), "tensor(int64)", None),
        (np.array([1.0, 2.0, 7.0]), "tensor(int64)", None),
        (np.array([np.int64(4), 5, np.int32(6)], dtype=object), "tensor(int64)", None),
        (np.array([b"a", b"b", b"c"]), "tensor(int64)", [0, 1, 2]),
        (np.array(["2020-01-01", "2020-01-02", "2020-02-01"], dtype="M8[D]"), "tensor(int64)", [0, 1, 2]),
        (np.array([0, 1, 2**64 - 1], dtype=np.uint64), "tensor(int64)", [0, 1, 2]),
    ],
    ids=["text", "objects", "whole numbers", "whole floats", "objects of whole numbers", "bytes", "dates", "too large"],
)
def test_labels_are_text_or_whole_numbers_or_the_number_of_the_class(labels, kind, given, tmp_path):
    model = ReduNetClassifier(**PLAIN).fit(TABLE, labels[ROWS])
    file = ExportedFile(model, tmp_path)
    assert file.session.get_outputs()[0].type == kind
    found, expected = file.run(TABLE)["label"], model.predict(TABLE)
    if given is None:
        assert_array_equal(found, expected)
        assert file.metadata["label_is"] == "class"
    else:
        assert_array_equal(model.classes_[found], expected)
        assert file.metadata["label_is"] == "number of the class"
    assert len(json.loads(file.metadata["classes"])) == 3


def test_truth_values_are_their_numbers(tmp_path):
    model = ReduNetClassifier(**PLAIN).fit(TABLE, ROWS == 1)
    file = ExportedFile(model, tmp_path)
    assert_array_equal(file.run(TABLE)["label"], model.predict(TABLE).astype(np.int64))
    assert json.loads(file.metadata["classes"]) == [False, True]


def test_the_file_says_what_it_is(tmp_path):
    file = ExportedFile(CLASSIFIERS["channels, published"]()[0], tmp_path)
    assert {key: value for key, value in file.metadata.items() if key != "n_layers"} == {
        "redunet_version": redunet.__version__,
        "model": "ReduNetClassifier",
        "invariance": "shift",
        "sample_shape": "[3, 24]",
        "precision": "float32",
        "classes": '["sine", "square"]',
        "label_is": "class",
    }
    assert int(file.metadata["n_layers"]) > 0
    meta = file.session.get_modelmeta()
    assert meta.producer_name == "redunet"
    assert "label, probabilities, distances" in meta.description


def test_samples_that_cannot_be_answered_have_no_number_and_do_not_touch_the_others(tmp_path):
    for name in ("table without a constant coordinate", "channels", "pool", "images, layers", "relu layers of signals"):
        model, X = CLASSIFIERS[name]()
        bad = X[:6].astype(np.float32)
        bad[1] = 0
        bad[2].flat[3] = np.nan
        bad[3].flat[0] = np.inf
        found = ExportedFile(model, tmp_path).run(bad)
        assert_array_equal(np.isnan(found["distances"]).all(axis=1), [False, True, True, True, False, False])
        assert_array_equal(np.isnan(found["probabilities"]).any(axis=1), [False, True, True, True, False, False])
        good = [0, 4, 5]
        assert_allclose(found["probabilities"][good], model.predict_proba(bad[good]), atol=1e-4)


@pytest.mark.parametrize("name", ["pooled", "pooled with layers", "two answers", "table", "standardised"])
def test_zeros_are_answered_where_the_model_answers_them(name, tmp_path):
    model, X = CLASSIFIERS[name]()
    samples = X[:4].astype(np.float32)
    samples[1], samples[2].flat[1] = 0, np.nan
    found = ExportedFile(model, tmp_path).run(samples)
    assert_array_equal(np.isnan(found["distances"]).any(axis=1), [False, False, True, False])
    good = [0, 1, 3]
    assert_allclose(found["probabilities"][good], model.predict_proba(samples[good]), atol=1e-4)


def test_features_of_what_has_none_are_no_numbers(tmp_path):
    model, X = TRANSFORMERS["signals"]()
    samples = X[:3].copy()
    samples[0], samples[1, 0, 0] = 0, np.nan
    found = ExportedFile(model, tmp_path).run(samples)["features"]
    assert_array_equal(np.isnan(found).all(axis=(1, 2)), [True, True, False])


def test_a_class_without_samples_has_probability_zero(tmp_path):
    model, X = CLASSIFIERS["a class without samples"]()
    found = ExportedFile(model, tmp_path).run(X)
    unseen = np.isin(model.classes_, [0, 9])
    assert np.isposinf(found["distances"][:, unseen]).all()
    assert (found["probabilities"][:, unseen] == 0).all()
    assert_allclose(found["probabilities"].sum(axis=1), 1, rtol=1e-5)


def test_very_large_and_very_small_samples_are_answered(tmp_path):
    for name in ("channels", "loud and quiet", "pool", "pooled", "nearest with a sharpness"):
        model, X = CLASSIFIERS[name]()
        file = ExportedFile(model, tmp_path)
        for scale in (1e30, 1e-30):
            samples = (X * scale).astype(np.float32)
            if name == "loud and quiet" and scale < 1:
                continue  # its level is that of the samples of the fit, so that nothing is left of quiet ones
            assert_allclose(file.run(samples)["probabilities"], model.predict_proba(samples), atol=1e-4)


@pytest.mark.parametrize("pad", [0, 4])
@pytest.mark.parametrize("n_channels", [1, 2])
def test_signals_of_unequal_lengths_may_have_any_length(pad, n_channels, tmp_path):
    rng = np.random.default_rng(4)
    signals = [rng.standard_normal((n_channels, n)) for n in (20, 31, 17, 40, 25, 22, 33, 19)]
    signals = [one.cumsum(axis=1) if i % 2 else one for i, one in enumerate(signals)]
    model = ReduNetClassifier("shift", lift=PooledLift(3, 2, pad=pad)).fit(signals, np.arange(8) % 2)
    assert model.takes_unequal_lengths_
    file = ExportedFile(model, tmp_path)
    assert file.input.shape == ["n_samples", *([2] if n_channels == 2 else []), "length"]
    for length in (1, 2, 9, 32, 57, 200):
        batch = rng.standard_normal((3, n_channels, length)).astype(np.float32)
        found = file.run(batch if n_channels == 2 else batch[:, 0])
        assert_allclose(found["probabilities"], model.predict_proba(list(batch)), atol=1e-4)
        assert_array_equal(found["label"], model.predict(list(batch)))


def test_flat_signals_of_several_channels_have_one_length(tmp_path):
    signals = [np.random.default_rng(n).standard_normal((2, n)) for n in (20, 31, 17, 40)]
    model = ReduNetClassifier("shift", lift=PooledLift(3, 2)).fit(signals, [0, 1, 0, 1])
    with pytest.raises(InputError, match=r"flat=True is for signals of one length.*2 channels; pass flat=False"):
        export(model, tmp_path / "model.onnx", flat=True)


def test_two_exports_are_the_same_bytes(tmp_path):
    model, _ = CLASSIFIERS["two answers"]()
    contents = []
    for name in ("a.onnx", "b.onnx"):
        export(model, tmp_path / name)
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]


def test_a_path_may_be_text(tmp_path):
    export(CLASSIFIERS["table"]()[0], str(tmp_path / "model.onnx"))
    assert (tmp_path / "model.onnx").stat().st_size > 0


def test_what_cannot_be_exported_is_refused_and_what_was_there_stays(tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    path.write_text("what was there")
    model, X = CLASSIFIERS["table"]()
    pipeline = make_pipeline(StandardScaler(), ReduNetClassifier(**PLAIN)).fit(X, ROWS)
    with pytest.raises(InputTypeError, match="a Pipeline cannot be exported; pass a fitted ReduNetClassifier"):
        export(pipeline, path)
    with pytest.raises(InputTypeError, match="a Lift cannot be exported"):
        export(Lift("random", 4, 5).fit(SIGNALS), path)
    with pytest.raises(NotFittedError):
        export(ReduNet(), path)
    with pytest.raises(InputTypeError, match="flat must be"):
        export(model, path, flat="rows")
    with pytest.raises(InputError, match="precision must be one of 'float32', 'float64', got 'float16'"):
        export(model, path, precision="float16")
    monkeypatch.setattr(graph_builder, "LARGEST_GRAPH_BYTES", 100)
    with pytest.raises(InputError, match="which is what a file of ONNX can hold"):
        export(model, path)
    assert path.read_text() == "what was there"
    assert [one.name for one in tmp_path.iterdir()] == ["model.onnx"]


def test_numbers_that_single_precision_cannot_hold_are_refused(tmp_path):
    model = ReduNetClassifier(affine=1e40, **PLAIN).fit(TABLE * 1e40, ROWS)
    with pytest.raises(InputError, match=r"numbers up to 1e\+40, more than float32 has.*precision='float64'"):
        export(model, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
    found = ExportedFile(model, tmp_path, precision="float64").run(TABLE * 1e40)
    assert_allclose(found["probabilities"], model.predict_proba(TABLE * 1e40), atol=1e-6)


def test_signals_with_too_many_frequencies_are_refused_before_their_matrices_are_made(tmp_path):
    signals = np.random.default_rng(0).standard_normal((4, 2, 60_000))
    model = NearestSubspaceClassifier(1, invariance="shift").fit(signals, [0, 1, 0, 1])
    with pytest.raises(InputError, match=r"more than 2.13 GB of numbers.*a larger pool"):
        export(model, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_a_measure_or_a_lift_without_nodes_is_refused_by_name(tmp_path, monkeypatch):
    class OwnMeasure(type(CLASSIFIERS["table"]()[0].answers_)):
        pass

    model, _ = CLASSIFIERS["table"]()
    object.__setattr__(model, "answers_", OwnMeasure(**vars(model.answers_)))
    with pytest.raises(InputError, match="measures samples by OwnMeasure cannot be exported"):
        export(model, tmp_path / "model.onnx")

    class OwnBank(type(CLASSIFIERS["pool"]()[0].network_.lift)):
        pass

    model, _ = CLASSIFIERS["pool"]()
    lift = model.network_.lift
    own = OwnBank(**{name: getattr(lift, name) for name in lift.__dataclass_fields__})
    object.__setattr__(model.network_, "lift", own)
    with pytest.raises(InputError, match="a lift of type OwnBank cannot be exported"):
        export(model, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_onnx_is_imported_only_when_it_is_asked_for():
    code = "import sys, redunet; redunet.ReduNetClassifier(); print('onnx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_without_onnx_the_error_says_how_to_install_it():
    code = """
import sys
sys.modules["onnx"] = None
try:
    import redunet.onnx
except ImportError as error:
    print(error)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'redunet[onnx]'" in found.stdout


def test_a_model_for_images_of_one_channel_takes_them_with_their_channel(tmp_path):
    model = ReduNetClassifier("translation", lift=Lift("random", 4, 3, random_state=0), **PLAIN)
    file = ExportedFile(model.fit(IMAGES[:, 0], KINDS), tmp_path)
    assert file.input.shape == ["n_samples", 1, 8, 7]
