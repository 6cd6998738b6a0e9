"""Tables packed with gzip, .ts files of the UCR and UEA archives, sheets of Excel files."""

import csv
import gzip
import io
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import redunet
from redunet.cli.files import xlsx_rows
from redunet.cli.files.open_source import open_source
from redunet.cli.files.source import ReadOptions
from redunet.data.formats import read_ts

from .conftest import COLUMNS, call, refused, waves, write_csv

# --- gzip -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "words"), [
    ("plants.csv.gz", []), ("PLANTS.CSV.GZ", []), ("plants.gz", ["--delimiter", ","])])  # fmt: skip
def test_a_packed_table_is_read_as_the_table_itself(here, tmp_path, name, words):
    packed = tmp_path / name
    packed.write_bytes(gzip.compress(here.table.read_bytes()))
    assert call("fit", packed, "--target", "kind", "-o", tmp_path / "m.redunet", *words).exit_code == 0
    assert (tmp_path / "m.redunet").read_bytes() == here.model.read_bytes()
    words = [*words, "--quiet"]
    assert call("predict", here.model, packed, *words).stdout == call("predict", here.model, here.table).stdout


def test_a_packed_table_of_tabs(here, tmp_path):
    text = here.table.read_text().replace(",", "\t").encode()
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(text[:500]) + gzip.compress(text[500:]))  # two parts are legal
    assert call("fit", tmp_path / "t.tsv.gz", "--target", "kind", "-o", tmp_path / "m.redunet").exit_code == 0
    assert (tmp_path / "m.redunet").read_bytes() == here.model.read_bytes()


def test_a_packed_file_that_is_damaged_or_cut_is_told(here, tmp_path):
    packed = gzip.compress(here.table.read_bytes() * 50)
    path = tmp_path / "t.csv.gz"
    words = ["fit", path, "--target", "kind", "-o", tmp_path / "m.redunet"]
    path.write_bytes(packed[:-9])
    refused(1, "t.csv.gz is cut short: the packed file ends after ", *words)
    path.write_bytes(here.table.read_bytes())
    done = refused(1, "t.csv.gz is damaged or not a gzip file, after 0 bytes of text: Not a gzipped file", *words)
    assert "get the file again, or take the ending .gz off its name." in done.stderr
    path.write_bytes(packed[:-8] + b"12345678")
    refused(1, "t.csv.gz is damaged or not a gzip file, after ", *words)
    middle = len(packed) // 2
    path.write_bytes(packed[:middle] + b"\xff" * 40 + packed[middle + 40 :])
    refused(1, "t.csv.gz is damaged or not a gzip file, after ", *words)
    path.write_bytes(b"")
    refused(1, "t.csv.gz is empty", *words)


def test_a_packed_table_is_unpacked_a_piece_at_a_time(tmp_path):
    with gzip.open(tmp_path / "long.csv.gz", "wt") as file:
        file.write("a,b\n")
        for _ in range(40):
            file.write("1.5,2.5\n" * 50_000)
    assert (tmp_path / "long.csv.gz").stat().st_size < 200_000
    source = open_source(tmp_path / "long.csv.gz", ReadOptions(False))
    tracemalloc.start()
    n = sum(len(block.samples) for block in source.blocks())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n == 2_000_000
    assert peak < 8_000_000  # the text has 16 MB


# --- .ts ------------------------------------------------------------------------------------------------------------

HEAD = "#made for a test\n@problemName Waves\n@timestamps false\n@univariate true\n@classLabel true 0 1\n@data\n"


def ts_lines(X, labels=None):
    lines = [":".join(",".join(map(repr, channel)) for channel in np.atleast_2d(x).tolist()) for x in X]
    return "".join(f"{line}\n" for line in lines) if labels is None else "".join(
        f"{line}:{label}\n" for line, label in zip(lines, labels, strict=True))  # fmt: skip


def test_signals_of_the_archive_are_read_as_its_own_reader_reads_them(tmp_path):
    X, codes = waves(24)
    path = tmp_path / "Waves_TRAIN.ts"
    path.write_text(HEAD + ts_lines(X, codes))
    (block,) = open_source(path, ReadOptions(True)).blocks()
    signals, labels = read_ts(path)
    assert_array_equal(block.samples, signals)
    assert block.labels == labels.tolist()
    words = ["--invariance", "shift", "--lift", "random", "--channels", 4, "--kernel", 5, "--layers", 0]
    out = tmp_path / "m.redunet"
    assert call("fit", path, "-o", out, *words).exit_code == 0
    assert redunet.load(out).sample_shape_ == (1, 24)
    answers = call("predict", out, path).stdout
    assert answers.startswith("signal,prediction,reason\n1,")
    for head in (HEAD.replace("@classLabel true 0 1", "@classLabel false"), "@data\n", ""):
        (tmp_path / "new.ts").write_text(head + ts_lines(X))
        assert call("predict", out, tmp_path / "new.ts").stdout == answers
    assert '"accuracy": 1.0' in call("evaluate", out, path, "--json").stdout


