"""Figures that the experiments with shifts and translations have in common: heat maps of all shifts, histograms."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import plot
from ..data.shifts import all_shifts_of_each, shifted_at_random
from ..estimators import ReduNet
from ..numerics.arrays import Array
from .experiment import Figure

# Number of samples of each class that a histogram of pairs is made from.
MAX_PAIRED_PER_CLASS = 200
# Number of samples of each class whose shifts a heat map shows.
SHOWN_PER_CLASS = 5


@dataclass(frozen=True, eq=False)
class Featured:
    """Samples, their features and their classes.

    Parameters
    ----------
    X : array, shape (n_samples, n_channels, *grid)
    Z : array of the shape of X
        Features of the samples.
    y : array, shape (n_samples,)
    """

    X: Array
    Z: Array
    y: Array


def cosines_across_classes(Z: Array, y: Array, Z_new: Array, y_new: Array) -> Array:
    """|cosine| of every pair of a sample and a new sample of another class, for the first samples of each class."""
    some, some_new = first_of_each(y, MAX_PAIRED_PER_CLASS), first_of_each(y_new, MAX_PAIRED_PER_CLASS)
    return plot.cosines(Z[some], Z_new[some_new])[y[some][:, None] != y_new[some_new]]


def first_of_each(y: Array, n: int) -> Array:
    """Row numbers of the first n samples of each class, class after class."""
    return np.concatenate([np.flatnonzero(y == j)[:n] for j in np.unique(y)])


def figures_of_shifts(training: Featured, new: Featured, n_axes: int, stride: int = 1) -> list[Figure]:
    """Heat maps and histograms of samples and of their features, as they are and at all shifts of the last axes."""

    def heat_maps(figure: Any) -> None:
        _draw_shift_maps(figure, new, n_axes, stride)

    def sorted_maps(figure: Any) -> None:
        _draw_sorted_maps(figure, training, new)

    def histograms(figure: Any) -> None:
        _draw_histograms(figure, training, new, n_axes)

    caption = (
        f"|cosine| between all shifts of {SHOWN_PER_CLASS} new samples of each class, before and after the network."
    )
    return [
        Figure("shifts", caption, heat_maps),
        Figure("similarity", "|cosine| between samples, sorted by class.", sorted_maps, width=12),
        Figure("histogram", "|cosine| between training samples and new samples of the other classes.", histograms),
    ]


def figure_of_rates(published: ReduNet, ours: ReduNet) -> Figure:
    """Coding rates of the published network and of ours, side by side."""

    def draw(figure: Any) -> None:
        for ax, net, title in zip(figure.subplots(1, 2), (published, ours), ("as published", "ours"), strict=True):
            plot.rates(net.history_, ax).set_title(title)

    return Figure("rates", "Coding rates after each layer.", draw)


def _draw_shift_maps(figure: Any, new: Featured, n_axes: int, stride: int) -> None:
    """|cosine| between all shifts of some new samples, and between all shifts of their features."""
    shown = first_of_each(new.y, SHOWN_PER_CLASS)
    for ax, (view, title) in zip(figure.subplots(1, 2), ((new.X, "samples"), (new.Z, "features")), strict=True):
        shifted = all_shifts_of_each(view[shown], n_axes, stride)
        labels = np.repeat(new.y[shown], len(shifted) // len(shown))
        plot.similarity(shifted, labels, ax).set_title(f"{title}, at all shifts")


def _draw_sorted_maps(figure: Any, training: Featured, new: Featured) -> None:
    """|cosine| between training samples, their features, new samples, and their features."""
    views = (
        (training.X, training.y, "samples"),
        (training.Z, training.y, "features"),
        (new.X, new.y, "new samples"),
        (new.Z, new.y, "new features"),
    )
    for ax, (view, labels, title) in zip(figure.subplots(1, 4), views, strict=True):
        plot.similarity(view, labels, ax, scale=title == "new features").set_title(title)


def _draw_histograms(figure: Any, training: Featured, new: Featured, n_axes: int) -> None:
    """|cosine| across classes, of samples and of features, with the new ones as they are and shifted at random."""
    views = ((training.X, new.X, "samples"), (training.Z, new.Z, "features"))
    for ax, (old, others, title) in zip(figure.subplots(1, 2), views, strict=True):
        shifted = shifted_at_random(others, n_axes, seed=0)
        values = [
            ("as they are", cosines_across_classes(old, training.y, others, new.y)),
            ("new ones shifted", cosines_across_classes(old, training.y, shifted, new.y)),
        ]
        plot.histogram(values, ax).set_title(title)
