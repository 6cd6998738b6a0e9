"""Text of unknown origin is shown, not obeyed; what cannot be printed is replaced; data for programs are exact."""

import csv
import io
import json
import os
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import redunet
from redunet.bench import speed
from redunet.cli.app import app
from redunet.cli.printing import short_list

from .conftest import COLUMNS, call, plants, write_csv

# Clears the screen, renames the window, turns the direction of writing; a line of its own; a half of a character.
HOSTILE = "a\x1b[2J\x1b]0;b\x07\x9b31m\u202ec\nredunet: d\udce9"


def shown_only(done):
    """Nothing but printable characters and line ends came out; returns all of it."""
    for text in (done.stdout, done.stderr):
        assert all(line.isprintable() for line in text.split("\n")), ascii(text)
    assert "Traceback" not in done.output
    return done.output


@pytest.fixture
def hostile(tmp_path):
    """A table whose columns and classes have hostile names, a model of it, and hostile names of both files."""
    X, kinds = plants(30)
    bad = HOSTILE.replace("\udce9", "")
    rows = [[*row, f"{kind}{bad}"] for row, kind in zip(X.tolist(), kinds, strict=True)]
    table = write_csv(tmp_path / f"{bad}.csv", [*(f"{name}{bad}" for name in COLUMNS), "kind"], rows)
    out = tmp_path / f"{HOSTILE}.redunet"
    return table, out, bad


def test_no_command_passes_escape_codes_of_a_file_to_the_terminal(hostile, tmp_path):
    table, out, bad = hostile
    done = call("fit", table, "--target", "kind", "-o", out)
    assert done.exit_code == 0, done.output
    assert "fern" in shown_only(done)
    plain = out.rename(tmp_path / "plain.redunet")
    assert "3: fern" in shown_only(call("inspect", plain))
    assert "accuracy" in shown_only(call("evaluate", plain, table, "--target", "kind"))
    other = write_csv(tmp_path / f"other{bad}.csv", [f"x{bad}"], [[1]])
    for words in (
        ["fit", table, "--target", bad, "-o", out],
        ["fit", table, "--target", "kind", "--ignore", bad, "-o", out],
        ["fit", table, "--target", f"height{bad}", "-o", out],
        ["fit", other, "--target", f"x{bad}", "-o", out],
        ["fit", tmp_path / f"none{bad}.csv", "-o", out],
        ["predict", plain, other],
        ["evaluate", plain, other, "--target", f"x{bad}"],
        ["predict", table, table],
        ["inspect", out],
        ["reproduce", HOSTILE],
        ["reproduce", "[/x]"],
    ):
        done = call(*words)
        assert done.exit_code in (1, 2), done.output
        assert "redunet: " in shown_only(done)
        assert not [line for line in done.stderr.splitlines() if line.startswith("redunet: d")]


def test_notes_are_harmless_too(hostile, here, tmp_path):
    _, _, bad = hostile
    data = write_csv(tmp_path / f"more{bad}.csv", [*COLUMNS, bad], [[1, 2, 3, 4, 5]])
    done = call("predict", here.model, data)
    assert done.exit_code == 0
    assert "they are ignored" in done.stderr
    assert all(line.isprintable() for line in done.stderr.split("\n"))


def test_answers_for_programs_are_the_exact_labels(hostile, tmp_path):
    table, out, bad = hostile
    assert call("fit", table, "--target", "kind", "-o", out, "--quiet").exit_code == 0
    out = out.rename(tmp_path / "plain.redunet")
    labels = {f"{kind}{bad}" for kind in ("fern", "moss", "oak")}
    done = call("predict", out, table, "--ignore", "kind")
    rows = list(csv.reader(io.StringIO(done.stdout_bytes.decode(), newline="")))
    assert {row[1] for row in rows[1:]} == labels
    lines = call("predict", out, table, "--ignore", "kind", "--format", "json").stdout_bytes.split(b"\n")
    assert {json.loads(line)["prediction"] for line in lines if line} == labels
    assert set(json.loads(call("inspect", out, "--json").stdout)["classes"]) == labels


def ascii_call(*words):
    """As on a terminal that has ASCII alone; standard output then refuses other characters."""
    return CliRunner(charset="ascii").invoke(app, [str(word) for word in words])


