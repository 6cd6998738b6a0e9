"""Which classifiers differ beyond chance over many data sets, and the picture of it: a critical-difference diagram."""

from itertools import combinations

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, wilcoxon

LEVEL = 0.05  # of all tests


def holm_p_values(accuracies):
    """P-values of all pairs of methods, Wilcoxon's signed ranks over data sets, with Holm's correction.

    Parameters
    ----------
    accuracies : array, shape (n_sets, n_methods)

    Returns
    -------
    array, shape (n_methods, n_methods)
        Symmetric; 1 on the diagonal.
    """
    pairs = list(combinations(range(accuracies.shape[1]), 2))
    raw = np.array([signed_ranks(accuracies[:, i], accuracies[:, j]) for i, j in pairs])
    corrected = np.empty(len(pairs))
    order = np.argsort(raw)
    # The smallest counts for all pairs, the next for all but one, …, and none less than a smaller one.
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(raw[order] * np.arange(len(pairs), 0, -1)))
    matrix = np.ones((accuracies.shape[1],) * 2)
    for (i, j), p in zip(pairs, corrected, strict=True):
        matrix[i, j] = matrix[j, i] = p
    return matrix


def signed_ranks(first, second):
    """P-value of Wilcoxon's test; ties count half for each side."""
    return 1.0 if np.array_equal(first, second) else float(wilcoxon(first, second, zero_method="zsplit").pvalue)


def friedman_p_value(accuracies):
    """P-value of all methods being the same; None for two methods, which the pair alone decides."""
    if accuracies.shape[1] < 3:
        return None
    p_value = friedmanchisquare(*accuracies.T).pvalue
    return 1.0 if np.isnan(p_value) else float(p_value)  # it is not a number where all answers are the same


def cliques(p_values, order):
    """Longest runs, in an order of methods, without a pair that differs; as (first, last) places in that order."""
    n_methods = len(order)
    found = []
    for first in range(n_methods):
        last = first
        while last + 1 < n_methods and all(p_values[order[last + 1], i] >= LEVEL for i in order[first : last + 1]):
            last += 1
        if last > first and not any(last <= end for _, end in found):
            found.append((first, last))
    return found


def critical_difference(accuracies, names, path, *, emphasised=None):
    """Draw mean ranks on a line, 1 is best; bars join methods that do not differ beyond chance.

    Parameters
    ----------
    accuracies : array, shape (n_sets, n_methods)
    names : list of str
    path : path
        Of the PNG.
    emphasised : str, optional
        Name of the method to print in bold.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    n_sets, n_methods = accuracies.shape
    ranks = rankdata(-accuracies, axis=1).mean(axis=0)
    order = np.argsort(ranks, kind="stable")
    overall = friedman_p_value(accuracies)
    p_values = holm_p_values(accuracies)
    if overall is not None and overall >= LEVEL:
        p_values[:] = 1.0  # pairs are looked at only if there is any difference at all
    bars = cliques(p_values, order)

    n_left = (n_methods + 1) // 2
    first_row = 0.5 * len(bars) + 0.9  # how far below the axis the first name is; bars lie between
    depth = first_row + n_left - 1
    figure, axes = plt.subplots(figsize=(9.0, 0.36 * depth + 1.5), dpi=160)
    margin = 0.06 * (n_methods - 1)
    left, right = 1 - margin, n_methods + margin
    axes.plot([1, n_methods], [0, 0], color="black", linewidth=1.2, clip_on=False)
    for tick in range(1, n_methods + 1):
        axes.plot([tick, tick], [0, -0.18], color="black", linewidth=1.2, clip_on=False)
        axes.text(tick, -0.3, str(tick), ha="center", va="bottom", fontsize=12)
    for place, method in enumerate(order):
        on_left = place < n_left
        row = first_row + (place if on_left else n_methods - 1 - place)
        end, align, shift = (left, "right", -1) if on_left else (right, "left", 1)
        ours = names[method] == emphasised
        color = "#b3331d" if ours else "#333333"
        axes.plot([ranks[method]] * 2 + [end], [0, row, row], color=color, linewidth=1.0 + 0.6 * ours)
        text = f"{names[method]}  {ranks[method]:.2f}" if on_left else f"{ranks[method]:.2f}  {names[method]}"
        weight = "bold" if ours else "normal"
        axes.text(
            end + 0.15 * margin * shift, row, text, ha=align, va="center", fontsize=12, color=color, weight=weight
        )
    for i, (first, last) in enumerate(bars):
        extent = [ranks[order[first]] - 0.03, ranks[order[last]] + 0.03]
        axes.plot(extent, [0.5 + 0.5 * i] * 2, color="black", linewidth=4, solid_capstyle="round", zorder=3)
    said = f"Mean rank of accuracy at random shifts, {n_sets} data sets (1 is best)"
    tested = "Bars join methods that do not differ beyond chance (Wilcoxon's signed ranks, Holm, 5 %"
    if overall is not None:
        tested += "; Friedman: p < 0.001" if overall < 0.001 else f"; Friedman: p = {overall:.2g}"
    axes.set_title(f"{said}\n{tested})", fontsize=12, pad=26)
    axes.set(xlim=(left, right), ylim=(depth + 0.4, -0.3))
    axes.axis("off")
    figure.savefig(path, bbox_inches="tight", facecolor="white")
    plt.close(figure)
