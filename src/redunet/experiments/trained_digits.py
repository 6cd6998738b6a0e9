"""The paper's network trained further by back-propagation: from random numbers, and from what was built forward."""

import importlib.util
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..data.images import mnist, pick_digits
from ..data.shifts import shifted_at_random
from ..data.store import DataNotFound
from ..data.tabular import digits
from ..estimators import ReduNetClassifier
from ..lift.lift import Lift
from ..numerics.arrays import Array
from .experiment import Experiment, Figure, Outcome, Row, Setting
from .published_constants import PUBLISHED_OPTIONS

# Labelled images of each digit; one of so many is held out, and says when to stop.
N_PER_CLASS, ONE_IN = 1000, 10
# Step η of the layers, as in the paper.
STEP_SIZE = 0.5
# Size of the steps of training, in units of what is trained; the better one on images held out counts.
RATES = (1e-3, 3e-3)
# Background around a small digit in which it can move, in pixels.
MARGIN = 2


def on_mnist(setting: Setting) -> Outcome:
    """Ten digits of MNIST, each test image at a random place."""
    images, y = mnist("train", setting.data_dir)
    new, y_new = mnist("test", setting.data_dir)
    images, y = pick_digits(images, y, range(10), setting.pick(N_PER_CLASS, 60, 20), setting.seed)
    n_new = setting.pick(len(new), 500, 20)
    X, X_new = ((part / np.float32(255)).astype(np.float32)[:, None] for part in (images, new[:n_new]))
    lift = Lift("random", setting.pick(16, 16, 4), 7, "relu", zero_mean=True, pool=2, random_state=setting.seed)
    n_layers = setting.pick(5, 3, 1)
    return compare_starts(setting, lift, n_layers, X, y, X_new, y_new[:n_new], setting.pick(10, 6, 1))


def on_small_digits(setting: Setting) -> Outcome:
    """Scikit-learn's digits with a margin, which need no download."""
    X, y = digits()
    images = np.pad(X.reshape(-1, 1, 8, 8), ((0, 0), (0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN))).astype(np.float32)
    order = np.random.default_rng(setting.seed).permutation(len(y))
    n = setting.pick(1000, 600, 200)
    train, test = order[:n], order[n:]
    lift = Lift("random", setting.pick(8, 6, 4), 3, "relu", zero_mean=True, random_state=setting.seed)
    n_layers = setting.pick(5, 3, 1)
    return compare_starts(
        setting, lift, n_layers, images[train], y[train], images[test], y[test], setting.pick(20, 8, 1)
    )


def compare_starts(
    setting: Setting, lift: Lift, n_layers: int, X: Array, y: Array, X_new: Array, y_new: Array, n_epochs: int
) -> Outcome:
    """Accuracy of the network as it is built, trained from random numbers, and trained from what was built."""
    from ..torch import fine_tune, random_start

    is_held_out = np.zeros(len(y), dtype=bool)
    for j in np.unique(y):
        is_held_out[np.flatnonzero(y == j)[::ONE_IN]] = True
    setting.say("building the network")
    options = {**PUBLISHED_OPTIONS, "n_layers": n_layers, "step_size": STEP_SIZE, "membership": "softmax"}
    built = ReduNetClassifier("translation", lift=lift, rank=min(6, lift.n_channels - 1), **options)
    built.fit(X[~is_held_out], y[~is_held_out])
    trained, histories = {}, {}
    for name, start in (("random start", random_start(built, setting.seed)), ("ReduNet start", built)):
        found = []
        for rate in RATES:
            setting.say(f"training: {name}, rate {rate:g}")
            judges = (X[is_held_out], y[is_held_out])
            found.append(
                fine_tune(
                    start,
                    X[~is_held_out],
                    y[~is_held_out],
                    held_out=judges,
                    n_epochs=n_epochs,
                    batch_size=setting.pick(50, 25, 25),
                    rate=rate,
                    random_state=setting.seed,
                    on_epoch=lambda epoch: setting.say(str(epoch)),
                )
            )
        trained[name] = max(found, key=lambda one: float(one.loo_score_))
        histories[name] = trained[name].training_history_
    moved = shifted_at_random(X_new, 2, setting.seed)
    answers = trained["ReduNet start"].predict(moved)
    again = trained["ReduNet start"].predict(X_new)
    note = f"{n_layers} layers, {len(y) // 10} labels per digit, {len(y_new)} test images, each at a random place"
    rows = [
        Row("accuracy as built, no training", None, None, built.score(moved, y_new), note),
        Row("accuracy, trained from a random start", None, None, trained["random start"].score(moved, y_new)),
        Row("accuracy, trained from the ReduNet start", None, None, float(np.mean(answers == y_new))),
        Row("answers that changed", None, None, float(np.sum(answers != again)), "moved, or as they are", whole=True),
    ]

    def curves(figure: Any) -> None:
        ax = figure.subplots()
        for name, history in histories.items():
            ax.semilogy(1 - history.held_out_accuracy, marker=".", label=name)
        ax.set(xlabel="epochs", ylabel="share of wrong answers")
        ax.legend()

    return Outcome(rows, [Figure("training", "Wrong answers on images held out, by epochs of training.", curves, 7)])


def find_torch(data_dir: Path | None, download: bool) -> None:
    """Nothing, where PyTorch is installed; else what to do."""
    if importlib.util.find_spec("torch") is None:
        raise DataNotFound("this experiment trains with PyTorch; install it with: pip install 'redunet[torch]'")


def find_torch_and_mnist(data_dir: Path | None, download: bool) -> None:
    """Find PyTorch first: a download for nothing would be a pity."""
    find_torch(data_dir, download)
    partial(mnist, "test")(data_dir, download)


TEXT = """The paper leaves open how a network that was built forward is trained further. Here all of it is trained: \
filters, layers and class subspaces, in a form that no step can take out of the set of networks whose answers do not \
change with a translation. Random filters, the published convention and its soft membership.

The random start has the same architecture with random numbers of the same size."""
EXPERIMENTS = [
    Experiment(
        "trained-mnist", "Ten digits, trained further", TEXT, on_mnist, "MNIST and PyTorch", find_torch_and_mnist
    ),
    Experiment("trained-digits", "Small digits, trained further", TEXT, on_small_digits, "PyTorch", find_torch),
]
