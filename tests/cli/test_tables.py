"""Mistakes in CSV and TSV files are reported with file, row and column, before any fit."""

import pytest

from redunet.cli import fit_command
from redunet.cli.files import csv_rows, input_files

from .conftest import COLUMNS, call, refused, write_csv

GOOD = "a,b,kind\n1,2,x\n2,1.5,x\n-3,4,y\n4,4e-1,y\n"


@pytest.fixture
def fit(tmp_path, monkeypatch):
    """Fit on the text of a file; the classifier must not be reached."""
    monkeypatch.setattr(fit_command.ReduNetClassifier, "fit", None)

    def fitted(code, message, text, *words, name="t.csv", target="kind"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        words = [*(["--target", target] if target else []), *words]
        return refused(code, message, "fit", path, "-o", tmp_path / "m.redunet", *words)

    return fitted


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,,x", "column 'b': empty cell; fill it in, or remove the row, or leave the column out with --ignore b."),
        ("NA,1,x", "t.csv, row 3, column 'a': 'NA' is no value; fill it in"),
        ("nan,1,x", "t.csv, row 3, column 'a': 'nan' is no value; fill it in"),
        ("1,red,x", "row 3, column 'b': 'red' is not a number; correct it, or leave the column out with --ignore b."),
        ('1,"2,5",x', "t.csv, row 3, column 'b': '2,5' is not a number; write decimals with a point: 2.5"),
        ("1,2024_01,x", "t.csv, row 3, column 'b': '2024_01' is not a number"),
        ("1,inf,x", "t.csv, row 3, column 'b': inf is not finite; correct it"),
        ("1,1e301,x", "t.csv, row 3, column 'b': 1e+301 is above 1e+300; scale the column"),
        ("1,2", "t.csv, row 3: 2 fields, but row 1 names 3 columns; add what is missing"),
        ("1,2,3,x", "t.csv, row 3: 4 fields, but row 1 names 3 columns; quote values that contain ','."),
        ("", "t.csv, row 3: the row is empty; remove it, or fill it in."),
        ("1,2, ", "t.csv, row 3, column 'kind': the label is empty; fill it in, or remove the row."),
        ('1,"2,x', "t.csv, row 3: a quoted field is not closed, or has text after its closing quote"),
        ('1,"2"3,x', "t.csv, row 3: a quoted field is not closed, or has text after its closing quote"),
        ("1," + "z" * 60 + ",x", "'" + "z" * 40 + "…' is not a number"),
    ],
)  # fmt: skip
def test_a_wrong_row_is_told_with_its_number_in_a_spreadsheet(fit, row, message):
    lines = GOOD.splitlines()
    fit(1, message, "\n".join([*lines[:2], row, *lines[2:]]) + "\n")


def test_a_row_far_down_has_its_own_number(fit, monkeypatch):
    monkeypatch.setattr(csv_rows, "CELLS_AT_ONCE", 12)
    rows = [f"{i},{i},{'xy'[i % 2]}" for i in range(25_000)]
    rows[20_123] = "1,wrong,x"
    fit(1, "row 20125, column 'b': 'wrong' is not a number", "a,b,kind\n" + "\n".join(rows))
    rows[20_123] = ""  # the last row of those that are read at once
    fit(1, "row 20125: the row is empty; remove it", "a,b,kind\n" + "\n".join(rows))
    rows[20_123] = "1,x"
    fit(1, "row 20125: 2 fields", "a,b,kind\n" + "\n".join(rows))


