"""What the experiments with shifts and translations show alike: heat maps of all shifts, histograms."""

from typing import Any

import numpy as np

from .. import plot
from ..estimators import ReduNet
from ..numerics.arrays import Array
from .experiment import Figure

# Samples on each side of a histogram of pairs, and samples of a class whose shifts are shown.
MOST_PAIRED, SHOWN_PER_CLASS = 200, 5


def all_moves(Z: Array, n_axes: int, stride: int = 1) -> Array:
    """Every circular shift of samples along their last axes; shape (n_samples · n_shifts, *sample_shape)."""
    axes = tuple(range(-n_axes, 0))
    moves = np.ndindex(*(-(-length // stride) for length in Z.shape[-n_axes:]))
    rolled = [np.roll(Z, [stride * by for by in move], axis=axes) for move in moves]
    return np.stack(rolled, axis=1).reshape(-1, *Z.shape[1:])


def moved_at_random(Z: Array, n_axes: int, seed: int) -> Array:
    """Each sample at a place of its own."""
    rng = np.random.default_rng(seed)
    axes = tuple(range(-n_axes, 0))
    moves = rng.integers(0, Z.shape[-n_axes:], (len(Z), n_axes))
    return np.stack([np.roll(z, move, axis=axes) for z, move in zip(Z, moves, strict=True)])


def across_classes(Z: Array, y: Array, Z_new: Array, y_new: Array) -> Array:
    """|cosine| of every pair of a sample and a new sample of another class, of the first of each class."""
    some, some_new = _first_of_each(y, MOST_PAIRED), _first_of_each(y_new, MOST_PAIRED)
    return plot.cosines(Z[some], Z_new[some_new])[y[some][:, None] != y_new[some_new]]


def figures_of_shifts(
    X: Array, Z: Array, y: Array, X_new: Array, Z_new: Array, y_new: Array, n_axes: int, stride: int = 1
) -> list[Figure]:
    """Heat maps and histograms of samples and of their features, as they are and at all shifts."""
    shown = _first_of_each(y_new, SHOWN_PER_CLASS)
    n_moves = len(all_moves(X_new[:1], n_axes, stride))

    def heat_maps(figure: Any) -> None:
        for ax, (view, title) in zip(figure.subplots(1, 2), ((X_new, "samples"), (Z_new, "features")), strict=True):
            moved = all_moves(view[shown], n_axes, stride)
            plot.similarity(moved, np.repeat(y_new[shown], n_moves), ax).set_title(f"{title}, at all shifts")

    def sorted_maps(figure: Any) -> None:
        views = ((X, y, "samples"), (Z, y, "features"), (X_new, y_new, "new samples"), (Z_new, y_new, "new features"))
        for ax, (view, labels, title) in zip(figure.subplots(1, 4), views, strict=True):
            plot.similarity(view, labels, ax, scale=title == "new features").set_title(title)

    def histograms(figure: Any) -> None:
        for ax, (old, new, title) in zip(
            figure.subplots(1, 2), ((X, X_new, "samples"), (Z, Z_new, "features")), strict=True
        ):
            moved = moved_at_random(new, n_axes, seed=0)
            values = [
                ("as they are", across_classes(old, y, new, y_new)),
                ("new ones shifted", across_classes(old, y, moved, y_new)),
            ]
            plot.histogram(values, ax).set_title(title)

    per_class = (
        f"|cosine| between all shifts of {SHOWN_PER_CLASS} new samples of each class, before and after the network."
    )
    return [
        Figure("shifts", per_class, heat_maps),
        Figure("similarity", "|cosine| between samples, sorted by class.", sorted_maps, width=12),
        Figure("histogram", "|cosine| between training samples and new samples of the other classes.", histograms),
    ]


def figure_of_rates(published: ReduNet, ours: ReduNet) -> Figure:
    """Coding rates of the published network and of ours."""

    def draw(figure: Any) -> None:
        for ax, net, title in zip(figure.subplots(1, 2), (published, ours), ("as published", "ours"), strict=True):
            plot.rates(net.history_, ax).set_title(title)

    return Figure("rates", "Coding rates after each layer.", draw)


def _first_of_each(y: Array, n: int) -> Array:
    """Numbers of the first n samples of each class, class after class."""
    return np.concatenate([np.flatnonzero(y == j)[:n] for j in np.unique(y)])
