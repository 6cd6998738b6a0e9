"""Small random deformations of signals, images and volumes, as more samples to train with.

A classifier that no shift can change needs no shifted copies of its samples. Strokes that are a little longer, turned
or bent are another matter: no guarantee covers them, and samples that show them are worth more labels.
"""

import itertools
import math

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from ..lift.polar import PolarGrid

# At amount 1, as shares of the length of an axis or in radians: how far a smooth displacement moves a position (root
# mean square), and the largest turn, stretch and shear of an image.
DISPLACEMENT, LARGEST_TURN, LARGEST_STRETCH, LARGEST_SHEAR = 0.025, 0.2, 0.1, 0.2
# Waves of a smooth displacement along an axis, at most.
MOST_WAVES = 2
# Waves across the plane that a smooth displacement of rings is made of.
WAVES_OF_PLANE = 4


class Deformation:
    """Random deformations: smooth displacements, and turns, stretches and shears of images and volumes.

    Axes are cyclic: what leaves a sample on one side comes back on the other. Turns and stretches do not go with that
    at the border, so that an object should not lie across it.

    Parameters
    ----------
    amount : float, default=1.0
        How strong they are; 1 suits handwriting.
    """

    def __init__(self, amount: float = 1.0) -> None:
        self.amount = amount

    def __repr__(self) -> str:
        return f"Deformation({self.amount:g})"

    def __call__(self, samples: Tensor, generator: torch.Generator) -> Tensor:
        """Deformed samples, each in another way.

        Parameters
        ----------
        samples : tensor, shape (n_samples, n_channels, *grid)
        generator : torch.Generator
            On the processor, whatever the device of the samples.

        Returns
        -------
        tensor of the shape of samples
        """
        n, grid = len(samples), tuple(samples.shape[2:])
        positions = torch.stack(torch.meshgrid(*(torch.arange(float(length)) for length in grid), indexing="ij"))
        moved = positions + self._displacements(n, grid, generator)
        if len(grid) > 1:
            moved = moved + self._linear_part(n, positions, generator)
        return interpolated(samples, moved.to(samples))

    def _displacements(self, n: int, grid: tuple[int, ...], generator: torch.Generator) -> Tensor:
        """Smooth random displacements along each axis; shape (n, n_axes, *grid), in steps of the grid."""
        half = (*grid[:-1], grid[-1] // 2 + 1)
        spectra = torch.zeros((n, len(grid), *half), dtype=torch.complex64)
        waves = [[*range(min(MOST_WAVES, (length - 1) // 2) + 1)] for length in grid]
        signed = [[*few, *(-wave for wave in few if wave)] for few in waves[:-1]]
        for wave in itertools.product(*signed, waves[-1]):
            place = (slice(None), slice(None), *wave)
            spectra[place] = torch.complex(*torch.randn((2, n, len(grid)), generator=generator))
        axes = tuple(range(2, 2 + len(grid)))
        field = torch.fft.irfftn(spectra, s=grid, dim=axes)
        field = field - field.mean(dim=axes, keepdim=True)  # a displacement of everything is a shift
        size = field.square().mean(dim=axes, keepdim=True).sqrt().clamp(min=1e-12)
        lengths = torch.tensor(grid, dtype=torch.float32).reshape(1, -1, *[1] * len(grid))
        return field / size * (self.amount * DISPLACEMENT) * lengths

    def _linear_part(self, n: int, positions: Tensor, generator: torch.Generator) -> Tensor:
        """Displacements of random turns, stretches and shears about the middle; shape (n, n_axes, *grid)."""
        grid = positions.shape[1:]
        d = len(grid)

        def at_most(largest: float, *shape: int) -> Tensor:
            return (2 * torch.rand((n, *shape), generator=generator) - 1) * (largest * self.amount)

        turn, shear = at_most(LARGEST_TURN, d, d), at_most(LARGEST_SHEAR, d, d)
        linear = torch.triu(turn, 1) - torch.triu(turn, 1).mT + torch.triu(shear, 1)
        linear = linear + torch.diag_embed(at_most(LARGEST_STRETCH, d))
        middle = torch.tensor([(length - 1) / 2 for length in grid]).reshape(d, *[1] * d)
        return torch.einsum("nab,b...->na...", linear, positions - middle)


class RingDeformation:
    """Random deformations of images that were read along rings: in the plane of the image, not along the rings.

    Parameters
    ----------
    grid : PolarGrid
        Fitted; what made rings of the images.
    amount : float, default=1.0
        How strong they are; 1 suits handwriting.
    """

    def __init__(self, grid: PolarGrid, amount: float = 1.0) -> None:
        check_is_fitted(grid)
        self.amount = amount
        self.radii = torch.from_numpy(np.asarray(grid.radii_, dtype=np.float32))
        angles = torch.arange(float(grid.n_angles)) * (2 * math.pi / grid.n_angles)
        self.plane = self.radii[:, None] * torch.stack([angles.cos(), angles.sin()])[:, None]

    def __repr__(self) -> str:
        return f"RingDeformation({len(self.radii)} rings, {self.amount:g})"

    def __call__(self, samples: Tensor, generator: torch.Generator) -> Tensor:
        """Deformed samples, each in another way.

        Parameters
        ----------
        samples : tensor, shape (n_samples, n_rings, n_angles)
        generator : torch.Generator
            On the processor, whatever the device of the samples.

        Returns
        -------
        tensor of the shape of samples
        """
        n, outermost = len(samples), float(self.radii[-1])

        def at_most(largest: float, *shape: int) -> Tensor:
            return (2 * torch.rand((n, *shape), generator=generator) - 1) * (largest * self.amount)

        shear = torch.triu(at_most(LARGEST_SHEAR, 2, 2), 1)
        linear = torch.eye(2) + shear + shear.mT * at_most(1.0, 1, 1) + torch.diag_embed(at_most(LARGEST_STRETCH, 2))
        size = DISPLACEMENT * 2 * outermost * self.amount
        waves = torch.randn((n, WAVES_OF_PLANE, 2), generator=generator) * (math.pi / outermost)
        phases = torch.rand((n, WAVES_OF_PLANE, 1, 1), generator=generator) * (2 * math.pi)
        heights = torch.randn((n, WAVES_OF_PLANE, 2), generator=generator) * size
        along = torch.sin(torch.einsum("nkd,dra->nkra", waves, self.plane) + phases)
        moved = torch.einsum("nij,jra->nira", linear, self.plane) + torch.einsum("nkra,nkd->ndra", along, heights)
        moved = moved + torch.randn((n, 2, 1, 1), generator=generator) * size
        return interpolated(samples[:, None], self._places(moved).to(samples))[:, 0]

    def _places(self, moved: Tensor) -> Tensor:
        """Where points of the plane (n, 2, n_rings, n_angles) lie among rings and angles, in steps of the grid."""
        radius, angle = moved.square().sum(dim=1).sqrt(), torch.atan2(moved[:, 1], moved[:, 0])
        radius = radius.clamp(float(self.radii[0]), float(self.radii[-1]))
        inner = (torch.searchsorted(self.radii, radius, right=True) - 1).clamp(max=len(self.radii) - 2)
        share = (radius - self.radii[inner]) / (self.radii[inner + 1] - self.radii[inner])
        return torch.stack([inner + share, angle * (moved.shape[3] / (2 * math.pi))], dim=1)


def interpolated(samples: Tensor, positions: Tensor) -> Tensor:
    """Values of samples at positions between those of the grid, by linear interpolation along each cyclic axis.

    Parameters
    ----------
    samples : tensor, shape (n_samples, n_channels, *grid)
    positions : tensor, shape (n_samples, n_axes, *grid)

    Returns
    -------
    tensor of the shape of samples
    """
    n, n_channels, *grid = samples.shape
    values = samples.reshape(n, n_channels, -1)
    below = positions.floor()
    above_share = positions - below
    found = torch.zeros_like(values)
    for corner in itertools.product((0, 1), repeat=len(grid)):
        flat = torch.zeros((n, math.prod(grid)), dtype=torch.long, device=samples.device)
        share = torch.ones((n, math.prod(grid)), dtype=samples.dtype, device=samples.device)
        for axis, (step, length) in enumerate(zip(corner, grid, strict=True)):
            flat = flat * length + torch.remainder(below[:, axis].long() + step, length).reshape(n, -1)
            along = above_share[:, axis].reshape(n, -1)
            share = share * (along if step else 1 - along)
        found += values.gather(2, flat[:, None].expand(-1, n_channels, -1)) * share[:, None]
    return found.reshape(samples.shape)
