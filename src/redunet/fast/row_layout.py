"""How samples lie as real rows in a tile, and what a compiled layer needs of the measure that it guesses by."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..numerics.arrays import Array


@dataclass(frozen=True)
class RowLayout:
    """Channels as real rows: their real parts, then their imaginary parts, then one row of zeros if that is odd.

    Parameters
    ----------
    n_freqs, n_channels, n_rows : int
    paired : bool
        Whether channels are complex, hence pairs of rows.
    few_rows : bool
        Whether tiles are multiplied by the small kernel; else by BLAS.
    dtype : float32 or float64
    """

    n_freqs: int
    n_channels: int
    n_rows: int
    paired: bool
    few_rows: bool
    dtype: np.dtype

    def no_probes(self) -> Array:
        """What a measure gives that measures by the compressions themselves."""
        return np.empty((0, 1, 1, 1) if self.few_rows else (0, 1, 1), dtype=self.dtype)

    def probes(self, bases: Array) -> Array:
        """What a compiled layer measures the distance to subspaces with, as real matrices on rows.

        For few rows the projections off the subspaces, (n_freqs, n_classes, rows, rows); for many the rows that span
        them, (n_freqs, n_classes · 2 rank, rows), fewer to multiply with.

        Parameters
        ----------
        bases : array, shape (n_classes, n_freqs, n_channels, rank)
            Orthonormal columns.
        """
        return self._projections(bases) if self.few_rows else self._spans(bases)

    def _projections(self, bases: Array) -> Array:
        C = self.n_channels
        projections = np.zeros((self.n_freqs, len(bases), self.n_rows, self.n_rows), dtype=self.dtype)
        for j, U in enumerate(bases):
            off = np.eye(C) - U @ U.conj().swapaxes(1, 2)
            projections[:, j, :C, :C] = off.real
            if self.paired:
                projections[:, j, C : 2 * C, C : 2 * C] = off.real
                projections[:, j, C : 2 * C, :C], projections[:, j, :C, C : 2 * C] = off.imag, -off.imag
        return projections

    def _spans(self, bases: Array) -> Array:
        C = self.n_channels
        k, _, _, rank = bases.shape
        U = bases.transpose(1, 0, 3, 2)
        spans = np.zeros((self.n_freqs, k, 1 + self.paired, rank, self.n_rows), dtype=self.dtype)
        spans[:, :, 0, :, :C] = U.real
        if self.paired:
            spans[:, :, 1, :, C : 2 * C] = U.real
            spans[:, :, 0, :, C : 2 * C], spans[:, :, 1, :, :C] = U.imag, -U.imag
        return spans.reshape(self.n_freqs, -1, self.n_rows)


class KernelMeasure(NamedTuple):
    """What a compiled layer needs of the measure that it guesses by.

    Parameters
    ----------
    unit, offset : float array, shape (n_classes,)
        The residual of class j is ‖C_j v‖ / unit_j + offset_j.
    squared : bool
        Whether it is v* C_j v / unit_j + offset_j instead.
    probes : array
        What the residual is the norm of, where it is not C_j v: :meth:`RowLayout.probes`, or
        :meth:`RowLayout.no_probes`.
    """

    unit: Array
    offset: Array
    squared: bool
    probes: Array
