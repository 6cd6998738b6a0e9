"""Where filters come from: chance, the patches of the data, or a formula.

Every bank is a float64 array of shape (n_filters, n_channels_in, *kernel), each filter of unit norm.
"""

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from threadpoolctl import threadpool_limits

from ..inputs.errors import InputError, Option
from ..numerics.arrays import Array

BANKS = ("patches", "pca", "dictionary", "random", "stft", "wavelet")
LEARNED = ("patches", "pca", "dictionary")
# Patches drawn to learn from. Of those that vary at all, the quarter that varies least is left out: brought to unit
# norm, it would be mostly noise.
MOST_PATCHES, LEAST_CONTRAST = 20_000, 0.25
# A patch is flat if it varies by less than this share of the one that varies most.
FLAT = 1e-6


def random_bank(
    n_filters: int, shape: tuple[int, ...], rng: np.random.RandomState, *, zero_mean: bool = False
) -> Array:
    """Gaussian filters, as in the paper; shape is (n_channels_in, *kernel)."""
    filters = rng.standard_normal((n_filters, *shape))
    if zero_mean:
        filters -= filters.mean(axis=tuple(range(1, filters.ndim)), keepdims=True)
    return unit_norm(filters)


def draw_patches(samples: Array, sample_weight: Array, kernel: tuple[int, ...], rng: np.random.RandomState) -> Array:
    """Windows of samples at random places, without their mean and of unit norm.

    Every window is drawn once where samples count alike and there are no more windows than are drawn; else one of each
    of as many equal parts of the weight of all windows.

    Parameters
    ----------
    samples : array, shape (n_samples, n_channels_in, *grid)
    sample_weight : float array, shape (n_samples,)
        How often each sample counts, more than 0.
    kernel : tuple of int
    rng : RandomState

    Returns
    -------
    float64 array, shape (n_patches, n_channels_in · prod(kernel))
        As many as vary enough, of at most 20,000 that were drawn.
    """
    m, _, *grid = samples.shape
    # Only their shape matters: the largest value becomes 1, so that neither 1e-300 nor 1e300 is lost in a square.
    samples = samples / (np.abs(samples).max(initial=0.0) or 1.0)
    margins = [(0, 0), (0, 0), *((length // 2, length - 1 - length // 2) for length in kernel)]
    windows = sliding_window_view(np.pad(samples, margins, mode="wrap"), kernel, axis=tuple(range(2, samples.ndim)))
    n_positions = math.prod(grid)
    n_drawn = min(m * n_positions, MOST_PATCHES)
    upto = np.concatenate([[0.0], np.cumsum(sample_weight)])
    drawn = (rng.permutation(n_drawn) + rng.random_sample(n_drawn)) * (upto[-1] / n_drawn)
    of_sample = np.clip(np.searchsorted(upto, drawn, side="right") - 1, 0, m - 1)
    share = (drawn - upto[of_sample]) / sample_weight[of_sample]
    positions = np.clip((share * n_positions).astype(int), 0, n_positions - 1)
    index: list[Any] = [of_sample, *np.unravel_index(positions, grid)]
    patches = windows[(index[0], slice(None), *index[1:])].reshape(n_drawn, -1).astype(np.float64)
    patches -= patches.mean(axis=1, keepdims=True)
    contrast = np.linalg.norm(patches, axis=1)
    varied = contrast > FLAT * contrast.max(initial=0.0)
    if not varied.any():
        return patches[:0]
    enough = varied & (contrast >= np.quantile(contrast[varied], LEAST_CONTRAST))
    return patches[enough] / contrast[enough, None]


def patch_bank(n_filters: int, patches: Array, rng: np.random.RandomState) -> Array:
    """Centres of k-means clusters of patches, flat."""
    if len(np.unique(patches.round(9), axis=0)) < n_filters:
        raise InputError(
            "the training samples have {n_patches} different patches but {channels} asks for {n_filters} clusters of "
            "this kernel size; pass a smaller {channels}, or {random}.",
            n_patches=len(np.unique(patches.round(9), axis=0)),
            n_filters=n_filters,
            channels=Option("n_channels"),
            random=Option("filters", "random"),
        )
    from sklearn.cluster import KMeans  # what takes long to import is imported where it is needed

    learner = KMeans(n_filters, n_init=1, max_iter=50, random_state=rng)
    # Its threads add up in the order in which they finish; the bits of a filter must not depend on their number.
    with threadpool_limits(limits=1, user_api="openmp"):
        return unit_norm(learner.fit(patches).cluster_centers_)


def pca_bank(n_filters: int, patches: Array, *, both_signs: bool) -> Array:
    """Principal components of patches, flat; with both signs of each, for a threshold that tells signs apart."""
    n_components = -(-n_filters // 2) if both_signs else n_filters
    if n_components > patches.shape[1]:
        raise InputError(
            "{n_channels} needs {n_components} principal components but a patch has {n_dimensions} dimensions; pass a "
            "larger {kernel} or {channels} <= {most}.",
            n_channels=Option("n_channels", n_filters),
            n_components=n_components,
            n_dimensions=patches.shape[1],
            kernel=Option("kernel_size"),
            channels=Option("n_channels"),
            most=patches.shape[1] * (1 + both_signs),
        )
    components = np.linalg.eigh(patches.T @ patches)[1][:, : -n_components - 1 : -1].T
    # The sign of an eigenvector is arbitrary: let the largest entry be positive.
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=1)[:, None], axis=1)
    components = components * np.sign(largest)
    return np.concatenate([components, -components])[:n_filters] if both_signs else components


def dictionary_bank(n_filters: int, patches: Array, rng: np.random.RandomState) -> Array:
    """Atoms of a sparse dictionary of patches, flat."""
    if len(patches) < n_filters:
        raise InputError(
            "the training samples have {n_patches} patches that vary but {channels} asks for a dictionary of "
            "{n_filters} atoms; pass a smaller {channels}, or {random}.",
            n_patches=len(patches),
            n_filters=n_filters,
            channels=Option("n_channels"),
            random=Option("filters", "random"),
        )
    from sklearn.decomposition import MiniBatchDictionaryLearning

    learner = MiniBatchDictionaryLearning(
        n_filters, alpha=0.5, max_iter=20, batch_size=256, transform_algorithm="lasso_lars", random_state=rng
    )
    return unit_norm(learner.fit(patches[:5000]).components_)


def stft_bank(n_filters: int, length: int) -> Array:
    """Windowed cosines and sines of frequencies up to the highest that samples can hold; shape (n_filters, 1, length).

    The window is Hann's; cosine and sine of a frequency are two channels.
    """
    window = np.hanning(length) if length > 2 else np.ones(length)
    n_frequencies = -(-n_filters // 2)
    time = np.arange(length) - length // 2
    frequencies = 0.5 * (np.arange(n_frequencies) + 0.5) / n_frequencies
    waves = window * np.exp(2j * np.pi * frequencies[:, None] * time)
    return unit_norm(_interleave(waves)[:n_filters, None])


def wavelet_bank(n_filters: int, kernel: tuple[int, ...]) -> Array:
    """Morlet wavelets (1D: scales) or Gabor wavelets (2D: scales × orientations); shape (n_filters, 1, *kernel).

    Real and imaginary part of a wavelet are two channels; each has mean zero. Scales are a factor √2 apart, from waves
    of 3 positions up to a wave as long as the kernel.
    """
    n_wavelets = -(-n_filters // 2)
    longest = max(3.0, float(min(kernel)))
    n_scales = max(1, math.floor(2 * math.log2(longest / 3.0)) + 1)
    n_angles = 1 if len(kernel) == 1 else min(8, max(1, -(-n_wavelets // n_scales)))
    n_scales = -(-n_wavelets // n_angles)
    wavelengths = np.geomspace(longest, 3.0, n_scales) if n_scales > 1 else np.array([longest / 2])
    axes = np.meshgrid(*(np.arange(length) - length // 2 for length in kernel), indexing="ij")
    waves = []
    for wavelength in wavelengths:
        envelope = np.exp(-0.5 * sum(axis**2 for axis in axes) / (0.5 * wavelength) ** 2)
        for angle in np.pi * np.arange(n_angles) / n_angles:
            along = axes[-1] * np.cos(angle) + (axes[0] * np.sin(angle) if len(kernel) == 2 else 0.0)
            carrier = np.exp(2j * np.pi * along / wavelength)
            waves.append(envelope * (carrier - (envelope * carrier).sum() / envelope.sum()))
    return unit_norm(_interleave(np.stack(waves))[:n_filters, None])


def _interleave(waves: Array) -> Array:
    """Real and imaginary part of each wave, one after the other."""
    return np.stack([waves.real, waves.imag], axis=1).reshape(-1, *waves.shape[1:])


def unit_norm(filters: Array) -> Array:
    """Filters scaled to unit norm; a zero filter stays."""
    norms = np.sqrt((filters.reshape(len(filters), -1) ** 2).sum(axis=1))
    return filters / np.where(norms > 0, norms, 1.0).reshape(-1, *[1] * (filters.ndim - 1))
