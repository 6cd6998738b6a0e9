"""The tasks of the comparison and of the ablation: real data, few labels, positions unknown.

Data are found as ``redunet.data`` finds them, those of the UCR archive in the folder that REDUNET_DATA names. Training
samples are drawn from the training part at random; the test part is looked at once, by a model that is finished.
"""

import os
from pathlib import Path

import numpy as np

from redunet.data.formats import read_ts
from redunet.data.images import fashion_mnist, mnist
from redunet.data.shifts import shifted_at_random


def fashion_draw(n_per_class, seed, n_test=None):
    """The same as :func:`mnist_draw`, of photographs of clothes."""
    return mnist_draw(n_per_class, seed, n_test, fashion_mnist)


def mnist_draw(n_per_class, seed, n_test=None, source=mnist):
    """Labelled images drawn at random, and all (or the first n_test) test images; float32, (n, 28, 28)."""
    images, digits = source("train")
    test_images, test_digits = source("test")
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.permutation(np.flatnonzero(digits == j))[:n_per_class] for j in range(10)])
    scaled = [(part / np.float32(255)).astype(np.float32) for part in (images[rows], test_images[:n_test])]
    return scaled[0], digits[rows], scaled[1], test_digits[:n_test]


def zeros_and_ones(n_train, n_test, seed):
    """The paper's two digits, as many of each: labelled images drawn at random, and the first of the test part."""
    images, digits = mnist("train")
    test_images, test_digits = mnist("test")
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.permutation(np.flatnonzero(digits == j))[: n_train // 2] for j in (0, 1)])
    test_rows = np.sort(np.concatenate([np.flatnonzero(test_digits == j)[: n_test // 2] for j in (0, 1)]))
    return images[rows] / 255.0, digits[rows], test_images[test_rows] / 255.0, test_digits[test_rows]


def translated(images, seed):
    """Each image moved (with wrap-around) by an amount of its own."""
    return shifted_at_random(images, 2, seed)


def shifted(signals, seed):
    """Each signal moved circularly by an amount of its own."""
    return shifted_at_random(signals, 1, seed)


def ucr(name):
    """Training and test part of a data set of the UCR archive, as they are given."""
    folder = os.environ.get("REDUNET_DATA")
    if not folder:
        raise SystemExit("say where the data are: REDUNET_DATA=… (a folder with ucr/ in it)")
    train, test = (Path(folder) / "ucr" / f"{name}_{part}.ts" for part in ("TRAIN", "TEST"))
    return *read_ts(train), *read_ts(test)
