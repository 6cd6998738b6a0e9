"""`redunet fit` on tables: what is saved is what Python fits, and what is said is true."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import redunet
from redunet.cli import fit_command, model_size
from redunet.inputs.byte_sizes import readable_bytes
from redunet.storage.model_file import stored_bytes

from .conftest import COLUMNS, call, refused, waves, write_csv


def fit_json(*words):
    done = call("fit", *words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_saved_model_is_the_one_that_python_fits(here, tmp_path):
    found = fit_json(here.table, "--target", "kind", "-o", tmp_path / "m.redunet")
    ours = redunet.ReduNetClassifier(random_state=0).fit(here.X, here.kinds)
    saved = redunet.load(tmp_path / "m.redunet")
    assert list(saved.feature_names_in_) == COLUMNS
    del saved.feature_names_in_
    assert_array_equal(saved.predict_proba(here.X), ours.predict_proba(here.X))
    assert found["classes"] == {"fern": 20, "moss": 20, "oak": 20}
    assert found["samples"] == 60
    assert found["shape"] == [4]
    assert found["loo_score"] == ours.loo_score_
    assert found["rank"] == ours.rank_
    assert found["layers"] == ours.n_layers_
    assert found["bytes"] == (tmp_path / "m.redunet").stat().st_size


def test_the_table_names_samples_classes_choices_expected_accuracy_and_the_file(here, tmp_path):
    done = call("fit", here.table, "--target", "kind", "-o", tmp_path / "m.redunet", "--layers", 2)
    for words in ("60", "fern (20), moss (20), oak (20)", "expected accuracy", "layers", "ΔR", "m.redunet", "seconds"):
        assert words in done.stdout
    assert not done.stderr


def test_quiet_says_nothing(here, tmp_path):
    done = call("fit", here.table, "--target", "kind", "-o", tmp_path / "m.redunet", "--quiet")
    assert done.exit_code == 0
    assert done.output == ""


def test_a_model_without_the_layers_that_were_asked_for_says_so(tmp_path, monkeypatch):
    noise = np.random.default_rng(0).standard_normal((12, 20))
    rows = [[*row, f"kind {i % 2}"] for i, row in enumerate(noise)]
    path = write_csv(tmp_path / "noise.csv", [*(f"t{i}" for i in range(20)), "kind"], rows)
    model_of = fit_command.model_of
    monkeypatch.setattr(
        fit_command, "model_of", lambda words: model_of(words).set_params(membership="softmax", sharpness=1e-3)
    )
    words = ["fit", path, "--target", "kind", "--invariance", "shift", "--lift", "random", "--channels", 4]
    words += ["-o", tmp_path / "m.redunet", "--layers"]
    done = call(*words, 3)
    assert done.exit_code == 0
    assert "note: no layer raises ΔR with these samples; the model has none, though --layers 3." in done.stderr
    assert "no layer" not in call(*words, 0).stderr


def test_options_reach_the_classifier(here, tmp_path):
    X, codes = waves(24)
    table = write_csv(
        tmp_path / "waves.csv",
        [*(f"t{i}" for i in range(24)), "id", "kind"],
        [[*row, f"n{i}", code] for i, (row, code) in enumerate(zip(X.tolist(), codes.tolist(), strict=True))],
    )
    out = tmp_path / "m.redunet"
    words = ["--invariance", "shift", "--shape", "1,24", "--lift", "random", "--channels", 6, "--kernel", "3,5"]
    words += ["--pool", 1.5, "--pad", 4, "--layers", 1, "--seed", 3, "--float32", "--ignore", "id"]
    found = fit_json(table, "--target", "kind", "-o", out, *words)
    lift = {"filters": "random", "channels": 6, "kernel": [3, 5], "threshold": "soft", "pool": 1.5, "pad": [4]}
    assert found["lift"] == lift
    assert found["precision"] == "single"
    saved = redunet.load(out)
    assert saved.network_.dtype == np.float32
    assert (saved.n_layers, saved.random_state, saved.lift.random_state) == (1, 3, 3)
    assert saved.sample_shape_ == (1, 24)
    lift = redunet.Lift("random", 6, (3, 5), pool=1.5, pad=4, random_state=3)
    ours = redunet.ReduNetClassifier("shift", lift=lift, n_layers=1, sample_shape=(1, 24), random_state=3)
    ours.fit(X.astype(np.float32), codes)
    del saved.feature_names_in_
    assert_array_equal(saved.predict(X), ours.predict(X))


def test_signals_get_a_lift_chosen_by_evidence_unless_told_otherwise(tmp_path):
    X, codes = waves(24)
    np.savez(tmp_path / "waves.npz", X=X, y=codes)
    found = fit_json(tmp_path / "waves.npz", "--invariance", "shift", "-o", tmp_path / "m.redunet")
    assert found["lift"]["channels"] > 1
    assert found["invariance"] == "shift"


def test_labels_that_are_whole_numbers_stay_numbers_and_others_stay_text(tmp_path):
    for labels, classes in ((["1", "2"], [1, 2]), (["01", "02"], ["01", "02"]), (["1", "b"], ["1", "b"])):
        rows = [[i * 0.5, (i % 2) * 3 + 0.1 * i, labels[i % 2]] for i in range(12)]
        table = write_csv(tmp_path / "t.csv", ["a", "b", "y"], rows)
        fit_json(table, "--target", "y", "-o", tmp_path / "m.redunet")
        assert redunet.load(tmp_path / "m.redunet").classes_.tolist() == classes


def test_a_checkpoint_of_another_fit_is_refused_and_its_folder_named(here, tmp_path, monkeypatch):
    folder, out = tmp_path / "progress", tmp_path / "m.redunet"
    words = ["fit", here.table, "--target", "kind", "-o", out, "--checkpoint", folder]
    assert call(*words, "--layers", 3).exit_code == 0
    assert folder.is_dir()

    calm = redunet.ReduNetClassifier.fit

    def stopped(self, X, y, *, checkpoint):
        """Crash after the second layer."""
        calm(self, X, y, checkpoint=redunet.Checkpoint(checkpoint, layers=2))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("redunet.storage.checkpoint.Progress.done", lambda self: None)
        patch.setattr(redunet.ReduNetClassifier, "fit", stopped)
        done = refused(130, "interrupted; no model was written; the same command goes on", *words, "--layers", 3)
    message = "holds the progress of another fit: its parameters were others"
    done = refused(1, message, *words, "--layers", 4)
    assert "another folder as --checkpoint" in done.stderr
    assert call(*words, "--layers", 3).exit_code == 0


def test_a_checkpoint_that_is_a_file_is_told(here, tmp_path):
    message = f"--checkpoint {here.table} is not a folder to write to"
    refused(1, message, "fit", here.table, "--target", "kind", "-o", tmp_path / "m", "--checkpoint", here.table)


def test_an_existing_model_stays_until_the_new_one_is_complete(here, tmp_path, monkeypatch):
    out = tmp_path / "m.redunet"
    out.write_bytes(here.model.read_bytes())
    before = out.read_bytes()

    def full(self, X, y, *, checkpoint):
        raise OSError(28, "No space left on device", str(out))

    monkeypatch.setattr(fit_command.ReduNetClassifier, "save", lambda self, path: full(self, 0, 0, checkpoint=0))
    message = "No space left on device; free some space, or use another place"
    refused(1, message, "fit", here.table, "--target", "kind", "-o", out)
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--invariance", "shfit"], "one of none, shift, translation, got 'shfit'. Did you mean 'shift'?"),
        (["--lift", "patch"], "Did you mean 'patches'?"),
        (["--lift", "patches"], "--lift patches takes signals or images; pass --invariance shift"),
        (["--channels", 4], "--channels describes filters; pass --lift with one of patches"),
        (["--pad", 4, "--invariance", "shift"], "--pad describes filters; pass --lift with one of"),
        (["--layers", "many"], "--layers must be auto, or a whole number >= 0, got 'many'."),
        (["--layers", "-1"], "--layers must be auto, or a whole number >= 0, got '-1'."),
        (["--shape", "1,b"], "--shape must be whole numbers >= 1 such as 1,28,28, got '1,b'."),
        (["--shape", "1,0"], "--shape must be whole numbers >= 1 such as 1,28,28, got '1,0'."),
        (["--invariance", "shift", "--lift", "pca", "--kernel", "0"], "--kernel must be whole numbers >= 1 such as 9"),
        (["--invariance", "shift", "--lift", "pca", "--pad", "x"], "--pad must be whole numbers >= 0 such as 20"),
        (
            ["--invariance", "shift", "--lift", "pca", "--kernel", "1,2,3", "--channels", 2],
            "--kernel has 3 sizes but --channels 2; pass --channels >= 3.",
        ),
        (["--shape", "1,5"], "--shape 1,5 holds 5 numbers, but a sample of"),
        (["--invariance", "shift", "--shape", "1,5"], "has 4; pass --shape 1,4."),
        (["--invariance", "translation", "--shape", "1,5"], "has 4; pass --shape 1,2,2."),
        (
            ["--invariance", "translation"],
            "rows of 4 numbers, and --invariance translation needs their layout; pass --shape 1,2,2.",
        ),
        (
            ["--invariance", "shift", "--shape", "1,2,2"],
            "--shape 1,2,2 does not go with --invariance shift, which takes CHANNELS,LENGTH.",
        ),
        (
            ["--invariance", "translation", "--shape", "4"],
            "--shape 4 does not go with --invariance translation, which takes CHANNELS,HEIGHT,WIDTH.",
        ),
    ],
)  # fmt: skip
def test_wrong_words_are_told_before_any_fit(here, tmp_path, monkeypatch, words, message):
    monkeypatch.setattr(fit_command.ReduNetClassifier, "fit", None)
    refused(2, message, "fit", here.table, "--target", "kind", "-o", tmp_path / "m.redunet", *words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--lift", "none"], "has 1 channel, and a class subspace of it holds every sample; pass --lift auto"),
        (["--lift", "pca", "--kernel", 9], "--kernel 9 is larger than the signal, which is 4; pass --kernel <= 4."),
        (["--lift", "pca", "--kernel", 2, "--pad", "1,2"], "--pad 1,2 has 2 entries but samples have 1 cyclic axes."),
        (["--lift", "stft", "--shape", "1,2,2", "--kernel", 2], "--lift stft takes signals of one cyclic axis"),
    ],
)
def test_filters_that_do_not_go_with_the_samples_are_told_in_these_words(here, tmp_path, words, message):
    invariance = "translation" if "1,2,2" in words else "shift"
    words = [*words, "--invariance", invariance]
    refused(1, message, "fit", here.table, "--target", "kind", "-o", tmp_path / "m.redunet", *words)


def test_a_shape_for_samples_that_have_one_is_told(tmp_path):
    np.savez(tmp_path / "d.npz", X=np.ones((4, 2, 6)), y=[0, 1, 0, 1])
    words = ["fit", tmp_path / "d.npz", "-o", tmp_path / "m", "--invariance", "shift", "--shape"]
    refused(2, "--shape 3,4: samples of", *words, "3,4")
    words = ["fit", tmp_path / "d.npz", "-o", tmp_path / "m"]
    refused(
        2, "has samples of shape 2,6, and --invariance none takes rows of numbers; pass --invariance shift.", *words
    )
    np.savez(tmp_path / "d.npz", X=np.ones((4, 1, 1, 2, 6)), y=[0, 1, 0, 1])
    refused(2, "samples of shape 1,1,2,6, which does not go with --invariance shift", *words, "--invariance", "shift")


def test_a_sample_without_direction_or_response_is_told_by_its_row(here, tmp_path):
    X, codes = waves(12)
    X[7] = 0
    rows = [[*row, code] for row, code in zip(X.tolist(), codes.tolist(), strict=True)]
    header = [*(f"t{i}" for i in range(24)), "kind"]
    words = ["fit", tmp_path / "w.csv", "--target", "kind", "-o", tmp_path / "m", "--invariance", "shift"]
    write_csv(tmp_path / "w.csv", header, rows)
    refused(1, "w.csv, row 9: all numbers are zero, so that the sample has no direction; remove it.", *words)
    rows[7] = [1.0] * 24 + [1]
    write_csv(tmp_path / "w.csv", header, rows)
    message = "w.csv, row 9: the sample gives no response to any filter, as constant samples do; remove it"
    refused(1, message, *words, "--lift", "wavelet", "--channels", 4, "--kernel", 7)


def test_a_value_too_large_for_single_precision_is_told_by_row_and_column(tmp_path):
    rows = [[i, 1e39 if i == 3 else i * i, "ab"[i % 2]] for i in range(8)]
    table = write_csv(tmp_path / "t.csv", ["a", "b", "y"], rows)
    words = ["fit", table, "--target", "y", "-o", tmp_path / "m.redunet"]
    refused(
        1, "t.csv, row 5, column 'b': 1e+39 is too large for --float32; leave it out, or scale", *words, "--float32"
    )
    assert call(*words).exit_code == 0


def test_a_pooled_lift_from_the_command_line(tmp_path):
    random = np.random.default_rng(0)
    t = np.arange(32) * 2 * np.pi / 32
    kinds = np.array(["slow", "fast"])[np.arange(20) % 2]
    X = np.sin(np.where(kinds == "slow", 1, 3)[:, None] * t + random.uniform(0, 6, (20, 1)))
    X += 0.1 * random.standard_normal(X.shape)
    np.savez(tmp_path / "signals.npz", X=X, y=kinds)
    words = ["--invariance", "shift", "--lift", "pooled", "-o", str(tmp_path / "model.redunet")]
    done = call("fit", tmp_path / "signals.npz", *words)
    assert done.exit_code == 0, done.output
    assert "pooled" in done.output
    assert "regression" in done.output
    padded = call("fit", tmp_path / "signals.npz", *words, "--pad", "8")
    assert padded.exit_code == 0, padded.output
    refused(2, "--channels describes filters", "fit", tmp_path / "signals.npz", *words, "--channels", "3")


def test_lifts_for_rings_from_the_command_line(tmp_path):
    random = np.random.default_rng(0)
    kinds = np.arange(24) % 2
    X = random.standard_normal((24, 4, 16)) + 3 * np.sin((1 + kinds)[:, None, None] * np.arange(16) * np.pi / 8)
    np.savez(tmp_path / "rings.npz", X=X, y=np.array(["one", "two"])[kinds])
    words = ["--invariance", "shift", "--lift", "rings", "-o", str(tmp_path / "model.redunet")]
    done = call("fit", tmp_path / "rings.npz", *words)
    assert done.exit_code == 0, done.output
    assert "peaks, 1200 channels" in done.output
    shown = call("inspect", tmp_path / "model.redunet")
    assert "strongest response" in shown.output, shown.output
    refused(2, "--channels describes filters", "fit", tmp_path / "rings.npz", *words, "--channels", "3")


def test_a_large_model_is_announced_before_it_is_written(here, tmp_path, monkeypatch):
    words = ["fit", here.table, "--target", "kind", "-o", tmp_path / "m.redunet"]
    assert call(*words).stderr == ""
    size = stored_bytes(redunet.load(tmp_path / "m.redunet"))
    saved = []
    monkeypatch.setattr(fit_command.ReduNetClassifier, "save", lambda self, path: saved.append(list(printed)))
    monkeypatch.setattr(model_size, "LARGE_MODEL_BYTES", size - 1)
    printed = []
    monkeypatch.setattr(fit_command, "print_message", lambda words: printed.append(words))
    call(*words)
    (before,) = saved
    assert before == [
        f"note: the model takes about {readable_bytes(size)}, which are now written to {tmp_path / 'm.redunet'}; fewer "
        f"columns, fewer --channels of the lift, fewer --layers or --float32 make it smaller."
    ]
    monkeypatch.setattr(model_size, "LARGE_MODEL_BYTES", size)
    printed.clear()
    call(*words)
    assert saved[-1] == []


def test_the_size_of_a_model_is_estimated_from_its_arrays(here, tmp_path):
    np.save(tmp_path / "t.npy", np.column_stack([here.signals, here.codes]))
    words = ["--invariance", "shift", "--lift", "random", "--channels", 16, "--kernel", 5, "--layers", 4]
    done = call("fit", tmp_path / "t.npy", "--target", "last", "-o", tmp_path / "m.redunet", *words)
    assert done.exit_code == 0, done.output
    size = (tmp_path / "m.redunet").stat().st_size
    assert 0.9 * size < stored_bytes(redunet.load(tmp_path / "m.redunet")) < size


def test_expected_accuracy_is_that_of_the_model_that_was_written(tmp_path, monkeypatch):
    out = tmp_path / "m.redunet"
    kinds = np.arange(90) % 3  # they overlap, so that layers change the accuracy on held-out samples
    X = (np.random.default_rng(0).standard_normal((90, 4)) + np.eye(4)[kinds]).round(3)
    rows = [[*row, f"kind {kind}"] for row, kind in zip(X.tolist(), kinds, strict=True)]
    table = write_csv(tmp_path / "t.csv", [*COLUMNS, "kind"], rows)
    words = [table, "--target", "kind", "--standardise", "no", "-o", out]
    left_out = "(training samples, each left out of its class)"
    found = fit_json(*words, "--layers", 0)
    score = redunet.load(out).loo_score_
    assert found["loo_score"] == found["expected_accuracy"] == score
    assert f"expected accuracy  {score:.3f} {left_out}\n" in call("inspect", out).stdout
    # layers that were asked for: nobody measured what they do
    found = fit_json(*words, "--layers", 3)
    assert (found["layers"], found["loo_score"], found["expected_accuracy"]) == (3, score, None)
    text = f"expected accuracy  not measured after 3 layers; {score:.3f} before them {left_out}\n"
    assert text in call("inspect", out).stdout
    assert text in call("fit", *words, "--layers", 3).stdout
    # layers of which samples were held out: their accuracy after these layers
    model_of = fit_command.model_of
    monkeypatch.setattr(fit_command, "model_of", lambda words: model_of(words).set_params(sharpness="auto"))
    found = fit_json(*words, "--layers", 3)
    scores = redunet.load(out).depth_scores_
    held_out = scores[3]
    assert held_out not in (score, scores[0])
    assert (found["layers"], found["expected_accuracy"]) == (3, held_out)
    assert found["expected_by"] == "samples held out"
    text = f"expected accuracy  {held_out:.3f} (training samples that were held out while 3 layers were built)\n"
    assert text in call("inspect", out).stdout
