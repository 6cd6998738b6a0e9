"""Responses to short dilated filters on a circle, pooled over the whole circle to whole numbers.

Counts of positions do not depend on where the circle is cut open: they are the same bits for every shift of a signal.
"""

from itertools import combinations

import numpy as np

from .arrays import Array

# A filter has this many taps: weight 2 at three of them and −1 at the six others, so that a constant gives no response.
N_TAPS = 9
# The three taps of each of the 84 filters; shape (84, 3).
HEAVY_TAPS = np.array(list(combinations(range(N_TAPS), 3)), dtype=np.int64)
# What is counted for each filter and threshold: positions above it, their longest run, and how many runs begin.
N_COUNTS = 3


def dilated_responses(x: Array, dilation: int, positions: Array | None = None) -> Array:
    """Responses of all filters at positions of a circular signal: no multiplications, sums of shifted signals.

    Parameters
    ----------
    x : float array, shape (length,)
        Of any length: taps wrap around as often as they must.
    dilation : int
        Distance between two taps.
    positions : int array, shape (n_positions,), optional
        All of them by default.

    Returns
    -------
    float array of the type of x, shape (84, n_positions)
        −Σ_k x(t + (k − 4) d) + Σ 3 x at the three heavy taps, each summed in this order at every position alike.
    """
    if positions is None:
        positions = np.arange(len(x))
    taps = x[(positions + (np.arange(N_TAPS)[:, None] - N_TAPS // 2) * dilation) % len(x)]
    everywhere = np.zeros_like(taps[0])
    for tap in taps:
        everywhere = everywhere - tap
    tripled = x.dtype.type(3) * taps
    a, b, c = HEAVY_TAPS.T
    return ((everywhere + tripled[a]) + tripled[b]) + tripled[c]


def circular_counts(above: Array) -> tuple[int, int, int]:
    """How many positions of a circle are marked, the longest run of them, and how many runs begin.

    Parameters
    ----------
    above : bool array, shape (length,)

    Returns
    -------
    count, longest, n_rises : int
        A circle that is marked everywhere is one run of its length that begins nowhere.
    """
    length = len(above)
    n_rises = int(np.sum(above & ~np.roll(above, 1)))
    if above.all():
        return length, length, n_rises
    longest = run = 0
    for marked in np.concatenate([above, above]):
        run = run + 1 if marked else 0
        longest = max(longest, run)
    return int(above.sum()), longest, n_rises


def pooled_counts(x: Array, dilations: Array, thresholds: Array) -> Array:
    """Counts for every dilation, filter and threshold; the readable twin of the compiled kernel.

    Parameters
    ----------
    x : float array, shape (length,)
    dilations : int array, shape (n_dilations,)
    thresholds : float array of the type of x, shape (n_dilations, 84, n_thresholds)

    Returns
    -------
    int32 array, shape (n_dilations, 84, n_thresholds, 3)
    """
    counts = np.empty((*thresholds.shape, N_COUNTS), dtype=np.int32)
    for d, dilation in enumerate(dilations):
        for f, response in enumerate(dilated_responses(x, int(dilation))):
            for q, threshold in enumerate(thresholds[d, f]):
                counts[d, f, q] = circular_counts(response > threshold)
    return counts


def unit_vectors(counts: Array, length: float, mean: Array, scale: Array, offset: float) -> Array:
    """Features of signals on the unit sphere: roots of their counts as shares of the length, standardised.

    Parameters
    ----------
    counts : int array, shape (n_signals, n_features)
    length : float
        Positions of a signal.
    mean, scale : float array, shape (n_features,)
        Of the roots; a scale of 0 leaves the feature out.
    offset : float
        Constant coordinate that is added last.

    Returns
    -------
    float64 array, shape (n_signals, n_features + 1)
    """
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    standardised = (np.sqrt(counts / length) - mean) * inverse
    vectors = np.concatenate([standardised, np.full((len(counts), 1), offset)], axis=1)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def count_shares(above: Array) -> Array:
    """Which positions of a circle make each count, with equal shares that add up to 1.

    Parameters
    ----------
    above : bool array, shape (length,)

    Returns
    -------
    float array, shape (3, length)
        Positions that are marked; those of the longest run (of all runs of that length); those where a run begins. Zeros
        where nothing is counted.
    """
    length = len(above)
    rises = above & ~np.roll(above, 1)
    runs = np.full(length, length if above.all() else 0)  # length of the run that a position belongs to
    for start in np.flatnonzero(rises):
        n = next(i for i in range(1, length) if not above[(start + i) % length])
        runs[(start + np.arange(n)) % length] = n
    longest = above & (runs == runs.max())
    marks = np.stack([above, longest, rises]).astype(np.float64)
    return marks / np.maximum(marks.sum(axis=1, keepdims=True), 1.0)


def pooled_shares(x: Array, dilations: Array, thresholds: Array, shares: Array) -> Array:
    """Shares of counts handed on to the values of the signal; the readable twin of the compiled kernel.

    A share goes to the positions that make the count (:func:`count_shares`), and from a position to the nine taps of the
    filter there, in proportion to |weight · value|; where all values are zero, in proportion to |weight|.

    Parameters
    ----------
    x : float array, shape (length,)
    dilations : int array, shape (n_dilations,)
    thresholds : float array of the type of x, shape (n_dilations, 84, n_thresholds)
    shares : float array, shape (n_dilations, 84, n_thresholds, 3)
        Those of counts of nothing are lost.

    Returns
    -------
    float array, shape (length,)
        The shares of a shifted signal are the shifted shares.
    """
    length, found = len(x), np.zeros(len(x))
    for d, dilation in enumerate(dilations):
        taps = (np.arange(length) + (np.arange(N_TAPS)[:, None] - N_TAPS // 2) * dilation) % length
        for f, response in enumerate(dilated_responses(x, int(dilation))):
            of_position = sum(
                shares[d, f, q] @ count_shares(response > threshold) for q, threshold in enumerate(thresholds[d, f])
            )
            weights = np.where(np.isin(np.arange(N_TAPS), HEAVY_TAPS[f]), 2.0, 1.0)[:, None]
            products = weights * np.abs(x[taps]).astype(np.float64)
            products = np.where(products.any(axis=0), products, weights)
            np.add.at(found, taps, of_position * products / products.sum(axis=0))
    return found
