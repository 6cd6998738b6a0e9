"""`redunet explain`: the two nearest classes, by how much, and the strongest columns or positions."""

import csv
import io
import json
import sys

import numpy as np
import pytest

import redunet
from redunet import plot
from redunet.cli.command_errors import UsageError
from redunet.cli.explain_command import value_names
from redunet.cli.explanation_picture import refuse_undrawable

from .conftest import COLUMNS, call, refused, write_csv

PIXEL = b"\x89PNG"


@pytest.fixture(scope="module")
def why(here):
    """The explanation in Python of the samples of the table."""
    model = redunet.load(here.model)
    del model.feature_names_in_
    return model.explain(here.X)


def test_each_sample_gets_a_line_with_its_strongest_columns(here, why):
    done = call("explain", here.model, here.table, "--top", 2)
    assert done.exit_code == 0, done.output
    assert "has columns that the model does not use: 'kind'; they are ignored." in done.stderr
    header, *rows = csv.reader(io.StringIO(done.stdout))
    assert header == ["row", "prediction", "second", "difference", "strongest 1", "share 1", "strongest 2", "share 2"]
    assert [row[0] for row in rows] == [str(i + 2) for i in range(60)]
    assert [row[1] for row in rows] == why.nearest.tolist()
    assert [row[2] for row in rows] == why.other.tolist()
    np.testing.assert_allclose([float(row[3]) for row in rows], why.difference, rtol=1e-5)
    for row, shares in zip(rows, why.positions, strict=True):
        strongest = sorted(range(4), key=lambda j: -abs(shares[j]))[:2]
        assert [row[4], row[6]] == [COLUMNS[j] for j in strongest]
        np.testing.assert_allclose([float(row[5]), float(row[7])], shares[strongest], rtol=1e-5)


def test_json_has_the_same_in_an_object_to_a_line(here, tmp_path):
    lines = call("explain", here.model, here.table, "--format", "json", "--quiet").stdout.splitlines()
    rows = list(csv.reader(io.StringIO(call("explain", here.model, here.table, "--quiet").stdout)))[1:]
    assert len(lines) == 60
    for line, row in zip(lines, rows, strict=True):
        one = json.loads(line)
        assert list(one) == ["row", "prediction", "second", "difference", "strongest"]
        assert len(one["strongest"]) == 4  # five were asked for, and there are four
        assert [str(one["row"]), one["prediction"], one["second"], str(one["difference"])] == row[:4]
        assert [part for pair in one["strongest"] for part in (pair["name"], str(pair["share"]))] == row[4:]
    out = tmp_path / "why.json"
    assert call("explain", here.model, here.table, "--format", "json", "-o", out, "--quiet").stdout == ""
    assert out.read_text().splitlines() == lines


def test_one_row_is_the_row_that_predict_names(here, monkeypatch):
    from redunet.cli.files import source

    whole = call("explain", here.model, here.table).stdout.splitlines()
    monkeypatch.setattr(source, "BLOCK_ROWS", 7)
    for row in (2, 30, 61):
        assert call("explain", here.model, here.table, "--row", row).stdout.splitlines() == [whole[0], whole[row - 1]]
    message = "--row 62: " + str(here.table) + " has no such row; they go from '2' to '61'."
    refused(2, message, "explain", here.model, here.table, "--row", 62)


def test_a_row_that_is_not_there_leaves_no_file(here, tmp_path):
    out = tmp_path / "why.csv"
    refused(2, "--row 1: ", "explain", here.model, here.table, "--row", 1, "-o", out)
    assert not list(tmp_path.iterdir())


def test_positions_of_signals_and_images_have_names():
    assert value_names((1, 3), None) == ["position 0", "position 1", "position 2"]
    assert value_names((1, 3), ["t0", "t1", "t2"]) == ["t0", "t1", "t2"]
    assert value_names((2, 2), None)[2] == "channel 1, position 0"
    assert value_names((1, 2, 2), None)[1] == "row 0, column 1"
    assert value_names((3, 2, 2), None)[-1] == "channel 2, row 1, column 1"
    assert value_names((1, 2, 2, 2), None)[-1] == "position 1 1 1"
    assert value_names((2,), None) == ["feature 0", "feature 1"]


def test_signals_in_an_array_are_explained_by_position(here, tmp_path):
    np.save(tmp_path / "t.npy", here.signals)
    one = json.loads(call("explain", here.waves, tmp_path / "t.npy", "--row", 3, "--top", 1, "--format", "json").stdout)
    assert one["sample"] == 3
    shares = redunet.load(here.waves).explain(here.signals[3:4]).positions[0, 0]
    assert one["strongest"][0]["name"] == f"position {np.abs(shares).argmax()}"


