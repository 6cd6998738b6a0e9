"""Sinusoids and square waves with a random start: the paper's experiment on shift invariance (its Algorithm 2)."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..inputs.parameters import check_at_least, check_flag, check_whole
from ..numerics.arrays import Array


def sine(t: Array) -> Array:
    """h₁(t) = sin t, without noise."""
    return np.sin(t)


def square(t: Array) -> Array:
    """h₂(t) = sign(sin t), without noise."""
    return np.sign(np.sin(t))


# The waves of class 0 and class 1 of ``sinusoids``.
WAVES = (sine, square)


def sinusoids(
    n_per_class: int,
    n_points: int = 150,
    noise: float = 0.1,
    repeat_end_point: bool = False,
    random_state: Any = None,
) -> tuple[Array, Array]:
    """Signals of one period from a random start t₀ in [0, 10π]: sin(t) is class 0, sign(sin(t)) class 1.

    The starts are drawn before the noise. With the same random_state, ``noise=0`` therefore gives the same curves
    without noise, and a larger ``n_points`` then samples them more densely, for a picture.

    Parameters
    ----------
    n_per_class : int
        The paper has 200, both for training and for testing.
    n_points : int, default=150
    noise : float, default=0.1
        Standard deviation of the Gaussian noise that is added to every point.
    repeat_end_point : bool, default=False
        By default the points are t₀ + 2πl/n_points, l = 0 … n_points − 1: a shift of the signal by one is then another
        signal of the same family. True also takes t₀ + 2π, where the signal is as at t₀, as the paper's listing does
        with ``linspace`` (its Algorithm 2 does not); a shift then has one point twice.
    random_state : int, RandomState or None

    Returns
    -------
    X : float array, shape (2 · n_per_class, n_points)
        Class after class; every signal has a start of its own.
    y : int array, shape (2 · n_per_class,)
    """
    check_whole("n_per_class", n_per_class, 1)
    check_whole("n_points", n_points, 2)
    check_at_least("noise", noise, 0)
    check_flag("repeat_end_point", repeat_end_point)
    rng = check_random_state(random_state)
    starts = rng.uniform(0, 10 * np.pi, size=(len(WAVES), n_per_class, 1))
    t = starts + np.linspace(0, 2 * np.pi, n_points, endpoint=bool(repeat_end_point))
    X = np.concatenate([wave(times) for wave, times in zip(WAVES, t, strict=True)])
    if noise:
        X += noise * rng.standard_normal(X.shape)
    return X, np.repeat(np.arange(len(WAVES)), n_per_class)
