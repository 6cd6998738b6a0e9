"""Patches of rings × angles, to learn filters from: they go around the circle, but not beyond the rings."""

import numpy as np

from ..numerics.arrays import Array
from .banks import FLAT_CONTRAST_SHARE, LOW_CONTRAST_SHARE, draw_places


def draw_ring_patches(
    samples: Array, sample_weight: Array, kernel: tuple[int, int], rng: np.random.RandomState
) -> tuple[Array, Array]:
    """Patches at random places, without their mean and of unit norm, in random order; those that vary least left out.

    Parameters
    ----------
    samples : array, shape (n_samples, n_rings, n_angles)
    sample_weight : float array, shape (n_samples,)
        How often each sample counts, more than 0.
    kernel : two int
        Rings and angles of a patch, no more than there are.
    rng : RandomState

    Returns
    -------
    patches : float64 array, shape (n_patches, height, width)
    first_rings : int array, shape (n_patches,)
        The innermost ring of each.
    """
    height, width = kernel
    n_rings, n_angles = samples.shape[1:]
    rows, (first_rings, centres) = draw_places(sample_weight, (n_rings - height + 1, n_angles), rng)
    rings = first_rings[:, None, None] + np.arange(height)[:, None]
    angles = (centres[:, None, None] + np.arange(width) - width // 2) % n_angles
    patches = samples[rows[:, None, None], rings, angles].astype(np.float64)
    patches -= patches.mean(axis=(1, 2), keepdims=True)
    contrast = np.sqrt(np.square(patches).sum(axis=(1, 2)))
    varied = contrast > FLAT_CONTRAST_SHARE * contrast.max(initial=0.0)
    if not varied.any():
        return patches[:0], first_rings[:0]
    enough = varied & (contrast >= np.quantile(contrast[varied], LOW_CONTRAST_SHARE))
    return patches[enough] / contrast[enough, None, None], first_rings[enough]
