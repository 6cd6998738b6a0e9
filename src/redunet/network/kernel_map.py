"""Features of a kernel: coordinates in the span of landmarks, and one for all that lies outside of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..fast.cached import cached_property
from ..fast.eigensystems import large_eigensystem
from ..fast.threads import run_parts
from ..inputs.errors import Data, InputError, Option
from ..numerics import kernel_functions
from ..numerics.arrays import Array
from ..numerics.sample_keys import sample_keys
from ..storage.expectations import expect, expect_numbers, is_number
from ..storage.stored_types import stored_record

KernelFunction = Callable[[Array, Array], Any]


class NamedKernel(NamedTuple):
    """A kernel that has a name.

    Parameters
    ----------
    products : callable
        Given samples (m, n), samples (l, n) and γ, gives their inner products (m, l).
    squares : callable
        Given samples (m, n) and γ, gives the inner product of each with itself (m,).
    multiples : tuple of float
        Values of γ to choose from, in units of 1 / scale; empty where γ has no part in the kernel.
    scale : callable
        Given a few samples (m, n), what γ multiplies: their usual squared distance, or squared length.
    is_of_features : bool
        Whether its space has as many dimensions as samples have features; else as many as there are landmarks, and one
        for all that lies outside of their span.
    """

    products: Callable[[Array, Array, float], Array]
    squares: Callable[[Array, float], Array]
    multiples: tuple[float, ...]
    scale: Callable[[Array], float]
    is_of_features: bool


def median_squared_distance(samples: Array) -> float:
    """Median over all pairs of different samples; their mean where more than half of the pairs are at distance 0."""
    pairs = kernel_functions.squared_distances(samples, samples)[np.triu_indices(len(samples), 1)]
    return (float(np.median(pairs)) or float(pairs.mean())) if len(pairs) else 0.0


def mean_squared_length(samples: Array) -> float:
    """Mean over the samples of the sum of squares of their features."""
    return float(np.square(samples).sum(axis=1).mean())


KERNELS = {
    "linear": NamedKernel(
        kernel_functions.linear, kernel_functions.linear_diagonal, (), mean_squared_length, is_of_features=True
    ),
    "rbf": NamedKernel(
        kernel_functions.rbf,
        kernel_functions.rbf_diagonal,
        (0.1, 0.25, 0.5, 1.0, 2.0, 4.0),
        median_squared_distance,
        is_of_features=False,
    ),
    "poly": NamedKernel(
        kernel_functions.poly,
        kernel_functions.poly_diagonal,
        (0.1, 0.3, 1.0, 3.0),
        mean_squared_length,
        is_of_features=False,
    ),
    "cosine": NamedKernel(
        kernel_functions.cosine, kernel_functions.cosine_diagonal, (), mean_squared_length, is_of_features=True
    ),
}
# Landmarks whose distances say what a usual γ is.
LANDMARKS_FOR_GAMMA = 500
# Samples that a core brings into the span at a time, always the same ones.
SAMPLES_PER_PART = 128
# What is left of the squared length of a sample outside of the span is rounding below this share.
ROUNDING_OUTSIDE = 1e-10
# Rounding errors of a kernel matrix, as shares of its largest entry, and of its largest eigenvalue.
ASYMMETRY_TOLERANCE, NEGATIVE_TOLERANCE = 1e-8, 1e-8


@stored_record()
@dataclass(frozen=True, eq=False)
class KernelMap:
    """The way of plain vectors into the space of a kernel.

    A kernel is an inner product of features φ(x) that nobody writes down. Outside of the span of the training samples
    every operator of a network is a multiple of the identity, so all that it needs of φ(x) are coordinates in that span
    and the length of the rest: vectors of as many coordinates as there are landmarks, and one more. Where all
    training samples are landmarks that is exact; with fewer it is the method of Nyström.

    Parameters
    ----------
    kernel : str or callable
        A name in ``KERNELS``, or a function that gives the inner products (m, l) of samples (m, n) and (l, n).
    gamma : float
        γ of the kernel; 1 where it has no part in it.
    landmarks : float array, shape (n_landmarks, n_features)
        Different samples, on the scale of those that enter.
    whitening : float64 array, shape (n_landmarks, n_directions)
        Inner products with the landmarks, times this, are coordinates in an orthonormal basis of their span.
    """

    kernel: str | KernelFunction
    gamma: float
    landmarks: Array
    whitening: Array

    @classmethod
    def of(cls, kernel: str | KernelFunction, gamma: float, landmarks: Array) -> "KernelMap":
        """The map into the span of landmarks (n_landmarks, n_features), no two of which are equal."""
        products = _matrix_of_landmarks(kernel, gamma, landmarks.astype(np.float64))
        energies, directions = large_eigensystem(products)
        strongest = float(energies[-1])
        if not strongest > 0:
            raise InputError(
                "{option} is zero for all pairs of training samples, so that nothing tells them apart; pass another "
                "kernel.",
                option=Option("kernel"),
            )
        if callable(kernel) and energies[0] < -NEGATIVE_TOLERANCE * strongest:
            raise InputError(
                "{option} must be positive semidefinite, as inner products are, but the matrix of the training samples "
                "has the eigenvalue {least:.3g} (the largest is {most:.3g}); pass another function, such as "
                "lambda A, B: np.exp(-cdist(A, B, 'sqeuclidean')), or a name.",
                option=Option("kernel"),
                least=float(energies[0]),
                most=strongest,
            )
        real = energies > 4 * len(energies) * np.finfo(np.float64).eps * strongest
        return cls(kernel, float(gamma), landmarks, directions[:, real] / np.sqrt(energies[real]))

    @property
    def has_scale(self) -> bool:
        """Whether γ has a part in the kernel."""
        return not callable(self.kernel) and bool(KERNELS[self.kernel].multiples)

    @property
    def n_landmarks(self) -> int:
        """Number of landmarks."""
        return len(self.landmarks)

    @property
    def n_features(self) -> int:
        """Features of a sample before it enters."""
        return int(self.landmarks.shape[1])

    @property
    def dimension(self) -> int:
        """Dimension of the space of the kernel, as far as coding rates count it."""
        named = None if callable(self.kernel) else KERNELS[self.kernel]
        return self.n_features if named is not None and named.is_of_features else self.n_landmarks + 1

    @property
    def n_coordinates(self) -> int:
        """Coordinates of a sample: those in the span and, where the span is not everything, the length outside."""
        n_directions = int(self.whitening.shape[1])
        return n_directions + (n_directions < self.dimension)

    @cached_property
    def basis(self) -> Array | None:
        """The basis of the span as vectors of the features of X, shape (n_features, n_directions); None if it has none.

        That of the linear kernel alone has.
        """
        return self._double_landmarks.T @ self.whitening if self.kernel == "linear" else None

    @property
    def name(self) -> str:
        """The name of the kernel, or that of its function."""
        return getattr(self.kernel, "__name__", "function") if callable(self.kernel) else self.kernel

    def __repr__(self) -> str:
        scale = f", gamma={self.gamma:g}" if self.has_scale else ""
        return f"KernelMap({self.name}{scale}, {self.n_landmarks} landmarks of {self.n_features} features)"

    def __call__(self, samples: Array) -> Array:
        """Coordinates of samples (n_samples, n_features); shape (n_samples, n_coordinates), of their precision.

        Those in the span, then the length of what lies outside. The inner product of two samples of the span is the
        kernel of the two.
        """
        n_directions = self.whitening.shape[1]
        found = np.empty((len(samples), self.n_coordinates), dtype=samples.dtype)

        def work(first: int) -> None:
            some = samples[first : first + SAMPLES_PER_PART].astype(np.float64)
            inside = self._products(some) @ self.whitening
            rows = found[first : first + SAMPLES_PER_PART]
            rows[:, :n_directions] = inside
            if n_directions < rows.shape[1]:
                squares = self._squares(some)
                rest = squares - np.square(inside).sum(axis=1)
                rows[:, -1] = np.sqrt(np.where(rest > ROUNDING_OUTSIDE * squares, rest, 0.0))

        run_parts(work, range(0, len(samples), SAMPLES_PER_PART))
        return found

    def lengths(self, samples: Array) -> Array:
        """Length of each sample in the space of the kernel, √k(x, x); float64 array, shape (n_samples,)."""
        found = np.empty(len(samples))
        for first in range(0, len(samples), SAMPLES_PER_PART):
            some = slice(first, first + SAMPLES_PER_PART)
            found[some] = np.sqrt(np.maximum(self._squares(samples[some].astype(np.float64)), 0.0))
        return found

    @cached_property
    def _double_landmarks(self) -> Array:
        return self.landmarks.astype(np.float64)

    def _products(self, samples: Array) -> Array:
        """Inner products with the landmarks; shape (n_samples, n_landmarks)."""
        return kernel_products(self.kernel, self.gamma, samples, self._double_landmarks)

    def _squares(self, samples: Array) -> Array:
        """Inner product of each of a few samples with itself; shape (n_samples,)."""
        if callable(self.kernel):
            return np.diagonal(kernel_products(self.kernel, self.gamma, samples, samples))
        return KERNELS[self.kernel].squares(samples, self.gamma)

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("kernel", "gamma", "landmarks", "whitening")}

    def check_stored(self, sample_shape: tuple[int, ...]) -> None:
        """Refuse what came from a file and does not fit samples of this shape."""
        expect(isinstance(self.kernel, str) and self.kernel in KERNELS, "the kernel is of an unknown kind")
        expect(is_number(self.gamma) and self.gamma > 0, "gamma is not > 0")
        landmarks, whitening = self.landmarks, self.whitening
        fits = isinstance(landmarks, np.ndarray) and landmarks.ndim == 2 and len(landmarks) > 0
        expect(fits and landmarks.shape[1:] == sample_shape, "the landmarks do not fit the samples")
        expect(landmarks.dtype in (np.float32, np.float64), "the landmarks are no numbers")
        expect(bool(np.isfinite(landmarks).all()), "the landmarks are not finite")
        fits = isinstance(whitening, np.ndarray) and whitening.ndim == 2 and 1 <= whitening.shape[1] <= len(landmarks)
        expect(fits, "the whitening of the kernel does not fit the landmarks")
        expect_numbers(whitening, (len(landmarks), whitening.shape[1]), "the whitening of the kernel")
        expect(whitening.shape[1] <= self.dimension, "the kernel has more directions than its space")


def choose_landmarks(samples: Array, n_landmarks: int, seed: int = 0) -> Array:
    """Numbers of the samples that are landmarks: at most so many, no two of them equal.

    Which samples are chosen, and their order, depends on their values and on the seed alone. Samples that come twice
    change nothing.

    Parameters
    ----------
    samples : array, shape (n_samples, n_features)
    n_landmarks : int
    seed : int

    Returns
    -------
    int array, shape (at most n_landmarks,)
    """
    _, first = np.unique(sample_keys(samples, seed), return_index=True)
    return np.asarray(first[:n_landmarks])


def gamma_choices(kernel: str | KernelFunction, landmarks: Array) -> tuple[float, ...]:
    """Values of γ to choose from, on the scale of the landmarks; one, 1, where γ has no part in the kernel."""
    named = None if callable(kernel) else KERNELS[kernel]
    if named is None or not named.multiples:
        return (1.0,)
    unit = usual_gamma(kernel, landmarks)
    return tuple(multiple * unit for multiple in named.multiples)


def usual_gamma(kernel: str | KernelFunction, landmarks: Array) -> float:
    """γ without evidence: 1 over the median squared distance of landmarks ("rbf"), or over their mean square ("poly").

    1 where γ has no part in the kernel.
    """
    if callable(kernel) or not KERNELS[kernel].multiples:
        return 1.0
    scale = KERNELS[kernel].scale(landmarks[:LANDMARKS_FOR_GAMMA].astype(np.float64))
    return 1.0 / scale if scale > 0 and np.isfinite(1.0 / scale) else 1.0


def kernel_products(kernel: str | KernelFunction, gamma: float, A: Array, B: Array) -> Array:
    """Inner products of samples (m, n) and (l, n) in the space of a kernel; float64 array, shape (m, l)."""
    if not callable(kernel):
        return KERNELS[kernel].products(A, B, gamma)
    found = np.asarray(kernel(A, B))
    if found.shape != (len(A), len(B)) or found.dtype.kind not in "fiub":
        raise InputError(
            "{option} must give a matrix of inner products, of shape {wanted} for samples of shapes {first} and "
            "{second}, got {kind} of shape {shape}; pass a function of two arrays of samples, such as "
            "lambda A, B: A @ B.T.",
            option=Option("kernel"),
            wanted=(len(A), len(B)),
            first=A.shape,
            second=B.shape,
            kind=str(found.dtype),
            shape=found.shape,
        )
    return found.astype(np.float64)


def _matrix_of_landmarks(kernel: str | KernelFunction, gamma: float, landmarks: Array) -> Array:
    """The kernel matrix of landmarks, symmetric; refused where it is not."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = kernel_products(kernel, gamma, landmarks, landmarks)
    if not np.isfinite(found).all():
        raise InputError(
            "the kernel of some samples of {data} is not a finite number; scale {data} to values around 1, or pass "
            "a smaller {gamma}.",
            data=Data("X"),
            gamma=Option("gamma"),
        )
    asymmetry = float(np.abs(found - found.T).max())
    if callable(kernel) and asymmetry > ASYMMETRY_TOLERANCE * float(np.abs(found).max()):
        raise InputError(
            "{option} must be symmetric, k(x, y) = k(y, x), as inner products are, but the two differ by "
            "{asymmetry:.3g} for a pair of training samples; pass lambda A, B: (k(A, B) + k(B, A).T) / 2, or a name.",
            option=Option("kernel"),
            asymmetry=asymmetry,
        )
    return (found + found.T) / 2
