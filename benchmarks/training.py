"""Training further: what it gains on images and signals at any place, from few labels and from many; does depth pay?

    REDUNET_DATA=… python benchmarks/training.py run --out benchmarks/training.json [--tasks …]
    python benchmarks/training.py table benchmarks/training.json

A task is a setting and a number of labels per class. The start is built as always, then ``redunet.torch.fine_tune``
trains it with the same labels; test samples are all at random places. Sizes, rates and deformations were chosen on
images of the training part of MNIST. "depth, 20, rate 2e-4" in the results is the task "depth, 20" with that rate,
tried after the other had gained nothing.

"depth" compares networks of 0, 5 and 20 layers, as built and trained, with 16 filters and 200 labels per digit.
"""

import time

import numpy as np
from records import Records, command_line
from tasks import mnist_draw, shifted, translated

from redunet import Lift, PolarGrid, ReduNetClassifier

RINGS, ANGLES, RADII = 16, 96, np.linspace(1.5, 12.5, 16)
TASKS = [
    *(f"translation, {n}" for n in (10, 50, 1000)),
    *(f"rotation, {n}" for n in (10, 50, 1000)),
    *("GunPoint", "ArrowHead"),
    *(f"depth, {n}" for n in (0, 5, 20)),
]
DRAWS = {"translation, 1000": 1, "rotation, 1000": 1}


def translation(n_labels, draw):
    """Ten digits at any translation."""
    X, y, new, y_new = mnist_draw(n_labels, draw)
    lift = Lift("patches", 48, 9, pool=2.5, random_state=draw)
    clf = ReduNetClassifier("translation", lift=lift, n_layers=0)
    return clf, X[:, None], y, translated(new, draw)[:, None], y_new, {"n_epochs": 12, "rate": 7e-4}


def rotation(n_labels, draw):
    """Ten digits at any rotation, as rings."""
    from redunet.torch import RingDeformation

    images, y, new, y_new = mnist_draw(n_labels, draw)
    grid = PolarGrid(RINGS, ANGLES, RADII).fit(images)
    lift = Lift("random", 128, 45, random_state=draw)
    clf = ReduNetClassifier("shift", lift=lift, n_layers=0)
    options = {"n_epochs": 14, "rate": 1e-3, "augment": RingDeformation(grid, 0.6)}
    return clf, grid.transform(images), y, shifted(grid.transform(new), draw), y_new, options


def signals(name, draw):
    """A set of the UCR archive at random shifts; filters and class subspaces, which can be trained."""
    import os
    from pathlib import Path

    parts = []
    for part in ("TRAIN", "TEST"):
        with np.load(Path(os.environ["REDUNET_DATA"]) / "ucr" / "npz" / f"{name}_{part}.npz") as stored:
            parts += [stored["X"].astype(np.float32), stored["y"]]
    X, y, new, y_new = parts
    clf = ReduNetClassifier("shift", lift=Lift("random", 32, 15, random_state=draw), n_layers=0)
    return clf, X[:, None], y, shifted(new, draw)[:, None], y_new, {"n_epochs": 20, "rate": 1e-3}


def depth(n_layers, draw):
    """Layers of the paper's kind between lift and answer; 100 other labels per digit say when to stop."""
    X, y, new, y_new = mnist_draw(300, draw)
    judge = np.arange(len(y)) % 3 == 0
    lift = Lift("patches", 16, 9, pool=3, random_state=draw)
    clf = ReduNetClassifier("translation", lift=lift, n_layers=n_layers, membership="softmax", tol=None, rank=6)
    options = {"n_epochs": 8, "rate": 1e-3, "held_out": (X[judge, None], y[judge])}
    return clf, X[~judge, None], y[~judge], translated(new, draw)[:, None], y_new, options


def measure(task, draw):
    """One row: accuracy and seconds, as built and trained."""
    from redunet.torch import fine_tune

    name, _, size = task.partition(", ")
    settings = {"translation": translation, "rotation": rotation, "depth": depth}
    clf, X, y, new, y_new, options = settings[name](int(size), draw) if size else signals(name, draw)
    begin = time.perf_counter()
    clf.fit(X, y)
    built = time.perf_counter()
    trained = fine_tune(clf, X, y, random_state=draw, verbose=1, **options)
    end = time.perf_counter()
    history = trained.training_history_
    return {
        "task": task,
        "draw": draw,
        "as built": clf.score(new, y_new),
        "trained": trained.score(new, y_new),
        "epochs": history.chosen_epoch,
        "held out before": float(history.held_out_accuracy[0]),
        "held out after": float(history.held_out_accuracy[history.chosen_epoch]),
        "seconds to build": built - begin,
        "seconds to train": end - built,
    }


def run(out, draws, tasks):
    """Measure what is not in the file yet."""
    records = Records(out, ("task", "draw"))
    for task in tasks:
        for draw in range(DRAWS.get(task, draws)):
            if (task, draw) not in records:
                records.add(measure(task, draw))


def table(rows):
    """Means over the draws, as Markdown."""
    lines = [
        "| task | draws | as built | trained | start kept | built in | trained in |",
        "|---|---|---|---|---|---|---|",
    ]
    for task in dict.fromkeys(row["task"] for row in rows):
        mine = [row for row in rows if row["task"] == task]
        means = {key: np.mean([row[key] for row in mine]) for key in mine[0] if key not in ("task", "draw")}
        kept = sum(row["epochs"] == 0 for row in mine)
        lines.append(
            f"| {task} | {len(mine)} | {means['as built']:.4f} | {means['trained']:.4f} | {kept} of {len(mine)} | "
            f"{means['seconds to build']:.1f} s | {means['seconds to train']:.0f} s |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    command_line(__doc__, run, table, draws=2, tasks=TASKS)
