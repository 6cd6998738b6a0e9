"""`redunet update` and `redunet merge`: what they give is what all rows together give; nothing is lost on the way."""

import json
import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import redunet
from redunet.cli import update_command
from redunet.cli.files.file_content import FileContent

from .conftest import COLUMNS, call, plants, refused, waves, write_csv
from .kill_update import killed_updates
from .test_large_fit import same_moments, table_of


@pytest.fixture
def two(tmp_path):
    """Two tables, and a model of the first with moments."""
    X, kinds = table_of(tmp_path / "t.csv", 300)
    more, of_more = table_of(tmp_path / "u.csv", 120, 1)
    model = tmp_path / "m.redunet"
    words = ["--target", "kind", "--construction", "moments", "--layers", 1, "-o", model, "--quiet"]
    assert call("fit", tmp_path / "t.csv", *words).exit_code == 0
    return model, tmp_path / "u.csv", (X, kinds), (more, of_more)


def updated(*words):
    done = call("update", *words, "--target", "kind", "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def in_python(model, *parts):
    """The model of all parts with the constant coordinate of another."""
    offset = model.network_.geometry.offset
    X, kinds = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return redunet.ReduNetClassifier(n_layers=1, construction="moments", affine=offset).fit(X, kinds)


def test_an_update_gives_the_model_of_all_rows(two):
    path, more, *parts = two
    before = redunet.load(path).loo_score_
    found = updated(path, more)
    saved = redunet.load(path)
    ours = in_python(saved, *parts)
    same_moments(saved, ours)
    assert list(saved.feature_names_in_) == COLUMNS
    del saved.feature_names_in_
    new, _ = plants(500, 2)
    assert_array_equal(saved.predict(new), ours.predict(new))
    assert_allclose(saved.predict_proba(new), ours.predict_proba(new), atol=1e-9)
    assert found["added"] == 120
    assert found["samples"] == 420
    assert found["classes"] == {"fern": 140, "moss": 140, "oak": 140}
    assert found["loo_score_before"] == before
    assert found["loo_score"] == saved.loo_score_
    assert (found["layers"], found["expected_accuracy"]) == (1, None)  # nobody measured what the layer does
    assert found["bytes"] == path.stat().st_size


def test_rows_that_are_taken_out_are_as_if_they_had_never_been_there(two, tmp_path):
    path, more, *parts = two
    before = redunet.load(path)
    updated(path, more)
    found = updated(path, more, "--forget", "-o", tmp_path / "other.redunet")
    assert found["taken_out"] == 120
    assert found["samples"] == 300
    assert redunet.load(path).moments_.class_weight.sum() == 420
    left = redunet.load(tmp_path / "other.redunet")
    same_moments(left, before)
    del left.feature_names_in_, before.feature_names_in_
    assert_array_equal(left.predict(parts[1][0]), before.predict(parts[1][0]))
    assert left.added_files_ == before.added_files_
    assert updated(tmp_path / "other.redunet", more)["samples"] == 420  # and it may be added again


def test_the_table_says_what_was_done(two):
    path, more, *_ = two
    shown = call("update", path, more, "--target", "kind").stdout
    for words in (
        "120 samples",
        "fern (140), moss (140), oak (140)",
        "; before: ",
        "samples per second)",
        "m.redunet (",
    ):
        assert words in shown
    assert "taken out          120 samples" in call("update", path, more, "--target", "kind", "--forget").stdout
    assert call("update", path, more, "--target", "kind", "--quiet").output == ""


def test_the_same_file_is_not_counted_twice_by_mistake(two, tmp_path):
    path, more, *_ = two
    updated(path, more)
    before = path.read_bytes()
    (tmp_path / "copy.csv").write_bytes(more.read_bytes())
    message = "copy.csv: the model has counted the rows of this file already; pass --again to count them once more"
    refused(1, message, "update", path, tmp_path / "copy.csv", "--target", "kind")
    refused(1, "counted the rows of this file already", "update", path, tmp_path / "t.csv", "--target", "kind")
    assert path.read_bytes() == before
    assert updated(path, more, "--again")["samples"] == 540
    assert [file.n_samples for file in redunet.load(path).added_files_] == [300, 120, 120]


def test_a_model_remembers_the_latest_files_alone(monkeypatch):
    monkeypatch.setattr(update_command, "MOST_ADDED_FILES", 2)
    files = tuple(update_command.AddedFile(f"{i}" * 64, i + 1) for i in range(3))
    assert update_command.files_after(files[:2], files[2], False) == files[1:]
    assert update_command.files_after(files[:2], files[2], True) == files[:2]


def test_columns_are_found_by_name_and_others_ignored_with_a_note(two, tmp_path):
    path, more, *parts = two
    X, kinds = parts[1]
    rows = [["n", kind, *row[::-1]] for row, kind in zip(X.tolist(), kinds.tolist(), strict=True)]
    table = write_csv(tmp_path / "v.csv", ["note", "kind", *COLUMNS[::-1]], rows)
    done = call("update", path, table, "--target", "kind", "-o", tmp_path / "n.redunet")
    assert "note: " in done.stderr
    assert "columns that the model does not use: 'note'; they are ignored." in done.stderr
    updated(path, more)
    same_moments(redunet.load(tmp_path / "n.redunet"), redunet.load(path))


def test_new_classes_are_learned_if_they_are_asked_for(two, tmp_path):
    path, _, *parts = two
    X, kinds = parts[1]
    kinds = np.where(np.arange(120) % 4 == 0, "birch", kinds)
    rows = [[*row, kind] for row, kind in zip(X.tolist(), kinds.tolist(), strict=True)]
    table = write_csv(tmp_path / "v.csv", [*COLUMNS, "kind"], rows)
    before = path.read_bytes()
    message = "v.csv, row 2: the label 'birch' is not among the classes of the model, 'fern', 'moss', 'oak'; correct or"
    done = refused(1, message, "update", path, table, "--target", "kind")
    assert "pass --new-classes if it is a class that the model shall learn." in done.stderr
    assert path.read_bytes() == before
    found = updated(path, table, "--new-classes")
    assert found["classes"] == {"birch": 30, "fern": 130, "moss": 130, "oak": 130}
    same_moments(redunet.load(path), in_python(redunet.load(path), parts[0], (X, kinds)))


def test_new_classes_have_the_type_of_those_that_are_known(tmp_path):
    rows = [[i * 0.5, (i % 3) * 3 + 0.1 * i, i % 3] for i in range(30)]
    table = write_csv(tmp_path / "t.csv", ["a", "b", "kind"], rows)
    words = ["--target", "kind", "--construction", "moments", "-o", tmp_path / "m.redunet"]
    assert call("fit", table, *words).exit_code == 0
    more = write_csv(tmp_path / "u.csv", ["a", "b", "kind"], [[1, i, 7] for i in range(5)])
    updated(tmp_path / "m.redunet", more, "--new-classes")
    assert redunet.load(tmp_path / "m.redunet").classes_.tolist() == [0, 1, 2, 7]
    for label, where in (("oak", "row 3"), ("1.5", "row 3")):
        other = write_csv(tmp_path / "v.csv", ["a", "b", "kind"], [[1, 2, 0], [1, 2, label]])
        message = (
            f"v.csv, {where}: the label '{label}' cannot be a new class beside '0', '1', '2', '7', which are whole"
        )
        refused(1, message, "update", tmp_path / "m.redunet", other, "--target", "kind", "--new-classes")


def test_too_many_new_classes_are_told(two, tmp_path, monkeypatch):
    monkeypatch.setattr("redunet.cli.files.file_labels.MOST_CLASSES", 5)
    table = write_csv(tmp_path / "v.csv", [*COLUMNS, "kind"], [[1, 2, 3, i, f"id {i}"] for i in range(9)])
    message = "v.csv, row 4: the label 'id 2' would be class 6 of the model; "
    done = refused(1, message, "update", two[0], table, "--target", "kind", "--new-classes")
    assert "column 'kind' may not hold classes, which are at most 5." in done.stderr


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        (
            [*COLUMNS[:3], "size", "kind"],
            [1, 2, 3, 4, "oak"],
            "row 1: there is no column 'weight', which the model was",
        ),
        ([*COLUMNS, "kind"], [1, 2, "high", 4, "oak"], "row 2, column 'depth': 'high' is not a number; correct it"),
        ([*COLUMNS, "kind"], None, "column 'kind': there are no samples; the model stays as it is. Add some."),
        ([], None, "is empty; its first row must hold the names of the columns."),
    ],
)
def test_files_that_do_not_go_with_the_model_are_told_and_nothing_changes(two, tmp_path, header, row, message):
    before = two[0].read_bytes()
    table = write_csv(tmp_path / "v.csv", header, [] if row is None else [row])
    refused(1, message, "update", two[0], table, "--target", "kind")
    assert two[0].read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["m.redunet", "t.csv", "u.csv", "v.csv"]


