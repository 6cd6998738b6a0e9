"""Second moments of the samples of each class: the only statistics the construction needs."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .arrays import Array

# Samples in one partial sum. The parts are always the same, so that the result does not depend on the threads.
PART = 4096


def moment(V: Array, sample_weight: Array | None = None) -> Array:
    """Second moment of samples at each frequency, M(p) = Σ_i w_i v_i(p) v_i(p)*.

    Additive: the moment of all samples is the sum of the moments of any parts.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
    sample_weight : float array, shape (n_samples,), optional
        How often each sample counts; once by default.

    Returns
    -------
    M : float64 or complex128 array, shape (n_freqs, n_channels, n_channels)
        Hermitian, positive semidefinite.
    """
    n_freqs, C, m = V.shape
    precise = np.result_type(V.dtype, np.float64)
    M = np.zeros((n_freqs, C, C), dtype=precise)
    for start in range(0, m, PART):
        part = V[:, :, start : start + PART].astype(precise, copy=False)
        weighted = part if sample_weight is None else part * sample_weight[start : start + PART]
        M += weighted @ (part.conj() if np.iscomplexobj(part) else part).swapaxes(1, 2)
    return (M + M.conj().swapaxes(1, 2)) / 2


def class_moments(V: Array, bounds: Sequence[int] | Array, sample_weight: Array | None = None) -> Array:
    """Second moment of each class, M_j(p), for samples that are sorted by class.

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
    bounds : int array, shape (n_classes + 1,)
        Class j has the samples bounds[j] to bounds[j+1] − 1.
    sample_weight : float array, shape (n_samples,), optional

    Returns
    -------
    M : float64 or complex128 array, shape (n_classes, n_freqs, n_channels, n_channels)
    """
    classes = [slice(start, stop) for start, stop in pairwise(bounds)]
    return np.stack([moment(V[:, :, j], None if sample_weight is None else sample_weight[j]) for j in classes])
