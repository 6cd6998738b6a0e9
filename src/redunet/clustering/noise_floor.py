"""Up to which error samples are coded: as much as they vary where a cluster has no direction."""

import numpy as np

from ..numerics.arrays import Array
from .segment_moments import SegmentMoments

# Shares of the mean variance of a coordinate: the squared error per coordinate that a search begins with, and those
# that the one which is found lies between. Beyond the largest, clusters that lie close together are coded as one;
# below the smallest, digits of numbers are coded.
FIRST_SHARE, SMALLEST_SHARE, LARGEST_SHARE = 0.01, 0.0005, 0.1
# How much of the variance where a cluster has no direction is taken for the squared error.
SHARE_OF_FLOOR = 0.5
# The error is taken as found when it changes by less than this factor.
SAME_FACTOR = 1.1


def noise_share(moments: SegmentMoments, dimensions: Array, counts: Array, affine: bool, mean_variance: float) -> float:
    """Half of the median variance of clusters along their own axes, as a share of the variance of all samples.

    Parameters
    ----------
    moments : SegmentMoments
    dimensions : int array, shape (n_freqs,)
        Directions in use at each frequency.
    counts : float array, shape (n_freqs,)
    affine : bool
    mean_variance : float
        Variance of a coordinate of all samples, in the mean.

    Returns
    -------
    float
        The mean over the clusters, between SMALLEST_SHARE and LARGEST_SHARE.
    """
    _, covariances = moments.covariances(affine)
    variances = np.linalg.eigvalsh(covariances)[:, :, ::-1]
    used = np.arange(variances.shape[2]) < dimensions[:, None]
    counted = np.broadcast_to(counts[:, None], used.shape)[used]
    medians = [_weighted_median(np.maximum(one[used], 0.0), counted) for one in variances]
    share = SHARE_OF_FLOOR * float(np.average(medians, weights=moments.weight)) / mean_variance
    return float(np.clip(share, SMALLEST_SHARE, LARGEST_SHARE))


def _weighted_median(values: Array, weights: Array) -> float:
    """The value, or the mean of the two, with half of the weight below it."""
    order = np.argsort(values)
    values, reached = values[order], np.cumsum(weights[order])
    half = 0.5 * reached[-1]
    first = int(np.searchsorted(reached, half))
    return float(values[first]) if reached[first] > half else float(values[first : first + 2].mean())
