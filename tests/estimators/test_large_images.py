"""Large images of many channels with nothing else given: their slow part, in memory that does not grow with them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from redunet import RateReductionClustering, ReduNetClassifier, load
from redunet.evidence.lifts import CHANNEL_POSITIONS, large_image_lifts

LABELS = np.arange(16) % 2


def scenes(n=16, channels=5, grid=(64, 96), seed=0):
    """Noise with a bright square, whose channels are alike or opposite, somewhere; whose place wraps around."""
    rng = np.random.default_rng(seed)
    X = 0.3 * rng.standard_normal((n, channels, *grid))
    for image, label in zip(X, np.arange(n) % 2, strict=True):
        image[:, :16, :16] += np.where(np.arange(channels) % 2, 1 - 2 * label, 1)[:, None, None]
    moves = [tuple(int(rng.integers(length)) for length in grid) for _ in range(n)]
    return np.stack([np.roll(image, move, (1, 2)) for image, move in zip(X, moves, strict=True)])


@pytest.fixture(scope="module")
def model():
    return ReduNetClassifier("translation").fit(scenes(), LABELS)


def test_only_images_with_twice_as_many_positions_along_each_side_are_pooled():
    assert large_image_lifts(3, (2 * CHANNEL_POSITIONS - 1, 500)) == []
    for grid in ((64, 64), (96, 160), (70, 64, 80)):
        [lift] = large_image_lifts(3, grid)
        fitted = lift.fit_samples(np.random.default_rng(0).standard_normal((2, 3, *grid)), np.ones(2))
        assert CHANNEL_POSITIONS - 2 < min(fitted.bank_.shape[1:]) <= CHANNEL_POSITIONS + 1
        assert fitted.bank_.shape[0] == 3


def test_large_images_of_many_channels_are_pooled_and_told_apart(model):
    assert model.lift_.pool == 64 / CHANNEL_POSITIONS
    assert model.network_.lift.shape[0] == 5
    assert model.aligned_answer_ is None
    assert model.score(scenes(seed=1), LABELS) == 1.0


def test_answers_are_the_same_bits_at_every_translation_and_after_saving(model, tmp_path):
    new = scenes(seed=2)
    expected = model.predict_proba(new)
    assert_array_equal(model.predict_proba(np.roll(new, (13, 31), (2, 3))), expected)
    model.save(tmp_path / "m.redunet")
    assert_array_equal(load(tmp_path / "m.redunet").predict_proba(new), expected)


def test_what_varies_fast_has_no_part_in_the_answer(model):
    new = scenes(seed=3)
    checks = np.where(np.add.outer(np.arange(64), np.arange(96)) % 2, 1.0, -1.0)
    assert_allclose(model.predict_proba(new + checks), model.predict_proba(new), atol=1e-9)
    whole = ReduNetClassifier("translation", lift="none").fit(scenes(), LABELS)
    assert abs(whole.predict_proba(new + checks) - whole.predict_proba(new)).max() > 1e-3


def test_small_images_and_other_words_for_the_lift_are_as_before():
    assert ReduNetClassifier("translation").fit(scenes(grid=(40, 40)), LABELS).lift_ is None
    assert ReduNetClassifier("translation", lift="none").fit(scenes(), LABELS).lift_ is None
    asked = ReduNetClassifier("translation", aligned=True, membership="subspace").fit(scenes(), LABELS)
    assert asked.lift_.pool == 64 / CHANNEL_POSITIONS


def test_moments_and_clusters_are_of_the_slow_part_too():
    gathered = ReduNetClassifier("translation", construction="moments").fit(scenes(), LABELS)
    assert gathered.lift_.pool == 64 / CHANNEL_POSITIONS
    assert gathered.score(scenes(seed=1), LABELS) == 1.0
    found = RateReductionClustering(2, invariance="translation").fit(scenes())
    assert found.lift_.pool == 64 / CHANNEL_POSITIONS
