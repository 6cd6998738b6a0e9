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
