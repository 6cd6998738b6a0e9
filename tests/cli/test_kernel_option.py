"""`redunet fit --kernel`: kernels of columns, what is said of them, and filters, whose side has the same option."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

import redunet

from .conftest import call, refused, write_csv


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    """A table, its two halves, and the samples."""
    X, y = load_iris(return_X_y=True)
    folder = tmp_path_factory.mktemp("iris")
    rows = [[*row, kind] for row, kind in zip(X.tolist(), y.tolist(), strict=True)]
    paths = [write_csv(folder / f"{start}.csv", [*"abcd", "kind"], rows[start::2]) for start in (0, 1)]
    return *paths, X, y


def test_it_is_the_option_of_the_classifier_and_the_table_says_it(iris, tmp_path):
    table, _, X, y = iris
    words = ["--target", "kind", "--standardise", "no", "--kernel", "rbf", "--landmarks", "40", "-o", tmp_path / "m"]
    found = json.loads(call("fit", table, *words, "--json").stdout)["kernel"]
    ours = redunet.ReduNetClassifier(kernel="rbf", n_landmarks=40).fit(X[::2], y[::2])
    model = redunet.load(tmp_path / "m")
    del model.feature_names_in_
    assert_array_equal(model.distances(X), ours.distances(X))
    assert (found["name"], found["gamma"]) == ("rbf", ours.network_.kernel.gamma)
    assert_allclose(found["gamma_scores"], ours.gamma_scores_)
    line = f"kernel             rbf, γ = {found['gamma']:.4g} (the best of 6 for left-out samples), 40 landmarks\n"
    assert line in call("fit", table, *words).stdout
    assert line in call("inspect", tmp_path / "m").stdout
    answers = call("predict", tmp_path / "m", table, "--ignore", "kind").stdout
    kinds = [row.split(",")[1] for row in answers.splitlines()[1:]]
    assert np.mean(np.array(kinds) == y[::2].astype(str)) > 0.93


def test_a_scale_that_is_given_is_taken(iris, tmp_path):
    table = iris[0]
    words = ["--target", "kind", "--kernel", "poly", "--gamma", "0.25", "-o", tmp_path / "m", "--json"]
    found = json.loads(call("fit", table, *words).stdout)["kernel"]
    assert (found["gamma"], found["gamma_scores"]) == (0.25, None)
    assert redunet.load(tmp_path / "m").gamma == 0.25
    words[3:6] = ["cosine"]
    found = json.loads(call("fit", table, *words).stdout)["kernel"]
    assert (found["name"], found["gamma"]) == ("cosine", None)


def test_moments_of_one_kernel_are_merged(iris, tmp_path):
    first, second, X, y = iris
    one, two, both = (tmp_path / name for name in ("one", "two", "both"))
    words = ["--target", "kind", "--construction", "moments"]
    assert call("fit", first, *words, "--kernel", "rbf", "-o", one).exit_code == 0
    assert call("fit", second, *words, "--like", one, "-o", two).exit_code == 0
    assert_array_equal(redunet.load(two).network_.kernel.landmarks, redunet.load(one).network_.kernel.landmarks)
    assert call("merge", one, two, "-o", both).exit_code == 0
    model = redunet.load(both)
    del model.feature_names_in_
    assert model.score(X, y) > 0.93
    assert call("fit", second, *words, "--kernel", "rbf", "-o", two).exit_code == 0
    done = call("merge", one, two, "-o", both)
    assert done.exit_code != 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--kernel", "rfb"], "--kernel must be one of linear, rbf, poly, cosine, or the side of a filter such as 9"),
        (["--kernel", "rfb"], "Did you mean 'rbf'?"),
        (["--kernel", "rbf", "--gamma", "0"], "--gamma must be auto, or a number > 0, got '0'."),
        (["--kernel", "rbf", "--gamma", "wide"], "--gamma must be auto, or a number > 0, got 'wide'."),
        (["--gamma", "1"], "--gamma goes with a kernel of columns; pass --kernel rbf with it."),
        (["--landmarks", "9"], "--landmarks goes with a kernel of columns"),
        (["--kernel", "rbf", "--invariance", "shift"], "--invariance shift moves values from column to column"),
        (["--kernel", "9"], "--kernel describes filters; pass --lift"),
    ],
)
def test_what_no_fit_could_take_is_refused_before_it_begins(iris, tmp_path, words, message):
    refused(2, message, "fit", iris[0], "--target", "kind", "-o", tmp_path / "m", *words)
    assert not (tmp_path / "m").exists()