@pytest.mark.parametrize(
    ("code", "text", "message"),
    [
        (1, "", "t.csv is empty; its first row must hold the names of the columns."),
        (1, "a,b,kind\n", "column 'kind': there are no samples; add some."),
        (1, "kind\nx\ny\n", "has no columns of numbers beside 'kind'"),
        (1, "a,a,kind\n1,2,x\n", "t.csv, row 1: 2 columns are called 'a'; rename them."),
        (1, "a,kind,kind\n1,2,x\n", "t.csv, row 1: two columns are called 'kind'; rename one of them."),
        (1, ",a,kind\n0,2,x\n", "t.csv, row 1: column 1 has no name; name it, or leave it out with --ignore ''."),
        (1, "a;kind\n1;x\n", "one column, 'a;kind'; the file seems to be separated by ';', pass --delimiter ';'."),
        (1, "a\tkind\n1\tx\n", "the file seems to be separated by a tab, pass --delimiter '\\t'."),
        (2, "a,b,Kinds\n1,2,x\n", "--target kind: {path} has no such column. Did you mean 'Kinds'?"),
        (2, "a,b,c\n1,2,x\n", "--target kind: {path} has no such column. The columns are 'a', 'b', 'c'."),
        (2, "1,2,3\n4,5,x\n", "Row 1 holds only numbers; it must hold the names of the columns, or pass --no-header."),
        (1, "a,kind\n1,x\n2,x\n", "column 'kind': all 2 labels are 'x'; there must be at least 2 classes"),
        (1, "a,kind\n1,x\n2,x\n3,y\n", "t.csv, row 4: class 'y' has this one sample only; a class needs at least 2."),
        (1, "a,kind\n1,x\n2,z\n3,y\n4,y\n", "row 2: class 'x' has this one sample only (and 1 more classes have one)"),
        (1, "a,kind\n1,1\n2,0.37\n", "t.csv, row 3: the label is 0.37, a measurement rather than a class"),
        (1, "a,kind\n1,nan\n2,1\n", "t.csv, row 2: the label is nan; fill it in, or remove the sample."),
        (1, b"a,kind\n1,x\n2,caf\xe9\n", "t.csv is not UTF-8 text"),
        (1, "a,kind\n1,x\n".encode("utf-16"), "not UTF-8 text (after row 0: byte 0xff); save it as CSV in UTF-8."),
    ],
)  # fmt: skip
def test_a_wrong_file_is_told(fit, tmp_path, code, text, message):
    fit(code, message.replace("{path}", str(tmp_path / "t.csv")), text)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ignore", "bb"], "t.csv has no such column. Did you mean 'b'?"),
        (["--ignore", "kind"], "--ignore kind leaves out the labels of --target; leave out one of the two."),
        (["--ignore", "a", "--ignore", "b"], "has no columns of numbers beside"),
        (["--delimiter", "ab"], "--delimiter must be one character, or \\t, got 'ab'."),
        (["--delimiter", '"'], "--delimiter must be one character"),
        (["--samples", "X"], "--samples goes with NPZ files, and"),
        (["--labels", __file__], "--labels goes with NPY files, and"),
        (["--labels", "/no/such.npy"], "there is no file of labels /no/such.npy."),
        (["--colour"], "--colour goes with folders of images, and"),
    ],
)
def test_words_that_do_not_go_with_the_table_are_told(fit, words, message):
    fit(1 if "beside" in message else 2, message, GOOD, *words)


def test_without_a_target_the_columns_are_listed(fit):
    message = "holds the labels? Say it with --target; the columns are 'a', 'b', 'kind'."
    fit(2, message, GOOD, target=None)


def test_an_unknown_ending_is_told_and_a_delimiter_makes_it_a_table(fit, tmp_path):
    fit(
        2,
        "t.dat: what kind of file is this? Known endings are .csv, .tsv, .tab, .csv.gz, .tsv.gz, .tab.gz, .xlsx",
        GOOD,
        name="t.dat",
    )
    fit(1, "t.dat, column 'b': all 4 labels", GOOD.replace(",1.5,", ",2,").replace("4e-1", "2").replace("4,y", "2,y"),
        "--delimiter", ",", "--ignore", "kind", name="t.dat", target="b")  # fmt: skip


def test_a_file_that_is_not_there_is_told_with_its_neighbour(here, tmp_path):
    words = ["--target", "kind", "-o", tmp_path / "m.redunet"]
    near = refused(2, "there is no file or folder", "fit", here.folder / "plant.csv", *words)
    assert "Did you mean 'plants.csv'?" in near.stderr
    far = refused(2, "there is no file or folder /no/such/file.csv.", "fit", "/no/such/file.csv", *words)
    assert "mean" not in far.stderr


