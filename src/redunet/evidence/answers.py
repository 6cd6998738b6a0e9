"""What the answer of a classifier is measured by, for features with given class moments."""

import numpy as np

from ..fast.ridge_operators import layer_operators
from ..measures.code import CodeBooks
from ..measures.subspace import NearestSubspaces
from ..network.construct import Recipe
from ..network.network import Network
from ..numerics.arrays import Array
from ..numerics.operators import coding_alpha


def answers_of(
    network: Network, M: Array, class_weight: Array, recipe: Recipe, most_directions: int | None = None
) -> NearestSubspaces | CodeBooks:
    """Code books where layers guess by code lengths, else subspaces of the recipe's rank.

    Parameters
    ----------
    network : Network
        With or without its layers.
    M : array, shape (n_classes, n_freqs, n_channels, n_channels)
        Class moments of the features.
    class_weight : float array, shape (n_classes,)
    recipe : Recipe
    most_directions : int, optional
        Size of the largest class.
    """
    geometry = network.geometry
    if recipe.membership != "code":
        return NearestSubspaces.of_moments(M, recipe.rank, geometry.norm_weights, network.dtype, most_directions)
    n = geometry.n_channels
    alpha_j = np.asarray(coding_alpha(n, class_weight, recipe.eps))
    operators, logdets = layer_operators(M, alpha_j, float(alpha_j.min()), M.dtype)
    unit = n * geometry.norm_weights.sum() / class_weight
    return CodeBooks(operators[:-1], unit, logdets[:-1] @ geometry.rate_weights / n, geometry.norm_weights)
