"""Training samples as classes see them that have not seen them: what leave-one-out asks of a measure."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..fast.cached import cached_property
from ..fast.eigensystems import gives_all_directions
from ..numerics.arrays import Array
from .class_moments import ClassMoments

if TYPE_CHECKING:
    from .measure import Measure


class Choices(NamedTuple):
    """Values to choose from.

    Parameters
    ----------
    ranks : tuple of int, optional
        Dimensions of class subspaces; None for a short list.
    eps : tuple of float, optional
        Distortions ε; None for a short list.
    """

    ranks: tuple[int, ...] | None
    eps: tuple[float, ...] | None


@dataclass(frozen=True, eq=False)
class LeftOutSamples:
    """All or some of the training samples, and the moments that all of them were counted in.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
    codes : int array, shape (n_samples,)
        Class of each.
    sample_weight : float array, shape (n_samples,)
        How often each was counted in the moments; a sample that was counted twice is left out once, as if it were two.
    moments : ClassMoments
    n_independent_channels : int
        Dimension of what samples span at one frequency, at most.
    groups : int array, shape (n_samples,), optional
        Number of the group of each sample, where whole groups are left out.
    """

    V: Array
    codes: Array
    sample_weight: Array
    moments: ClassMoments
    n_independent_channels: int
    groups: Array | None = None

    @property
    def once(self) -> Array:
        """Weight that is left out of the class of each sample; shape (n_samples,)."""
        return np.minimum(self.sample_weight, 1.0)

    def moments_without(self, held_out: Array, sample_weight: Array | None = None) -> ClassMoments:
        """Moments of the classes without the samples that are held out (a bool array), with all their weight.

        Or with so much of it as ``sample_weight`` says, an array (n_samples,).
        """
        M, class_weight = self.moments.M.copy(), self.moments.class_weight.copy()
        left_out = self.sample_weight if sample_weight is None else sample_weight
        for j in np.unique(self.codes[held_out]):
            mine = held_out & (self.codes == j)
            V, weights = self.V[:, :, mine].astype(M.dtype), left_out[mine]
            M[j] -= (V * weights) @ V.conj().swapaxes(1, 2)
            class_weight[j] -= weights.sum()
        return replace(self.moments, M=M, class_weight=class_weight)


@dataclass(frozen=True, eq=False)
class ClassView:
    """Some of the samples in the eigenbasis of one class.

    Parameters
    ----------
    samples : LeftOutSamples
    j : int
        The class.
    some : slice
        Which of the samples.
    eigenvalues : float array, shape (n_freqs, n_channels)
        Of the moment of the class with all its samples; not negative.
    rows : array, shape (n_freqs, n_channels, n_channels)
        Its eigenvectors, conjugated, as rows.
    """

    samples: LeftOutSamples
    j: int
    some: slice
    eigenvalues: Array
    rows: Array

    @cached_property
    def own(self) -> Array:
        """Which of these samples are of the class; bool array, shape (n,)."""
        return self.samples.codes[self.some] == self.j

    @cached_property
    def once(self) -> Array:
        """Weight that is left out for each sample of the class; shape (n_own,)."""
        return self.samples.once[self.some][self.own]

    @cached_property
    def energies(self) -> Array:
        """Energy of each sample along each eigenvector; shape (n_freqs, n_channels, n)."""
        along = self.rows @ self.samples.V[:, :, self.some].astype(self.rows.dtype, copy=False)
        energies = np.square(along.real)
        if np.iscomplexobj(along):
            energies += np.square(along.imag)
        return energies

    @property
    def has_other_directions(self) -> bool:
        """Whether there are directions of eigenvalue 0 that are not given, as in classes of few samples."""
        return not gives_all_directions(self.energies.shape[1], self.samples.moments.largest_class)

    @cached_property
    def energies_outside(self) -> Array:
        """Energy of each sample along none of the eigenvectors that are given; shape (n_freqs, n)."""
        V = self.samples.V[:, :, self.some].astype(self.rows.dtype, copy=False)
        total = np.square(np.abs(V)).sum(axis=1)
        return np.clip(total - self.energies.sum(axis=1), 0.0, None)


class LeftOut(ABC):
    """Distances of training samples to classes that have not seen them, for several values of one option.

    Parameters
    ----------
    samples : LeftOutSamples
    values : tuple
        Of the option, to choose from.
    """

    # The option that is chosen, as a recipe calls it.
    option: ClassVar[str]
    # Whether it looks at samples in the eigenbases of the classes.
    reads_class_eigenvectors: ClassVar[bool] = True
    # Whether a margin is measured in units of the distances themselves, or of its spread over the samples.
    has_scale: ClassVar[bool] = True
    # Whether distances are the squares of what the measure calls a distance, which have the same order.
    squared: ClassVar[bool] = False

    def __init__(self, samples: LeftOutSamples, values: tuple[Any, ...]) -> None:
        self.samples, self.values = samples, values

    @abstractmethod
    def measures(self, moments: ClassMoments) -> Iterator["Measure"]:
        """The measure by classes of other moments, for each value."""

    @abstractmethod
    def distances(self, view: ClassView) -> Array:
        """Distances of the samples of a view to its class, each for every value; shape (n_values, n)."""

    def useful_values(self) -> list[int]:
        """Numbers of the values that are worth comparing; asked after all distances are known."""
        return list(range(len(self.values)))
