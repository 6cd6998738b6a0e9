"""A picture of why a sample gets its answer: a PNG file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import plot
from ..numerics.arrays import Array
from .command_errors import DataError
from .files.optional_packages import import_optional
from .output import written

# Channels of a signal that are drawn, one below the other.
MOST_DRAWN_CHANNELS = 8


def draw_explanation(path: Path, sample: Array, why: Any, names: Sequence[str], place: str) -> None:
    """Draw the first sample of an explanation into a PNG file.

    Parameters
    ----------
    path : Path
    sample : array
        The values of the sample, in any shape.
    why : Explanation
        Whose first sample is drawn.
    names : sequence of str
        Of the values of a sample.
    place : str
        Of the sample, for the title.
    """
    figures = import_optional("matplotlib.figure", "matplotlib", "pictures")
    shares = np.asarray(why.positions[0])
    values = np.asarray(sample, dtype=float).reshape(shares.shape)
    figure = figures.Figure(layout="constrained")
    if shares.ndim == 1:
        _drawing("feature_shares")(names, shares, figure.add_subplot())
    elif shares.ndim == 2:
        drawn = shares[:MOST_DRAWN_CHANNELS]
        axes = figure.subplots(len(drawn), squeeze=False)[:, 0]
        for channel, ax in enumerate(axes):
            _drawing("signal_shares")(values[channel], shares[channel], ax)
    elif shares.ndim == 3:
        _drawing("image_shares")(values.mean(axis=0), shares.sum(axis=0), figure.add_subplot())
    else:
        raise DataError("--plot draws tables, signals and images, and samples of this model are none; leave it out.")
    figure.suptitle(f"{place}: {why.nearest[0]} rather than {why.other[0]}", parse_math=False)
    with written(path) as file:
        figure.savefig(file, format="png")


def _drawing(name: str) -> Any:
    """A function of ``redunet.plot``."""
    return getattr(plot, name)
