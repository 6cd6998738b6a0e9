"""The finished network: frozen layers, and the way of new samples through them."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np

from ..fast.representatives import representative
from ..fast.sample_lanes import Room, SampleLanes, aligned_empty
from ..fast.threads import at_most_threads, n_threads_in_use, run_parts
from ..fast.tiles import Tiles
from ..fast.workspace import Workspace
from ..inputs.errors import Data, InputError, SilentSampleError
from ..inputs.labels import Labels
from ..measures.class_moments import ClassMoments, FeatureSpace
from ..numerics.arrays import Array
from ..numerics.spectrum import samples_of, squared_norms
from ..storage.expectations import expect
from ..storage.model_file_error import ModelFileError
from ..storage.stored_types import stored_record
from .geometry import Geometry
from .kernel_map import KernelMap
from .layer import Layer
from .span import SampleSpan, Span
from .standardiser import Standardiser
from .stored_layers import LAYERS_ENCODING, StoredLayers

# Samples pass the layers in blocks of so many bytes, which stay in the cache of the processor. They enter and leave in
# parts of a block, since the way in and out takes several copies.
BLOCK_BYTES = 8 * 2**20
ENTRANCE_BYTES, SMALL_ENTRANCE_BYTES = 2**20, 3 * 2**15
FEWEST_SAMPLES, KERNEL_SAMPLES = 32, 1024
# With many channels the operators take more memory than such a block, and are unpacked for no fewer samples than these.
WIDE_BLOCK_SAMPLES, FEW_CHANNELS = 512, 24
# Samples that are measured side by side, at a time on each core, if they take so many bytes at most: what classes are
# measured by is read once for all of them. Always a multiple of those that lie in one tile.
SAMPLES_IN_LANES, BYTES_IN_LANES, MOST_LANES = 256, 2**24, 16
# Samples whose features are turned back to places of the sample together.
LOCATED_SAMPLES = 64
# Features are of unit norm up to so much, in single precision too.
NORM_TOLERANCE = 1e-2
# The operators of a spanned network are not written out as n × n matrices beyond this many bytes.
LARGEST_MATRICES_BYTES = 2 * 2**30
# Training vectors that a span is made of, at most, and memory that the moments of classes in it may take.
MOST_SPANNING_VECTORS, LARGEST_MOMENTS_BYTES = 2000, 2**29


class Lifting(Protocol):
    """What gives samples more channels before they enter; see :class:`redunet.lift.responses.FilterBank`."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a lifted sample."""

    @property
    def samples_at_a_time(self) -> int:
        """Samples that may be lifted together, for bounded memory."""

    @property
    def n_independent_channels(self) -> int:
        """Dimension of what lifted samples span at one frequency, at most."""

    @property
    def is_invariant(self) -> bool:
        """Whether a lifted sample has the same bits for every shift of the sample; then it is a vector."""

    def padded(self, samples: Array) -> Array:
        """Samples with their margin."""

    def __call__(self, samples: Array) -> Array:
        """Padded samples, lifted."""

    def check_stored(self, sample_shape: tuple[int, ...], file_bytes: int) -> None:
        """Refuse what came from a file and does not fit samples of this shape."""


class LocatedLifting(Lifting, Protocol):
    """A lift whose responses have places in the sample; see :class:`redunet.lift.responses.FilterBank`."""

    def spectra(self, samples: Array, dtype: np.dtype) -> Array:
        """Half spectra of padded samples, lifted; shape (n_freqs, n_channels, n_samples), at any scale."""

    def lanes(self, samples: Array, dtype: np.dtype, room: Room = aligned_empty) -> Array | None:
        """The same in lanes, where that is the quicker way; shape (n_tiles, n_freqs, 2 · n_channels, lanes)."""

    def sample_shares(self, samples: Array, features: Array, weights: Array) -> Array:
        """What each value of samples gives to the sum of the features of their representatives times weights."""


