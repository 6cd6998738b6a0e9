"""`redunet inspect`: what is in the file, quickly; every byte of it with --verify."""

import hashlib
import json

import numpy as np
import pytest

import redunet
from redunet.cli import inspect_command
from redunet.cli.printing import short_text, sparkline
from redunet.storage.array_file import ArrayFile

from ..storage.models import models
from .conftest import COLUMNS, call, refused


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zoo")
    made = {name: model for name, (model, _) in models().items()}
    for name, model in made.items():
        model.save(folder / f"{name}.redunet")
    return folder, made


def test_every_kind_of_model_is_described(zoo):
    folder, made = zoo
    for name, model in made.items():
        done = call("inspect", folder / f"{name}.redunet")
        assert done.exit_code == 0, done.output
        assert type(model).__name__ in done.stdout
        found = json.loads(call("inspect", folder / f"{name}.redunet", "--json").stdout)
        assert found["shape"] == list(model.sample_shape_)
        assert found["parameters"].keys() == model.get_params(deep=False).keys()
        if hasattr(model, "history_"):
            assert found["rate_reduction"] == model.history_.rate_reduction.tolist()
            assert found["layers"] == model.n_layers_
        if hasattr(model, "loo_score_"):
            assert found["loo_score"] == model.loo_score_
            assert found["evidence"]["scores"] == model.evidence_.scores.tolist()


def test_the_table_says_what_it_is(here, zoo):
    shown = call("inspect", here.model).stdout
    for words in ("ReduNetClassifier", "3: fern, moss, oak", ", ".join(COLUMNS), redunet.__version__, "format 4"):
        assert words in shown
    assert "sha256" not in shown
    folder, made = zoo
    curve = sparkline(made["layers"].history_.rate_reduction)
    assert curve in call("inspect", folder / "layers.redunet").stdout


def test_without_verify_neither_layers_nor_the_whole_file_are_read(zoo, monkeypatch):
    folder, _ = zoo
    read = []
    calm = ArrayFile.array
    monkeypatch.setattr(ArrayFile, "array", lambda self, name: read.append(name) or calm(self, name))
    monkeypatch.setattr(inspect_command.hashlib, "file_digest", None)
    assert call("inspect", folder / "layers.redunet").exit_code == 0
    assert read
    assert not [name for name in read if name.startswith("layers/0/")]


def test_verify_reads_every_array_and_gives_the_checksum_of_the_file(zoo):
    folder, _ = zoo
    path = folder / "layers.redunet"
    expected = hashlib.sha256(path.read_bytes()).hexdigest()
    assert json.loads(call("inspect", path, "--verify", "--json").stdout)["sha256"] == expected
    shown = call("inspect", path, "--verify").stdout
    assert expected in shown
    assert "arrays match their checksums" in shown


def test_verify_finds_one_changed_bit_in_a_layer(zoo, tmp_path):
    folder, _ = zoo
    content = bytearray((folder / "layers.redunet").read_bytes())
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    content[start + header["layers/1/expansion"]["data_offsets"][0] + 5] ^= 1
    (tmp_path / "bad.redunet").write_bytes(content)
    assert call("inspect", tmp_path / "bad.redunet").exit_code == 0
    message = "the array 'layers/1/expansion' does not match its checksum. Get the file again, or fit again."
    refused(1, message, "inspect", tmp_path / "bad.redunet", "--verify")


def test_a_file_that_is_no_model_is_told(here, tmp_path, monkeypatch):
    refused(1, "Get the file again, or fit again.", "inspect", here.table)
    refused(2, "there is no model file /no/such.redunet.", "inspect", "/no/such.redunet")

    def stopped(*anything):
        raise KeyboardInterrupt

    monkeypatch.setattr(inspect_command, "verified", stopped)
    refused(130, "interrupted.", "inspect", here.model, "--verify")


def test_names_from_a_file_cannot_steer_the_terminal(tmp_path):
    X = np.random.default_rng(0).standard_normal((12, 3)) + np.arange(12)[:, None] % 2 * 4
    names = np.array(["\x1b[2Jgone", "[red]b"])[np.arange(12) % 2]
    redunet.ReduNetClassifier(n_layers=0).fit(X, names).save(tmp_path / "m.redunet")
    np.savez(tmp_path / "d.npz", X=X, y=names)
    for done in (call("inspect", tmp_path / "m.redunet"), call("evaluate", tmp_path / "m.redunet", tmp_path / "d.npz")):
        assert done.exit_code == 0
        assert "\x1b" not in done.output
        assert "[red]b" in done.output


def test_a_curve_goes_from_its_lowest_to_its_highest_block():
    assert sparkline(np.arange(8.0)) == "▁▂▃▄▅▆▇█"
    assert sparkline(np.array([2.0])) == "▁"
    assert len(sparkline(np.arange(1000))) == 60
    assert short_text("a" * 100, 10) == "a" * 9 + "…"
