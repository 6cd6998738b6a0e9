"""Samples that are added to an estimator, or taken out of it, a block at a time; it is built once, at the end."""

from dataclasses import replace
from typing import Any, Self

import numpy as np

from ..evidence.gathered_moments import GatheredMoments, gather
from ..inputs.declared_classes import codes_among, joined_classes, places_among
from ..inputs.errors import InputError
from ..network.memory import refuse_large_moments
from ..numerics.arrays import Array


class SampleGathering:
    """Moments of samples that come in blocks, for an estimator with ``construction="moments"``.

    The answers of the estimator stay what they were until :meth:`finish`, which chooses and builds everything once.
    Blocks of any size, in any order, give the same up to rounding.

    Parameters
    ----------
    estimator : MomentLearner
        That knows how samples enter its network.
    known : GatheredMoments, optional
        What it has gathered before.
    classes : array, shape (n_classes,)
        Labels of the classes, sorted.
    new_classes : bool
        Whether labels of further classes may come.

    Attributes
    ----------
    gathered : GatheredMoments or None
        Of the blocks so far.
    n_samples : int
        Samples of all blocks so far.
    """

    def __init__(
        self, estimator: Any, known: GatheredMoments | None, classes: Array, *, new_classes: bool = False
    ) -> None:
        self.estimator, self.known, self.classes, self.new_classes = estimator, known, classes, new_classes
        self.network = estimator._entrance_network
        self.gathered: GatheredMoments | None = None
        self.n_samples = 0

    def add(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the samples of one more block.

        Parameters
        ----------
        X : array-like, in the layout of fit
        y : array-like, shape (n_samples,)
        sample_weight : array-like, shape (n_samples,), optional
        """
        samples, labels, weights = self.estimator._read_more(X, y, sample_weight)
        if self.new_classes:
            self._declare(labels.classes)
        codes = codes_among(labels, self.classes)
        counted = np.flatnonzero(weights)
        self._count(samples[counted], codes[counted], weights[counted])
        self.n_samples += len(samples)
        return self

    def finish(self) -> Any:
        """Choose and build everything from what was known and what was gathered; gives the estimator."""
        total = self._total()
        if total is None:
            raise InputError("there are no samples; pass at least one.")
        return self.estimator._finish(self.estimator.check_parameters(), self.network, total, self.classes)

    def _declare(self, labels: Array) -> None:
        """Make room for classes that were not known."""
        classes = joined_classes(self.classes, labels)
        if len(classes) == len(self.classes):
            return
        places, n_classes = places_among(self.classes, classes), len(classes)
        refuse_large_moments(self.network, n_classes)
        self.known = None if self.known is None else self.known.recoded(places, n_classes)
        self.gathered = None if self.gathered is None else self.gathered.recoded(places, n_classes)
        self.classes = classes

    def _count(self, samples: Array, codes: Array, weights: Array) -> None:
        self._add_moments(samples, codes, weights, int(self.estimator.evidence_samples))

    def _add_moments(self, samples: Array, codes: Array, weights: Array, n_kept: int) -> None:
        with self.estimator._fast_and_announced():
            found = gather(self.network, samples, codes, weights, len(self.classes), n_kept)
        self.gathered = found if self.gathered is None else self.gathered.plus(found)

    def _total(self) -> GatheredMoments | None:
        if self.known is None or self.gathered is None:
            return self.known or self.gathered
        return self.known.plus(self.gathered)


class SampleRemoval(SampleGathering):
    """The same for samples that are taken out again; an estimator must have some left."""

    def _count(self, samples: Array, codes: Array, weights: Array) -> None:
        assert self.known is not None
        self.known = replace(self.known, reservoir=self.known.reservoir.minus(samples, codes, weights))
        self._add_moments(samples, codes, weights, 0)

    def _total(self) -> GatheredMoments | None:
        if self.known is None or self.gathered is None:
            return self.known
        left = self.known.minus(self.gathered)
        if not len(left.seen):
            raise InputError("no sample would be left; fit a new estimator instead.")
        return left
