"""Responses to filters between matrix products: the threshold, and sums of cosine and sine waves as spectra.

Rows of an image are held as sums and differences of opposite rows, as products with cosines and sines need them. The
readable twin is the way through Fourier transforms in ``lift/responses.py``.
"""

import numpy as np

from .compilation import compiled


@compiled
def keep_outside(even, odd, lower, upper):
    """Apply a threshold to rows that are held folded: what of each value lies outside of [lower, upper], else zero.

    even : float array, shape (n_rows // 2 + 1, n); odd : float array, shape ((n_rows − 1) // 2, n). Row r of a circle
    of n_rows is even[r] + odd[r − 1], the row opposite to it even[r] − odd[r − 1]. On return they hold the sums and the
    differences of the two rows after the threshold; a row that is its own opposite is in even alone.
    """
    n_pairs, n = odd.shape
    for row in range(len(even)):
        sums = even[row]
        if row == 0 or row > n_pairs:
            for i in range(n):
                sums[i] -= min(max(sums[i], lower), upper)
        else:
            differences = odd[row - 1]
            for i in range(n):
                above, below = sums[i] + differences[i], sums[i] - differences[i]
                above -= min(max(above, lower), upper)
                below -= min(max(below, lower), upper)
                sums[i], differences[i] = above + below, above - below


@compiled
def spectra_of_waves(waves, V):
    """Half spectra of images from their products with cosines and sines along both axes.

    waves : float array, shape (height, n_channels, width, n), along height and width first the cosines of 0, 1, …
    periods, then the sines of 1, 2, … periods, as many as a circle of this length has.
    V : complex array, shape (height · (width // 2 + 1), n_channels, n), overwritten.
    """
    height, n_channels, width, n = waves.shape
    n_cosines, n_columns = height // 2 + 1, width // 2 + 1
    n_sines, n_sines_across = (height - 1) // 2, (width - 1) // 2
    for p in range(n_cosines):
        sine_down = n_cosines + p - 1 if 1 <= p <= n_sines else -1
        for q in range(n_columns):
            sine_across = n_columns + q - 1 if 1 <= q <= n_sines_across else -1
            f, mirrored = p * n_columns + q, (height - p) * n_columns + q
            for c in range(n_channels):
                if sine_down < 0 and sine_across < 0:
                    for i in range(n):
                        V[f, c, i] = waves[p, c, q, i]
                elif sine_down < 0:
                    for i in range(n):
                        V[f, c, i] = complex(waves[p, c, q, i], -waves[p, c, sine_across, i])
                elif sine_across < 0:
                    for i in range(n):
                        V[f, c, i] = complex(waves[p, c, q, i], -waves[sine_down, c, q, i])
                        V[mirrored, c, i] = complex(waves[p, c, q, i], waves[sine_down, c, q, i])
                else:
                    for i in range(n):
                        both, neither = waves[sine_down, c, sine_across, i], waves[p, c, q, i]
                        across, down = waves[p, c, sine_across, i], waves[sine_down, c, q, i]
                        V[f, c, i] = complex(neither - both, -across - down)
                        V[mirrored, c, i] = complex(neither + both, down - across)


@compiled
def scale_to_sphere(V, weights):
    """Scale samples to unit norm; a sample of zeros stays.

    V : complex array, shape (n_freqs, n_channels, n), overwritten; weights : float64 array, shape (n_freqs,).
    """
    n_freqs, n_channels, n = V.shape
    peaks, energies = np.zeros(n), np.zeros(n)
    for p in range(n_freqs):
        for c in range(n_channels):
            for i in range(n):
                size = max(abs(V[p, c, i].real), abs(V[p, c, i].imag))
                peaks[i] = size if size > peaks[i] else peaks[i]
    inverse = np.empty(n)
    for i in range(n):
        inverse[i] = 1 / peaks[i] if peaks[i] > 0 else 0.0
    for p in range(n_freqs):
        for c in range(n_channels):
            for i in range(n):
                real, imag = V[p, c, i].real * inverse[i], V[p, c, i].imag * inverse[i]
                energies[i] += weights[p] * (real * real + imag * imag)
    roots = np.empty(n)
    for i in range(n):
        roots[i] = 1 / np.sqrt(energies[i]) if peaks[i] > 0 else 0.0
    for p in range(n_freqs):
        for c in range(n_channels):
            for i in range(n):
                V[p, c, i] = complex(
                    (V[p, c, i].real * inverse[i]) * roots[i], (V[p, c, i].imag * inverse[i]) * roots[i]
                )
