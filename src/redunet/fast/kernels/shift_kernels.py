"""Gaussian kernels over all shifts, with landmarks side by side; the twin is in ``numerics/shift_kernel.py``.

A sample is compared with the landmarks of two tiles at a time. What it gets does not depend on the samples that are
worked on together with it, hence has the same bits whichever these are.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..sample_lanes import LANE_BYTES
from .compilation import compiled
from .lane_instructions import Lanes, for_each_size, whole_number
from .lane_products import MOST_ROWS, lane_product

# Samples whose products with landmarks are computed together: a real and an imaginary row of each.
SAMPLES_TOGETHER = max(1, MOST_ROWS // 2)
# Pairs of opposite shifts whose sums are held in registers.
PAIRS_TOGETHER = max(1, MOST_ROWS // 2)


@compiled
def whiten_samples(low, whitening, whitened):
    """Products of a matrix at each frequency with samples, one sample after the other.

    low : complex64 array, shape (n_low, n_channels, n_samples)
    whitening : float32 array, shape (n_low, n_channels, 2, 2 · n_directions); what the real and the imaginary part of a
    channel give to the real, then the imaginary parts of the directions.
    whitened : complex64 array, shape (n_low, n_directions, n_samples), overwritten.
    """
    n_low, n_channels, n_samples = low.shape
    n_directions = whitened.shape[1]
    found = np.empty(2 * n_directions, np.float32)
    for i in range(n_samples):
        for p in range(n_low):
            found[:] = 0
            for c in range(n_channels):
                one = low[p, c, i]
                real, imag = one.real, one.imag
                of_real, of_imag = whitening[p, c, 0], whitening[p, c, 1]
                for r in range(2 * n_directions):
                    found[r] += real * of_real[r] + imag * of_imag[r]
            for r in range(n_directions):
                whitened[p, r, i] = complex(found[r], found[n_directions + r])


@compiled
def pack_factors(samples, counts, gamma, factors, starts):
    """Samples as what landmarks are multiplied by, for the real and the imaginary part of conj(a) · b.

    samples : complex64 array, shape (n_low, n_directions, n_samples)
    counts : float64 array, shape (n_low,); how often each frequency counts.
    factors : flat float32 array (n_low, 2 · n_directions, n_samples, 2), overwritten; the first half of the rows meets
    the real parts of landmarks, the second half the imaginary ones.
    starts : float32 array, shape (n_samples,), overwritten: −γ ‖a‖².
    """
    n_low, n_directions, n_samples = samples.shape
    energies = np.zeros(n_samples)
    for p in range(n_low):
        for r in range(n_directions):
            real = (p * 2 * n_directions + r) * n_samples * 2
            imag = real + n_directions * n_samples * 2
            for i in range(n_samples):
                one = samples[p, r, i]
                energies[i] += counts[p] * (np.float64(one.real) ** 2 + np.float64(one.imag) ** 2)
                factors[real + 2 * i] = one.real
                factors[real + 2 * i + 1] = -one.imag
                factors[imag + 2 * i] = one.imag
                factors[imag + 2 * i + 1] = one.real
    for i in range(n_samples):
        starts[i] = -gamma * energies[i]


@compiled
def fill_shift_kernels(
    factors, sample_starts, landmarks, landmark_starts, n_tiles, waves, shares, n_low, n_directions, memory, found
):  # fmt: skip
    """Mean over all shifts s of exp(−γ ‖a − T_s b‖²) for samples a and landmarks b.

    factors : as :func:`pack_factors` gives them
    sample_starts : float32 array, shape (n_samples,); −γ ‖a‖²
    landmarks : flat float32 array (n_tiles, n_low, 2 · n_directions, lanes); real parts, then imaginary ones
    landmark_starts : flat float32 array (n_tiles, lanes); −γ ‖b‖²
    waves : flat float32 array (2 · n_low, n_pairs), 2 γ times the cosines, then the sines, of one shift of each pair of
    opposite ones
    shares : flat float32 array (n_pairs,); of the mean, for each of the two shifts.
    memory : flat float32 array of at least :func:`memory_of_shift_kernels` items, overwritten
    found : float32 array, shape (n_samples, n_landmarks), overwritten.
    """
    size = LANE_BYTES // 4
    n_samples, n_landmarks = found.shape
    rows, tile = 2 * n_directions, n_low * 2 * n_directions * size
    starts, sums, products = memory[: 2 * size], memory[2 * size : 4 * size], memory[4 * size :]
    of_sample, n_pairs = 4 * n_low * size, len(shares)
    n_blocks = (n_pairs + PAIRS_TOGETHER - 1) // PAIRS_TOGETHER
    for t in range(0, n_tiles, 2):
        # A tile that is left over is computed as if it were two.
        shift = tile if t + 1 < n_tiles else 0
        first_landmark = t * size
        n_here = min(2 * size if shift else size, n_landmarks - first_landmark)
        for first in range(0, n_samples, SAMPLES_TOGETHER):
            n = min(SAMPLES_TOGETHER, n_samples - first)
            for p in range(n_low):
                lane_product(
                    factors, (p * rows * n_samples + first) * 2, 2 * n_samples, landmarks, t * tile + p * rows * size,
                    size, shift, products, p * 2 * size, n_low * 2 * size, size, -1, 2 * n, rows,
                )  # fmt: skip
            for i in range(n):
                start = sample_starts[first + i]
                for v in range(2):
                    there = landmark_starts[first_landmark + (size if v and shift else 0) :]
                    for lane in range(size):
                        starts[v * size + lane] = start + there[lane]
                sums[:] = 0
                pair = 0
                for block in range(n_blocks):
                    n_some = (n_pairs - pair + n_blocks - block - 1) // (n_blocks - block)
                    _exponentials(waves, shares, pair, n_pairs, products, i * of_sample, starts, sums, n_some, n_low)
                    pair += n_some
                kernels = found[first + i, first_landmark : first_landmark + n_here]
                for lane in range(n_here):
                    kernels[lane] = sums[lane]


@compiled
def memory_of_shift_kernels(n_low):
    """Items of memory that :func:`fill_shift_kernels` works in."""
    return (4 + SAMPLES_TOGETHER * 4 * n_low) * (LANE_BYTES // 4)


@intrinsic
def _exponentials(typing, waves, shares, first, n_pairs, X, X_at, starts, sums, n_some, n_low):
    """Add exponentials at some pairs of opposite shifts to the sums of two tiles.

    With c = Σ_k waves[k] X[k] over the real parts of products and s over the imaginary ones, the exponent is
    start + c + s at one of the two shifts and start + c − s at the other.

    waves, shares : as in :func:`fill_shift_kernels`, of which the pairs first ≤ … < first + n_some are read.
    X : flat array; vector k of the first tile is at item X_at + 2 k · lanes, that of the second tile the next one.
    starts, sums : flat arrays (2, lanes).
    """
    i = types.int64

    def emit(context, builder, signature, args):
        waves, shares, first, n_pairs, X, X_at, starts, sums, n_some, n_low = args
        lanes = Lanes(context, builder, signature.args[4])
        waves, shares, X, starts, sums = (
            lanes.data(signature.args[n], value)
            for n, value in ((0, waves), (1, shares), (4, X), (6, starts), (7, sums))
        )
        tiles, size = range(2), LANE_BYTES // lanes.item_size

        def emit_pairs(n):
            parts = [[[lanes.variable() for _ in tiles] for _ in range(n)] for _ in range(2)]
            for part, of_part in enumerate(parts):
                with cgutils.for_range(builder, n_low, intp=ir.IntType(64)) as loop:
                    k = builder.add(loop.index, builder.mul(n_low, whole_number(part)))
                    at = builder.mul(k, whole_number(2 * size))
                    x = [lanes.load(lanes.at(X, X_at, at, whole_number(tile * size))) for tile in tiles]
                    row = lanes.at(waves, first, builder.mul(n_pairs, k))
                    for pair in range(n):
                        wave = lanes.everywhere(row, pair)
                        for tile in tiles:
                            lanes.accumulate(of_part[pair][tile], wave, x[tile])
            share = lanes.at(shares, first)
            for tile in tiles:
                place = whole_number(tile * size)
                start, total = lanes.load(lanes.at(starts, place)), lanes.load(lanes.at(sums, place))
                for pair in range(n):
                    even, odd = lanes.plus(lanes.get(parts[0][pair][tile]), start), lanes.get(parts[1][pair][tile])
                    for one in (lanes.plus(even, odd), lanes.minus(even, odd)):
                        total = lanes.add_product(total, lanes.everywhere(share, pair), lanes.exponential(one))
                lanes.store(total, lanes.at(sums, place))

        for_each_size(builder, n_some, PAIRS_TOGETHER, emit_pairs)
        return context.get_dummy_value()

    return types.void(waves, shares, i, i, X, i, starts, sums, i, i), emit
