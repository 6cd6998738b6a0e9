"""A kernel over all shifts for many samples, in single precision; the twin is in ``numerics/shift_kernel.py``."""

import numpy as np

from ..numerics.arrays import Array
from ..numerics.shift_kernel import mirrored_twice
from .threads import run_parts

# Landmarks and samples that are worked on together: their products at every shift stay near the processor.
LANDMARKS_PER_PART, SAMPLES_PER_PART = 128, 32


class KernelOverShifts:
    """Mean over all shifts s of exp(−γ ‖a − T_s b‖²) for landmarks b that many samples a are compared with.

    Parameters
    ----------
    landmarks : complex array, shape (n_low, n_channels, n_landmarks)
    numbers : int array, shape (n_low, n_axes)
    waves : float array, shape (n_shifts, 2 n_low)
        As :func:`redunet.numerics.shift_kernel.shift_waves` gives them.
    gamma : float
    """

    def __init__(self, landmarks: Array, numbers: Array, waves: Array, gamma: float) -> None:
        self._counts, self._gamma = mirrored_twice(numbers), gamma
        n_low = len(numbers)
        rows = landmarks.swapaxes(1, 2)
        # Real numbers: (Re b, Im b) · (Re a, Im a) is the real part of conj a · b, (Im b, −Re b) · (Re a, Im a) the
        # imaginary one. What is added to each product is a wave that is 1 at every shift.
        real = np.concatenate([rows.real, rows.imag], axis=2)
        imaginary = np.concatenate([rows.imag, -rows.real], axis=2)
        self._rows = np.ascontiguousarray(np.stack([real, imaginary]), dtype=np.float32)
        self._waves = np.ones((len(waves), 2 * n_low + 1), dtype=np.float32)
        self._waves[:, : 2 * n_low] = 2 * gamma * waves
        self._energies = self._scaled_energies(landmarks)
        self._mean = np.full((1, len(waves)), 1 / len(waves), dtype=np.float32)

    def __call__(self, samples: Array) -> Array:
        """Kernels of samples (n_low, n_channels, n) with the landmarks; float32 array, shape (n, n_landmarks)."""
        n_landmarks, n = self._rows.shape[2], samples.shape[2]
        found = np.empty((n_landmarks, n), dtype=np.float32)

        def work(first: int) -> None:
            some = samples[:, :, first : first + SAMPLES_PER_PART]
            columns = np.concatenate([some.real, some.imag], axis=1).astype(np.float32, copy=False)
            energies = self._scaled_energies(some)
            for start in range(0, n_landmarks, LANDMARKS_PER_PART):
                rows = self._rows[:, :, start : start + LANDMARKS_PER_PART]
                products = np.empty((2 * len(columns) + 1, rows.shape[2], some.shape[2]), dtype=np.float32)
                np.matmul(rows, columns, out=products[:-1].reshape(2, len(columns), *products.shape[1:]))
                np.add(self._energies[start : start + LANDMARKS_PER_PART, None], energies, out=products[-1])
                near = self._waves @ products.reshape(len(products), -1)
                np.exp(near, out=near)
                part = found[start : start + LANDMARKS_PER_PART, first : first + SAMPLES_PER_PART]
                part[:] = (self._mean @ near).reshape(part.shape)

        run_parts(work, range(0, n, SAMPLES_PER_PART))
        return found.T

    def _scaled_energies(self, samples: Array) -> Array:
        """What the energy of each sample adds to the exponent of its kernel."""
        squares = np.square(samples.real) + np.square(samples.imag)
        energies = np.einsum("p,pcn->n", self._counts, squares, dtype=np.float64)
        return (-self._gamma * energies).astype(np.float32)
