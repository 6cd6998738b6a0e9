"""Labels that spread from few samples to their neighbours, and from these on: the first guess for unlabelled samples.

Each sample is joined to those that are most like it, at whichever shift they match best. A label goes along these
joints, and loses a little at every step (Zhou et al., "Learning with Local and Global Consistency", 2003); what arrives
of each class is then divided by its total, so that a class in a dense place does not take all samples. A class of a
single labelled sample has neighbours, though it has no subspace that is worth the name.
"""

import numpy as np
from scipy.sparse import csr_matrix, diags_array

from ..fast.threads import run_parts
from ..network.geometry import Geometry
from ..numerics.arrays import Array
from ..numerics.best_matching_shift import aligned_products

# Samples that each is joined to.
N_NEIGHBOURS = 10
# What is left of a label after one step, and steps until what is left is negligible.
SHARE_PASSED_ON, N_STEPS = 0.99, 300
# Samples that are compared with as many others at a time, which bounds the memory.
SAMPLES_PER_TILE = 256
# The least squared distance: that of copies, up to rounding in single precision.
LEAST_DISTANCE = 1e-6


def neighbour_graph(V: Array, geometry: Geometry, n_neighbours: int = N_NEIGHBOURS) -> csr_matrix:
    """Joints of each sample with its nearest ones, of weights in (0, 1]; symmetric, shape (n_samples, n_samples).

    Parameters
    ----------
    V : array, shape (n_freqs, n_channels, n_samples)
        Of unit norm.
    geometry : Geometry
        Whose cyclic axes say over which shifts samples are compared.
    n_neighbours : int
    """
    m = V.shape[2]
    n = min(n_neighbours, m - 1)
    products = _all_products(V, geometry)
    np.fill_diagonal(products, -np.inf)
    nearest = np.argpartition(-products, n - 1, axis=1)[:, :n]
    distances = np.maximum(2 - 2 * np.take_along_axis(products, nearest, axis=1), LEAST_DISTANCE).astype(np.float64)
    reach = distances.max(axis=1)  # how far a sample has to look, which says how densely others lie around it
    weights = np.exp(-2 * distances / np.sqrt(reach[:, None] * reach[nearest]))
    joints = csr_matrix((weights.ravel(), (np.repeat(np.arange(m), n), nearest.ravel())), shape=(m, m))
    return joints.maximum(joints.T).tocsr()


def spread_labels(graph: csr_matrix, codes: Array, n_classes: int) -> Array:
    """Share of each class in what arrives at each sample; shape (n_samples, n_classes), rows sum to 1.

    Parameters
    ----------
    graph : sparse array, shape (n_samples, n_samples)
    codes : int array, shape (n_samples,)
        Class of each sample; −1 where it is not known.
    n_classes : int
    """
    labels = (codes[:, None] == np.arange(n_classes)).astype(float)
    root = diags_array(1 / np.sqrt(np.maximum(np.asarray(graph.sum(axis=1)).ravel(), 1e-300)))
    step = (root @ graph @ root).tocsr()
    arrived = labels
    for _ in range(N_STEPS):
        arrived = SHARE_PASSED_ON * (step @ arrived) + (1 - SHARE_PASSED_ON) * labels
    arrived = arrived / np.maximum(arrived.sum(axis=0), 1e-300)
    total = arrived.sum(axis=1, keepdims=True)
    # Where nothing arrives, nothing is known.
    return np.divide(arrived, total, out=np.full(arrived.shape, 1 / n_classes), where=total > 0)


def _all_products(V: Array, geometry: Geometry) -> Array:
    """Products of all samples with all others at the shift where they match best; shape (n_samples, n_samples)."""
    m, scale = V.shape[2], float(geometry.norm_weights[0])
    products = np.empty((m, m), dtype=np.float32)
    starts = range(0, m, SAMPLES_PER_TILE)
    tiles = [(a, b) for a in starts for b in starts if b >= a]

    def work(tile: tuple[int, int]) -> None:
        rows, columns = (slice(start, start + SAMPLES_PER_TILE) for start in tile)
        found = aligned_products(V[:, :, rows], V[:, :, columns], geometry.grid, scale)
        products[rows, columns] = found
        products[columns, rows] = found.T

    run_parts(work, tiles)
    return products
