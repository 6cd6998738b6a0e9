"""The finished network: frozen layers, and the way of new samples through them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..numerics.orbit import representative
from ..numerics.spectrum import samples_of
from .geometry import Geometry, Span
from .labels import Labels
from .layer import Layer
from .tiles import Tiles

# Samples pass the layers in blocks of so many bytes, which stay in the cache of the processor, or of so many samples.
BLOCK_BYTES = 8 * 2**20
SMALLEST_BLOCK = 1024
# The operators of a spanned network are not written out as n × n matrices beyond this many bytes.
LARGEST_MATRICES = 2 * 2**30


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


@dataclass(frozen=True, eq=False)
class Network:
    """A network built from training samples.

    Parameters
    ----------
    geometry : Geometry
    layers : tuple of Layer
    dtype : dtype
        Precision of the samples it computes with, float32 or float64.
    span : Span, optional
        For vectors with more features than training samples: the layers act on coordinates in this span.
    """

    geometry: Geometry
    layers: tuple[Layer, ...]
    dtype: np.dtype
    span: Span | None = None

    @classmethod
    def entrance(cls, geometry: Geometry, samples: Array) -> "Network":
        """A network without layers, for training samples of shape (n_samples, *sample_shape).

        Vectors with more features than there are samples go on as coordinates in their span.
        """
        wide = not geometry.grid and geometry.n_channels > len(samples) + 1
        return cls(geometry, (), samples.dtype, Span.of(geometry.blocks(samples)) if wide else None)

    def training_tiles(self, samples: Array, labels: Labels, sample_weight: Array) -> Tiles:
        """Training samples of positive weight at the entrance, sorted by class."""
        tiles = self._tiles(labels.bounds, len(labels.classes))
        for rows in self._rows(len(labels.order), None):
            V, _ = self._enter(representative(samples[labels.order[rows]]))
            tiles.fill(rows.start, V, sample_weight[labels.order[rows]])
        return tiles

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
        for rows in self._rows(len(samples), block_size):
            V, outside = self._enter(samples[rows])
            V = self._pass_layers(V)
            if self.span is not None:
                V = self.span.vectors(V, outside)
            features[rows] = self.geometry.samples(V)
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
        for rows in self._rows(len(samples), block_size):
            V, _ = self._enter(representative(samples[rows]))
            yield rows, self._pass_layers(V)

    def _rows(self, n_samples: int, block_size: int | None) -> Iterator[slice]:
        """Blocks of samples that pass the network one at a time, so that memory stays bounded."""
        block_size = block_size or self._block_size()
        for start in range(0, n_samples, block_size):
            yield slice(start, min(start + block_size, n_samples))

    def _block_size(self) -> int:
        n_rows = len(self.geometry.norm_weights) * self.geometry.n_channels * (2 if self.geometry.grid else 1)
        return max(SMALLEST_BLOCK, BLOCK_BYTES // (n_rows * self.dtype.itemsize))

    def _enter(self, samples: Array) -> tuple[Array, Array]:
        """Blocks of samples at the entrance, and what lies outside of the span (nothing without one)."""
        V = self.geometry.blocks(samples, self.dtype)
        return (V, V[:, :0]) if self.span is None else self.span.coordinates(V)

    def _pass_layers(self, V: Array) -> Array:
        """Blocks V after the last layer."""
        if not self.layers:
            return V
        m = V.shape[2]
        tiles = self._tiles(np.array([0, m]), len(self.layers[0].class_share))
        tiles.fill(0, V)
        tiles.carry(self.layers, self.geometry.norm_weights)
        return tiles.blocks(0, m)

    def _tiles(self, bounds: Array, n_classes: int) -> Tiles:
        """Room for samples at the entrance, class j at bounds[j] to bounds[j+1] − 1."""
        n_channels = self.geometry.n_channels if self.span is None else self.span.basis.shape[1] + 1
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
            if n_matrices * n_features**2 * expansion.itemsize > LARGEST_MATRICES:
                raise ValueError(
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
        inside = f", in a span of {self.span.basis.shape[1]}" if self.span is not None else ""
        return f"Network({self.geometry}{inside}, {len(self.layers)} layers, {np.dtype(self.dtype)})"
