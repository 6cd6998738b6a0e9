"""One layer of a network as a PyTorch module."""

import math

import torch
from torch import Tensor, nn

from ..network.layer import Layer
from .hermitian_operators import HermitianOperators
from .measure_twins import measure_twin
from .mirrored_frequencies import MirroredFrequencies
from .tensor_blocks import normalise, tensor_of, times_real
from .twin import Twin


class LayerTwin(Twin):
    """Operators and constants of one layer, the twin of :class:`redunet.network.layer.Layer`.

    Parameters
    ----------
    layer : Layer
    frequencies : MirroredFrequencies
    weights : float64 tensor, shape (n_freqs,)
        Parseval weights.
    """

    def __init__(self, layer: Layer, frequencies: MirroredFrequencies, weights: Tensor) -> None:
        super().__init__(layer)
        self.expansion = HermitianOperators(layer.expansion[None], frequencies)
        self.compression = HermitianOperators(layer.compression, frequencies)
        self.measure = measure_twin(layer.measure, frequencies)
        self.log_step_size = nn.Parameter(tensor_of(math.log(layer.step_size)))
        self.log_sharpness = nn.Parameter(tensor_of(math.log(layer.sharpness)))
        self.register_buffer("class_share", tensor_of(layer.class_share))
        self.register_buffer("weights", weights, persistent=False)

    def forward(self, V: Tensor, V_before: Tensor | None = None) -> Tensor:
        """Features after this layer (eq. 13).

        Parameters
        ----------
        V : tensor, shape (n_freqs, n_channels, n_samples)
            Features before this layer.
        V_before : tensor of the shape of V, optional
            Features one layer earlier, which a layer with momentum needs.
        """
        if self.like.momentum and V_before is not None:
            V = normalise(V + self.like.momentum * (V - V_before), self.weights)
        P = self.compression(V)
        pull = self.measure.pull(V, P, self.class_share, self.log_sharpness.exp())
        direction = self.expansion(V)[:, 0] - pull
        return normalise(V + times_real(direction, self.log_step_size.exp()[None]), self.weights)

    def record(self) -> Layer:
        """The layer with the numbers that this has now."""
        compression = self.compression.array(self.like.compression.dtype)
        return Layer(
            expansion=self.expansion.array(self.like.expansion.dtype)[0],
            compression=compression,
            class_share=self.like.class_share,
            step_size=float(torch.exp(self.log_step_size)),
            sharpness=float(torch.exp(self.log_sharpness)),
            measure=self.measure.record(compression),
            momentum=self.like.momentum,
        )
