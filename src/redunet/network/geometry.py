"""Where features live: plain vectors, the circle of shifts, the torus of translations; and the span of few samples."""

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ..fast.cached import cached_property
from ..fast.threads import run_parts
from ..numerics.arrays import Array
from ..numerics.spectrum import half_spectrum, multiplicities, normalise, samples_of
from ..storage.expectations import expect, expect_at_most_one, expect_shape, is_number
from ..storage.stored_types import stored_record

# Samples that a core brings into the span at a time, always the same ones.
SAMPLES_PER_PART = 64


@stored_record()
@dataclass(frozen=True)
class Geometry:
    """The shape of a sample, its cyclic axes, and the scale of its spectrum.

    Parameters
    ----------
    sample_shape : tuple of int
        (n_channels, *grid); (n_features,) for plain vectors, whose grid is empty.
    unitary : bool
        Scale of the Fourier transform: the paper's released unitary one, or (default) the unnormalised one for which
        the network equals the vector network on all shifts.
    offset : float, optional
        Constant coordinate that is added to plain vectors before they are projected to the sphere.
    """

    sample_shape: tuple[int, ...]
    unitary: bool = False
    offset: float | None = None

    @property
    def grid(self) -> tuple[int, ...]:
        """Lengths of the cyclic axes."""
        return self.sample_shape[1:]

    @property
    def n_channels(self) -> int:
        """Channels of a feature, the constant one included."""
        return self.sample_shape[0] + (self.offset is not None)

    @property
    def feature_shape(self) -> tuple[int, ...]:
        """Shape of a feature."""
        return (self.n_channels, *self.grid)

    @cached_property
    def rate_weights(self) -> Array:
        """Share of each stored frequency in a mean over all frequencies; shape (n_freqs,)."""
        counts = multiplicities(self.grid)
        return counts / counts.sum()

    @cached_property
    def norm_weights(self) -> Array:
        """What |v(p)|² counts in the norm of a sample (Parseval); shape (n_freqs,)."""
        return multiplicities(self.grid) if self.unitary else self.rate_weights

    def blocks(self, samples: Array, dtype: np.dtype | None = None) -> Array:
        """Blocks V[freq, channel, sample] of samples, projected onto the unit sphere.

        Parameters
        ----------
        samples : real array, shape (n_samples, *sample_shape)
        dtype : float32 or float64, optional
            Precision of the blocks; that of the samples by default.

        Returns
        -------
        V : array, shape (n_freqs, n_channels, n_samples)
        """
        # The largest value becomes 1 before anything is squared or cast, so that neither 1e-200 nor 1e200 is lost.
        largest = np.abs(samples).max(axis=tuple(range(1, samples.ndim)), keepdims=True)
        if self.offset is not None:
            largest = np.maximum(largest.astype(np.float64), self.offset)
        scaled = np.divide(samples, largest, out=np.zeros(samples.shape, largest.dtype), where=largest > 0)
        if self.offset is not None:
            scaled = np.concatenate([scaled, self.offset / largest], axis=1)
        scaled = scaled.astype(dtype or samples.dtype, copy=False)
        return normalise(half_spectrum(scaled, unitary=self.unitary), self.norm_weights)

    def samples(self, V: Array) -> Array:
        """Features in the sample domain; shape (n_samples, *feature_shape)."""
        return samples_of(V, self.grid, unitary=self.unitary)

    def __str__(self) -> str:
        kind = {0: "vectors", 1: "circle", 2: "torus"}.get(len(self.grid), f"{len(self.grid)}-torus")
        return f"{kind} {' × '.join(map(str, self.sample_shape))}" + (" + 1" if self.offset is not None else "")

    def check_stored(self) -> None:
        """Refuse a geometry that came from a file and is none."""
        expect(isinstance(self.unitary, bool), "the geometry is neither unitary nor not")
        expect_shape(self.sample_shape, "the shape of a feature")
        fits = self.offset is None or (is_number(self.offset) and self.offset > 0 and not self.grid)
        expect(fits, "the offset is not > 0")


