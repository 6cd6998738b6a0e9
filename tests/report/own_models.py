"""Models of one's own, files with new samples, and the page about each, as the command line makes them."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from redunet.cli.app import app

# Labels that would do harm if they were taken for markup.
MARKUP = ["<b>bold</b>", '<img src=x onerror="document.title=1">', "</script><script>document.title = 2</script>"]


def call(*words):
    """Result of `redunet …`, which must succeed."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done


def write_table(path, X, labels=None):
    """A CSV file with a column for each feature, and the labels last."""
    names = [f"value {i + 1}" for i in range(X.shape[1])]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "kind"] if labels is not None else names)
        rows = X.tolist()
        writer.writerows(rows if labels is None else [[*row, kind] for row, kind in zip(rows, labels, strict=True)])
    return path


@dataclass(frozen=True)
class OwnModel:
    """A model file, a file of new samples with labels, what `redunet predict` answers, and the page."""

    model: Path
    data: Path
    predicted: Path
    page: Path
    X: Any
    labels: Any


def own_model(folder, name, X, labels, *options, n_new=40):
    """Fit on all samples but the last ones, and report on those."""
    train = write_table(folder / f"{name}-train.csv", X[:-n_new], labels[:-n_new])
    data = write_table(folder / f"{name}.csv", X[-n_new:], labels[-n_new:])
    model, page, predicted = (folder / f"{name}{ending}" for ending in (".redunet", ".html", "-predicted.csv"))
    call("fit", train, "--target", "kind", "-o", model, "--quiet", *options)
    call("report", model, data, "--target", "kind", "--out", page, "--quiet")
    call("predict", model, data, "--probabilities", "--quiet", "-o", predicted)
    return OwnModel(model, data, predicted, page, X[-n_new:], np.asarray(labels[-n_new:]))


def blobs(n_classes, n, n_features=6, spread=1.0, seed=0):
    """Rows of classes that overlap a little."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    centres = 2.5 * rng.standard_normal((n_classes, n_features))
    return centres[codes] + spread * rng.standard_normal((n, n_features)), codes


def noisy_waves(n, length, noise, seed=0):
    """Signals of three shapes at random shifts, with so much noise that some are confused."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    t = 2 * np.pi * (np.arange(length) / length + rng.uniform(size=(n, 1)))
    shapes = [np.sin(t), np.sign(np.sin(t)), np.sin(t) + np.sin(3 * t)]
    X = np.choose(codes[:, None], shapes) + noise * rng.standard_normal((n, length))
    return X, np.array(["sine", "square", "two"])[codes]
