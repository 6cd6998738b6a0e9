"""Sizes of filters on rings × angles: what users give, or shares of what there is."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inputs.errors import InputError, Option
from ..inputs.parameters import check_whole

# Angles of a filter at least, where no size is given: fewer can hardly vary.
LEAST_WIDTH = 3


def check_kernels(kernel_size: Any) -> int:
    """Refuse what is neither a pair of whole numbers nor a list of such pairs; the number of pairs, else."""
    pairs = _pairs(kernel_size)
    if not pairs:
        raise InputError(
            "{kernel} must be two whole numbers, rings and angles of a filter, or a list of such pairs, got {value!r}; "
            "pass such as {example}.",
            kernel=Option("kernel_size"),
            value=kernel_size,
            example=Option("kernel_size", (9, 21)),
        )
    for pair in pairs:
        for side in pair:
            check_whole("kernel_size", side, 1)
    return len(pairs)


def kernels_for(
    kernel_size: Any, sample_shape: tuple[int, ...], shares: Sequence[tuple[float, float]]
) -> list[tuple[int, int]]:
    """Sizes of filters for samples of so many rings and angles: those that were given, or shares of both."""
    n_rings, n_angles = sample_shape
    if kernel_size is None:
        least = min(LEAST_WIDTH, n_angles)
        sizes = [(max(1, round(rings * n_rings)), max(least, round(angles * n_angles))) for rings, angles in shares]
        return list(dict.fromkeys(sizes))
    for height, width in _pairs(kernel_size):
        if height > n_rings or width > n_angles:
            raise InputError(
                "{kernel} is larger than the samples, which have {n_rings} rings and {n_angles} angles; pass at most "
                "({n_rings}, {n_angles}).",
                kernel=Option("kernel_size", (int(height), int(width))),
                n_rings=n_rings,
                n_angles=n_angles,
            )
    return [(int(height), int(width)) for height, width in _pairs(kernel_size)]


def _pairs(kernel_size: Any) -> list[tuple[Any, Any]]:
    """Pairs of sides; none where there is anything else."""
    given = np.asarray(kernel_size, dtype=object)
    if given.ndim == 1:
        given = given[None]
    return [tuple(pair) for pair in given] if given.ndim == 2 and given.shape[1] == 2 and len(given) else []
