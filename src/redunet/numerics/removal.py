"""What is lost without a stretch of a circular signal: for features that are counted over all positions.

Such features have no places of their own. So stretches of the signal are taken out one after the other, in two ways:
levelled to a straight line, which leaves everything else where it is but makes a flat stretch that signals may not
have; and cut out, which leaves no flat stretch but joins what was apart.
"""

import numpy as np

from .arrays import Array

# Stretches that are taken out of a signal, one after the other, and how many of them a position belongs to.
N_STRETCHES, N_OVERLAPS = 32, 2


def stretches(length: int) -> Array:
    """Positions of stretches that begin evenly spaced around a circle; int array, shape (n_stretches, width)."""
    n_stretches = min(N_STRETCHES, length)
    width = max(1, round(N_OVERLAPS * length / n_stretches)) if n_stretches == N_STRETCHES else 1
    starts = np.arange(n_stretches) * length // n_stretches
    return (starts[:, None] + np.arange(width)) % length


def levelled(signal: Array, stretch: Array) -> Array:
    """A signal with a stretch replaced by the straight line between its two neighbours.

    Parameters
    ----------
    signal : float array, shape (n_channels, length)
    stretch : int array, shape (width,)
        Neighbouring positions of the circle.
    """
    length, width = signal.shape[-1], len(stretch)
    before, after = signal[:, (stretch[0] - 1) % length], signal[:, (stretch[-1] + 1) % length]
    way = (np.arange(1, width + 1) / (width + 1)).astype(signal.dtype)
    found = signal.copy()
    found[:, stretch] = before[:, None] * (1 - way) + after[:, None] * way
    return found


def cut_out(signal: Array, stretch: Array) -> Array:
    """A signal without a stretch, filled up with NaN at its end to the length that it had.

    Parameters
    ----------
    signal : float array, shape (n_channels, length)
    stretch : int array, shape (width,)
    """
    found = np.full_like(signal, np.nan)
    found[:, : signal.shape[-1] - len(stretch)] = np.delete(signal, stretch, axis=-1)
    return found


def spread_losses(losses: Array, positions: Array, total: float) -> Array:
    """Losses without each stretch as shares of positions, which add up to a total.

    Parameters
    ----------
    losses : float array, shape (n_channels, n_stretches)
    positions : int array, shape (n_stretches, width)
        Of each stretch of a circle, as :func:`stretches` gives them.
    total : float
        A position gets the mean loss of the stretches that it belongs to, over their width; what these do not account
        for is spread evenly.

    Returns
    -------
    float array, shape (n_channels, length)
    """
    length = int(positions.max()) + 1
    shares, times = np.zeros((len(losses), length)), np.zeros(length)
    for loss, stretch in zip(losses.T, positions, strict=True):
        shares[:, stretch] += loss[:, None]
        times[stretch] += 1
    shares /= times * positions.shape[1]
    return shares + (total - shares.sum()) / shares.size
