"""How many nats it takes to code clusters, and a sample as a member of each of them."""

from dataclasses import dataclass

import numpy as np

from ..numerics.arrays import Array
from ..storage.expectations import expect, expect_numbers, is_number
from ..storage.stored_types import stored_record
from .segment_moments import NUMBERS_AT_A_TIME, SegmentMoments


@dataclass(frozen=True, eq=False)
class CodingRule:
    """What the length of a code depends on beside the samples.

    Parameters
    ----------
    variance : float
        Squared error per coordinate up to which samples are coded: ε²/n of Ma et al.
    dimensions : float array, shape (n_freqs,)
        Directions in use at each frequency, whose coordinates come first; the others are 0.
    counts : float array, shape (n_freqs,)
        How many frequencies of the full spectrum each one stands for.
    affine : bool
        Whether a cluster has a mean, which is coded, too.
    total : float
        Weight of all samples.
    """

    variance: float
    dimensions: Array
    counts: Array
    affine: bool
    total: float


def segment_lengths(moments: SegmentMoments, rule: CodingRule) -> Array:
    """Length of the code of each cluster in nats (Ma et al. 2007, eq. 12 and 19).

    ½ (m + n) log det(I + Σ/s) for the samples and the directions that they are coded in, ½ n log(1 + ‖μ‖²/(n s)) for
    the mean, and m log(M/m) for which samples are in the cluster; the first one at each frequency.

    Parameters
    ----------
    moments : SegmentMoments
    rule : CodingRule

    Returns
    -------
    float array, shape (n_clusters,)
    """
    means, covariances = moments.covariances(rule.affine)
    _, logdet = np.linalg.slogdet(np.eye(covariances.shape[-1]) + covariances / rule.variance)
    effort = rule.counts * (moments.weight[:, None] + rule.dimensions)
    length = 0.5 * (effort * logdet).sum(axis=1) + moments.weight * np.log(rule.total / moments.weight)
    if rule.affine:
        n = rule.dimensions[0]
        length += 0.5 * n * np.log1p((np.abs(means) ** 2).sum(axis=1) / (n * rule.variance))
    return np.asarray(length)


@stored_record()
@dataclass(frozen=True, eq=False)
class ClusterCodes:
    """What a sample is coded by in each cluster.

    Parameters
    ----------
    means : array, shape (n_clusters, n_channels)
        At frequency 0.
    whitening : array, shape (n_clusters, n_freqs, n_channels, n_channels)
        Rows of it, times a sample without the mean, are its coordinates along the axes of the cluster, each divided by
        the deviation there; times the root of what they count.
    constants : float array, shape (n_clusters,)
        What the code of a sample has beside ½ ‖coordinates‖².
    """

    means: Array
    whitening: Array
    constants: Array

    @classmethod
    def of(cls, moments: SegmentMoments, rule: CodingRule) -> "ClusterCodes":
        """Codes of clusters: a sample takes what the length of the code grows by with the weight of the sample.

        The length is concave in the moments but for what the directions cost, so that samples that all change to
        the cluster of their shortest code at once make the whole code shorter.
        """
        means, covariances = moments.covariances(rule.affine)
        variances, axes = np.linalg.eigh(covariances)
        variances = np.maximum(variances, 0.0)
        counted = rule.counts * (1 + rule.dimensions / moments.weight[:, None])
        shares = (counted[:, :, None] * variances / (variances + rule.variance)).sum(axis=(1, 2))
        logdet = (rule.counts[:, None] * np.log1p(variances / rule.variance)).sum(axis=(1, 2))
        scale = np.sqrt(counted[:, :, None] / (variances + rule.variance))
        whitening = (axes * scale[:, :, None, :]).conj().swapaxes(2, 3)
        constants = 0.5 * (logdet - shares) + np.log(rule.total / moments.weight)
        return cls(means, np.ascontiguousarray(whitening), constants)

    def lengths(self, V: Array) -> Array:
        """Length of the code of each sample in each cluster, in nats.

        Parameters
        ----------
        V : array, shape (n_freqs, n_channels, n_samples)

        Returns
        -------
        float array, shape (n_samples, n_clusters)
        """
        P, C, m = V.shape
        lengths = np.empty((m, len(self.constants)))
        at_a_time = max(1, NUMBERS_AT_A_TIME // (P * C))
        for start in range(0, m, at_a_time):
            some = slice(start, min(start + at_a_time, m))
            for j, (mean, whitening) in enumerate(zip(self.means, self.whitening, strict=True)):
                part = V[:, :, some].copy()
                part[0] -= mean[:, None]
                energy = np.abs(whitening @ part) ** 2
                lengths[some, j] = 0.5 * energy.sum(axis=(0, 1)) + self.constants[j]
        return lengths

    def check_stored(self, n_clusters: int, shape: tuple[int, int], kind: str) -> None:
        """Refuse what came from a file and does not code blocks (n_freqs, n_channels) of a type in so many clusters."""
        P, C = shape
        for array, wanted in ((self.means, (n_clusters, C)), (self.whitening, (n_clusters, P, C, C))):
            fits = isinstance(array, np.ndarray) and array.shape == wanted and array.dtype.name == kind
            expect(fits and bool(np.isfinite(array).all()), "the codes of the clusters are of another shape")
        expect_numbers(self.constants, (n_clusters,), "the code of a cluster")


def check_stored_length(value: float) -> None:
    """Refuse the length of a code that came from a file and is no number."""
    expect(is_number(value), "the length of the code is no number")
