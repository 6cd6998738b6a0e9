"""Another view of blocks: the slow part of each sample at its own centre, by its nearness to landmarks."""

import math
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ..fast.cached import cached_property
from ..fast.eigensystems import large_eigensystem
from ..fast.threads import run_parts
from ..numerics.alignment import aligned_coordinates, coordinates_of_low, low_frequencies
from ..numerics.arrays import Array
from ..numerics.kernel_functions import rbf
from ..storage.expectations import expect, expect_numbers, is_number
from ..storage.stored_types import stored_record
from .kernel_map import choose_landmarks, usual_gamma

# Periods along each axis that are looked at: five positions along each side. (Fewer, or more, told clothes and digits
# apart less well, as did the rest of what is chosen here with other values; see docs/findings.md.)
MOST_PERIODS = 2
# Principal directions that samples are projected to, and the power of the energy along each that it is divided by: half
# of the way from directions as they are to directions that all count the same.
MOST_DIRECTIONS, WHITENING_POWER = 200, 0.25
# Directions with less than this share of the energy of the strongest are rounding.
SMALLEST_ENERGY_SHARE = 1e-6
# Mean energy of samples, whose norm is 1, that is rounding in single precision.
ROUNDING_ENERGY = 1e-12
# Landmarks, at most, and memory that the moments of classes of so many features may take.
MOST_LANDMARKS, LARGEST_MOMENTS_BYTES = 2000, 2**29
# γ of the kernel, in units of 1 over the median squared distance of landmarks.
GAMMA_SHARE = 0.5
# Points of the way from the mean to a sample where the slope of an answer is taken.
PATH_POINTS = 16
# Samples that a core works on at a time, always the same ones.
SAMPLES_PER_PART = 64


