"""Probabilities: log loss and calibration error, beside the same scores calibrated by scikit-learn's temperature.

    REDUNET_DATA=… python benchmarks/calibration.py run --out benchmarks/calibration.json [--tasks …] [--methods …]
    python benchmarks/calibration.py table benchmarks/calibration.json

A task is a set and a way to answer, such as "wine, code". Tables are split in halves at random, five times, each
column standardised by the training half. Signals have the split of the archive first, then four random ones with as
many training signals; each signal is standardised by itself, and the test signals are at random circular shifts (at
most 1000 of them). Measurements of the mice are split as if they were independent of each other.

"redunet" is ``predict_proba`` of a fit on all training samples. "temperature, cv=5" is CalibratedClassifierCV(model,
method="temperature", cv=5) of scikit-learn: the mean of five models, each fitted on four fifths and calibrated on the
rest; "one model" is the same with ensemble=False, where one temperature is found on left-out fifths for one model that
is fitted on everything. "sharpness 50" are the probabilities of version 0.1, softmax(−50 · distance).

No set of these was looked at while the method was chosen; that was done on signals (BME, Coffee, ECG200, CBF,
FaceFour, Chinatown, Beef, DistalPhalanxOutlineAgeGroup, GunPointAgeSpan, Fish, ECGFiveDays), on made-up tables
(make_classification of scikit-learn) and on principal components of MNIST.
"""

import os
import warnings
from pathlib import Path

import numpy as np
from records import Records, command_line
from scipy.special import softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler
from tasks import shifted

from redunet import NearestSubspaceClassifier, ReduNetClassifier
from redunet.data.tabular import fill_missing, mice

OURS, OF_SKLEARN, ONE_MODEL, FIXED = "redunet", "temperature, cv=5", "temperature, cv=5, one model", "sharpness 50"
METHODS = [OURS, OF_SKLEARN, ONE_MODEL, FIXED]
TABLES = ("wine", "iris", "breast cancer", "digits", "mice")
SIGNALS = ("GunPoint", "ArrowHead", "FaceAll")
# Every set with nothing given.
DEFAULTS = [f"{name}, default" for name in (*TABLES, *SIGNALS)]
OTHERS = [
    *(f"{name}, {way}" for name in TABLES for way in ("subspace", "code", "regression", "nearest", "10 layers")),
    *(f"{name}, filters" for name in SIGNALS),
]
DRAWS = 5
MOST_TEST_SAMPLES = 1000
N_BINS = 15  # of the probability of the answer, equally wide
LEAST_PROBABILITY = 1e-15  # in a log loss


# --- data -------------------------------------------------------------------------------------------------------------


def table_of(name):
    """Samples and labels of a table."""
    loaders = {"wine": load_wine, "iris": load_iris, "breast cancer": load_breast_cancer, "digits": load_digits}
    if name != "mice":
        return loaders[name](return_X_y=True)
    X, y, _ = mice()
    return X, y


def split(name, draw):
    """Training samples, their labels, test samples, their labels."""
    if name in TABLES:
        X, y = table_of(name)
        train, test = next(StratifiedShuffleSplit(1, test_size=0.5, random_state=draw).split(X, y))
        X_train, X_test = (X[train], X[test]) if name != "mice" else fill_missing(X[train], X[test])
        scaler = StandardScaler().fit(X_train)
        return scaler.transform(X_train), y[train], scaler.transform(X_test), y[test]
    parts = []
    for part in ("TRAIN", "TEST"):
        with np.load(Path(os.environ["REDUNET_DATA"]) / "ucr" / "npz" / f"{name}_{part}.npz") as stored:
            X = stored["X"].astype(np.float64)
            X = (X - X.mean(axis=1, keepdims=True)) / np.maximum(X.std(axis=1, keepdims=True), 1e-12)
            parts.append((X.astype(np.float32), stored["y"]))
    (X_train, y_train), (X_test, y_test) = parts
    if draw:
        X, y = np.concatenate([X_train, X_test]), np.concatenate([y_train, y_test])
        train, test = next(StratifiedShuffleSplit(1, train_size=len(X_train), random_state=draw).split(X, y))
        X_train, y_train, X_test, y_test = X[train], y[train], X[test], y[test]
    return X_train, y_train, shifted(X_test[:MOST_TEST_SAMPLES], draw), y_test[:MOST_TEST_SAMPLES]


