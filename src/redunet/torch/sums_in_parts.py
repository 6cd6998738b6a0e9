"""Sums over large tensors of products that are never written out: a part that stays in cache at a time.

What autograd would do of itself takes several passes over the memory of all products, forward and backward, which on a
processor costs more than the products.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

# Bytes of a part, which should stay in a core's own cache.
PART_BYTES = 2**19


class SquaredNorms(torch.autograd.Function):  # type: ignore[misc]
    """Squared norm of each sample: Σ_p weight_p Σ_c |v_c(p)|².

    Arguments are V, shape (n_freqs, ..., n_channels, n_samples), and weights of shape (n_freqs,), to which there is no
    gradient. The result has the shape (..., n_samples) and the precision of the weights: weights in double precision
    add up the frequencies there, which leaves less of the rounding errors of V.
    """

    @staticmethod
    def forward(V: Tensor, weights: Tensor) -> Tensor:
        """The sum, over a few frequencies at a time."""
        total = V.new_zeros((*V.shape[1:-2], V.shape[-1]), dtype=weights.dtype)
        for some in parts_of(V):
            energies = real_view(V[some]).square().sum(dim=(-3, -1))
            total += torch.tensordot(weights[some], energies.to(weights.dtype), dims=1)
        return total

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        """Keep what the gradient needs."""
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None]:
        """The gradient by V."""
        V, weights = ctx.saved_tensors
        factor = (2 * weights).reshape(-1, *[1] * (V.ndim - 1)) * slope.unsqueeze(-2)
        parts = real_view(V)
        return of_view(parts * factor[..., None].to(parts.dtype), V), None


class InnerProducts(torch.autograd.Function):  # type: ignore[misc]
    """Inner products of samples with what each class makes of them: Σ_p weight_p Re Σ_c v_c(p)* P_jc(p).

    Arguments are V, shape (n_freqs, n_channels, n_samples), P, shape (n_freqs, n_classes, n_channels, n_samples), and
    weights of shape (n_freqs,), to which there is no gradient; the result has the shape (n_classes, n_samples).
    """

    @staticmethod
    def forward(V: Tensor, P: Tensor, weights: Tensor) -> Tensor:
        """The sum, over a few frequencies at a time."""
        total = P.new_zeros((P.shape[1], P.shape[3]), dtype=weights.dtype)
        for some in parts_of(P):
            products = (real_view(V[some])[:, None] * real_view(P[some])).sum(dim=(-3, -1))
            total += torch.tensordot(weights[some], products, dims=1)
        return total

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor], output: Tensor) -> None:
        """Keep what the gradient needs."""
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, Tensor, None]:
        """Gradients by V and by P."""
        V, P, weights = ctx.saved_tensors
        weighted = V * weights[:, None, None]
        by_P = of_view(real_view(weighted)[:, None] * slope[:, None, :, None], P)
        return SumOverClasses.apply(P, slope) * weights[:, None, None], by_P, None


class SumOverClasses(torch.autograd.Function):  # type: ignore[misc]
    """What all classes together give a sample: Σ_j share_j P_j.

    Arguments are P, shape (n_freqs, n_classes, n_channels, n_samples), and shares, shape (n_classes, n_samples); the
    result has the shape (n_freqs, n_channels, n_samples).
    """

    @staticmethod
    def forward(P: Tensor, shares: Tensor) -> Tensor:
        """The sum, at a few frequencies at a time."""
        total = torch.empty_like(P[:, 0])
        for some in parts_of(P):
            real_view(total[some])[:] = (real_view(P[some]) * shares[:, None, :, None]).sum(dim=1)
        return total

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        """Keep what the gradient needs."""
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, Tensor]:
        """Gradients by P and by the shares."""
        P, shares = ctx.saved_tensors
        by_P = of_view(real_view(slope)[:, None] * shares[:, None, :, None], P)
        sums = [(real_view(P[some]) * real_view(slope[some])[:, None]).sum(dim=(0, 2, 4)) for some in parts_of(P)]
        return by_P, torch.stack(sums).sum(dim=0)


def parts_of(Z: Tensor) -> Iterator[slice]:
    """Slices along the first axis of so many bytes."""
    n_first = len(Z)
    size = max(1, PART_BYTES * n_first // max(1, Z.numel() * Z.element_size()))
    return (slice(first, first + size) for first in range(0, n_first, size))


def real_view(Z: Tensor) -> Tensor:
    """Real and imaginary parts along a last axis; of real numbers, one part."""
    return torch.view_as_real(Z) if Z.is_complex() else Z[..., None]


def of_view(parts: Tensor, like: Tensor) -> Tensor:
    """What :func:`real_view` was made of, complex if ``like`` is."""
    return torch.view_as_complex(parts) if like.is_complex() else parts[..., 0]
