"""Features on their way through the layers: tiles of samples that stay in cache, worked on by all cores.

The readable twin of what happens here is a layer called on blocks V[freq, channel, sample], and
:func:`redunet.numerics.moments.class_moments` of the result.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import numpy as np

from ..numerics.arrays import Array
from .cached import cached_property
from .row_layout import KernelMeasure, RowLayout
from .threads import n_threads_in_use, run_parts

# Up to here a tile is multiplied by the small kernel, beyond by BLAS; measured at 5 to 48 channels.
FEW_ROWS = 48
# A tile of few rows and what the operators make of it should stay in a core's own cache.
CACHE_BYTES = 2**20
# BLAS reads and repacks the operators for each tile, so tiles are wide. The products of a tile with all operators are
# stored where they take no more than this.
MANY_ROWS_TILE_SAMPLES = 512
STORED_PRODUCTS_BYTES = 64 * 2**20
# Numbers to copy that are worth the time it takes to hand them to another core.
NUMBERS_WORTH_SHARING = 2**18
# Moments are summed over parts of so many tiles of one class, then over the parts: always the same ones, whoever sums.
FEW_ROWS_PART_TILES = 8
# What a layer is given that is to sum no moments.
NO_MOMENTS = np.empty((0, 1, 1, 1, 1))


class TileLayer(Protocol):
    """What tiles need of a layer; see :class:`redunet.network.layer.Layer`."""

    @property
    def expansion(self) -> Array:
        """E, shape (n_freqs, n_channels, n_channels)."""

    @property
    def compression(self) -> Array:
        """C_j, shape (n_classes, n_freqs, n_channels, n_channels)."""

    @property
    def class_share(self) -> Array:
        """γ_j, shape (n_classes,)."""

    @property
    def step_size(self) -> float:
        """η."""

    @property
    def sharpness(self) -> float:
        """λ of the soft membership."""

    @property
    def momentum(self) -> float:
        """β."""

    def for_kernel(self, layout: RowLayout) -> KernelMeasure | None:
        """What the compiled layer needs of the measure; None where the layer has to be called itself."""

    def __call__(self, V: Array, weights: Array) -> Array:
        """Features after the layer, the readable way."""


class Tiles:
    """Samples sorted by class, as real tiles X[tile, freq, row, sample]; each tile has samples of one class.

    Parameters
    ----------
    bounds : int array, shape (n_classes + 1,)
        Class j has the samples bounds[j] to bounds[j+1] − 1.
    n_freqs, n_channels : int
    n_operators : int
        Classes of the network, plus one; decides how wide a tile may be.
    paired : bool
        Whether channels are complex, hence pairs of rows.
    dtype : float32 or float64
    """

    def __init__(
        self, bounds: Array, n_freqs: int, n_channels: int, n_operators: int, *, paired: bool, dtype: np.dtype
    ) -> None:
        from .kernels import TILE_MULTIPLE

        self.n_channels, self.paired, self.n_classes = n_channels, paired, len(bounds) - 1
        rows = n_channels * (2 if paired else 1)
        rows += rows % 2
        self.few_rows = rows <= FEW_ROWS
        self.layout = RowLayout(n_freqs, n_channels, rows, paired, self.few_rows, np.dtype(dtype))
        self.largest_class = int(np.diff(bounds).max())
        per_sample = n_freqs * rows * n_operators * np.dtype(dtype).itemsize
        self.stores_products = self.few_rows or MANY_ROWS_TILE_SAMPLES * per_sample <= STORED_PRODUCTS_BYTES
        width = min(_widest_tile(per_sample, TILE_MULTIPLE, few_rows=self.few_rows), self.largest_class)
        self.width = -(-width // TILE_MULTIPLE) * TILE_MULTIPLE
        # Where each sample is: tiles are filled class by class, the last one of a class in part.
        tiles = [
            [(first, min(first + self.width, stop)) for first in range(start, stop, self.width)]
            for start, stop in pairwise(bounds.tolist())
        ]
        self.samples = [tile for of_class in tiles for tile in of_class]
        self.X = np.zeros((len(self.samples), n_freqs, rows, self.width), dtype=dtype)
        self.sample_weight = np.zeros((len(self.samples), self.width))
        # With many rows, the moments of all parts together take no more memory than the tiles.
        moment_bytes = 8 * (1 + paired) * n_freqs * n_channels**2
        per_part = FEW_ROWS_PART_TILES if self.few_rows else max(1, -(-moment_bytes // self.X[0].nbytes))
        self.starts, self.first_parts = _parts([len(of_class) for of_class in tiles], per_part)
        self._scratch: SimpleQueue[Array] = SimpleQueue()

    @property
    def dtype(self) -> np.dtype:
        """Precision of the features."""
        return self.X.dtype

    def fill(self, first: int, V: Array, sample_weight: Array | None = None) -> None:
        """Put blocks V (n_freqs, n_channels, n) into the places of samples first, first + 1, …"""
        C = self.n_channels
        for t, inside, place in self._overlaps(first, first + V.shape[2]):
            self.X[t, :, :C, place] = V.real[:, :, inside]
            if self.paired:
                self.X[t, :, C : 2 * C, place] = V.imag[:, :, inside]
            self.sample_weight[t, place] = 1.0 if sample_weight is None else sample_weight[inside]

    def blocks(self, first: int, last: int) -> Array:
        """Blocks V (n_freqs, n_channels, last − first) of samples first to last − 1."""
        C = self.n_channels
        kind = np.result_type(self.X.dtype, np.complex64) if self.paired else self.X.dtype
        V = np.empty((self.X.shape[1], C, last - first), dtype=kind)
        for t, inside, place in self._overlaps(first, last):
            V.real[:, :, inside] = self.X[t, :, :C, place]
            if self.paired:
                V.imag[:, :, inside] = self.X[t, :, C : 2 * C, place]
        return V

    def chosen(self, samples: Array) -> Array:
        """Blocks V (n_freqs, n_channels, n) of some samples, given by their numbers in ascending order."""
        C = self.n_channels
        kind = np.result_type(self.X.dtype, np.complex64) if self.paired else self.X.dtype
        V = np.empty((self.X.shape[1], C, len(samples)), dtype=kind)
        for t, (start, stop) in enumerate(self.samples):
            low, high = np.searchsorted(samples, (start, stop))
            places = samples[low:high] - start
            V.real[:, :, low:high] = self.X[t][:, :C, places]
            if self.paired:
                V.imag[:, :, low:high] = self.X[t][:, C : 2 * C, places]
        return V

    def _overlaps(self, first: int, last: int) -> Iterator[tuple[int, slice, slice]]:
        """Tiles that hold samples first to last − 1: the tile, which of the samples, and where in the tile."""
        for t, (start, stop) in enumerate(self.samples):
            low, high = max(first, start), min(last, stop)
            if low < high:
                yield t, slice(low - first, high - first), slice(low - start, high - start)

    def moments(self) -> Array:
        """Second moment of each class in double precision; shape (n_classes, n_freqs, n_channels, n_channels)."""
        return self._moments(self.X)

    def extrapolate(self, beta: float, weights: Array) -> Array:
        """Start the next layer from X + β (X − Y), Y the features before X; second moments of the classes there."""
        self._extrapolate(beta, weights)
        return self._moments(self.Y)

    def advance(self, layer: TileLayer, weights: Array, *, in_place: bool, exact_moments: bool = False) -> Array:
        """Carry all samples through a layer, and give the second moments of the classes of the result.

        Moments that are summed on the way through a layer cost least. For features of single precision those sums have
        rounding errors in all directions, which operators do not see and eigenvectors of small classes would.

        Parameters
        ----------
        layer : TileLayer
        weights : float array, shape (n_freqs,)
            Parseval weights.
        in_place : bool
            Overwrite the features; otherwise they stay until :meth:`accept` puts the result in their place.
        exact_moments : bool
            Sum the moments in double precision throughout, since eigenvectors will be read off them.
        """
        source, target = self.Y if layer.momentum else self.X, self.X if in_place else self.Y
        measure = layer.for_kernel(self.layout)
        on_the_way = measure is not None and not (exact_moments and self.X.dtype != np.float64)
        M = self._empty_moments() if on_the_way else NO_MOMENTS
        self._pass(layer, measure, weights, source, target, M)
        return self._class_moments(M) if on_the_way else self._moments(target)

    def accept(self) -> None:
        """Put the result of the last layer in the place of the features, and those in the place of the ones before."""
        self.X, self.Y = self.Y, self.X

    def carry(self, layers: Sequence[TileLayer], weights: Array, *, more_to_come: bool = False) -> None:
        """Carry all samples through the layers of a finished network, or through the next ones of a growing one."""
        # Layers in a file say at once whether any has momentum, without being read.
        momenta = getattr(layers, "momenta", None)
        if momenta is None:
            momenta = [layer.momentum for layer in layers]
        in_place = not (more_to_come or any(momenta))
        for layer in layers:
            if layer.momentum:
                self._extrapolate(layer.momentum, weights)
            source, target = self.Y if layer.momentum else self.X, self.X if in_place else self.Y
            self._pass(layer, layer.for_kernel(self.layout), weights, source, target, NO_MOMENTS)
            if not in_place:
                self.accept()

    @cached_property
    def Y(self) -> Array:  # noqa: N802 - the twin of X
        """A second set of tiles, for features that are still needed while the next ones are made."""
        return np.zeros_like(self.X)

    # Names of the arrays that say where the features are.
    STATE = ("X", "Y")

    def state(self) -> dict[str, Array]:
        """Features as they are, and those before them if there are any: what :meth:`restore` goes on from."""
        return {name: value for name, value in vars(self).items() if name in self.STATE}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over the features of other tiles for the same samples, as :meth:`state` gave them."""
        for array in (state["X"], *state.values()):
            if array.shape != self.X.shape or array.dtype != self.X.dtype:
                raise ValueError("features of another shape")
        for name, array in state.items():
            getattr(self, name)[:] = array

    def _moments(self, X: Array) -> Array:
        from . import kernels

        kernel: Any = kernels.moments_few_rows if self.few_rows else kernels.moments_many_rows
        M = self._empty_moments()
        run_parts(lambda part: kernel(X, self.starts, part[0], part[1], self.sample_weight, M), self._shares())
        return self._class_moments(M)

    def _extrapolate(self, beta: float, weights: Array) -> None:
        from .kernels import extrapolate

        real = self.X.dtype.type
        weights = np.asarray(weights, dtype=real)

        def work(part: tuple[int, int]) -> None:
            extrapolate(self.X, self.Y, real(beta), weights, self.starts[part[0]], self.starts[part[1]])

        run_parts(work, self._shares())

    def _pass(
        self,
        layer: TileLayer,
        measure: KernelMeasure | None,
        weights: Array,
        source: Array,
        target: Array,
        M: Array,
    ) -> None:
        """Carry all samples through a layer, from one set of tiles to another (or the same).

        A compiled layer adds the moments of the result to M on the way, if there is room in M.
        """
        if measure is None:
            self._pass_readable(layer, weights, source, target)
            return
        from . import kernels

        kernel: Any = kernels.advance_few_rows if self.few_rows else kernels.advance_many_rows
        record: Any = kernels.LayerOnFewRows if self.few_rows else kernels.LayerOnManyRows
        real = self.X.dtype.type
        rows = (weights, layer.step_size * layer.class_share, measure.unit, measure.offset)
        on_rows = record(
            self._operators(layer),
            measure.probes,
            *(np.asarray(row, dtype=real) for row in rows),
            measure.squared,
            real(layer.sharpness),
        )
        sample_weight = self.sample_weight.astype(real, copy=False)

        def work(part: tuple[int, int]) -> None:
            scratch = self._borrow_scratch(len(layer.compression) + 1)
            kernel(source, target, on_rows, self.starts, *part, sample_weight, M, scratch)
            self._scratch.put(scratch)

        run_parts(work, self._shares())

    def _pass_readable(self, layer: TileLayer, weights: Array, source: Array, target: Array) -> None:
        """Carry all samples through a layer by calling the layer itself, tile by tile."""
        C = self.n_channels

        def work(t: int) -> None:
            V = source[t, :, :C] + 1j * source[t, :, C : 2 * C] if self.paired else source[t, :, :C].copy()
            used = self.samples[t][1] - self.samples[t][0]
            V = layer(V[:, :, :used], weights)
            target[t, :, :C, :used] = V.real
            if self.paired:
                target[t, :, C : 2 * C, :used] = V.imag

        run_parts(work, range(len(self.samples)))

    def _operators(self, layer: TileLayer) -> Array:
        """The compressions and I + η E as real matrices; shape (n_freqs, n_classes + 1, rows, rows)."""
        from .kernels import embed

        k, n_freqs, rows = len(layer.compression), self.X.shape[1], self.X.shape[2]
        A = np.zeros((n_freqs, k + 1, rows, rows), dtype=self.X.dtype)
        real = self.X.dtype.type

        def work(part: tuple[int, int]) -> None:
            embed(layer.compression, layer.expansion, real(layer.step_size), A, *part)

        share = max(1, NUMBERS_WORTH_SHARING // A[0].size)
        run_parts(work, [(first, min(first + share, n_freqs)) for first in range(0, n_freqs, share)])
        return A

    def _shares(self) -> list[tuple[int, int]]:
        """Ranges of parts that cores work off: one each where a layer takes milliseconds, else one part at a time."""
        n_parts = len(self.starts) - 1
        n_shares = min(n_threads_in_use(), n_parts) if self.few_rows else n_parts
        return list(pairwise(n_parts * i // n_shares for i in range(n_shares + 1)))

    def _empty_moments(self) -> Array:
        """Room for the moments of all parts, real and imaginary; shape (n_parts, 1 or 2, n_freqs, C, C)."""
        return np.zeros((len(self.starts) - 1, 1 + self.paired, self.X.shape[1], self.n_channels, self.n_channels))

    def _class_moments(self, M: Array) -> Array:
        """Sum of the parts of each class, always in the same order, with the upper half filled in; M is overwritten."""
        from .kernels import hermitian, mirror_upper

        total = M if len(M) == self.n_classes else np.add.reduceat(M, self.first_parts, axis=0)
        moments = np.empty((self.n_classes, *M.shape[2:]), dtype=np.complex128) if self.paired else total[:, 0]

        def work(j: int) -> None:
            if self.paired:
                hermitian(total[j], moments[j])
            else:
                mirror_upper(moments[j, 0], 1.0, moments[j, 0])

        if moments.size > NUMBERS_WORTH_SHARING:
            run_parts(work, range(self.n_classes))
        else:
            for j in range(self.n_classes):
                work(j)
        return moments

    def _borrow_scratch(self, n_operators: int) -> Array:
        """Memory for what the operators make of one tile; returned to the queue and used again."""
        try:
            return self._scratch.get_nowait()
        except Empty:
            n_freqs, rows, width = self.X.shape[1:]
            return np.empty((n_freqs if self.stores_products else 1) * n_operators * rows * width, dtype=self.X.dtype)


def _widest_tile(bytes_per_sample: int, tile_multiple: int, *, few_rows: bool) -> int:
    """Samples that a tile should have at most, so that it and its products with the operators stay in cache."""
    if not few_rows:
        return MANY_ROWS_TILE_SAMPLES
    return 2 * tile_multiple if 2 * tile_multiple * bytes_per_sample <= CACHE_BYTES else tile_multiple


def _parts(n_tiles: Sequence[int], per_part: int) -> tuple[Array, list[int]]:
    """Ranges of tiles of one class, of nearly equal size: where each starts, and which is the first of each class.

    Parameters
    ----------
    n_tiles : sequence of int
        Number of tiles of each class.
    per_part : int
        Tiles of a part at most.

    Returns
    -------
    starts : int array, shape (n_parts + 1,)
    first_parts : list of int, length n_classes
    """
    starts, first_parts = [0], []
    for n in n_tiles:
        n_parts = -(-n // per_part)
        first_parts.append(len(starts) - 1)
        starts += [starts[-1] + n * i // n_parts for i in range(1, n_parts + 1)]
    return np.array(starts), first_parts
