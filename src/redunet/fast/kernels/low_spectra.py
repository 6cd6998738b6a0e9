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
    planes : flat array (n_cosines, 3, n_channels, margin, lanes), overwritten: a + b, b and a for each of the columns
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
                        place = ((p * 3 * n_channels + c) * margin + at) * size
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
    filters : flat arrays (n_cosines, 3, n_channels, filter_width, n_some) of ``FILTERS_TOGETHER`` filters and of those
    that are left over, one after the other: what a + b, b and a are multiplied with, which is c, d − c and −(c + d)
    for the parts c and d of a filter.
    inverse : tuple of flat arrays (n_cosines, n_cosines) and (n_sines, n_sines), from waves to sums and differences of
    opposite rows; low : tuple of flat arrays, from these to low frequencies down, and across.
    memory : flat array of at least :func:`memory_of_low_spectra` items, overwritten.
    V : flat array (n_freqs, 2, n_all, lanes), overwritten for channels first_channel ≤ c < first_channel + n_filters.
    """
    size = LANE_BYTES // planes.itemsize
    low_across = low[2]
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
    columns, found = n_low_padded * padded * size, n_low_padded * low_width * size
    before = (margin - padded + 1) // 2
    plane = margin * n_channels * size
    for first in range(0, n_filters, most):
        n_some = min(most, n_filters - first)
        for w in range(0, padded, 2):
            start = (w + before - filter_width // 2) * size
            for p in range(n_cosines):
                F_at = 3 * n_taps * (n_cosines * first + p * n_some)
                T_at, S_at = p * most * 2 * size, (n_cosines + p - 1) * most * 2 * size
                for c in range(n_channels):
                    X_at, F_c = 3 * p * plane + c * margin * size + start, F_at + c * filter_width * n_some
                    if 1 <= p <= n_sines:
                        lane_product(
                            filters, F_c, n_some, planes, X_at, size, size,
                            T, S_at, 2 * size, size, S_at if c else -1, n_some, filter_width,
                        )  # fmt: skip
                    else:
                        lane_product(
                            filters, F_c, n_some, planes, X_at + 2 * plane, size, size,
                            T, T_at, 2 * size, size, T_at if c else -1, n_some, filter_width,
                        )  # fmt: skip
                if 1 <= p <= n_sines:
                    for c in range(n_channels):
                        X_at = 3 * p * plane + c * margin * size + start
                        F_c = F_at + (n_taps + c * filter_width) * n_some
                        lane_product(
                            filters, F_c, n_some, planes, X_at + plane, size, size,
                            T, T_at, 2 * size, size, T_at if c else S_at, n_some, filter_width,
                        )  # fmt: skip
                    for c in range(n_channels):
                        X_at = 3 * p * plane + c * margin * size + start
                        F_c = F_at + (2 * n_taps + c * filter_width) * n_some
                        lane_product(
                            filters, F_c, n_some, planes, X_at + 2 * plane, size, size,
                            T, S_at, 2 * size, size, S_at, n_some, filter_width,
                        )  # fmt: skip
            for f in range(n_some):
                _fill_low_columns(
                    T, f * 2 * size, most * 2 * size, size, inverse, low, even, odd, lower, upper, n_cosines, n_sines,
                    low_cosines, low_sines, D, f * columns + w * n_low_padded * size, size,
                )  # fmt: skip
        for f in range(n_some):
            _fill_low_frequencies(D, f * columns, n_low, width, low_across, low_width, Z, f * found, size)
        _fill_channels(Z, found, n_some, low_height, low_width, size, V, first_channel + first, n_all)


@compiled
def _fill_low_columns(
    T, T_at, T_step, T_shift, inverse, low, even, odd, lower, upper, n_cosines, n_sines, low_cosines, low_sines, D,
    D_at, size,
):  # fmt: skip
    """Low frequencies down two columns of responses, from their waves: to rows, through the threshold, and back.

    T : flat array; wave p of the first column is the vector at T_at + p · T_step, that of the second T_shift further.
    D : flat array; row r is written to D_at + 2 r vectors, that of the second column one vector further.
    """
    to_even, to_odd = inverse
    low_even, low_odd, _ = low
    lane_product(
        to_even, 0, n_cosines, T, T_at, T_step, T_shift, even, 0, 2 * size, size, -1, n_cosines, n_cosines
    )  # fmt: skip
    lane_product(
        to_odd, 0, n_sines, T, T_at + n_cosines * T_step, T_step, T_shift, odd, 0, 2 * size, size, -1, n_sines, n_sines
    )  # fmt: skip
    lane_outside(even, odd, n_cosines, n_sines, 2 * size, lower, upper)
    lane_product(
        low_even, 0, low_cosines, even, 0, 2 * size, size, D, D_at, 2 * size, size, -1, low_cosines, n_cosines
    )  # fmt: skip
    lane_product(
        low_odd, 0, low_sines, odd, 0, 2 * size, size, D, D_at + 2 * low_cosines * size, 2 * size, size, -1, low_sines,
        n_sines,
    )  # fmt: skip


@compiled
def _fill_low_frequencies(D, D_at, n_low, width, low_across, low_width, Z, Z_at, size):
    """Low frequencies across, two of the rows that :func:`_fill_low_columns` gives at a time.

    D : flat array from item D_at on, (pairs of columns, rows, 2, lanes), rows being an even number
    Z : flat array from item Z_at on, (rows, low_width, lanes), overwritten.
    """
    pair = 2 * (n_low + n_low % 2) * size
    for row in range(0, n_low, 2):
        out = Z_at + row * low_width * size
        for column in range(2):  # even columns, then odd ones
            lane_product(
                low_across, column * low_width, 2 * low_width, D, D_at + (2 * row + column) * size, pair, 2 * size,
                Z, out, size, low_width * size, out if column else -1, low_width, (width + 1 - column) // 2,
            )  # fmt: skip


@compiled
def fill_low_spectra_of_one(
    planes, margin, n_channels, height, width, filters, filter_width, n_filters, first_channel, n_all, inverse,
    low, low_height, low_width, lower, upper, memory, V,
):  # fmt: skip
    """The same for the image in the first lane alone: there are filters side by side, not images.

    A response is computed by the same additions in the same order, hence has the same bits.

    planes : flat array (n_cosines, 3, n_channels, margin), those of this image
    filters : flat array (n_pairs, n_cosines, 3, n_channels, filter_width, 2 · lanes): pairs of vectors of filters, the
    last ones filled up with zeros.
    memory : flat array of at least :func:`memory_of_one` items, overwritten
    V : flat array (n_freqs, 2, n_all, lanes), of which the first lane is overwritten.
    """
    size = LANE_BYTES // planes.itemsize
    low_across = low[2]
    n_cosines, n_sines, padded = height // 2 + 1, (height - 1) // 2, width + width % 2
    low_cosines, low_sines = low_height // 2 + 1, (low_height - 1) // 2
    n_low = low_cosines + low_sines
    n_freqs, n_low_padded = low_height * (low_width // 2 + 1), n_low + n_low % 2
    step, column = 2 * padded * size, 2 * size
    T = memory[: height * step]
    even, rest = memory[height * step : (height + n_cosines) * step], memory[(height + n_cosines) * step :]
    odd, rest = rest[: n_sines * 2 * size + 1], rest[n_sines * 2 * size :]
    D, rest = rest[: n_low_padded * padded * size], rest[n_low_padded * padded * size :]
    Z, found = rest[: n_low_padded * low_width * size], rest[n_low_padded * low_width * size :]
    start = (margin - padded + 1) // 2 - filter_width // 2
    plane, n_taps = n_channels * margin, n_channels * filter_width
    for first in range(0, n_filters, 2 * size):
        for p in range(n_cosines):
            F_at = (first // (2 * size) * n_cosines + p) * 3 * n_taps * column
            T_at, S_at = p * step, (n_cosines + p - 1) * step
            is_pair = 1 <= p <= n_sines
            for part in range(3 if is_pair else 1):
                out, before = (S_at, S_at) if is_pair and part != 1 else (T_at, S_at)
                which = part if is_pair else 2
                for c in range(n_channels):
                    begin = -1 if part == 0 and c == 0 else before if c == 0 else out
                    lane_product(
                        planes, (3 * p + which) * plane + c * margin + start, 1,
                        filters, F_at + (part * n_taps + c * filter_width) * column, column, size,
                        T, out, column, size, begin, padded, filter_width,
                    )  # fmt: skip
        for vector in range(2):
            n_some = min(size, n_filters - first - vector * size)
            if n_some <= 0:
                continue
            for w in range(0, padded, 2):
                _fill_low_columns(
                    T, w * column + vector * size, step, column, inverse, low, even, odd, lower, upper, n_cosines,
                    n_sines, low_cosines, low_sines, D, w * n_low_padded * size, size,
                )  # fmt: skip
            _fill_low_frequencies(D, 0, n_low, width, low_across, low_width, Z, 0, size)
            _fill_channels(Z, 0, 1, low_height, low_width, size, found, 0, 1)
            channel = first_channel + first + vector * size
            for p in range(n_freqs):
                for i in range(n_some):
                    V[(2 * p * n_all + channel + i) * size] = found[2 * p * size + i]
                    V[((2 * p + 1) * n_all + channel + i) * size] = found[(2 * p + 1) * size + i]


@compiled
def memory_of_one(height, width, low_height, low_width, size):
    """Items of memory that :func:`fill_low_spectra_of_one` works in."""
    padded, n_low = width + width % 2, low_height + low_height % 2
    n_freqs = low_height * (low_width // 2 + 1)
    return (4 * (height + 2) * padded + n_low * (padded + low_width) + 2 * n_freqs + 2) * size


@compiled
def memory_of_low_spectra(height, width, low_height, low_width, size):
    """Items of memory that :func:`fill_low_spectra` works in."""
    padded, n_low = width + width % 2, low_height + low_height % 2 + 1
    return (2 * height * (FILTERS_TOGETHER + 1) + FILTERS_TOGETHER * n_low * (padded + low_width)) * size


@compiled
def _fill_channels(Z, Z_step, n_some, height, width, size, V, first_channel, n_all):
    """Half spectra of some channels from their products with cosines and sines along both axes.

    Z : flat array, channel by channel Z_step items apart (height, width, lanes), along both first the cosines of 0, 1,
    … periods, then the sines of 1, 2, ….
    """
    n_cosines, n_columns = height // 2 + 1, width // 2 + 1
    n_sines, n_sines_across = (height - 1) // 2, (width - 1) // 2
    step, row, imag = 2 * n_all * size, width * size, n_all * size
    for p in range(n_cosines):
        down = (n_cosines + p - 1) * row
        for q in range(n_columns):
            across = (n_columns + q - 1) * size
            at = (p * n_columns + q) * step + first_channel * size
            mirrored = ((height - p) * n_columns + q) * step + first_channel * size
            neither = p * row + q * size
            has_down, has_across = 1 <= p <= n_sines, 1 <= q <= n_sines_across
            if has_down and has_across:
                lane_corners(
                    Z, Z_step, n_some, neither, p * row + across, down + q * size, down + across, V, at, mirrored, imag
                )  # fmt: skip
                continue
            sine = down + q * size if has_down else p * row + across
            for f in range(n_some):
                here = f * size
                for i in range(size):
                    V[at + here + i] = Z[f * Z_step + neither + i]
                    V[at + here + imag + i] = -Z[f * Z_step + sine + i] if has_down or has_across else 0
                if has_down:
                    for i in range(size):
                        V[mirrored + here + i] = Z[f * Z_step + neither + i]
                        V[mirrored + here + imag + i] = Z[f * Z_step + sine + i]