def test_no_command_fails_where_only_ascii_can_be_printed(here, tmp_path, monkeypatch):
    out = tmp_path / "m.redunet"
    done = ascii_call("fit", here.table, "--target", "kind", "--layers", 2, "-o", out)
    assert done.exit_code == 0, done.output
    assert "ε = 1" in call("inspect", out).stdout or "rank" in call("inspect", out).stdout
    many = tmp_path / "many.npz"
    np.savez(many, X=np.random.default_rng(0).standard_normal((60, 3)), y=np.arange(60) % 20)
    assert ascii_call("fit", many, "-o", tmp_path / "many.redunet").exit_code == 0
    missing = tmp_path / "Δ.csv"
    monkeypatch.setenv("COLUMNS", "40")  # so narrow that tables are cut with an ellipsis
    for code, words in (
        (0, ["inspect", out]),
        (0, ["evaluate", out, here.table, "--target", "kind"]),
        (0, ["evaluate", tmp_path / "many.redunet", many]),
        (2, ["fit", missing, "-o", out]),
        (0, ["list"]),
        (0, ["fit", "--help"]),
        (0, ["--help"]),
        (0, ["reproduce", "gaussians-2d", "--size", "toy", "--out", tmp_path / "Δ"]),
    ):
        done = ascii_call(*words)
        assert done.exit_code == code, done.output
        assert done.output.isascii()
    result = speed.Measurement("ΔR", "n → m", 1.0, 1.0, 2.0, "×", "≥ 1", True, "…")
    monkeypatch.setattr(speed, "measure", lambda **options: [result])
    assert ascii_call("bench").exit_code == 0


def test_json_keeps_every_character_where_only_ascii_can_be_printed(tmp_path):
    X, kinds = plants(30)
    names = np.char.add(kinds, "Δ")
    np.savez(tmp_path / "d.npz", X=X, y=names)
    out = tmp_path / "m.redunet"
    found = json.loads(ascii_call("fit", tmp_path / "d.npz", "-o", out, "--json").stdout)
    assert list(found["classes"]) == ["fernΔ", "mossΔ", "oakΔ"]
    for words in (["inspect", out], ["evaluate", out, tmp_path / "d.npz"]):
        assert json.loads(ascii_call(*words, "--json").stdout)["classes"] == ["fernΔ", "mossΔ", "oakΔ"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_the_line_of_progress_is_printed_by_any_stream(monkeypatch, encoding):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stderr", stream)
    X, kinds = plants(30)
    redunet.ReduNet(n_layers=2, verbose=1).fit(X, kinds)
    stream.flush()
    assert b"redunet: layer 2 of 2, " in stream.buffer.getvalue()


def test_a_long_name_takes_no_more_than_its_share_of_a_message(tmp_path):
    long = "z" * 100_000
    data = write_csv(tmp_path / "long.csv", ["a", long], [[1, long], [2, "y"], [3, "y"]])
    words = ["-o", tmp_path / "m.redunet"]
    for words in (["--target", "b"], ["--target", "a"], ["--target", long]):
        done = call("fit", data, *words, "-o", tmp_path / "m.redunet")
        assert done.exit_code in (1, 2)
        given = len(long) if words[1] == long else 0  # what the user said is repeated
        assert len(done.stderr) < 2000 + 2 * given
    assert len(short_list([long])) < 100


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are Unicode")
def test_names_of_images_that_are_not_utf8_are_answered_with_their_own_bytes(tmp_path):
    image = pytest.importorskip("PIL.Image")
    X = np.random.default_rng(0).integers(0, 255, (8, 36))
    X[::2, :9] = 255
    redunet.ReduNetClassifier(n_layers=0).fit(X, np.arange(8) % 2).save(tmp_path / "m.redunet")
    name = os.fsencode(tmp_path / "images" / "x.png").replace(b"x.png", b"caf\xe9.png")
    (tmp_path / "images").mkdir()
    image.fromarray(X[0].reshape(6, 6).astype(np.uint8)).save(tmp_path / "plain.png")
    os.rename(tmp_path / "plain.png", name)
    done = call("predict", tmp_path / "m.redunet", tmp_path / "images")
    assert done.stdout_bytes == b"file,prediction,reason\ncaf\xe9.png,0,\n", done.output
    done = call("predict", tmp_path / "m.redunet", tmp_path / "images", "--format", "json")
    assert os.fsencode(json.loads(done.stdout)["file"]) == b"caf\xe9.png"
    with open(name, "wb") as file:
        file.write(b"no image")
    done = call("predict", tmp_path / "m.redunet", tmp_path / "images")
    assert done.exit_code == 1
    assert "caf�.png cannot be read as an image" in shown_only(done)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are Unicode")
def test_a_class_whose_name_no_model_can_hold_is_told(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for folder in (b"good", b"caf\xe9"):
        inside = os.path.join(os.fsencode(tmp_path / "images"), folder)
        os.makedirs(inside)
        for i in range(3):
            image.fromarray(np.full((6, 6), 40 * i, np.uint8)).save(tmp_path / "plain.png")
            os.rename(tmp_path / "plain.png", os.path.join(inside, b"%d.png" % i))
    words = ["-o", tmp_path / "m.redunet", "--invariance", "none"]
    done = call("fit", tmp_path / "images", *words)
    assert done.exit_code == 1
    assert "is not UTF-8 text; rename the class." in shown_only(done)
