"""`redunet fit` with moments: what is read twice in blocks gives what all rows together give, in bounded memory."""

import gzip
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import redunet
from redunet.cli import first_reading, fit_request
from redunet.cli.command_errors import DataError
from redunet.cli.files import csv_rows, plain_text, source
from redunet.cli.files.csv_rows import CsvRows
from redunet.cli.files.open_source import open_source
from redunet.cli.files.source import ReadOptions
from redunet.cli.first_reading import FirstReading
from redunet.cli.progress_bar import progress_bar

from .conftest import COLUMNS, call, plants, refused, waves, write_csv


def fitted(*words):
    done = call("fit", *words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout), done.stderr


def table_of(path, n=3000, seed=0):
    X, kinds = plants(n, seed)
    write_csv(path, [*COLUMNS, "kind"], [[*row, kind] for row, kind in zip(X.tolist(), kinds.tolist(), strict=True)])
    return X, kinds


def same_moments(one, other, accuracy=1e-10):
    scale = np.abs(other.moments_.M).max()
    assert_allclose(one.moments_.M, other.moments_.M, rtol=0, atol=accuracy * scale)
    assert_array_equal(one.moments_.class_weight, other.moments_.class_weight)
    assert_array_equal(one.moments_.reservoir.samples, other.moments_.reservoir.samples)


@pytest.fixture
def small_blocks(monkeypatch):
    """Many blocks, and fewer samples to learn from than there are."""

    def blocks_of(n_rows):
        for room in (csv_rows, source):
            monkeypatch.setattr(room, "rows_per_block", lambda n: n_rows)

    blocks_of(100)
    monkeypatch.setattr(first_reading, "ENTRANCE_SAMPLES", 200)
    return blocks_of


def test_a_streamed_fit_is_the_fit_of_all_rows_with_the_same_constant_coordinate(tmp_path, small_blocks):
    X, kinds = table_of(tmp_path / "t.csv")
    words = [
        tmp_path / "t.csv",
        "--target",
        "kind",
        "--construction",
        "moments",
        "--layers",
        2,
        "--evidence-samples",
        300,
    ]
    found, _ = fitted(*words, "-o", tmp_path / "m.redunet")
    saved = redunet.load(tmp_path / "m.redunet")
    offset = saved.network_.geometry.offset
    ours = redunet.ReduNetClassifier(n_layers=2, construction="moments", evidence_samples=300, affine=offset)
    ours.fit(X, kinds)
    same_moments(saved, ours)
    assert list(saved.feature_names_in_) == COLUMNS
    del saved.feature_names_in_
    new, _ = plants(500, 1)
    assert_array_equal(saved.predict(new), ours.predict(new))
    assert_allclose(saved.predict_proba(new), ours.predict_proba(new), atol=1e-9)
    assert (found["construction"], found["samples"], found["evidence_samples"]) == ("moments", 3000, 300)
    assert found["classes"] == {"fern": 1000, "moss": 1000, "oak": 1000}
    assert found["loo_score"] == pytest.approx(ours.loo_score_)
    # The constant coordinate was learned from 200 samples, and is about that of all.
    everything = redunet.ReduNetClassifier(construction="moments").fit(X, kinds)
    assert offset != everything.network_.geometry.offset
    assert offset == pytest.approx(everything.network_.geometry.offset, rel=0.1)


def test_blocks_of_any_size_give_the_same_model(tmp_path, small_blocks):
    table_of(tmp_path / "t.csv", 500)
    models = []
    for n_rows in (1, 7, 499, 10_000):
        small_blocks(n_rows)
        words = [tmp_path / "t.csv", "--target", "kind", "--construction", "moments", "-o", tmp_path / "m.redunet"]
        fitted(*words)
        models.append(redunet.load(tmp_path / "m.redunet"))
    new, _ = plants(500, 1)
    for model in models:
        del model.feature_names_in_
        same_moments(model, models[0])
        assert model.network_.geometry.offset == models[0].network_.geometry.offset
        assert_array_equal(model.predict(new), models[0].predict(new))


