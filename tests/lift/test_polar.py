"""Rings against interpolation by SciPy; rotation is a shift."""

import numpy as np
import pytest
import scipy.ndimage
from numpy.testing import assert_allclose, assert_array_equal

from redunet import PolarGrid, ReduNetClassifier

rng = np.random.default_rng(0)
IMAGES = rng.standard_normal((6, 15, 15))


@pytest.mark.parametrize("side", [14, 15])
def test_rings_are_bilinear_interpolation_about_the_exact_centre(side):
    images = rng.standard_normal((3, side, side))
    grid = PolarGrid(n_rings=3, n_angles=7).fit(images)
    angles = 2 * np.pi * np.arange(7) / 7
    centre = (side - 1) / 2
    rows, columns = centre - grid.radii_[:, None] * np.sin(angles), centre + grid.radii_[:, None] * np.cos(angles)
    expected = [scipy.ndimage.map_coordinates(image, [rows, columns], order=1) for image in images]
    assert_allclose(grid.transform(images), expected, atol=1e-10)


def test_a_quarter_turn_is_a_shift_to_the_last_bit_of_the_grid():
    grid = PolarGrid(n_rings=4, n_angles=24).fit(IMAGES)
    turned = np.rot90(IMAGES, axes=(1, 2))
    assert_allclose(grid.transform(turned), np.roll(grid.transform(IMAGES), 6, axis=-1), atol=1e-12)


def test_any_turn_of_a_smooth_image_is_a_shift_up_to_interpolation():
    side, n_angles = 61, 30
    y, x = np.meshgrid(np.arange(side) - 30.0, np.arange(side) - 30.0, indexing="ij")

    def blob(angle):  # off centre, turned against the clock about the middle
        cx, cy = 15 * np.cos(angle), -15 * np.sin(angle)
        return np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / 80)

    grid = PolarGrid(n_rings=5, n_angles=n_angles).fit(blob(0.0)[None])
    for steps in (1, 4, 11):
        turned = grid.transform(blob(0.3 + 2 * np.pi * steps / n_angles)[None])
        assert_allclose(turned, np.roll(grid.transform(blob(0.3)[None]), steps, axis=-1), atol=0.01)


def test_the_answer_is_the_same_for_every_turn_of_the_grid():
    rings = PolarGrid(n_rings=3, n_angles=12).fit_transform(rng.standard_normal((20, 15, 15)))
    clf = ReduNetClassifier("shift").fit(rings, np.arange(20) % 2)
    for by in range(12):
        assert_array_equal(clf.predict_proba(np.roll(rings, by, axis=-1)), clf.predict_proba(rings))


def test_radii_and_layouts():
    images = IMAGES[:, :14, :14]
    assert_allclose(PolarGrid(5).fit(np.ones((2, 28, 28))).radii_, [3, 5, 7, 9, 11])
    assert_allclose(PolarGrid(2, 8, radii=[1.5, 4.0]).fit(images).radii_, [1.5, 4.0])
    flat = PolarGrid(2, 8).fit_transform(images.reshape(6, -1))
    assert_array_equal(flat.reshape(6, 2, 8), PolarGrid(2, 8).fit_transform(images))
    assert PolarGrid(2, 8).fit(images).transform(images.astype(np.float32)).dtype == np.float32
    assert_allclose(PolarGrid(1, 4, radii=[0.0]).fit_transform(IMAGES)[:, 0], IMAGES[:, 7, 7][:, None].repeat(4, 1))


@pytest.mark.parametrize(
    ("grid", "X", "message"),
    [
        (PolarGrid(), np.ones((3, 10, 12)), "rings take square images of one channel"),
        (PolarGrid(), np.ones((3, 2, 10, 10)), "rings take square images of one channel"),
        (PolarGrid(), np.ones((3, 10)), "10 features per sample, which is not a square image; crop or pad"),
        (PolarGrid(3, radii=[1.0]), IMAGES, r"radii has shape \(1,\) but n_rings=3"),
        (PolarGrid(1, radii=[9.0]), IMAGES, "radii must lie between 0 and 7, .* got 9"),
        (PolarGrid(0), IMAGES, "n_rings must be >= 1"),
        (PolarGrid(3, 0), IMAGES, "n_angles must be >= 1"),
    ],
)
def test_mistakes_are_told_with_a_remedy(grid, X, message):
    with pytest.raises(ValueError, match=message):
        grid.fit(X)
