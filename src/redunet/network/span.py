"""The span of few training vectors of many features: coordinates in it, and one for all that lies outside."""

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ..fast.cached import cached_property
from ..fast.eigensystems import large_eigensystem
from ..fast.threads import run_parts
from ..numerics.arrays import Array
from ..storage.expectations import expect, expect_at_most_one
from ..storage.stored_types import stored_record
from .geometry import Geometry

# Samples that a core brings into the span at a time, always the same ones.
SAMPLES_PER_PART = 64
# Rows of inner products that a core works on at a time, and features that it takes into them at a time; always the
# same ones.
ROWS_PER_PART, FEATURES_PER_PART = 128, 1024
# Directions with less than this share of the energy of the strongest are left out of a span that is found from inner
# products of vectors in single precision.
SMALLEST_ENERGY_SHARE = 1e-7


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

    def __post_init__(self) -> None:
        # Products with rows and with columns differ in the last bit; a basis that was stored is to give the same bits.
        if isinstance(self.basis, np.ndarray):
            object.__setattr__(self, "basis", np.asfortranarray(self.basis))

    @classmethod
    def of(cls, V: Array) -> "Span":
        """Span of the vectors V, shape (1, n_features, n_samples)."""
        basis, _ = scipy.linalg.qr(V[0], mode="economic", check_finite=False)
        return cls(np.asarray(basis, dtype=V.dtype))

    @property
    def n_directions(self) -> int:
        """Dimension of the span."""
        return int(self.basis.shape[1])

    @property
    def last_feature(self) -> Array:
        """Coordinates of the unit vector along the last feature; float64 array, shape (n_basis,)."""
        return self.basis[-1].astype(np.float64)

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


class SampleSpan(Span):
    """The span of training vectors, found from their inner products: a fraction of the work where features are many.

    Parameters
    ----------
    vectors : float32 array, shape (n_samples, n_features)
        Of unit norm.
    """

    spanning: Array
    transform: Array
    lengths: Array

    def __init__(self, vectors: Array) -> None:
        energies, directions = large_eigensystem(inner_products(vectors))
        kept = energies > SMALLEST_ENERGY_SHARE * energies[-1]
        lengths = np.sqrt(energies[kept])
        object.__setattr__(self, "spanning", vectors)
        # The basis is vectors' @ transform; a vector i of the training set has the coordinates directions[i] * lengths.
        object.__setattr__(self, "transform", directions[:, kept] / lengths)
        object.__setattr__(self, "lengths", lengths)

    @property
    def training_coordinates(self) -> Array:
        """Coordinates of the vectors themselves, none of which lies outside; float32 (1, n_basis + 1, n_samples)."""
        inside = (self.transform * np.square(self.lengths)).T
        return np.concatenate([inside, np.zeros((1, inside.shape[1]))]).astype(np.float32)[None]

    @property
    def n_directions(self) -> int:
        """Dimension of the span."""
        return len(self.lengths)

    @property
    def last_feature(self) -> Array:
        """Coordinates of the unit vector along the last feature; float64 array, shape (n_basis,)."""
        return self.spanning[:, -1].astype(np.float64) @ self.transform

    @cached_property
    def basis(self) -> Array:
        """Orthonormal columns up to single precision, written out where they are needed; (n_features, n_basis)."""
        basis = np.empty((self.spanning.shape[1], self.n_directions), dtype=np.float32)

        def work(first: int) -> None:
            some = slice(first, first + FEATURES_PER_PART)
            basis[some] = self.spanning[:, some].T.astype(np.float64) @ self.transform

        run_parts(work, range(0, len(basis), FEATURES_PER_PART))
        return basis

    def functionals(self, reduced: Array) -> Array:
        """Linear functionals of coordinates, as functionals of vectors: shape (k, n_basis + 1) to (k, n_features).

        They must not read the coordinate outside of the span.
        """
        of_samples = reduced[:, :-1] @ self.transform.T
        found = np.empty((len(reduced), self.spanning.shape[1]))
        for first in range(0, found.shape[1], FEATURES_PER_PART):  # in double precision, hence not all at once
            some = slice(first, first + FEATURES_PER_PART)
            found[:, some] = of_samples @ self.spanning[:, some].astype(np.float64)
        return found


def inner_products(vectors: Array) -> Array:
    """Inner products of float32 vectors (n_samples, n_features), on all cores; float64 array (n_samples, n_samples).

    A part of the features at a time is multiplied in single precision, and the parts are added up in double precision.
    """
    n_samples, n_features = vectors.shape
    products = np.zeros((n_samples, n_samples))

    def work(first: int) -> None:
        last = min(first + ROWS_PER_PART, n_samples)
        for start in range(0, n_features, FEATURES_PER_PART):
            some = slice(start, start + FEATURES_PER_PART)
            products[first:last, :last] += vectors[first:last, some] @ vectors[:last, some].T

    # The last parts are the longest ones, and begin first.
    run_parts(work, range(0, n_samples, ROWS_PER_PART)[::-1])
    lower = np.tril(products)
    return lower + np.tril(products, -1).T
