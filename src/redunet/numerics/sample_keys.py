"""A number for each sample that depends on its values alone: it says which few of many samples are kept."""

import math

import numpy as np

from .arrays import Array

# Constants of the mixing function of Steele, Lea and Flood ("splitmix64").
GOLDEN_GAMMA = 0x9E3779B97F4A7C15
FIRST_FACTOR, SECOND_FACTOR = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
# Numbers that are worked on at a time: they stay in the cache of the processor, and are too few for memory of their own
# from the system, which takes longer than the work where a process gives memory back at once, as workers of Dask do.
CACHED_WORDS = 2**13


def sample_keys(samples: Array, seed: int = 0) -> Array:
    """A key for each sample, evenly spread over all 63-bit numbers; equal samples have equal keys.

    The samples of the smallest keys are a random choice that does not depend on their order, or on how they were
    divided into parts.

    Parameters
    ----------
    samples : real array, shape (n_samples, ...)
    seed : int
        Another seed, from 0 to 2³² − 1, gives another choice.

    Returns
    -------
    int64 array, shape (n_samples,)
        Not negative.
    """
    rows = samples.reshape(len(samples), math.prod(samples.shape[1:]))
    places = np.arange(1, rows.shape[1] + 1, dtype=np.uint64) * np.uint64(GOLDEN_GAMMA)
    factors = _mixed(places) | np.uint64(1)
    keys = np.empty(len(rows), dtype=np.uint64)
    at_a_time = max(1, CACHED_WORDS // max(1, rows.shape[1]))
    for start in range(0, len(rows), at_a_time):
        values = np.ascontiguousarray(rows[start : start + at_a_time], dtype=np.float64) + 0.0  # −0 is 0
        words = values.view(np.uint64)
        # The last bits of a word are often 0, and products keep them so; the first ones are laid over them before.
        words ^= words >> np.uint64(32)
        words *= factors
        keys[start : start + at_a_time] = words.sum(axis=1, dtype=np.uint64)
    keys += _mixed(np.array([seed], dtype=np.uint64))  # the mixed seed 0 is 0
    return (_mixed(keys) >> np.uint64(1)).astype(np.int64)


def _mixed(words: Array) -> Array:
    """Words in which every bit depends on every bit of the word that was given."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(FIRST_FACTOR)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(SECOND_FACTOR)
    return np.asarray(words ^ (words >> np.uint64(31)))
