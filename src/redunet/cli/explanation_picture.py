"""A picture of why a sample gets its answer: a PNG file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .. import plot
from ..estimators.explanation import Explanation
from ..numerics.arrays import Array
from .command_errors import UsageError
from .files.optional_packages import import_optional
from .output import written

# Channels of a signal that are drawn, one below the other.
MOST_DRAWN_CHANNELS = 8


def refuse_undrawable(shape: tuple[int, ...]) -> None:
    """Refuse samples of which there is no picture, and drawing without matplotlib."""
    if len(shape) > 3:
        raise UsageError(
            f"--plot draws tables, signals and images, but the model takes samples of shape "
            f"{','.join(map(str, shape))}; leave it out."
        )
    import_optional("matplotlib.figure", "matplotlib", "pictures")


def draw_explanation(path: Path, sample: Array, why: Explanation, names: Sequence[str], place: str) -> None:
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
    from matplotlib.figure import Figure

    shares = np.asarray(why.positions[0])
    values = np.asarray(sample, dtype=float).reshape(shares.shape)
    figure = Figure(layout="constrained")
    if shares.ndim == 1:
        plot.feature_shares(names, shares, figure.add_subplot())
    elif shares.ndim == 2:
        drawn = shares[:MOST_DRAWN_CHANNELS]
        axes = figure.subplots(len(drawn), squeeze=False)[:, 0]
        for channel, ax in enumerate(axes):
            plot.signal_shares(values[channel], shares[channel], ax)
    else:
        plot.image_shares(values.mean(axis=0), shares.sum(axis=0), figure.add_subplot())
    figure.suptitle(f"{place}: {why.nearest[0]} rather than {why.other[0]}", parse_math=False)
    with written(path) as file:
        figure.savefig(file, format="png")
