"""Ten handwritten digits, 50 labels each, moved to any place: which answers stay?

Run it with ``make demo``, or ``python examples/demo.py [picture.png]``. The data come with scikit-learn.
"""

import sys
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from redunet import Lift, ReduNetClassifier

MARGIN = 2  # pixels of background on each side, so that a digit can move


def digits():
    """Images of shape (n, 1, 12, 12) with room to move, and their digits."""
    images, y = load_digits(return_X_y=True)
    images = images.reshape(-1, 1, 8, 8)
    return np.pad(images, ((0, 0), (0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN))), y


def translated(images, seed=0):
    """Each image moved by an amount of its own."""
    moves = np.random.default_rng(seed).integers(0, images.shape[2:], (len(images), 2))
    return np.stack([np.roll(image, move, axis=(1, 2)) for image, move in zip(images, moves, strict=True)])


def flat(images):
    return images.reshape(len(images), -1)


def images_as_they_are(images):
    return images


def main(picture):
    images, y = digits()
    train, test = train_test_split(np.arange(len(y)), train_size=500, stratify=y, random_state=0)
    moved = translated(images[test])
    print(f"{len(train)} labelled images of 10 digits, {len(test)} new ones, as they are and moved anywhere.\n")

    lift = Lift("patches", n_channels=24, kernel_size=5, random_state=0)  # filters from the labelled images alone
    models = {
        "support vector machine (RBF)": (SVC(), flat),
        "3 nearest neighbours": (KNeighborsClassifier(3), flat),
        "ReduNet, vectors": (ReduNetClassifier(), flat),
        "ReduNet, translation": (
            ReduNetClassifier("translation", lift=lift, n_layers=10, sharpness=200),
            images_as_they_are,
        ),
    }
    print(f"{'':30s}{'as they are':>14s}{'moved':>10s}{'fit':>9s}")
    scores = {}
    for name, (model, view) in models.items():
        start = time.perf_counter()
        model.fit(view(images[train]), y[train])
        seconds = time.perf_counter() - start
        scores[name] = model.score(view(images[test]), y[test]), model.score(view(moved), y[test])
        print(f"{name:30s}{scores[name][0]:14.3f}{scores[name][1]:10.3f}{seconds:7.1f} s", flush=True)

    net = models["ReduNet, translation"][0]
    changed = (net.predict(images[test]) != net.predict(moved)).sum()
    print(f"\nAnswers of the translation network that changed when the image moved: {changed} of {len(test)}")
    draw(net, images[test], scores, picture)
    print(f"Picture: {picture.resolve()}")


def draw(net, images, scores, picture):
    """ΔR layer by layer, one image in four places with the answer it gets, and the scores."""
    figure = plt.figure(figsize=(12, 3.6), layout="constrained")
    curves, places, bars = figure.subfigures(1, 3, width_ratios=[1, 1, 1.3])

    axes = curves.subplots()
    history = net.history_
    for values, label, colour in [
        (history.coding_rate, "R, all features", "#0072B2"),
        (history.class_coding_rate, "R$_c$, classes apart", "#E69F00"),
        (history.rate_reduction, "ΔR = R − R$_c$", "#000000"),
    ]:
        axes.plot(values, label=label, color=colour, marker="o", markersize=3)
    axes.set(xlabel="layer", ylabel="coding rate (nats)", title="Each layer increases ΔR")
    axes.legend(fontsize=8)

    shifts = np.stack([np.roll(images[0], by, axis=(1, 2)) for by in [(0, 0), (5, 2), (3, 7), (8, 9)]])
    for axis, image, row in zip(places.subplots(2, 2).flat, shifts, net.predict_proba(shifts), strict=True):
        axis.imshow(image[0], cmap="gray_r")
        axis.set(xticks=[], yticks=[])
        axis.set_xlabel(f"“{net.classes_[row.argmax()]}”, membership {row.max():.6f}", fontsize=8)
    places.suptitle("The same answer in every place", fontsize=12)

    axes = bars.subplots()
    position = np.arange(len(scores))
    axes.barh(position - 0.2, [s[0] for s in scores.values()], 0.4, label="as they are", color="#56B4E9")
    axes.barh(position + 0.2, [s[1] for s in scores.values()], 0.4, label="moved", color="#D55E00")
    axes.set(yticks=position, yticklabels=[name.replace(" (", "\n(").replace(", ", ",\n") for name in scores])
    axes.set(xlabel="accuracy on new images", xlim=(0, 1), title="50 labels per digit")
    axes.invert_yaxis()
    axes.legend(fontsize=8, ncols=2, loc="center right", bbox_to_anchor=(1, 0.81))
    figure.savefig(picture, dpi=150)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo.png"))