def test_signals_with_a_lift_that_is_learned_from_a_few_of_them(tmp_path, small_blocks):
    X, codes = waves(600)
    np.savez(tmp_path / "w.npz", X=X, y=codes)
    words = ["--invariance", "shift", "--lift", "patches", "--channels", 4, "--kernel", 5, "--construction", "moments"]
    found, _ = fitted(tmp_path / "w.npz", *words, "-o", tmp_path / "m.redunet")
    saved = redunet.load(tmp_path / "m.redunet")
    assert found["lift"]["filters"] == "patches"
    ours = redunet.ReduNetClassifier("shift", lift=saved.lift_, construction="moments").fit(X, codes)
    same_moments(saved, ours)
    assert_array_equal(saved.predict(X), ours.predict(X))


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "npy", "columns.npy", "npz"])
def test_every_kind_of_file_gives_the_same_model(tmp_path, small_blocks, ending):
    X, kinds = table_of(tmp_path / "t.csv", 400)
    codes = np.unique(kinds, return_inverse=True)[1]
    path, words = tmp_path / f"u.{ending}", ["--target", "kind"]
    rows = [[*row, code] for row, code in zip(X.tolist(), codes.tolist(), strict=True)]
    if ending in ("csv", "tsv"):
        write_csv(path, [*COLUMNS, "kind"], rows, delimiter="," if ending == "csv" else "\t")
    elif ending == "parquet":
        pd = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        pd.DataFrame(X, columns=COLUMNS).assign(kind=codes).to_parquet(path)
    elif ending == "npz":
        np.savez(path, X=X, y=codes)
        words = []
    else:
        np.save(path, np.asfortranarray(X) if "columns" in ending else X)
        np.save(tmp_path / "y.npy", codes)
        words = ["--labels", tmp_path / "y.npy"]
    fitted(path, *words, "--construction", "moments", "-o", tmp_path / "m.redunet")
    saved = redunet.load(tmp_path / "m.redunet")
    ours = redunet.ReduNetClassifier(construction="moments", affine=saved.network_.geometry.offset).fit(X, codes)
    same_moments(saved, ours)
    assert saved.classes_.tolist() == [0, 1, 2]


def test_many_samples_are_not_kept_and_a_note_says_so(tmp_path, monkeypatch):
    table_of(tmp_path / "t.csv", 300)
    words = [tmp_path / "t.csv", "--target", "kind", "-o", tmp_path / "m.redunet"]
    found, notes = fitted(*words)
    assert found["construction"] == "samples"
    assert not notes
    assert redunet.load(tmp_path / "m.redunet").moments_ is None
    monkeypatch.setattr(fit_request, "MOST_SAMPLE_BYTES", 300 * 4 * 8 - 1)
    # The first rows let expect more, or fewer, rows than there are.
    for expected in (10_000, 10):
        monkeypatch.setattr(CsvRows, "expected_samples", lambda self, n=expected: n)
        found, notes = fitted(*words)
        assert found["construction"] == "moments"
        assert "note: the 300 samples of" in notes
        assert "take 9.6 kB in double precision, so that the model is built from class moments" in notes
    assert fitted(*words, "--construction", "samples")[0]["construction"] == "samples"
    assert fitted(*words, "--checkpoint", tmp_path / "progress")[0]["construction"] == "samples"


def test_the_table_says_that_moments_were_gathered(tmp_path):
    table_of(tmp_path / "t.csv", 300)
    words = ["--target", "kind", "--construction", "moments", "-o", tmp_path / "m.redunet"]
    shown = call("fit", tmp_path / "t.csv", *words).stdout
    assert "moments; 300 samples kept for evidence" in shown
    assert "samples per second)" in shown
    assert call("fit", tmp_path / "t.csv", *words, "--quiet").output == ""


def test_progress_says_how_many_of_all_and_how_many_in_a_second(monkeypatch):
    with progress_bar(False) as progress:
        progress.start = 100.0
        monkeypatch.setattr("redunet.cli.progress_bar.time.monotonic", lambda: 102.0)
        task = progress.bars.tasks[0]
        progress.count(3000, "samples")
        assert (task.fields["detail"], task.total) == ("3,000 samples, 1,500 per second", None)
        progress.count(3000, "samples", 12_000)
        assert (task.fields["detail"], task.total) == ("3,000 of 12,000 samples, 1,500 per second", 12_000)
        assert task.completed == 3000


