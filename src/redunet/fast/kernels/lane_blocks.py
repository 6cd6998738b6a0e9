"""Tiles of samples in lanes, and blocks V[freq, channel, sample]: from one to the other, and energies of both."""

import numpy as np

from ..sample_lanes import LANE_BYTES
from .compilation import compiled
from .lane_products import (
    FORMS_IN_VECTOR,
    MOST_COMPLEX_ROWS,
    MOST_FORMS,
    TILES_TOGETHER,
    lane_energies,
    lane_forms,
    lane_forms_of_first,
    lane_row_energies,
)


@compiled
def fill_lanes(images, first, X):
    """Images first ≤ i < first + lanes as a tile; lanes that are left over hold zeros.

    images : float array, shape (n_images, n_channels, height, width)
    X : flat array (n_channels, height, width + width % 2, lanes) of any precision, overwritten.
    """
    n_images, n_channels, height, width = images.shape
    size, padded = LANE_BYTES // X.itemsize, width + width % 2
    n = min(size, n_images - first)
    X[:] = 0
    for i in range(n):
        for c in range(n_channels):
            for h in range(height):
                at = (c * height + h) * padded * size + i
                for w in range(width):
                    X[at + w * size] = images[first + i, c, h, w]


@compiled
def energies_of_lanes(X, weights, energies):
    """Energy of each sample of a tile: Σ_p w_p Σ_c |X(p, c)|², in double precision across frequencies.

    X : float array, shape (n_freqs, 2 · n_channels, lanes); weights : float64 array, shape (n_freqs,)
    energies : float64 array, shape (lanes,), overwritten.
    """
    size = LANE_BYTES // X.itemsize
    n_freqs, n_rows, _ = X.shape
    flat = X.reshape(-1)
    sums = np.empty(size)
    energies[:] = 0.0
    for p in range(n_freqs):
        sums[:] = 0.0
        lane_energies(flat, p * n_rows * size, n_rows, sums)
        for i in range(size):
            energies[i] += weights[p] * sums[i]


@compiled
def blocks_of_lanes(X, chosen, scale, places, V):
    """Some samples of tiles as blocks, each times a factor.

    X : float array, shape (n_tiles, n_freqs, 2 · n_channels, lanes)
    chosen : int array, shape (n,); sample i is lane i % lanes of tile i // lanes.
    scale : float array, shape (n,), of the precision of X.
    places : int array, shape (n_places,); frequencies that are wanted.
    V : complex array, shape (n_places, n_channels, n), overwritten.
    """
    size = LANE_BYTES // X.itemsize
    n_freqs, n_channels, n = V.shape
    first = 0
    while first < n:  # samples that follow each other in one tile
        tile, lane = chosen[first] // size, chosen[first] % size
        last = first + 1
        while last < n and chosen[last] == chosen[first] + last - first and lane + last - first < size:
            last += 1
        for p in range(n_freqs):
            found = X[tile, places[p]]
            for c in range(n_channels):
                for i in range(last - first):
                    factor = scale[first + i]
                    V[p, c, first + i] = complex(found[c, lane + i] * factor, found[n_channels + c, lane + i] * factor)
        first = last


