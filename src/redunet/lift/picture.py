"""A look at filters."""

from typing import Any

import numpy as np

from .responses import FilterBank

COLUMNS = 8


def filter_picture(bank: FilterBank, axes: Any = None) -> Any:
    """Draw every filter (of the first input channel), small multiples on a common scale; returns the figure.

    Parameters
    ----------
    bank : FilterBank
    axes : array of matplotlib axes, optional
        At least as many as there are filters; made if left out.
    """
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError("plot needs matplotlib; run: pip install 'redunet[plot]'") from error
    filters = [one[0] for of_size in bank.filters for one in of_size]
    if filters[0].ndim > 2:
        raise ValueError("plot shows filters of signals and images, not of volumes.")
    if axes is None:
        n_rows = -(-len(filters) // COLUMNS)
        _, axes = plt.subplots(n_rows, COLUMNS, figsize=(8, n_rows * 1.05), squeeze=False, layout="constrained")
    axes = np.ravel(axes)
    largest = max(float(np.abs(one).max()) for one in filters)
    for ax in axes:
        ax.set_axis_off()
    for ax, one in zip(axes, filters, strict=False):
        if one.ndim == 1:
            ax.axhline(0, color="0.8", linewidth=0.8)
            ax.plot(np.arange(len(one)) - len(one) // 2, one, color="tab:blue", linewidth=1)
            ax.set_ylim(-largest, largest)
        else:
            ax.imshow(one, cmap="RdBu_r", vmin=-largest, vmax=largest)
    return axes[0].figure
