"""What unlabelled samples are worth: few labels, and many samples without.

    REDUNET_DATA=… python benchmarks/unlabelled.py run --out benchmarks/unlabelled.json [--draws 1] [--tasks …]
    python benchmarks/unlabelled.py table benchmarks/unlabelled.json > benchmarks/unlabelled.md

"mnist-10", "mnist-1": 10 labels (one label) of each digit and 5,000 unlabelled images, all drawn from the training
part, these at random translations; the accuracy is that on all test images at random translations. The fit without has
the labelled images alone; with one label of each digit every image is given twice, since a class needs two samples.

Signals: the three sets with the most samples among those of the UCR archive with names from A to G, chosen for that
reason alone. Training and test part together, each signal at a random shift; 5 labels of each class, all others
unlabelled, and these are what the accuracy is counted on. Signals are standardised one by one.

How it is done was chosen on training images of MNIST and tables of scikit-learn, and looked at on CBF, ECGFiveDays,
DistalPhalanxOutlineCorrect and FacesUCR. The test images and the three sets were looked at once.
"""

import os
from pathlib import Path

import numpy as np
from records import Records, command_line
from tasks import shifted, translated

from redunet import ReduNetClassifier
from redunet.data.images import mnist

IMAGES = {"mnist-10": 10, "mnist-1": 1}
SIGNALS = ("ECG5000", "ChlorineConcentration", "FreezerRegularTrain")
N_UNLABELLED, LABELS_PER_CLASS = 5000, 5


def measured(task, draw, invariance, labelled, unlabelled, test):
    """A row: accuracies with unlabelled samples and without, and the accuracy that the model expects."""
    X, y = labelled
    marked = np.concatenate([y.astype(object), np.full(len(unlabelled), None)])
    joined = ReduNetClassifier(invariance, unlabelled=float("nan"))
    joined.fit(np.concatenate([X, unlabelled]), marked)
    twice = 2 if len(np.unique(y)) == len(y) else 1
    plain = ReduNetClassifier(invariance).fit(np.repeat(X, twice, axis=0), np.repeat(y, twice))
    return {
        "task": task,
        "draw": draw,
        "classes": len(joined.classes_),
        "labels": len(y),
        "unlabelled": len(unlabelled),
        "accuracy": float(joined.score(*test)),
        "without": float(plain.score(*test)),
        "joined": joined.uses_unlabelled_,
        # JSON has no word for what is not a number: where nothing could be left out.
        "expected": None if np.isnan(joined.loo_score_) else float(joined.loo_score_),
    }


def measure_images(task, draw):
    """A row of a task of images."""
    images, digits = mnist("train")
    test_images, test_digits = mnist("test")
    order = np.random.default_rng(draw).permutation(len(images))
    unlabelled, rest = order[:N_UNLABELLED], order[N_UNLABELLED:]
    rows = np.concatenate([rest[digits[rest] == j][: IMAGES[task]] for j in range(10)])
    X, loose, test = ((part / 255).astype(np.float32) for part in (images[rows], images[unlabelled], test_images))
    test = translated(test, draw + 1), test_digits
    return measured(task, draw, "translation", (X, digits[rows]), translated(loose, draw), test)


def measure_signals(task, draw):
    """A row of a set of signals."""
    folder = Path(os.environ["REDUNET_DATA"]) / "ucr" / "npz"
    parts = [np.load(folder / f"{task}_{part}.npz") for part in ("TRAIN", "TEST")]
    X, y = (np.concatenate([part[name] for part in parts]) for name in "Xy")
    X = X.reshape(len(X), -1)
    X = (X - X.mean(axis=1, keepdims=True)) / np.maximum(X.std(axis=1, keepdims=True), 1e-9)
    X = shifted(X, draw)
    order = np.random.default_rng(draw).permutation(len(X))
    rows = np.concatenate([order[y[order] == label][:LABELS_PER_CLASS] for label in np.unique(y)])
    rest = np.setdiff1d(order, rows)
    return measured(task, draw, "shift", (X[rows], y[rows]), X[rest], (X[rest], y[rest]))


def run(out, draws, tasks):
    """Measure what is not there yet."""
    records = Records(out, ("task", "draw"))
    for task in tasks:
        for draw in range(draws):
            if (task, draw) not in records:
                records.add((measure_images if task in IMAGES else measure_signals)(task, draw))


def table(rows):
    """A table in Markdown: means over draws."""
    lines = [
        "| task | classes | labels | unlabelled | without | with | joined in | draws |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for task in dict.fromkeys(row["task"] for row in rows):
        found = [row for row in rows if row["task"] == task]
        first = found[0]
        without, accuracy = (np.mean([row[name] for row in found]) for name in ("without", "accuracy"))
        joined = sum(row["joined"] for row in found)
        lines.append(
            f"| {task} | {first['classes']} | {first['labels']} | {first['unlabelled']} | {without:.3f} | "
            f"{accuracy:.3f} | {joined} of {len(found)} | {len(found)} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    command_line(__doc__, run, table, draws=1, tasks=(*IMAGES, *SIGNALS))