def test_a_bad_row_far_behind_is_told_and_nothing_changes(two, tmp_path):
    path, more, *_ = two
    lines = more.read_text().splitlines()
    lines[100] = lines[100].replace(",", ",,", 1)
    more.write_text("\n".join(lines))
    before = path.read_bytes()
    refused(1, "u.csv, row 101: 6 fields, but row 1 names 5 columns", "update", path, more, "--target", "kind")
    assert path.read_bytes() == before


def test_rows_that_were_never_added_cannot_be_taken_out(two, tmp_path):
    path, *_ = two
    before = path.read_bytes()
    X, kinds = plants(400, 3)
    rows = [[*(9 * row), kind] for row, kind in zip(X, kinds, strict=True)]
    table = write_csv(tmp_path / "v.csv", [*COLUMNS, "kind"], rows)
    words = ["update", path, "--target", "kind", "--forget"]
    refused(1, "v.csv: these samples cannot be taken out: not all of them were seen", *words, table)
    refused(1, "t.csv: no sample would be left; ", *words, tmp_path / "t.csv")
    assert path.read_bytes() == before


def test_words_that_do_not_go_together_are_told(two):
    message = "--forget takes samples out, and --new-classes is for samples that are added; leave out one."
    refused(2, message, "update", two[0], two[1], "--target", "kind", "--forget", "--new-classes")
    refused(2, "would replace", "update", two[0], two[1], "--target", "kind", "-o", two[1])


