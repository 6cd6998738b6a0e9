"""What it costs to build from class moments instead of samples: accuracy of both, on tables, images and signals.

    REDUNET_DATA=… python benchmarks/moments.py run --out benchmarks/moments.json [--draws 3] [--tasks …] [--ways …]
    python benchmarks/moments.py table benchmarks/moments.json

Tables are split at random, three quarters for training (Mice Protein: whole mice apart from each other, and at random,
as the paper does). Images are MNIST, 50 labels of each digit, 2,000 test images moved anywhere. Signals are sets of the
UCR archive in its own split, at random shifts; they have one split, so that draws change the random filters alone.
"""

import warnings

import numpy as np
from records import Records, command_line
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from tasks import mnist_draw, shifted, translated

from redunet import Lift, ReduNetClassifier
from redunet.data.tabular import digits, fill_missing, mice, split_by_mouse

SIGNAL_SETS = ("ArrowHead", "ECG200", "FaceFour", "Fish", "GunPoint")
TASKS = ("mice, at random", "mice, whole mice", "digits", "MNIST, translation", *SIGNAL_SETS)
# Name of a way: layers and what they guess by.
WAYS = {
    "no layers": {"n_layers": 0},
    "chosen by evidence": {},
    "10 layers, softmax": {"n_layers": 10, "membership": "softmax", "tol": None},
    "10 layers, subspace": {"n_layers": 10, "membership": "subspace", "tol": None},
}


def load(task, draw):
    """Training samples and labels, test samples and labels."""
    if task.startswith("mice"):
        X, y, mouse = mice()
        if task.endswith("whole mice"):
            train, test = split_by_mouse(mouse, y, random_state=draw)
        else:
            train, test = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=draw)
        X_train, X_test = fill_missing(X[train], X[test])
        scaler = StandardScaler().fit(X_train)
        return scaler.transform(X_train), y[train], scaler.transform(X_test), y[test]
    if task == "digits":
        X, y = digits()
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=draw)
        return X, y, X_test, y_test
    if task.startswith("MNIST"):
        X, y, X_test, y_test = mnist_draw(50, draw, 2000)
        return X[:, None], y, translated(X_test, draw)[:, None], y_test
    from signals import read_set

    X, y, X_test, y_test = read_set(task)
    return X[:, None], y, shifted(X_test, draw)[:, None], y_test


def estimator(task, way, construction, draw):
    """The same classifier for both constructions: the same lift, the same options."""
    options = {"construction": construction, **WAYS[way]}
    if task.startswith("MNIST"):
        return ReduNetClassifier("translation", lift=Lift("patches", 48, 11, pool=2, random_state=draw), **options)
    if task in SIGNAL_SETS:
        lift = Lift("random", 32, (9, 17, 33, 65), "relu", quantile=0.5, pool=4, random_state=draw)
        return ReduNetClassifier("shift", lift=lift, **options)
    return ReduNetClassifier(**options)


def run(out, draws, tasks, ways):
    """Measure what has no row yet."""
    records = Records(out, ("task", "way", "construction", "draw"))
    for task in tasks:
        for draw in range(draws):
            X, y, X_test, y_test = load(task, draw)
            for way in ways:
                for construction in ("samples", "moments"):
                    key = (task, way, construction, draw)
                    if key in records:
                        continue
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        model = estimator(task, way, construction, draw).fit(X, y)
                    row = dict(zip(records.keys, key, strict=True))
                    row |= {"accuracy": float(np.mean(model.predict(X_test) == y_test)), "n_layers": model.n_layers_}
                    records.add(row | {"rate_reduction": float(model.history_.rate_reduction[-1])})


def table(rows):
    """A row for each task, a column for each way: accuracy from samples / from moments."""
    ways = [way for way in WAYS if any(row["way"] == way for row in rows)]
    lines = ["| | " + " | ".join(ways) + " |", "|---|" + "---|" * len(ways)]
    means = {way: [] for way in ways}
    for task in dict.fromkeys(row["task"] for row in rows):
        cells = []
        for way in ways:
            pair = []
            for construction in ("samples", "moments"):
                chosen = [
                    row for row in rows if (row["task"], row["way"], row["construction"]) == (task, way, construction)
                ]
                pair.append(np.mean([row["accuracy"] for row in chosen]))
            means[way].append(pair)
            cells.append(f"{pair[0]:.3f} / {pair[1]:.3f}")
        lines.append(f"| {task} | " + " | ".join(cells) + " |")
    cells = ["{:.3f} / {:.3f}".format(*np.mean(means[way], axis=0)) for way in ways]
    lines.append("| mean | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    command_line(__doc__, run, table, draws=3, tasks=list(TASKS), ways=list(WAYS))
