"""`redunet predict`: the answers of Python, in any order of columns, as CSV or JSON, whole or not at all."""

import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import redunet
from redunet import ReduNet, ReduNetClassifier
from redunet.cli import predict_command
from redunet.cli.files import source

from .conftest import COLUMNS, call, plants, refused, waves, write_csv


def rows_of(done):
    assert done.exit_code == 0, done.output
    return list(csv.DictReader(io.StringIO(done.stdout)))


def python(here, X):
    model = redunet.load(here.model)
    del model.feature_names_in_
    return model.predict(X), model.predict_proba(X)


def test_answers_are_those_of_python(here, tmp_path):
    X, _ = plants(200, seed=1)
    data = write_csv(tmp_path / "new.csv", COLUMNS, X.tolist())
    rows = rows_of(call("predict", here.model, data, "--probabilities"))
    labels, shares = python(here, X)
    assert [row["prediction"] for row in rows] == labels.tolist()
    assert [int(row["row"]) for row in rows] == list(range(2, 202))
    ours = [[float(row[f"probability of {name}"]) for name in ("fern", "moss", "oak")] for row in rows]
    assert_allclose(ours, shares, atol=6e-7)


def test_columns_may_come_in_any_order_and_others_are_ignored_with_a_note(here, tmp_path):
    X, kinds = plants(9, seed=1)
    straight = rows_of(call("predict", here.model, write_csv(tmp_path / "a.csv", COLUMNS, X.tolist())))
    turned = [[kind, *row[::-1], "x"] for row, kind in zip(X.tolist(), kinds, strict=True)]
    data = write_csv(tmp_path / "b.csv", ["kind", *COLUMNS[::-1], "note"], turned)
    done = call("predict", here.model, data)
    assert rows_of(done) == straight
    assert "b.csv has columns that the model does not use: 'kind', 'note'; they are ignored." in done.stderr
    assert not call("predict", here.model, data, "--quiet").stderr
    assert "'kind'" not in call("predict", here.model, data, "--ignore", "kind").stderr


def test_json_is_one_object_to_a_line(here):
    done = call("predict", here.model, here.table, "--format", "json", "--probabilities")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    labels, shares = python(here, here.X)
    assert [one["prediction"] for one in found] == labels.tolist()
    assert found[3]["row"] == 5
    assert list(found[0]["probabilities"]) == ["fern", "moss", "oak"]
    assert_allclose([list(one["probabilities"].values()) for one in found], shares, atol=6e-7)
    plain = call("predict", here.model, here.table, "--format", "json").stdout.splitlines()[0]
    assert json.loads(plain) == {"row": 2, "prediction": labels[0]}


def test_classes_that_are_numbers_are_numbers_in_json(here, tmp_path):
    np.save(tmp_path / "w.npy", here.signals)
    line = call("predict", here.waves, tmp_path / "w.npy", "--format", "json").stdout.splitlines()[1]
    assert json.loads(line) == {"sample": 1, "prediction": 1}


def test_a_file_is_written_as_a_whole(here, tmp_path):
    out = tmp_path / "answers.csv"
    out.write_text("before")
    broken = write_csv(tmp_path / "new.csv", COLUMNS, [*plants(30)[0].tolist(), [1, 2, 4]])
    refused(1, "new.csv, row 32: 3 fields, but row 1 names 4 columns", "predict", here.model, broken, "-o", out)
    assert out.read_text() == "before"
    done = call("predict", here.model, here.table, "-o", out, "--quiet")
    assert done.output == ""
    assert out.read_text() == call("predict", here.model, here.table).stdout
    assert sorted(one.name for one in tmp_path.iterdir()) == ["answers.csv", "new.csv"]


def test_labels_with_commas_and_quotes_come_back_from_the_csv(tmp_path):
    names = ['a, "b"', "ä\nö"]
    X = np.random.default_rng(0).standard_normal((12, 3)) + np.arange(12)[:, None] % 2 * 4
    ReduNetClassifier(n_layers=0).fit(X, np.array(names)[np.arange(12) % 2]).save(tmp_path / "m.redunet")
    np.save(tmp_path / "x.npy", X)
    rows = rows_of(call("predict", tmp_path / "m.redunet", tmp_path / "x.npy"))
    assert {row["prediction"] for row in rows} == set(names)


