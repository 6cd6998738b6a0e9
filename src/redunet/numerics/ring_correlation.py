"""Local filters on rings × angles: circular along the angle, not along the rings.

An image that is read along rings has two axes of different kinds. The angle is cyclic; the rings have an innermost and
an outermost one. A filter is a patch of a few neighbouring rings and angles.
"""

import numpy as np
import scipy.fft
from numpy.lib.stride_tricks import sliding_window_view

from .arrays import Array


def conjugate_spectra(filters: Array, n_angles: int) -> Array:
    """Conjugate spectra of filters along the angle, each centred on angle 0.

    Parameters
    ----------
    filters : real array, shape (n_filters, height, width)
        Height in rings, width in angles; a width above n_angles goes around more than once.
    n_angles : int

    Returns
    -------
    complex array, shape (n_filters, height, n_angles // 2 + 1)
    """
    return np.conj(scipy.fft.rfft(around_circle(filters, n_angles), axis=2))


def around_circle(filters: Array, n_angles: int) -> Array:
    """Filters (n_filters, height, width) laid on the whole circle, their centre at 0; (n_filters, height, n_angles)."""
    width = filters.shape[2]
    placed = np.zeros((*filters.shape[:2], n_angles), dtype=filters.dtype)
    for column in range(width):
        placed[:, :, (column - width // 2) % n_angles] += filters[:, :, column]
    return placed


def sliding_responses(samples: Array, spectra: Array) -> Array:
    """Responses of filters that slide along the rings and turn around the circle.

    The response at ring r and angle a is Σ_{h, w} filter[h, w] · sample[r + h, (a + w) mod n_angles], h and w counted
    from the centre of the filter; there is nothing beyond the innermost and the outermost ring. No sum runs over
    samples, so that a sample has the same responses in every batch.

    Parameters
    ----------
    samples : real array, shape (n_samples, n_rings, n_angles)
    spectra : complex array, shape (n_filters, height, n_freqs)
        As :func:`conjugate_spectra` gives them.

    Returns
    -------
    real array, shape (n_samples, n_filters, n_rings, n_angles)
    """
    n_angles, height = samples.shape[2], spectra.shape[1]
    margins = [(0, 0), (height // 2, height - 1 - height // 2), (0, 0)]
    V = scipy.fft.rfft(np.pad(samples, margins), axis=2)
    seen = np.ascontiguousarray(sliding_window_view(V, height, axis=1).transpose(0, 2, 3, 1))  # i, freq, height, ring
    products = np.matmul(spectra.transpose(2, 0, 1).astype(V.dtype, copy=False), seen)  # i, freq, filter, ring
    return scipy.fft.irfft(np.ascontiguousarray(products.transpose(0, 2, 3, 1)), n=n_angles, axis=3)


def peaks(samples: Array, spectra: Array, slack: int, n_positions: int) -> Array:
    """The strongest response of each filter, at any angle and at most some rings away from its own.

    Of the responses along the angle the frequencies below n_positions / 2 are kept, and are read at so many angles.

    Parameters
    ----------
    samples : real array, shape (n_samples, n_rings, n_angles)
    spectra : complex array, shape (n_freqs, n_filters, n_rings)
        Conjugate spectra of filters that are laid on their rings, of the lowest frequencies at least.
    slack : int
        So many rings a filter may move inwards or outwards; there is nothing beyond the innermost and the outermost.
    n_positions : int
        As many as there are angles for all frequencies.

    Returns
    -------
    real array, shape (n_samples, n_filters)
    """
    n_samples, n_rings, n_angles = samples.shape
    n_freqs = kept_frequencies(n_angles, n_positions)
    V = scipy.fft.rfft(np.pad(samples, [(0, 0), (slack, slack), (0, 0)]), axis=2, norm="forward")
    V = V.transpose(2, 1, 0)[:n_freqs]
    strongest = np.full((n_samples, spectra.shape[1]), -np.inf, dtype=samples.dtype)
    for moved in range(2 * slack + 1):
        products = np.matmul(spectra[:n_freqs], np.ascontiguousarray(V[:, moved : moved + n_rings])).transpose(2, 1, 0)
        responses = scipy.fft.irfft(np.ascontiguousarray(products), n=n_positions, axis=2, norm="forward")
        np.maximum(strongest, responses.max(axis=2), out=strongest)
    return strongest


def kept_frequencies(n_angles: int, n_positions: int) -> int:
    """Number of stored frequencies of a circle that are read at so many positions: all, or those below half of them."""
    return n_angles // 2 + 1 if n_positions == n_angles else (n_positions + 1) // 2


def place_windows(n_rings: int, n_places: int) -> Array:
    """Overlapping windows along the rings, that responses are added up in; shape (n_rings, n_places).

    The first window is highest at the innermost ring, the last at the outermost; each falls to zero where its
    neighbour is highest. One place is all rings alike, and as many places as rings are the rings themselves. Columns
    have unit norm.
    """
    if n_places >= n_rings:
        return np.eye(n_rings)
    centres = np.linspace(0, n_rings - 1, n_places)
    distance = np.abs(np.arange(n_rings)[:, None] - centres)
    windows = np.ones((n_rings, 1)) if n_places == 1 else np.maximum(0, 1 - distance / centres[1])
    found: Array = windows / np.linalg.norm(windows, axis=0)
    return found
