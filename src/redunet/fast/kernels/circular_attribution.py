"""Shares of pooled counts, handed on to the values of a signal; the twin of ``pooled_shares`` in numerics/pooling.py."""

import numpy as np

from .compilation import compiled_exactly


@compiled_exactly
def _add_count_shares(response, threshold, of_counts, found):
    """Hand the shares of the three counts above one threshold on to the positions of the circle that make them.

    response : float32 array, shape (length,); of_counts : float64 array, shape (3,)
    found : float64 array, shape (length,), added to.
    """
    length = len(response)
    count, rises, start = 0, 0, -1
    for t in range(length):
        if response[t] > threshold:
            count += 1
            rises += not response[t - 1] > threshold
        else:
            start = t
    if count == 0:
        return
    if start < 0:  # one run of the whole circle, which begins nowhere
        for t in range(length):
            found[t] += (of_counts[0] + of_counts[1]) / length
        return
    # The circle is opened where nothing is marked. The first time around finds the longest run, and how many there are.
    longest, n_longest, run = 0, 0, 0
    for i in range(1, length + 1):
        t = start + i if start + i < length else start + i - length
        if response[t] > threshold:
            run += 1
        else:
            if run > longest:
                longest, n_longest = run, 1
            elif run == longest:
                n_longest += 1
            run = 0
    of_marked, of_longest, of_rise = of_counts[0] / count, of_counts[1] / (n_longest * longest), of_counts[2] / rises
    for i in range(1, length + 1):
        t = start + i if start + i < length else start + i - length
        if response[t] > threshold:
            found[t] += of_marked
            if run == 0:
                found[t] += of_rise
            run += 1
        else:
            if run == longest:
                for back in range(1, run + 1):
                    found[t - back if t >= back else t - back + length] += of_longest
            run = 0


@compiled_exactly
def pooled_shares(X, dilations, heavy_taps, thresholds, shares, found):
    """Shares of counts handed on to the values of signals.

    X : float32 array, shape (n_signals, length)
    dilations : int64 array, shape (n_dilations,); heavy_taps : int64 array, shape (n_filters, 3), in ascending order
    thresholds : float32 array, shape (n_dilations, n_filters, n_thresholds)
    shares : float64 array, shape (n_signals, n_dilations, n_filters, n_thresholds, 3)
    found : float64 array, shape (n_signals, length), overwritten.
    """
    length, n_taps, three = X.shape[1], 9, np.float32(3)
    values, sizes = np.empty((n_taps, length), dtype=np.float32), np.empty((n_taps, length))
    everywhere, response = np.empty(length, dtype=np.float32), np.empty(length, dtype=np.float32)
    magnitude = np.empty(length)
    of_position, of_tap = np.empty(length), np.empty((n_taps, length))
    for i in range(len(X)):
        found[i] = 0
        for d in range(len(dilations)):
            everywhere[:] = 0
            magnitude[:] = 0
            of_tap[:] = 0
            for k in range(n_taps):
                offset = ((k - n_taps // 2) * dilations[d]) % length
                for t in range(length):
                    values[k, t] = X[i, t + offset if t + offset < length else t + offset - length]
                    everywhere[t] -= values[k, t]
                    sizes[k, t] = abs(values[k, t])
                    magnitude[t] += sizes[k, t]
            for f in range(len(heavy_taps)):
                a, b, c = heavy_taps[f, 0], heavy_taps[f, 1], heavy_taps[f, 2]
                for t in range(length):
                    response[t] = ((everywhere[t] + three * values[a, t]) + three * values[b, t]) + three * values[c, t]
                of_position[:] = 0
                for q in range(thresholds.shape[2]):
                    _add_count_shares(response, thresholds[d, f, q], shares[i, d, f, q], of_position)
                for t in range(length):
                    # The sum of |weight · value|; where all values are zero, of |weight|, 2 at three taps and 1 at six.
                    heavy = sizes[a, t] + sizes[b, t] + sizes[c, t]
                    of_position[t] /= magnitude[t] + heavy if magnitude[t] > 0 else 12.0
                # Every tap has the weight 1, and the heavy ones the weight 1 more.
                for k in range(n_taps):
                    for t in range(length):
                        of_tap[k, t] += of_position[t]
                for k in (a, b, c):
                    for t in range(length):
                        of_tap[k, t] += of_position[t]
            for k in range(n_taps):
                offset = ((k - n_taps // 2) * dilations[d]) % length
                for t in range(length):
                    size = sizes[k, t] if magnitude[t] > 0 else 1.0
                    found[i, t + offset if t + offset < length else t + offset - length] += of_tap[k, t] * size
