"""Samples that are all different, in an order that depends on their values alone."""

from typing import NamedTuple

import numpy as np

from ..numerics.arrays import Array
from ..numerics.sample_keys import sample_keys


class DistinctSamples(NamedTuple):
    """Which samples stand for all others, and how often each counts.

    Parameters
    ----------
    rows : int array, shape (n_distinct,)
        Where each of them is among the samples.
    inverse : int array, shape (n_samples,)
        Number of the one that is equal to each sample.
    weights : float array, shape (n_distinct,)
        Their sum is n_distinct, so that samples that are all there twice are the same samples.
    """

    rows: Array
    inverse: Array
    weights: Array

    @classmethod
    def of(cls, samples: Array, weights: Array) -> "DistinctSamples":
        """The different ones of samples (n_samples, ...) of positive weight."""
        keys = sample_keys(samples)
        order = np.argsort(keys, kind="stable")
        flat = samples.reshape(len(samples), -1)
        begins = np.ones(len(order), dtype=bool)
        same_key = np.flatnonzero(np.diff(keys[order]) == 0) + 1
        begins[same_key] = (flat[order[same_key]] != flat[order[same_key - 1]]).any(axis=1)
        inverse = np.empty(len(order), dtype=np.int64)
        inverse[order] = np.cumsum(begins) - 1
        rows = order[begins]
        counted = np.bincount(inverse, weights)
        return cls(rows, inverse, counted * len(rows) / counted.sum())
