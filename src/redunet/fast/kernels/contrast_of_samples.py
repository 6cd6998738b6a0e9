"""Local contrast of signals and images; the twin of :mod:`redunet.numerics.local_contrast`.

Several samples lie side by side. What a lane holds never meets another lane.
"""

import numpy as np

from ..sample_lanes import LANE_BYTES
from .compilation import compiled
from .lane_products import MOST_ROWS, lane_product


@compiled
def contrast_of_samples(samples, height, width, down, across, floor_share, least, found):
    """Values less the mean of their surroundings, over how much these vary.

    samples : float array, shape (n_samples, n_channels, height · width), largest magnitudes 1
    height, width : int; a circle has height 1.
    down, across : arrays of the type of samples; weights of the window along both axes.
    floor_share, least : numbers of that type: share of the variation of the whole sample that is added, and the
    variation up to which there is none.
    found : array of the shape and type of samples, overwritten.
    """
    lanes = LANE_BYTES // samples.itemsize
    n_channels, size = samples.shape[1], height * width
    kind = samples.dtype
    values, mean, squares = np.zeros(size * lanes, kind), np.empty(size * lanes, kind), np.empty(size * lanes, kind)
    radii = len(down) // 2, len(across) // 2
    n_extended = max((height + 2 * radii[0]) * (width + width % 2), 2 * (width + 2 * radii[1]))
    extended, passed = np.zeros(n_extended * lanes, kind), np.empty((height + 1) * (width + 1) * lanes, kind)
    differences, totals = np.empty(n_channels * size * lanes, kind), np.empty(lanes)
    tables, floors, gains = (_table(down), _table(across)), np.empty(lanes, kind), np.empty(lanes, kind)
    share, none = kind.type(1 / n_channels), kind.type(0)
    for first in range(0, len(samples), lanes):
        n = min(lanes, len(samples) - first)
        squares[:] = 0
        for c in range(n_channels):
            for i in range(n):
                one = samples[first + i, c]
                for s in range(size):
                    values[s * lanes + i] = one[s]
            _surroundings(values, height, width, tables, radii, extended, passed, mean)
            out = differences[c * size * lanes : (c + 1) * size * lanes]
            for s in range(size * lanes):
                difference = values[s] - mean[s]
                out[s] = difference
                squares[s] += share * difference * difference
        totals[:] = 0
        for s in range(size):
            for i in range(lanes):
                totals[i] += squares[s * lanes + i]
        _surroundings(squares, height, width, tables, radii, extended, passed, mean)
        for i in range(lanes):
            rms = kind.type(np.sqrt(totals[i] / size))
            varies = rms > least
            floors[i] = floor_share * rms if varies else kind.type(1)
            gains[i] = kind.type(1) if varies else none
        for s in range(size):
            some = mean[s * lanes : (s + 1) * lanes]
            for i in range(lanes):
                some[i] = gains[i] / (np.sqrt(max(some[i], none)) + floors[i])
        for c in range(n_channels):
            out = differences[c * size * lanes : (c + 1) * size * lanes]
            for s in range(size * lanes):
                out[s] *= mean[s]
            for i in range(n):
                one = found[first + i, c]
                for s in range(size):
                    one[s] = out[s * lanes + i]


@compiled
def _table(weights):
    """Weights in reverse order between zeros, from which those of several windows in a row are read."""
    table = np.zeros(len(weights) + 2 * MOST_ROWS, weights.dtype)
    table[MOST_ROWS : MOST_ROWS + len(weights)] = weights[::-1]
    return table


@compiled
def _surroundings(values, height, width, tables, radii, extended, passed, mean):
    """Mean over the window around each position: down the columns into ``passed``, then along the rows into ``mean``.

    values, mean : flat arrays (height, width, lanes); passed : (height, width + width % 2, lanes) and one row more
    extended : flat array for an image that goes on around the circle, or for two rows of one.
    """
    lanes = LANE_BYTES // values.itemsize
    padded, radius = width + width % 2, radii[0]
    row = padded * lanes
    for h in range(height + 2 * radius):
        _copy(values, (h - radius) % height * width * lanes, extended, h * row, width * lanes)
    for w in range(0, padded, 2):
        _windows(tables[0], radius, extended, w * lanes, row, lanes, passed, w * lanes, row, lanes, height)
    radius = radii[1]
    beside = (width + 2 * radius) * lanes
    for h in range(0, height, 2):
        n = min(2, height - h)
        for v in range(n):
            for w in range(width + 2 * radius):
                at = (h + v) * row + (w - radius) % width * lanes
                _copy(passed, at, extended, v * beside + w * lanes, lanes)
        # A row that is left over is computed as if it were two, and written twice to the same place.
        shift = width * lanes if n == 2 else 0
        _windows(
            tables[1], radius, extended, 0, lanes, beside if n == 2 else 0, mean, h * width * lanes, lanes, shift, width
        )


@compiled
def _windows(table, radius, X, X_at, X_step, X_shift, out, out_at, out_step, out_shift, n):
    """Means over n windows in a row, for two vectors at a time; X has ``radius`` places more on either side."""
    first = 0
    n_blocks = (n + MOST_ROWS - 1) // MOST_ROWS
    for block in range(n_blocks):
        n_some = (n - first + n_blocks - block - 1) // (n_blocks - block)
        # Value k meets window r with the weight k − r, which is the item before for the next value.
        lane_product(
            table, MOST_ROWS + 2 * radius, -1, X, X_at + first * X_step, X_step, X_shift,
            out, out_at + first * out_step, out_step, out_shift, -1, n_some, n_some + 2 * radius,
        )  # fmt: skip
        first += n_some


@compiled
def _copy(values, at, there, to, n):
    some, out = values[at : at + n], there[to : to + n]  # places that are never negative: vector instructions
    for s in range(n):
        out[s] = some[s]
