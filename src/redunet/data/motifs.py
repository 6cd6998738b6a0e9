"""Short motifs at random places in noise: signals of which it is known where their class can be seen."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..inputs.parameters import check_at_least, check_whole
from ..numerics.arrays import Array


def motif_shapes(width: int) -> Array:
    """The motifs of the classes: three waves of a sine, two of a square wave, a peak; shape (3, width), mean square 1.

    All of them rise from zero and fall back to it.
    """
    t = np.arange(width) / width
    window = np.sin(np.pi * (t + 0.5 / width))
    shapes = window * [np.sin(6 * np.pi * t), np.sign(np.sin(4 * np.pi * t)), 1 - 2 * np.abs(2 * t - 1)]
    return np.asarray(shapes / np.sqrt(np.square(shapes).mean(axis=1, keepdims=True)))


def motifs_in_noise(
    n_signals: int, length: int = 200, width: int = 30, noise: float = 0.3, random_state: Any = None
) -> tuple[Array, Array, Array]:
    """Signals of noise with a motif at a random place of the circle, whose shape is the class.

    Parameters
    ----------
    n_signals : int
    length : int, default=200
        Positions of a signal.
    width : int, default=30
        Positions of a motif, at least 3 and at most ``length``.
    noise : float, default=0.3
        Standard deviation of the Gaussian noise at every position; motifs have a root mean square of 1.
    random_state : int, RandomState or None

    Returns
    -------
    X : float array, shape (n_signals, length)
    y : int array, shape (n_signals,)
        0, 1, 2, 0, 1, …: the shape of the motif.
    on_motif : bool array, shape (n_signals, length)
        Which positions the motif lies on.
    """
    check_whole("n_signals", n_signals, 1)
    check_whole("width", width, 3)
    check_whole("length", length, width)
    check_at_least("noise", noise, 0)
    rng = check_random_state(random_state)
    shapes = motif_shapes(width)
    y = np.arange(n_signals) % len(shapes)
    positions = (rng.randint(length, size=(n_signals, 1)) + np.arange(width)) % length
    X = noise * rng.standard_normal((n_signals, length))
    on_motif = np.zeros(X.shape, dtype=bool)
    np.put_along_axis(on_motif, positions, True, axis=1)
    X[np.arange(n_signals)[:, None], positions] += shapes[y]
    return X, y, on_motif