def test_a_model_without_moments_is_told_with_the_remedy(here, two, tmp_path):
    message = (
        "keeps no moments of its samples, so that none can be added, taken out or joined; fit it with --construction"
    )
    refused(1, message, "update", here.model, here.table, "--target", "kind")
    refused(1, message, "merge", two[0], here.model, "-o", tmp_path / "all.redunet")
    redunet.NearestSubspaceClassifier(1).fit(here.X, here.kinds).save(tmp_path / "n.redunet")
    refused(1, message, "update", tmp_path / "n.redunet", here.table, "--target", "kind")


@pytest.mark.parametrize("which", [0, 1])
def test_a_model_or_table_that_changes_meanwhile_is_told(two, monkeypatch, which):
    calm = redunet.ReduNetClassifier.gather_more
    path = two[which]

    def changing(self, **options):
        path.write_bytes(path.read_bytes() + (b"" if which == 0 else b"1,2,3,4,oak\n"))
        return calm(self, **options)

    monkeypatch.setattr(redunet.ReduNetClassifier, "gather_more", changing)
    before = two[0].read_bytes()
    message = f"{path} was changed while it was read; start again when it is complete."
    refused(1, message, "update", two[0], two[1], "--target", "kind")
    assert two[0].read_bytes() == before


def test_ctrl_c_leaves_the_model_as_it_was(two, monkeypatch):
    def stopped(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(update_command.FileContent, "sha256", stopped)
    before = two[0].read_bytes()
    refused(130, f"interrupted; {two[0]} is what it was.", "update", two[0], two[1], "--target", "kind")
    assert two[0].read_bytes() == before


def test_single_precision_stays_single(tmp_path):
    table_of(tmp_path / "t.csv", 90)
    table_of(tmp_path / "u.csv", 30, 1)
    words = ["--target", "kind", "--construction", "moments", "--float32", "-o", tmp_path / "m.redunet"]
    assert call("fit", tmp_path / "t.csv", *words).exit_code == 0
    updated(tmp_path / "m.redunet", tmp_path / "u.csv")
    words = ["--target", "kind", "--like", tmp_path / "m.redunet", "-o", tmp_path / "n.redunet"]
    assert call("fit", tmp_path / "u.csv", *words).exit_code == 0
    for name in "mn":
        saved = redunet.load(tmp_path / f"{name}.redunet")
        assert saved.network_.dtype == saved.moments_.reservoir.samples.dtype == np.float32


def test_digests_are_those_of_other_programs_and_of_several_files_together(tmp_path):
    for name, text in (("a", b"abc"), ("b", b"")):
        (tmp_path / name).write_bytes(text)
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # of "abc", FIPS 180-2
    assert FileContent([tmp_path / "a"]).sha256() == digest
    both = FileContent([tmp_path / "a", tmp_path / "b"]).sha256()
    assert both not in (digest, FileContent([tmp_path / "b", tmp_path / "a"]).sha256())


def test_a_killed_update_leaves_the_old_model_whole_and_the_next_run_gives_the_same(tmp_path):
    wrong, n_killed = killed_updates(tmp_path, 6, seed=0)
    assert not wrong
    assert n_killed >= 2


def test_inspect_says_what_moments_a_model_holds(two, here):
    shown = call("inspect", two[0]).stdout
    for words in (
        "of 300 samples: fern (100), moss (100), oak (100); `redunet update` adds more",
        "300 samples",
        "1, of 300",
    ):
        assert words in shown
    found = json.loads(call("inspect", two[0], "--json").stdout)["moments"]
    assert found["samples"] == 300
    assert found["evidence_samples"] == 300
    assert [file["samples"] for file in found["files"]] == [300]
    assert "moments" not in call("inspect", here.model).stdout


def test_models_fitted_alike_are_joined_to_the_model_of_all_rows(two, tmp_path):
    path, more, *parts = two
    words = ["--target", "kind", "--like", path, "-o", tmp_path / "other.redunet"]
    assert call("fit", more, *words).exit_code == 0
    done = call("merge", path, tmp_path / "other.redunet", "-o", tmp_path / "all.redunet", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["models"], found["samples"]) == (2, 420)
    saved = redunet.load(tmp_path / "all.redunet")
    ours = in_python(saved, *parts)
    same_moments(saved, ours)
    assert list(saved.feature_names_in_) == COLUMNS
    assert [file.n_samples for file in saved.added_files_] == [300, 120]
    shown = call("merge", path, tmp_path / "other.redunet", "-o", tmp_path / "all.redunet").stdout
    assert "2 models" in shown
    assert "fern (140), moss (140), oak (140)" in shown


def test_a_model_like_another_has_its_options_unless_they_are_given(two, tmp_path):
    path, more, *_ = two
    words = ["fit", more, "--target", "kind", "--like", path, "-o", tmp_path / "n.redunet"]
    assert call(*words).exit_code == 0
    assert redunet.load(tmp_path / "n.redunet").n_layers == 1
    assert call(*words, "--layers", 2, "--evidence-samples", 0).exit_code == 0
    other = redunet.load(tmp_path / "n.redunet")
    assert (other.n_layers, len(other.moments_.reservoir.codes)) == (2, 0)
    assert call("merge", path, tmp_path / "n.redunet", "-o", tmp_path / "all.redunet").exit_code == 0
    refused(2, "--layers must be auto, or a whole number >= 0, got 'x'.", *words, "--layers", "x")


def test_signals_are_joined_that_enter_by_the_lift_of_another_model(tmp_path):
    for name, seed in (("a", 0), ("b", 1)):
        X, codes = waves(60, seed)
        np.savez(tmp_path / f"{name}.npz", X=X, y=codes)
    words = ["--invariance", "shift", "--lift", "patches", "--channels", 4, "--kernel", 5, "--construction", "moments"]
    assert call("fit", tmp_path / "a.npz", *words, "-o", tmp_path / "a.redunet").exit_code == 0
    done = call("fit", tmp_path / "b.npz", "--like", tmp_path / "a.redunet", "-o", tmp_path / "b.redunet")
    assert done.exit_code == 0, done.output
    words = ["merge", tmp_path / "a.redunet", tmp_path / "b.redunet", "-o", tmp_path / "all.redunet"]
    assert call(*words).exit_code == 0
    assert redunet.load(tmp_path / "all.redunet").moments_.class_weight.tolist() == [60, 60]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--standardise", "no"], "its samples have the constant coordinate"),
        (["--float32"], "one was fitted with --float32, the other without"),
        (["--ignore", "width"], "its samples have the shape (3,), those of the other (4,)"),
        (["--invariance", "shift", "--lift", "random", "--channels", 3, "--kernel", 2], "its samples have the shape"),
    ],
)
def test_models_that_do_not_go_together_are_told_by_their_files(two, tmp_path, words, message):
    path, more, *_ = two
    other = tmp_path / "other.redunet"
    fit = ["fit", more, "--target", "kind", "--construction", "moments", "-o", other, *words]
    assert call(*fit).exit_code == 0
    done = refused(
        1, f"{other} does not go with {path}: {message}", "merge", path, other, "-o", tmp_path / "all.redunet"
    )
    assert "Fit one of them with --like the other." in done.stderr
    assert not (tmp_path / "all.redunet").exists()