class InvariantLifting(Lifting, Protocol):
    """A lift whose samples are vectors that no shift changes; see :class:`redunet.lift.pooled_bank.PooledBank`."""

    def unit_vectors(self, samples: Array) -> Array:
        """Samples lifted onto the unit sphere, with a constant coordinate; shape (n_samples, n_features + 1)."""

    @property
    def pad(self) -> tuple[int, ...]:
        """Zeros that are appended to a signal."""

    def without_padding(self) -> "InvariantLifting":
        """The same lift, for signals that have their zeros already."""

    @property
    def part_names(self) -> tuple[str, ...]:
        """Names of groups of features."""

    def parts_of(self, shares: Array) -> Array:
        """Shares of features (n_samples, n_features), added up over each group; shape (n_samples, n_parts)."""


@dataclass(frozen=True, eq=False)
class Kernels:
    """The operators of a layer as multi-channel convolution kernels in the sample domain.

    ``kernel[c, c']`` is convolved circularly with channel c' and the results are added up over c' to give channel c
    (the paper's Propositions on convolution structure). For plain vectors they are matrices.

    Parameters
    ----------
    expansion : real array, shape (n_channels, n_channels, *grid)
    compression : real array, shape (n_classes, n_channels, n_channels, *grid)
    """

    expansion: Array
    compression: Array


