"""Small files, the models fitted on them, and a way to call the command line."""

import csv
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from redunet import Lift, ReduNetClassifier
from redunet.cli.app import app

COLUMNS = ["height", "width", "depth", "weight"]


def call(*words):
    """Result of `redunet …`; messages are single lines."""
    return CliRunner().invoke(app, [str(word) for word in words])


def refused(code, message, *words):
    """Call that must end with a code and a message, and without a traceback."""
    done = call(*words)
    assert done.exit_code == code, done.output
    assert message in done.stderr, done.stderr
    assert "redunet: " in done.stderr
    assert "Traceback" not in done.output
    return done


def write_csv(path, header, rows, **options):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, **options).writerows([header, *rows])
    return path


def plants(n, seed=0):
    """A table of three kinds that can be told apart."""
    rng = np.random.default_rng(seed)
    kinds = np.array(["fern", "moss", "oak"])[np.arange(n) % 3]
    X = rng.standard_normal((n, 4)).round(3) + 3 * np.eye(4)[np.arange(n) % 3]
    return X.round(3), kinds


def waves(n, seed=0):
    rng = np.random.default_rng(seed)
    t = 2 * np.pi * (np.arange(24) / 24 + rng.uniform(size=(n, 1)))
    kinds = np.arange(n) % 2
    return np.where(kinds[:, None], np.sign(np.sin(t)), np.sin(t)) + 0.1 * rng.standard_normal((n, 24)), kinds


@pytest.fixture(scope="session")
def here(tmp_path_factory):
    """Files that tests read: a table with labels, one without, and a model of each kind."""
    folder = tmp_path_factory.mktemp("own")
    X, kinds = plants(60)
    labelled = [[*row, kind] for row, kind in zip(X.tolist(), kinds.tolist(), strict=True)]
    found = SimpleNamespace(folder=folder, X=X, kinds=kinds)
    found.table = write_csv(folder / "plants.csv", [*COLUMNS, "kind"], labelled)
    found.model = folder / "plants.redunet"
    assert call("fit", found.table, "--target", "kind", "-o", found.model, "--quiet").exit_code == 0
    # fitted in Python on bare arrays: it knows no names of columns
    found.nameless = folder / "nameless.redunet"
    ReduNetClassifier(n_layers=0).fit(X, kinds).save(found.nameless)
    found.signals, found.codes = waves(24)
    found.waves = folder / "waves.redunet"
    lift = Lift("random", 4, 5, random_state=0)
    ReduNetClassifier("shift", lift=lift, n_layers=0).fit(found.signals, found.codes).save(found.waves)
    return found