def test_signals_of_several_channels_are_read(tmp_path):
    X, codes = waves(24)
    both = np.stack([X, X[:, ::-1]], axis=1)
    path = tmp_path / "Waves.ts"
    path.write_text(HEAD.replace("@univariate true", "@univariate false") + ts_lines(both, codes))
    (block,) = open_source(path, ReadOptions(True)).blocks()
    assert_array_equal(block.samples, both)
    out = tmp_path / "m.redunet"
    refused(2, "pass --invariance shift.", "fit", path, "-o", out)
    assert call("fit", path, "-o", out, "--invariance", "shift", "--lift", "none", "--layers", 0).exit_code == 0
    assert redunet.load(out).sample_shape_ == (2, 24)
    assert call("predict", out, path).exit_code == 0
    path.write_text(HEAD + ts_lines(X, codes))
    message = "Waves.ts has signals of shape 24, but the model takes 2 × 24; take another file, or another model."
    refused(1, message, "predict", out, path)


def test_a_signal_that_cannot_be_answered_has_a_reason_and_stops_no_other(here, tmp_path):
    lines = ts_lines(here.signals[:5]).splitlines()
    lines[1] = lines[1].replace(",", ",?,", 1).rpartition(",")[0]
    lines[3] += ",1.5"
    (tmp_path / "new.ts").write_text("@classLabel false\n@data\n" + "\n".join(lines))
    done = call("predict", here.waves, tmp_path / "new.ts")
    assert done.exit_code == 3
    found = list(csv.DictReader(io.StringIO(done.stdout)))
    answers = redunet.load(here.waves).predict(here.signals[:5])
    assert [row["prediction"] for row in found] == [str(answers[0]), "", str(answers[2]), "", str(answers[4])]
    assert found[1]["reason"] == "line 4, value 2: '?' is no value; fill it in, or remove the row"
    assert found[3]["reason"].startswith("line 6: 25 values, but the first signal has 24; bring all signals to one")
    refused(1, "new.ts, line 4, value 2: '?' is no value", "explain", here.waves, tmp_path / "new.ts")


def test_many_signals_come_in_blocks(tmp_path, monkeypatch):
    from redunet.cli.files import source

    monkeypatch.setattr(source, "BLOCK_ROWS", 10)
    X, codes = waves(25)
    (tmp_path / "t.ts").write_text(HEAD + ts_lines(X, codes))
    blocks = list(open_source(tmp_path / "t.ts", ReadOptions(True)).blocks())
    assert [block.start for block in blocks] == [0, 10, 20]
    assert_array_equal(np.concatenate([block.samples for block in blocks]), X)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "1,2:a\n1,2,3:b\n", "t.ts, line 8: 3 values, but the first signal has 2; bring all signals to one"),
        (HEAD + "1,2:a\n1,?:b\n", "t.ts, line 8, value 2: '?' is no value; fill it in"),
        (HEAD + "1,2:3,4:a\n1,2:3,x:b\n", "t.ts, line 8, value 2 of channel 2: 'x' is not a number; correct it"),
        (HEAD + "1,2:3,4:a\n1,2:b\n", "t.ts, line 8: 1 channels, but the first signal has 2; write all of them"),
        (HEAD + "1,2:a\n1,2\n", "t.ts, line 8: expected numbers, a colon and a label, got '1,2'; correct it"),
        (HEAD + "1,2:a\n\n1,3:\n", "t.ts, line 9: the label is empty; fill it in, or remove the signal."),
        (HEAD, "t.ts holds no signals; after a line @data there must be one to a line."),
        (HEAD.replace("true 0 1", "false") + "1,2\n", "t.ts, line 7: the signal has no label; end each line with"),
        (HEAD.replace("stamps false", "stamps true") + "(0,1),(1,2):a\n", "line 3: values have timestamps, which are"),
        (HEAD + "1,2:a\n3,4:a\n", "t.ts, ends of the lines: all 2 labels are 'a'"),
        (HEAD + "1,2:a\n3,4:a\n5,6:b\n", "t.ts, signal 3: class 'b' has this one sample only"),
        (b"\xff\xfe1", "t.ts is not UTF-8 text (byte 0xff); save it as UTF-8."),
    ],
)
def test_a_wrong_ts_file_is_told(tmp_path, text, message):
    (tmp_path / "t.ts").write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(1, message, "fit", tmp_path / "t.ts", "-o", tmp_path / "m.redunet", "--invariance", "shift")


def test_a_line_without_an_end_is_not_read_into_memory(tmp_path, monkeypatch):
    from redunet.cli.files import ts_signals

    monkeypatch.setattr(ts_signals, "MOST_ROW_CHARACTERS", 100)
    (tmp_path / "t.ts").write_text(HEAD + "1," * 200)
    refused(
        1, "t.ts, line 7: the line goes on after 100 characters; end", "fit", tmp_path / "t.ts", "-o", tmp_path / "m"
    )


