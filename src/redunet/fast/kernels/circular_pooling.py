"""Responses to dilated filters, pooled over the circle; the twin of :mod:`redunet.numerics.pooling`.

A comparison with a threshold becomes a row of bits, 64 positions to a word, and runs are counted by shifting words. No
sum is reordered and no product fused: every position has the same bits, wherever it stands. Arrays go whole, with the
place where a row begins, because a view of an array costs more than what is done with it here.
"""

import numpy as np

from .compilation import compiled_exactly


@compiled_exactly
def _n_bits(word):
    """Bits that are set in a word."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled_exactly
def _common(rows, first, second, shift, n_words, result):
    """Row ``result`` = row ``first`` and row ``second`` from position ``shift`` on, bit by bit; whether any is set.

    rows : uint64 array, flat; first, second, result : where each row of n_words begins. Beyond its end nothing is set.
    """
    skip, by = shift >> 6, np.uint64(shift & 63)
    found = np.uint64(0)
    n_left = n_words - skip
    for w in range(n_left):
        word = rows[second + w + skip] >> by
        if by and w + 1 < n_left:
            word |= rows[second + w + skip + 1] << (np.uint64(64) - by)
        word &= rows[first + w]
        rows[result + w] = word
        found |= word
    for w in range(max(n_left, 0), n_words):
        rows[result + w] = np.uint64(0)
    return found != 0


@compiled_exactly
def _longest_run(rows, n_words, n_powers, length):
    """Longest run of set bits in the first row, which holds a circle of this length written out twice.

    Row j becomes the places where a run of 2^j begins; such runs are put together, the longest first.
    """
    top = 0
    while (2 << top) <= length and _common(
        rows, top * n_words, top * n_words, 1 << top, n_words, (top + 1) * n_words
    ):  # fmt: skip
        top += 1
    here, other = top * n_words, (n_powers + 1) * n_words
    longest = 1 << top
    for j in range(top - 1, -1, -1):
        if _common(rows, here, j * n_words, longest, n_words, other):
            here, other = other, here
            longest += 1 << j
    return min(longest, length)


@compiled_exactly
def _write_twice(rows, length, n_single, n_words):
    """Write the bits of a circle, in the first words, a second time behind their end, so that a run may pass it."""
    for w in range(n_single, n_words):
        rows[w] = np.uint64(0)
    skip, by = length >> 6, np.uint64(length & 63)
    for w in range(n_single - 1, -1, -1):
        word = rows[w]
        if by == 0:
            rows[w + skip] |= word
        else:
            if w == n_single - 1:
                word &= (np.uint64(1) << by) - np.uint64(1)
            if w + skip + 1 < n_words:
                rows[w + skip + 1] |= word >> (np.uint64(64) - by)
            rows[w + skip] |= word << by


@compiled_exactly
def _n_rises(rows, length, n_words):
    """How often the bits of a circle, written out twice, rise from 0 to 1, at positions 1 to its length."""
    rises, carried = 0, np.uint64(1)  # position 0 is looked at where it stands again
    for w in range(n_words):
        last = length - (w << 6)
        if last < 0:
            break
        fresh = rows[w] & ~((rows[w] << np.uint64(1)) | carried)
        carried = rows[w] >> np.uint64(63)
        if last < 63:
            fresh &= (np.uint64(2) << np.uint64(last)) - np.uint64(1)
        rises += _n_bits(fresh)
    return rises


@compiled_exactly
def pooled_counts(X, dilations, heavy_taps, thresholds, first, last, counts):
    """Counts of signals first ≤ i < last for every dilation, filter and threshold.

    X : float32 array, shape (n_signals, length)
    dilations : int64 array, shape (n_dilations,); heavy_taps : int64 array, shape (n_filters, 3)
    thresholds : float32 array, shape (n_dilations, n_filters, n_thresholds)
    counts : int32 array, shape (n_signals, n_dilations, n_filters, n_thresholds, 3), overwritten.
    """
    length, n_taps = X.shape[1], 9
    n_single, n_words = (length + 63) >> 6, (2 * length + 63) >> 6
    n_powers = 1
    while (1 << n_powers) <= length:
        n_powers += 1
    rows = np.zeros((n_powers + 2) * n_words, dtype=np.uint64)
    above = np.zeros(64 * n_single, dtype=np.uint8)  # 1 where a response is above the threshold
    eights = above.view(np.uint64)
    gather = np.uint64(0x0102040810204080)  # brings the lowest bits of eight bytes together
    tripled = np.empty((n_taps, length), dtype=X.dtype)
    everywhere, response = np.empty(length, dtype=X.dtype), np.empty(length, dtype=X.dtype)
    three = X.dtype.type(3)
    for i in range(first, last):
        for d in range(len(dilations)):
            everywhere[:] = 0
            for k in range(n_taps):
                offset = ((k - n_taps // 2) * dilations[d]) % length
                for t in range(length - offset):
                    everywhere[t] -= X[i, t + offset]
                    tripled[k, t] = three * X[i, t + offset]
                for t in range(length - offset, length):
                    everywhere[t] -= X[i, t + offset - length]
                    tripled[k, t] = three * X[i, t + offset - length]
            for f in range(len(heavy_taps)):
                a, b, c = heavy_taps[f, 0], heavy_taps[f, 1], heavy_taps[f, 2]
                for t in range(length):
                    response[t] = ((everywhere[t] + tripled[a, t]) + tripled[b, t]) + tripled[c, t]
                for q in range(thresholds.shape[2]):
                    threshold = thresholds[d, f, q]
                    for t in range(length):
                        above[t] = response[t] > threshold
                    count = 0
                    for w in range(n_single):
                        word = np.uint64(0)
                        for e in range(8):
                            word |= ((eights[8 * w + e] * gather) >> np.uint64(56)) << np.uint64(8 * e)
                        rows[w] = word
                        count += _n_bits(word)
                    longest, rises = count, 0
                    if 0 < count < length:
                        _write_twice(rows, length, n_single, n_words)
                        rises = _n_rises(rows, length, n_words)
                        longest = _longest_run(rows, n_words, n_powers, length)
                    counts[i, d, f, q, 0], counts[i, d, f, q, 1], counts[i, d, f, q, 2] = count, longest, rises