def test_the_size_of_blocks_does_not_change_answers(here, tmp_path, monkeypatch):
    whole = call("predict", here.model, here.table, "--probabilities", "--quiet").stdout
    monkeypatch.setattr(source, "BLOCK_ROWS", 7)
    assert call("predict", here.model, here.table, "--probabilities", "--quiet").stdout == whole


def test_no_rows_are_no_answers_and_a_note(here, tmp_path):
    data = write_csv(tmp_path / "none.csv", COLUMNS, [])
    done = call("predict", here.model, data)
    assert done.stdout == "row,prediction,reason\n"
    assert "none.csv has no samples." in done.stderr


def test_a_model_without_names_takes_columns_by_their_order(here, tmp_path):
    data = write_csv(tmp_path / "new.csv", ["p", "q", "r", "s"], here.X.tolist())
    rows = rows_of(call("predict", here.nameless, data))
    assert [row["prediction"] for row in rows] == redunet.load(here.nameless).predict(here.X).tolist()
    message = "plants.csv has 5 columns, but the model takes 4, by their order, since it knows no names"
    refused(1, message, "predict", here.nameless, here.table)
    assert rows_of(call("predict", here.nameless, here.table, "--ignore", "kind")) == rows
    data = write_csv(tmp_path / "new.csv", ["p", "q", "q", "s"], here.X.tolist())
    refused(1, "row 1: 2 columns are called 'q'; rename them.", "predict", here.nameless, data)


def answered(done):
    """Rows of the answers of a command that says by its exit code that some samples have none."""
    assert done.exit_code == 3, done.output
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_a_cell_without_a_number_stops_no_other_row(here, tmp_path):
    rows = [[*row] for row in here.X[:6].tolist()]
    rows[1][1], rows[2][0], rows[4][3] = "low", "", "1e999"
    expected, _ = python(here, here.X[:6])
    done = call("predict", here.model, write_csv(tmp_path / "new.csv", COLUMNS, rows), "--probabilities")
    found = answered(done)
    assert "note: 3 of 6 samples have no answer; 'reason' says why." in done.stderr
    assert [row["reason"] for row in found] == [
        "",
        f"column {COLUMNS[1]!r}: 'low' is not a number; correct it",
        f"column {COLUMNS[0]!r}: empty cell; fill it in, or remove the row",
        "",
        f"column {COLUMNS[3]!r}: inf is not finite; correct it",
        "",
    ]
    for i, row in enumerate(found):
        shares = [row[name] for name in row if name.startswith("probability")]
        if i in (1, 2, 4):
            assert {row["prediction"], *shares} == {""}
        else:
            assert row["prediction"] == expected[i]
            assert_allclose(sum(map(float, shares)), 1, atol=1e-5)
    quiet = call("predict", here.model, tmp_path / "new.csv", "--quiet")
    assert (quiet.exit_code, quiet.stderr) == (3, "")