@pytest.fixture
def drawn(monkeypatch):
    """What the functions of ``redunet.plot`` were asked to draw, which they do."""
    seen = []
    drawings = {name: getattr(plot, name) for name in ("feature_shares", "signal_shares", "image_shares")}
    for name in drawings:

        def draw(values, shares, ax, name=name):
            seen.append((name, values, shares))
            return drawings[name](values, shares, ax)

        monkeypatch.setattr(plot, name, draw)
    return seen


def test_what_cannot_be_drawn_is_refused_before_anything_is_written(here, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="the model takes samples of shape 1,4,5,6; leave it out"):
        refuse_undrawable((1, 4, 5, 6))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    words = ["explain", here.model, here.table, "-o", tmp_path / "why.csv", "--plot", tmp_path / "why.png"]
    refused(1, "pictures need matplotlib, which is not installed; run: pip install matplotlib", *words)
    assert not list(tmp_path.iterdir())


def test_the_first_sample_is_drawn(here, why, drawn, tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "why.png"
    assert call("explain", here.model, here.table, "--row", 5, "--plot", out).exit_code == 0
    assert out.read_bytes()[:4] == PIXEL
    ((name, names, shares),) = drawn
    assert (name, names) == ("feature_shares", COLUMNS)
    np.testing.assert_allclose(shares, why.positions[3], rtol=1e-10)
    np.save(tmp_path / "t.npy", here.signals)
    assert call("explain", here.waves, tmp_path / "t.npy", "--plot", out).exit_code == 0
    name, values, shares = drawn[-1]
    assert name == "signal_shares"
    assert shares.shape == (24,)
    np.testing.assert_array_equal(values, here.signals[0])
    assert len(drawn) == 2


def test_an_image_is_drawn_and_explained_by_row_and_column(drawn, tmp_path):
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    for i in range(12):
        pixels = rng.integers(0, 60, (6, 8))
        pixels[(2, slice(None)) if i % 2 else (slice(None), 2)] += 150
        folder = tmp_path / "images" / ("rows" if i % 2 else "columns")
        folder.mkdir(exist_ok=True, parents=True)
        image.fromarray(pixels.astype(np.uint8)).save(folder / f"{i}.png")
    out = tmp_path / "m.redunet"
    words = ["--lift", "random", "--channels", 6, "--kernel", 3, "--layers", 0]
    assert call("fit", tmp_path / "images", "-o", out, *words).exit_code == 0
    done = call("explain", out, tmp_path / "images", "--row", "rows/3.png", "--plot", tmp_path / "why.png")
    assert done.exit_code == 0, done.output
    header, (row, *_) = (lambda first, *rest: (first, rest))(*csv.reader(io.StringIO(done.stdout)))
    assert (header[0], row[0], row[1]) == ("file", "rows/3.png", "rows")
    shares = redunet.load(out).explain(drawn[0][1][None, None]).positions[0, 0]
    assert row[4] == "row {}, column {}".format(*np.unravel_index(np.abs(shares).argmax(), shares.shape))
    assert drawn[0][0] == "image_shares"
    assert (tmp_path / "why.png").read_bytes()[:4] == PIXEL
    single = call("explain", out, tmp_path / "images" / "rows" / "3.png", "--quiet").stdout.splitlines()[1]
    assert single.split(",")[1:] == done.stdout.splitlines()[1].split(",")[1:]
    message = "has no such file; they go from 'columns/0.png' to 'rows/9.png'. Did you mean 'rows/3.png'?"
    refused(2, message, "explain", out, tmp_path / "images", "--row", "row/3.png")


def test_a_file_without_samples_is_a_note(here, tmp_path):
    write_csv(tmp_path / "none.csv", COLUMNS, [])
    done = call("explain", here.model, tmp_path / "none.csv")
    assert f"note: {tmp_path / 'none.csv'} has no samples." in done.stderr
    refused(2, "has no such row; it has none.", "explain", here.model, tmp_path / "none.csv", "--row", 2)


def test_a_sample_that_the_model_refuses_is_named(here, tmp_path):
    write_csv(tmp_path / "t.csv", COLUMNS, [[1, 2, 3, 4], [1, 2, "x", 4]])
    refused(1, "t.csv, row 3, column 'depth': 'x' is not a number", "explain", here.model, tmp_path / "t.csv")