# --- Excel ----------------------------------------------------------------------------------------------------------


def write_xlsx(path, rows, *more_sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for rows_of_sheet in more_sheets:
        sheet = book.create_sheet()
        for row in rows_of_sheet:
            sheet.append(row)
    book.save(path)
    return path


def test_the_first_sheet_is_read_as_the_same_table_in_csv(here, tmp_path):
    rows = [[*row, kind] for row, kind in zip(here.X.tolist(), here.kinds.tolist(), strict=True)]
    path = write_xlsx(tmp_path / "plants.xlsx", [[*COLUMNS, "kind"], *rows], [["another", "sheet"]])
    done = call("fit", path, "--target", "kind", "-o", tmp_path / "m.redunet")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "m.redunet").read_bytes() == here.model.read_bytes()
    assert call("predict", here.model, path).stdout == call("predict", here.model, here.table).stdout


def test_numbers_without_names_whole_labels_and_empty_cells_at_the_end(here, tmp_path):
    rows = [[float(i % 2), *row] for i, row in enumerate(here.X.tolist())]
    path = write_xlsx(tmp_path / "t.xlsx", [*rows, [None], [None, None]])
    out = tmp_path / "m.redunet"
    refused(2, "add --no-header --target c1; the columns are then called c1 to c5", "fit", path, "-o", out)
    assert call("fit", path, "-o", out, "--no-header", "--target", "c1").exit_code == 0
    assert redunet.load(out).classes_.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a", "b", "kind"], [1, None, "x"]], "t.xlsx, row 2, column 'b': empty cell; fill it in"),
        ([["a", "b", "kind"], [1, "red", "x"]], "t.xlsx, row 2, column 'b': 'red' is not a number; correct it"),
        ([["a", "b", "kind"], [1, 2]], "t.xlsx, row 2, column 'kind': the label is empty"),
        ([["a", "kind"], [1, "x", 7]], "row 2: 3 fields, but row 1 names 2 columns; name the other columns in row 1,"),
        ([["a", "kind"], [1, "x"], [None], [2, "y"]], "t.xlsx, row 3: the row is empty; remove it, or fill it in."),
        ([["a", None, "kind"], [1, 2, "x"]], "row 1: column 2 has no name; name it"),
        ([], "t.xlsx is empty; its first row must hold the names of the columns."),
    ],
)
def test_a_wrong_sheet_is_told_in_its_own_terms(tmp_path, rows, message):
    write_xlsx(tmp_path / "t.xlsx", rows)
    refused(1, message, "fit", tmp_path / "t.xlsx", "--target", "kind", "-o", tmp_path / "m.redunet")


def test_a_row_of_a_sheet_that_cannot_be_answered_has_a_reason(here, tmp_path):
    rows = [COLUMNS, *here.X[:4].tolist()]
    rows[2][1] = "low"
    rows[4][3] = None
    write_xlsx(tmp_path / "new.xlsx", rows)
    done = call("predict", here.model, tmp_path / "new.xlsx")
    assert done.exit_code == 3
    found = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [bool(row["prediction"]) for row in found] == [True, False, True, False]
    assert found[1]["reason"] == "column 'width': 'low' is not a number; correct it"
    assert found[3]["reason"] == "column 'weight': empty cell; fill it in, or remove the row"


def test_a_damaged_excel_file_is_told(here, tmp_path, monkeypatch):
    path = write_xlsx(tmp_path / "t.xlsx", [["a", "kind"], *([i, "xy"[i % 2]] for i in range(500))])
    words = ["fit", path, "--target", "kind", "-o", tmp_path / "m.redunet"]
    whole = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(xlsx_rows, "MOST_BYTES_IN_MEMORY", 1000)
        refused(1, "of text, pictures and styles, and at most 1 kB are read; save the sheet as CSV.", *words)
    path.write_bytes(whole[: len(whole) // 2])
    refused(1, "t.xlsx is damaged or not an XLSX file: File is not a zip file; save it again, or as CSV.", *words)
    path.write_bytes(here.table.read_bytes())
    refused(1, "t.xlsx is damaged or not an XLSX file", *words)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("something.txt", "else")
    refused(1, "t.xlsx is damaged or not an XLSX file", *words)


def test_without_openpyxl_the_line_that_installs_it_is_given(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "t.xlsx").write_bytes(b"")
    message = "XLSX files need openpyxl, which is not installed; run: pip install openpyxl"
    refused(1, message, "fit", tmp_path / "t.xlsx", "--target", "kind", "-o", tmp_path / "m.redunet")


def test_the_options_of_a_sheet(tmp_path):
    write_csv(tmp_path / "t.xlsx", ["a"], [[1]])
    message = "--delimiter goes with CSV and TSV files, and"
    refused(2, message, "fit", tmp_path / "t.xlsx", "--delimiter", ";", "-o", tmp_path / "m.redunet")
