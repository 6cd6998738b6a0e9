"""Tables: iris, small digits, mice; missing values filled in, rows or mice split into training and test."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from ..numerics.arrays import Array
from .formats import read_mice
from .sources import MICE
from .store import check_content, find_files

# Size of the table of mice.
N_PROTEINS, N_MEASUREMENTS = 77, 1080


def iris() -> tuple[Array, Array]:
    """Iris flowers, as scikit-learn has them: X (150, 4) in centimetres, y (150,) the species 0, 1 or 2."""
    X, y = load_iris(return_X_y=True)
    return X, y


def digits() -> tuple[Array, Array]:
    """Digits of 8 × 8, as scikit-learn has them: X (1797, 64) from 0 to 16, y (1797,); images by reshape(-1, 8, 8)."""
    X, y = load_digits(return_X_y=True)
    return X, y


def mice(data_dir: str | Path | None = None, download: bool = True) -> tuple[Array, Array, Array]:
    """Mice Protein Expression: 15 measurements of 77 proteins in each of 72 mice, of 8 classes.

    The paper counts 82 features: all columns, among them the name of the mouse and the class. The proteins are 77.

    Parameters
    ----------
    data_dir : path, optional
        Folder with mice/Data_Cortex_Nuclear.csv in it. Where it is not there, the folder that the environment variable
        REDUNET_DATA names is asked, then the cache, then OpenML.
    download : bool, default=True
        Whether OpenML may be asked.

    Returns
    -------
    X : float array, shape (1080, 77)
        Expression levels; NaN where one is missing (see ``fill_missing``).
    y : array of str, shape (1080,)
        Genotype (c, t), behaviour (CS, SC) and treatment (m, s), such as "t-CS-m".
    mouse : array of str, shape (1080,)
        Mouse that was measured. Measurements of one mouse are nearly copies of each other (see ``split_by_mouse``).
    """
    (path,) = find_files(MICE, ["Data_Cortex_Nuclear.csv"], data_dir, download)
    X, y, row_id, _ = read_mice(path)
    if X.shape != (N_MEASUREMENTS, N_PROTEINS):
        raise ValueError(
            f"{path} holds {X.shape[0]} measurements of {X.shape[1]} proteins, should be {N_MEASUREMENTS} of "
            f"{N_PROTEINS}; is it cut short? Remove it, and it is downloaded again, or put the original in its place."
        )
    check_content(MICE, path, path.read_bytes())
    return X, y, np.array([name.partition("_")[0] for name in row_id])


def fill_missing(X_train: Array, *others: Array) -> tuple[Array, ...]:
    """Tables with NaN replaced by the mean of its column over the training rows.

    Parameters
    ----------
    X_train : float array, shape (n_train, n_features)
    *others : float arrays, shape (n, n_features)

    Returns
    -------
    filled : tuple of arrays
        Copies of X_train and the others, in this order.
    """
    missing = np.isnan(X_train)
    n_known = (~missing).sum(axis=0)
    if not n_known.all():
        raise ValueError(f"column {np.flatnonzero(n_known == 0)[0]} of X_train has no value at all; leave it out.")
    means = np.where(missing, 0, X_train).sum(axis=0) / n_known
    return tuple(np.where(np.isnan(X), means, X) for X in (X_train, *others))


def split_at_random(
    y: Any, test_size: float = 0.3, random_state: Any = None, stratified: bool = False
) -> tuple[Array, Array]:
    """Rows for training and rows for testing; by default as in the paper, 70 % and 30 % at random.

    Parameters
    ----------
    y : array-like, shape (n_samples,)
        Classes.
    test_size : float, default=0.3
        Share of the test rows, rounded up to a whole row.
    random_state : int, RandomState or None
    stratified : bool, default=False
        Whether both sides have the classes in the same shares. The paper does not say that they have.

    Returns
    -------
    train, test : int arrays
        Row numbers; every row is on one side.
    """
    _check_test_size(test_size)
    rows, stratify = np.arange(len(y)), np.asarray(y) if stratified else None
    train, test = train_test_split(rows, test_size=test_size, random_state=random_state, stratify=stratify)
    return train, test


def split_by_mouse(mouse: Any, y: Any, test_size: float = 0.3, random_state: Any = None) -> tuple[Array, Array]:
    """Rows for training and rows for testing, all rows of a mouse on one side and every class on both.

    A random split of rows has measurements of nearly every mouse on both sides, and so tests whether a mouse is
    recognised. This split tests mice that were never seen.

    Parameters
    ----------
    mouse : array-like, shape (n_samples,)
        Mouse of each row.
    y : array-like, shape (n_samples,)
        Class of each row; one per mouse.
    test_size : float, default=0.3
        Share of the mice of each class that are for testing, rounded to whole mice: at least one, and not all.
    random_state : int, RandomState or None

    Returns
    -------
    train, test : int arrays
        Row numbers, ascending; every row is on one side.
    """
    _check_test_size(test_size)
    mouse, y = np.asarray(mouse), np.asarray(y)
    if mouse.ndim != 1 or mouse.shape != y.shape:
        raise ValueError(f"mouse and y must have one entry per row, got shapes {mouse.shape} and {y.shape}.")
    rng = check_random_state(random_state)
    names, first_row, number = np.unique(mouse, return_index=True, return_inverse=True)
    class_of = y[first_row]
    mixed = class_of[number] != y
    if mixed.any():
        raise ValueError(f"mouse {mouse[mixed][0]} has rows of more than one class; a mouse belongs to one.")
    tested = np.zeros(len(names), dtype=bool)
    for kind in np.unique(class_of):
        of_class = np.flatnonzero(class_of == kind)
        if len(of_class) < 2:
            raise ValueError(f"class {kind} has one mouse; a class needs at least 2 to be on both sides. Leave it out.")
        n_tested = min(max(round(test_size * len(of_class)), 1), len(of_class) - 1)
        tested[rng.choice(of_class, size=n_tested, replace=False)] = True
    return np.flatnonzero(~tested[number]), np.flatnonzero(tested[number])


def _check_test_size(value: float) -> None:
    """Refuse a share that is not between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"test_size must be a share between 0 and 1, got {value}.")
