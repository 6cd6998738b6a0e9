"""Low frequencies of the responses of images to small filters, by products of small matrices.

A Fourier transform of 28 rows is a product with a 28 × 28 matrix, and a processor multiplies matrices ten times as
quickly as it goes through the steps of a fast transform. Down the columns of an image the filters act on each frequency
by itself, across they are laid on the few places that they have. The readable twin goes through Fourier transforms
along both axes; it is in ``lift/responses.py``.
"""

import math
from collections.abc import Sequence

import numpy as np

from ..numerics.arrays import Array
from .image_lanes import ImageLanes, waves
from .sample_lanes import blocks_of_tiles
from .workspace import Workspace

# Images that are worked on together, if their responses take so many bytes at most, and the fewest that are worth it.
MOST_IMAGES, FEWEST_IMAGES, RESPONSE_BYTES = 32, 8, 6 * 2**20
# Products of numbers for one response beyond which fast Fourier transforms take less time.
MOST_PRODUCTS = 512


def n_products(filters: Sequence[Array], grid: tuple[int, ...], coarse_grid: tuple[int, ...]) -> float:
    """How many products of numbers each response takes, on the average of the filters."""
    n_filters = sum(len(some) for some in filters)
    across = sum(len(some) * 2 * some.shape[1] * some.shape[3] for some in filters) / n_filters
    low = (coarse_grid[0] / 2) * (1 + 2 * coarse_grid[1] / grid[0])
    return across + grid[0] / 2 + low


