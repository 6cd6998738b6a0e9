"""The minimum incremental coding length of Wright, Tao, Lin, Ma and Shum (2007), as it reads, in nats."""

import numpy as np


def coding_length(samples, eps):
    """Nats that it takes to code samples (m, n) and their code book, up to distortion ε², without a mean."""
    m, n = samples.shape
    return (m + n) / 2 * np.linalg.slogdet(np.eye(n) + n / (m * eps**2) * samples.T @ samples)[1]


def incremental_coding_length(sample, samples, share, eps):
    """How many more nats a class of samples takes with one sample more, and the nats of the label of the class."""
    return coding_length(np.vstack([samples, sample]), eps) - coding_length(samples, eps) - np.log(share)