def test_the_few_samples_of_a_first_reading_keep_their_labels(tmp_path, small_blocks):
    rows = [[i, "oak" if i % 3 else "fern"] for i in range(1, 400)]  # the first label is not the first class
    table = write_csv(tmp_path / "t.csv", ["a", "kind"], rows)
    with progress_bar(False) as progress:
        found = FirstReading(CsvRows(table, ReadOptions(True, target="kind")), np.float64, -1, progress)
    assert found.samples is None
    assert 200 <= len(found.few.samples) < 399
    assert found.classes.tolist() == ["fern", "oak"]
    assert found.class_samples.tolist() == [133, 266]
    expected = np.where(found.few.samples[:, 0] % 3, "oak", "fern")
    assert_array_equal(found.classes[found.few.codes], expected)
    assert_array_equal(found.labels_of(["fern", "oak"]), ["fern", "oak"])
    assert found.labels_of(["fern", "ash"]) is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--construction", "both"], "--construction must be one of samples, moments, got 'both'."),
        (["--construction", "samples", "--evidence-samples", 5], "--evidence-samples goes with --construction moments"),
        (["--construction", "samples", "--like", "m"], "--like goes with --construction moments"),
        (["--construction", "moments", "--checkpoint", "c"], "--checkpoint is for layers that are built from samples"),
        (["--like", "m", "--lift", "pca"], "--lift says how samples enter, and so does --like m; leave out one."),
    ],
)
def test_words_that_do_not_go_together_are_told(here, tmp_path, words, message):
    refused(2, message, "fit", here.table, "--target", "kind", "-o", tmp_path / "m.redunet", *words)
    assert not (tmp_path / "m.redunet").exists()


def test_a_bad_cell_far_behind_is_told_by_its_row_and_nothing_is_written(tmp_path, small_blocks):
    table_of(tmp_path / "t.csv", 1000)
    lines = (tmp_path / "t.csv").read_text().splitlines()
    lines[700] = "1,2,high,4,oak"
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    words = ["fit", tmp_path / "t.csv", "--target", "kind", "--construction", "moments", "-o", tmp_path / "m.redunet"]
    refused(1, "t.csv, row 701, column 'depth': 'high' is not a number; correct it", *words)
    assert os.listdir(tmp_path) == ["t.csv"]


@pytest.mark.parametrize("change", ["more rows", "another label", "the same size"])
def test_a_file_that_changes_between_the_two_readings_is_told(tmp_path, monkeypatch, small_blocks, change):
    path = tmp_path / "t.csv"
    table_of(path, 300)
    begin = redunet.ReduNetClassifier.gather_new

    def change_file(self, *arrays, **options):
        text = path.read_text()
        if change == "more rows":
            path.write_text(text + text.splitlines()[-1] + "\n")
        elif change == "another label":
            path.write_text(text.replace("moss", "mice"))
        else:
            path.write_text(text.replace("1", "2"))
        return begin(self, *arrays, **options)

    monkeypatch.setattr(redunet.ReduNetClassifier, "gather_new", change_file)
    words = ["fit", path, "--target", "kind", "--construction", "moments", "-o", tmp_path / "m.redunet"]
    refused(1, "t.csv was changed while it was read; start again when it is complete.", *words)
    assert os.listdir(tmp_path) == ["t.csv"]


def test_more_labels_than_there_can_be_classes_are_told(tmp_path, monkeypatch, small_blocks):
    monkeypatch.setattr("redunet.cli.files.file_labels.MOST_CLASSES", 50)
    rows = [[i % 7, i % 3, f"id {i // 2}", i / 2] for i in range(300)]
    table = write_csv(tmp_path / "t.csv", ["a", "b", "name", "size"], rows)
    words = ["fit", table, "--construction", "moments", "-o", tmp_path / "m.redunet", "--target"]
    message = "t.csv, row 102: the label 'id 50' is number 51 of the different labels; "
    done = refused(1, message, *words, "name", "--ignore", "size")
    assert "column 'name' may not hold classes, which are at most 50." in done.stderr
    refused(1, "row 3: the label is 0.5, a measurement rather than a class", *words, "size", "--ignore", "name")


@pytest.mark.parametrize("row", [5, 595])
def test_a_sample_without_direction_is_told_by_its_row(tmp_path, small_blocks, row):
    X, codes = waves(600)
    X[row] = 0
    np.savez(tmp_path / "w.npz", X=X, y=codes)
    words = ["--invariance", "shift", "--lift", "random", "--channels", 4, "--kernel", 5, "--construction", "moments"]
    message = f"sample {row} (counting from 0): all numbers are zero, so that the sample has no direction; remove it."
    refused(1, message, "fit", tmp_path / "w.npz", *words, "-o", tmp_path / "m.redunet")


