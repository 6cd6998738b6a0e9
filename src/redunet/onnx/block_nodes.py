"""Norms and products of blocks V, whose complex numbers are pairs of real ones.

Blocks have the shape (n_parts, n_freqs, n_samples, n_channels), or (n_parts, n_classes, n_freqs, n_samples, n_channels)
where there is one for each class.
"""

import numpy as np

from ..numerics.arrays import Array
from .fourier_nodes import turned
from .graph_builder import Tensor


def squared_norms(V: Tensor, weights: Array) -> Tensor:
    """Squared norm of each sample, taken in the spectrum (Parseval); shape (n_samples,) or (n_classes, n_samples)."""
    return (V.sum_of_squares(0, -1) * weights[:, None]).sum(-2)


def inner_products(V: Tensor, W: Tensor, weights: Array) -> Tensor:
    """Real part of the inner product of samples, Σ_p w_p Re v(p)* w(p); (n_samples,) or (n_classes, n_samples)."""
    return ((V * W).sum(0, -1) * weights[:, None]).sum(-2)


def normalised(V: Tensor, weights: Array) -> Tensor:
    """Samples scaled onto the unit sphere; one that is zero is not a number."""
    return V / squared_norms(V, weights).sqrt().unsqueeze(-1)


def multiplied(operators: Array, V: Tensor) -> Tensor:
    """Samples after an operator at each frequency, or after those of each class.

    Parameters
    ----------
    operators : array, shape (n_freqs, n_out, n_channels) or (n_classes, n_freqs, n_out, n_channels)
    V : Tensor, blocks
    """
    columns = operators.swapaxes(-1, -2)
    product = V @ np.ascontiguousarray(columns.real)
    return product - turned(V) @ np.ascontiguousarray(columns.imag) if np.iscomplexobj(operators) else product


def projected(bases: Array, V: Tensor) -> Tensor:
    """Samples projected onto the subspace of each class at each frequency, U U* v.

    Parameters
    ----------
    bases : array, shape (n_classes, n_freqs, n_channels, rank)
        Orthonormal columns.
    V : Tensor, blocks of each class
    """
    real = V.graph.constant(np.ascontiguousarray(bases.real))
    along = V @ real
    if not np.iscomplexobj(bases):
        return along @ real.transpose(0, 1, 3, 2)
    imaginary = V.graph.constant(np.ascontiguousarray(bases.imag))
    along = along + turned(V) @ imaginary
    return along @ real.transpose(0, 1, 3, 2) - turned(along) @ imaginary.transpose(0, 1, 3, 2)
