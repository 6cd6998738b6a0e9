"""Every experiment, at toy size, through the command line."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

import redunet.cli.reproduce_command as command
from redunet.cli.app import app
from redunet.experiments import all_experiments, running
from redunet.experiments.experiment import Experiment, Figure, Outcome, Row, Setting
from redunet.experiments.flat_subspaces import FlatSubspaces
from redunet.experiments.gaussian_mixtures import angle_between_classes
from redunet.experiments.shift_figures import cosines_across_classes

PAPER_CELLS = {
    "rotation-mnist": {0.983, 0.707, 0.996, 0.993},
    "translation-mnist": {0.980, 0.540, 0.975, 0.909},
    "iris": {0.978, 0.933},
    "mice": {0.972, 0.855, 0.975, 0.985},
}


def call(*words):
    return CliRunner().invoke(app, ["reproduce", *map(str, words)])


@pytest.mark.parametrize("name", all_experiments.EXPERIMENTS)
def test_an_experiment_runs_and_its_result_figures_and_page_are_there(name, tmp_path):
    experiment = all_experiments.EXPERIMENTS[name]
    if experiment.missing(None, download=False):
        pytest.skip(f"{experiment.needs} is not at hand; say where it is with REDUNET_DATA")
    done = call(name, "--size", "toy", "--out", tmp_path, "--json")
    assert done.exit_code == 0, done.output
    [found] = json.loads(done.stdout)
    assert found["experiment"] == name
    assert found["rows"]
    for row in found["rows"]:
        assert row["ours"] is not None, row
        assert np.isfinite(row["ours"])
    assert {row["paper"] for row in found["rows"]} >= PAPER_CELLS.get(name, set())
    result = json.loads((tmp_path / name / "result.json").read_text())
    assert result["figures"]
    for figure in result["figures"]:
        assert (tmp_path / name / figure["file"]).stat().st_size > 5000
        assert (tmp_path / name / figure["svg"]).exists()
        assert (tmp_path / name / figure["dark_file"]).read_bytes() != (tmp_path / name / figure["file"]).read_bytes()
    page = (tmp_path / "report.html").read_text()
    assert experiment.title in page
    assert json.loads((tmp_path / "results.json").read_text())[0]["experiment"] == name
    moved = [row for row in found["rows"] if "changed" in row["quantity"] or "differ" in row["quantity"]]
    assert bool(moved) == ("mnist" in name or "digits" in name)
    assert all(row["ours"] == 0 for row in moved)  # no answer changes with a shift


@pytest.mark.parametrize("name", ["rotation-mnist", "translation-mnist"])
def test_the_invariant_network_answers_alike_at_every_shift(name, tmp_path):
    if all_experiments.EXPERIMENTS[name].missing(None, download=False):
        pytest.skip("MNIST is not at hand; say where it is with REDUNET_DATA")
    rows = json.loads(call(name, "--size", "toy", "--out", tmp_path, "--json").stdout)[0]["rows"]
    ours = [row["ours"] for row in rows if row["quantity"].startswith("invariant")]
    assert len(ours) >= 2
    assert len(set(ours)) == 1


class Counter:
    """An experiment that counts its runs."""

    def __init__(self):
        self.runs = []

    def __call__(self, setting):
        self.runs.append(setting)
        return Outcome([Row.of("runs", 1.0, [len(self.runs), 2.0])], [Figure("dot", "a dot", self.draw)])

    def draw(self, figure):
        figure.subplots().plot([1, 2])


@pytest.fixture
def counters(monkeypatch):
    """Three small experiments in place of the real ones; the last needs data that are nowhere."""
    from redunet.data.store import DataNotFound

    def nowhere(data_dir, download):
        raise DataNotFound("these data are nowhere; three ways to get them")

    made = {name: Counter() for name in ("one", "two", "far")}
    entries = {name: Experiment(name, name.title(), "Words.", run) for name, run in made.items()}
    entries["far"] = Experiment("far", "Far", "Words.", made["far"], "Far Data", nowhere)
    for module in (command, running, all_experiments):
        monkeypatch.setattr(module, "EXPERIMENTS", entries)
    return made


def test_what_is_finished_is_not_run_again_unless_options_differ(counters, tmp_path):
    for words in ([], [], ["--seed", "1"], ["--seed", "1"], ["--quick", "--seed", "1"], ["--again", "--seed", "1"]):
        assert call("one", "--out", tmp_path, *words).exit_code == 0
    assert [(setting.size, setting.seed) for setting in counters["one"].runs] == [
        ("full", 0),
        ("full", 1),
        ("quick", 1),
        ("full", 1),
    ]


def test_without_a_name_it_runs_what_needs_no_download_and_says_what_else_there_is(counters, tmp_path):
    done = call("--out", tmp_path)
    assert done.exit_code == 0
    assert len(counters["one"].runs) == len(counters["two"].runs) == 1
    assert not counters["far"].runs
    assert "Not run, for want of data or PyTorch: far" in done.output
    assert "report.html" in done.output.replace("\n", "")


def test_missing_data_are_told_with_the_ways_to_get_them_and_the_others_still_run(counters, tmp_path):
    done = call("--all", "--out", tmp_path)
    assert done.exit_code == 1
    assert "far failed: these data are nowhere; three ways to get them" in done.output
    assert counters["two"].runs
    assert (tmp_path / "two" / "result.json").exists()


def test_an_error_in_one_experiment_leaves_the_others(counters, tmp_path, monkeypatch):
    monkeypatch.setattr(Counter, "draw", lambda self, figure: 1 / 0)
    done = call("one", "--out", tmp_path)
    assert done.exit_code == 1
    assert "ZeroDivisionError" in done.output
    assert not (tmp_path / "one" / "result.json").exists()


def test_ctrl_c_keeps_what_is_finished_and_the_same_command_goes_on(counters, tmp_path, monkeypatch):
    calm = Counter.__call__

    def interrupted(self, setting):
        if self is counters["two"]:
            raise KeyboardInterrupt
        return calm(self, setting)

    monkeypatch.setattr(Counter, "__call__", interrupted)
    done = call("one", "two", "--out", tmp_path)
    assert done.exit_code == 130
    assert "the same command goes on" in done.output
    assert (tmp_path / "one" / "result.json").exists()
    assert (tmp_path / "report.html").exists()
    monkeypatch.setattr(Counter, "__call__", calm)
    assert call("one", "two", "--out", tmp_path).exit_code == 0
    assert (len(counters["one"].runs), len(counters["two"].runs)) == (1, 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gausians-2d"], "there is no experiment 'gausians-2d'. Did you mean 'gaussians-2d'?"),
        (["xyzzy"], "there is no experiment 'xyzzy'. `redunet list` shows all."),
        (["iris", "--all"], "--all runs everything; leave out the names"),
        (["iris", "--size", "huge"], "--size must be one of full, quick, toy, got 'huge'"),
        (["iris", "--data-dir", "/no/such/folder"], "--data-dir /no/such/folder is not a folder"),
        (["iris", "--out", "/dev/null/x"], "cannot write to /dev/null/x"),
    ],
)
def test_wrong_words_are_told_before_any_work(words, message):
    done = call(*words)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


def test_the_list_says_which_data_are_at_hand(tmp_path, monkeypatch):
    monkeypatch.delenv("REDUNET_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = json.loads(CliRunner().invoke(app, ["list", "--json"]).stdout)
    assert [one["name"] for one in found] == list(all_experiments.EXPERIMENTS)
    assert {one["name"]: one["ready"] for one in found}["iris"]
    assert not {one["name"]: one["ready"] for one in found}["mice"]
    shown = CliRunner().invoke(app, ["list"]).output
    assert "Mice Protein (not here)" in shown


def test_quiet_says_nothing(counters, tmp_path):
    done = call("one", "--out", tmp_path, "--quiet")
    assert done.output == ""


def test_flat_subspaces_are_those_of_a_singular_value_decomposition():
    rng = np.random.default_rng(0)
    Z, y = rng.standard_normal((30, 2, 7)), np.arange(30) % 2
    found = FlatSubspaces.of(Z, y, 3)
    for j in (0, 1):
        _, _, directions = np.linalg.svd(Z[y == j].reshape(15, 14), full_matrices=False)
        assert_allclose(found.bases[j] @ found.bases[j].T, directions[:3].T @ directions[:3], atol=1e-10)
    by_hand = np.mean([found.score(np.roll(Z, by, axis=-1), y) for by in range(7)])
    assert_allclose(found.score_shifted(Z, y, 1), by_hand)


def test_angles_are_those_between_main_directions():
    Z = np.array([[1.0, 0], [-1, 0], [np.cos(0.5), np.sin(0.5)], [np.cos(0.5), np.sin(0.5)]])
    assert_allclose(angle_between_classes(Z, np.array([0, 0, 1, 1])), np.degrees(0.5))


def test_cosines_across_classes_are_those_of_pairs_of_different_classes():
    Z, y = np.random.default_rng(0).standard_normal((2, 3, 4)), np.array([0, 1])
    cosine = abs(Z[0].ravel() @ Z[1].ravel()) / np.linalg.norm(Z[0]) / np.linalg.norm(Z[1])
    assert_allclose(cosines_across_classes(Z, y, Z, y), [cosine, cosine])


def test_a_setting_picks_by_size():
    assert [Setting(size).pick(3, 2, 1) for size in ("full", "quick", "toy")] == [3, 2, 1]


def test_results_of_another_version_are_not_taken_for_ours(counters, tmp_path, monkeypatch):
    call("one", "--out", tmp_path)
    monkeypatch.setattr(running, "__version__", "99")
    call("one", "--out", tmp_path)
    assert len(counters["one"].runs) == 2
    (Path(tmp_path) / "one" / "result.json").write_text("{ not json")
    call("one", "--out", tmp_path)
    assert len(counters["one"].runs) == 3
