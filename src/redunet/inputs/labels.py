"""Classes of training samples, and the order that puts them together."""

from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array


@dataclass(frozen=True, eq=False)
class Labels:
    """Class of each sample.

    Parameters
    ----------
    classes : array, shape (n_classes,)
        The labels that occur, sorted.
    codes : int array, shape (n_samples,)
        Index of each sample's class.
    order : int array
        Samples that count, sorted by class; those of one class in the order they came.
    """

    classes: Array
    codes: Array
    order: Array

    @classmethod
    def of(cls, classes: Array, codes: Array, sample_weight: Array | None = None) -> "Labels":
        """Labels of samples, of which those of weight 0 do not count."""
        order = np.argsort(codes, kind="stable")
        return cls(classes, codes, order if sample_weight is None else order[sample_weight[order] > 0])

    @property
    def bounds(self) -> Array:
        """Where each class starts and ends in the order; shape (n_classes + 1,)."""
        return np.searchsorted(self.codes[self.order], np.arange(len(self.classes) + 1))
