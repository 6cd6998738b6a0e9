"""``redunet export``: a model file becomes an ONNX file."""

import json
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import redunet
from redunet import Lift, PooledLift, ReduNetClassifier
from redunet.cli import early_checks

from .conftest import call, refused

onnxruntime = pytest.importorskip("onnxruntime", reason="ONNX Runtime, which runs what is exported, is not installed")
pytest.importorskip("onnx", reason="ONNX is not installed: pip install 'redunet[onnx]'")


def test_the_file_gives_the_answers_of_the_model(here, tmp_path):
    out = tmp_path / "plants.onnx"
    done = call("export", here.model, "-o", out)
    assert done.exit_code == 0, done.output
    facts = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert facts[0][0] == "file"
    assert facts[0][1].startswith(f"{out} (")
    assert facts[1] == ["holds", "ReduNetClassifier"]
    assert facts[2] == ["takes", "X of  n_samples × 4, float32"]
    session = onnxruntime.InferenceSession(out)
    label, probabilities, _ = session.run(None, {"X": here.X.astype(np.float32)})
    model = redunet.load(here.model)
    del model.feature_names_in_  # the samples come without names
    assert_array_equal(label, model.predict(here.X))
    assert_allclose(probabilities, model.predict_proba(here.X), atol=1e-4)


def test_precision_and_layout_can_be_asked_for(here, tmp_path):
    out = tmp_path / "waves.onnx"
    words = ["export", here.waves, "-o", out, "--precision", "float64", "--no-flat", "--json"]
    found = json.loads(call(*words).stdout)
    assert found == {
        "file": str(out),
        "bytes": out.stat().st_size,
        "kind": "ReduNetClassifier",
        "shape": ["n_samples", 1, 24],
        "precision": "float64",
    }
    [declared] = onnxruntime.InferenceSession(out).get_inputs()
    assert (declared.shape, declared.type) == (found["shape"], "tensor(double)")
    assert call("export", here.waves, "-o", out, "--flat", "--quiet").stdout == ""
    [declared] = onnxruntime.InferenceSession(out).get_inputs()
    assert (declared.shape, declared.type) == (["n_samples", 24], "tensor(float)")


def test_mistakes_are_reported_and_no_file_is_written(here, tmp_path, monkeypatch):
    out = tmp_path / "model.onnx"
    refused(2, "--precision must be one of float32, float64, got 'half'", "export", here.model, "-o", out,
            "--precision", "half")  # fmt: skip
    refused(2, "there is no model file", "export", tmp_path / "none.redunet", "-o", out)
    refused(2, "would replace", "export", here.model, "-o", here.model)
    refused(1, "is not a model file", "export", here.table, "-o", out)
    lift = tmp_path / "lift.redunet"
    Lift("random", 4, 5, random_state=0).fit(here.signals).save(lift)
    refused(1, "a Lift cannot be exported", "export", lift, "-o", out)
    monkeypatch.setitem(sys.modules, "onnx", None)
    refused(2, "pip install 'redunet[onnx]'", "export", here.model, "-o", out)
    assert not out.exists()


def test_a_layout_that_does_not_go_with_the_model_is_refused_in_the_words_of_the_command(tmp_path):
    signals = [np.random.default_rng(n).standard_normal((2, n)) for n in (20, 31, 17, 40)]
    model = tmp_path / "signals.redunet"
    ReduNetClassifier("shift", lift=PooledLift(3, 2)).fit(signals, [0, 1, 0, 1]).save(model)
    refused(1, "2 channels; pass --no-flat.", "export", model, "-o", tmp_path / "model.onnx", "--flat")


def test_precisions_are_those_that_are_checked_early():
    from redunet.onnx.model_export import PRECISIONS

    assert PRECISIONS == early_checks.EXPORT_PRECISIONS