class ImageSpectra:
    """Half spectra of the responses of images to a filter bank, after a threshold.

    Parameters
    ----------
    filters : sequence of float arrays, each of shape (n_filters, n_channels_in, height, width)
    grid : tuple of int
        Height and width of the images.
    coarse_grid : tuple of int
        Height and width of the responses that are made of the low frequencies alone.
    zone : tuple of float
        What of a response lies outside of this interval is kept; the others become zero.
    dtype : float32 or float64
    """

    def __init__(
        self,
        filters: Sequence[Array],
        grid: tuple[int, ...],
        coarse_grid: tuple[int, ...],
        zone: tuple[float, float],
        dtype: np.dtype,
    ) -> None:
        self.dtype = np.dtype(dtype)
        self.grid, self.coarse_grid = grid, coarse_grid
        self.zone = tuple(self.dtype.type(limit) for limit in zone)
        self.n_filters = sum(len(some) for some in filters)
        # Several small images are worked on side by side, a large one by itself.
        self.lanes = None
        if self.images_at_a_time > 1:
            self.lanes = ImageLanes(filters, grid, coarse_grid, zone, dtype)
            return
        self._memory = Workspace()
        height, width = grid
        n_rows = height // 2 + 1
        cosines, sines = waves(height, height)
        shares = np.where((np.arange(n_rows) == 0) | (2 * np.arange(n_rows) == height), 1.0, 2.0) / height
        self._to_waves = self._held(np.concatenate([cosines, sines]))
        self._to_even = self._held((cosines * shares[:, None])[:, :n_rows].T)
        self._to_odd = self._held(2 / height * sines[:, 1 : 1 + len(sines)].T)
        self._products = [self._on_waves(some) for some in filters]
        low_cosines, low_sines = waves(height, coarse_grid[0])
        self._low_even = self._held(low_cosines[:, :n_rows] * (coarse_grid[0] / height))
        self._low_odd = self._held(low_sines[:, 1 : 1 + len(sines)] * (coarse_grid[0] / height))
        self._low_across = self._held(np.concatenate(waves(width, coarse_grid[1])) * (coarse_grid[1] / width))

    @property
    def images_at_a_time(self) -> int:
        """Images that are worked on together: several, whose responses stay near the processor, or one."""
        size = RESPONSE_BYTES // (self.n_filters * math.prod(self.grid) * self.dtype.itemsize)
        return 1 if size < FEWEST_IMAGES else min(size, MOST_IMAGES)

    def __call__(self, images: Array) -> Array:
        """Half spectra; complex array, shape (n_freqs, n_filters, n_images).

        Parameters
        ----------
        images : array, shape (n_images, n_channels_in, *grid)
        """
        if self.lanes is not None:
            return blocks_of_tiles(self.lanes.tiles(images), np.arange(len(images)), np.ones(len(images)))
        height, width = self.coarse_grid
        n_freqs, size = height * (width // 2 + 1), self.images_at_a_time
        kind = np.result_type(self.dtype, np.complex64)
        if len(images) <= size:
            return self._some(images, np.empty((n_freqs, self.n_filters, len(images)), kind))
        V = np.empty((n_freqs, self.n_filters, len(images)), kind)
        for first in range(0, len(images), size):
            some = images[first : first + size]
            V[:, :, first : first + size] = self._some(some, np.empty((n_freqs, self.n_filters, len(some)), kind))
        return V

    def _some(self, images: Array, V: Array) -> Array:
        from .kernels import keep_outside, spectra_of_waves

        n, (height, width), n_filters, dtype = len(images), self.grid, self.n_filters, self.dtype
        n_cosines, n_sines, size = height // 2 + 1, (height - 1) // 2, n_filters * width * n
        columns = np.ascontiguousarray(images.transpose(2, 1, 3, 0), dtype=dtype)
        waves = (self._to_waves @ columns.reshape(height, -1)).reshape(-1, *columns.shape[1:])
        cosine_part = self._memory("cosine part", (n_cosines, n_filters, width * n), dtype)
        sine_part = self._memory("sine part", (n_sines, n_filters, width * n), dtype)
        first = 0
        for kernel_width, for_cosines, for_sines in self._products:
            some = slice(first, first + for_cosines.shape[1])
            laid_out = self._windows(waves, kernel_width)
            np.matmul(for_cosines, laid_out, out=cosine_part[:, some])
            np.matmul(for_sines, laid_out[1 : 1 + n_sines], out=sine_part[:, some])
            first = some.stop
        even = self._memory("even", (n_cosines, size), dtype)
        odd = self._memory("odd", (n_sines, size), dtype)
        np.matmul(self._to_even, cosine_part.reshape(n_cosines, size), out=even)
        np.matmul(self._to_odd, sine_part.reshape(n_sines, size), out=odd)
        keep_outside(even, odd, *self.zone)
        n_low = len(self._low_even)
        down = self._memory("down", (n_low + len(self._low_odd), size), dtype)
        np.matmul(self._low_even, even, out=down[:n_low])
        np.matmul(self._low_odd, odd, out=down[n_low:])
        both = down.reshape(-1, width) @ self._low_across.T if n == 1 else self._low_across @ down.reshape(-1, width, n)
        spectra_of_waves(both.reshape(self.coarse_grid[0], n_filters, self.coarse_grid[1], n), V)
        return V

    def _windows(self, waves: Array, kernel_width: int) -> Array:
        """The columns that a filter sees at each place, wave by wave.

        Parameters
        ----------
        waves : array, shape (height, n_channels, width, n)
            Cosines, then sines.

        Returns
        -------
        array, shape (n_cosines, kernel_width · 2 · n_channels, width · n)
            The sines of 0 and of half as many periods as there are rows are zeros.
        """
        height, n_channels, width, n = waves.shape
        n_cosines, n_sines = height // 2 + 1, (height - 1) // 2
        windows = self._memory("windows", (n_cosines, kernel_width, 2, n_channels, width, n), self.dtype)
        windows[0, :, 1], windows[1 + n_sines :, :, 1] = 0, 0
        parts = ((slice(n_cosines), 0, waves[:n_cosines]), (slice(1, 1 + n_sines), 1, waves[n_cosines:]))
        for place in range(kernel_width):
            offset = (place - kernel_width // 2) % width
            for rows, part, some in parts:
                windows[rows, place, part, :, : width - offset] = some[:, :, offset:]
                windows[rows, place, part, :, width - offset :] = some[:, :, :offset]
        return windows.reshape(n_cosines, kernel_width * 2 * n_channels, width * n)

    def _on_waves(self, filters: Array) -> tuple[int, Array, Array]:
        """Width of filters, and what they make of the waves of neighbouring columns at each frequency.

        With x(p) = Σ_h x(h) exp(−2πi ph/H) = a − ib and g(p) = Σ_h g(h) exp(2πi ph/H) = c + id, counted from the centre
        of the filter, the response is x(p) g(p) = (ac + bd) − i (bc − ad).

        Returns
        -------
        width : int
        for_cosines : array, shape (n_cosines, n_filters, width · 2 · n_channels_in)
        for_sines : array, shape (n_sines, n_filters, width · 2 · n_channels_in)
        """
        n_filters, n_channels, kernel_height, kernel_width = filters.shape
        height = self.grid[0]
        angles = (
            2 * np.pi * np.outer(np.arange(height // 2 + 1), np.arange(kernel_height) - kernel_height // 2) / height
        )
        c = np.einsum("fchw,ph->pfwc", filters, np.cos(angles))
        d = np.einsum("fchw,ph->pfwc", filters, np.sin(angles))
        shape = (-1, n_filters, kernel_width * 2 * n_channels)
        for_cosines = np.stack([c, d], axis=3).reshape(shape)
        for_sines = np.stack([-d, c], axis=3)[1 : 1 + (height - 1) // 2].reshape(shape)
        return kernel_width, self._held(for_cosines), self._held(for_sines)

    def _held(self, matrix: Array) -> Array:
        return np.ascontiguousarray(matrix, dtype=self.dtype)
