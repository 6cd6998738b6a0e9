"""Models in files: the same bits, for whoever loads them, and a clear word about what is not whole."""

import json
import os
import pickle
import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from safetensors import safe_open
from sklearn.exceptions import NotFittedError

import redunet
from redunet import Lift, ModelFileError, ReduNet, ReduNetClassifier
from redunet.storage import array_file
from redunet.storage.array_file import ArrayFile, write_arrays

from .models import CODES, NAMES, X, models, random, said

MODELS = models()


@pytest.fixture(params=MODELS)
def saved(request, tmp_path):
    model, samples = MODELS[request.param]
    path = tmp_path / "model.redunet"
    model.save(path)
    return model, samples, path


def test_a_loaded_model_says_the_same_to_the_last_bit(saved):
    model, samples, path = saved
    loaded = redunet.load(path)
    assert type(loaded) is type(model)
    assert_array_equal(said(loaded, samples), said(model, samples))
    assert said(loaded, samples).dtype == said(model, samples).dtype
    assert repr(loaded) == repr(model)  # its parameters, a lift among them


def test_a_loaded_model_saves_the_same_bytes_and_can_be_pickled(saved, tmp_path):
    model, samples, path = saved
    loaded = redunet.load(path)
    loaded.save(tmp_path / "again.redunet")
    assert (tmp_path / "again.redunet").read_bytes() == path.read_bytes()
    path.unlink()  # what is pickled needs no file
    assert_array_equal(said(pickle.loads(pickle.dumps(loaded)), samples), said(model, samples))


def test_the_library_of_the_format_reads_our_files(saved):
    _, _, path = saved
    file = ArrayFile(path)
    with safe_open(str(path), framework="numpy") as opened:
        assert set(opened.keys()) == set(file.names)
        for name in file.names:
            ours, theirs = file.array(name), opened.get_tensor(name)
            pairs = ours.view(ours.real.dtype).reshape(*ours.shape, 2) if np.iscomplexobj(ours) else ours
            assert_array_equal(pairs, theirs)


