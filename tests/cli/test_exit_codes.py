"""How commands end: every way out has its code and its words."""

import subprocess
import sys

import pytest

from redunet.cli import fit_command, output

from .conftest import call, refused


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("/no/such/m.redunet", "-o /no/such/m.redunet: there is no folder /no/such; make it first"),
        ("/tmp", "-o /tmp is a folder; pass the name of a file in it."),
        ("/dev/null", "-o /dev/null is not an ordinary file; pass another name."),
    ],
)
def test_where_no_model_can_be_written_nothing_is_read(here, monkeypatch, out, message):
    monkeypatch.setattr(fit_command, "open_source", None)
    refused(2, message, "fit", here.table, "--target", "kind", "-o", out)


def test_a_folder_that_is_closed_to_us_is_told_before_anything_is_read(here, monkeypatch, tmp_path):
    def closed(path, mode):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(output, "open", closed, raising=False)
    monkeypatch.setattr(fit_command, "open_source", None)
    out = tmp_path / "m.redunet"
    message = f"-o {out} cannot be written: Permission denied; pass another name."
    refused(2, message, "fit", here.table, "--target", "kind", "-o", out)
    refused(2, message, "predict", here.model, here.table, "-o", out)


def test_data_are_never_replaced(here):
    before = here.table.read_bytes()
    refused(2, "would replace", "fit", here.table, "--target", "kind", "-o", here.table)
    assert here.table.read_bytes() == before


def end_of_fit(here, monkeypatch, tmp_path, error):
    def ending(self, X, y, *, checkpoint):
        raise error

    monkeypatch.setattr(fit_command.ReduNetClassifier, "fit", ending)
    return ["fit", here.table, "--target", "kind", "-o", tmp_path / "m.redunet"]


def test_ctrl_c_writes_no_model(here, monkeypatch, tmp_path):
    words = end_of_fit(here, monkeypatch, tmp_path, KeyboardInterrupt())
    refused(130, "redunet: interrupted; no model was written.", *words)
    assert list(tmp_path.iterdir()) == []


def test_too_little_memory_is_told(here, monkeypatch, tmp_path):
    words = end_of_fit(here, monkeypatch, tmp_path, MemoryError())
    refused(1, "the samples do not fit into memory. Take fewer samples, --float32, or a machine with more", *words)
    words = end_of_fit(here, monkeypatch, tmp_path, MemoryError("a layer needs 7 TB."))
    refused(1, "a layer needs 7 TB. Take fewer samples", *words)


def test_a_fault_of_ours_asks_to_be_reported(here, monkeypatch, tmp_path):
    done = call(*end_of_fit(here, monkeypatch, tmp_path, ZeroDivisionError()))
    assert done.exit_code == 1
    assert "this should not have happened; please report it." in done.stderr
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize(
    "words", [["fit", "x.csv"], ["fit", "x.csv", "-o", "m", "--seed", "-1"], ["predict"], ["inspect", "m", "--what"]]
)
def test_words_that_are_missing_or_unknown_end_with_2(words):
    assert call(*words).exit_code == 2


def test_help_is_quick_because_nothing_heavy_is_imported():
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom redunet.cli.app import app\n"
        "assert CliRunner().invoke(app, ['fit', '--help']).exit_code == 0\n"
        "assert not {'sklearn', 'numba', 'pandas', 'numpy'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_help_says_how_tables_are_scaled():
    printed = " ".join(call("fit", "--help").output.split())
    assert "columns are standardised if left-out samples are then answered better" in printed