def test_a_file_that_may_not_be_read_is_told(here, tmp_path, monkeypatch):
    def closed(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(input_files, "open_ordinary_file", closed)
    words = ["fit", here.table, "--target", "kind", "-o", tmp_path / "m.redunet"]
    refused(1, f"{here.table} cannot be read: Permission denied.", *words)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("t.csv", GOOD, []),
        ("t.csv", "\ufeff" + GOOD, []),
        ("t.csv", GOOD.replace("\n", "\r\n"), []),
        ("t.csv", GOOD + "\n\r\n\n", []),
        ("t.csv", GOOD.rstrip("\n"), []),
        ("t.csv", GOOD.replace(",", " , "), []),
        ("t.csv", '"a","b","kind"\n"1","2","x"\n"2", "1.5","x"\n-3,4,y\n4,0.4,y', []),
        ("t.tsv", GOOD.replace(",", "\t"), []),
        ("t.csv", GOOD.replace(",", ";"), ["--delimiter", ";"]),
        ("t.txt", GOOD.replace(",", "\t"), ["--delimiter", "\\t"]),
        ("t.csv", 'a,note,b,kind\n1,"two\nlines, ""quoted""",2,x\n2,,1.5,x\n-3,,4,y\n4,,.4,y\n', ["--ignore", "note"]),
        ("t.csv", "kind,b,a\nx,2,1\nx,1.5,2\ny,4,-3\ny,0.4,4\n", []),
    ],
)
def test_all_ways_to_write_the_same_table_are_read_alike(tmp_path, name, text, words):
    from redunet import load

    (tmp_path / name).write_bytes(text.encode())
    done = call("fit", tmp_path / name, "--target", "kind", "-o", tmp_path / "m.redunet", *words)
    assert done.exit_code == 0, done.output
    assert sorted(load(tmp_path / "m.redunet").feature_names_in_) == ["a", "b"]
    data = tmp_path / "new.csv"
    data.write_text("a,b\n1,2\n2,1.5\n-3,4\n4,0.4\n")
    answers = call("predict", tmp_path / "m.redunet", data, "--probabilities").stdout
    (tmp_path / "plain.csv").write_text(GOOD)
    call("fit", tmp_path / "plain.csv", "--target", "kind", "-o", tmp_path / "plain.redunet")
    assert call("predict", tmp_path / "plain.redunet", data, "--probabilities").stdout == answers


def test_a_wide_table_is_read_in_parts(tmp_path, monkeypatch):
    rows = [[*(i * j % 7 for j in range(50)), "xy"[i % 2]] for i in range(40)]
    table = write_csv(tmp_path / "wide.csv", [*(f"c{j}" for j in range(50)), "kind"], rows)
    whole = call("fit", table, "--target", "kind", "-o", tmp_path / "a.redunet")
    monkeypatch.setattr(csv_rows, "CELLS_AT_ONCE", 120)
    assert call("fit", table, "--target", "kind", "-o", tmp_path / "b.redunet").exit_code == whole.exit_code == 0
    assert (tmp_path / "a.redunet").read_bytes() == (tmp_path / "b.redunet").read_bytes()


def test_columns_named_as_in_the_model_are_needed(here, tmp_path):
    write_csv(tmp_path / "new.csv", ["height", "Widht", "depth"], [[1, 2, 3]])
    done = refused(1, "new.csv, row 1: there is no column 'width', and 1 more that the model knows,", "predict",
                   here.model, tmp_path / "new.csv")  # fmt: skip
    assert "which the model was fitted on; add it, or correct its name. Did you mean 'Widht'?" in done.stderr
    write_csv(tmp_path / "new.csv", ["1", "2", "3", "4"], [[1, 2, 3, 4]])
    refused(2, "the names of the columns seem to be missing", "predict", here.model, tmp_path / "new.csv")
    message = "Row 1 holds only numbers; it must hold the names"
    refused(1, message, "predict", here.model, tmp_path / "new.csv", "--header")
    write_csv(tmp_path / "new.csv", [*COLUMNS, "width"], [[1, 2, 3, 4, 5]])
    refused(1, "row 1: 2 columns are called 'width'; rename them.", "predict", here.model, tmp_path / "new.csv")
    message = "--ignore width: the model was fitted on this column as a feature; it is needed."
    refused(2, message, "predict", here.model, here.table, "--ignore", "width")
    message = "--target width: the model was fitted on this column as a feature; it is needed."
    refused(2, message, "evaluate", here.model, here.table, "--target", "width")
