"""Files without a row of names are noticed, and read when the command line or the model says what they are."""

import shlex

import numpy as np
import pytest

import redunet
from redunet.cli.command_words import command_with, remember_words
from redunet.cli.files.open_source import open_source
from redunet.cli.files.source import ReadOptions

from .conftest import COLUMNS, call, refused, waves, write_csv


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Signals as the UCR archive has them: tabs, no names, the label first; and the model that is fitted on them."""
    folder = tmp_path_factory.mktemp("archive")
    X, codes = waves(24)
    X, codes = X.round(5), codes + 1
    np.savetxt(folder / "Waves_TRAIN.tsv", np.column_stack([codes, X]), delimiter="\t", fmt="%.6g")
    done = call("fit", folder / "Waves_TRAIN.tsv", "--no-header", "--target", "c1", "-o", folder / "m.redunet")
    assert done.exit_code == 0, done.output
    return folder, np.loadtxt(folder / "Waves_TRAIN.tsv"), codes


def test_a_file_without_names_is_refused_with_a_command_that_works(archive, tmp_path):
    path, out = archive[0] / "Waves_TRAIN.tsv", tmp_path / "it's.redunet"
    done = refused(2, "rows 1 and 2 hold only numbers, so that the names of the columns seem to be missing.", "fit",
                   path, "--target", "label", "-o", out, "--layers", 0)  # fmt: skip
    assert "If row 1 holds names, add --header. If row 1 is a sample, add --no-header --target c1;" in done.stderr
    assert "the columns are then called c1 to c25, and the labels seem to be in c1." in done.stderr
    assert not out.exists()
    command = done.stderr.rpartition("This command does so: ")[2]
    program, *words = shlex.split(command)
    assert program == "redunet"
    assert call(*words).exit_code == 0
    assert out.exists()


def test_no_row_is_lost_and_rows_count_from_one(archive, tmp_path):
    folder, table, codes = archive
    model = redunet.load(folder / "m.redunet")
    assert list(model.feature_names_in_) == [f"c{i}" for i in range(2, 26)]
    del model.feature_names_in_
    ours = redunet.ReduNetClassifier(standardise="auto").fit(table[:, 1:], codes)
    np.testing.assert_array_equal(model.distances(table[:, 1:]), ours.distances(table[:, 1:]))
    lines = (folder / "Waves_TRAIN.tsv").read_text().splitlines()
    broken = tmp_path / "broken.tsv"
    broken.write_text("\n".join([lines[0], lines[1], lines[2].replace("\t", "\tx", 1), *lines[3:]]))
    words = ["--no-header", "--target", "c1", "-o", tmp_path / "m.redunet"]
    refused(1, "broken.tsv, row 3, column 'c2':", "fit", broken, *words)
    broken.write_text("\n".join([*lines[:4], "1\t2"]))
    refused(1, "broken.tsv, row 5: 2 fields, but row 1 has 25 columns; add what is missing", "fit", broken, *words)


def test_a_model_of_a_file_without_names_takes_such_files(archive, tmp_path):
    folder, table, _ = archive
    model = folder / "m.redunet"
    whole = call("predict", model, folder / "Waves_TRAIN.tsv")
    assert "has columns that the model does not use: 'c1'; they are ignored." in whole.stderr
    assert whole.stdout.splitlines()[1].startswith("1,")
    assert len(whole.stdout.splitlines()) == 25
    np.savetxt(tmp_path / "new.csv", table[:, 1:], delimiter=",", fmt="%.6g")  # without the labels
    assert call("predict", model, tmp_path / "new.csv").stdout == whole.stdout
    assert call("predict", model, tmp_path / "new.csv", "--no-header").stdout == whole.stdout
    np.savetxt(tmp_path / "one.csv", table[:1, 1:], delimiter=",", fmt="%.6g")
    assert call("predict", model, tmp_path / "one.csv").stdout == "\n".join(whole.stdout.splitlines()[:2]) + "\n"
    done = call("evaluate", model, folder / "Waves_TRAIN.tsv", "--target", "c1", "--json")
    assert '"samples": 24' in done.stdout
    write_csv(tmp_path / "named.csv", [f"c{i}" for i in range(1, 26)], table.tolist())
    assert call("predict", model, tmp_path / "named.csv").stdout.splitlines()[1].startswith("2,")
    np.savetxt(tmp_path / "few.csv", table[:, :9], delimiter=",")
    message = "has no names of columns, and 9 columns where the model takes 24: 'c2', 'c3'"
    refused(1, message, "predict", model, tmp_path / "few.csv")


def test_a_model_with_names_asks_which_it_is(here, tmp_path):
    write_csv(tmp_path / "new.csv", here.X[0].tolist(), here.X[1:].tolist())
    done = refused(2, "If row 1 is a sample, add --no-header. This command does so: redunet predict", "predict",
                   here.model, tmp_path / "new.csv")  # fmt: skip
    words = shlex.split(done.stderr.rpartition("This command does so: ")[2])[1:]
    write_csv(tmp_path / "named.csv", COLUMNS, here.X.tolist())
    named = call("predict", here.model, tmp_path / "named.csv").stdout.splitlines()
    assert [line.split(",")[1] for line in call(*words).stdout.splitlines()] == [x.split(",")[1] for x in named]
    refused(2, "rows 1 and 2 hold only numbers", "predict", here.nameless, tmp_path / "new.csv")
    assert len(call("predict", here.nameless, tmp_path / "new.csv", "--header").stdout.splitlines()) == 60
    assert len(call("predict", here.nameless, tmp_path / "new.csv", "--no-header").stdout.splitlines()) == 61


def test_columns_that_are_left_out_of_a_file_without_names_are_counted(here, tmp_path):
    rows = [[7.5, *row, kind] for row, kind in zip(here.X.tolist(), here.kinds.tolist(), strict=True)]
    write_csv(tmp_path / "new.csv", rows[0], rows[1:])
    words = ["evaluate", here.model, tmp_path / "new.csv", "--no-header", "--target", "c6", "--json"]
    refused(1, "5 columns where the model takes 4: 'height', 'width', 'depth', 'weight', in this order;", *words)
    plain = call("evaluate", here.model, here.table, "--target", "kind", "--json").stdout
    assert call(*words, "--ignore", "c1").stdout == plain


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("400,401.5,402,kind", "1,2,3,x", ["--target", "kind"]),  # names of numbers, as spectra have them
        ("0,1,2,3,4,5,6,7", "1,2,3,4,5,6,7,0", ["--target", "7"]),  # as pandas writes them
        ("1,2,3,4,5,6,7,8", "1,2,3,4,5,6,7,0", ["--target", "8"]),
        ("5,6", "1,2", ["--target", "6", "--header"]),
        ("5,2024_01", "1,2", ["--target", "2024_01"]),
    ],
)
def test_numbers_that_are_names_are_taken_for_names(tmp_path, first, second, words):
    (tmp_path / "t.csv").write_text(f"{first}\n{second}\n{second}\n")
    options = ReadOptions(True, target=words[1], header=True if "--header" in words else None)
    source = open_source(tmp_path / "t.csv", options)
    assert source.names == tuple(first.split(",")[:-1])
    assert [len(block.samples) for block in source.blocks()] == [2]
    assert source.place(0) == 2


def test_labels_are_looked_for_in_the_first_column_and_then_in_the_last(tmp_path):
    for row, target in (("1,2.5,3.5", "c1"), ("1.5,2.5,3", "c3"), ("1,2.5,3", "c1"), ("1.5,2.5,3.5", "c1")):
        (tmp_path / "t.csv").write_text(f"{row}\n{row}\n")
        refused(2, f"add --no-header --target {target};", "fit", tmp_path / "t.csv", "-o", tmp_path / "m.redunet")
    (tmp_path / "t.csv").write_text("1,2\n")
    refused(2, "t.csv: row 1 holds only numbers, so", "fit", tmp_path / "t.csv", "-o", tmp_path / "m.redunet")


def test_the_option_goes_with_tables_only(here, tmp_path):
    np.save(tmp_path / "t.npy", here.X)
    message = "--no-header goes with CSV and TSV files, XLSX files, and"
    refused(2, message, "predict", here.nameless, tmp_path / "t.npy", "--no-header")
    refused(2, message.replace("no-", ""), "predict", here.nameless, tmp_path / "t.npy", "--header")


def test_a_command_is_given_without_an_option_and_with_others():
    remember_words(["fit", "a b.csv", "--target", "x", "--target=y", "-o", "m"])
    assert command_with(["--target", "c1"], without="--target") == "redunet fit 'a b.csv' -o m --target c1"
    assert command_with([]) == "redunet fit 'a b.csv' --target x --target=y -o m"
    remember_words([])
    assert command_with(["--no-header"]) == ""