@stored_record()
@dataclass(frozen=True, eq=False)
class Span:
    """Coordinates in the span of the training vectors, plus one for all that lies outside.

    Outside the span of the training data every operator is a multiple of the identity, so the part of a sample that
    lies there only changes its length, and that length is one coordinate. Vectors of n features become vectors of
    m + 1, exactly, however large n is.

    Parameters
    ----------
    basis : array, shape (n_features, n_basis)
        Orthonormal columns that span the training vectors.
    """

    basis: Array

    @classmethod
    def of(cls, V: Array) -> "Span":
        """Span of the vectors V, shape (1, n_features, n_samples)."""
        basis, _ = scipy.linalg.qr(V[0], mode="economic", check_finite=False)
        return cls(np.asarray(basis, dtype=V.dtype))

    def coordinates(self, V: Array) -> tuple[Array, Array]:
        """Coordinates of vectors, and the unit vector of what lies outside the span.

        Parameters
        ----------
        V : array, shape (1, n_features, n_samples)

        Returns
        -------
        coordinates : array, shape (1, n_basis + 1, n_samples)
            Inner products with the basis, then the length outside the span.
        outside : array, shape (n_features, n_samples)
            Unit vectors, or zero where a vector lies in the span.
        """
        inside = self.basis.T @ V[0]
        rest = V[0] - self.basis @ inside
        again = self.basis.T @ rest  # a second pass makes the rest orthogonal to the last bit
        inside, rest = inside + again, rest - self.basis @ again
        length = np.linalg.norm(rest, axis=0)
        outside = np.divide(rest, length, out=np.zeros_like(rest), where=length > 0)
        return np.concatenate([inside, length[None]])[None], outside

    def inner_coordinates(self, V: Array) -> Array:
        """Coordinates of vectors alone, in one pass: the length outside of the span is what Pythagoras leaves.

        Shape (1, n_basis + 1, n_samples). Rounding moves a length of nearly 0 to 1e-8 (1e-4 in single precision).
        """
        n_samples = V.shape[2]
        coordinates = np.empty((1, self.basis.shape[1] + 1, n_samples), dtype=V.dtype)

        def work(first: int) -> None:
            some = slice(first, first + SAMPLES_PER_PART)
            inside = self.basis.T @ V[0, :, some]
            rest = np.square(V[0, :, some]).sum(axis=0) - np.square(inside).sum(axis=0)
            coordinates[0, :-1, some], coordinates[0, -1, some] = inside, np.sqrt(np.clip(rest, 0, None))

        run_parts(work, range(0, n_samples, SAMPLES_PER_PART))
        return coordinates

    def vectors(self, coordinates: Array, outside: Array) -> Array:
        """Vectors back from their coordinates; the inverse of :meth:`coordinates`."""
        return (self.basis @ coordinates[0, :-1] + outside * coordinates[0, -1])[None]

    def operator(self, reduced: Array) -> Array:
        """An operator on coordinates as the n × n matrix that it stands for; shapes (..., 1, r + 1, r + 1)."""
        outside = reduced[..., -1, -1][..., None, None]
        inside = reduced[..., :-1, :-1] - outside * np.eye(self.basis.shape[1], dtype=reduced.dtype)
        return outside * np.eye(len(self.basis), dtype=reduced.dtype) + self.basis @ inside @ self.basis.T

    def check_stored(self, geometry: Geometry, dtype: np.dtype) -> None:
        """Refuse a span that came from a file and is no orthonormal basis in this geometry and precision."""
        basis = self.basis
        expect(isinstance(basis, np.ndarray), "the span has no basis")
        expect(basis.dtype == dtype and bool(np.isfinite(basis).all()), "the span holds no finite numbers")
        fits = not geometry.grid and basis.ndim == 2 and basis.shape[0] == geometry.n_channels
        expect(fits, "the span does not fit")
        expect_at_most_one(basis, "the span is no orthonormal basis")
