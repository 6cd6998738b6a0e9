"""Second moments of the classes, and what is read off them: eigenvectors, operators, coding rates."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..fast.eigensystems import eigensystems
from ..fast.ridge_operators import fill_ridge_operators, ridge_logdets, ridge_operators
from ..numerics.arrays import Array
from ..numerics.operators import coding_alpha
from ..numerics.rates import class_coding_rate, coding_rate
from ..numerics.subspaces import rounding_share

# Eigenvectors that are stored for the next reader take no more memory than this.
LARGEST_STORED_BYTES = 256 * 2**20


class FeatureSpace(NamedTuple):
    """Where features live, as far as their moments need to know it.

    Parameters
    ----------
    dimension : int
        Number of channels that α counts; more than those of the moments where features are coordinates in a span.
    grid : tuple of int
        Lengths of the cyclic axes.
    norm_weights : float array, shape (n_freqs,)
        What |v(p)|² counts in the norm of a sample (Parseval).
    rate_weights : float array, shape (n_freqs,)
        Share of each stored frequency in a mean over all frequencies.
    dtype : float32 or float64
        Precision of the features.
    constant : float array, shape (n_channels,), optional
        Direction of the constant coordinate that vectors were given, if they were.
    """

    dimension: int
    grid: tuple[int, ...]
    norm_weights: Array
    rate_weights: Array
    dtype: np.dtype
    constant: Array | None = None

    @property
    def n_coefficients(self) -> float:
        """Coefficients of a feature, each counted as in its norm."""
        return self.dimension * float(self.norm_weights.sum())


class Operators(NamedTuple):
    """Operators that are read off class moments.

    Parameters
    ----------
    expansion : array, shape (n_freqs, n_channels, n_channels)
        E.
    compression : array, shape (n_classes, n_freqs, n_channels, n_channels)
        C_j.
    """

    expansion: Array
    compression: Array


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Second moments of the classes of some features. What is read off them is computed when it is first asked for.

    Parameters
    ----------
    M : float64 or complex128 array, shape (n_classes, n_freqs, n_channels, n_channels)
    class_weight : float array, shape (n_classes,)
        Number, or total weight, of the samples of each class.
    space : FeatureSpace
    largest_class : int, optional
        Number of samples of the largest class, if known: no moment has more directions.
    exact : bool
        Whether products were summed in double precision, so that eigenvectors can be read off the moments.
    """

    M: Array
    class_weight: Array
    space: FeatureSpace
    largest_class: int | None = None
    exact: bool = True
    # Not an argument, so that a record that ``replace`` makes of this one starts with nothing.
    _computed: dict[object, tuple[Array, Array]] = field(default_factory=dict, init=False, repr=False)

    @property
    def n_samples(self) -> float:
        """Number, or total weight, of all samples."""
        return float(self.class_weight.sum())

    @property
    def class_share(self) -> Array:
        """γ_j, the share of each class in the samples."""
        return self.class_weight / self.n_samples

    def of_other_features(self, M: Array, *, exact: bool) -> "ClassMoments":
        """Moments of other features of the same samples, of which nothing is computed yet."""
        return replace(self, M=M, exact=exact)

    def alpha(self, eps: float) -> float:
        """How finely the moment of all samples is coded."""
        return float(coding_alpha(self.space.dimension, self.n_samples, eps))

    def class_alpha(self, eps: float) -> Array:
        """How finely the moment of each class is coded; shape (n_classes,)."""
        return np.asarray(coding_alpha(self.space.dimension, self.class_weight, eps))

    @property
    def rounding(self) -> float:
        """Share of the strongest direction below which a direction is a rounding error."""
        return rounding_share(self.M.shape[-1], self.space.dtype)

    def eigensystem(self, j: int) -> tuple[Array, Array]:
        """Eigenvalues (n_freqs, n_channels), ascending, and eigenvectors (as columns) of the moment of class j."""
        if self.M.nbytes > LARGEST_STORED_BYTES:
            return eigensystems(self.M[j], self.largest_class)
        found = self._computed.get("eigensystems")
        if found is None:  # all classes at once, on all cores
            found = self._computed["eigensystems"] = eigensystems(self.M, self.largest_class)
        return found[0][j], found[1][j]

    def total_eigensystem(self) -> tuple[Array, Array]:
        """Eigenvalues (n_freqs, n_channels), ascending, and eigenvectors (as columns) of the moment of all samples."""
        return eigensystems(self._total[0])

    def operators(self, eps: float, kind: np.dtype) -> Operators:
        """The expansion and the compressions of a layer, stored in the given precision."""
        operators, _ = self._solved(eps, kind)
        return Operators(operators[-1], operators[:-1])

    def expansion(self, eps: float, kind: np.dtype) -> Array:
        """The expansion E alone; shape (n_freqs, n_channels, n_channels)."""
        if ("operators", eps, kind) in self._computed:
            return self._solved(eps, kind)[0][-1]
        return ridge_operators(self._total, np.array([self.alpha(eps)]), kind)[0][0]

    def compressions(self, eps: float, kind: np.dtype) -> tuple[Array, Array]:
        """The compressions alone, and their log-determinants (n_classes, n_freqs)."""
        if ("operators", eps, kind) in self._computed:
            operators, logdets = self._solved(eps, kind)
            return operators[:-1], logdets[:-1]
        return ridge_operators(self.M, self.class_alpha(eps), kind)

    def rates(self, eps: float) -> tuple[float, float]:
        """Coding rates R of all features and R_c of the classes apart, in nats (eq. 1)."""
        logdets = self._logdets(eps)
        weights = self.space.rate_weights
        return coding_rate(logdets[-1], weights), class_coding_rate(logdets[:-1], self.class_share, weights)

    def _solved(self, eps: float, kind: np.dtype) -> tuple[Array, Array]:
        """Operators of the classes, then that of all samples, and their log-determinants."""
        found = self._computed.get(("operators", eps, kind))
        if found is None:
            operators = np.empty((len(self.M) + 1, *self.M.shape[1:]), dtype=kind)
            logdets = np.empty((len(self.M) + 1, self.M.shape[1]))
            fill_ridge_operators(self.M, self.class_alpha(eps), operators[:-1], logdets[:-1])
            fill_ridge_operators(self._total, np.array([self.alpha(eps)]), operators[-1:], logdets[-1:])
            found = self._computed["operators", eps, kind] = operators, logdets
            self._computed["logdets", eps] = logdets, logdets
        return found

    def _logdets(self, eps: float) -> Array:
        """Log det (I + α M) of the classes, then of all samples; shape (n_classes + 1, n_freqs)."""
        found = self._computed.get(("logdets", eps))
        if found is None:
            of_classes = ridge_logdets(self.M, self.class_alpha(eps))
            logdets = np.concatenate([of_classes, ridge_logdets(self._total, np.array([self.alpha(eps)]))])
            found = self._computed["logdets", eps] = logdets, logdets
        return found[0]

    @property
    def _total(self) -> Array:
        """Moment of all samples; shape (1, n_freqs, n_channels, n_channels)."""
        return self.M.sum(axis=0, keepdims=True)
