"""`redunet fit --standardise`: columns on one scale by evidence or as asked for, what is said of it, `--like`."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine

import redunet
from redunet.cli.model_facts import scaling_in_words

from .conftest import call, plants, refused, waves, write_csv

SAYS = {
    "auto": "columns            standardised (left-out samples: {standardised:.3f} correct, {plain:.3f} as they are)\n",
    "yes": "columns            standardised (--standardise yes)\n",
    "no": "columns            as they are (--standardise no)\n",
}


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    """A table whose columns have very different scales; its two halves, and the samples."""
    X, y = load_wine(return_X_y=True)
    folder = tmp_path_factory.mktemp("wine")
    rows = [[*row, kind] for row, kind in zip(X.tolist(), y.tolist(), strict=True)]
    names = [*(f"v{i}" for i in range(13)), "kind"]
    paths = [write_csv(folder / f"{start}.csv", names, rows[start::2]) for start in (0, 1)]
    return *paths, X, y


def fitted(table, out, *words):
    done = call("fit", table, "--target", "kind", "-o", out, "--json", *words)
    assert done.exit_code == 0, done.output
    model = redunet.load(out)
    del model.feature_names_in_
    return model, json.loads(done.stdout)


@pytest.mark.parametrize(("word", "value"), [("auto", "auto"), ("yes", True), ("no", False)])
def test_it_is_the_option_of_the_classifier_and_the_table_says_why(wine, tmp_path, word, value):
    table, _, X, y = wine
    words = ["--standardise", word]
    model, found = fitted(table, tmp_path / "m.redunet", *words)
    ours = redunet.ReduNetClassifier(standardise=value).fit(X[::2], y[::2])
    assert_array_equal(model.distances(X), ours.distances(X))
    assert found["standardised"] == (word != "no") == (model.network_.scaler is not None)
    scores = {}
    if word == "auto":
        assert list(found["scaling_scores"].values()) == ours.scaling_scores_.tolist()
        scores = {"plain": ours.scaling_scores_[0], "standardised": ours.scaling_scores_[1]}
    else:
        assert found["scaling_scores"] is None
    shown = call("fit", table, "--target", "kind", "-o", tmp_path / "m.redunet", *words).stdout
    assert SAYS[word].format(**scores) in shown


def test_evidence_decides_unless_it_is_said_and_may_leave_columns_as_they_are(wine, here, tmp_path):
    table, *_ = wine
    out = tmp_path / "m.redunet"
    assert fitted(table, out)[0].scaling_scores_ is not None
    shown = call("inspect", out).stdout
    assert "scale of columns   standardised (left-out samples: " in shown
    assert json.loads(call("inspect", out, "--json").stdout)["standardised"] is True
    rng = np.random.default_rng(0)
    kinds = np.arange(80) % 2
    noise = 0.01 * rng.standard_normal((80, 30))  # which would become as large as what tells the classes apart
    X = np.concatenate([3 * np.eye(2)[kinds] + rng.standard_normal((80, 2)), noise], axis=1)
    rows = [[*row, kind] for row, kind in zip(X.tolist(), kinds.tolist(), strict=True)]
    plain = write_csv(tmp_path / "t.csv", [*(f"v{i}" for i in range(32)), "kind"], rows)
    model, found = fitted(plain, out)
    assert found["standardised"] is False
    best, other = model.scaling_scores_
    words = f"as they are (left-out samples: {best:.3f} correct, {other:.3f} standardised)\n"
    assert words in call("inspect", out).stdout
    assert words in call("fit", plain, "--target", "kind", "-o", out).stdout
    assert "scale of columns   as they are\n" in call("inspect", here.nameless).stdout


def test_without_left_out_samples_nothing_is_claimed():
    unknown = {"standardised": True, "scaling_scores": {"as_they_are": None, "standardised": None}}
    assert scaling_in_words(unknown) == "standardised (no sample could be left out to say which is better)"


def test_an_invariance_has_no_columns_of_its_own(tmp_path):
    X, codes = waves(24)
    np.savez(tmp_path / "w.npz", X=X, y=codes)
    out = tmp_path / "m.redunet"
    lift = ["--lift", "random", "--channels", 4, "--kernel", 5]
    words = ["fit", tmp_path / "w.npz", "--invariance", "shift", *lift, "--layers", 0, "-o", out]
    for more in ([], ["--standardise", "auto"], ["--standardise", "no"]):
        done = call(*words, *more)
        assert done.exit_code == 0, done.output
        assert "\ncolumns " not in done.stdout
        assert redunet.load(out).standardise is False
    assert "scale of columns" not in call("inspect", out).stdout
    message = (
        "--standardise yes brings the columns of tables to one scale, and --invariance shift moves values from column "
        "to column; leave out one of the two."
    )
    refused(2, message, *words, "--standardise", "yes")
    refused(2, "--standardise must be one of auto, yes, no, got 'maybe'", *words, "--standardise", "maybe")


@pytest.mark.parametrize("word", ["auto", "yes"])
def test_moments_take_the_scale_of_the_first_reading_and_a_model_like_it_takes_it_over(wine, tmp_path, word):
    table, more, X, y = wine
    first, other, both = (tmp_path / name for name in ("first.redunet", "other.redunet", "both.redunet"))
    model, found = fitted(table, first, "--construction", "moments", "--standardise", word)
    assert found["standardised"]
    scaler = model.network_.scaler
    np.testing.assert_allclose(scaler.mean, X[::2].mean(axis=0))
    np.testing.assert_allclose(scaler.scale, X[::2].std(axis=0))
    like, _ = fitted(more, other, "--like", first)
    assert_array_equal(like.network_.scaler.mean, scaler.mean)
    shown = call("fit", more, "--target", "kind", "--like", first, "-o", other).stdout
    assert f"columns            standardised (--like {first})\n" in shown
    assert call("merge", first, other, "-o", both).exit_code == 0
    joined = redunet.load(both)
    assert joined.moments_.class_weight.sum() == len(X)
    del joined.feature_names_in_
    assert joined.score(X, y) > 0.95
    assert call("update", other, table, "--target", "kind").exit_code == 0  # after it was stored with the scale
    updated = redunet.load(other)
    del updated.feature_names_in_
    assert_array_equal(updated.predict(X), joined.predict(X))
    refused(2, f"--standardise says how samples enter, and so does --like {first}; leave out one.", "fit", more,
            "--target", "kind", "--like", first, "--standardise", "no", "-o", other)  # fmt: skip


def test_models_on_other_scales_are_not_joined(wine, tmp_path):
    table, more, *_ = wine
    one, other, plain = (tmp_path / name for name in ("one.redunet", "other.redunet", "plain.redunet"))
    fitted(table, one, "--construction", "moments", "--standardise", "yes")
    fitted(more, other, "--construction", "moments", "--standardise", "yes")
    fitted(more, plain, "--construction", "moments", "--standardise", "no")
    words = ["-o", tmp_path / "all.redunet"]
    refused(1, f"{other} does not go with {one}: its columns have another mean and scale.", "merge", one, other, *words)
    message = "one was fitted on standardised columns, the other on columns as they are."
    refused(1, message, "merge", one, plain, *words)


def test_a_scale_that_was_learned_can_be_passed_and_must_fit():
    X, y = load_wine(return_X_y=True)
    scaler = redunet.ReduNetClassifier(standardise=True).fit(X[::2], y[::2]).network_.scaler
    model = redunet.ReduNetClassifier(standardise=scaler).fit(X[1::2], y[1::2])
    assert_array_equal(model.network_.scaler.mean, scaler.mean)
    assert "standardise=Standardiser of 13 features" in repr(model)
    with pytest.raises(ValueError, match="standardise scales 13 features but X has 4; pass one that was learned"):
        redunet.ReduNetClassifier(standardise=scaler).fit(*plants(20))
    with pytest.raises(ValueError, match="brings the columns of tables to one scale"):
        redunet.ReduNetClassifier("shift", standardise=scaler).fit(X, y)
