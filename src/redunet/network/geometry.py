"""Where features live: plain vectors, the circle of shifts, the torus of translations."""

from dataclasses import dataclass

import numpy as np

from ..fast.cached import cached_property
from ..numerics.arrays import Array
from ..numerics.spectrum import half_spectrum, multiplicities, normalise, samples_of
from ..storage.expectations import expect, expect_shape, is_number
from ..storage.stored_types import stored_record


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

    @property
    def frequency_numbers(self) -> Array:
        """How many periods of each stored frequency a sample has; int array, shape (n_freqs,).

        For images the root of the sum of squares of those along each axis, rounded.
        """
        if not self.grid:
            return np.zeros(1, dtype=int)
        waves = [np.fft.fftfreq(n, 1 / n) for n in self.grid[:-1]]
        waves.append(np.arange(self.grid[-1] // 2 + 1.0))
        squares = sum(np.square(one) for one in np.meshgrid(*waves, indexing="ij"))
        return np.rint(np.sqrt(np.ravel(squares))).astype(int)

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

    def on_sphere(self, V: Array, dtype: np.dtype) -> Array:
        """Half spectra of lifted samples (n_freqs, n_channels, n_samples), at unit norm; they are overwritten."""
        from ..fast.kernels import scale_to_sphere

        scale_to_sphere(V, self.norm_weights)
        return V.astype(np.result_type(dtype, np.complex64), copy=False)

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
