"""What is answered at once: help, the version, wrong command lines; none of them waits for scikit-learn."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import redunet
from redunet.cli import early_checks
from redunet.cli.app import ORDER_OF_COMMANDS, Commands, app
from redunet.cli.explain_command import FORMS as EXPLAIN_FORMS
from redunet.cli.predict_command import FORMS as PREDICT_FORMS

from .conftest import call, refused, write_csv

SOURCE = Path(redunet.__file__).parent.parent
HEAVY = ("sklearn", "scipy", "numba", "joblib", "pandas", "matplotlib", "torch")
# Runs the command line as the console script does, then says which modules were imported.
CHILD = """
import json, sys
from redunet.cli.app import app
try:
    app()
except SystemExit as end:
    code = end.code
print(json.dumps([code, sorted(name for name in sys.modules if "." not in name)]), file=sys.stderr)
"""


def modules_of(*words):
    """Exit code, what was printed, and the packages that a command imported, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *map(str, words)], capture_output=True, text=True, env=environment, check=True
    )
    *printed, last = done.stderr.splitlines()
    code, modules = json.loads(last)
    return code, done.stdout + "\n".join(printed), set(modules)


@pytest.fixture
def table(tmp_path):
    for name in ("t", "u"):
        (tmp_path / name).write_text("a file without an ending")
    return write_csv(tmp_path / "t.csv", ["a", "b", "kind"], [[1, 2, "x"], [2, 1, "x"], [3, 4, "y"], [4, 4, "y"]])


OUT = ["-o", "{folder}/m.redunet"]
TUNE = ["fine-tune", "{folder}/t", "{folder}/t.csv"]


@pytest.mark.parametrize(
    ("words", "code", "printed"),
    [
        ([], 2, "Usage"),
        (["--help"], 0, "predict"),
        (["fit", "--help"], 0, "--no-header"),
        (["--version"], 0, redunet.__version__),
        (["fit", "{folder}/t.csv", "--bogus", *OUT], 2, "--bogus"),
        (["fit", "{folder}/none.csv", "--target", "kind", *OUT], 2, "there is no file or folder"),
        (["fit", "{folder}/t.csv", "--target", "knid", *OUT], 2, "Did you mean 'kind'?"),
        (["fit", "{folder}/t.csv", "--target", "kind", "--lift", "waves", *OUT], 2, "--lift must be one of"),
        (["fit", "{folder}/t.csv", "--target", "kind", "--layers", "few", *OUT], 2, "--layers must be auto"),
        (["fit", "{folder}/t.csv", "--target", "kind", "--shape", "1;2", *OUT], 2, "--shape must be whole"),
        (["fit", "{folder}/t.csv", "--target", "kind", "-o", "{folder}/no/m.redunet"], 2, "there is no folder"),
        (["fit", "{folder}/t.doc", *OUT], 2, "there is no file or folder"),
        (["predict", "{folder}/none.redunet", "{folder}/t.csv"], 2, "there is no model file"),
        (["predict", "{folder}/t.csv", "{folder}/none.csv"], 2, "there is no file or folder"),
        (["predict", "{folder}/t.csv", "{folder}/t.csv", "--format", "xml"], 2, "--format must be one of csv, json"),
        (["evaluate", "{folder}/t.csv", "{folder}/t.csv", "--labels", "{folder}/no.npy"], 2, "no file of labels"),
        (["explain", "{folder}/none.redunet", "{folder}/t.csv"], 2, "there is no model file"),
        (["inspect", "{folder}/none.redunet"], 2, "there is no model file"),
        (["fit", "{folder}/t.csv", "--target", "kind", "--construction", "both", *OUT], 2, "--construction must be"),
        (["fit", "{folder}/t.csv", "--target", "kind", "--like", "{folder}/none", *OUT], 2, "there is no model file"),
        (["fit", "{folder}/t.csv", "--like", "{folder}/t.csv", "--float32", *OUT], 2, "--float32 says how samples"),
        (["fit", "{folder}/t.csv", "--target", "kind", "--standardise", "1", *OUT], 2, "--standardise must be one of"),
        (["update", "{folder}/none.redunet", "{folder}/t.csv"], 2, "there is no model file"),
        (["update", "{folder}/t.csv", "{folder}/none.csv"], 2, "there is no file or folder"),
        (["update", "{folder}/t.csv", "{folder}/t.doc"], 2, "there is no file or folder"),
        (["update", "{folder}/t.csv", "{folder}/t"], 2, "what kind of file is this?"),
        (["update", "{folder}/t.csv", "{folder}/t.csv", "--forget", "--new-classes"], 2, "leave out one"),
        (["update", "{folder}/t", "{folder}/t.csv", "-o", "{folder}/no/m"], 2, "there is no folder"),
        (["merge", "{folder}/t.csv", *OUT], 2, "pass at least two"),
        (["merge", "{folder}/t.csv", "{folder}/none", *OUT], 2, "there is no model file"),
        (["merge", "{folder}/t.csv", "{folder}/t", "-o", "{folder}/no/m"], 2, "there is no folder"),
        (["export", "{folder}/none.redunet", *OUT], 2, "there is no model file"),
        (["export", "{folder}/t", "--precision", "half", *OUT], 2, "--precision must be one of"),
        (["fine-tune", "{folder}/none", "{folder}/t.csv"], 2, "there is no model file"),
        (["fine-tune", "{folder}/t", "{folder}/none.csv"], 2, "there is no file or folder"),
        (["fine-tune", "{folder}/t.csv", "{folder}/t"], 2, "what kind of file is this?"),
        ([*TUNE, "--epochs", "0"], 2, "--epochs"),
        ([*TUNE, "--what", "answer, filters"], 2, "--what must be one of answer, layers, lift, got 'filters'."),
        ([*TUNE, "--what", "lift", "--what", ""], 2, "--what must be one of answer, layers, lift, got ''."),
        ([*TUNE, "--loss", "hinge"], 2, "--loss must be one of cross_entropy, rate_reduction, got 'hinge'."),
        ([*TUNE, "--augment", "mirror"], 2, "--augment must be one of auto, deform, none, got 'mirror'."),
        ([*TUNE, "--rate", "0"], 2, "--rate must be a number > 0, got 0."),
        ([*TUNE, "--rate", "inf"], 2, "--rate must be a number > 0, got inf."),
        ([*TUNE, "--held-out", "0.6"], 2, "--held-out must be a share > 0 and <= 0.5, got 0.6"),
        ([*TUNE, "--held-out", "0.1", "--held-out-data", "{folder}/t"], 2, "leave out one."),
        ([*TUNE, "--held-out-data", "{folder}/./t.csv"], 2, "are the samples to train with"),
        ([*TUNE, "--held-out-data", "{folder}/none.csv"], 2, "there is no file or folder"),
        ([*TUNE, "--held-out-data", "{folder}/u"], 2, "what kind of file is this?"),
        ([*TUNE, "--held-out-labels", "{folder}/t"], 2, "--held-out-labels goes with --held-out-data"),
        ([*TUNE, "-o", "{folder}/no/m"], 2, "there is no folder"),
        ([*TUNE, "-o", "{folder}/t.csv"], 2, "which is read; pass another name."),
        (["report", "{folder}/t", "{folder}/none.csv", *OUT], 2, "there is no file or folder"),
        (["report", "{folder}/t", "{folder}/t.csv", "-o", "{folder}/no/m"], 2, "there is no folder"),
    ],
)
def test_no_answer_about_the_command_line_waits_for_heavy_packages(table, words, code, printed):
    found = modules_of(*(word.replace("{folder}", str(table.parent)) for word in words))
    assert found[0] == code, found[1]
    assert printed in found[1]
    assert not found[2] & set(HEAVY), f"move imports so that {sorted(found[2] & set(HEAVY))} are not needed"


