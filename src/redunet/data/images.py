"""MNIST and Fashion-MNIST, and some of their images."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..inputs.parameters import check_choice, check_whole
from ..numerics.arrays import Array
from .formats import idx_content, read_mnist
from .sources import FASHION_MNIST, MNIST, Source
from .store import check_content, find_files


def mnist(part: str, data_dir: str | Path | None = None, download: bool = True) -> tuple[Array, Array]:
    """Handwritten digits: 60,000 images for training, 10,000 for testing.

    Parameters
    ----------
    part : {"train", "test"}
    data_dir : path, optional
        Folder with mnist/ in it. Where it is not there, the folder that the environment variable REDUNET_DATA names is
        asked, then the cache, then OpenML.
    download : bool, default=True
        Whether OpenML may be asked.

    Returns
    -------
    images : uint8 array, shape (n, 28, 28)
        0 is the background, 255 the ink.
    digits : int array, shape (n,)
    """
    return _images_of(MNIST, part, data_dir, download)


def fashion_mnist(part: str, data_dir: str | Path | None = None, download: bool = True) -> tuple[Array, Array]:
    """Photographs of clothes, shoes and bags: 60,000 images for training, 10,000 for testing.

    Parameters
    ----------
    part : {"train", "test"}
    data_dir : path, optional
        Folder with fashion-mnist/ in it. Where it is not there, the folder that the environment variable REDUNET_DATA
        names is asked, then the cache, then the folder of Debian's package dataset-fashion-mnist, then OpenML.
    download : bool, default=True
        Whether OpenML may be asked.

    Returns
    -------
    images : uint8 array, shape (n, 28, 28)
        0 is the background.
    kinds : int array, shape (n,)
        0 to 9: T-shirt, trousers, pullover, dress, coat, sandal, shirt, sneaker, bag, ankle boot.
    """
    return _images_of(FASHION_MNIST, part, data_dir, download)


def _images_of(source: Source, part: str, data_dir: str | Path | None, download: bool) -> tuple[Array, Array]:
    """Images and labels of a part of a data set in the format of MNIST, with the checksums of the source."""
    check_choice("part", part, ("train", "test"))
    prefix = "train" if part == "train" else "t10k"
    names = [f"{prefix}-images-idx3-ubyte.gz", f"{prefix}-labels-idx1-ubyte.gz"]
    paths = find_files(source, names, data_dir, download)
    images, labels = read_mnist(paths[0].parent, prefix)
    for path, array in zip(paths, (images, labels.astype(np.uint8)), strict=True):
        check_content(source, path, idx_content(array))
    return images, labels


def pick_digits(
    images: Array, labels: Array, digits: Sequence[int], n: int, random_state: Any = None
) -> tuple[Array, Array]:
    """Some images of some digits, the same number of each, drawn without replacement.

    Parameters
    ----------
    images : array, shape (n_images, ...)
    labels : array, shape (n_images,)
    digits : sequence of int
        Which labels.
    n : int
        How many images of each.
    random_state : int, RandomState or None

    Returns
    -------
    images : array, shape (len(digits) · n, ...)
        Digit after digit, in the order of ``digits``.
    labels : array, shape (len(digits) · n,)
    """
    check_whole("n", n, 1)
    labels = np.asarray(labels)
    if len(set(digits)) != len(digits) or not len(digits):
        raise ValueError(f"digits must name each digit once, and at least one, got {list(digits)}.")
    rng = check_random_state(random_state)
    picked = []
    for digit in digits:
        there = np.flatnonzero(labels == digit)
        if len(there) < n:
            raise ValueError(f"n={n} images of {digit} were asked for, but there are {len(there)}; pass a smaller n.")
        picked.append(rng.choice(there, size=n, replace=False))
    rows = np.concatenate(picked)
    return np.asarray(images)[rows], labels[rows]
