"""The way of samples to the sphere in a graph: scale, lift, constant coordinate, spectrum, span; then the layers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs.errors import InputError
from ..lift.pooled_bank import PooledBank
from ..lift.responses import FilterBank
from ..network.geometry import Geometry
from ..network.network import Network
from ..network.span import Span
from ..network.standardiser import Standardiser
from .block_nodes import normalised
from .filter_nodes import responses
from .fourier_nodes import blocks_of, samples_of_blocks
from .graph_builder import Tensor
from .layer_nodes import after_layers
from .pooling_nodes import unit_vectors


@dataclass(frozen=True, eq=False)
class Entered:
    """Samples on the unit sphere, as layers see them.

    Parameters
    ----------
    V : Tensor, shape (n_parts, n_freqs, n_samples, n_channels)
        Coordinates, where there is a span.
    silent : Tensor, bool, shape (n_samples, 1), optional
        Which samples have no place there, since nothing is left of them; None where every sample has one.
    outside : Tensor, optional
        Unit vectors of what lies outside of the span; of the shape of vectors.
    """

    V: Tensor
    silent: Tensor | None
    outside: Tensor | None = None


def after_network(network: Network, samples: Tensor) -> Entered:
    """Features of samples (n_samples, *sample_shape) after the last layer of a network."""
    with samples.graph.part("entrance"):
        found = entered(network, samples)
    V = after_layers(network.layers, found.V, network.geometry.norm_weights)
    return Entered(V, found.silent, found.outside)


def features(network: Network, samples: Tensor) -> Tensor:
    """Features of samples in the sample domain; shape (n_samples, *feature_shape). Those of silence are not numbers."""
    found, geometry = after_network(network, samples), network.geometry
    V = found.V
    if network.span is not None and found.outside is not None:
        V = vectors_of(network.span, V, found.outside)
    if geometry.grid:
        return samples_of_blocks(V, geometry.n_channels, geometry.grid, unitary=geometry.unitary)
    return V.reshape(-1, geometry.n_channels)


def entered(network: Network, samples: Tensor) -> Entered:
    """Samples (n_samples, *sample_shape) at the entrance of a network."""
    if network.scaler is not None:
        samples = standardised(network.scaler, samples)
    found = _by_lift(network)(network, samples)
    return found if network.span is None else in_span(network.span, found)


def standardised(scaler: Standardiser, samples: Tensor) -> Tensor:
    """Features of mean 0 and standard deviation 1; in double precision, for means may be far larger than deviations."""
    return ((samples.cast(np.float64) - scaler.mean) / scaler.scale).cast(samples.dtype)


def _without_lift(network: Network, samples: Tensor) -> Entered:
    return on_sphere(network.geometry, samples, network.geometry.grid)


def _by_filters(network: Network, samples: Tensor) -> Entered:
    """Responses to filters; of their frequencies those that the coarse grid has."""
    bank: Any = network.lift
    return on_sphere(network.geometry, responses(bank, samples), bank.grid)


def _by_pooling(network: Network, samples: Tensor) -> Entered:
    bank: Any = network.lift
    return Entered(unit_vectors(bank, samples).unsqueeze(0, 1), None)


# The ways in, by the class of the lift.
WAYS_IN: dict[type, Callable[[Network, Tensor], Entered]] = {
    type(None): _without_lift,
    FilterBank: _by_filters,
    PooledBank: _by_pooling,
}


def _by_lift(network: Network) -> Callable[[Network, Tensor], Entered]:
    found = WAYS_IN.get(type(network.lift))
    if found is None:
        raise InputError(
            "a model with a lift of type {kind} cannot be exported: no nodes of ONNX are known for it; fit it with a "
            "Lift or a PooledLift.",
            kind=type(network.lift).__name__,
        )
    return found


def on_sphere(geometry: Geometry, samples: Tensor, grid: tuple[int, ...]) -> Entered:
    """Blocks of samples, projected onto the unit sphere; the twin of :meth:`Geometry.blocks`.

    Parameters
    ----------
    geometry : Geometry
    samples : Tensor, shape (n_samples, n_channels, *grid)
    grid : tuple of int
        Where the samples are; that of the geometry may be coarser.
    """
    # The largest value becomes 1 before anything is squared. (The scale of a Fourier transform does not matter here.)
    largest = samples.abs().max(*range(1, 2 + len(grid)), keepdims=True)
    silent = None
    if geometry.offset is None:
        silent = largest.equals(0.0).reshape(-1, 1)
        scaled = samples / largest
    else:
        largest = largest.at_least(geometry.offset)
        constant = largest.graph.constant(geometry.offset, samples.dtype)
        scaled = (samples / largest).join(largest.graph.node("Div", constant, largest), axis=1)
    V = blocks_of(scaled, geometry.n_channels, grid, geometry.grid) if grid else scaled.unsqueeze(0, 1)
    return Entered(normalised(V, geometry.norm_weights), silent)


def in_span(span: Span, found: Entered) -> Entered:
    """Coordinates of vectors in a span, and one for the length of what lies outside; see :meth:`Span.coordinates`."""
    V = found.V
    basis = V.graph.constant(span.basis)
    back = basis.transpose(1, 0)
    inside = V @ basis
    rest = V - inside @ back
    again = rest @ basis  # a second pass makes the rest orthogonal to the last bit
    inside, rest = inside + again, rest - again @ back
    length = rest.sum_of_squares(-1, keepdims=True).sqrt()
    outside = rest / (length > 0.0).where(length, 1.0)
    return Entered(inside.join(length, axis=-1), found.silent, outside)


def vectors_of(span: Span, coordinates: Tensor, outside: Tensor) -> Tensor:
    """Vectors back from their coordinates in a span."""
    basis = coordinates.graph.constant(span.basis)
    inside, length = coordinates.slice(-1, 0, span.n_directions), coordinates.slice(-1, span.n_directions)
    return inside @ basis.transpose(1, 0) + outside * length