# --- models and methods -----------------------------------------------------------------------------------------------


def model_of(task):
    """A model that is not fitted, for a task such as "wine, code"."""
    name, _, way = task.partition(", ")
    invariance = None if name in TABLES else "shift"
    options = {
        "default": {},
        "10 layers": {"membership": "subspace", "n_layers": 10},
        "filters": {"lift": "random"},
    }.get(way, {"membership": way})
    if way == "nearest":
        return NearestSubspaceClassifier(invariance=invariance)
    return ReduNetClassifier(invariance, **options)


def probabilities(method, task, X, y, X_test):
    """Probabilities of test samples, and the classes in their order."""
    model = model_of(task)
    if method in (OF_SKLEARN, ONE_MODEL):
        model = CalibratedClassifierCV(model, method="temperature", cv=5, ensemble=method == OF_SKLEARN)
    model.fit(X, y)
    if method == FIXED:
        return softmax(-50 * model.distances(X_test), axis=1), model.classes_
    return model.predict_proba(X_test), model.classes_


# --- what is measured -------------------------------------------------------------------------------------------------


def binned(sure, correct):
    """How many answers are in each bin of how sure they are, and the sum there of how sure minus how many correct."""
    bins = np.minimum((sure * N_BINS).astype(int), N_BINS - 1)
    return np.bincount(bins, minlength=N_BINS).tolist(), np.bincount(bins, sure - correct, N_BINS).round(4).tolist()


def run(out, tasks, methods, draws):
    warnings.simplefilter("ignore")
    records = Records(out, ("task", "method", "draw"))
    for task in tasks:
        for draw in range(draws):
            todo = [method for method in methods if (task, method, draw) not in records]
            if not todo:
                continue
            X, y, X_test, y_test = split(task.partition(", ")[0], draw)
            for method in todo:
                p, classes = probabilities(method, task, X, y, X_test)
                p = np.clip(p, LEAST_PROBABILITY, 1)
                correct = classes[p.argmax(axis=1)] == y_test
                counts, differences = binned(p.max(axis=1), correct)
                records.add(
                    {
                        "task": task,
                        "method": method,
                        "draw": draw,
                        "log_loss": float(log_loss(y_test, p / p.sum(axis=1, keepdims=True), labels=classes)),
                        "accuracy": float(correct.mean()),
                        "sure": float(p.max(axis=1).mean()),
                        "in_bins": counts,
                        "too_sure_in_bins": differences,
                    }
                )


def summary(results, task, method):
    """Mean log loss, accuracy, and calibration error of all draws together; None where nothing was measured."""
    those = [row for row in results if (row["task"], row["method"]) == (task, method)]
    if not those:
        return None
    means = [float(np.mean([row[name] for row in those])) for name in ("log_loss", "accuracy")]
    too_sure = np.sum([row["too_sure_in_bins"] for row in those], axis=0)
    return *means, float(np.abs(too_sure).sum() / np.sum([row["in_bins"] for row in those]))


def table(results):
    """Markdown: for each task the accuracy, then log loss and calibration error of each method."""
    parts = []
    for title, tasks in (("nothing given", DEFAULTS), ("other answers", OTHERS)):
        methods = [method for method in METHODS if any(row["method"] == method for row in results)]
        found = {task: [summary(results, task, method) for method in methods] for task in tasks}
        found = {task: cells for task, cells in found.items() if all(cells)}
        if not found:
            continue
        lines = [f"| {title} | accuracy | " + " | ".join(methods) + " |", "|---|---|" + "---|" * len(methods)]
        for task, cells in found.items():
            numbers = " | ".join(f"{loss:.3f}, {error:.3f}" for loss, _, error in cells)
            lines.append(f"| {task.removesuffix(', default')} | {cells[0][1]:.3f} | {numbers} |")
        means = np.mean([[(loss, error) for loss, _, error in cells] for cells in found.values()], axis=0)
        lines.append("| **mean** | | " + " | ".join(f"{loss:.3f}, {error:.3f}" for loss, error in means) + " |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


if __name__ == "__main__":
    command_line(__doc__, run, table, draws=DRAWS, tasks=[*DEFAULTS, *OTHERS], methods=METHODS)