def test_models_of_other_columns_labels_or_lifts_are_told(two, tmp_path):
    path, _, *parts = two
    X, kinds = parts[0]
    saved = redunet.load(path)
    offset = saved.network_.geometry.offset
    other, out = tmp_path / "o.redunet", tmp_path / "all.redunet"
    codes = np.unique(kinds, return_inverse=True)[1]
    for names, labels, message in (
        (COLUMNS[::-1], kinds, "it was fitted on other columns, or on the same in another order."),
        (COLUMNS, codes, "the labels 'fern' are text but 0 are numbers; pass labels of one type."),
    ):
        model = redunet.ReduNetClassifier(construction="moments", affine=offset).fit(X, labels)
        model.feature_names_in_ = np.array(names, dtype=object)
        model.save(other)
        refused(1, f"{other} does not go with {path}: {message}", "merge", path, other, "-o", out)
    signals, of_signals = waves(40)
    for seed, name in ((0, path), (1, other)):
        lift = redunet.Lift("random", 4, 5, random_state=seed)
        redunet.ReduNetClassifier("shift", lift=lift, construction="moments").fit(signals, of_signals).save(name)
    refused(1, f"{other} does not go with {path}: its lift is another.", "merge", path, other, "-o", out)


def test_models_that_have_counted_the_same_file_are_told(two, tmp_path):
    path, more, *_ = two
    updated(path, more, "-o", tmp_path / "n.redunet")
    words = ["merge", path, tmp_path / "n.redunet", "-o", tmp_path / "all.redunet"]
    message = f"{path} and {tmp_path / 'n.redunet'} have both counted the same 300 rows of a file (SHA-256 "
    done = refused(1, message, *words)
    assert "pass --again to count them twice, or take them out of one of the two with redunet update" in done.stderr
    assert call(*words, "--again").exit_code == 0
    assert redunet.load(tmp_path / "all.redunet").moments_.class_weight.sum() == 720
    refused(
        2, "there is nothing to join with one model; pass at least two.", "merge", path, "-o", tmp_path / "x.redunet"
    )
    refused(2, "would replace", "merge", path, tmp_path / "n.redunet", "-o", path)
