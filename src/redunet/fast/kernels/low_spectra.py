"""Low frequencies of the responses of a tile of images to small filters, one image in each lane.

The readable twin is the way through Fourier transforms in ``lift/responses.py``. Everything that a pair of columns
becomes, from the waves down the image to the low frequencies of its responses, stays in the fastest memory.
"""

from ..image_lanes import FILTERS_TOGETHER
from ..sample_lanes import LANE_BYTES
from .compilation import compiled
from .lane_products import lane_corners, lane_outside, lane_product


@compiled
def fill_waves(X, to_waves, n_channels, height, width, margin, waves, planes):
    """Cosines and sines down the columns of a tile, as products with filters need them.

    X : flat array (n_channels, height, width + width % 2, lanes)
    to_waves : flat array (height, height); for each row of an image its share in the cosines, then the sines.
    waves : flat array of at least 2 · height · lanes items, overwritten
    planes : flat array (n_cosines, 3, margin, n_channels, lanes), overwritten: a + b, b and a for each of the columns
    that filters see, a and b being the parts of the cosines and the sines; ``margin`` columns, the first of which is
    −(margin − width) // 2 ... around the circle.
    """
    size = LANE_BYTES // X.itemsize
    n_cosines, n_sines, padded = height // 2 + 1, (height - 1) // 2, width + width % 2
    before = (margin - padded + 1) // 2
    for c in range(n_channels):
        for w in range(0, padded, 2):
            lane_product(
                to_waves, 0, height, X, (c * height * padded + w) * size, padded * size, size, waves, 0, 2 * size, size,
                -1, height, height,
            )  # fmt: skip
            for v in range(2):
                if w + v >= width:
                    continue
                at = (w + v + before) % width
                while at < margin:
                    for p in range(n_cosines):
                        cosine, sine = (2 * p + v) * size, (2 * (n_cosines + p - 1) + v) * size
                        place = ((p * 3 * margin + at) * n_channels + c) * size
                        step = margin * n_channels * size
                        if 1 <= p <= n_sines:
                            for i in range(size):
                                a, b = waves[cosine + i], waves[sine + i]
                                planes[place + i] = a + b
                                planes[place + step + i] = b
                                planes[place + 2 * step + i] = a
                        else:
                            for i in range(size):
                                planes[place + 2 * step + i] = waves[cosine + i]
                    at += width


