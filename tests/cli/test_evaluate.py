"""`redunet evaluate`: counts that add up, and labels that are known."""

import json

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

import redunet
from redunet import ReduNetClassifier
from redunet.cli import evaluate_command

from .conftest import COLUMNS, call, plants, refused, write_csv


def labelled(path, X, kinds):
    return write_csv(path, [*COLUMNS, "kind"], [[*row, kind] for row, kind in zip(X.tolist(), kinds, strict=True)])


def test_counts_are_those_of_scikit_learn(here, tmp_path):
    X, kinds = plants(200, seed=3)
    kinds[:40] = "oak"  # so that some answers are wrong
    data = labelled(tmp_path / "d.csv", X, kinds)
    found = json.loads(call("evaluate", here.model, data, "--target", "kind", "--json").stdout)
    model = redunet.load(here.model)
    del model.feature_names_in_
    expected = confusion_matrix(kinds, model.predict(X))
    assert found["confusion"] == expected.tolist()
    assert found["accuracy"] == model.score(X, kinds)
    assert found["samples"] == 200
    assert found["class_samples"] == expected.sum(axis=1).tolist()
    assert found["class_right"] == np.diag(expected).tolist()
    shown = call("evaluate", here.model, data, "--target", "kind").stdout
    assert f"accuracy  {found['accuracy']:.4f} ({found['right']} of 200 samples)" in shown
    assert "→ moss" in shown


@pytest.mark.parametrize("label", ["ferm", "", "[bold]"])
def test_a_label_that_the_model_does_not_know_is_told_with_its_row(here, tmp_path, label):
    X, kinds = plants(9)
    data = labelled(tmp_path / "d.csv", X, [*kinds[:5], label, *kinds[6:]])
    message = (
        f"d.csv, row 7: the label {label!r} is not among the classes of the model, 'fern', 'moss', 'oak'; correct or"
        if label
        else "d.csv, row 7, column 'kind': the label is empty"
    )
    refused(1, message, "evaluate", here.model, data, "--target", "kind")


def test_numbers_are_the_same_label_however_they_are_written(here, tmp_path):
    np.savez(tmp_path / "d.npz", X=here.signals, y=here.codes.astype(float))
    from_floats = call("evaluate", here.waves, tmp_path / "d.npz", "--json").stdout
    np.savez(tmp_path / "d.npz", X=here.signals, y=here.codes.astype(str))
    from_text = call("evaluate", here.waves, tmp_path / "d.npz", "--json").stdout
    np.savez(tmp_path / "d.npz", X=here.signals, y=np.where(here.codes, "1.0", "0"))
    assert call("evaluate", here.waves, tmp_path / "d.npz", "--json").stdout == from_floats == from_text
    assert json.loads(from_text)["samples"] == 24
    assert json.loads(from_text)["classes"] == [0, 1]
    ReduNetClassifier(n_layers=0).fit(here.X, here.kinds == "oak").save(tmp_path / "bool.redunet")
    data = write_csv(tmp_path / "d.csv", ["a", "b", "c", "d", "y"], [[*row, "true"] for row in here.X.tolist()])
    assert (
        json.loads(call("evaluate", tmp_path / "bool.redunet", data, "--target", "y", "--json").stdout)["samples"] == 60
    )


def test_many_classes_are_shown_by_what_is_most_often_confused(tmp_path):
    rng = np.random.default_rng(0)
    codes = np.arange(90) % 15
    X = rng.standard_normal((90, 15)) + 6 * np.eye(15)[codes]
    model = ReduNetClassifier(n_layers=0).fit(X, codes)
    model.save(tmp_path / "m.redunet")
    np.savez(tmp_path / "d.npz", X=X, y=np.where(codes == 3, 4, codes))
    shown = call("evaluate", tmp_path / "m.redunet", tmp_path / "d.npz").stdout
    assert "4 → 3" in shown
    assert "→ 14" not in shown


def test_no_samples_no_target_and_ctrl_c_are_told(here, tmp_path, monkeypatch):
    data = labelled(tmp_path / "d.csv", np.empty((0, 4)), [])
    refused(1, "column 'kind': there are no samples to evaluate", "evaluate", here.model, data, "--target", "kind")
    refused(2, "Say it with --target", "evaluate", here.model, here.table)
    refused(2, "Did you mean 'kind'?", "evaluate", here.model, here.table, "--target", "kindd")

    def stopped(self, *anything):
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate_command.KnownLabels, "codes_of", stopped)
    refused(130, "interrupted.", "evaluate", here.model, here.table, "--target", "kind")


def test_unused_columns_are_noted_once(here, tmp_path):
    rows = [["x", *row, kind] for row, kind in zip(here.X.tolist(), here.kinds, strict=True)]
    data = write_csv(tmp_path / "d.csv", ["note", *COLUMNS, "kind"], rows)
    done = call("evaluate", here.model, data, "--target", "kind")
    assert done.stderr.count("columns that the model does not use: 'note'; they are ignored.") == 1
    assert not call("evaluate", here.model, data, "--target", "kind", "--quiet").stderr
