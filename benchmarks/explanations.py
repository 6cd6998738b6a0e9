"""Do explanations show what an answer depends on? Motifs whose place is known, and positions that are deleted.

    REDUNET_DATA=… python benchmarks/explanations.py run --out benchmarks/explanations.json [--sets …]
    python benchmarks/explanations.py table benchmarks/explanations.json > benchmarks/explanations.md

"motif": noise everywhere, and at a random place one of several motifs, which is the class. Of the positive shares of a
signal (those that speak for its class), how much lies on the motif; and of the magnitudes of all shares. 60 signals
to fit on, 60 new ones to explain.

"deletion": sets of the UCR archive, as ``signals.py`` has them, at most 60 test signals of each. The tenth of positions
with the largest shares is replaced by straight lines between the values that are left; what is lost of the difference
between the two nearest classes, summed over signals, as a share of it. Beside it the same for a tenth of the positions
at random, and for a stretch of a tenth at a random place (means of several draws).

The way in which pooled features are explained was chosen on the sets marked "looked at" in the table; the others were
measured once.
"""

import os
from pathlib import Path
from zlib import crc32

import numpy as np
from records import Records, command_line

from redunet import ReduNetClassifier
from redunet.data.motifs import motifs_in_noise

LOOKED_AT = ("GunPoint", "ArrowHead", "Coffee", "CBF", "ECG200", "BeetleFly")
SETS = (*LOOKED_AT, "Beef", "BirdChicken", "BME", "Car", "ECGFiveDays")
CLASSIFIERS = {"default": {}, "subspaces": {"membership": "subspace"}}
# Length of the signals, width of the motif, noise beside a motif of root mean square 1.
MOTIFS = [(200, 30, noise) for noise in (0.1, 0.3, 0.5)] + [(150, 40, 0.3), (300, 20, 0.3)]
MOST_SIGNALS = 60


def share_on(shares, chosen):
    """Mean over signals of the part of shares (n_signals, length) that lies on the chosen positions."""
    return float(np.mean((shares * chosen).sum(axis=1) / shares.sum(axis=1)))


def without(signals, order, share=0.1):
    """Signals (n, length) without the last positions of an order of each, by straight lines between those left."""
    found, length = signals.copy(), signals.shape[1]
    n_gone = max(1, round(share * length))
    for signal, last in zip(found, order[:, -n_gone:], strict=True):
        left = np.setdiff1d(np.arange(length), last)
        signal[last] = np.interp(last, left, signal[left], period=length)
    return found


def lost_share(clf, X, explanation, order):
    """What is lost of the difference without the last tenth of the positions of an order, as a share of it."""
    distances, every = clf.distances(without(X, order)), np.arange(len(X))
    nearest, other = (np.searchsorted(clf.classes_, labels) for labels in (explanation.nearest, explanation.other))
    after = distances[every, other] - distances[every, nearest]
    return float(1 - after.sum() / explanation.difference.sum())


def measure_motif(name, options, length, width, noise):
    """A row: how much of an explanation lies on the motif."""
    X, y, _ = motifs_in_noise(60, length, width, noise, random_state=0)
    X_new, y_new, on_motif = motifs_in_noise(60, length, width, noise, random_state=1)
    clf = ReduNetClassifier("shift", **options).fit(X, y)
    explanation = clf.explain(X_new)
    right = explanation.nearest == y_new
    shares, on_motif = explanation.positions[right, 0], on_motif[right]
    return {
        "task": "motif",
        "set": f"{width} of {length}, noise {noise}",
        "classifier": name,
        "accuracy": float(right.mean()),
        "positive shares": share_on(np.clip(shares, 0, None), on_motif),
        "magnitudes": share_on(np.abs(shares), on_motif),
    }


def measure_deletion(name, options, dataset, draws=5):
    """A row: what is lost without the positions that an explanation names."""
    folder = Path(os.environ["REDUNET_DATA"]) / "ucr" / "npz"
    train, test = (np.load(folder / f"{dataset}_{part}.npz") for part in ("TRAIN", "TEST"))
    X, X_new = (part["X"].reshape(len(part["X"]), -1).astype(np.float64) for part in (train, test))
    X_new = X_new[np.linspace(0, len(X_new) - 1, min(len(X_new), MOST_SIGNALS)).astype(int)]
    clf = ReduNetClassifier("shift", **options).fit(X, train["y"])
    explanation = clf.explain(X_new)
    rng = np.random.default_rng(crc32(dataset.encode()))
    scattered = [np.argsort(rng.standard_normal(X_new.shape), axis=1) for _ in range(draws)]
    every = np.arange(X_new.shape[1])
    places = rng.integers(10**6, size=(draws, len(X_new)))
    stretch = [np.stack([np.roll(every, place) for place in drawn]) for drawn in places]
    return {
        "task": "deletion",
        "set": dataset,
        "classifier": name,
        "largest shares": lost_share(clf, X_new, explanation, np.argsort(explanation.positions[:, 0], axis=1)),
        "at random": float(np.mean([lost_share(clf, X_new, explanation, order) for order in scattered])),
        "a stretch at random": float(np.mean([lost_share(clf, X_new, explanation, order) for order in stretch])),
    }


def run(out, draws, sets):
    """Measure what is not there yet."""
    records = Records(out, ("task", "set", "classifier"))
    for name, options in CLASSIFIERS.items():
        for length, width, noise in MOTIFS:
            if ("motif", f"{width} of {length}, noise {noise}", name) not in records:
                records.add(measure_motif(name, options, length, width, noise))
        for dataset in sets:
            if ("deletion", dataset, name) not in records:
                records.add(measure_deletion(name, options, dataset, draws))


def table(rows):
    """Tables in Markdown."""
    lines = ["| motif | classifier | of the positive shares | of all magnitudes |", "|---|---|---|---|"]
    for row in rows:
        if row["task"] == "motif":
            numbers = f"{row['positive shares']:.2f} | {row['magnitudes']:.2f}"
            lines.append(f"| {row['set']} | {row['classifier']} | {numbers} |")
    lines += ["", "| set | classifier | largest shares | at random | a stretch at random |", "|---|---|---|---|---|"]
    for row in rows:
        if row["task"] == "deletion":
            mark = " (looked at)" if row["set"] in LOOKED_AT else ""
            numbers = " | ".join(f"{row[key]:.2f}" for key in ("largest shares", "at random", "a stretch at random"))
            lines.append(f"| {row['set']}{mark} | {row['classifier']} | {numbers} |")
    return "\n".join(lines)


if __name__ == "__main__":
    command_line(__doc__, run, table, draws=5, sets=SETS)
