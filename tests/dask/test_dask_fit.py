"""The command line with workers: files that they read by blocks, and errors of addresses and files."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import redunet
from redunet.cli.app import app


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def files(samples, tmp_path):
    X, y = samples
    table = pd.DataFrame(X, columns=[f"f{i}" for i in range(20)]).assign(kind=y, id=np.arange(len(X)))
    table.to_csv(tmp_path / "table.csv", index=False)
    table.to_parquet(tmp_path / "table.parquet")
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    np.save(tmp_path / "both.npy", np.column_stack([X, np.unique(y, return_inverse=True)[1]]))
    return tmp_path


def test_files_are_read_by_the_workers_of_a_scheduler(client, files, samples):
    address, out = client.scheduler.address, files / "model.redunet"
    expected = redunet.ReduNetClassifier(construction="moments").fit(*samples)
    cases = [
        ("table.csv", "--target", "kind", "--ignore", "id"),
        ("table.parquet", "--target", "kind", "--ignore", "id"),
        ("X.npy", "--labels", files / "y.npy"),
    ]
    for name, *options in cases:
        found = run("fit", files / name, *options, "--standardise", "no", "--dask", address, "--out", out, "--json")
        assert found.exit_code == 0, found.output
        facts = json.loads(found.stdout)
        assert facts["samples"] == 1200
        assert facts["classes"] == dict(zip("abc", np.unique(samples[1], return_counts=True)[1].tolist(), strict=True))
        model = redunet.load(out)
        assert type(model) is redunet.ReduNetClassifier
        X = samples[0] if name == "X.npy" else pd.DataFrame(samples[0], columns=model.feature_names_in_)
        np.testing.assert_allclose(model.distances(X), expected.distances(samples[0]), rtol=1e-7, atol=1e-9)
        assert run("evaluate", out, files / name, *options).exit_code == 0
    found = run("fit", files / "both.npy", "--target", "last", "--dask", address, "--out", out, "--float32", "--quiet")
    assert found.exit_code == 0, found.output
    assert redunet.load(out).classes_.tolist() == [0, 1, 2]


def test_workers_are_started_and_their_dashboard_is_named(files):
    where = files / "model.redunet"
    found = run("fit", files / "X.npy", "--labels", files / "y.npy", "--workers", 1, "--out", where, "--layers", 2)
    assert found.exit_code == 0, found.output
    assert "dashboard is at http://" in found.output
    assert where.exists()


def test_what_cannot_be_read_or_reached_is_an_error_in_words(client, files):
    address, out = client.scheduler.address, files / "model.redunet"
    csv = (files / "table.csv", "--target", "kind", "--out", out)
    found = run("fit", *csv, "--dask", "tcp://127.0.0.1:9", "--ignore", "id")
    assert found.exit_code == 2
    assert "no scheduler answers there" in found.output
    found = run("fit", *csv, "--dask", address, "--workers", 2)
    assert found.exit_code == 2
    assert "leave out one of the two" in found.output
    np.savez(files / "both.npz", X=np.ones((4, 2)), y=np.arange(4))
    found = run("fit", files / "both.npz", "--dask", address, "--out", out)
    assert found.exit_code == 2
    assert "workers read CSV, TSV, Parquet and NPY files" in found.output
    gap = pd.read_csv(files / "table.csv")
    gap.loc[3, "f2"] = np.nan
    gap.to_csv(files / "gap.csv", index=False)
    found = run("fit", files / "gap.csv", "--target", "kind", "--out", out, "--dask", address)
    assert found.exit_code == 1
    assert "block 0 of" in found.output
    assert "NaN" in found.output
    assert not out.exists()
