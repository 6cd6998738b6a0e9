"""Figures, one function each: arrays in, a matplotlib axis drawn on. Every function takes ``ax`` and returns it.

>>> import numpy as np
>>> from redunet import ReduNet, plot
>>> X = np.random.default_rng(0).standard_normal((40, 2))
>>> net = ReduNet(n_layers=5).fit(X, X[:, 0] > 0)
>>> ax = plot.rates(net.history_)
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .network.history import History
from .network.network import Network
from .numerics.arrays import Array

# Colours of classes, those of Okabe and Ito, which colour-blind readers can tell apart; grey instead of black, so that
# they are seen on a dark page, too. The page has the same ones (report/scripts/drawing/colours.js).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C", "#F0E442")
# The colour map of shares and cosines, from 0 to 1; that of values around zero is blue below it and orange above.
EVEN_MAP = "cividis"
SIGNED_COLOURS = ("#003F6B", "#2F86B8", "#A9D0E6", "#FFFFFF", "#F7CF9E", "#E08A2A", "#9C3D00")
# Of shares that speak for the nearer of two classes, and for the other.
FOR_NEAREST, FOR_OTHER = SIGNED_COLOURS[5], SIGNED_COLOURS[1]
# How many times brighter the ink of an image is shown under its shares.
PALENESS = 2.5
# Number of samples that a heat map shows at most, evenly spaced.
MAX_SHOWN_SAMPLES = 400


def rates(history: History, ax: Any = None) -> Any:
    """The coding rates R, R_c and ΔR after each layer, as curves."""
    ax = _axis(ax)
    for values, label, colour in (
        (history.coding_rate, "R, all samples together", COLOURS[5]),
        (history.class_coding_rate, "R$_c$, each class apart", COLOURS[2]),
        (history.rate_reduction, "ΔR = R − R$_c$", COLOURS[1]),
    ):
        ax.plot(values, label=label, color=colour, linewidth=1.6)
    ax.set(xlabel="layer", ylabel="coding rate (nats)")
    ax.legend(frameon=False)
    return ax


def scatter(Z: Array, y: Array, ax: Any = None) -> Any:
    """Samples on the circle or the sphere, coloured by class.

    Parameters
    ----------
    Z : array, shape (n_samples, 2) or (n_samples, 3)
    y : array, shape (n_samples,)
    ax : matplotlib axis, optional
        For three dimensions one made with ``projection="3d"``.
    """
    dimension = np.shape(Z)[1]
    if dimension not in (2, 3):
        raise ValueError(f"Z has {dimension} features per sample; scatter shows 2 or 3.")
    ax = _axis(ax, projection="3d" if dimension == 3 else None)
    if dimension == 2:
        angles = np.linspace(0, 2 * np.pi, 200)
        ax.plot(np.cos(angles), np.sin(angles), color="0.85", linewidth=1, zorder=0)
        ax.set_aspect("equal")
    else:
        ax.set_box_aspect((1, 1, 1))
        ax.set_zlim(-1, 1)
        ax.set_zlabel("coordinate 3")
    for j, label in enumerate(np.unique(y)):
        ax.scatter(
            *np.asarray(Z)[y == label].T, s=6, alpha=0.5, color=COLOURS[j % len(COLOURS)], label=f"class {label}"
        )
    ax.set(xlabel="coordinate 1", ylabel="coordinate 2", xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
    ax.legend(frameon=False, markerscale=2, loc="lower left", fontsize=8)
    return ax


def similarity(Z: Array, y: Array, ax: Any = None, *, scale: bool = True) -> Any:
    """|cosine| between all pairs of samples, sorted by class: blocks on the diagonal where classes are orthogonal.

    ``scale=False`` leaves the colour bar out, where the axis beside it has one.
    """
    ax = _axis(ax)
    order = np.argsort(y, kind="stable")
    if len(order) > MAX_SHOWN_SAMPLES:
        order = order[np.linspace(0, len(order) - 1, MAX_SHOWN_SAMPLES).astype(int)]
    picture = ax.imshow(cosines(np.asarray(Z)[order]), cmap=EVEN_MAP, vmin=0, vmax=1)
    if scale:
        ax.figure.colorbar(picture, ax=ax, label="|cosine|", shrink=0.8)
    for border in np.flatnonzero(np.diff(np.unique(np.asarray(y)[order], return_inverse=True)[1])) + 0.5:
        ax.axhline(border, color="white", linewidth=0.8)
        ax.axvline(border, color="white", linewidth=0.8)
    ax.set(xlabel="sample, by class", ylabel="sample, by class")
    return ax


def cosines(Z: Array, others: Array | None = None) -> Array:
    """|cosine| of every sample with every other (or with ``others``), each taken as one flat vector."""
    flat = _unit_rows(Z)
    return np.asarray(np.abs(flat @ (flat if others is None else _unit_rows(others)).T))


def histogram(values: Sequence[tuple[str, Array]], ax: Any = None, *, xlabel: str = "|cosine| across classes") -> Any:
    """Histograms of several sets of numbers in [0, 1] on one axis."""
    ax = _axis(ax)
    for j, (label, numbers) in enumerate(values):
        ax.hist(np.ravel(numbers), bins=50, range=(0, 1), density=True, histtype="step", linewidth=1.6, label=label,
                color=COLOURS[j % len(COLOURS)])  # fmt: skip
    ax.set(xlabel=xlabel, ylabel="density", xlim=(0, 1))
    ax.legend(frameon=False)
    return ax


def signals(curves: Array, samples: Array, labels: Sequence[str], ax: Any = None) -> Any:
    """Noiseless signals as lines, and samples of them as dots; both of shape (n_signals, length)."""
    ax = _axis(ax)
    for j, (curve, sample, label) in enumerate(zip(curves, samples, labels, strict=True)):
        colour = COLOURS[j % len(COLOURS)]
        ax.plot(np.linspace(0, len(sample), len(curve), endpoint=False), curve, color=colour, linewidth=1, label=label)
        ax.plot(sample, ".", color=colour, markersize=3)
    ax.set(xlabel="position", ylabel="value")
    ax.legend(frameon=False, loc="upper right")
    return ax


def images(pictures: Array, ax: Any = None, *, columns: int = 10) -> Any:
    """Images of shape (n, height, width), side by side on one axis."""
    ax = _axis(ax)
    n, height, width = np.shape(pictures)
    rows = -(-n // columns)
    sheet = np.full((rows * (height + 1), columns * (width + 1)), np.nan)
    for i, picture in enumerate(pictures):
        r, c = divmod(i, columns)
        sheet[r * (height + 1) : r * (height + 1) + height, c * (width + 1) : c * (width + 1) + width] = picture
    ax.imshow(sheet, cmap="gray")
    ax.set_axis_off()
    return ax


def kernels(network: Network, layer: int = -1, which: int | None = None, ax: Any = None) -> Any:
    """The operator of a layer as convolution kernels: row c, column c' is what channel c' gives to channel c.

    Parameters
    ----------
    network : Network
        Of an estimator with an invariance.
    layer : int
    which : int, optional
        The compression of this class; the expansion if left out.
    """
    ax = _axis(ax)
    grid = network.geometry.grid
    if len(grid) not in (1, 2):
        raise ValueError("kernels shows networks of signals and images.")
    found = network.kernels(layer)
    kernel = found.expansion if which is None else found.compression[which]
    kernel = np.fft.fftshift(kernel, axes=tuple(range(2, kernel.ndim)))
    C, largest = len(kernel), float(np.abs(kernel).max())
    scale = {"cmap": _signed_map(), "vmin": -largest, "vmax": largest}
    if len(grid) == 2:
        ax.imshow(kernel.transpose(0, 2, 1, 3).reshape(C * grid[0], C * grid[1]), **scale)
    else:
        ax.imshow(kernel.reshape(C, -1), aspect="auto", **scale)
    ax.set(xticks=[], yticks=[], xlabel="from channel", ylabel="to channel")
    return ax


def signal_shares(signal: Array, shares: Array, ax: Any = None, *, scale: bool = True) -> Any:
    """A signal as a line, on a ground that is coloured by what each position gives to the difference of two classes.

    Orange speaks for the nearer class, blue for the other.

    Parameters
    ----------
    signal, shares : array, shape (length,) or (1, length)
        ``shares`` as :meth:`redunet.ReduNetClassifier.explain` gives them for one channel of one sample.
    ax : matplotlib axis, optional
    scale : bool
        False leaves the colour bar out.
    """
    ax = _axis(ax)
    signal, shares = (np.ravel(values) for values in (signal, shares))
    _refuse_other_shape(signal, shares)
    low, high = float(signal.min()), float(signal.max())
    margin = 0.1 * ((high - low) or 1.0)
    ends = (-0.5, len(signal) - 0.5, low - margin, high + margin)
    ground = ax.imshow(shares[None], **_share_colours(shares), extent=ends, aspect="auto", interpolation="nearest")
    ax.plot(signal, color="black", linewidth=1.2)
    ax.set(xlabel="position", ylabel="value", xlim=ends[:2], ylim=ends[2:])
    if scale:
        ax.figure.colorbar(ground, ax=ax, label="share of the difference")
    return ax


def image_shares(image: Array, shares: Array, ax: Any = None, *, scale: bool = True) -> Any:
    """An image in pale grey, with what each pixel gives to the difference of two classes laid over it in colour.

    Orange speaks for the nearer class, blue for the other; the stronger, the less of the image shines through.

    Parameters
    ----------
    image, shares : array, shape (height, width) or (1, height, width)
        ``shares`` as :meth:`redunet.ReduNetClassifier.explain` gives them for one channel of one sample.
    ax : matplotlib axis, optional
    scale : bool
        False leaves the colour bar out.
    """
    ax = _axis(ax)
    image, shares = (np.asarray(values).reshape(np.shape(values)[-2:]) for values in (image, shares))
    _refuse_other_shape(image, shares)
    colours = _share_colours(shares)
    low, high = float(image.min()), float(image.max())
    ax.imshow(image, cmap="gray_r", vmin=low, vmax=low + PALENESS * ((high - low) or 1.0))
    opacity = 0.85 * np.sqrt(np.abs(shares) / colours["vmax"])
    layer = ax.imshow(shares, **colours, alpha=opacity)
    ax.set_axis_off()
    if scale:
        from matplotlib.cm import ScalarMappable

        solid = ScalarMappable(layer.norm, layer.cmap)
        ax.figure.colorbar(solid, ax=ax, label="share of the difference", shrink=0.8)
    return ax


def feature_shares(names: Sequence[str], shares: Array, ax: Any = None, *, most: int = 12) -> Any:
    """Shares of features, or of the parts of an explanation, as bars, the largest on top.

    Parameters
    ----------
    names : sequence of str
    shares : array, shape (n_features,)
    ax : matplotlib axis, optional
    most : int
        Bars at most; all others are added up in one more.
    """
    ax = _axis(ax)
    shares = np.ravel(shares)
    if len(names) != len(shares):
        raise ValueError(f"names has {len(names)} entries but shares has {len(shares)}; pass one name for each share.")
    order = np.argsort(-np.abs(shares), kind="stable")
    shown, others = order[:most], order[most:]
    values, labels = list(shares[shown]), [str(names[i]) for i in shown]
    if len(others):
        values.append(shares[others].sum())
        labels.append(f"{len(others)} others")
    ax.barh(range(len(values)), values, color=[FOR_NEAREST if value >= 0 else FOR_OTHER for value in values])
    ax.axvline(0, color="0.4", linewidth=0.8)
    ax.set_yticks(range(len(values)), labels)
    ax.invert_yaxis()
    ax.set(xlabel="share of the difference")
    return ax


def _share_colours(shares: Array) -> dict[str, Any]:
    """Colours for shares: blue below zero, white at zero, orange above."""
    largest = float(np.abs(shares).max()) or 1.0
    return {"cmap": _signed_map(), "vmin": -largest, "vmax": largest}


def _refuse_other_shape(values: Array, shares: Array) -> None:
    """Refuse shares that are not one for each value."""
    if values.shape != shares.shape:
        raise ValueError(
            f"values have shape {values.shape} but shares have shape {shares.shape}; pass one channel of each."
        )


def _signed_map() -> Any:
    """The colour map of values around zero."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("blue to orange", SIGNED_COLOURS)


def _unit_rows(Z: Array) -> Array:
    """Samples as flat rows of unit norm; zeros stay zeros."""
    flat = np.asarray(Z).reshape(len(Z), -1)
    return flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-300)


def _axis(ax: Any, projection: str | None = None) -> Any:
    """The axis that was given, or a new one."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError("plot needs matplotlib; run: pip install 'redunet[plot]'") from error
    return plt.figure(layout="constrained").add_subplot(projection=projection)
