"""Another view of blocks: the slow part of each sample, by its nearness to landmarks at the shift where they fit."""

import contextlib
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ..fast.cached import cached_property
from ..fast.shift_products import KernelOverShifts, Whitening
from ..fast.threads import run_parts
from ..numerics.arrays import Array
from ..numerics.shift_kernel import (
    kernel_slopes,
    low_frequencies,
    mirrored_twice,
    shift_waves,
    squared_distances_at_shifts,
)
from ..storage.expectations import expect, is_number
from ..storage.stored_types import stored_record
from .kernel_map import choose_landmarks

# Periods along each axis that are looked at: of few samples, and of so many that they can tell finer parts apart; and
# shifts for each period. (See docs/findings.md.)
PERIODS, FINE_PERIODS, SAMPLES_FOR_FINE_PERIODS, POSITIONS_PER_PERIOD = 2, 3, 1000, 3
# Strongest directions of the channels at each of these frequencies that are looked at.
MOST_DIRECTIONS = 16
# Power of the energy along each direction that it is divided by: half of the way from directions as they are to
# directions that all count the same.
WHITENING_POWER = 0.25
# Directions with less than this share of the energy of the strongest count as if they had it.
SMALLEST_ENERGY_SHARE = 1e-6
# Mean energy of samples, whose norm is 1, that is rounding in single precision.
ROUNDING_ENERGY = 1e-12
# All of so many samples are landmarks; of more, so many are. The difference is what evidence comes from at least:
# samples that are no landmarks.
SAMPLES_ALL_LANDMARKS, MOST_LANDMARKS = 3000, 2000
# Landmarks whose distances say what γ is.
LANDMARKS_FOR_GAMMA = 150
# Added to the kernel of each landmark with itself, in units of it, so that single precision is enough: more where many
# landmarks are nearly the same.
KERNEL_SHARES = (1e-5, 1e-4, 1e-3)
# Samples whose coordinates a core works on at a time.
ROWS_PER_PART = 128
# Points of the way from nothing to a sample where the slope of an answer is taken.
PATH_POINTS = 16


