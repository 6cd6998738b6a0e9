"""A network as a PyTorch module: the way of samples to the sphere, and through the layers."""

import math
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from ..estimators.features import ReduNet
from ..inputs.errors import Data, InputError
from ..network.network import Network
from .layer_twin import LayerTwin
from .lift_twins import lift_twin
from .mirrored_frequencies import MirroredFrequencies
from .tensor_blocks import normalise, root, samples_of, tensor_of
from .twin import Twin


class NetworkModule(Twin):
    """What a network does to samples, with parameters to train.

    A shifted sample has the same features, shifted, up to rounding, whatever the parameters are.

    Parameters
    ----------
    like : fitted estimator, or record
        What the network belongs to.
    network : Network
    sample_shape : tuple of int
        (n_channels, *grid) of a sample.

    Attributes
    ----------
    lift : module
        What samples pass before they enter; its parameters are ``filters`` and ``level``, or none.
    layers : ModuleList
        The layers, each with ``expansion``, ``compression``, ``measure``, ``log_step_size`` and ``log_sharpness``.
    """

    def __init__(self, like: Any, network: Network, sample_shape: tuple[int, ...]) -> None:
        super().__init__(like)
        self.sample_shape, self.geometry = sample_shape, network.geometry
        weights = tensor_of(network.geometry.norm_weights)
        self.register_buffer("weights", weights, persistent=False)
        self.frequencies = MirroredFrequencies(network.geometry.grid)
        scaler, span = network.scaler, network.span
        mean, scale = (None, None) if scaler is None else (tensor_of(scaler.mean), tensor_of(scaler.scale))
        self.register_buffer("mean", mean, persistent=False)
        self.register_buffer("scale", scale, persistent=False)
        self.register_buffer("basis", None if span is None else tensor_of(span.basis), persistent=False)
        self.lift = lift_twin(network.lift)
        self.layers = nn.ModuleList([LayerTwin(layer, self.frequencies, weights) for layer in network.layers])

    def blocks(self, X: Any) -> Tensor:
        """Features of samples after the last layer, as blocks V[freq, channel, sample].

        Parameters
        ----------
        X : tensor, in the layout of the estimator

        Returns
        -------
        tensor, shape (n_freqs, n_channels, n_samples)
            The half spectrum, complex with cyclic axes, as the estimator has it; the samples are last, so that all of
            them are multiplied by the operators of a frequency at once. In a span the coordinates there.
        """
        return self._through_layers(self._entered(self._samples(X)[0])[0])

    def features(self, X: Any) -> Tensor:
        """Features of samples in the sample domain, as :meth:`redunet.ReduNet.transform` gives them.

        Returns
        -------
        tensor, flat for flat X, else of shape (n_samples, n_channels, *grid)
        """
        samples, flat = self._samples(X)
        V, outside = self._entered(samples)
        V = self._through_layers(V)
        if self.basis is not None:
            V = self.basis @ V[:, :-1] + outside * V[:, -1:]
        features = samples_of(V, self.geometry.grid, unitary=self.geometry.unitary)
        return features.flatten(1) if flat else features

    def network_like(self, network: Network) -> Network:
        """The network that this was made of, with the numbers that this has now."""
        return replace(network, lift=self.lift.record(), layers=tuple(layer.record() for layer in self.layers))

    def _samples(self, X: Any) -> tuple[Tensor, bool]:
        """Samples of the shape of the estimator and the type and device of the module; and whether they came flat."""
        X = torch.as_tensor(X, device=self.weights.device)
        if not (self.lift.reads_as_given and X.is_floating_point()):
            X = X.to(self.weights.dtype)
        given, shape = tuple(X.shape[1:]), self.sample_shape
        flat = len(given) == 1
        fits = given == shape or (1, *given) == shape or (flat and given[0] == math.prod(shape))
        if not fits and not self._fits_otherwise(given):
            raise InputError(
                "{data} has samples of shape {given} but the model was fitted on {shape}; pass samples of this shape.",
                data=Data("X"),
                given=given,
                shape=shape,
            )
        return (X.reshape(len(X), *shape) if fits else X), flat

    def _fits_otherwise(self, given: tuple[int, ...]) -> bool:
        """Whether samples of another shape are taken, too: signals of other lengths, by a lift that takes any."""
        any_length = getattr(self.lift.like, "length", 0) is None
        return any_length and len(given) == 2 and given[0] == self.sample_shape[0]

    def _entered(self, samples: Tensor) -> tuple[Tensor, Tensor]:
        """Blocks of samples on the sphere, and unit vectors of what lies outside of a span (nothing without one)."""
        if self.mean is not None:
            samples = (samples - self.mean) / self.scale
        V = self.lift(samples)
        if not self.geometry.grid:
            V = self._with_constant(V)
        V = normalise(V, self.weights)
        if self.basis is None:
            return V, V[:, :0]
        inside = self.basis.T @ V
        rest = V - self.basis @ inside
        again = self.basis.T @ rest  # a second pass makes the rest orthogonal to the last bit
        inside, rest = inside + again, rest - self.basis @ again
        length = root(rest.square().sum(dim=1, keepdim=True))
        return torch.cat([inside, length], dim=1), rest / torch.where(length > 0, length, 1.0)

    def _with_constant(self, V: Tensor) -> Tensor:
        """Vectors (1, n_features, n_samples) with their constant coordinate, if any, and no value above 1."""
        offset = self.geometry.offset
        largest = V.detach().abs().amax(dim=1, keepdim=True)
        if offset is None:
            return V / torch.where(largest > 0, largest, 1.0)
        largest = largest.clamp(min=offset)
        return torch.cat([V / largest, offset / largest], dim=1)

    def _through_layers(self, V: Tensor) -> Tensor:
        before: Tensor | None = None
        for layer in self.layers:
            V, before = layer(V, before), V
        return V


class FeatureModule(NetworkModule):
    """What a fitted :class:`redunet.ReduNet` does, with parameters to train.

    Parameters
    ----------
    model : ReduNet
        Fitted.
    """

    def __init__(self, model: ReduNet) -> None:
        super().__init__(model, model.network_, model.sample_shape_)

    def forward(self, X: Any) -> Tensor:
        """Features of samples, as :meth:`features` gives them."""
        return self.features(X)
