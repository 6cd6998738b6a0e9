"""Responses to dilated filters, pooled over the circle; the twin of :mod:`redunet.numerics.pooling`.

A comparison with a threshold becomes a row of bits, 64 positions to a word, and runs are read off the places where bits
change. No sum is reordered and no product fused: every position has the same bits, wherever it stands.
"""

import numpy as np

from .bits import count_bits, lowest_bit
from .compilation import compiled_exactly


@compiled_exactly
def _runs(words, n_words, length):
    """Longest run of set bits on a circle, and how many runs begin; some bits are set and some are not.

    words : uint64 array, the bits of the circle in the order of positions. Only places where a bit differs from the
    one before it are visited.
    """
    longest, n_rises = 0, 0
    start, prefix = -1, 0  # of the run that is under way; length of the run that position 0 is in the middle of
    before = words[0] & np.uint64(1)  # position 0 is no change
    for w in range(n_words):
        word = words[w]
        changes = word ^ ((word << np.uint64(1)) | before)
        before = word >> np.uint64(63)
        if w == n_words - 1 and length & 63:
            changes &= (np.uint64(1) << np.uint64(length & 63)) - np.uint64(1)
        while changes:
            place = lowest_bit(changes)
            changes &= changes - np.uint64(1)
            here = (w << 6) + np.int64(place)
            if (word >> place) & np.uint64(1):
                start = here
                n_rises += 1
            elif start < 0:
                prefix = here
            else:
                longest = max(longest, here - start)
                start = -1
    last = length - 1
    if (words[last >> 6] >> np.uint64(last & 63)) & np.uint64(1):  # the last run goes on at position 0
        longest = max(longest, length - start + prefix)
    elif prefix:  # a run begins at position 0
        n_rises += 1
        longest = max(longest, prefix)
    return longest, n_rises


@compiled_exactly
def pooled_counts(X, dilations, heavy_taps, thresholds, counts):
    """Counts of signals for every dilation, filter and threshold.

    X : float32 array, shape (n_signals, length)
    dilations : int64 array, shape (n_dilations,); heavy_taps : int64 array, shape (n_filters, 3)
    thresholds : float32 array, shape (n_dilations, n_filters, n_thresholds)
    counts : int32 array, shape (n_signals, n_dilations, n_filters, n_thresholds, 3), overwritten.
    """
    length, n_taps = X.shape[1], 9
    n_words = (length + 63) >> 6
    words = np.zeros(n_words, dtype=np.uint64)
    above = np.zeros(64 * n_words, dtype=np.uint8)  # 1 where a response is above the threshold
    eights = above.view(np.uint64)
    gather = np.uint64(0x0102040810204080)  # brings the lowest bits of eight bytes together
    tripled = np.empty((n_taps, length), dtype=X.dtype)
    everywhere, response = np.empty(length, dtype=X.dtype), np.empty(length, dtype=X.dtype)
    three = X.dtype.type(3)
    for i in range(len(X)):
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
                    for w in range(n_words):
                        word = np.uint64(0)
                        for e in range(8):
                            word |= ((eights[8 * w + e] * gather) >> np.uint64(56)) << np.uint64(8 * e)
                        words[w] = word
                        count += np.int64(count_bits(word))
                    longest, rises = count, 0
                    if 0 < count < length:
                        longest, rises = _runs(words, n_words, length)
                    counts[i, d, f, q, 0], counts[i, d, f, q, 1], counts[i, d, f, q, 2] = count, longest, rises
