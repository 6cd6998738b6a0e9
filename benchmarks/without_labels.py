"""Features without labels, judged by nearest neighbours and a linear probe: before the layers, and after them.

``python benchmarks/without_labels.py FOLDER [NAME ...]`` reads GunPoint and ArrowHead from FOLDER, which has
``GunPoint_TRAIN.npz`` and so on with arrays X and y; digits come from scikit-learn, MNIST from where
:mod:`redunet.data` keeps it. Networks see training samples without their labels; probes see five labels of each class
(means of five draws), or all of them.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.ndimage import map_coordinates, shift
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from redunet import Lift, ReduNet
from redunet.data.images import mnist, pick_digits

DEPTHS = (1, 3, 10, 30)
N_DRAWS, FEW_LABELS = 5, 5


def judged(train, y, test, test_y):
    """Accuracy of the nearest neighbour and of logistic regression."""
    scale = np.sqrt(np.var(train, axis=0).sum())
    train, test = (train - train.mean(axis=0)) / scale, (test - train.mean(axis=0)) / scale
    nearest = KNeighborsClassifier(1).fit(train, y).score(test, test_y)
    return nearest, LogisticRegression(C=100.0, max_iter=1000).fit(train, y).score(test, test_y)


def scores(train, y, test, test_y):
    """Nearest neighbour and linear probe: five labels of each class, then all labels."""
    few = []
    for seed in range(N_DRAWS):
        rng = np.random.default_rng(seed)
        rows = np.concatenate([rng.permutation(np.flatnonzero(y == one))[:FEW_LABELS] for one in np.unique(y)])
        few.append(judged(train[rows], y[rows], test, test_y))
    return [*np.mean(few, axis=0), *judged(train, y, test, test_y)]


def flat(features):
    """Features of vectors as they are; magnitudes of the spectra of others, which no shift changes."""
    if features.ndim == 2:
        return features
    axes = tuple(range(2, features.ndim))
    return np.abs(np.fft.rfftn(features, axes=axes)).reshape(len(features), -1)


def table(name, train, y, test, test_y, invariance, augment, depths=DEPTHS):
    """One row for the samples at the entrance, and one for each depth, with and without views."""
    for kind, function in (("no views", None), ("views", augment)):
        for depth in (0, *depths):
            if depth == 0 and function is not None:
                continue
            net = ReduNet(invariance, n_layers=depth, tol=None, augment=function).fit(train)
            found = scores(flat(net.transform(train)), y, flat(net.transform(test)), test_y)
            print(f"{name} | {kind} | {depth} |", *(f"{one:.3f}" for one in found), flush=True)


def moved_digits(samples, random):
    """Digits of 8 × 8, each moved by up to one pixel."""
    pictures = samples.reshape(-1, 8, 8)
    moved = [shift(one, random.uniform(-1, 1, size=2), order=1) for one in pictures]
    return np.stack(moved).reshape(samples.shape)


def warped(signals, random):
    """Lifted signals on a circle, their time stretched here and pressed there, and louder or softer."""
    n, _, length = signals.shape
    t = np.arange(length)
    found = np.empty_like(signals)
    for i in range(n):
        phase, strength = random.uniform(0, 2 * np.pi), random.uniform(0, 0.02 * length)
        at = t + strength * np.sin(2 * np.pi * t / length + phase)
        found[i] = [np.interp(at % length, np.append(t, length), np.append(one, one[0])) for one in signals[i]]
    return found * random.uniform(0.9, 1.1, size=(n, 1, 1))


def bent(pictures, random):
    """Lifted images on a torus, each bent a little by smooth waves."""
    n, _, height, width = pictures.shape
    rows, columns = np.mgrid[:height, :width].astype(float)
    found = np.empty_like(pictures)
    for i in range(n):
        a, b = random.uniform(0, 2 * np.pi, size=2)
        where = [
            rows + 0.7 * np.sin(2 * np.pi * columns / width + a),
            columns + 0.7 * np.sin(2 * np.pi * rows / height + b),
        ]
        found[i] = [map_coordinates(one, where, order=1, mode="grid-wrap") for one in pictures[i]]
    return found


def rolled(samples, seed):
    """Each sample at a random shift along its last axes."""
    rng = np.random.default_rng(seed)
    axes = tuple(range(samples.ndim - 1))
    return np.stack([np.roll(one, [rng.integers(n) for n in one.shape], axis=axes) for one in samples])


def digits(n_train):
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:n_train], order[n_train:]
    table("digits", X[train], y[train], X[test], y[test], None, moved_digits)


def signals(folder, name):
    parts = [np.load(folder / f"{name}_{part}.npz") for part in ("TRAIN", "TEST")]
    raw = [rolled(part["X"].reshape(len(part["X"]), -1), seed) for seed, part in enumerate(parts)]
    lift = Lift("random", 8, 9, random_state=0).fit(raw[0])
    train, test = (lift.transform(one[:, None]) for one in raw)
    table(name, train, parts[0]["y"], test, parts[1]["y"], "shift", warped)


def images(n_train, n_test):
    train, y = pick_digits(*mnist("train"), range(10), n_train, random_state=0)
    test, test_y = pick_digits(*mnist("test"), range(10), n_test, random_state=0)
    train, test = rolled(train / 255.0, 0), rolled(test / 255.0, 1)
    lift = Lift("random", 5, 5, random_state=0, pool=2).fit(train)
    table("MNIST", lift.transform(train), y, lift.transform(test), test_y, "translation", bent)


if __name__ == "__main__":
    folder, *which = sys.argv[1:]
    for name in which or ("digits", "GunPoint", "ArrowHead", "MNIST"):
        if name == "digits":
            digits(900)
        elif name == "MNIST":
            images(30, 100)
        else:
            signals(Path(folder), name)
