"""Tables that were altered or made to harm are reported with file and row, and are read in bounded memory."""

import tracemalloc
from contextlib import contextmanager

import numpy as np
import pytest

from redunet.cli.command_errors import DataError
from redunet.cli.files.csv_rows import CsvRows
from redunet.cli.files.source import ReadOptions

from .conftest import COLUMNS, call, refused


@contextmanager
def memory_below(n_bytes):
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < n_bytes
    finally:
        tracemalloc.stop()


HEADER = ",".join(COLUMNS) + "\n"


@pytest.mark.parametrize("row", [1, 2, 3])
def test_a_row_of_millions_of_fields_is_refused_before_they_are_taken_apart(here, tmp_path, row):
    lines = [HEADER, "1,2,3,4\n", "1,2,3,4\n"]
    lines[row - 1] = "11," * 4_500_000 + "11\n"
    (tmp_path / "t.csv").write_text("".join(lines))
    message = f"t.csv, row {row}: the row goes on after 80,000,000 characters or 4,000,000 fields"
    with memory_below(100e6):  # the text of the row, and not its fields, which take 300 MB
        refused(1, message, "predict", here.model, tmp_path / "t.csv")


def test_a_row_of_many_lines_is_one_row(here, tmp_path):
    """Quoted fields go on in the next line, so that short lines can make a long row."""
    (tmp_path / "t.csv").write_text(HEADER + '"a\n","b\n",' * 2_100_000 + "\n")
    refused(1, "t.csv, row 2: the row goes on after", "predict", here.model, tmp_path / "t.csv")


def test_rows_that_are_too_long_are_not_collected(here, tmp_path):
    (tmp_path / "t.csv").write_text(HEADER + ("1," * 100_000 + "1\n") * 200)
    with memory_below(30e6):
        refused(1, "t.csv, row 2: 100001 fields, but row 1 names 4 columns", "predict", here.model, tmp_path / "t.csv")


def test_long_text_in_other_columns_is_not_collected(here, tmp_path):
    long = "z" * 100_000
    (tmp_path / "t.csv").write_text("note," + HEADER + f"{long},1,2,3,4\n" * 800)
    with memory_below(60e6):  # the text of all rows takes 80 MB
        n_rows = 0
        for block in CsvRows(tmp_path / "t.csv", ReadOptions(False, names=tuple(COLUMNS))).blocks():
            np.testing.assert_array_equal(block.samples, np.tile([1.0, 2, 3, 4], (len(block.samples), 1)))
            n_rows += len(block.samples)
        assert n_rows == 800


def test_a_field_of_endless_text_is_told_with_its_row(here, tmp_path):
    for row in ("z" * 140_000 + ",2,3,4", '1,"' + "z" * 140_000 + '",3,4', '1,"' + "2\n" * 140_000):
        (tmp_path / "t.csv").write_text(HEADER + "1,2,3,4\n" + row + "\n")
        message = "t.csv, row 3: a field is longer than 131,072 characters, or its opening quote has no closing one"
        refused(1, message, "predict", here.model, tmp_path / "t.csv")


@pytest.mark.parametrize("text", ["1,2\0,3,4\n", "\0\0\0\0\n", "1,2,3,4\0\n"])
def test_zero_bytes_are_told_with_their_row(here, tmp_path, text):
    (tmp_path / "t.csv").write_bytes((HEADER + "1,2,3,4\n" + text).encode())
    message = "t.csv, row 3: the row holds a zero byte, which text does not have; save the file as CSV in UTF-8."
    refused(1, message, "predict", here.model, tmp_path / "t.csv")
    (tmp_path / "t.csv").write_bytes(HEADER.encode("utf-16-le"))
    refused(1, "t.csv, row 1: the row holds a zero byte", "predict", here.model, tmp_path / "t.csv")


def test_a_table_that_is_emptied_between_two_looks_is_told(tmp_path):
    (tmp_path / "t.csv").write_text(HEADER + "1,2,3,4\n")
    rows = CsvRows(tmp_path / "t.csv", ReadOptions(False, names=tuple(COLUMNS)))
    for text in ("", "a,b\n1,2\n"):
        (tmp_path / "t.csv").write_text(text)
        with pytest.raises(DataError, match=r"t\.csv was changed while it was read; start again"):
            list(rows.blocks())
    (tmp_path / "t.csv").unlink()
    with pytest.raises(DataError, match=r"t\.csv cannot be read: No such file or directory\."):
        list(rows.blocks())


def test_old_line_ends_make_rows_too(here, tmp_path):
    answers = set()
    for end in ("\n", "\r\n", "\r"):
        (tmp_path / "t.csv").write_bytes(("\ufeff" + HEADER + "1,2,3,4\n4,3,2,1\n").replace("\n", end).encode())
        done = call("predict", here.model, tmp_path / "t.csv")
        assert done.exit_code == 0, done.output
        answers.add(done.stdout)
    assert len(answers) == 1


def parquet(path, columns, **options):
    arrow, writer = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    writer.write_table(arrow.table(columns), path, **options)
    return path


def test_parquet_files_with_bytes_changed_are_read_or_told(here, tmp_path):
    columns = dict(zip(COLUMNS, here.X[:3].T.copy(), strict=True))
    path = parquet(tmp_path / "t.parquet", columns | {"kind": ["ä", "b", "c"]})
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    for at in rng.choice(len(content), 150, replace=False):
        changed = bytearray(content)
        changed[at] = 255 - changed[at]
        path.write_bytes(changed)
        done = call("evaluate", here.model, path, "--target", "kind")
        assert done.exit_code in (0, 1, 2)
        assert "this should not have happened" not in done.stderr, (at, done.stderr)


def test_labels_of_parquet_that_python_cannot_hold_are_told(here, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    columns = dict(zip(COLUMNS, here.X[:3].T.copy(), strict=True))
    late = arrow.array([2**60] * 3, arrow.timestamp("ms"))
    path = parquet(tmp_path / "t.parquet", columns | {"kind": late})
    refused(1, "t.parquet is damaged after row 0: ", "evaluate", here.model, path, "--target", "kind")


def test_a_parquet_file_without_columns_is_told(here, tmp_path):
    refused(1, "t.parquet has no columns", "predict", here.model, parquet(tmp_path / "t.parquet", {}))


def test_parquet_files_of_any_name_are_read(here, tmp_path):
    columns = dict(zip(COLUMNS, here.X[:3].T.copy(), strict=True))
    path = parquet(tmp_path / "t.parquet", columns).rename(tmp_path / "caf\udce9.parquet")
    assert call("predict", here.model, path).exit_code == 0
