"""Responses to a filter bank in a graph; the twin of :class:`redunet.lift.responses.FilterBank`."""

import math
from collections.abc import Callable

import numpy as np

from ..lift.responses import FilterBank
from ..numerics.arrays import Array
from ..numerics.local_contrast import FLOOR_SHARE, ROUNDING_UNITS, window_matrix
from .graph_builder import Tensor


def responses(bank: FilterBank, samples: Tensor) -> Tensor:
    """Responses after the threshold, before the pooling; shape (n_samples, n_filters, *grid).

    Parameters
    ----------
    bank : FilterBank
    samples : Tensor, shape (n_samples, n_channels_in, *grid), without the padding
    """
    samples = scaled(bank, padded(samples, bank.pad))
    correlate = circular_convolution if samples.dtype == np.float32 else circular_product
    found = [correlate(samples, filters, bank.grid) for filters in bank.filters]
    return THRESHOLDS[bank.threshold](found[0] if len(found) == 1 else found[0].join(*found[1:], axis=1), bank.level)


def padded(samples: Tensor, pad: tuple[int, ...]) -> Tensor:
    """Samples with zeros appended along the cyclic axes."""
    if not any(pad):
        return samples
    graph = samples.graph
    margins = [*[0] * (len(pad) + 2), 0, 0, *pad]
    return graph.node("Pad", samples, graph.whole_numbers(margins), graph.constant(0.0, samples.dtype))


def scaled(bank: FilterBank, samples: Tensor) -> Tensor:
    """Padded samples: their local contrast, and with ``unit_scale`` each of root mean square 1; zeros stay zeros."""
    if bank.contrast is None and not bank.unit_scale:
        return samples
    axes = range(1, 2 + len(bank.grid))
    samples = samples / _or_one(samples.abs().max(*axes, keepdims=True))  # first, because large squares overflow
    if bank.contrast is not None:
        samples = local_contrast(samples, bank.contrast, bank.grid)
    if not bank.unit_scale:
        return samples
    n_channels = bank.filters[0].shape[1]
    n_values = n_channels * math.prod(n - zeros for n, zeros in zip(bank.grid, bank.pad, strict=True))
    rms = samples.sum_of_squares(*axes, keepdims=True).sqrt() / math.sqrt(n_values)
    return samples / _or_one(rms)


def local_contrast(samples: Tensor, width: float, grid: tuple[int, ...]) -> Tensor:
    """Values less the mean of their surroundings, over how much these vary; as in :mod:`redunet.numerics`.

    Parameters
    ----------
    samples : Tensor, shape (n_samples, n_channels, *grid), largest magnitudes 1 (or 0)
    width : float
    grid : tuple of int
    """
    differences = samples - _surroundings(samples, width, grid)
    squares = (differences * differences).mean(1, keepdims=True)
    rms = squares.mean(*range(1, 2 + len(grid)), keepdims=True).sqrt()
    varies = rms > ROUNDING_UNITS * float(np.finfo(samples.dtype).eps)
    spread = _surroundings(squares, width, grid).relu().sqrt() + rms * FLOOR_SHARE
    return varies.where(differences / varies.where(spread, 1.0), 0.0)


def _surroundings(samples: Tensor, width: float, grid: tuple[int, ...]) -> Tensor:
    """Mean over the window around each position."""
    last = len(grid) + 1
    for axis, length in enumerate(grid, 2):
        order = [*range(last + 1)]
        order[axis], order[last] = last, axis
        turned = samples if axis == last else samples.transpose(*order)
        turned = turned @ window_matrix(width, length)
        samples = turned if axis == last else turned.transpose(*order)
    return samples


def _or_one(positive: Tensor) -> Tensor:
    """Numbers, and one in place of zero."""
    return (positive > 0.0).where(positive, 1.0)


def circular_convolution(samples: Tensor, filters: Array, grid: tuple[int, ...]) -> Tensor:
    """Circular correlation with filters that are centred: an ordinary one, of samples that go on around the circle.

    Parameters
    ----------
    samples : Tensor, shape (n_samples, n_channels_in, *grid)
    filters : float array, shape (n_filters, n_channels_in, *kernel)
        No longer than the grid.
    grid : tuple of int
    """
    for axis, side in enumerate(filters.shape[2:], 2):
        before, after = side // 2, side - 1 - side // 2
        parts = [samples.slice(axis, -before)] if before else []
        parts += [samples, *([samples.slice(axis, 0, after)] if after else [])]
        samples = parts[0].join(*parts[1:], axis=axis) if len(parts) > 1 else samples
    return samples.graph.node("Conv", samples, filters)


def circular_product(samples: Tensor, filters: Array, grid: tuple[int, ...]) -> Tensor:
    """The same by a matrix product with what each position sees: ONNX Runtime convolves in single precision alone."""
    n_filters, n_channels, *kernel = filters.shape
    size = math.prod(grid)
    seen = samples.reshape(0, n_channels, size).take(_seen_positions(grid, tuple(kernel)), axis=2)
    rows = seen.transpose(0, 2, 1, 3).reshape(0, size, -1)
    found = rows @ np.ascontiguousarray(filters.reshape(n_filters, -1).T)
    return found.transpose(0, 2, 1).reshape(0, n_filters, *grid)


def _seen_positions(grid: tuple[int, ...], kernel: tuple[int, ...]) -> Array:
    """Flat position of what each tap of a centred filter sees from each position; shape (grid size, kernel size)."""
    flat = np.zeros((1, 1), dtype=np.int64)
    for length, side in zip(grid, kernel, strict=True):
        seen = (np.arange(length)[:, None] + np.arange(side) - side // 2) % length
        flat = (flat[:, None, :, None] * length + seen[None, :, None, :]).reshape(
            len(flat) * length, flat.shape[1] * side
        )
    return flat


def shrunk(values: Tensor, level: float) -> Tensor:
    """Responses moved towards zero by the level; those within the level of zero become zero."""
    return values.graph.node("Sign", values) * (values.abs() - level).relu()


def rectified(values: Tensor, level: float) -> Tensor:
    """What of each response exceeds the level, else zero."""
    return (values - level).relu()


def unchanged(values: Tensor, level: float) -> Tensor:
    """Responses as they are."""
    return values


# The twins of the thresholds of a lift, by name.
THRESHOLDS: dict[str, Callable[[Tensor, float], Tensor]] = {"soft": shrunk, "relu": rectified, "none": unchanged}