@stored_record()
@dataclass(frozen=True, eq=False)
class AlignedView:
    """The way from blocks to vectors that keep where parts of a sample are relative to each other.

    Class subspaces at each frequency do not see how frequencies are placed relative to each other. Here all of them are
    brought to the sample's own centre first (:mod:`redunet.numerics.alignment`), which no shift changes; the slowest
    ones are projected to principal directions, and compared with landmarks by a Gaussian kernel.

    Parameters
    ----------
    grid : tuple of int
        Lengths of the cyclic axes of the blocks.
    n_channels : int
    mean : float64 array, shape (n_coordinates,)
        Of the coordinates of the training samples at their centres.
    directions : float64 array, shape (n_coordinates, n_directions)
        Principal directions of these, scaled.
    landmarks : float64 array, shape (n_landmarks, n_directions)
        Training samples.
    gamma : float
        γ of the kernel.
    """

    grid: tuple[int, ...]
    n_channels: int
    mean: Array
    directions: Array
    landmarks: Array
    gamma: float

    @classmethod
    def of(
        cls, coordinates: Array, grid: tuple[int, ...], n_channels: int, n_classes: int, sample_weight: Array
    ) -> "AlignedView | None":
        """The view that coordinates (n_samples, n_coordinates) of training samples at their centres determine.

        ``n_classes`` bounds the number of landmarks, since a regression needs moments of each class. None where samples
        do not differ at their centres.
        """
        share = sample_weight / sample_weight.sum()
        mean = share @ coordinates
        centred = (coordinates - mean) * np.sqrt(share)[:, None]
        energies, vectors = _principal(centred)
        if not len(energies):
            return None
        directions = vectors * (energies / energies[0]) ** -WHITENING_POWER
        projected = (coordinates - mean) @ directions
        most = min(MOST_LANDMARKS, int(math.sqrt(LARGEST_MOMENTS_BYTES / (8 * n_classes))))
        landmarks = projected[choose_landmarks(projected, most)]
        gamma = GAMMA_SHARE * usual_gamma("rbf", landmarks)
        return cls(grid, n_channels, mean, directions, landmarks, gamma)

    @property
    def n_features(self) -> int:
        """Features of a sample: its nearness to each landmark, and a constant."""
        return len(self.landmarks) + 1

    @staticmethod
    def coordinates_of(V: Array, phases: Array, grid: tuple[int, ...]) -> Array:
        """Coordinates of blocks of such a grid at their centres; shape (n_samples, n_coordinates)."""
        return aligned_coordinates(V, phases, grid, MOST_PERIODS)

    def __call__(self, V: Array, phases: Array) -> Array:
        """Nearness of samples to the landmarks, and a constant 1; float64 blocks of shape (1, n_features, n_samples).

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)
            Of the representatives of all shifts of the samples.
        phases : float array, shape (n_axes, n_samples)
            Of the same representatives, as :func:`redunet.numerics.alignment.centre_phases` gives them.
        """
        return self.of_low(V[low_frequencies(self.grid, MOST_PERIODS)[0]], phases)

    def of_low(self, V: Array, phases: Array) -> Array:
        """The same from blocks of the frequencies ``low_frequencies(grid, MOST_PERIODS)`` alone."""
        found = np.empty((V.shape[2], self.n_features))
        numbers = low_frequencies(self.grid, MOST_PERIODS)[1]

        def work(first: int) -> None:
            some = slice(first, first + SAMPLES_PER_PART)
            found[some] = self.features(coordinates_of_low(V[:, :, some], numbers, phases[:, some]))

        run_parts(work, range(0, V.shape[2], SAMPLES_PER_PART))
        return found.T[None]

    def features(self, coordinates: Array) -> Array:
        """The same for coordinates at the centre; shape (n_samples, n_features)."""
        near = rbf((coordinates - self.mean) @ self.directions, self.landmarks, self.gamma)
        return np.concatenate([near, np.ones((len(near), 1))], axis=1)

    def path_weights(self, coordinates: Array, coefficients: Array) -> Array:
        """What a sum of coefficients times features changes along the way from the mean to each sample, per coordinate.

        The integral of the gradient along the straight way. The inner product with the coordinates less the mean is
        what the sum is at the sample less what it is at the mean, up to the error of the integral.

        Parameters
        ----------
        coordinates : float array, shape (n_samples, n_coordinates)
        coefficients : float array, shape (n_samples, n_features)
            For each sample its own.

        Returns
        -------
        float array, shape (n_samples, n_coordinates)
        """
        projected = (coordinates - self.mean) @ self.directions
        slopes = np.zeros_like(projected)
        nodes, weights = np.polynomial.legendre.leggauss(PATH_POINTS)
        for at, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            pull = rbf(at * projected, self.landmarks, self.gamma) * coefficients[:, :-1]
            towards = pull @ self.landmarks - pull.sum(axis=1, keepdims=True) * at * projected
            slopes += weight * 2 * self.gamma * towards
        return np.asarray(slopes @ self.directions.T)

    @cached_property
    def whitening(self) -> Array:
        """Features times this are coordinates in the span of the landmarks, and a constant; (n_features, n_span + 1).

        The coordinates are in an orthonormal basis of that span, in the space of the kernel.
        """
        energies, vectors = large_eigensystem(rbf(self.landmarks, self.landmarks, self.gamma))
        real = energies > SMALLEST_ENERGY_SHARE * energies[-1]
        inner = vectors[:, real] / np.sqrt(energies[real])
        return np.asarray(scipy.linalg.block_diag(inner, np.ones((1, 1))))

    def functionals(self, reduced: Array) -> Array:
        """Linear functionals (k, n) of coordinates in the span, as functionals of features (k, n_features)."""
        return reduced @ self.whitening.T

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def check_stored(self, grid: tuple[int, ...], n_channels: int) -> None:
        """Refuse what came from a file and does not fit blocks of such a grid and so many channels."""
        expect(
            self.grid == grid and self.n_channels == n_channels and bool(grid), "the aligned view is of other blocks"
        )
        n_coordinates = n_channels * (2 * len(low_frequencies(grid, MOST_PERIODS)[0]) - 1)
        expect_numbers(self.mean, (n_coordinates,), "the mean of the aligned view")
        arrays = self.directions, self.landmarks
        fits = all(isinstance(one, np.ndarray) and one.ndim == 2 and one.size > 0 for one in arrays)
        expect(fits and self.directions.shape[1] == self.landmarks.shape[1], "the aligned view does not fit")
        expect_numbers(self.directions, (n_coordinates, self.directions.shape[1]), "the directions of the aligned view")
        expect_numbers(self.landmarks, self.landmarks.shape, "the landmarks of the aligned view")
        expect(is_number(self.gamma) and self.gamma > 0, "gamma of the aligned view is not > 0")


def _principal(centred: Array) -> tuple[Array, Array]:
    """Energies of the strongest directions of centred samples (n_samples, n), descending, and the directions (n, k)."""
    n_samples, n = centred.shape
    few = n_samples < n
    products = centred @ centred.T if few else centred.T @ centred
    most = min(MOST_DIRECTIONS, len(products))
    energies, vectors = scipy.linalg.eigh(
        products, check_finite=False, subset_by_index=(len(products) - most, len(products) - 1)
    )
    energies, vectors = energies[::-1], vectors[:, ::-1]
    real = energies > max(SMALLEST_ENERGY_SHARE * energies[0], ROUNDING_ENERGY)
    energies, vectors = energies[real], vectors[:, real]
    return energies, centred.T @ vectors / np.sqrt(energies) if few else vectors
