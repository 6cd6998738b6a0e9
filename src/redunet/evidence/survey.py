"""What has to be known of all samples before any of them can enter a network: it adds up over blocks, like moments."""

import math
from dataclasses import dataclass, replace

import numpy as np

from ..inputs.declared_classes import joined_classes, places_among
from ..inputs.errors import Data, InputError
from ..inputs.labels import Labels
from ..numerics.arrays import Array, ArrayRecord
from .reservoir import Reservoir

# Values between these can be squared and added up as they are.
SAFE_LEAST, SAFE_MOST = 1e-100, 1e100


@dataclass(frozen=True, eq=False)
class Survey(ArrayRecord):
    """Classes, sizes and lengths of the samples of some blocks, and a few of the samples.

    Parameters
    ----------
    blocks : int array, shape (n_blocks,)
        Numbers of the blocks that have samples.
    n_rows : int array, shape (n_blocks,)
        Samples of each of them, those of weight 0 included.
    classes : array, shape (n_classes,)
        Labels that occur, sorted.
    counts : int array, shape (n_classes,)
        Samples of positive weight of each class.
    class_weight : float array, shape (n_classes,)
    largest : float
        The largest absolute value of all samples of positive weight.
    squares : float
        Weighted sum of the squared norms of the samples, in units of the square of ``largest``.
    reservoir : Reservoir
        Of the samples, whose codes are numbers of ``classes``.
    names : tuple of str, optional
        Names of the features, where samples come with them.
    row_shape : tuple of int
        Shape that a sample had before it was brought into its layout.
    """

    blocks: Array
    n_rows: Array
    classes: Array
    counts: Array
    class_weight: Array
    largest: float
    squares: float
    reservoir: Reservoir
    names: tuple[str, ...] | None
    row_shape: tuple[int, ...]

    @classmethod
    def of(
        cls,
        number: int,
        samples: Array,
        labels: Labels,
        weights: Array,
        size: int,
        names: tuple[str, ...] | None,
        row_shape: tuple[int, ...],
    ) -> "Survey":
        """The survey of one block that has samples, of which it keeps about ``size``."""
        counted = np.flatnonzero(weights)
        k = len(labels.classes)
        some, codes, positive = samples, labels.codes, weights
        if len(counted) < len(samples):
            some, codes, positive = samples[counted], labels.codes[counted], weights[counted]
        largest = float(max(some.max(initial=0.0), -some.min(initial=0.0)))
        rows = some.reshape(len(some), math.prod(some.shape[1:]))
        squares = _squared_norms(rows, largest or 1.0) @ positive
        return cls(
            np.array([number]),
            np.array([len(samples)]),
            labels.classes,
            np.bincount(codes, minlength=k),
            np.bincount(codes, positive, minlength=k),
            largest,
            float(squares),
            Reservoir.of(size, some, codes, positive),
            names,
            row_shape,
        )

    def plus(self, other: "Survey") -> "Survey":
        """The survey of the blocks of both."""
        self._refuse_other_shape(other)
        classes = joined_classes(self.classes, other.classes)
        one, two = self._among(classes), other._among(classes)
        largest = max(self.largest, other.largest)
        unit = largest or 1.0
        return Survey(
            np.concatenate([one.blocks, two.blocks]),
            np.concatenate([one.n_rows, two.n_rows]),
            classes,
            one.counts + two.counts,
            one.class_weight + two.class_weight,
            largest,
            one.squares * (one.largest / unit) ** 2 + two.squares * (two.largest / unit) ** 2,
            one.reservoir.plus(two.reservoir),
            one.names,
            one.row_shape,
        )

    @property
    def root_mean_square_norm(self) -> float:
        """Typical length of the samples; 1 if all are zero."""
        return self.largest * float(np.sqrt(self.squares / self.class_weight.sum())) or 1.0

    def stand_ins(self) -> tuple[Labels, Array]:
        """Labels and weights of at most two samples of each class, enough to see whether classes are too small."""
        codes = np.repeat(np.arange(len(self.classes)), np.clip(self.counts, 1, 2))
        weights = (self.class_weight / np.clip(self.counts, 1, 2))[codes]
        return Labels.of(self.classes, codes), weights

    def _among(self, classes: Array) -> "Survey":
        """The same where there are other classes, too."""
        places, k = places_among(self.classes, classes), len(classes)
        counts, class_weight = np.zeros(k, dtype=np.int64), np.zeros(k)
        counts[places], class_weight[places] = self.counts, self.class_weight
        return replace(self, counts=counts, class_weight=class_weight, reservoir=self.reservoir.recoded(places))

    def _refuse_other_shape(self, other: "Survey") -> None:
        if self.row_shape != other.row_shape:
            raise InputError(
                "{data} has samples of shape {one} in block {first} and of shape {two} in block {second}, counted from "
                "0; all blocks must have the same features.",
                data=Data("X"),
                one=self.row_shape,
                first=int(self.blocks[0]),
                two=other.row_shape,
                second=int(other.blocks[0]),
            )
        if self.names != other.names:
            raise InputError(
                "{data} has columns of other names, or in another order, in block {second} than in block {first}, "
                "counted from 0; pass a frame of the same columns everywhere.",
                data=Data("X"),
                first=int(self.blocks[0]),
                second=int(other.blocks[0]),
            )


def _squared_norms(rows: Array, unit: float) -> Array:
    """Squared norms of rows in units of the square of a number; shape (n_rows,)."""
    if SAFE_LEAST < unit < SAFE_MOST:
        return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64)) / unit**2
    return np.asarray(np.square(rows / unit, dtype=np.float64).sum(axis=1))
