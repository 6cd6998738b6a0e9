"""Low frequencies of the responses of images to small filters, several images side by side.

Down the columns of an image filters act on each frequency by itself, across they are laid on the few places that they
have. All of it is products of small matrices with vectors of lanes, one image in each (``kernels/low_spectra.py``). The
readable twin goes through Fourier transforms along both axes; it is in ``lift/responses.py``.
"""

from collections.abc import Sequence

import numpy as np

from ..numerics.arrays import Array
from .sample_lanes import Room, aligned_copy, aligned_empty, lanes_of
from .threads import n_threads_in_use, run_parts
from .workspace import Workspace

# Filters whose responses to two columns are worked on together: their sums fill the registers.
FILTERS_TOGETHER = 12


class ImageLanes:
    """Half spectra of the responses of images to a filter bank, after a threshold, as tiles of lanes.

    An image has the same bits whichever images are beside it.

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
        self.dtype, self.grid, self.coarse_grid = np.dtype(dtype), grid, coarse_grid
        self.zone = tuple(self.dtype.type(limit) for limit in zone)
        self.n_filters, self.n_channels = sum(len(some) for some in filters), filters[0].shape[1]
        self._memory = Workspace()
        height, width = grid
        n_cosines, n_sines = height // 2 + 1, (height - 1) // 2
        cosines, sines = waves(height, height)
        shares = np.where((np.arange(n_cosines) == 0) | (2 * np.arange(n_cosines) == height), 1.0, 2.0) / height
        self._to_waves = self._held(np.concatenate([cosines, sines]).T)
        even, odd = (cosines * shares[:, None])[:, :n_cosines], 2 / height * sines[:, 1 : 1 + n_sines]
        self._inverse = self._held(even), self._held(odd)
        low_cosines, low_sines = (low * (coarse_grid[0] / height) for low in waves(height, coarse_grid[0]))
        across = np.concatenate(waves(width, coarse_grid[1])) * (coarse_grid[1] / width)
        low = low_cosines[:, :n_cosines], low_sines[:, 1 : 1 + n_sines], across
        self._low = tuple(self._held(matrix.T) for matrix in low)
        self._products, self._products_of_one = [], []
        for some in filters:
            every = self._on_waves(some)
            self._products.append((some.shape[3], len(some), self._packed(every)))
            self._products_of_one.append((some.shape[3], len(some), self._side_by_side(every)))
        # Filters see this many columns, those beside both edges included; columns are worked on in pairs.
        self._margin = width + width % 2 + 2 * max(some.shape[3] // 2 for some in filters)

    def tiles(self, images: Array, room: Room = aligned_empty) -> Array:
        """Half spectra; float array, shape (n_tiles, n_freqs, 2 · n_filters, lanes): real parts, then imaginary ones.

        Parameters
        ----------
        images : array, shape (n_images, n_channels_in, *grid)
        room : function of a shape and a type
            Gives memory for them.
        """
        from .kernels import fill_lanes, fill_low_spectra, fill_waves, memory_of_low_spectra

        (height, width), coarse, size = self.grid, self.coarse_grid, lanes_of(self.dtype)
        n_tiles = -(-len(images) // size)
        shape = (n_tiles, coarse[0] * (coarse[1] // 2 + 1), 2 * self.n_filters, size)
        tiles = room(shape, self.dtype)
        C, margin = self.n_channels, self._margin
        columns = self._room("columns", C * height * (width + width % 2) * size)
        pair, planes = self._room("pair", 2 * height * size), self._room("planes", n_planes(height) * margin * C * size)
        if len(images) == 1:
            tiles[...] = 0  # whatever is in the other lanes might be slow to compute with
            fill_lanes(images, 0, columns)
            fill_waves(columns, self._to_waves, C, height, width, margin, pair, planes)
            self._respond_to_one(planes.reshape(-1, size)[:, 0].copy(), tiles[0])
            return tiles
        parts = self._parts(together=n_tiles >= n_threads_in_use())
        for number in range(n_tiles):
            fill_lanes(images, number * size, columns)
            fill_waves(columns, self._to_waves, C, height, width, margin, pair, planes)

            tile = tiles[number].reshape(-1)

            def respond(part: tuple[int, int, int, Array], tile: Array = tile) -> None:
                kernel_width, first, n_filters, filters = part
                responses = self._room("responses", memory_of_low_spectra(height, width, *coarse, size))
                fill_low_spectra(
                    planes, margin, C, height, width, filters, kernel_width, n_filters, first, self.n_filters,
                    self._inverse, self._low, *coarse, *self.zone, responses, tile,
                )  # fmt: skip

            run_parts(respond, parts)
        return tiles

    def _respond_to_one(self, planes: Array, tile: Array) -> None:
        """The first lane of a tile from the waves of its image, with filters side by side."""
        from .kernels import fill_low_spectra_of_one, memory_of_one

        (height, width), coarse, size = self.grid, self.coarse_grid, lanes_of(self.dtype)
        responses, first = self._room("responses to one", memory_of_one(height, width, *coarse, size)), 0
        for kernel_width, n_filters, filters in self._products_of_one:
            fill_low_spectra_of_one(
                planes, self._margin, self.n_channels, height, width, filters, kernel_width, n_filters, first,
                self.n_filters, self._inverse, self._low, *coarse, *self.zone, responses, tile.reshape(-1),
            )  # fmt: skip
            first += n_filters

    def _parts(self, *, together: bool) -> list[tuple[int, int, int, Array]]:
        """Filters that are worked on by one core: width, number of the first one, how many, what they multiply with.

        All of one width together, or a few of them, where there are more cores than tiles.
        """
        parts, first = [], 0
        for kernel_width, n_filters, matrices in self._products:
            most = n_filters if together else FILTERS_TOGETHER
            items = len(matrices) // n_filters
            for start in range(0, n_filters, most):
                n_some = min(most, n_filters - start)
                some = matrices[start * items : (start + n_some) * items]
                parts.append((kernel_width, first + start, n_some, some))
            first += n_filters
        return parts

    def _room(self, name: str, n_items: int) -> Array:
        return self._memory(name, (n_items,), self.dtype)

    def _on_waves(self, filters: Array) -> Array:
        """What filters make of the waves of neighbouring columns at each frequency.

        With x(p) = Σ_h x(h) exp(−2πi ph/H) = a − ib and g(p) = Σ_h g(h) exp(2πi ph/H) = c + id, counted from the centre
        of the filter, the response is x(p) g(p) = (ac + bd) − i (bc − ad). That is three products instead of four:
        c(a + b) + (d − c)b and c(a + b) − (c + d)a.

        Returns
        -------
        array, shape (n_cosines, 3, n_channels_in, width, n_filters)
            c, d − c and −(c + d).
        """
        height, kernel_height = self.grid[0], filters.shape[2]
        angles = (
            2 * np.pi * np.outer(np.arange(height // 2 + 1), np.arange(kernel_height) - kernel_height // 2) / height
        )
        c = np.einsum("fchw,ph->pcwf", filters, np.cos(angles))
        d = np.einsum("fchw,ph->pcwf", filters, np.sin(angles))
        return np.stack([c, d - c, -(c + d)], axis=1)

    def _packed(self, every: Array) -> Array:
        """What filters are multiplied with, some of them after the others, as they are worked on for a whole tile."""
        n_filters = every.shape[-1]
        some = [every[..., first : first + FILTERS_TOGETHER] for first in range(0, n_filters, FILTERS_TOGETHER)]
        return self._held(np.concatenate([one.reshape(-1) for one in some]))

    def _side_by_side(self, every: Array) -> Array:
        """What filters are multiplied with, in pairs of vectors of lanes, as they are worked on for one image."""
        pair = 2 * lanes_of(self.dtype)
        n_pairs = -(-every.shape[-1] // pair)
        padded = np.zeros((*every.shape[:-1], n_pairs * pair))
        padded[..., : every.shape[-1]] = every
        return self._held(np.moveaxis(padded.reshape(*every.shape[:-1], n_pairs, pair), -2, 0))

    def _held(self, matrix: Array) -> Array:
        return aligned_copy(matrix, self.dtype)


def n_planes(height: int) -> int:
    """Planes that waves are held in: at each frequency the sum of the cosine and the sine part, and both parts."""
    return 3 * (height // 2 + 1)


def waves(length: int, n_kept: int) -> tuple[Array, Array]:
    """Cosines of 0, 1, … periods and sines of 1, 2, … periods on a circle; as many as one of n_kept positions has."""
    angles = 2 * np.pi * (np.outer(np.arange(n_kept // 2 + 1), np.arange(length)) % length) / length
    return np.cos(angles), np.sin(angles[1 : 1 + (n_kept - 1) // 2])
