"""Responses to dilated filters, pooled over the circle; the twin of :mod:`redunet.numerics.pooling`.

A comparison with a threshold becomes a row of bits, 64 positions to a word, and runs are read off the words. No sum is
reordered and no product fused: every position has the same bits, wherever it stands.
"""

import numpy as np

from .bits import bits_above, count_bits, leading_zeros, trailing_zeros
from .compilation import compiled_exactly


@compiled_exactly
def _longest_within(words, longest):
    """Length of the longest run of set bits within each word (63 for a word of set bits alone), all words at once.

    Where a run of 2ᵏ bits begins is marked by laying the word over itself. The longest run is then put together of such
    runs, from the largest power of two down: one of 2ᵏ bits, followed by what was found before. No branch depends on
    the bits, so that several words are done by each instruction.

    words : uint64 array, shape (n,); longest : uint64 array, shape (n,), overwritten.
    """
    one, none = np.uint64(1), np.uint64(0)
    for i in range(len(words)):
        of_1 = words[i]
        of_2 = of_1 & (of_1 >> one)
        of_4 = of_2 & (of_2 >> np.uint64(2))
        of_8 = of_4 & (of_4 >> np.uint64(4))
        of_16 = of_8 & (of_8 >> np.uint64(8))
        of_32 = of_16 & (of_16 >> np.uint64(16))
        length = np.uint64(32) if of_32 != none else none
        begins = of_32
        further = of_16 & (begins >> np.uint64(16) if length != none else ~none)
        length, begins = (length + np.uint64(16), further) if further != none else (length, begins)
        further = of_8 & (begins >> np.uint64(8) if length != none else ~none)
        length, begins = (length + np.uint64(8), further) if further != none else (length, begins)
        further = of_4 & (begins >> np.uint64(4) if length != none else ~none)
        length, begins = (length + np.uint64(4), further) if further != none else (length, begins)
        further = of_2 & (begins >> np.uint64(2) if length != none else ~none)
        length, begins = (length + np.uint64(2), further) if further != none else (length, begins)
        further = of_1 & (begins >> one if length != none else ~none)
        longest[i] = length + one if further != none else length


@compiled_exactly
def _count_runs(words, within, first, n_words, length):
    """How many bits of a circle are set, the longest run of them, and how many runs begin.

    words : uint64 array; n_words of them, from the first on, are the bits of the circle in the order of positions;
    those after the last position are not set. within : uint64 array, the longest run within each word.
    """
    one = np.uint64(1)
    count, longest, rises = 0, 0, 0
    last = length - 1
    before = (words[first + (last >> 6)] >> np.uint64(last & 63)) & one
    run = 0  # the one that goes on from the word before
    prefix = -1  # the one that begins at position 0, or goes on there; -1 before its end
    for w in range(n_words):
        word = words[first + w]
        count += np.int64(count_bits(word))
        rises += np.int64(count_bits(word & ~((word << one) | before)))
        before = word >> np.uint64(63)
        n_bits = 64 if w < n_words - 1 else length - 64 * w
        from_below = min(np.int64(trailing_zeros(~word)), n_bits)
        run += from_below
        longest = max(longest, run, np.int64(within[first + w]))
        if from_below < n_bits:
            prefix = run if prefix < 0 else prefix
            run = np.int64(leading_zeros(~word << np.uint64(64 - n_bits)))
    longest = max(longest, run + prefix) if prefix >= 0 else length
    return count, longest, rises


@compiled_exactly
def pooled_counts(X, dilations, heavy_taps, thresholds, counts):
    """Counts of signals for every dilation, filter and threshold.

    X : float32 array, shape (n_signals, length)
    dilations : int64 array, shape (n_dilations,); heavy_taps : int64 array, shape (n_filters, 3), in ascending order
    thresholds : float32 array, shape (n_dilations, n_filters, n_thresholds)
    counts : int32 array, shape (n_signals, n_dilations, n_filters, n_thresholds, 3), overwritten.
    """
    length, n_taps, n_thresholds = X.shape[1], 9, thresholds.shape[2]
    n_words = (length + 63) >> 6
    words = np.zeros(n_thresholds * n_words, dtype=np.uint64)
    within = np.zeros(n_thresholds * n_words, dtype=np.uint64)
    # Rows are whole words long; what is after the last position is above no threshold.
    row = 64 * n_words
    tripled = np.zeros((n_taps, row), dtype=np.float32)
    everywhere, of_two = np.empty(row, dtype=np.float32), np.empty(row, dtype=np.float32)
    response = np.empty(row, dtype=np.float32)
    three = np.float32(3)
    for i in range(len(X)):
        for d in range(len(dilations)):
            everywhere[:length] = 0
            everywhere[length:] = -np.inf
            for k in range(n_taps):
                offset = ((k - n_taps // 2) * dilations[d]) % length
                for t in range(length - offset):
                    everywhere[t] -= X[i, t + offset]
                    tripled[k, t] = three * X[i, t + offset]
                for t in range(length - offset, length):
                    everywhere[t] -= X[i, t + offset - length]
                    tripled[k, t] = three * X[i, t + offset - length]
            a_before, b_before = -1, -1
            for f in range(len(heavy_taps)):
                a, b, c = heavy_taps[f, 0], heavy_taps[f, 1], heavy_taps[f, 2]
                if a != a_before or b != b_before:  # neighbouring filters have two taps in common
                    a_before, b_before = a, b
                    for t in range(row):
                        of_two[t] = (everywhere[t] + tripled[a, t]) + tripled[b, t]
                for t in range(row):
                    response[t] = of_two[t] + tripled[c, t]
                for q in range(n_thresholds):
                    threshold = thresholds[d, f, q]
                    for w in range(n_words):
                        words[q * n_words + w] = bits_above(response, 64 * w, threshold)
                _longest_within(words, within)
                for q in range(n_thresholds):
                    count, longest, rises = _count_runs(words, within, q * n_words, n_words, length)
                    counts[i, d, f, q, 0], counts[i, d, f, q, 1], counts[i, d, f, q, 2] = count, longest, rises


@compiled_exactly
def unit_vectors(counts, length, mean, inverse_scale, offset, vectors):
    """Roots of counts as shares of the length, standardised, with a constant coordinate, on the unit sphere.

    counts : int32 array, shape (n_signals, n_features)
    mean, inverse_scale : float64 array, shape (n_features,)
    vectors : float32 array, shape (n_signals, n_features + 1), overwritten.
    """
    n_features = counts.shape[1]
    standardised = np.empty(n_features)
    for i in range(len(counts)):
        # Vector instructions add up in eight places, always in the same order.
        energies = np.zeros(8)
        for f in range(n_features):
            standardised[f] = (np.sqrt(counts[i, f] / length) - mean[f]) * inverse_scale[f]
        for start in range(0, n_features - 7, 8):
            for lane in range(8):
                energies[lane] += standardised[start + lane] * standardised[start + lane]
        energy = offset * offset
        for lane in range(8):
            energy += energies[lane]
        for f in range(n_features - n_features % 8, n_features):
            energy += standardised[f] * standardised[f]
        scale = 1.0 / np.sqrt(energy)
        for f in range(n_features):
            vectors[i, f] = standardised[f] * scale
        vectors[i, n_features] = offset * scale