def test_an_empty_table_is_told(tmp_path):
    table = write_csv(tmp_path / "t.csv", ["a", "y"], [])
    words = ["fit", table, "--target", "y", "--construction", "moments", "-o", tmp_path / "m.redunet"]
    refused(1, "t.csv, column 'y': there are no samples; add some.", *words)


PLAIN = "a,b,y\n" + "".join(f"{i / 7!r},{-i * 1e-7!r}, kind {i % 3} \n" for i in range(50))


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN + "1,2,z\r3,4,z\n" * 20,
        PLAIN.rstrip("\n"),
        PLAIN + "\n\n",
        "\ufeff" + PLAIN,
        PLAIN.replace(" kind 1 ", '"kind, 1"'),
        PLAIN.replace(" kind 1 ", '"kind 1"'),
        PLAIN.replace("a,b,y", '"a","b","y"'),
        PLAIN + '1,2,"two\nlines"\n1,2,z\n',
        PLAIN + "+1, .5,z\n1.,00012,z\n1e-320,1E5,z\n١,2,z\n-0,0,z\n",
    ],
)
def test_plain_text_is_read_to_the_same_bits_with_and_without_pyarrow(tmp_path, monkeypatch, text):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(plain_text, "LEAST_BYTES", 0)
    monkeypatch.setattr(csv_rows, "rows_per_block", lambda n: 20)
    (tmp_path / "t.csv").write_bytes(text.encode())
    n_plain = []
    calm = plain_text.PlainBlocks.__iter__

    def counted(self):
        for block in calm(self):
            n_plain.append(len(block.samples))
            yield block

    monkeypatch.setattr(plain_text.PlainBlocks, "__iter__", counted)
    for piece_bytes in (64, 4 * 2**20):
        monkeypatch.setattr(plain_text, "PIECE_BYTES", piece_bytes)
        fast = list(CsvRows(tmp_path / "t.csv", ReadOptions(True, target="y")).blocks())
        assert sum(n_plain) >= (20 if '"' not in text[:100] and "\n" in text[:100] else 0)
        with monkeypatch.context() as patch:
            patch.setattr(plain_text, "_arrow", lambda: None)
            slow = list(CsvRows(tmp_path / "t.csv", ReadOptions(True, target="y")).blocks())
        assert [block.start for block in fast] == [block.start for block in slow]
        for one, other in zip(fast, slow, strict=True):
            assert_array_equal(one.samples.view(np.int64), other.samples.view(np.int64))
            assert one.labels == other.labels


@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_plain_text_without_names_is_read_from_its_first_row_on(tmp_path, monkeypatch, start):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(plain_text, "LEAST_BYTES", 0)
    monkeypatch.setattr(csv_rows, "rows_per_block", lambda n: 20)
    rows = PLAIN.split("\n", 1)[1]
    (tmp_path / "t.csv").write_text(start + rows, encoding="utf-8")
    options = ReadOptions(True, target="c3", header=False)
    source = CsvRows(tmp_path / "t.csv", options)
    plain = plain_text.PlainBlocks(source._plain_table(), 20)
    fast = list(plain)
    assert plain.at_end
    monkeypatch.setattr(plain_text, "_arrow", lambda: None)
    slow = list(source.blocks())
    assert [len(block.samples) for block in fast] == [len(block.samples) for block in slow] == [20, 20, 10]
    assert [block.labels for block in fast] == [block.labels for block in slow]
    for one, other in zip(fast, slow, strict=True):
        assert_array_equal(one.samples, other.samples)
    monkeypatch.undo()
    monkeypatch.setattr(plain_text, "LEAST_BYTES", 0)
    monkeypatch.setattr(csv_rows, "rows_per_block", lambda n: 20)
    (tmp_path / "t.csv").write_text(start + rows + "1,x,z\n", encoding="utf-8")  # after two plain blocks
    with pytest.raises(DataError, match="row 51, column 'c2': 'x' is not a number"):
        list(CsvRows(tmp_path / "t.csv", options).blocks())


def test_packed_text_is_left_to_the_reader_that_unpacks(tmp_path, monkeypatch):
    monkeypatch.setattr(plain_text, "LEAST_BYTES", 0)
    with gzip.open(tmp_path / "t.csv.gz", "wt") as file:
        file.write(PLAIN)
    (tmp_path / "t.csv").write_text(PLAIN)
    options = ReadOptions(True, target="y")
    (packed,), (plain,) = (list(CsvRows(tmp_path / name, options).blocks()) for name in ("t.csv.gz", "t.csv"))
    assert_array_equal(packed.samples, plain.samples)
    assert packed.labels == plain.labels


