"""Images in colour with nothing else given: filters, of contrast or of colours as they are, or none."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from redunet import ReduNetClassifier, load
from redunet.evidence.lifts import are_pictures

LABELS = np.arange(60) % 2


def bars_and_dots(seed, n=60):
    """A bar or four dots (the class) in any colour on any other colour, somewhere; the place wraps around."""
    rng = np.random.default_rng(seed)
    X = np.empty((n, 3, 16, 18))
    for i, image in enumerate(X):
        shape = np.zeros((16, 18))
        if i % 2:
            shape[3:11:4, 3:11:4] = 1
        else:
            shape[3:5, 3:9] = 1
        colour, ground = rng.uniform(0, 1, (2, 3, 1, 1))
        image[:] = np.roll(np.where(shape, colour, ground), rng.integers(16, size=2), axis=(1, 2))
    return X + 0.02 * rng.standard_normal(X.shape)


def plain_colours(seed, n=60):
    """Noise over one colour, reddish or bluish (the class)."""
    rng = np.random.default_rng(seed)
    colours = np.array([(0.8, 0.4, 0.3), (0.3, 0.4, 0.8)])[np.arange(n) % 2] * rng.uniform(0.7, 1.3, (n, 1))
    return colours[:, :, None, None] + 0.1 * rng.standard_normal((n, 3, 14, 14))


@pytest.fixture(scope="module")
def model():
    return ReduNetClassifier("translation", random_state=0).fit(bars_and_dots(0), LABELS)


def test_pictures_have_few_channels_and_sides_that_are_long_enough():
    assert are_pictures(1, (12, 40))
    assert are_pictures(4, (28, 28))
    assert not are_pictures(5, (28, 28))
    assert not are_pictures(3, (11, 40))
    assert not are_pictures(3, (28, 28, 28))
    assert not are_pictures(3, (40,))


def test_shapes_in_any_colour_are_told_apart_by_their_contrast(model):
    assert model.lift_.contrast is not None
    assert model.score(bars_and_dots(1), LABELS) == 1.0


def test_colours_of_even_images_are_told_apart_without_contrast():
    clf = ReduNetClassifier("translation", random_state=0).fit(plain_colours(0), LABELS)
    assert clf.lift_.contrast is None
    assert clf.score(plain_colours(1), LABELS) == 1.0


def test_answers_are_the_same_bits_at_every_translation_and_after_saving(model, tmp_path):
    new = bars_and_dots(2, 9)
    expected = model.predict_proba(new)
    for by in ((5, 7), (1, 0), (15, 17)):
        assert_array_equal(model.predict_proba(np.roll(new, by, axis=(2, 3))), expected)
    model.save(tmp_path / "m.redunet")
    assert_array_equal(load(tmp_path / "m.redunet").predict_proba(new), expected)


def test_other_words_for_the_lift_are_as_they_were():
    X = bars_and_dots(0)
    assert ReduNetClassifier("translation", lift="none").fit(X, LABELS).lift_ is None
    for options in ({"aligned": False}, {"n_layers": 1}, {"membership": "subspace"}, {"construction": "moments"}):
        assert ReduNetClassifier("translation", **options).fit(X, LABELS).lift_ is None


def even_colours(n=60):
    """One colour, red or blue (the class), and nothing else."""
    colours = np.array([(0.8, 0.1, 0.1), (0.1, 0.1, 0.8)])[np.arange(n) % 2]
    return np.tile(colours[:, :, None, None], (1, 1, 14, 14))


def test_colours_on_which_there_is_nothing_to_see_for_a_filter_are_told_apart_as_they_are():
    clf = ReduNetClassifier("translation", random_state=0).fit(even_colours(), LABELS)
    assert clf.lift_.threshold == "none"
    assert clf.score(even_colours(), LABELS) == 1.0


def test_one_even_image_among_others_is_no_mistake():
    X = plain_colours(0)
    X[4] = 0.5
    clf = ReduNetClassifier("translation", random_state=0).fit(X, LABELS)
    assert clf.score(plain_colours(1), LABELS) == 1.0
