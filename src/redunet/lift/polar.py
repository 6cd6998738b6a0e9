"""Rings: an image read along circles, so that turning it becomes a circular shift."""

import math
from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..inputs.parameters import check_whole
from ..inputs.samples import read_new_samples, read_training_samples
from ..numerics.arrays import Array
from ..storage.expectations import expect, expect_at_most_one, expect_numbers
from ..storage.saving import Saving
from ..storage.stored_types import stored_attributes, stored_estimator

# Innermost and outermost ring, in halves of the side of an image.
RING_SHARES = (3 / 14, 11 / 14)


@stored_estimator()
@stored_attributes(radii_=np.ndarray, _weights=scipy.sparse.csr_array)
class PolarGrid(Saving, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Image → rings × angles; turning an image by 2π/n_angles is then a shift by one.

    Angle l is l · 2π/n_angles, the end point excluded, about the exact centre ((side − 1)/2, (side − 1)/2); values
    between pixels are interpolated linearly, by one sparse matrix for all images. On the grid a rotation is a shift
    exactly; that the grid of a turned image is the shifted grid of the image holds up to interpolation, and exactly
    for quarter turns where n_angles is a multiple of 4.

    Parameters
    ----------
    n_rings : int, default=5
    n_angles : int, default=200
    radii : sequence of float, optional
        Radii of the rings in pixels, between 0 and (side − 1)/2. By default evenly spaced from 3/14 to 11/14 of half
        the side (3 to 11 pixels for a side of 28): the centre is the same for all angles, and the border mostly empty.

    Attributes
    ----------
    radii_ : array, shape (n_rings,)
    sample_shape_ : tuple of int
        (1, side, side) of the images.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from redunet import PolarGrid
    >>> PolarGrid(n_rings=3, n_angles=16).fit_transform(load_digits().images).shape
    (1797, 3, 16)
    """

    def __init__(self, n_rings: int = 5, n_angles: int = 200, radii: Any = None) -> None:
        self.n_rings = n_rings
        self.n_angles = n_angles
        self.radii = radii

    def fit(self, X: Any, y: Any = None) -> Self:
        """Note the size of images.

        Parameters
        ----------
        X : array-like, shape (n_samples, side, side) or (n_samples, side · side)
        y : ignored
        """
        self.check_parameters()
        n_axes = 2 if hasattr(X, "iloc") else np.asarray(X).ndim
        if n_axes == 2:
            n_features = np.shape(X)[1]
            side = int(np.sqrt(n_features))
            if side * side != n_features:
                raise ValueError(
                    f"X has {n_features} features per sample, which is not a square image; crop or pad images to a "
                    f"square, such as {side} × {side} = {side * side} pixels."
                )
            samples = read_training_samples(self, X, "translation", (1, side, side))
        else:
            samples = read_training_samples(self, X, "translation", None)
        n_channels, height, *width = samples.shape[1:]
        if n_channels != 1 or width != [height]:
            raise ValueError(
                f"X has samples of shape {samples.shape[1:]}, but rings take square images of one channel, of shape "
                f"(n_samples, side, side); crop or pad them to a square."
            )
        self.sample_shape_ = samples.shape[1:]
        self.radii_ = self._find_radii(height)
        self._weights = _interpolation(height, self.radii_, self.n_angles)
        return self

    def check_parameters(self) -> None:
        """Refuse parameters that no images could go with."""
        check_whole("n_rings", self.n_rings, 1)
        check_whole("n_angles", self.n_angles, 1)

    def transform(self, X: Any) -> Array:
        """Rings of images; shape (n_samples, n_rings, n_angles), flat for flat X."""
        check_is_fitted(self)
        images, flat = read_new_samples(self, X)
        weights = self._weights.astype(images.dtype)
        rings = (weights @ images.reshape(len(images), -1).T).T
        return rings if flat else rings.reshape(len(images), len(self.radii_), self.n_angles)

    def _find_radii(self, side: int) -> Array:
        largest = (side - 1) / 2
        if self.radii is None:
            shares = np.linspace(*RING_SHARES, self.n_rings) if self.n_rings > 1 else np.array([np.mean(RING_SHARES)])
            return np.minimum(shares * side / 2, largest)
        radii = np.asarray(self.radii, dtype=np.float64)
        if radii.shape != (self.n_rings,):
            raise ValueError(f"radii has shape {radii.shape} but n_rings={self.n_rings}; pass one radius per ring.")
        wrong = ~((radii >= 0) & (radii <= largest))
        if wrong.any():
            raise ValueError(
                f"radii must lie between 0 and {largest:g}, the circle that fits into images of {side} × {side}, got "
                f"{radii[wrong][0]:g}."
            )
        return radii

    def check_stored(self, file_bytes: int) -> None:
        """Refuse rings that came from a file and do not fit the images."""
        expect_numbers(self.radii_, (int(self.n_rings),), "the radii")
        shape, weights = self.sample_shape_, self._weights
        fits = len(shape) == 3 and weights.shape == (len(self.radii_) * int(self.n_angles), math.prod(shape))
        expect(fits, "the rings do not fit the images")
        # Bilinear interpolation: shares of four pixels.
        expect_at_most_one(weights.data, "the rings are no shares of pixels")

    @property
    def _n_features_out(self) -> int:
        return len(self.radii_) * int(self.n_angles)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _interpolation(side: int, radii: Array, n_angles: int) -> scipy.sparse.csr_array:
    """Matrix of bilinear interpolation from pixels to rings; shape (n_rings · n_angles, side · side)."""
    angles = 2 * np.pi * np.arange(n_angles) / n_angles
    centre = (side - 1) / 2
    # Angles count from the right, against the clock as one looks at the image.
    rows = (centre - radii[:, None] * np.sin(angles)).ravel()
    columns = (centre + radii[:, None] * np.cos(angles)).ravel()
    # A point that rounding put beside a pixel is on it, so that a quarter turn is the same to the last bit.
    rows, columns = rows.round(12), columns.round(12)
    top, left = (np.clip(np.floor(values), 0, max(side - 2, 0)).astype(int) for values in (rows, columns))
    below, right = rows - top, columns - left
    points = np.arange(len(rows))
    entries = [
        (top, left, (1 - below) * (1 - right)),
        (top, np.minimum(left + 1, side - 1), (1 - below) * right),
        (np.minimum(top + 1, side - 1), left, below * (1 - right)),
        (np.minimum(top + 1, side - 1), np.minimum(left + 1, side - 1), below * right),
    ]
    values = np.concatenate([weight for _, _, weight in entries])
    pixels = np.concatenate([row * side + column for row, column, _ in entries])
    matrix = scipy.sparse.csr_array((values, (np.tile(points, 4), pixels)), shape=(len(points), side * side))
    matrix.eliminate_zeros()
    return matrix