@compiled
def gather_lanes(X, chosen, some):
    """Some samples of tiles, side by side; lanes that are left over hold the last of them.

    X : float array, shape (n_tiles, n_freqs, 2 · n_channels, lanes)
    chosen : int array, shape (n,); sample i is lane i % lanes of tile i // lanes.
    some : array of the type of X, shape (n_some_tiles, n_freqs, 2 · n_channels, lanes), overwritten.
    """
    size = LANE_BYTES // X.itemsize
    for place in range(len(some) * size):
        sample = chosen[min(place, len(chosen) - 1)]
        there, here = X[sample // size], some[place // size]
        from_lane, lane = sample % size, place % size
        for p in range(X.shape[1]):
            for c in range(X.shape[2]):
                here[p, c, lane] = there[p, c, from_lane]


@compiled
def add_forms_of_lanes(X, P, weights, first, last, energies):
    """Add weighted quadratic forms of each sample at some frequencies: Σ_p w_p Re Σ_ab P_j(p, a, b) conj(v_a) v_b.

    X : float array, shape (n_tiles, n_freqs, 2 · n_channels, lanes)
    P : flat array of the type of X, (n_freqs, n_forms · n_channels²) and ``FORMS_IN_VECTOR`` items; see
    :func:`pack_forms`.
    weights : float64 array, shape (n_freqs,)
    energies : float64 array, shape (n_tiles, n_forms, lanes), added to.
    """
    size = LANE_BYTES // X.itemsize
    n_tiles, n_freqs, n_rows, _ = X.shape
    n_channels, n_forms = n_rows // 2, energies.shape[1]
    flat, coefficients = X.reshape(-1), P
    most = MOST_FORMS * size
    sums = np.empty(TILES_TOGETHER * most)
    for p in range(first, last):
        for t in range(0, n_tiles, TILES_TOGETHER):
            n_together = min(TILES_TOGETHER, n_tiles - t)
            # A tile that is left over is computed as if it were several.
            shift = n_freqs * n_rows * size if n_together == TILES_TOGETHER else 0
            for form in range(0, n_forms, MOST_FORMS):
                n = min(MOST_FORMS, n_forms - form)
                sums[:] = 0
                lane_forms(
                    coefficients, (p * n_forms + form) * n_channels * n_channels, flat,
                    (t * n_freqs + p) * n_rows * size, shift, n_channels, sums, most, n,
                )  # fmt: skip
                for tile in range(n_together):
                    for j in range(n):
                        for i in range(size):
                            energies[t + tile, form + j, i] += weights[p] * sums[tile * most + j * size + i]


@compiled
def add_forms_of_first_lane(X, P, weights, first, last, energies):
    """The same for the first sample of the first tile alone, with the same bits."""
    size = LANE_BYTES // X.itemsize
    n_rows = X.shape[2]
    n_channels, n_forms = n_rows // 2, energies.shape[1]
    flat = X.reshape(-1)
    sums = np.empty(FORMS_IN_VECTOR)
    for p in range(first, last):
        for form in range(0, n_forms, MOST_FORMS):
            n = min(MOST_FORMS, n_forms - form)
            sums[:] = 0.0
            lane_forms_of_first(
                P, (p * n_forms + form) * n_channels * n_channels, flat, p * n_rows * size, n_channels, sums, n
            )  # fmt: skip
            for j in range(n):
                energies[0, form + j, 0] += weights[p] * sums[j]


@compiled
def add_row_energies_of_lanes(X, rows, weights, n_groups, first, last, energies):
    """Add weighted energies along groups of rows at some frequencies: Σ_p w_p Σ_r |Σ_c U_j(p, r, c) v_c|².

    X : float array, shape (n_tiles, n_freqs, 2 · n_channels, lanes)
    rows : flat array of the type of X, (n_freqs, n_channels, n_groups · n_rows, 2); real and imaginary parts.
    energies : float64 array, shape (n_tiles, n_groups, lanes), added to.
    """
    size = LANE_BYTES // X.itemsize
    n_tiles, n_freqs, n_reals, _ = X.shape
    n_channels = n_reals // 2
    n_all = len(rows) // (2 * n_freqs * n_channels)
    n_rows = n_all // n_groups
    n_blocks = (n_rows + MOST_COMPLEX_ROWS - 1) // MOST_COMPLEX_ROWS
    flat = X.reshape(-1)
    sums = np.empty(size)
    for p in range(first, last):
        for t in range(n_tiles):
            for j in range(n_groups):
                sums[:] = 0.0
                row = 0
                for block in range(n_blocks):
                    n = (n_rows - row + n_blocks - block - 1) // (n_blocks - block)
                    lane_row_energies(
                        rows, (p * n_channels * n_all + j * n_rows + row) * 2, n_all * 2, flat,
                        (t * n_freqs + p) * n_reals * size, n_channels, sums, n,
                    )  # fmt: skip
                    row += n
                for i in range(size):
                    energies[t, j, i] += weights[p] * sums[i]
