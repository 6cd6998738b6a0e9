"""`redunet fine-tune`: what it writes is what Python gives; a model that is not better stays as it is."""

import inspect
import json

import numpy as np
import pytest
import typer
from numpy.testing import assert_array_equal
from sklearn.datasets import load_digits

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'redunet[torch]'")
import torch

import redunet
from redunet import Lift, ReduNetClassifier
from redunet.cli import fine_tune_command, fine_tune_request
from redunet.cli.app import app
from redunet.cli.progress_bar import ProgressBar, progress_bar
from redunet.storage.checkpoint import Progress
from redunet.torch import fine_tune, fine_tuning, held_out

from .conftest import COLUMNS, call, plants, refused, write_csv

# A little training for few small digits, and the same as words.
LITTLE = {"n_epochs": 3, "batch_size": 20, "rate": 1e-2}
WORDS = ["--epochs", 3, "--batch-size", 20, "--rate", 1e-2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small digits, others to judge by, and a model of few of them that has much to learn."""
    found = tmp_path_factory.mktemp("digits")
    X, y = load_digits(return_X_y=True)
    images = np.pad(X.reshape(-1, 1, 8, 8), ((0, 0), (0, 0), (1, 1), (1, 1))).astype(np.float32)
    np.savez(found / "train.npz", X=images[:200], y=y[:200])
    np.savez(found / "judge.npz", X=images[200:400], y=y[200:400])
    lift = Lift("random", 4, 3, random_state=0)
    start = ReduNetClassifier("translation", lift=lift, n_layers=0, rank=1, membership="subspace")
    start.fit(images[:40], y[:40]).save(found / "start.redunet")
    return found


def samples_of(path):
    with np.load(path) as file:
        return file["X"], file["y"]


@pytest.fixture
def model(folder, tmp_path):
    """A copy of the model, which a test may replace."""
    path = tmp_path / "m.redunet"
    path.write_bytes((folder / "start.redunet").read_bytes())
    return path


@pytest.fixture(scope="module")
def judged(folder, tmp_path_factory):
    """A model that was trained on the command line and judged by other samples, and what was printed about it."""
    out = tmp_path_factory.mktemp("trained") / "t.redunet"
    words = [folder / "start.redunet", folder / "train.npz", "--held-out-data", folder / "judge.npz", *WORDS]
    done = call("fine-tune", *words, "-o", out, "--json")
    assert done.exit_code == 0, done.output
    return out, json.loads(done.stdout)


def test_what_is_written_is_what_python_gives(folder, judged):
    out, found = judged
    start, X, y = redunet.load(folder / "start.redunet"), *samples_of(folder / "train.npz")
    other = samples_of(folder / "judge.npz")
    ours = fine_tune(start, X, y, held_out=other, **LITTLE)
    saved = redunet.load(out)
    history = ours.training_history_
    assert not history.start_was_kept
    assert_array_equal(saved.predict_proba(other[0]), ours.predict_proba(other[0]))
    assert repr(saved.training_history_) == repr(history)
    assert found["held_out_accuracy"] == history.held_out_accuracy.tolist()
    assert found["held_out_accuracy"][0] == pytest.approx(start.score(*other))
    assert found["held_out_accuracy"][found["chosen_epoch"]] == pytest.approx(saved.score(*other))
    assert found["held_out_loss"] == history.held_out_loss.tolist()
    assert found["training_loss"] == history.loss.tolist()
    assert (found["samples"], found["held_out_samples"], found["epochs"]) == (200, 200, 3)
    assert (found["chosen_epoch"], found["start_was_kept"], found["written"]) == (history.chosen_epoch, False, True)
    assert (found["loss"], found["parts"]) == ("cross_entropy", list(history.parts))
    assert (found["file"], found["bytes"]) == (str(out), out.stat().st_size)


def test_the_model_is_replaced_and_the_table_says_what_was_done(folder, model):
    judge = ["--held-out-data", folder / "judge.npz"]
    done = call("fine-tune", model, folder / "train.npz", "--what", "answer, lift", "--seed", 3, *judge, *WORDS)
    assert done.exit_code == 0, done.output
    start, X, y = redunet.load(folder / "start.redunet"), *samples_of(folder / "train.npz")
    other = samples_of(folder / "judge.npz")
    ours = fine_tune(start, X, y, what=("answer", "lift"), held_out=other, random_state=3, **LITTLE)
    history = ours.training_history_
    assert_array_equal(redunet.load(model).predict_proba(X), ours.predict_proba(X))
    before, after = history.held_out_accuracy[[0, history.chosen_epoch]]
    for line in (
        "samples   200",
        "trained   answer, lift, by cross_entropy",
        f"kept      epoch {history.chosen_epoch} of 3",
        f"accuracy  {before:.4f} before, {after:.4f} after (200 samples held out)",
        f"model     {model} (",
    ):
        assert line in done.stdout
    assert not call("fine-tune", model, folder / "train.npz", *judge, "--epochs", 1, "--quiet").output


def test_a_share_of_the_samples_is_held_out_where_no_others_are_given(folder, model):
    done = call("fine-tune", model, folder / "train.npz", "--held-out", 0.2, "--epochs", 1, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    start, X, y = redunet.load(folder / "start.redunet"), *samples_of(folder / "train.npz")
    history = fine_tune(start, X, y, held_out=0.2, n_epochs=1).training_history_
    assert found["held_out_samples"] == history.n_held_out
    assert found["held_out_loss"] == history.held_out_loss.tolist()


def test_options_reach_the_training(folder, model, monkeypatch):
    given = {}

    def noted(clf, X, y, **options):
        given.update(options)
        raise KeyboardInterrupt

    monkeypatch.setattr(redunet.torch, "fine_tune", noted)
    words = ["--loss", "rate_reduction", "--what", "lift", "--what", "layers", "--augment", "none", "--device", "cpu"]
    refused(130, f"redunet: interrupted; {model} is what it was.", "fine-tune", model, folder / "train.npz", *words)
    assert (given["loss"], given["what"], given["augment"]) == ("rate_reduction", ("lift", "layers"), None)
    assert (given["device"], given["held_out"]) == (torch.device("cpu"), 0.1)


def test_a_model_that_is_not_better_is_left_as_it_was(folder, model, tmp_path):
    too_far = ["--rate", 10, "--epochs", 1, "--held-out-data", folder / "judge.npz"]
    before = model.read_bytes()
    done = call("fine-tune", model, folder / "train.npz", *too_far)
    assert done.exit_code == 0, done.output
    assert "kept      the start: no epoch of 1 is better on the samples held out, beyond chance" in done.stdout
    assert f"model     {model}, left as it was" in done.stdout
    assert model.read_bytes() == before
    out = tmp_path / "t.redunet"
    done = call("fine-tune", model, folder / "train.npz", *too_far, "-o", out)
    assert f"model     {out}, the start as it was" in done.stdout
    X, _ = samples_of(folder / "judge.npz")
    written = redunet.load(out)
    assert written.training_history_ is None
    assert_array_equal(written.predict_proba(X), redunet.load(model).predict_proba(X))


def test_options_and_their_defaults_are_those_of_python():
    assert fine_tune_request.PARTS == fine_tuning.PARTS
    assert fine_tune_request.LOSSES == fine_tuning.LOSSES
    assert fine_tune_request.LARGEST_SHARE == held_out.LARGEST_SHARE
    ours = {name: option.default for name, option in inspect.signature(fine_tune).parameters.items()}
    theirs = {option.name: option.default for option in typer.main.get_command(app).commands["fine-tune"].params}
    for name, option in (("loss", "loss"), ("n_epochs", "epochs"), ("batch_size", "batch_size"), ("rate", "rate"),
                         ("augment", "augment"), ("random_state", "seed"), ("device", "device")):  # fmt: skip
        assert theirs[option] == ours[name], option
    assert ours["what"] == fine_tune_request.PARTS
    assert ours["held_out"] == fine_tune_request.HELD_OUT_SHARE


def table_with_model(folder, n=60, **options):
    """A table of three kinds, and a model of it that knows the names of its columns."""
    X, kinds = plants(n)
    rows = [[*row, kind] for row, kind in zip(X.tolist(), kinds.tolist(), strict=True)]
    table = write_csv(folder / "t.csv", [*COLUMNS, "kind"], rows)
    clf = ReduNetClassifier(n_layers=1, affine=True, **options).fit(X, kinds)
    clf.feature_names_in_ = np.array(COLUMNS, dtype=object)
    clf.save(folder / "rows.redunet")
    return table, folder / "rows.redunet"


@pytest.fixture
def any_epoch_will_do(monkeypatch):
    """The first epoch is kept, whatever the samples held out say."""
    monkeypatch.setattr(held_out.Verdicts, "best_epoch", 1)


@pytest.mark.usefixtures("any_epoch_will_do")
def test_columns_keep_their_names_and_a_model_its_options(tmp_path):
    table, path = table_with_model(tmp_path, on_bad_samples="nan")
    done = call("fine-tune", path, table, "--target", "kind", "--epochs", 1)
    assert done.exit_code == 0, done.output
    assert "kept      epoch 1 of 1" in done.stdout
    saved = redunet.load(path)
    assert list(saved.feature_names_in_) == COLUMNS
    assert saved.on_bad_samples == "nan"
    assert call("evaluate", path, table, "--target", "kind").exit_code == 0


@pytest.mark.usefixtures("any_epoch_will_do")
def test_moments_are_not_lost_by_mistake(tmp_path):
    table, path = table_with_model(tmp_path, construction="moments")
    before = path.read_bytes()
    words = ["fine-tune", path, table, "--target", "kind", "--epochs", 1]
    message = f"{path} keeps moments of its samples, which a trained model does not: `redunet update` could add no more"
    refused(2, message, *words)
    assert path.read_bytes() == before
    done = call(*words, "-o", path)
    assert done.exit_code == 0, done.output
    assert redunet.load(path).moments_ is None
    refused(1, "keeps no moments of its samples", "update", path, table, "--target", "kind")


def test_labels_of_both_arrays_may_be_in_files_of_their_own(folder, model, tmp_path):
    for name in ("train", "judge"):
        X, y = samples_of(folder / f"{name}.npz")
        np.save(tmp_path / f"{name}_X.npy", X)
        np.save(tmp_path / f"{name}_y.npy", y)
    words = [
        tmp_path / "train_X.npy",
        "--labels",
        tmp_path / "train_y.npy",
        "--held-out-data",
        tmp_path / "judge_X.npy",
    ]
    done = call("fine-tune", model, *words, "--held-out-labels", tmp_path / "judge_y.npy", "--epochs", 1, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    expected = redunet.load(folder / "start.redunet").score(*samples_of(folder / "judge.npz"))
    assert found["held_out_accuracy"][0] == pytest.approx(expected)


def test_samples_that_cannot_be_used_are_named_by_their_place_before_training(folder, model, tmp_path, monkeypatch):
    monkeypatch.setattr(redunet.torch, "fine_tune", None)
    X, y = samples_of(folder / "train.npz")
    before = model.read_bytes()
    bad = X.copy()
    bad[7] = 0
    np.savez(tmp_path / "zero.npz", X=bad, y=y)
    np.savez(tmp_path / "label.npz", X=X, y=np.where(np.arange(len(y)) == 9, 77, y))
    np.savez(tmp_path / "none.npz", X=X[:0], y=y[:0])
    good = folder / "train.npz"
    for name, message in (
        ("zero.npz", "sample 7 (counting from 0): all numbers are zero"),
        ("label.npz", "sample 9 (counting from 0): the label '77' is not among the classes of the model"),
        ("none.npz", "there are no samples"),
    ):
        refused(1, message, "fine-tune", model, tmp_path / name)
        done = refused(1, message, "fine-tune", model, good, "--held-out-data", tmp_path / name)
        assert name in done.stderr
    assert model.read_bytes() == before


def test_samples_that_do_not_fit_into_memory_are_refused(folder, model, monkeypatch):
    monkeypatch.setattr(fine_tune_command, "free_memory", lambda: 10_000)
    message = "training keeps all samples in memory, where 200 of them take about 400 kB and 10 kB are free; train with"
    refused(1, message, "fine-tune", model, folder / "train.npz")


def test_what_this_model_cannot_do_is_said_in_words_of_the_command_line(folder, model, tmp_path):
    table, rows_model = table_with_model(tmp_path)
    words = ["fine-tune", rows_model, table, "--target", "kind"]
    refused(2, "--augment deform is for signals and images, and", *words, "--augment", "deform")
    words = ["fine-tune", model, folder / "train.npz"]
    refused(1, "there is nothing to train: --what layers of this classifier", *words, "--what", "layers")
    refused(2, "--device nowhere: PyTorch cannot compute there (", *words, "--device", "nowhere")
    refused(2, "--device meta: PyTorch cannot compute there", *words, "--device", "meta")
    X, y = samples_of(folder / "train.npz")
    few = np.r_[np.flatnonzero(y == 0)[:2], np.flatnonzero(y)]
    np.savez(tmp_path / "few.npz", X=X[few], y=y[few])
    message = f"class 0 has 2 samples in {tmp_path / 'few.npz'}, and at least two of them must be left to train with"
    done = refused(1, message, "fine-tune", model, tmp_path / "few.npz")
    assert "or other ones as --held-out-data." in done.stderr


def test_a_lift_that_is_drawn_again_may_leave_a_sample_without_response(folder, model, monkeypatch):
    from redunet.inputs.errors import SilentSampleError

    def silent(*anything, **options):
        raise SilentSampleError("rows {rows}", rows=[3])

    monkeypatch.setattr(redunet.torch, "fine_tune", silent)
    done = refused(1, "train.npz: built again without the samples held out", "fine-tune", model, folder / "train.npz")
    assert "pass --held-out-data, or another --seed." in done.stderr


def test_an_interrupted_command_goes_on_from_its_checkpoint(folder, model, tmp_path, monkeypatch, judged):
    monkeypatch.setattr(Progress, "is_due", lambda self: True)
    words = ["fine-tune", model, folder / "train.npz", "--held-out-data", folder / "judge.npz", *WORDS]
    words += ["--checkpoint", tmp_path / "progress"]
    numbers = []

    def interrupt(self, stage, number, *more):
        numbers.append(number)
        if len(numbers) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(ProgressBar, "epoch", interrupt)
    message = f"interrupted; {model} is what it was; the same command goes on from the checkpoint."
    refused(130, message, *words)
    message = "interrupted; no model was written; the same command goes on from the checkpoint."
    numbers[:] = [0]
    refused(130, message, *words, "-o", tmp_path / "t.redunet")
    assert model.read_bytes() == (folder / "start.redunet").read_bytes()
    assert not (tmp_path / "t.redunet").exists()
    refused(1, "holds the progress of another fit: its parameters were others", *words, "--seed", 9)
    numbers.clear()
    monkeypatch.setattr(ProgressBar, "epoch", lambda self, stage, number, *more: numbers.append(number))
    assert call(*words).exit_code == 0
    assert numbers == [2, 3]  # of epoch 2 nothing was written
    X, _ = samples_of(folder / "judge.npz")
    assert_array_equal(redunet.load(model).predict_proba(X), redunet.load(judged[0]).predict_proba(X))


def test_a_model_that_is_changed_meanwhile_is_not_replaced(folder, model, monkeypatch):
    def changing(*anything):
        model.write_bytes(b"other")

    monkeypatch.setattr(ProgressBar, "epoch", changing)
    words = ["fine-tune", model, folder / "train.npz", "--held-out-data", folder / "judge.npz", *WORDS]
    refused(1, f"{model} was changed while it was read", *words)
    assert model.read_bytes() == b"other"


def test_a_model_that_has_seen_the_samples_held_out_is_told(folder, judged, tmp_path):
    out, _ = judged
    words = ["fine-tune", out, folder / "train.npz", "--epochs", 1, "-o", tmp_path / "again.redunet"]
    assert f"note: {out} was trained before" in call(*words).stderr
    assert not call(*words, "--held-out-data", folder / "judge.npz").stderr


def test_inspect_and_the_page_say_that_a_model_was_trained(folder, judged, tmp_path):
    out, found = judged
    shown = call("inspect", out).stdout
    chosen = found["chosen_epoch"]
    before, after = (found["held_out_accuracy"][epoch] for epoch in (0, chosen))
    line = f": {chosen} of 3 epochs; accuracy on 200 samples held out {before:.4f} → {after:.4f}"
    assert f"trained further    {', '.join(found['parts'])}{line}" in shown
    assert f"expected accuracy  {after:.3f} (samples held out of the training, which also chose the epoch)" in shown
    about = json.loads(call("inspect", out, "--json").stdout)
    assert {**found, **about["training"]} == found
    assert (about["expected_accuracy"], about["expected_by"]) == (after, "samples held out of training")
    page = tmp_path / "page.html"
    assert call("report", out, folder / "judge.npz", "-o", page, "--quiet").exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert f"It was trained further for {chosen} epochs ({', '.join(found['parts'])}): of 200 samples held out" in text
    assert f"{after:.1%} were then answered correctly, {before:.1%} before." in text
    assert "samples held out of the training, which also chose the epoch" in text
    assert call("report", folder / "start.redunet", folder / "judge.npz", "-o", page, "--quiet").exit_code == 0
    assert "trained further" not in page.read_text(encoding="utf-8")
    assert json.loads(call("inspect", folder / "start.redunet", "--json").stdout)["training"] is None
    assert "trained further" not in call("inspect", folder / "start.redunet").stdout


def test_inspect_says_that_a_start_was_kept(folder, tmp_path):
    X, y = samples_of(folder / "train.npz")
    start = redunet.load(folder / "start.redunet")
    kept = fine_tune(start, X, y, held_out=samples_of(folder / "judge.npz"), n_epochs=1, rate=10.0)
    assert kept.training_history_.start_was_kept
    kept.save(tmp_path / "kept.redunet")
    shown = call("inspect", tmp_path / "kept.redunet").stdout
    assert "the start was kept; accuracy on 200 samples held out" in shown
    assert "(training samples, each left out of its class)" in shown


def test_progress_has_epoch_loss_and_accuracy_beside_that_of_the_start():
    with progress_bar(False) as progress:
        progress.epoch("held out", 2, 7, 0.51234, 0.95, 0.9)
        task = progress.bars.tasks[0]
        assert (task.description, task.completed, task.total) == ("training, held out", 2, 7)
        assert task.fields["detail"] == "epoch 2 of 7, loss 0.5123, held out 0.9500 (start 0.9000)"
        progress.epoch("all samples", 1, 5, 0.4, float("nan"), float("nan"))
        assert task.fields["detail"] == "epoch 1 of 5, loss 0.4000"