def test_about_how_many_samples_there_are_is_known_before_they_are_read(tmp_path):
    X, codes = waves(400)
    rows = [[*row, code] for row, code in zip(X.round(3).tolist(), codes.tolist(), strict=True)]
    names = [f"c{i + 1}" for i in range(25)]
    table = write_csv(tmp_path / "t.csv", names, rows)
    (tmp_path / "bare.csv").write_text(table.read_text().split("\n", 1)[1])
    (tmp_path / "t.ts").write_text("".join(",".join(map(str, row[:-1])) + f":{row[-1]}\n" for row in rows))
    for name, options in (
        ("t.csv", ReadOptions(True, target="c25")),
        ("bare.csv", ReadOptions(True, target="c25", header=False)),
        ("t.ts", ReadOptions(True)),
    ):
        assert 380 < open_source(tmp_path / name, options).expected_samples() < 420, name


def test_a_column_that_numbers_the_rows_is_noticed_in_a_streamed_fit_too(tmp_path, small_blocks):
    X, kinds = plants(600)
    rows = [[i, *row, kind] for i, (row, kind) in enumerate(zip(X.tolist(), kinds, strict=True))]
    table = write_csv(tmp_path / "t.csv", ["nr", *COLUMNS, "kind"], rows)
    words = ["--target", "kind", "--construction", "moments", "-o", tmp_path / "m.redunet"]
    assert "note: column 'nr' of" in call("fit", table, *words).stderr
    assert "note" not in call("fit", table, *words, "--ignore", "nr").stderr


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,x,z", "row 52, column 'b': 'x' is not a number; correct it"),
        ("1,1_0,z", "row 52, column 'b': '1_0' is not a number; correct it"),
        ("1,inf,z", "row 52, column 'b': inf is not finite; correct it"),
        ("1,2", "row 52: 2 fields, but row 1 names 3 columns"),
        ("1,2,", "row 52, column 'y': the label is empty; fill it in"),
        ("1,2,z\0", "row 52: the row holds a zero byte"),
        ("1,2,\udcff", "is not UTF-8 text (after row"),
        ("", "row 52: the row is empty; remove it"),
        ('1,2,"z', "row 52: a quoted field is not closed"),
        ("1,2," + "z" * 140_000, "row 52: a field is longer than 131,072 characters"),
    ],
)
def test_errors_of_plain_text_are_the_same_with_and_without_pyarrow(tmp_path, monkeypatch, row, message):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(plain_text, "LEAST_BYTES", 0)
    monkeypatch.setattr(csv_rows, "rows_per_block", lambda n: 20)
    (tmp_path / "t.csv").write_bytes((PLAIN + row + "\n1,2,z\n").encode(errors="surrogateescape"))
    words = ["fit", tmp_path / "t.csv", "--target", "y", "-o", tmp_path / "m.redunet"]
    first = refused(1, message, *words)
    monkeypatch.setattr(plain_text, "_arrow", lambda: None)
    assert call(*words).stderr == first.stderr


CODE = """
import re, sys
from pathlib import Path
from redunet.cli.fit_request import FitRequest
from redunet.cli.fit_command import fit
from redunet.cli.update_command import UpdateRequest, update
table, more, model = map(Path, sys.argv[1:4])
assert fit(FitRequest(table, model, target="y", construction="moments", quiet=True)) == 0
assert update(UpdateRequest(model, more, target="y", quiet=True)) == 0
sys.stdout.write(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_four_times_the_rows_take_hardly_more_memory(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 99, (50_000, 32)).tolist()
    text = "".join(",".join(map(str, row)) + f",{i % 3}\n" for i, row in enumerate(rows))
    peaks = []
    for times in (1, 4):
        for name in ("t", "u"):
            header, other_end = ",".join(f"c{i}" for i in range(32)) + ",y\n", "1," * 32 + f"{name == 't':d}\n"
            (tmp_path / f"{name}.csv").write_text(header + text * times + other_end)
        words = [tmp_path / "t.csv", tmp_path / "u.csv", tmp_path / "m.redunet"]
        done = subprocess.run([sys.executable, "-c", CODE, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        peaks.append(1024 * int(done.stdout))
    assert peaks[1] < peaks[0] + 16e6, peaks  # the numbers of 150,000 more rows would take 38 MB, their text far more
    assert peaks[1] < 500e6