@stored_record(encodings={"layers": LAYERS_ENCODING}, older_values={3: {"scaler": None, "kernel": None}})
@dataclass(frozen=True, eq=False)
class Network:
    """A network built from training samples.

    Parameters
    ----------
    geometry : Geometry
    layers : sequence of Layer
        A tuple, or layers that are read from a file one at a time.
    dtype : dtype
        Precision of the samples it computes with, float32 or float64.
    span : Span, optional
        For vectors with more features than training samples: the layers act on coordinates in this span.
    lift : Lifting, optional
        What samples pass before they enter.
    scaler : Standardiser, optional
        What brings the features of plain vectors to one scale before they enter.
    kernel : KernelMap, optional
        What gives plain vectors the features of a kernel before they enter.
    """

    geometry: Geometry
    layers: Sequence[Layer]
    dtype: np.dtype
    span: Span | None = None
    lift: Lifting | None = None
    scaler: Standardiser | None = None
    kernel: KernelMap | None = None

    def __post_init__(self) -> None:
        if isinstance(self.layers, StoredLayers):
            self.layers.geometry = self.geometry  # a file does not say it for layers again

    @classmethod
    def entrance(
        cls,
        geometry: Geometry,
        samples: Array,
        *,
        lift: Lifting | None = None,
        spanned: bool = True,
        scaler: Standardiser | None = None,
        kernel: KernelMap | None = None,
    ) -> "Network":
        """A network without layers, for training samples of shape (n_samples, *sample_shape).

        Vectors with more features than there are samples go on as coordinates in their span, unless the coordinates
        themselves have a meaning (``spanned=False``). Features of a kernel are coordinates in a span already.
        """
        dtype = np.dtype(np.float32) if lift is not None and lift.is_invariant else samples.dtype
        network = cls(geometry, (), dtype, None, lift, scaler, kernel)
        if kernel is None and spanned and not geometry.grid and geometry.n_channels > len(samples) + 1:
            some = samples[_evenly_spaced(len(samples), MOST_SPANNING_VECTORS)]
            network = replace(network, span=Span.of(network._blocks(some, canonical=False)))
        return network

    @classmethod
    def entrance_of_vectors(
        cls, geometry: Geometry, lift: InvariantLifting, samples: Array, vectors: Array | None, n_classes: int
    ) -> "Network":
        """A network without layers, for samples of an invariant lift, whose answer will be linear in the vectors.

        Parameters
        ----------
        geometry : Geometry
            Of the vectors.
        lift : InvariantLifting
        samples : array, shape (n_samples, *sample_shape)
        vectors : float32 array, shape (n_samples, n_features + 1), optional
            What the lift makes of the samples; None for so many samples that their span is that of some of them.
        n_classes : int
        """
        n_samples, most = len(samples), int(math.sqrt(LARGEST_MOMENTS_BYTES / (8 * n_classes)))
        most = min(MOST_SPANNING_VECTORS, most)
        span = None
        if geometry.n_channels > min(n_samples, most) + 1:
            some = _evenly_spaced(n_samples, most)
            if vectors is None:
                vectors = lift.unit_vectors(samples[some])
            elif n_samples > most:
                vectors = vectors[some]
            span = SampleSpan(vectors)
        return cls(geometry, (), np.dtype(np.float32), span, lift)

    def training_tiles(
        self,
        samples: Array,
        labels: Labels,
        sample_weight: Array,
        vectors: Array | None = None,
        n_classes: int | None = None,
    ) -> Tiles:
        """Training samples of positive weight at the entrance, sorted by class.

        ``vectors`` are what the lift makes of the samples, where that is known already; ``n_classes`` are the classes
        that layers will know, where these are samples of some of them.
        """
        tiles = self.tiles(labels.bounds, n_classes or len(labels.classes))
        weights = sample_weight[labels.order]
        if isinstance(self.span, SampleSpan) and len(self.span.spanning) == len(samples):
            tiles.fill(0, self.span.training_coordinates[:, :, labels.order], weights)
            return tiles

        def work(rows: slice) -> None:
            some = labels.order[rows]
            V = self._enter(samples, some, canonical=True)[0] if vectors is None else self._coordinates(vectors[some])
            tiles.fill(rows.start, V, weights[rows])

        self._visit_parts(len(labels.order), work)
        return tiles

    def _coordinates(self, vectors: Array) -> Array:
        """Blocks of unit vectors (n_samples, n_features + 1), in the span if there is one; not to be turned back."""
        V = vectors.T[None]
        return V if self.span is None else self.span.inner_coordinates(V)

    @property
    def space(self) -> FeatureSpace:
        """Where features live, as far as their moments need to know it."""
        geometry = self.geometry
        weights = geometry.norm_weights, geometry.rate_weights
        return FeatureSpace(self.dimension, geometry.grid, *weights, np.dtype(self.dtype), self._constant)

    @property
    def dimension(self) -> int:
        """Channels that coding rates count: those of a feature, or the dimension of the space of the kernel."""
        if self.kernel is None:
            return self.geometry.n_channels
        return self.kernel.dimension + (self.geometry.offset is not None)

    def class_moments(self, tiles: Tiles, class_weight: Array) -> ClassMoments:
        """Moments of the classes of features in tiles, summed in double precision."""
        return ClassMoments(tiles.moments(), class_weight, self.space, tiles.largest_class)

    def features(self, samples: Array, block_size: int | None = None) -> Array:
        """Features of samples after the last layer.

        Parameters
        ----------
        samples : real array, shape (n_samples, *sample_shape)
        block_size : int, optional
            Samples that pass the network at a time; chosen for bounded memory by default.

        Returns
        -------
        real array, shape (n_samples, *feature_shape), of the network's precision
        """
        features = np.empty((len(samples), *self.geometry.feature_shape), dtype=self.dtype)
        for rows in _slices(len(samples), block_size or self._block_size):
            tiles, outside = self._pass_layers(samples, rows)
            for part in _slices(rows.stop - rows.start, self._entrance_size):
                V = self._on_sphere(tiles.blocks(part.start, part.stop))
                if self.span is not None:
                    V = self.span.vectors(V, outside[:, part])
                features[rows][part] = self.geometry.samples(V)
        return features

    def invariant_blocks(self, samples: Array, block_size: int | None = None) -> Iterator[tuple[slice, Array]]:
        """Features of the representative of all shifts of each sample, as blocks V[freq, channel, sample].

        They are the same bits for every shift of a sample. A network in a span gives the coordinates there.

        Yields
        ------
        rows : slice
            Samples that the block belongs to.
        V : array, shape (n_freqs, n_channels, n_rows)
        """
        if not len(self.layers):  # nothing to pass: the entrance is all there is
            for rows in _slices(len(samples), self._entrance_size):
                yield rows, self._enter(samples, rows, canonical=True)[0]
            return
        for rows in _slices(len(samples), block_size or self._block_size):
            tiles, _ = self._pass_layers(samples, rows, canonical=True)
            for part in _slices(rows.stop - rows.start, self._entrance_size):
                V = self._on_sphere(tiles.blocks(part.start, part.stop))
                yield slice(rows.start + part.start, rows.start + part.stop), V

    def visit(
        self,
        samples: Array,
        visit_lanes: Callable[[Array, SampleLanes], None],
        visit_blocks: Callable[[slice | Array, Array], None],
    ) -> None:
        """Do something with the representatives of all shifts of samples, and the rows they belong to, on all cores.

        Without layers they come side by side in lanes, where their lift can do that and their scale allows it; all
        others come as the blocks of :meth:`invariant_blocks`.
        """
        if len(self.layers):
            for rows, V in self.invariant_blocks(samples):
                visit_blocks(rows, V)
            return
        rest = self._visit_lanes(samples, visit_lanes)

        def work(part: slice) -> None:
            rows = part if len(rest) == len(samples) else rest[part]
            visit_blocks(rows, self._enter(samples, rows, canonical=True)[0])

        self._visit_parts(len(rest), work)

    def _visit_lanes(self, samples: Array, visit: Callable[[Array, SampleLanes], None]) -> Array:
        """Do something with samples in lanes; gives the rows of those for which there are none."""
        if not self.geometry.grid or not hasattr(self.lift, "lanes") or not len(samples):
            return np.arange(len(samples))
        lift, weights = cast(LocatedLifting, self.lift), self.geometry.norm_weights
        # A sample has the same bits in any part, so that there is one for each core, if there are samples enough.
        most = BYTES_IN_LANES // (2 * math.prod(self.block_shape) * np.dtype(self.dtype).itemsize)
        size = min(SAMPLES_IN_LANES, max(MOST_LANES, most), -(-len(samples) // n_threads_in_use()))
        parts = list(_slices(len(samples), -(-size // MOST_LANES) * MOST_LANES))
        is_done = np.zeros(len(samples), dtype=bool)
        room = Workspace()

        def work(rows: slice) -> None:
            found = self.representatives(samples[rows])
            tiles = lift.lanes(found, self.dtype, lambda shape, dtype: room("tiles", shape, dtype))
            if tiles is None:
                return
            lanes = SampleLanes(tiles, len(found), weights)
            usable = np.flatnonzero(lanes.are_usable)
            if len(usable):
                visit(rows.start + usable, lanes if len(usable) == len(found) else lanes.some(usable))
            is_done[rows.start + usable] = True

        def alone(rows: slice) -> None:
            with at_most_threads(1):
                work(rows)

        run_parts(work if len(parts) == 1 else alone, parts)
        return np.flatnonzero(~is_done)

    def _visit_parts(self, n_samples: int, work: Callable[[slice], None]) -> None:
        """Do work on parts of so many samples; each core has filtered samples of its own, if there are enough."""
        parts = list(_slices(n_samples, self._entrance_size))
        if self.lift is None or self.lift.is_invariant or len(parts) < n_threads_in_use():
            for rows in parts:
                work(rows)
            return

        def alone(rows: slice) -> None:
            with at_most_threads(1):
                work(rows)

        run_parts(alone, parts)

    def representatives(self, samples: Array) -> Array:
        """The shift of each sample, its padding included, that answers are computed from."""
        return representative(samples if self.lift is None else self.lift.padded(samples))

    def blocks_of_padded(self, samples: Array, rows: slice | Array | None = None) -> Array:
        """Blocks of samples on a circle or torus that have their padding; ``rows`` say where they are in X."""
        if self.lift is None:
            return self.geometry.blocks(samples, self.dtype)
        V = cast(LocatedLifting, self.lift).spectra(samples, self.dtype)
        if rows is not None:
            _refuse_silent_samples(V, rows)
        return self.geometry.on_sphere(V, self.dtype)

    def entered(self, samples: Array, out: Array | None = None) -> Array:
        """The representative of all shifts of each sample at the entrance; blocks (n_freqs, n_channels, n_samples).

        ``out`` is memory that they are written to.
        """
        V = self.empty_blocks(len(samples)) if out is None else out
        # Without a lift nothing is gained by many samples at a time, and memory is not asked for again and again.
        plain = self.lift is None and self.kernel is None
        few = self._samples_of(SMALL_ENTRANCE_BYTES) if plain else self._entrance_size
        for rows in _slices(len(samples), few):
            V[:, :, rows] = self._enter(samples, rows, canonical=True)[0]
        return V

    def located_blocks(self, samples: Array) -> Iterator[tuple[slice, Array, Array]]:
        """The blocks of :meth:`invariant_blocks`, a few samples at a time, with what is needed to turn them back.

        Yields
        ------
        rows : slice
            Samples that the block belongs to.
        V : array, shape (n_freqs, n_channels, n_rows)
        outside : array
            Directions outside of the span, for :meth:`sample_domain`.
        """
        # A network in a span has vectors, which no shift changes; only the way of training keeps what is outside.
        canonical = self.span is None
        for rows in _slices(len(samples), min(self._entrance_size, LOCATED_SAMPLES)):
            if not len(self.layers):
                yield rows, *self._enter(samples, rows, canonical=canonical)
                continue
            tiles, outside = self._pass_layers(samples, rows, canonical=canonical)
            yield rows, self._on_sphere(tiles.blocks(0, rows.stop - rows.start)), outside

    def sample_domain(self, V: Array, outside: Array) -> Array:
        """Blocks that :meth:`located_blocks` gave, or others at their place, as float64 (n_samples, *feature_shape)."""
        V = V.astype(np.result_type(V.dtype, np.float64))
        return self.geometry.samples(V if self.span is None else self.span.vectors(V, outside))

    def empty_blocks(self, n_samples: int) -> Array:
        """Memory for so many samples at the entrance; shape (n_freqs, n_channels, n_samples)."""
        return np.empty((*self.block_shape, n_samples), dtype=self.operator_kind(np.dtype(self.dtype)))

    def _on_sphere(self, V: Array) -> Array:
        """Features as they are; where layers are read from a file, which may hold any numbers, none may be lost."""
        if not isinstance(self.layers, tuple):
            energy = squared_norms(V, self.geometry.norm_weights)
            if not (np.abs(energy - 1) < NORM_TOLERANCE).all():
                raise ModelFileError(
                    "a sample has no finite features after the last layer: the numbers of this network do not belong "
                    "together. Load it again from a file that is whole, or fit it again."
                )
        return V

    @property
    def n_independent_channels(self) -> int:
        """Dimension of what samples span at one frequency at the entrance, at most."""
        n_channels = self.n_coordinates
        return n_channels if self.lift is None else min(n_channels, self.lift.n_independent_channels)

    @property
    def _constant(self) -> Array | None:
        """Direction of the constant coordinate of vectors, among the coordinates that layers act on."""
        if self.geometry.offset is None:
            return None
        if self.span is None:
            return np.eye(self.n_coordinates)[-1]
        return np.append(self.span.last_feature, 0.0)

    @property
    def n_coordinates(self) -> int:
        """Channels that layers act on: those of a feature, or coordinates in the span and one for all outside of it."""
        return self.geometry.n_channels if self.span is None else self.span.n_directions + 1

    @property
    def _block_size(self) -> int:
        """Samples that pass the layers at a time: many operators are worth more samples to be unpacked for."""
        most = WIDE_BLOCK_SAMPLES if self.layers and self.geometry.n_channels > FEW_CHANNELS else FEWEST_SAMPLES
        return max(most, self._samples_of(BLOCK_BYTES))

    @property
    def _entrance_size(self) -> int:
        """Samples that enter, or leave, at a time."""
        if self.kernel is not None:  # whose inner products are worth many samples at a time
            return max(KERNEL_SAMPLES, self._samples_of(ENTRANCE_BYTES))
        if self.lift is None:
            return self._samples_of(ENTRANCE_BYTES)
        if self.lift.is_invariant:
            return self.lift.samples_at_a_time
        return min(self._samples_of(ENTRANCE_BYTES), self.lift.samples_at_a_time)

    @property
    def _n_classes(self) -> int:
        """Classes that the layers know; layers in a file say so without being read."""
        if not len(self.layers):
            return 1
        known = getattr(self.layers, "n_classes", None)
        return len(self.layers[0].class_share) if known is None else int(known)

    def _samples_of(self, n_bytes: int) -> int:
        """How many samples take so many bytes, and a few at least."""
        n_rows = len(self.geometry.norm_weights) * self.geometry.n_channels * (2 if self.geometry.grid else 1)
        return max(FEWEST_SAMPLES, n_bytes // (n_rows * self.dtype.itemsize))

    def _enter(self, samples: Array, rows: slice | Array, *, canonical: bool) -> tuple[Array, Array]:
        """Blocks of some of the samples at the entrance, and what lies outside of the span (nothing without one)."""
        if canonical and self.lift is not None and self.lift.is_invariant:
            V = self._coordinates(cast(InvariantLifting, self.lift).unit_vectors(samples[rows]))
            return V, V[0, :0] if self.span is not None else V[:, :0]
        V = self._blocks(samples[rows], canonical=canonical, rows=rows)
        return (V, V[:, :0]) if self.span is None else self.span.coordinates(V)

    def _blocks(self, samples: Array, *, canonical: bool, rows: slice | Array | None = None) -> Array:
        """Blocks of samples before any span; ``rows`` say where they are in X."""
        if self.scaler is not None:
            samples = self.scaler(samples)
        if self.kernel is not None:
            return self.geometry.blocks(self.kernel(samples), self.dtype)
        if self.lift is not None:
            samples = self.lift.padded(samples)
            if self.lift.is_invariant:
                return self.geometry.blocks(self.lift(samples), self.dtype)
        return self.blocks_of_padded(representative(samples) if canonical else samples, rows)

    def _pass_layers(self, samples: Array, rows: slice, canonical: bool = False) -> tuple[Tiles, Array]:
        """Some of the samples after the last layer, and what of them lies outside of the span (nothing without one)."""
        n_samples = rows.stop - rows.start
        tiles = self.tiles(np.array([0, n_samples]), self._n_classes)
        outside = []
        for part in _slices(n_samples, self._entrance_size):
            inside = slice(rows.start + part.start, rows.start + part.stop)
            V, rest = self._enter(samples, inside, canonical=canonical)
            tiles.fill(part.start, V)
            outside.append(rest)
        tiles.carry(self.layers, self.geometry.norm_weights)
        return tiles, outside[0] if self.span is None else np.concatenate(outside, axis=1)

    def tiles(self, bounds: Array, n_classes: int) -> Tiles:
        """Room for samples at the entrance, class j at bounds[j] to bounds[j+1] − 1."""
        n_channels = self.n_coordinates
        n_freqs = len(self.geometry.norm_weights)
        return Tiles(bounds, n_freqs, n_channels, n_classes + 1, paired=bool(self.geometry.grid), dtype=self.dtype)

    def kernels(self, index: int) -> Kernels:
        """Operators of layer ``index`` as ordinary convolution kernels (matrices for plain vectors).

        Parameters
        ----------
        index : int
            Counted from 0; negative from the end.
        """
        layer = self.layers[index]
        expansion, compression = layer.expansion, layer.compression
        if self.span is not None:
            n_features, n_matrices = self.geometry.n_channels, len(compression) + 1
            if n_matrices * n_features**2 * expansion.itemsize > LARGEST_MATRICES_BYTES:
                raise InputError(
                    f"the kernels of a layer are {n_matrices} matrices of {n_features} × {n_features}, too many to "
                    f"write out; read layers[{index}].expansion and .compression, in coordinates of span.basis."
                )
            expansion, compression = self.span.operator(expansion), self.span.operator(compression)
        return Kernels(self._kernel(expansion[None])[0], self._kernel(compression))

    def _kernel(self, operators: Array) -> Array:
        """Kernels of spectral operators; (n, n_freqs, n_channels, n_channels) to (n, n_channels, n_channels, *grid)."""
        n, n_freqs, n_channels, _ = operators.shape
        # A kernel's spectrum is unnormalised in either convention: it multiplies the spectrum of the signal.
        pairs = operators.transpose(1, 2, 3, 0).reshape(n_freqs, n_channels * n_channels, n)
        return samples_of(pairs, self.geometry.grid).reshape(n, n_channels, n_channels, *self.geometry.grid)

    def __repr__(self) -> str:
        inside = f", in a span of {self.span.n_directions}" if self.span is not None else ""
        inside += f", of {self.kernel!r}" if self.kernel is not None else ""
        return f"Network({self.geometry}{inside}, {len(self.layers)} layers, {np.dtype(self.dtype)})"

    @property
    def block_shape(self) -> tuple[int, int]:
        """Frequencies and channels of the features that layers see."""
        grid = self.geometry.grid
        return (math.prod((*grid[:-1], grid[-1] // 2 + 1)) if grid else 1), self.n_coordinates

    def operator_kind(self, real: np.dtype) -> str:
        """Name of the type of operators in this precision: complex where there are cyclic axes."""
        return np.result_type(real, np.complex64 if self.geometry.grid else np.float32).name

    def check_stored(self, sample_shape: tuple[int, ...], n_classes: int, file_bytes: int) -> None:
        """Refuse a network that came from a file and does not fit together; its layers are not read for that.

        Parameters
        ----------
        sample_shape : tuple of int
            Of the samples that are to enter.
        n_classes : int
        file_bytes : int
            Size of the file, which says how much memory a lift may take.
        """
        geometry = self.geometry
        expect(isinstance(geometry, Geometry), "the network has no geometry")
        geometry.check_stored()
        inside = geometry.sample_shape
        expect(self.dtype in (np.float32, np.float64), "the precision is none of float32 and float64")
        if self.kernel is not None:
            expect(isinstance(self.kernel, KernelMap) and self.lift is None, "the kernel does not fit")
            self.kernel.check_stored(sample_shape)
            expect(inside == (self.kernel.n_coordinates,), "the kernel gives other features than the network takes")
        elif self.lift is None:
            expect(inside == sample_shape, f"samples of shape {sample_shape} do not enter a network of {inside}")
        else:
            expect(hasattr(type(self.lift), "padded"), "the lift of the network is no filter bank")
            self.lift.check_stored(sample_shape, file_bytes)
            expect(self.lift.shape == inside, f"the lift gives {self.lift.shape}, the network takes {inside}")
        if self.scaler is not None:
            expect(
                isinstance(self.scaler, Standardiser) and not geometry.grid, "the scale of the features does not fit"
            )
            self.scaler.check_stored((inside if self.kernel is None else sample_shape)[0])
        if self.span is not None:
            expect(self.kernel is None, "the span does not fit")
            expect(isinstance(self.span, Span), "the span has no basis")
            self.span.check_stored(geometry, self.dtype)
        expect(isinstance(self.layers, StoredLayers) or self.layers == (), "layers are no layers")
        if isinstance(self.layers, StoredLayers):
            self.layers.check(*self.block_shape, n_classes, self.operator_kind(self.dtype), geometry.grid)


def _refuse_silent_samples(V: Array, rows: slice | Array) -> None:
    """A sample that no filter responds to has no place on the sphere; ``rows`` say where the samples are in X."""
    if V[0].any(axis=0).all():  # most samples have a mean that is not zero, and no other frequency must be looked at
        return
    silent = np.flatnonzero(~V.any(axis=(0, 1)))
    if len(silent):
        raise SilentSampleError(
            "a sample of {data} gives no response to any filter above the level of the lift, so that nothing is left "
            "of it; remove samples that are constant, or pass a lower level (or quantile), or threshold='none'.",
            rows=np.sort(rows.start + silent if isinstance(rows, slice) else rows[silent]),
            data=Data("X"),
        )


def _evenly_spaced(n_samples: int, most: int) -> Array:
    """Numbers of at most so many of the samples."""
    n = min(n_samples, most)
    return np.arange(n) * n_samples // max(n, 1)


def _slices(n_samples: int, size: int) -> Iterator[slice]:
    """Slices of at most ``size`` samples, one after the other."""
    for start in range(0, n_samples, size):
        yield slice(start, min(start + size, n_samples))