def test_gaps_in_parquet_and_array_files_have_a_reason(here, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    X = here.X[:5].copy()
    X[3, 1] = np.nan
    pandas.DataFrame(X, columns=COLUMNS).to_parquet(tmp_path / "t.parquet")
    found = answered(call("predict", here.model, tmp_path / "t.parquet"))
    why = f"column {COLUMNS[1]!r}: nan is no value; fill it in, or remove the row"
    assert [row["reason"] for row in found] == ["", "", "", why, ""]
    np.save(tmp_path / "x.npy", X)
    found = answered(call("predict", here.nameless, tmp_path / "x.npy"))
    assert [row["reason"] for row in found] == ["", "", "", "nan is no value; fill it in, or remove the row", ""]


def test_samples_without_direction_or_response_have_a_reason_and_no_answer(here, tmp_path):
    X, _ = waves(20, seed=1)
    X[13] = 0
    np.save(tmp_path / "w.npy", X)
    found = answered(call("predict", here.waves, tmp_path / "w.npy"))
    assert found[13] == {"sample": "13", "prediction": "", "reason": "it is all zero, which has no direction"}
    assert all(row["prediction"] and not row["reason"] for i, row in enumerate(found) if i != 13)
    lift = redunet.Lift("wavelet", 4, 7)
    ReduNetClassifier("shift", lift=lift, n_layers=0).fit(here.signals, here.codes).save(tmp_path / "m.redunet")
    X[13] = 1
    np.save(tmp_path / "w.npy", X)
    done = call("predict", tmp_path / "m.redunet", tmp_path / "w.npy", "--format", "json", "--probabilities")
    assert done.exit_code == 3
    found = [json.loads(line) for line in done.stdout.splitlines()]
    why = "no filter responds to it, as to constant samples"
    assert found[13] == {"sample": 13, "prediction": None, "probabilities": None, "reason": why}
    assert "reason" not in found[0]


def test_the_help_of_predict_has_the_exit_codes(here):
    text = " ".join(call("predict", "--help").stdout.replace("│", " ").split())
    assert "The exit code is then 3" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--format", "xml"], "--format must be one of csv, json, got 'xml'."),
        (["-o", "{table}"], "would replace {table}, which is read; pass another name."),
        (["-o", "{model}"], "would replace {model}, which is read; pass another name."),
        (["-o", "{folder}"], "is a folder; pass the name of a file in it."),
        (["-o", "/dev/null"], "-o /dev/null is not an ordinary file; pass another name."),
        (["-o", "/no/such/out.csv"], "-o /no/such/out.csv: there is no folder /no/such; make it first"),
        (["--samples", "X"], "--samples goes with NPZ files"),
    ],
)
def test_wrong_words_are_told_before_anything_is_written(here, words, message):
    names = {"{table}": str(here.table), "{model}": str(here.model), "{folder}": str(here.folder)}
    for name, path in names.items():
        words = [word.replace(name, path) for word in words]
        message = message.replace(name, path)
    done = refused(2, message, "predict", here.model, here.table, *words)
    assert done.stdout == ""


def test_a_link_is_followed_and_stays_a_link(here, tmp_path):
    (tmp_path / "real.csv").write_text("before")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    assert call("predict", here.model, here.table, "-o", tmp_path / "link.csv").exit_code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("row,prediction,reason")


def test_a_model_that_is_not_one_is_told(here, tmp_path):
    done = refused(2, "there is no model file", "predict", here.folder / "plant.redunet", here.table)
    assert "Did you mean 'plants.redunet'?" in done.stderr
    refused(1, "Get the file again, or fit again.", "predict", here.table, here.table)
    (tmp_path / "cut.redunet").write_bytes(here.model.read_bytes()[:-30])
    refused(1, "Get the file again, or fit again.", "predict", tmp_path / "cut.redunet", here.table)
    refused(
        1, f"{tmp_path} is a folder, not a model file; only ordinary files are read", "predict", tmp_path, here.table
    )
    ReduNet(n_layers=1).fit(here.X, here.kinds).save(tmp_path / "features.redunet")
    message = "holds a ReduNet, which gives no classes; take one of ReduNetClassifier or NearestSubspaceClassifier."
    refused(1, message, "predict", tmp_path / "features.redunet", here.table)


def test_the_other_classifier_answers_too(here, tmp_path):
    model = redunet.NearestSubspaceClassifier().fit(here.X, here.kinds)
    model.save(tmp_path / "m.redunet")
    np.save(tmp_path / "x.npy", here.X)
    rows = rows_of(call("predict", tmp_path / "m.redunet", tmp_path / "x.npy", "--probabilities"))
    assert_array_equal([row["prediction"] for row in rows], model.predict(here.X))
    assert_allclose([float(row["probability of moss"]) for row in rows], model.predict_proba(here.X)[:, 1], atol=6e-7)


def test_ctrl_c_leaves_what_was_there(here, tmp_path, monkeypatch):
    def stopped(*anything):
        raise KeyboardInterrupt

    monkeypatch.setattr(predict_command, "places", stopped)
    out = tmp_path / "out.csv"
    refused(130, f"interrupted; {out} was not written.", "predict", here.model, here.table, "-o", out)
    assert list(tmp_path.iterdir()) == []
    refused(130, "interrupted; what was printed is not complete.", "predict", here.model, here.table)


def test_a_reader_that_stops_early_is_no_error(here, tmp_path):
    data = write_csv(tmp_path / "many.csv", COLUMNS, np.tile(here.X, (1000, 1)).tolist())
    words = [sys.executable, "-c", "from redunet.cli.app import app; app()", "predict", str(here.model), str(data)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ)
    assert process.stdout.readline() == b"row,prediction,reason\n"
    process.stdout.close()
    printed = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0
    assert printed == b""
