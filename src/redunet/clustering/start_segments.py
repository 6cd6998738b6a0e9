"""Many small clusters of samples that are near each other, to begin with."""

from collections.abc import Sequence

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import KMeans

from ..numerics.arrays import Array

# More samples than this are brought together around so many centres first: pairs of samples would take too much memory.
MOST_PAIRED_SAMPLES, N_CENTRES = 3000, 1000
# Samples that the centres are found from, at most, and rounds of it.
SAMPLES_FOR_CENTRES, CENTRE_ROUNDS = 20_000, 20


def start_segments(points: Array, weights: Array, sizes: Sequence[int], seed: int) -> list[Array]:
    """Small clusters by Ward's method, so many as each of the sizes says.

    Parameters
    ----------
    points : real array, shape (n_samples, n_features)
        All of them different.
    weights : float array, shape (n_samples,)
    sizes : sequence of int
        Numbers of clusters.
    seed : int
        For the centres of many samples.

    Returns
    -------
    list of int arrays, shape (n_samples,)
        Number of the cluster of each sample, for each of the sizes; there may be fewer clusters than asked for where
        distances are equal.
    """
    nearest = None
    if len(points) > MOST_PAIRED_SAMPLES:
        some = np.arange(SAMPLES_FOR_CENTRES) * len(points) // SAMPLES_FOR_CENTRES
        some = np.unique(np.minimum(some, len(points) - 1))
        centres = KMeans(
            N_CENTRES, n_init=1, init="random", max_iter=CENTRE_ROUNDS, random_state=seed, algorithm="lloyd"
        )
        centres.fit(points[some], sample_weight=weights[some])
        nearest, points = centres.predict(points), centres.cluster_centers_
    tree = linkage(points, "ward")
    found = []
    for size in sizes:
        labels = fcluster(tree, size, "maxclust").astype(np.int64) - 1
        found.append(labels if nearest is None else labels[nearest])
    return found
