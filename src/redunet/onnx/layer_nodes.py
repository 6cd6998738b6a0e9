"""The layers of a network in a graph; the twin of :class:`redunet.network.layer.Layer`, called layer by layer."""

from collections.abc import Iterable

from ..network.layer import Layer
from ..numerics.arrays import Array
from .block_nodes import multiplied, normalised
from .graph_builder import Tensor
from .measure_nodes import pull


def after_layers(layers: Iterable[Layer], V: Tensor, weights: Array) -> Tensor:
    """Features after the last layer.

    Parameters
    ----------
    layers : iterable of Layer
    V : Tensor, shape (n_parts, n_freqs, n_samples, n_channels)
        Features of unit norm.
    weights : float array, shape (n_freqs,)
        Parseval weights.
    """
    V_before = V
    for number, layer in enumerate(layers):
        with V.graph.part(f"layer_{number}"):
            V, V_before = after_layer(layer, V, V_before, weights), V
    return V


def after_layer(layer: Layer, V: Tensor, V_before: Tensor, weights: Array) -> Tensor:
    """Features after one layer (eq. 13); ``V_before`` are those one layer earlier, for a layer with momentum."""
    if layer.momentum:
        V = normalised(V + (V - V_before) * layer.momentum, weights)
    P = multiplied(layer.compression, V.unsqueeze(1))
    taken = pull(layer.measure, V, P, layer.class_share, layer.sharpness)
    direction = multiplied(layer.expansion, V) - taken
    return normalised(V + direction * layer.step_size, weights)
