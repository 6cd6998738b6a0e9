"""A kernel over all shifts for many samples, in single precision; the twin is in ``numerics/shift_kernel.py``."""

import numpy as np

from ..numerics.arrays import Array
from ..numerics.shift_kernel import mirrored_twice
from .sample_lanes import aligned_copy, aligned_empty, lanes_of
from .threads import run_parts
from .workspace import Workspace

# Samples that a core works on at a time.
SAMPLES_PER_PART = 48


class Whitening:
    """A matrix at each of the slowest frequencies, and its products with samples.

    Parameters
    ----------
    matrices : complex array, shape (n_low, n_directions, n_channels)
    """

    def __init__(self, matrices: Array) -> None:
        columns = matrices.swapaxes(1, 2)
        of_real = np.concatenate([columns.real, columns.imag], axis=2)
        of_imaginary = np.concatenate([-columns.imag, columns.real], axis=2)
        self._of_parts = np.ascontiguousarray(np.stack([of_real, of_imaginary], axis=2), dtype=np.float32)
        self._n_directions = matrices.shape[1]

    def __call__(self, low: Array) -> Array:
        """Products with samples (n_low, n_channels, n); complex64 array, shape (n_low, n_directions, n)."""
        from .kernels import whiten_samples

        low = np.ascontiguousarray(low, dtype=np.complex64)
        found = np.empty((len(low), self._n_directions, low.shape[2]), dtype=np.complex64)

        def work(first: int) -> None:
            some = slice(first, first + SAMPLES_PER_PART)
            whiten_samples(low[:, :, some], self._of_parts, found[:, :, some])

        run_parts(work, range(0, low.shape[2], SAMPLES_PER_PART))
        return found


class KernelOverShifts:
    """Mean over all shifts s of exp(−γ ‖a − T_s b‖²) for landmarks b that many samples a are compared with.

    Parameters
    ----------
    landmarks : complex array, shape (n_low, n_directions, n_landmarks)
    numbers : int array, shape (n_low, n_axes)
    waves : float array, shape (n_shifts, 2 n_low)
        As :func:`redunet.numerics.shift_kernel.shift_waves` gives them.
    gamma : float
    """

    def __init__(self, landmarks: Array, numbers: Array, waves: Array, gamma: float) -> None:
        self._counts, self._gamma = mirrored_twice(numbers), float(gamma)
        self._n_low, self._n_directions, self._n_landmarks = landmarks.shape
        size = lanes_of(np.dtype(np.float32))
        self._n_tiles = -(-self._n_landmarks // size)
        reals = np.zeros((self._n_low, 2 * self._n_directions, self._n_tiles * size), dtype=np.float32)
        reals[:, :, : self._n_landmarks] = np.concatenate([landmarks.real, landmarks.imag], axis=1)
        tiles = reals.reshape(*reals.shape[:2], self._n_tiles, size).transpose(2, 0, 1, 3)
        self._landmarks = aligned_copy(tiles, np.dtype(np.float32))
        starts = np.zeros(self._n_tiles * size)
        squares = np.square(landmarks.real, dtype=np.float64) + np.square(landmarks.imag, dtype=np.float64)
        starts[: self._n_landmarks] = -gamma * np.einsum("p,pcn->n", self._counts, squares)
        self._starts = aligned_copy(starts, np.dtype(np.float32))
        pairs, shares = opposite_shifts(waves)
        self._waves = np.ascontiguousarray((2 * gamma * waves[pairs]).T, dtype=np.float32).reshape(-1)
        self._shares = shares.astype(np.float32)
        self._memory = Workspace()

    def __call__(self, samples: Array) -> Array:
        """Kernels of samples (n_low, n_directions, n) with the landmarks; float32 array, shape (n, n_landmarks)."""
        from .kernels import fill_shift_kernels, memory_of_shift_kernels, pack_factors

        samples = np.asarray(samples, dtype=np.complex64)
        found = np.empty((samples.shape[2], self._n_landmarks), dtype=np.float32)
        single, n_memory = np.dtype(np.float32), memory_of_shift_kernels(self._n_low)

        def work(first: int) -> None:
            some = samples[:, :, first : first + SAMPLES_PER_PART]
            factors, starts = aligned_empty((4 * some.size,), single), np.empty(some.shape[2], single)
            pack_factors(some, self._counts, self._gamma, factors, starts)
            memory = self._memory("shift kernels", (n_memory,), single)
            fill_shift_kernels(
                factors, starts, self._landmarks, self._starts, self._n_tiles, self._waves,
                self._shares, self._n_low, self._n_directions, memory, found[first : first + SAMPLES_PER_PART],
            )  # fmt: skip

        run_parts(work, range(0, samples.shape[2], SAMPLES_PER_PART))
        return found


def opposite_shifts(waves: Array) -> tuple[Array, Array]:
    """One of each pair of opposite shifts, and the share of each of the two in a mean over all shifts.

    Shifts that are opposite have the same cosines, and sines of the other sign. One that is its own opposite, such as
    none at all, is a pair with itself, of which each counts half.

    Parameters
    ----------
    waves : float array, shape (n_shifts, 2 n_low)
        Cosines, then sines; the shifts are a group.

    Returns
    -------
    numbers : int array, shape (n_pairs,)
    shares : float64 array, shape (n_pairs,)
    """
    n_low = waves.shape[1] // 2
    opposite = np.concatenate([waves[:, :n_low], -waves[:, n_low:]], axis=1)
    numbers = np.arange(len(waves))
    partner = np.array([np.abs(waves - one).max(axis=1).argmin() for one in opposite])
    chosen = numbers[partner >= numbers]
    return chosen, np.where(partner[chosen] == chosen, 0.5, 1.0) / len(waves)
