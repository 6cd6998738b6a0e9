"""Small smooth deformations of images: turns, stretches, shears and waves."""

import numpy as np
import scipy.ndimage

from .arrays import Array

# Root mean squares: of a turn (radians), a stretch, a shear, a shift in pixels, and a smooth displacement as a share of
# the side.
TURN, STRETCH, SHEAR, SHIFT, DISPLACEMENT = 0.17, 0.08, 0.1, 0.3, 0.025
# Waves of a smooth displacement along each axis, at most.
MOST_WAVES = 2
# Numbers that say how an image is deformed: a turn, two stretches, a shear and two shifts by parts of a pixel, then the
# waves of either displacement.
N_LINEAR, N_WAVES = 6, (2 * MOST_WAVES + 1) ** 2 - 1
N_NUMBERS = N_LINEAR + 2 * N_WAVES


def displacements(numbers: Array, grid: tuple[int, int]) -> Array:
    """How far each pixel of deformed images reaches away for its value; float64 array, shape (n, 2, *grid), in pixels.

    Parameters
    ----------
    numbers : float array, shape (n, N_NUMBERS)
        Of mean 0 and standard deviation 1; zeros displace nothing.
    grid : tuple of int
        Height and width.
    """
    turn, up, across, shear = (numbers[:, :4] * (TURN, STRETCH, STRETCH, SHEAR)).T
    cosine, sine, zeros, ones = np.cos(turn), np.sin(turn), np.zeros(len(numbers)), np.ones(len(numbers))
    turns = np.array([[cosine, -sine], [sine, cosine]]).transpose(2, 0, 1)
    shears = np.array([[ones, shear], [zeros, ones]]).transpose(2, 0, 1)
    matrices = (turns @ shears) * np.exp(np.stack([up, across], axis=1))[:, None, :]
    places = [np.arange(length) - (length - 1) / 2 for length in grid]
    centred = np.stack(np.meshgrid(*places, indexing="ij")).reshape(2, -1)
    moved = (matrices - np.eye(2)) @ centred + SHIFT * numbers[:, 4:N_LINEAR, None]
    amounts = DISPLACEMENT * np.array(grid) / np.sqrt(N_WAVES)
    smooth = numbers[:, N_LINEAR:].reshape(len(numbers), 2, N_WAVES) * amounts[:, None]
    return np.asarray((moved + smooth @ _smooth_waves(grid)).reshape(-1, 2, *grid))


def deformed(image: Array, moved: Array) -> Array:
    """An image (n_channels, height, width) whose pixels have the values at places that are moved, cubic in between.

    Parameters
    ----------
    image : array, shape (n_channels, height, width)
        What leaves it on one side comes back on the other.
    moved : float array, shape (n, 2, height, width)

    Returns
    -------
    array, shape (n, n_channels, height, width)
    """
    places = np.stack(np.meshgrid(*(np.arange(float(n)) for n in image.shape[1:]), indexing="ij")) + moved
    found = np.empty((len(moved), *image.shape), dtype=image.dtype)
    for c, channel in enumerate(image):
        smooth = scipy.ndimage.spline_filter(channel, 3, mode="grid-wrap")
        at = np.moveaxis(places, 1, 0)
        found[:, c] = scipy.ndimage.map_coordinates(smooth, at, order=3, mode="grid-wrap", prefilter=False)
    return found


def middle_positions(samples: Array) -> Array:
    """Where the middle of each sample is along each cyclic axis; int array, shape (n_axes, n_samples).

    The phase of the first harmonic, summed over channels and all other axes: the centre of mass on a circle. A constant
    that is added to a sample changes nothing.

    Parameters
    ----------
    samples : real array, shape (n_samples, n_channels, *grid)
    """
    mass = samples.sum(axis=1, dtype=np.float64)
    found = np.empty((mass.ndim - 1, len(samples)), dtype=np.int64)
    for axis in range(1, mass.ndim):
        along = mass.sum(axis=tuple(other for other in range(1, mass.ndim) if other != axis))
        length = along.shape[1]
        wave = np.exp(2j * np.pi * np.arange(length) / length)
        phases = np.angle((along - along[:, :1]) @ wave)
        found[axis - 1] = np.rint(phases / (2 * np.pi) * length).astype(np.int64) % length
    return found


def in_the_middle(samples: Array) -> Array:
    """Samples (n_samples, n_channels, *grid) shifted so that their middle is that of the grid."""
    places = middle_positions(samples)
    wanted = np.array(samples.shape[2:]) // 2
    axes = tuple(range(1, samples.ndim - 1))
    shifted = [np.roll(one, tuple(wanted - at), axes) for one, at in zip(samples, places.T, strict=True)]
    return np.stack(shifted) if shifted else samples


def _smooth_waves(grid: tuple[int, int]) -> Array:
    """Cosines and sines of few periods along each axis; shape (N_WAVES, height · width), of mean square 1."""
    products = np.einsum("ah,bw->abhw", *(_harmonics(length) for length in grid))
    return np.asarray(products.reshape(-1, grid[0] * grid[1])[1:])  # a displacement of everything is a shift


def _harmonics(length: int) -> Array:
    """A constant, then cosines and sines of 1, 2, … periods of mean square 1; shape (2 MOST_WAVES + 1, length)."""
    angles = 2 * np.pi * np.outer(np.arange(1, MOST_WAVES + 1), np.arange(length)) / length
    return np.concatenate([np.ones((1, length)), np.sqrt(2.0) * np.cos(angles), np.sqrt(2.0) * np.sin(angles)])
