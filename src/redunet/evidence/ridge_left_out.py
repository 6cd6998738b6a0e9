"""Ridge regressions of labels that have not seen a sample, nor what was made of it: exact, for every ridge at once."""

from dataclasses import dataclass

import numpy as np

from ..fast.eigensystems import large_eigensystem
from ..fast.threads import run_parts
from ..numerics.arrays import Array

# Blocks of samples that are left out together, each by itself, that a core works on at a time.
BLOCKS_PER_PART = 64


@dataclass(frozen=True, eq=False)
class LabelRidges:
    """Ridge regressions of labels on coordinates, with every ridge of a list.

    Minimises Σ_i w_i ‖y_i − a − B* f_i‖² + ridge ‖B‖², where the shares a of the classes are given.

    Parameters
    ----------
    coordinates : float array, shape (m, n)
        f; all samples, and what was made of them.
    indicators : float array, shape (m, n_classes)
        y, 1 for the class of a sample.
    shares : float array, shape (n_classes,)
        a, what is predicted where nothing is known.
    weights : float array, shape (m,)
        w.
    ridges : tuple of float
    """

    coordinates: Array
    indicators: Array
    shares: Array
    weights: Array
    ridges: tuple[float, ...]

    def __post_init__(self) -> None:
        weighed = self.coordinates * self.weights[:, None]
        energies, directions = large_eigensystem(weighed.T @ self.coordinates)
        sums = directions.T @ (weighed.T @ (self.indicators - self.shares))
        for name, value in (("_energies", np.clip(energies, 0.0, None)), ("_directions", directions), ("_sums", sums)):
            object.__setattr__(self, name, value)

    _energies: Array = None  # type: ignore[assignment]
    _directions: Array = None  # type: ignore[assignment]
    _sums: Array = None  # type: ignore[assignment]

    def coefficients(self, number: int) -> Array:
        """B of one of the ridges; shape (n, n_classes)."""
        return np.asarray(self._directions @ (self._sums / (self._energies + self.ridges[number])[:, None]))

    def left_out(self, blocks: Array, once: Array) -> Array:
        """Predictions for the first sample of each block by regressions that have not seen the block.

        Without weights u of the block the errors of its samples are (I − F S F* U)⁻¹ times what they are with it, where
        S is the inverse of F* W F + ridge.

        Parameters
        ----------
        blocks : int array, shape (n_blocks, size)
            Numbers of samples.
        once : float array, shape (m,)
            Weight of each sample that is left out.

        Returns
        -------
        float array, shape (n_ridges, n_blocks, n_classes)
        """
        found = np.empty((len(self.ridges), len(blocks), self.indicators.shape[1]))

        def work(first: int) -> None:
            some = blocks[first : first + BLOCKS_PER_PART]
            found[:, first : first + len(some)] = self._left_out_blocks(some, once)[:, :, 0]

        run_parts(work, range(0, len(blocks), BLOCKS_PER_PART))
        return found

    def left_out_together(self, block: Array, once: Array) -> Array:
        """The same for every sample of one block; shape (n_ridges, size, n_classes)."""
        return self._left_out_blocks(block[None], once)[:, 0]

    def _left_out_blocks(self, blocks: Array, once: Array) -> Array:
        """Predictions for all samples of blocks (n_blocks, size); shape (n_ridges, n_blocks, size, n_classes)."""
        along = (self.coordinates[blocks.ravel()] @ self._directions).reshape(*blocks.shape, -1)
        truth, unit = self.indicators[blocks], np.eye(blocks.shape[1])
        found = np.empty((len(self.ridges), *blocks.shape, truth.shape[2]))
        for number, ridge in enumerate(self.ridges):
            shrunk = along / (self._energies + ridge)
            errors = truth - self.shares - shrunk @ self._sums
            leverage = (shrunk @ along.swapaxes(1, 2)) * once[blocks][:, None, :]
            found[number] = truth - np.linalg.solve(unit - leverage, errors)
        return found