def test_a_missing_file_is_told_without_numpy(table):
    words = ["fit", table.parent / "none.csv", "--target", "kind", "-o", table.parent / "m.redunet"]
    assert "numpy" not in modules_of(*words)[2]
    assert "numpy" not in modules_of("--help")[2]


def test_a_command_without_its_package_says_how_to_install_it(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    message = "redunet fine-tune needs PyTorch, which is not installed; run: pip install 'redunet[torch]'"
    refused(2, message, "fine-tune", table.parent / "t", table)


def test_the_child_would_see_heavy_packages(table):
    words = ["fit", table, "--target", "kind", "-o", table.parent / "m.redunet", "--quiet"]
    code, printed, modules = modules_of(*words)
    assert code == 0, printed
    assert set(HEAVY[:3]) <= modules


def test_the_version():
    assert call("--version").stdout == f"redunet {redunet.__version__}\n"


def test_commands_come_in_the_order_in_which_a_user_meets_them():
    commands = [command.name or command.callback.__name__ for command in app.registered_commands]
    text = call("--help").stdout
    places = [text.index(f"│ {name} ") for name in ORDER_OF_COMMANDS if name in commands]
    assert places == sorted(places)
    assert set(commands) <= set(ORDER_OF_COMMANDS), "give every command its place in ORDER_OF_COMMANDS"


def test_the_order_ignores_commands_that_are_not_there_and_keeps_others():
    group = Commands(name="x", commands=dict.fromkeys(["other", "bench", "fit"]))
    assert group.list_commands(None) == ["fit", "bench", "other"]


def test_forms_of_answers_are_those_that_are_checked_early():
    assert tuple(PREDICT_FORMS) == tuple(EXPLAIN_FORMS) == early_checks.ANSWER_FORMS


def test_progress_is_shown_while_a_command_is_imported(monkeypatch):
    from redunet.cli import progress_bar

    said = []
    monkeypatch.setattr(progress_bar.ProgressBar, "describe", lambda self, words: said.append(words))
    with early_checks.starting(True):
        assert said == ["starting"]


def test_early_checks_print_as_commands_do(here, tmp_path):
    refused(2, f"-o {here.table} would replace {here.table}, which is read", "predict", here.model, here.table, "-o",
            here.table)  # fmt: skip
    refused(
        2, f"--plot {here.model} would replace {here.model}", "explain", here.model, here.table, "--plot", here.model
    )
    words = ["-o", tmp_path / "a", "--plot", tmp_path / "a"]
    refused(2, f"-o and --plot are both {tmp_path / 'a'}; pass two names.", "explain", here.model, here.table, *words)
