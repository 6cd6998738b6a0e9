"""``redunet cluster``: the clusters of a file, as the estimator finds them."""

import csv
import json

import numpy as np
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

import redunet
from redunet import RateReductionClustering

from .conftest import call, refused, waves, write_csv


def table(folder):
    X, y = make_blobs(90, n_features=4, centers=3, random_state=3)
    rows = [[*row, f"k{kind}"] for row, kind in zip(X.round(6).tolist(), y.tolist(), strict=True)]
    return write_csv(folder / "blobs.csv", ["a", "b", "c", "d", "kind"], rows), X.round(6), y


def labels_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return rows, np.array([int(row["cluster"]) for row in rows])


def test_the_command_writes_what_the_estimator_finds(tmp_path):
    path, X, y = table(tmp_path)
    out, model = tmp_path / "labels.csv", tmp_path / "clusters.redunet"
    done = call("cluster", path, "-o", out, "--ignore", "kind", "--model", model, "--probabilities")
    assert done.exit_code == 0, done.output
    rows, labels = labels_of(out)
    fitted = RateReductionClustering().fit(X)
    np.testing.assert_array_equal(labels, fitted.labels_)
    assert adjusted_rand_score(y, labels) == 1
    shares = np.array([[float(row[f"probability of {j}"]) for j in range(3)] for row in rows])
    np.testing.assert_allclose(shares, fitted.predict_proba(X), atol=1e-6)
    loaded = redunet.load(model)
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert loaded.coding_length_ == fitted.coding_length_
    shown = call("inspect", model)
    assert "3: 0 (30), 1 (30), 2 (30)" in " ".join(shown.stdout.split())


def test_the_number_can_be_given_and_the_summary_is_json(tmp_path):
    path, _, _ = table(tmp_path)
    out = tmp_path / "labels.csv"
    done = call("cluster", path, "-o", out, "--ignore", "kind", "--clusters", 2, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["clusters"] == 2
    assert sum(found["sizes"]) == found["samples"] == 90
    assert len(found["joins"]) == 1
    assert len(np.unique(labels_of(out)[1])) == 2


def test_a_kernel_lets_clusters_bend(tmp_path):
    X, y = make_moons(200, noise=0.04, random_state=0)
    path = write_csv(tmp_path / "moons.csv", ["a", "b"], X.tolist())
    out, model = tmp_path / "labels.csv", tmp_path / "moons.redunet"
    words = ("--kernel", "rbf", "--gamma", 2, "--landmarks", 150, "--clusters", 2, "--model", model, "--quiet")
    assert call("cluster", path, "-o", out, *words).exit_code == 0
    assert adjusted_rand_score(y, labels_of(out)[1]) == 1
    kernel = redunet.load(model).network_.kernel
    assert (kernel.name, kernel.gamma, kernel.n_landmarks) == ("rbf", 2.0, 150)


def test_signals_at_any_place(tmp_path):
    X, kinds = waves(60)
    found = []
    for name, shift in (("one", 0), ("other", 7)):
        np.save(tmp_path / f"{name}.npy", np.roll(X, shift, axis=1))
        out = tmp_path / f"{name}.csv"
        words = ("--invariance", "shift", "--clusters", 2, "--quiet")
        assert call("cluster", tmp_path / f"{name}.npy", "-o", out, *words).exit_code == 0
        found.append(labels_of(out)[1])
    np.testing.assert_array_equal(*found)
    assert adjusted_rand_score(kinds, found[0]) == 1


def test_what_cannot_be_clustered_is_refused_in_the_words_of_the_command(tmp_path):
    path, _, _ = table(tmp_path)
    out = tmp_path / "labels.csv"
    words = ("cluster", path, "-o", out, "--ignore", "kind")
    refused(2, "--clusters must be auto, or a whole number >= 1, got 'few'", *words, "--clusters", "few")
    refused(2, "--standardise brings", *words, "--standardise", "--invariance", "shift")
    refused(2, "-o and --model are both", *words, "--model", out)
    refused(2, "would replace", "cluster", path, "-o", path)
    refused(2, "--lift patches takes signals or images", *words, "--lift", "patches")
    refused(2, "--kernel must be one of linear, rbf", *words, "--kernel", "rfb")
    refused(2, "--gamma goes with a kernel of columns", *words, "--gamma", 2)
    refused(2, "--kernel rbf compares columns of tables", *words, "--kernel", "rbf", "--invariance", "shift")
    refused(1, f"--clusters 91 but {path} has 90 different samples", *words, "--clusters", 91)
    same = write_csv(tmp_path / "same.csv", ["a", "b"], [[1, 2]] * 5)
    refused(1, f"all 5 samples of {same} are the same", "cluster", same, "-o", out)
    assert not out.exists()
