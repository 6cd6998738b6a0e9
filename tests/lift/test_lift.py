"""Filters against their definition by sums; responses that move along with the sample."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from redunet import Lift, ReduNetClassifier
from redunet.lift.banks import BANKS, Bank, unit_norm, wavelets, windowed_sinusoids
from redunet.lift.thresholds import learned_level

rng = np.random.default_rng(0)
SIGNALS = np.cumsum(rng.standard_normal((24, 20)), axis=1)
IMAGES = rng.standard_normal((24, 9, 8)) + np.linspace(0, 4, 8)
COLOURED = rng.standard_normal((24, 3, 9, 8))
BANKS_1D = list(BANKS)
BANKS_2D = [name for name, bank in BANKS.items() if bank.max_axes is None or bank.max_axes >= 2]


def labels(n=24):
    return np.arange(n) % 2


@pytest.mark.parametrize(
    ("X", "invariance"), [(SIGNALS[:, None], "shift"), (IMAGES[:, None], "translation"), (COLOURED, "translation")]
)
@pytest.mark.parametrize("kernel_size", [3, 4, (3, 5)])
def test_responses_are_sums_over_the_filter(X, invariance, kernel_size):
    options = {"unit_scale": False, "invariance": invariance, "random_state": 0}
    lift = Lift("random", 4, kernel_size, "none", **options).fit(X)
    responses = lift.transform(X[:2])
    grid = X.shape[2:]
    channel = 0
    for filters in lift.filters_:
        for one in filters:
            expected = np.zeros((2, *grid))
            for position in np.ndindex(*grid):
                for offset in np.ndindex(*one.shape[1:]):
                    at = tuple(
                        (p + o - side // 2) % length
                        for p, o, side, length in zip(position, offset, one.shape[1:], grid, strict=True)
                    )
                    for c in range(X.shape[1]):
                        expected[(slice(None), *position)] += one[(c, *offset)] * X[(slice(2), c, *at)]
            assert_allclose(responses[:, channel], expected, atol=1e-12)
            channel += 1
    assert channel == 4


@pytest.mark.parametrize("threshold", ["soft", "relu", "none"])
@pytest.mark.parametrize("filters", BANKS_1D)
def test_a_shifted_signal_has_the_shifted_responses(filters, threshold):
    lift = Lift(filters, 6, 7, threshold, invariance="shift", random_state=0).fit(SIGNALS[:, None])
    for by in (1, 7, 19):
        moved = lift.transform(np.roll(SIGNALS[:, None], by, axis=-1))
        assert_allclose(moved, np.roll(lift.transform(SIGNALS[:, None]), by, axis=-1), atol=1e-12)


@pytest.mark.parametrize("X", [IMAGES[:, None], COLOURED])
@pytest.mark.parametrize("filters", BANKS_2D)
def test_a_translated_image_has_the_translated_responses(filters, X):
    lift = Lift(filters, 6, 3, invariance="translation", random_state=0).fit(X)
    moved = lift.transform(np.roll(X, (2, 5), axis=(-2, -1)))
    assert_allclose(moved, np.roll(lift.transform(X), (2, 5), axis=(-2, -1)), atol=1e-12)


@pytest.mark.parametrize("X", [SIGNALS[:, None], IMAGES[:, None], rng.standard_normal((3, 2, 4, 5, 6))])
@pytest.mark.parametrize("pool", [1.5, 2, 3])
def test_what_is_kept_of_responses_are_their_low_frequencies(X, pool):
    options = {"invariance": "shift" if X.ndim == 3 else "translation", "random_state": 0}
    fine = Lift("random", 3, 2, "relu", **options).fit(X).transform(X)
    coarse = Lift("random", 3, 2, "relu", pool=pool, **options).fit(X).transform(X)
    axes = tuple(range(2, X.ndim))
    spectrum, kept = np.fft.fftn(fine, axes=axes, norm="forward"), np.fft.fftn(coarse, axes=axes, norm="forward")
    n_kept = 0
    for frequency in np.ndindex(*fine.shape[2:]):
        mirrored = [min(k, length - k) for k, length in zip(frequency, fine.shape[2:], strict=True)]
        if all(k < length / (2 * pool) for k, length in zip(mirrored, fine.shape[2:], strict=True)):
            there = tuple(k if k == low else -low for k, low in zip(frequency, mirrored, strict=True))
            assert_allclose(kept[(..., *there)], spectrum[(..., *frequency)], atol=1e-12)
            n_kept += 1
    assert n_kept == kept[0, 0].size


def test_a_shift_of_the_coarse_grid_is_several_of_the_fine_one():
    X = np.cumsum(rng.standard_normal((5, 1, 22)), axis=-1)
    lift = Lift("random", 3, 5, "relu", pool=2, invariance="shift", random_state=0).fit(X)
    assert lift.bank_.shape == (3, 11)
    assert_allclose(lift.transform(np.roll(X, 6, axis=-1)), np.roll(lift.transform(X), 3, axis=-1), atol=1e-12)


@given(
    st.sampled_from(BANKS_1D), st.sampled_from(["soft", "relu", "none"]), st.integers(1, 19), st.sampled_from([1, 2])
)
def test_no_shift_changes_an_answer_of_the_whole_pipeline(filters, threshold, by, pool):
    lift = Lift(filters, 6, 7, threshold, pool=pool, random_state=0)
    membership = "code" if threshold == "none" else "softmax"  # a linear lift of one channel is for codes alone
    clf = ReduNetClassifier("shift", lift=lift, n_layers=2, membership=membership).fit(SIGNALS, labels())
    assert_array_equal(clf.predict_proba(np.roll(SIGNALS, by, axis=-1)), clf.predict_proba(SIGNALS))


@given(st.sampled_from(BANKS_2D), st.integers(0, 8), st.integers(1, 7), st.sampled_from([1, 1.5]))
def test_no_translation_changes_an_answer_of_the_whole_pipeline(filters, down, right, pool):
    clf = ReduNetClassifier("translation", lift=Lift(filters, 6, 3, pool=pool, random_state=0)).fit(IMAGES, labels())
    assert_array_equal(clf.predict_proba(np.roll(IMAGES, (down, right), (-2, -1))), clf.predict_proba(IMAGES))


@pytest.mark.parametrize("filters", ["patches", "random"])
def test_the_scale_of_a_sample_does_not_matter(filters):
    clf = ReduNetClassifier("shift", lift=Lift(filters, 6, 7, random_state=0), n_layers=2).fit(SIGNALS, labels())
    expected = clf.predict_proba(SIGNALS)
    powers = 2.0 ** np.arange(-12, 12)[:, None]  # exact in binary numbers
    assert_array_equal(clf.predict_proba(powers * SIGNALS), expected)
    assert_allclose(clf.predict_proba(0.1 * SIGNALS), expected, atol=1e-9)
    quieter = ReduNetClassifier("shift", lift=Lift(filters, 6, 7, random_state=0), n_layers=2)
    assert_array_equal(quieter.fit(powers * SIGNALS, labels()).predict_proba(SIGNALS), expected)


@pytest.mark.parametrize("pad", [0, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_samples_enter_with_a_root_mean_square_of_one(pad, dtype):
    scales = np.array([1e-30, 1e-3, 1.0, 1e30])
    X = (SIGNALS[:4] * scales[:, None]).astype(dtype)[:, None]
    X[2] = 0
    bank = Lift("random", 2, 3, pad=pad, invariance="shift", random_state=0).fit(SIGNALS[:, None]).bank_
    scaled = bank.scaled(bank.padded(X))
    assert scaled.dtype == dtype
    assert scaled.shape == (4, 1, 20 + pad)
    assert_allclose(np.sum(scaled**2, axis=(1, 2)) / 20, [1, 1, 0, 1], rtol=1e-5)
    assert_allclose(scaled[0, 0, :20] * np.sqrt(np.mean(SIGNALS[0] ** 2)), SIGNALS[0], rtol=1e-5)


def test_a_lift_that_keeps_scales_hears_them():
    lift = Lift("random", 4, 5, level=0.1, unit_scale=False, random_state=0).fit(SIGNALS)
    assert not lift.transform(1e-3 * SIGNALS).any()
    assert lift.transform(SIGNALS).any()


def test_a_shift_within_the_padding_need_not_be_circular():
    X = np.zeros((24, 30))
    X[:, 8:22] = SIGNALS[:, :14]
    clf = ReduNetClassifier("shift", lift=Lift("random", 8, 5, pad=8, random_state=0)).fit(X, labels())
    for by in (-8, 3, 8):
        moved = np.zeros_like(X)
        moved[:, 8 + by : 22 + by] = SIGNALS[:, :14]
        assert_array_equal(clf.predict_proba(moved), clf.predict_proba(X))
    beyond = np.zeros((24, 38))  # what the margin is for: a signal that leaves the window on the right
    beyond[:, 12:26] = SIGNALS[:, :14]
    wide = Lift("random", 8, 5, pad=8, random_state=0).fit(X)
    assert wide.bank_.grid == (38,)
    assert_allclose(wide.bank_(beyond[:, None]), np.roll(wide.transform(X[:, None]), 4, axis=-1), atol=1e-12)


def test_thresholds_do_what_they_say():
    X = SIGNALS[:, None]
    options = {"invariance": "shift", "random_state": 0}
    plain = Lift("random", 4, 5, "none", **options).fit(X).transform(X)
    assert_allclose(Lift("random", 4, 5, "relu", level=0.5, **options).fit(X).transform(X), np.maximum(plain - 0.5, 0))
    soft = Lift("random", 4, 5, "soft", level=0.5, **options).fit(X).transform(X)
    assert_allclose(soft, np.sign(plain) * np.maximum(np.abs(plain) - 0.5, 0))
    learned = Lift("random", 4, 5, "soft", quantile=0.6, **options).fit(X)
    assert abs(np.mean(np.abs(plain) <= learned.level_) - 0.6) < 0.01
    assert Lift("random", 4, 5, "relu", **options).fit(X).level_ == 0.0


def test_silent_places_do_not_count_when_a_level_is_learned():
    responses = np.concatenate([np.zeros(1000), np.linspace(0.1, 1.0, 100)])
    assert_allclose(learned_level(responses, "soft", 0.5), 0.55, atol=0.01)
    assert learned_level(np.zeros(5), "soft", 0.5) == 0.0


def test_principal_components_are_orthonormal_and_come_with_both_signs_where_signs_differ():
    X = SIGNALS[:, None]
    flat = Lift("pca", 4, 7, "soft", invariance="shift", random_state=0).fit(X).filters_[0][:, 0]
    assert_allclose(flat @ flat.T, np.eye(4), atol=1e-12)
    both = Lift("pca", 4, 7, "relu", invariance="shift", random_state=0).fit(X).filters_[0][:, 0]
    assert_allclose(both[:2], -both[2:])


@pytest.mark.parametrize("filters", ["patches", "pca", "dictionary"])
def test_learned_filters_have_unit_norm_and_no_mean(filters):
    for one in Lift(filters, 5, 4, random_state=0).fit(IMAGES).filters_[0]:
        assert_allclose(np.sum(one**2), 1.0)
        assert abs(one.mean()) < 0.02


def test_patches_find_the_two_shapes_that_signals_are_made_of():
    up, down = np.array([0.0, 1, 2, 3, 4]), np.array([4.0, 0, 0, 0, 4])
    X = np.zeros((40, 40))
    for i, x in enumerate(X):
        x[10:15], x[25:30] = (up, down) if i % 2 else (down, up)
    centres = Lift("patches", 8, 5, random_state=0).fit(X).filters_[0][:, 0]
    for shape in (up, down):
        unit = (shape - shape.mean()) / np.linalg.norm(shape - shape.mean())
        assert (centres @ unit).max() > 0.9


def test_windowed_sinusoids_sit_at_their_frequencies():
    bank = windowed_sinusoids(8, 32)
    peaks = np.abs(np.fft.rfft(bank, 256)).argmax(axis=1) / 256
    assert_allclose(peaks, np.repeat([0.0625, 0.1875, 0.3125, 0.4375], 2), atol=0.03)


def test_wavelets_hear_no_constant_and_cover_scales_and_orientations():
    for kernel in [(31,), (15, 15)]:
        bank = wavelets(16, kernel)
        assert bank.shape == (16, *kernel)
        assert_allclose(bank.reshape(16, -1).sum(axis=1), 0, atol=1e-9)
    peaks = np.abs(np.fft.rfft(wavelets(12, (31,))[::2], 512)).argmax(axis=1)
    assert (np.diff(peaks) > 0).all()


def test_a_new_filter_bank_is_one_function_and_one_line_of_the_registry(monkeypatch):
    def ones(request):
        return unit_norm(np.ones((request.n_filters, *request.shape)))

    monkeypatch.setitem(BANKS, "ones", Bank(ones, max_axes=1, takes="signals", instead="random"))
    lift = Lift("ones", 2, 4, "none", unit_scale=False).fit(SIGNALS)
    assert_allclose(lift.filters_[0], np.full((2, 1, 4), 0.5))
    with pytest.raises(ValueError, match="filters='ones' takes signals; pass filters='random'"):
        Lift("ones", 2, 4).fit(IMAGES)


def test_filters_of_your_own():
    filters = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]])
    lift = Lift(filters, threshold="none", unit_scale=False).fit(SIGNALS)
    responses = lift.transform(SIGNALS[:, None])
    assert_allclose(responses[:, 0], np.roll(SIGNALS, 1, axis=1) - SIGNALS, atol=1e-12)
    assert responses.shape == (24, 2, 20)


def test_the_same_seed_gives_the_same_filters_and_another_one_others():
    first, again, other = (Lift("patches", 6, 5, random_state=seed).fit(SIGNALS).filters_[0] for seed in (0, 0, 1))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_layout_in_is_layout_out():
    lift = Lift("random", 3, 3, random_state=0)
    assert lift.fit(SIGNALS).transform(SIGNALS).shape == (24, 60)
    assert lift.fit(IMAGES).transform(IMAGES).shape == (24, 3, 9, 8)
    flat = Lift("random", 3, 3, random_state=0, sample_shape=(9, 8)).fit(IMAGES.reshape(24, -1))
    assert flat.transform(IMAGES.reshape(24, -1)).shape == (24, 3 * 72)
    assert lift.fit(SIGNALS.astype(np.float32)).transform(SIGNALS.astype(np.float32)).dtype == np.float32


def test_filters_can_be_looked_at():
    for X in (SIGNALS, IMAGES):
        figure = Lift("patches", 6, 5, random_state=0).fit(X).plot()
        assert len(figure.axes) == 8
    with pytest.raises(ValueError, match="not of volumes"):
        Lift("random", 2, 2, invariance="translation").fit(rng.standard_normal((4, 1, 3, 3, 3))).plot()


@pytest.mark.parametrize(
    ("lift", "X", "message"),
    [
        (
            Lift(kernel_size=21),
            SIGNALS,
            "kernel_size=21 is larger than the signal, which is 20; pass kernel_size <= 20",
        ),
        (Lift(kernel_size=9), IMAGES, "kernel_size=9 is larger than the image, which is 9 × 8; pass kernel_size <= 8"),
        (Lift("pca", 8, 3), SIGNALS, "needs 8 principal components but a patch has 3 dimensions; pass a larger"),
        (Lift("pca", 8, 3, "relu"), SIGNALS, "needs 4 principal components but a patch has 3 .*n_channels <= 6"),
        (Lift("patches", 48, 3), SIGNALS[:1], r"have \d+ different patches but n_channels asks for 48 clusters"),
        (Lift("dictionary", 48, 3), SIGNALS[:1], "patches that vary but n_channels asks for a dictionary of 48 atoms"),
        (Lift("patches", 4, 3), np.ones((5, 20)), "no patch of 3 that varies; pass a larger kernel_size"),
        (Lift("stft", 4, 3), IMAGES, "takes signals of one cyclic axis; pass filters='wavelet'"),
        (Lift("patchs"), SIGNALS, "filters must be one of .*, got 'patchs'. Did you mean 'patches'"),
        (Lift(threshold="hard"), SIGNALS, "threshold must be one of 'soft', 'relu', 'none', got 'hard'"),
        (Lift(quantile=1.0), SIGNALS, r"quantile must be a number in \[0, 1\), got 1.0"),
        (Lift(level=-1.0), SIGNALS, "level must be a number >= 0, got -1.0"),
        (Lift(n_channels=0), SIGNALS, "n_channels must be >= 1, got 0"),
        (Lift(n_channels=1, kernel_size=(3, 5)), SIGNALS, "kernel_size has 2 sizes but n_channels=1"),
        (Lift(pool=0.5), SIGNALS, "pool must be a number >= 1, got 0.5"),
        (Lift(pad=-1), SIGNALS, "pad must be >= 0, got -1"),
        (Lift(pad=(1, 2)), SIGNALS, r"pad=\(1, 2\) has 2 entries but samples have 1 cyclic axes"),
        (Lift(np.ones((2, 3, 3, 3))), SIGNALS, r"filters have shape \(2, 3, 3, 3\) but samples have 1 channels and 1"),
        (Lift(np.full((2, 3), np.nan)), SIGNALS, "or a finite array of shape"),
    ],
)
def test_mistakes_are_told_with_a_remedy(lift, X, message):
    with pytest.raises(ValueError, match=message):
        lift.fit(X)


def test_a_sample_that_no_filter_hears_is_refused():
    clf = ReduNetClassifier("shift", lift=Lift("patches", 4, 3, random_state=0)).fit(SIGNALS, labels())
    with pytest.raises(ValueError, match="gives no response to any filter above the level of the lift"):
        clf.predict(np.ones((1, 20)))


@pytest.mark.parametrize(
    ("lift", "invariance", "error", "message"),
    [
        (Lift(), None, ValueError, "lift takes signals or images; pass invariance='shift' or 'translation'"),
        ("best", "shift", ValueError, "lift must be one of 'auto', 'none', 'pooled', 'rings', 'patches'"),
        (
            3,
            "shift",
            TypeError,
            "or a list of redunet.Lift with at most one redunet.PooledLift or redunet.PeakLift, got 3",
        ),
        ([], "shift", TypeError, "lift must be None"),
        ([Lift(kernel_size=99)], "shift", ValueError, "no lift of the list goes with these samples: kernel_size=99"),
    ],
)
def test_a_lift_that_a_classifier_cannot_use(lift, invariance, error, message):
    with pytest.raises(error, match=message):
        ReduNetClassifier(invariance, lift=lift).fit(SIGNALS, labels())


@parametrize_with_checks([Lift("random", 2, 1, "none", random_state=0)])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("unit_scale", [True, False])
def test_responses_to_contrast_move_along_and_do_not_hear_the_brightness(unit_scale):
    options = {"contrast": 2.0, "unit_scale": unit_scale, "invariance": "shift", "random_state": 0}
    lift = Lift("random", 5, 5, **options).fit(SIGNALS[:, None])
    found = lift.transform(SIGNALS[:, None])
    assert_allclose(lift.transform(7 * SIGNALS[:, None] + 100), found, atol=1e-10)
    assert_allclose(lift.transform(np.roll(SIGNALS[:, None], 5, axis=-1)), np.roll(found, 5, axis=-1), atol=1e-12)


def test_a_classifier_by_contrast_gives_the_same_bits_at_every_translation():
    lift = Lift("random", 6, 3, "relu", contrast=1.5, pool=2, random_state=0)
    clf = ReduNetClassifier("translation", lift=lift, n_layers=0).fit(IMAGES, labels())
    expected = clf.predict_proba(IMAGES)
    for by in ((1, 0), (3, 5), (0, 7)):
        assert_array_equal(clf.predict_proba(np.roll(IMAGES, by, axis=(1, 2))), expected)
    why = clf.explain(IMAGES[:3])
    assert_allclose(why.positions.sum(axis=(1, 2, 3)) + why.offset, why.difference, atol=1e-9)


@pytest.mark.parametrize("contrast", [0, 0.4, -1, np.inf, "wide"])
def test_a_contrast_that_is_no_width_is_refused(contrast):
    with pytest.raises((ValueError, TypeError), match="contrast"):
        Lift("random", 4, 5, contrast=contrast).fit(SIGNALS)
