"""The length of the code of a segment as Ma, Derksen, Hong and Wright (2007) write it, all vectors written out."""

import numpy as np


def coding_length(vectors, variance, n_samples, total, affine=True):
    """Nats for the rows of ``vectors``: samples and directions, the mean, and which samples they are.

    ``variance`` is the squared error per coordinate. ``n_samples`` of ``total`` samples are in the segment.
    """
    n = vectors.shape[1]
    mean = vectors.mean(axis=0) if affine else np.zeros(n)
    away = vectors - mean
    logdet = np.linalg.slogdet(np.eye(n) + away.T @ away / (len(vectors) * variance))[1]
    length = 0.5 * (n_samples + n) * logdet + n_samples * np.log(total / n_samples)
    return length + (0.5 * n * np.log(1 + mean @ mean / (n * variance)) if affine else 0.0)


def all_shifts(samples):
    """All circular shifts of samples (n_samples, n_channels, length), as rows."""
    length = samples.shape[2]
    return np.concatenate([np.roll(samples, s, axis=2).reshape(len(samples), -1) for s in range(length)])