@compiled
def fill_low_spectra(
    planes, margin, n_channels, height, width, filters, filter_width, n_filters, first_channel, n_all, inverse,
    low, low_height, low_width, lower, upper, memory, V,
):  # fmt: skip
    """Half spectra of the low frequencies of the responses to filters of one size, after the threshold.

    planes : as :func:`fill_waves` gives them
    filters : flat arrays (n_cosines, 3, filter_width · n_channels, n_some) of ``FILTERS_TOGETHER`` filters and of those
    that are left over, one after the other: what a + b, b and a are multiplied with, which is c, d − c and −(c + d)
    for the parts c and d of a filter.
    inverse : tuple of flat arrays (n_cosines, n_cosines) and (n_sines, n_sines), from waves to sums and differences of
    opposite rows; low : tuple of flat arrays, from these to low frequencies down, and across.
    memory : flat array of at least :func:`memory_of_low_spectra` items, overwritten.
    V : flat array (n_freqs, 2, n_all, lanes), overwritten for channels first_channel ≤ c < first_channel + n_filters.
    """
    size = LANE_BYTES // planes.itemsize
    to_even, to_odd = inverse
    low_even, low_odd, low_across = low
    n_cosines, n_sines, padded = height // 2 + 1, (height - 1) // 2, width + width % 2
    low_cosines, low_sines = low_height // 2 + 1, (low_height - 1) // 2
    n_low = low_cosines + low_sines
    n_low_padded = n_low + n_low % 2
    most = FILTERS_TOGETHER
    n_taps = filter_width * n_channels
    T = memory[: 2 * height * most * size]
    rest = memory[2 * height * most * size :]
    even = rest[: 2 * n_cosines * size]
    odd = rest[2 * n_cosines * size : 2 * height * size]
    rest = rest[2 * height * size :]
    D = rest[: most * n_low_padded * padded * size]
    Z = rest[most * n_low_padded * padded * size :]
    before = (margin - padded + 1) // 2
    plane = margin * n_channels * size
    for first in range(0, n_filters, most):
        n_some = min(most, n_filters - first)
        for w in range(0, padded, 2):
            start = (w + before - filter_width // 2) * n_channels * size
            shift = n_channels * size
            for p in range(n_cosines):
                X_at = 3 * p * plane + start
                F_at = 3 * n_taps * (n_cosines * first + p * n_some)
                T_at = p * most * 2 * size
                if 1 <= p <= n_sines:
                    S_at = (n_cosines + p - 1) * most * 2 * size
                    lane_product(
                        filters, F_at, n_some, planes, X_at, size, shift,
                        T, S_at, 2 * size, size, -1, n_some, n_taps,
                    )  # fmt: skip
                    lane_product(
                        filters, F_at + n_taps * n_some, n_some, planes, X_at + plane, size, shift,
                        T, T_at, 2 * size, size, S_at, n_some, n_taps,
                    )  # fmt: skip
                    lane_product(
                        filters, F_at + 2 * n_taps * n_some, n_some, planes, X_at + 2 * plane, size, shift,
                        T, S_at, 2 * size, size, S_at, n_some, n_taps,
                    )  # fmt: skip
                else:
                    lane_product(
                        filters, F_at, n_some, planes, X_at + 2 * plane, size, shift,
                        T, T_at, 2 * size, size, -1, n_some, n_taps,
                    )  # fmt: skip
            for f in range(n_some):
                T_step = most * 2 * size
                lane_product(
                    to_even, 0, n_cosines, T, f * 2 * size, T_step, size, even, 0, 2 * size, size, -1,
                    n_cosines, n_cosines,
                )  # fmt: skip
                lane_product(
                    to_odd, 0, n_sines, T, n_cosines * T_step + f * 2 * size, T_step, size, odd, 0, 2 * size, size,
                    -1, n_sines, n_sines,
                )  # fmt: skip
                lane_outside(even, odd, n_cosines, n_sines, 2 * size, lower, upper)
                D_at = (f * n_low_padded * padded + w) * size
                lane_product(
                    low_even, 0, low_cosines, even, 0, 2 * size, size, D, D_at, padded * size, size, -1, low_cosines,
                    n_cosines,
                )  # fmt: skip
                lane_product(
                    low_odd, 0, low_sines, odd, 0, 2 * size, size, D, D_at + low_cosines * padded * size,
                    padded * size, size, -1, low_sines, n_sines,
                )  # fmt: skip
        for f in range(n_some):
            for row in range(0, n_low, 2):
                lane_product(
                    low_across, 0, low_width, D, (f * n_low_padded + row) * padded * size, size, padded * size,
                    Z, row * low_width * size, size, low_width * size, -1, low_width, width,
                )  # fmt: skip
            _fill_channel(Z, low_height, low_width, size, V, first_channel + first + f, n_all)


@compiled
def memory_of_low_spectra(height, width, low_height, low_width, size):
    """Items of memory that :func:`fill_low_spectra` works in."""
    padded, n_low = width + width % 2, low_height + low_height % 2 + 1
    return (2 * height * (FILTERS_TOGETHER + 1) + FILTERS_TOGETHER * n_low * padded + n_low * low_width) * size


@compiled
def _fill_channel(Z, height, width, size, V, channel, n_all):
    """Half spectrum of one channel from its products with cosines and sines along both axes.

    Z : flat array (height, width, lanes), along both first the cosines of 0, 1, … periods, then the sines of 1, 2, ….
    """
    n_cosines, n_columns = height // 2 + 1, width // 2 + 1
    n_sines, n_sines_across = (height - 1) // 2, (width - 1) // 2
    step, row, imag = 2 * n_all * size, width * size, n_all * size
    for p in range(n_cosines):
        down = (n_cosines + p - 1) * row
        for q in range(n_columns):
            across = (n_columns + q - 1) * size
            at = (p * n_columns + q) * step + channel * size
            mirrored = ((height - p) * n_columns + q) * step + channel * size
            neither = p * row + q * size
            has_down, has_across = 1 <= p <= n_sines, 1 <= q <= n_sines_across
            if has_down and has_across:
                lane_corners(Z, neither, p * row + across, down + q * size, down + across, V, at, mirrored, imag)
            else:
                for i in range(size):
                    sine = Z[down + q * size + i] if has_down else Z[p * row + across + i] if has_across else 0 * Z[i]
                    V[at + i], V[at + imag + i] = Z[neither + i], -sine
                    if has_down:
                        V[mirrored + i], V[mirrored + imag + i] = Z[neither + i], sine
