"""The few directions that samples differ along, at each frequency."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..storage.expectations import expect, expect_at_most_one
from ..storage.stored_types import stored_record

# Share of the energy of the samples that the directions hold, unless they are too many.
SHARE_OF_ENERGY = 0.999


@stored_record()
@dataclass(frozen=True, eq=False)
class ReducedSpace:
    """Principal directions of blocks at each frequency.

    Parameters
    ----------
    centre : array, shape (n_channels,)
        What is taken from frequency 0 first.
    basis : array, shape (n_freqs, n_channels, n_directions)
        Orthonormal columns; zeros beyond those in use at a frequency.
    dimensions : int array, shape (n_freqs,)
        How many are in use at each frequency.
    """

    centre: Array
    basis: Array
    dimensions: Array

    @classmethod
    def of(
        cls, blocks: Callable[[], Iterable[tuple[Array, Array]]], counts: Array, affine: bool, most: int
    ) -> "ReducedSpace":
        """Directions of samples.

        Parameters
        ----------
        blocks : callable
            Gives blocks (n_freqs, n_channels, n_samples) and the weights of their samples, again at each call.
        counts : float array, shape (n_freqs,)
            How many frequencies of the full spectrum each one stands for.
        affine : bool
            Whether the mean of all samples is taken from them.
        most : int
            Directions at a frequency, at most.
        """
        total, sums = 0.0, None
        for V, weights in blocks():
            part = V[0].astype(np.result_type(V.dtype, np.float64)) @ weights
            sums = part if sums is None else sums + part
            total += float(weights.sum())
        assert sums is not None
        centre = sums / total if affine else np.zeros_like(sums)
        second: Array | float = 0.0
        for V, weights in blocks():
            V = V.astype(np.result_type(V.dtype, np.float64))
            V[0] -= centre[:, None]
            second = second + (V * weights) @ V.conj().swapaxes(1, 2)
        energies, axes = np.linalg.eigh(np.asarray(second) / total)
        energies, axes = np.maximum(energies[:, ::-1], 0.0), axes[:, :, ::-1]
        dimensions = _dimensions(energies * counts[:, None], most)
        n_directions = int(dimensions.max())
        used = np.arange(n_directions) < dimensions[:, None]
        return cls(centre, np.ascontiguousarray(axes[:, :, :n_directions] * used[:, None, :]), dimensions)

    def coordinates(self, V: Array) -> Array:
        """Blocks (n_freqs, n_channels, n_samples) along the directions; (n_freqs, n_directions, n_samples), double."""
        V = V.astype(self.basis.dtype)
        V[0] -= self.centre[:, None]
        return np.asarray(self.basis.conj().swapaxes(1, 2) @ V)

    def check_stored(self, shape: tuple[int, int], kind: str) -> None:
        """Refuse what came from a file and does not reduce blocks of (n_freqs, n_channels) of this type."""
        P, C = shape
        for array, n_axes in ((self.centre, 1), (self.basis, 3)):
            fits = isinstance(array, np.ndarray) and array.ndim == n_axes and array.dtype.name == kind
            expect(fits and bool(np.isfinite(array).all()), "the reduced space holds no finite numbers")
        n = self.basis.shape[2]
        expect(self.basis.shape[:2] == shape and 1 <= n <= C, "the reduced space is of another shape")
        expect(self.centre.shape == (C,), "the centre of the reduced space is of another shape")
        expect_at_most_one(self.basis, "the directions of the reduced space are no unit vectors")
        fits = isinstance(self.dimensions, np.ndarray) and self.dimensions.shape == (P,)
        fits = fits and self.dimensions.dtype == np.int64 and bool((self.dimensions >= 0).all())
        expect(fits and int(self.dimensions.max()) <= n, "the dimensions of the reduced space do not fit")


def _dimensions(energies: Array, most: int) -> Array:
    """How many of the strongest directions of each frequency (n_freqs, n_channels) hold nearly all energy together."""
    strongest = np.sort(energies, axis=None)[::-1]
    held = np.cumsum(strongest)
    least = strongest[min(int(np.searchsorted(held, SHARE_OF_ENERGY * held[-1])), len(strongest) - 1)]
    found = np.minimum((energies >= least).sum(axis=1), most)
    found[0] = max(found[0], 1)  # where the mean is
    return np.asarray(found, dtype=np.int64)