@stored_record()
@dataclass(frozen=True, eq=False)
class AlignedView:
    """The way from blocks to vectors that keep where parts of a sample are relative to each other.

    Class subspaces at each frequency do not see how frequencies are placed relative to each other. Here a sample is
    compared with landmarks at every shift, by a Gaussian kernel of their slowest frequencies
    (:mod:`redunet.numerics.shift_kernel`).

    Parameters
    ----------
    grid : tuple of int
        Lengths of the cyclic axes of the blocks.
    n_channels : int
    n_periods : int
        Periods along each axis of the slowest frequencies, at most.
    whitening : complex64 array, shape (n_low, n_directions, n_channels)
        What channels are multiplied by at each of the slowest frequencies: coordinates along its strongest directions.
    landmarks : complex64 array, shape (n_low, n_directions, n_landmarks)
        Training samples, whitened.
    gamma : float
        γ of the kernel.
    """

    grid: tuple[int, ...]
    n_channels: int
    n_periods: int
    whitening: Array
    landmarks: Array
    gamma: float

    @classmethod
    def of(
        cls, low: Array, grid: tuple[int, ...], n_periods: int, sample_weight: Array, chosen: Array
    ) -> "AlignedView | None":
        """The view that the slowest frequencies (n_low, n_channels, m) of training samples determine.

        ``chosen`` are the numbers of those that are landmarks (:func:`landmarks_among`).

        None where samples do not differ, wherever they are.
        """
        share = sample_weight / sample_weight.sum()
        precise = low.astype(np.complex128)
        energies, vectors = np.linalg.eigh((precise * share) @ precise.conj().swapaxes(1, 2))
        strongest = energies.max()
        if not strongest > ROUNDING_ENERGY:
            return None
        powers = (np.maximum(energies / strongest, SMALLEST_ENERGY_SHARE)) ** -WHITENING_POWER
        along = (vectors * powers[:, None]).conj().swapaxes(1, 2)
        whitening = np.ascontiguousarray(along[:, -MOST_DIRECTIONS:], dtype=np.complex64)
        landmarks = Whitening(whitening)(low[:, :, chosen])
        few, numbers = landmarks[:, :, :LANDMARKS_FOR_GAMMA], low_frequencies(grid, n_periods)[1]
        waves = shift_waves(numbers, POSITIONS_PER_PERIOD)
        nearest = squared_distances_at_shifts(few, few, numbers, waves).min(axis=0)
        apart = nearest[np.triu_indices(len(nearest), 1)]
        scale = float(np.median(apart)) if len(apart) else 0.0
        typical = float(np.einsum("p,pcm->m", mirrored_twice(numbers), np.square(np.abs(few))).mean())
        if not scale > SMALLEST_ENERGY_SHARE * typical:
            return None
        return cls(grid, low.shape[1], n_periods, whitening, landmarks, 1 / scale)

    @property
    def n_landmarks(self) -> int:
        """Landmarks that samples are compared with."""
        return int(self.landmarks.shape[2])

    @property
    def n_features(self) -> int:
        """Features of a sample: its nearness to each landmark, and a constant."""
        return self.n_landmarks + 1

    @cached_property
    def places(self) -> Array:
        """Places of the slowest frequencies among those of blocks."""
        return low_frequencies(self.grid, self.n_periods)[0]

    def __call__(self, V: Array) -> Array:
        """Nearness of samples to the landmarks, and a constant 1; float64 blocks of shape (1, n_features, n_samples).

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
        """
        return self.features(V[self.places]).T[None]

    def features(self, low: Array) -> Array:
        """The same for the slowest frequencies (n_low, n_channels, n) of samples; float64, shape (n, n_features)."""
        return np.concatenate([self.nearness(low), np.ones((low.shape[2], 1))], axis=1)

    def nearness(self, low: Array) -> Array:
        """Kernels of samples (n_low, n_channels, n) with the landmarks; float64 array, shape (n, n_landmarks)."""
        return self._kernel(self._whitened(low)).astype(np.float64)

    @cached_property
    def numbers(self) -> Array:
        """Periods along each axis of the slowest frequencies."""
        return low_frequencies(self.grid, self.n_periods)[1]

    @cached_property
    def waves(self) -> Array:
        """What shifts do at these frequencies."""
        return shift_waves(self.numbers, POSITIONS_PER_PERIOD)

    @cached_property
    def _whitened(self) -> Whitening:
        return Whitening(self.whitening)

    @cached_property
    def _kernel(self) -> KernelOverShifts:
        return KernelOverShifts(self.landmarks, self.numbers, self.waves, self.gamma)

    @cached_property
    def kernel_of_landmarks(self) -> Array:
        """Kernels of the landmarks with each other; float64 array, shape (n_landmarks, n_landmarks)."""
        found = self._kernel(self.landmarks).astype(np.float64)
        return np.asarray((found + found.T) / 2)

    @property
    def scale(self) -> float:
        """Kernel of a landmark with itself, on the average."""
        return float(np.diagonal(self.kernel_of_landmarks).mean())

    @cached_property
    def _triangle(self) -> Array:
        """Lower triangle L whose L L* is the kernel of the landmarks, and a little more on the diagonal."""
        kernel, unit = self.kernel_of_landmarks, self.scale * np.eye(self.n_landmarks)
        for share in KERNEL_SHARES[:-1]:
            with contextlib.suppress(scipy.linalg.LinAlgError):
                return np.asarray(scipy.linalg.cholesky(kernel + share * unit, lower=True, check_finite=False))
        return np.asarray(scipy.linalg.cholesky(kernel + KERNEL_SHARES[-1] * unit, lower=True, check_finite=False))

    def span_coordinates(self, nearness: Array) -> Array:
        """Coordinates of samples in the space of the kernel, in an orthonormal basis of the span of the landmarks.

        Parameters
        ----------
        nearness : float array, shape (n, n_landmarks)

        Returns
        -------
        float array, shape (n, n_landmarks)
        """
        found = np.empty(nearness.shape)

        def work(first: int) -> None:
            some = slice(first, first + ROWS_PER_PART)
            columns = scipy.linalg.solve_triangular(self._triangle, nearness[some].T, lower=True, check_finite=False)
            found[some] = columns.T

        run_parts(work, range(0, len(nearness), ROWS_PER_PART))
        return found

    def functionals(self, of_span: Array) -> Array:
        """Linear functionals (n_landmarks, k) of coordinates in the span, as functionals of nearness."""
        return np.asarray(scipy.linalg.solve_triangular(self._triangle, of_span, lower=True, trans="T"))

    def path_weights(self, low: Array, coefficients: Array) -> Array:
        """What a sum of coefficients times nearness changes along the way from nothing to each sample.

        The integral of the gradient along the straight way. Its inner product with the sample, mirror images counted,
        is what the sum is at the sample less what it is at zero, up to the error of the integral.

        Parameters
        ----------
        low : complex array, shape (n_low, n_channels, n_samples)
        coefficients : float array, shape (n_samples, n_landmarks)
            For each sample its own.

        Returns
        -------
        complex128 array, shape (n_low, n_channels, n_samples)
        """
        whitened = self.whitening.astype(np.complex128) @ low
        slopes = np.zeros_like(whitened)
        nodes, weights = np.polynomial.legendre.leggauss(PATH_POINTS)
        for at, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            for i in range(whitened.shape[2]):  # one at a time: distances at every shift take much memory
                one = slice(i, i + 1)
                slopes[:, :, one] += weight * kernel_slopes(
                    at * whitened[:, :, one], self.landmarks, self.numbers, self.waves, self.gamma, coefficients[one]
                )
        return np.asarray(self.whitening.astype(np.complex128).conj().swapaxes(1, 2) @ slopes)

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def check_stored(self, grid: tuple[int, ...], n_channels: int) -> None:
        """Refuse what came from a file and does not fit blocks of such a grid and so many channels."""
        fits = self.grid == grid and self.n_channels == n_channels and bool(grid)
        expect(fits, "the aligned view is of other blocks")
        expect(self.n_periods in (PERIODS, FINE_PERIODS), "the aligned view has other frequencies")
        n_low = len(self.places)
        arrays = self.whitening, self.landmarks
        fits = all(isinstance(one, np.ndarray) and one.ndim == 3 and one.dtype == np.complex64 for one in arrays)
        expect(fits and all(bool(np.isfinite(one).all()) for one in arrays), "the aligned view is not finite")
        fits = self.whitening.shape[::2] == (n_low, n_channels) and 0 < self.whitening.shape[1] <= n_channels
        expect(fits, "the whitening of the aligned view does not fit")
        fits = self.landmarks.shape[:2] == self.whitening.shape[:2] and self.landmarks.shape[2] > 0
        expect(fits, "the landmarks of the aligned view do not fit")
        expect(is_number(self.gamma) and self.gamma > 0, "gamma of the aligned view is not > 0")


def periods_for(n_samples: int) -> int:
    """Periods along each axis that so many training samples are looked at by."""
    return FINE_PERIODS if n_samples >= SAMPLES_FOR_FINE_PERIODS else PERIODS


def landmarks_among(low: Array, wanted_elsewhere: Array) -> Array:
    """Numbers of the samples (n_low, n_channels, m) that are landmarks; which ones, and their order, values alone say.

    All of a few samples. Of many, first those that are not wanted elsewhere: a regression that has not seen a landmark
    is kept from it less than from other samples, so that landmarks tell nothing of new samples. (Where all samples are
    landmarks leaving one out is exact: it has no part in the best regression of the others.)

    Parameters
    ----------
    low : complex array, shape (n_low, n_channels, m)
    wanted_elsewhere : bool array, shape (m,)
    """
    rows = np.ascontiguousarray(low.transpose(2, 0, 1)).reshape(low.shape[2], -1)
    ordered = choose_landmarks(np.concatenate([rows.real, rows.imag], axis=1), len(rows))
    if len(rows) <= SAMPLES_ALL_LANDMARKS:
        return ordered
    wanted = wanted_elsewhere[ordered]
    return np.concatenate([ordered[~wanted], ordered[wanted]])[:MOST_LANDMARKS]