def test_another_process_gets_the_same_bits(tmp_path):
    model, samples = MODELS["layers"]
    model.save(tmp_path / "m.redunet")
    np.save(tmp_path / "x.npy", samples)
    code = (
        "import redunet, numpy as np, sys; m = redunet.load(sys.argv[1] + '/m.redunet'); "
        "np.save(sys.argv[1] + '/y.npy', m.predict_proba(np.load(sys.argv[1] + '/x.npy')))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert_array_equal(np.load(tmp_path / "y.npy"), model.predict_proba(samples))


def test_history_evidence_and_feature_names_come_along(tmp_path):
    frame = pd.DataFrame(X, columns=[f"t{i}" for i in range(24)])
    model = ReduNetClassifier(n_layers=2, membership="softmax").fit(frame, NAMES)
    model.save(tmp_path / "m")
    loaded = redunet.load(tmp_path / "m")
    assert_array_equal(loaded.history_.rate_reduction, model.history_.rate_reduction)
    assert_array_equal(loaded.evidence_.scores, model.evidence_.scores)
    assert loaded.loo_score_ == model.loo_score_
    assert_array_equal(loaded.feature_names_in_, frame.columns)
    assert_array_equal(loaded.predict(frame), model.predict(frame))
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.predict(frame.rename(columns={"t0": "other"}))
    assert_array_equal(loaded.network_.kernels(1).expansion, model.network_.kernels(1).expansion)


@pytest.mark.parametrize(
    "labels",
    [
        CODES,
        CODES.astype(np.uint8),
        CODES.astype(float),
        CODES > 0,
        NAMES,
        NAMES.astype("S"),
        NAMES.astype(object),
        np.array(["2020-01-01", "2021-06-05"], dtype="M8[D]")[CODES],
        np.array(["", "Straße ✓"])[CODES],
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_of_any_type(labels, tmp_path):
    model = ReduNetClassifier("shift", lift=random(), n_layers=0).fit(X, labels)
    model.save(tmp_path / "m")
    answers = redunet.load(tmp_path / "m").predict(X)
    assert_array_equal(answers, model.predict(X))
    assert answers.dtype == model.predict(X).dtype


def test_a_random_state_goes_on_where_it_was(tmp_path):
    model = Lift("random", 3, 5, random_state=np.random.RandomState(3)).fit(X)
    model.save(tmp_path / "m")
    loaded = redunet.load(tmp_path / "m")
    assert loaded.random_state.randint(10**6) == model.random_state.randint(10**6)


def test_what_is_not_fitted_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        ReduNet().save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_an_error_while_writing_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m.redunet"
    MODELS["layers"][0].save(path)
    before = path.read_bytes()

    def full_disk(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        MODELS["codes"][0].save(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["m.redunet"]


# --- files that are not whole -----------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    target = tmp_path / "model.redunet"
    MODELS["layers"][0].save(target)
    return target


def refused(path, message):
    with pytest.raises(ModelFileError, match=message):
        redunet.load(path).predict(X)


@pytest.mark.parametrize("share", [0.0, 0.00005, 0.01, 0.5, 0.999])
def test_a_truncated_file_is_refused(path, share):
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    refused(path, "truncated|damaged")


def test_an_extended_file_is_refused(path):
    path.write_bytes(path.read_bytes() + b"x")
    refused(path, "damaged")


def test_one_altered_bit_anywhere_is_noticed(path):
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    for at in [*rng.integers(0, len(content), 150), len(content) - 1]:
        altered = bytearray(content)
        altered[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(altered)
        refused(path, ".")


def test_an_altered_layer_is_named(path):
    content = bytearray(path.read_bytes())
    start = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:start])
    content[start + header["layers/1/expansion"]["data_offsets"][0]] ^= 1
    path.write_bytes(content)
    refused(path, "was altered: the array 'layers/1/expansion' does not match its checksum")


def test_a_folder_another_file_and_no_file_are_told_apart(tmp_path):
    with pytest.raises(ModelFileError, match="is a folder, not a model file"):
        redunet.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        redunet.load(tmp_path / "none")
    other = tmp_path / "other"
    other.write_bytes(b"PK\x03\x04" * 100)
    refused(other, "is not a model file: its header would be too long")
    write_arrays(other, {"a": 1}, {"x": np.ones(3)})
    refused(other, "is of format None")
    pickled = tmp_path / "pickled"
    pickled.write_bytes(pickle.dumps(MODELS["layers"][0]))
    refused(pickled, "not a model file")


def rewritten(path, change):
    """A file with another text, whose checksums are right again: what a sender who knows the format could make."""
    file = ArrayFile(path)
    arrays = {name: file.array(name) for name in file.names}
    text = json.loads(json.dumps(file.text))
    change(text, arrays)
    write_arrays(path, text, arrays)


def fields(text):
    return text["model"]["fitted"]["network_"]["fields"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text, _: text.update(format=99, version="7.1"), "is of format 99, written by redunet 7.1"),
        (lambda text, _: text["model"].update(estimator="os.system"), "names 'os.system', which is none of .*ReduNet"),
        (lambda text, _: text["model"]["fitted"].update(__class__=1), "an attribute of an unknown kind"),
        (lambda text, _: text["model"]["params"].update(shell="rm"), "unexpected keyword argument"),
        (lambda text, _: fields(text)["geometry"]["fields"].update(sample_shape={"tuple": [4, 25]}), "the lift gives"),
        (lambda text, _: text["model"]["fitted"].update(n_layers_=7), "the number of layers is another"),
        (lambda text, _: text["model"]["fitted"].pop("answers_"), "it lacks answers_"),
        (lambda text, _: text["model"]["fitted"].update(classes_=3), "classes_ is no ndarray"),
        (lambda text, _: text["model"]["fitted"].update(evidence_=3), "evidence_ is no Evidence"),
        (lambda text, _: text["model"]["fitted"].update(eps_="x"), "eps_ is no float"),
        (lambda text, _: fields(text).update(dtype={"dtype": "object"}), "names 'object'"),
        (lambda text, arrays: arrays.update({"layers/1/expansion": np.ones((3, 4, 4))}), "layer 1 has operators of"),
        (
            lambda text, arrays: arrays.update({"layers/1/expansion": arrays["layers/1/expansion"].astype("c8")}),
            "layer 1 has operators of .* of complex128",
        ),
        (
            lambda text, arrays: arrays.update({"layers/2/expansion": arrays["layers/2/expansion"] * np.nan}),
            "expansion of layer 2 is not finite",
        ),
        (
            lambda text, arrays: arrays.update(
                {"model/answers_/bases": np.full_like(arrays["model/answers_/bases"], np.inf)}
            ),
            "the answers are not finite",
        ),
        (lambda text, arrays: arrays.pop("layers/0/compression"), "lacks the array 'layers/0/compression'"),
        (
            lambda text, arrays: arrays.update({"model/answers_/bases": np.ones((2, 13, 4, 2, 1), complex)}),
            "subspaces do not fit",
        ),
        (lambda text, _: text.update(model=deep(40)), "nested too deeply"),
    ],
)
def test_parts_that_do_not_fit_are_refused_even_with_right_checksums(path, change, message):
    rewritten(path, change)
    refused(path, message)


def deep(n):
    return {"tuple": [deep(n - 1)]} if n else 1


def test_layers_are_read_one_at_a_time(path, monkeypatch):
    loaded = redunet.load(path)
    read = []
    array = ArrayFile.array
    monkeypatch.setattr(ArrayFile, "array", lambda self, name: read.append(name) or array(self, name))
    assert len(loaded.network_.layers) == 3
    assert repr(loaded.network_)
    assert not read
    loaded.network_.layers[2]
    assert read == ["layers/2/expansion", "layers/2/compression"]
    assert [layer.step_size for layer in loaded.network_.layers[1:]] == [
        layer.step_size for layer in MODELS["layers"][0].network_.layers[1:]
    ]


def test_an_array_is_checked_again_only_when_its_file_may_have_changed(path, monkeypatch):
    monkeypatch.setattr(array_file, "SETTLED_NANOSECONDS", -1)  # as for a file that was written a while ago
    loaded = redunet.load(path)
    checked = []
    checksum = array_file.checksum
    monkeypatch.setattr(array_file, "checksum", lambda content: checked.append(1) or checksum(content))
    loaded.predict(X)
    assert len(checked) == 6  # E and C of three layers
    loaded.predict(X)
    assert len(checked) == 6
    path.touch()
    loaded.predict(X)
    assert len(checked) == 12


def test_an_array_is_checked_each_time_while_its_file_is_new(path, monkeypatch):
    loaded = redunet.load(path)
    checked = []
    checksum = array_file.checksum
    monkeypatch.setattr(array_file, "checksum", lambda content: checked.append(1) or checksum(content))
    monkeypatch.setattr(array_file, "SETTLED_NANOSECONDS", 10**15)
    loaded.predict(X)
    loaded.predict(X)
    assert len(checked) == 12  # two changes within one step of the clock look like one
