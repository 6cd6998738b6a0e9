"""Ridge regressions of labels that have not seen a sample, nor what was made of it: exact, for every ridge at once."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ..fast.cached import cached_property
from ..fast.eigensystems import large_eigensystem
from ..fast.threads import run_parts
from ..numerics.arrays import Array

# Blocks of samples that are left out together, each by itself, that a core works on at a time.
BLOCKS_PER_PART = 64
# Columns of a moment that a core works on at a time.
COLUMNS_PER_PART = 256


@dataclass(frozen=True, eq=False)
class RidgeRows:
    """Some of the samples that ridge regressions of labels are about.

    Parameters
    ----------
    coordinates : float array, shape (..., n)
    targets : float array, shape (..., n_classes)
        1 for the class of a sample and 0 for others, less the shares of the classes.
    weights : float array, shape (...)
        How often each sample counts, or is left out.
    """

    coordinates: Array
    targets: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class LabelRidges:
    """Ridge regressions of labels on coordinates, with every ridge of a list.

    Minimises Σ_i w_i ‖t_i − B* f_i‖² + ridge ‖B‖² over samples with coordinates f, targets t and weights w.

    Parameters
    ----------
    moment : float array, shape (n, n)
        Σ_i w_i f_i f_i*.
    sums : float array, shape (n, n_classes)
        Σ_i w_i f_i t_i*.
    ridges : tuple of float
    """

    moment: Array
    sums: Array
    ridges: tuple[float, ...]

    @classmethod
    def of_rows(cls, parts: Iterable[RidgeRows], ridges: tuple[float, ...]) -> "LabelRidges":
        """Of all samples of several parts, of which one is held at a time."""
        moment, sums = _added_up(parts)
        return cls(moment, sums, ridges)

    @cached_property
    def _system(self) -> tuple[Array, Array, Array]:
        """Eigenvalues and eigenvectors of the moment, and the sums along these."""
        energies, directions = large_eigensystem(self.moment)
        return np.clip(energies, 0.0, None), directions, directions.T @ self.sums

    def coefficients(self, number: int) -> Array:
        """B of one of the ridges; shape (n, n_classes)."""
        energies, directions, sums = self._system
        return np.asarray(directions @ (sums / (energies + self.ridges[number])[:, None]))

    def left_out(self, blocks: RidgeRows) -> Array:
        """Predictions for all samples of blocks by regressions that have not seen the block.

        Without weights u of the block the errors of its samples are (I − F S F* U)⁻¹ times what they are with it, where
        S is the inverse of F* W F + ridge.

        Parameters
        ----------
        blocks : RidgeRows
            Of shape (n_blocks, size); the weights are those that are left out.

        Returns
        -------
        float array, shape (n_ridges, n_blocks, size, n_classes)
        """
        found = np.empty((len(self.ridges), *blocks.targets.shape))
        energies, directions, sums = self._system
        unit = np.eye(blocks.targets.shape[1])

        def work(first: int) -> None:
            some = slice(first, first + BLOCKS_PER_PART)
            targets, once = blocks.targets[some], blocks.weights[some][:, None, :]
            along = blocks.coordinates[some] @ directions
            for number, ridge in enumerate(self.ridges):
                shrunk = along / (energies + ridge)
                leverage = (shrunk @ along.swapaxes(1, 2)) * once
                found[number, some] = targets - np.linalg.solve(unit - leverage, targets - shrunk @ sums)

        run_parts(work, range(0, len(blocks.targets), BLOCKS_PER_PART))
        return found

    def without(self, parts: Iterable[RidgeRows]) -> "LabelRidges":
        """Regressions that have not seen some samples, of which one part is held at a time."""
        moment, sums = _added_up(parts)
        return LabelRidges(self.moment - moment, self.sums - sums, self.ridges)

    def predictions(self, coordinates: Array) -> Array:
        """What is predicted for samples of coordinates (n_samples, n); shape (n_ridges, n_samples, n_classes)."""
        found = []
        for ridge in self.ridges:
            matrix = self.moment + ridge * np.eye(len(self.moment))
            found.append(coordinates @ scipy.linalg.solve(matrix, self.sums, assume_a="pos", check_finite=False))
        return np.stack(found)


def _added_up(parts: Iterable[RidgeRows]) -> tuple[Array, Array]:
    """Moment and sums of all samples of several parts; the columns of the moment are divided among the cores."""
    moment, sums = None, None
    for part in parts:
        F, weighed = part.coordinates, part.coordinates * part.weights[:, None]
        if moment is None or sums is None:
            moment, sums = np.zeros((F.shape[1],) * 2), np.zeros((F.shape[1], part.targets.shape[1]))
        _add_moment(moment, F, weighed)
        sums += weighed.T @ part.targets
    assert moment is not None, "there is no part"
    assert sums is not None
    lower = np.tril(moment, -1)
    return lower + lower.T + np.diag(np.diagonal(moment)), sums


def _add_moment(moment: Array, F: Array, weighed: Array) -> None:
    """Add weighed* F to the lower half of a moment."""

    def work(first: int) -> None:
        some = slice(first, first + COLUMNS_PER_PART)
        moment[first:, some] += weighed[:, first:].T @ F[:, some]

    run_parts(work, range(0, len(moment), COLUMNS_PER_PART))
