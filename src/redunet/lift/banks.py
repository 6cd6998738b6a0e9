"""Where filters come from: random numbers, the patches of the data, or a formula.

A filter bank is a function of a :class:`BankRequest` that returns a float64 array of shape (n_filters, n_channels_in,
*kernel), each filter of unit norm. To add one, write the function and give it a line in ``BANKS``, at the end.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ..inputs.errors import InputError, Option
from ..numerics.arrays import Array

# Number of patches that are drawn to learn from, if they do not take more memory than this, and the fewest.
MAX_PATCHES, FEWEST_PATCHES, PATCH_BYTES = 20_000, 2000, 128 * 2**20
# Share of the patches that vary which is left out, those that vary least: at unit norm they would be mostly noise.
LOW_CONTRAST_SHARE = 0.25
# A patch is flat if its contrast is below this share of the largest contrast.
FLAT_CONTRAST_SHARE = 1e-6
# Number of patches that a dictionary is learned from.
MAX_DICTIONARY_PATCHES = 5000


@dataclass(frozen=True, eq=False)
class BankRequest:
    """What a filter bank is asked for.

    Parameters
    ----------
    n_filters : int
    shape : tuple of int
        Shape of one filter, (n_channels_in, *kernel).
    rng : RandomState
    zero_mean : bool
        Whether random filters have their mean taken out.
    both_signs : bool
        Whether the threshold tells a response from its negative, so that a filter and its negative are two filters.
    patches : float64 array, shape (n_patches, n_channels_in · prod(kernel))
        Windows of the training samples, as ``draw_patches`` gives them; none for a bank that does not learn.
    """

    n_filters: int
    shape: tuple[int, ...]
    rng: np.random.RandomState
    zero_mean: bool
    both_signs: bool
    patches: Array

    @property
    def kernel(self) -> tuple[int, ...]:
        """Sides of a filter."""
        return self.shape[1:]


@dataclass(frozen=True)
class Bank:
    """One kind of filter bank.

    Parameters
    ----------
    make : function of a BankRequest
        Gives the filters, shape (n_filters, n_channels_in, *kernel).
    learns : bool
        Whether it learns from patches of the training samples.
    max_axes : int, optional
        Largest number of cyclic axes that it can make filters for.
    takes, instead : str
        For samples with more axes: what it takes in words, and the name of the bank to take instead.
    """

    make: Callable[[BankRequest], Array]
    learns: bool = False
    max_axes: int | None = None
    takes: str = ""
    instead: str = ""


def make_bank(
    name: str,
    n_filters: int,
    kernel: tuple[int, ...],
    samples: Array,
    sample_weight: Array,
    rng: np.random.RandomState,
    *,
    zero_mean: bool,
    both_signs: bool,
) -> Array:
    """Filters of a named bank for training samples (n_samples, n_channels_in, *grid) and their weights.

    Returns
    -------
    float64 array, shape (n_filters, n_channels_in, *kernel)
    """
    bank = BANKS[name]
    if bank.max_axes is not None and len(kernel) > bank.max_axes:
        raise InputError(
            "{filters} takes {samples}; pass {other}.",
            filters=Option("filters", name),
            samples=bank.takes,
            other=Option("filters", bank.instead),
        )
    shape = (samples.shape[1], *kernel)
    patches = np.empty((0, math.prod(shape)))
    if bank.learns:
        patches = draw_patches(samples, sample_weight, kernel, rng)
        if not len(patches):
            raise InputError(
                "the training samples have no patch of {size} that varies; pass a larger {kernel}, or {random}.",
                size=" × ".join(map(str, kernel)),
                kernel=Option("kernel_size"),
                random=Option("filters", "random"),
            )
    return bank.make(BankRequest(n_filters, shape, rng, zero_mean, both_signs, patches))


def random_bank(request: BankRequest) -> Array:
    """Gaussian filters, as in the paper."""
    filters = request.rng.standard_normal((request.n_filters, *request.shape))
    if request.zero_mean:
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
        As many as vary enough, of at most 20,000 that were drawn, or 128 MB.
    """
    grid = samples.shape[2:]
    most = max(FEWEST_PATCHES, min(MAX_PATCHES, PATCH_BYTES // (8 * samples.shape[1] * math.prod(kernel))))
    rows, places = draw_places(sample_weight, grid, rng, most)
    inside = [
        (place.reshape(-1, *[1] * len(grid)) + _along(axis, np.arange(side) - side // 2, len(grid))) % length
        for axis, (place, side, length) in enumerate(zip(places, kernel, grid, strict=True))
    ]
    patches = np.empty((len(rows), samples.shape[1], *kernel), samples.dtype)
    for channel in range(samples.shape[1]):
        patches[:, channel] = samples[(rows.reshape(-1, *[1] * len(grid)), channel, *inside)]
    # Only their shape matters: the largest value becomes 1, so that neither 1e-300 nor 1e300 is lost in a square.
    patches = (patches / (np.abs(samples).max(initial=0.0) or 1.0)).reshape(len(rows), -1).astype(np.float64)
    patches -= patches.mean(axis=1, keepdims=True)
    contrast = np.linalg.norm(patches, axis=1)
    varied = contrast > FLAT_CONTRAST_SHARE * contrast.max(initial=0.0)
    if not varied.any():
        return patches[:0]
    enough = varied & (contrast >= np.quantile(contrast[varied], LOW_CONTRAST_SHARE))
    return patches[enough] / contrast[enough, None]


def _along(axis: int, values: Array, n_axes: int) -> Array:
    """Values as an array that varies along one of several axes, behind an axis for samples."""
    return values.reshape(1, *(len(values) if i == axis else 1 for i in range(n_axes)))


def draw_places(
    sample_weight: Array, grid: tuple[int, ...], rng: np.random.RandomState, most: int = MAX_PATCHES
) -> tuple[Array, Any]:
    """Numbers of samples, and positions on the grid (an index array for each axis), in proportion to the weights."""
    n_samples, n_positions = len(sample_weight), math.prod(grid)
    n_drawn = min(n_samples * n_positions, most)
    weight_before = np.concatenate([[0.0], np.cumsum(sample_weight)])
    drawn = (rng.permutation(n_drawn) + rng.random_sample(n_drawn)) * (weight_before[-1] / n_drawn)
    rows = np.clip(np.searchsorted(weight_before, drawn, side="right") - 1, 0, n_samples - 1)
    share = (drawn - weight_before[rows]) / sample_weight[rows]
    positions = np.clip((share * n_positions).astype(int), 0, n_positions - 1)
    return rows, np.unravel_index(positions, grid)


def patch_bank(request: BankRequest) -> Array:
    """Centres of k-means clusters of patches."""
    n_different = len(np.unique(request.patches.round(9), axis=0))
    if n_different < request.n_filters:
        raise InputError(
            "the training samples have {n_different} different patches but {channels} asks for {n_filters} clusters of "
            "this kernel size; pass a smaller {channels}, or {random}.",
            n_different=n_different,
            n_filters=request.n_filters,
            channels=Option("n_channels"),
            random=Option("filters", "random"),
        )
    from sklearn.cluster import KMeans  # what takes long to import is imported where it is needed

    learner = KMeans(request.n_filters, n_init=1, max_iter=50, random_state=request.rng)
    # Its threads add up in the order in which they finish; the bits of a filter must not depend on their number.
    with threadpool_limits(limits=1, user_api="openmp"):
        centres = learner.fit(request.patches).cluster_centers_
    return unit_norm(centres).reshape(-1, *request.shape)


def pca_bank(request: BankRequest) -> Array:
    """Principal components of patches; with both signs of each, for a threshold that tells signs apart."""
    n_filters, patches, both_signs = request.n_filters, request.patches, request.both_signs
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
    if both_signs:
        components = np.concatenate([components, -components])[:n_filters]
    return components.reshape(-1, *request.shape)


def dictionary_bank(request: BankRequest) -> Array:
    """Atoms of a sparse dictionary of patches."""
    if len(request.patches) < request.n_filters:
        raise InputError(
            "the training samples have {n_patches} patches that vary but {channels} asks for a dictionary of "
            "{n_filters} atoms; pass a smaller {channels}, or {random}.",
            n_patches=len(request.patches),
            n_filters=request.n_filters,
            channels=Option("n_channels"),
            random=Option("filters", "random"),
        )
    from sklearn.decomposition import MiniBatchDictionaryLearning

    learner = MiniBatchDictionaryLearning(
        request.n_filters,
        alpha=0.5,
        max_iter=20,
        batch_size=256,
        transform_algorithm="lasso_lars",
        random_state=request.rng,
    )
    atoms = learner.fit(request.patches[:MAX_DICTIONARY_PATCHES]).components_
    return unit_norm(atoms).reshape(-1, *request.shape)


def stft_bank(request: BankRequest) -> Array:
    """Windowed cosines and sines, as of a short-time Fourier transform, on each input channel in turn."""
    return one_channel_each(windowed_sinusoids(request.n_filters, request.kernel[0]), request.shape[0])


def windowed_sinusoids(n_filters: int, length: int) -> Array:
    """Windowed cosines and sines of frequencies up to the highest that samples can hold; shape (n_filters, length).

    The window is Hann's; cosine and sine of a frequency are two filters.
    """
    window = np.hanning(length) if length > 2 else np.ones(length)
    n_frequencies = -(-n_filters // 2)
    time = np.arange(length) - length // 2
    frequencies = 0.5 * (np.arange(n_frequencies) + 0.5) / n_frequencies
    waves = window * np.exp(2j * np.pi * frequencies[:, None] * time)
    return unit_norm(_real_and_imaginary(waves)[:n_filters])


def wavelet_bank(request: BankRequest) -> Array:
    """Morlet wavelets for signals, Gabor wavelets for images, on each input channel in turn."""
    return one_channel_each(wavelets(request.n_filters, request.kernel), request.shape[0])


def wavelets(n_filters: int, kernel: tuple[int, ...]) -> Array:
    """Morlet wavelets (1D: scales) or Gabor wavelets (2D: scales × orientations); shape (n_filters, *kernel).

    Real and imaginary part of a wavelet are two filters; each has mean zero. Scales are a factor √2 apart, from waves
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
    return unit_norm(_real_and_imaginary(np.stack(waves))[:n_filters])


def one_channel_each(filters: Array, n_channels: int) -> Array:
    """Filters (n_filters, *kernel) as a bank (n_filters, n_channels, *kernel), each on one input channel, in turn."""
    if n_channels == 1:
        return filters[:, None]
    n_filters = len(filters)
    spread = np.zeros((n_filters, n_channels, *filters.shape[1:]))
    spread[np.arange(n_filters), np.arange(n_filters) % n_channels] = filters
    return unit_norm(spread)


def _real_and_imaginary(waves: Array) -> Array:
    """Real and imaginary part of each wave, one after the other."""
    return np.stack([waves.real, waves.imag], axis=1).reshape(-1, *waves.shape[1:])


def unit_norm(filters: Array) -> Array:
    """Filters scaled to unit norm, shape (n_filters, ...); a filter of zeros stays."""
    norms = np.sqrt((filters.reshape(len(filters), -1) ** 2).sum(axis=1))
    return filters / np.where(norms > 0, norms, 1.0).reshape(-1, *[1] * (filters.ndim - 1))


# Every filter bank by the name that ``Lift(filters=...)`` and ``redunet fit --lift`` take.
BANKS = {
    "patches": Bank(patch_bank, learns=True),
    "pca": Bank(pca_bank, learns=True),
    "dictionary": Bank(dictionary_bank, learns=True),
    "random": Bank(random_bank),
    "stft": Bank(stft_bank, max_axes=1, takes="signals of one cyclic axis", instead="wavelet"),
    "wavelet": Bank(wavelet_bank, max_axes=2, takes="signals and images", instead="patches"),
}
