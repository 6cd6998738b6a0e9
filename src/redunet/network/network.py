"""The finished network: frozen layers, and the way of new samples through them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..numerics.spectrum import samples_of
from .geometry import Geometry, Span
from .layer import Layer, samples_per_block

# Above this many features the operators of a spanned network are not written out as n × n matrices.
LARGEST_MATRIX = 20_000


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
        for rows, V, outside in self._stream(samples, block_size):
            if self.span is not None and outside is not None:
                V = self.span.vectors(V, outside)
            features[rows] = self.geometry.samples(V)
        return features

    def blocks(self, samples: Array, block_size: int | None = None) -> Iterator[tuple[slice, Array]]:
        """Features as blocks V[freq, channel, sample], with the rows that they belong to.

        A network in a span gives the coordinates there.
        """
        for rows, V, _ in self._stream(samples, block_size):
            yield rows, V

    def _stream(self, samples: Array, block_size: int | None) -> Iterator[tuple[slice, Array, Array | None]]:
        weights = self.geometry.norm_weights
        n_classes = len(self.layers[0].class_share) if self.layers else 0
        block_size = block_size or samples_per_block(
            len(weights), self.geometry.n_channels, n_classes, np.result_type(self.dtype, np.complex64)
        )
        for start in range(0, len(samples), block_size):
            rows = slice(start, min(start + block_size, len(samples)))
            V = self.geometry.blocks(np.asarray(samples[rows], dtype=self.dtype))
            outside = None
            if self.span is not None:
                V, outside = self.span.coordinates(V)
            for layer in self.layers:
                V = layer(V, weights)
            yield rows, V, outside

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
            n_features = self.geometry.n_channels
            if n_features > LARGEST_MATRIX:
                raise ValueError(
                    f"kernels of {n_features} features are matrices of {n_features} × {n_features}; read "
                    f"layers[{index}].expansion instead, which is in coordinates of span.basis."
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
