"""Local filters on rings × angles: their definition, rotations to the last bit, and every room that knows lifts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits

import redunet
from redunet import PeakLift, PolarGrid, ReduNetClassifier, RingLift
from redunet.inputs.errors import InputError
from redunet.lift.ring_patches import draw_ring_patches
from redunet.numerics import ring_correlation
from redunet.numerics.orbit import representative
from tests.reference import slow_rings

FEW = {"n_filters": 24, "random_state": 0}


@pytest.fixture(scope="module")
def digits():
    """Rings of small digits, and their labels."""
    images, y = load_digits(return_X_y=True)
    return PolarGrid(4, 24).fit_transform(images[:160].reshape(-1, 8, 8)), y[:160]


@pytest.fixture(scope="module")
def classifier(digits):
    lift = [PeakLift(60, random_state=0), RingLift(12, pool=2, random_state=0)]
    return ReduNetClassifier("shift", lift=lift).fit(*digits)


def noise(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


# --- the mathematics --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_rings", "n_angles", "height", "width"), [(5, 8, 3, 4), (4, 7, 4, 7), (3, 6, 1, 1), (4, 9, 2, 3)]
)
def test_a_response_is_the_sum_of_its_definition(n_rings, n_angles, height, width):
    samples, filters = noise(2, n_rings, n_angles), noise(3, height, width, seed=1)
    found = ring_correlation.sliding_responses(samples, ring_correlation.conjugate_spectra(filters, n_angles))
    expected = [[slow_rings.responses(sample, one) for one in filters] for sample in samples]
    assert_allclose(found, expected, atol=1e-12)


def test_a_filter_longer_than_the_circle_goes_around_it_more_than_once():
    samples, filters = noise(1, 2, 5), noise(2, 2, 12, seed=1)
    found = ring_correlation.sliding_responses(samples, ring_correlation.conjugate_spectra(filters, 5))
    assert_allclose(found, [[slow_rings.responses(samples[0], one) for one in filters]], atol=1e-12)


@pytest.mark.parametrize("n_places", [1, 2, 3])
def test_windows_of_places_overlap_cover_all_rings_and_have_unit_norm(n_places):
    windows = ring_correlation.place_windows(7, n_places)
    assert_allclose(np.square(windows).sum(axis=0), 1)
    assert (windows >= 0).all()
    assert (windows.sum(axis=1) > 0).all()
    assert_allclose(windows, windows[::-1, ::-1])  # inside and outside alike
    if n_places > 1:
        assert_array_equal(windows[[0, -1]] > 0, np.eye(n_places, dtype=bool)[[0, -1]])


def test_as_many_places_as_rings_keep_the_rings():
    assert_array_equal(ring_correlation.place_windows(4, 4), np.eye(4))
    assert_array_equal(ring_correlation.place_windows(4, 9), np.eye(4))


def test_patches_go_around_the_circle_but_not_beyond_the_rings():
    ramp = np.arange(5.0)[:, None] * 100 + np.arange(12) ** 1.5
    patches, first_rings = draw_ring_patches(ramp[None], np.ones(1), (2, 5), np.random.RandomState(0))
    around = np.concatenate([ramp[:, -2:], ramp, ramp[:, :2]], axis=1)
    for patch, ring in zip(patches, first_rings, strict=True):
        there = np.stack([around[ring : ring + 2, a : a + 5] for a in range(12)])
        there = there - there.mean(axis=(1, 2), keepdims=True)
        there /= np.linalg.norm(there.reshape(12, -1), axis=1)[:, None, None]
        assert np.abs(there - patch).max(axis=(1, 2)).min() < 1e-12
    assert set(first_rings) == {0, 1, 2, 3}


# --- filters in places ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", ["soft", "relu", "none"])
@pytest.mark.parametrize("pool", [1, 2.5])
def test_ring_responses_are_thresholded_added_up_in_places_and_cut_to_low_frequencies(digits, threshold, pool):
    X = digits[0][:30]
    lift = RingLift(5, [(2, 5), (3, 4)], 2, threshold=threshold, quantile=0.4, pool=pool, random_state=0).fit(X)
    bank, new = lift.bank_, X[:2] / np.sqrt(np.square(X[:2]).mean(axis=(1, 2), keepdims=True))
    apply = {
        "soft": lambda r: np.sign(r) * np.maximum(np.abs(r) - bank.level, 0),
        "relu": lambda r: np.maximum(r - bank.level, 0),
        "none": lambda r: r,
    }[threshold]
    windows = ring_correlation.place_windows(4, 2)
    expected = np.array(
        [
            [windows.T @ apply(slow_rings.responses(one, patch[0])) for filters in bank.filters for patch in filters]
            for one in new
        ]
    ).reshape(2, 10, 24)
    n = bank.coarse_grid[0]
    low = np.fft.irfft(np.fft.rfft(expected)[..., : n // 2 + 1] / 24 * n, n) if pool != 1 else expected
    assert_allclose(lift.transform(X[:2]), low, atol=1e-10)


def test_a_turned_image_has_the_turned_responses(digits):
    X = digits[0][:20]
    lift = RingLift(6, (2, 5), pool=1, random_state=0).fit(X)
    assert_allclose(lift.transform(np.roll(X, 5, axis=2)), np.roll(lift.transform(X), 5, axis=2), atol=1e-12)


def test_ring_responses_of_a_sample_do_not_depend_on_its_batch(digits):
    X = digits[0][:11].astype(np.float32)
    lift = RingLift(6, random_state=0).fit(X)
    assert_array_equal(np.concatenate([lift.transform(X[i : i + 1]) for i in range(11)]), lift.transform(X))


# --- peaks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slack", "pool", "n_positions"), [(0, 1, 24), (1, 2, 12), (2, 1, 24), (1, 2.6, 9), (0, 24, 1)]
)
def test_a_peak_is_the_strongest_response_at_any_angle_near_its_rings(digits, slack, pool, n_positions):
    X = representative(digits[0][:30])
    lift = PeakLift(9, [(2, 7), (4, 12)], slack, pool=pool, random_state=0).fit(X)
    bank, new = lift.bank_, X[:2] / np.sqrt(np.square(X[:2]).mean(axis=(1, 2), keepdims=True))
    peaks = [
        [
            slow_rings.peak(one, patch, ring, slack, n_positions)
            for filters, rings in zip(bank.filters, bank.first_rings, strict=True)
            for patch, ring in zip(filters, rings, strict=True)
        ]
        for one in new
    ]
    assert_allclose(bank.peaks(X[:2]), peaks, atol=1e-5)  # filters are stored in single precision
    assert_allclose(lift.transform(X[:2]), (peaks - bank.mean) / bank.scale, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_peaks_are_the_same_bits_at_every_rotation(digits, dtype):
    X = digits[0][:20].astype(dtype)
    lift = PeakLift(**FEW).fit(X)
    still = lift.transform(X)
    assert still.dtype == dtype
    for turn in range(1, 24):
        assert_array_equal(lift.transform(np.roll(X, turn, axis=2)), still)


def test_peaks_are_standardised_and_do_not_change_with_brightness(digits):
    X = digits[0]
    lift = PeakLift(**FEW).fit(X)
    features = lift.transform(X)
    assert_allclose(features.mean(axis=0), 0, atol=1e-6)
    assert_allclose(features.std(axis=0), 1, atol=1e-6)
    assert_allclose(lift.transform(1000 * X), features, atol=1e-9)


def test_unit_vectors_are_the_features_with_a_constant_on_the_sphere(digits):
    X = digits[0][:40]
    lift = clone(PeakLift(**FEW))
    vectors = lift.fit_unit_vectors(X, np.ones(len(X)))
    bank = lift.bank_
    expected = np.column_stack([lift.transform(X), np.full(len(X), np.sqrt(24))])
    assert_allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)
    assert_array_equal(bank.unit_vectors(X), vectors)


@pytest.mark.parametrize("lift", [PeakLift(**FEW), RingLift(8, random_state=0)])
def test_a_weight_is_a_repetition_and_order_does_not_matter(digits, lift):
    X, weights = digits[0][:40], np.arange(40) % 3
    by_weight = clone(lift).fit(X, sample_weight=weights)
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(40), weights))
    assert_array_equal(clone(lift).fit(X[order]).transform(X), by_weight.transform(X))


# --- classifiers ------------------------------------------------------------------------------------------------------


def test_answers_on_rings_are_the_same_bits_at_every_rotation(digits, classifier):
    X = digits[0][:20]
    assert len(classifier.further_answers_) == 1
    still = classifier.predict_proba(X)
    for turn in (1, 7, 12, 23):
        assert_array_equal(classifier.predict_proba(np.roll(X, turn, axis=2)), still)


def test_the_word_rings_gives_two_answers_and_evidence_weighs_them(digits):
    X, y = digits
    clf = ReduNetClassifier("shift", lift="rings", random_state=0).fit(X, y)
    assert isinstance(clf.lift_, PeakLift)
    assert clf.membership_ in ("subspace", "code")
    assert 0 < clf.answer_weight_ <= 1
    images, labels = load_digits(return_X_y=True)
    new = PolarGrid(4, 24).fit_transform(images[160:560].reshape(-1, 8, 8))
    assert clf.score(np.roll(new, 5, axis=2), labels[160:560]) > 0.75


def test_one_lift_for_rings_by_itself(digits):
    X, y = digits
    for lift in (PeakLift(60, random_state=0), RingLift(12, random_state=0)):
        clf = ReduNetClassifier("shift", lift=lift).fit(X, y)
        assert clf.further_answers_ == ()
        assert clf.score(X, y) > 0.9


def test_with_moments_rings_are_filters_alone(digits):
    X, y = digits
    clf = ReduNetClassifier("shift", lift="rings", construction="moments", random_state=0, n_layers=0).fit(X, y)
    assert type(clf.lift_) is RingLift
    assert clf.score(np.roll(X, 3, axis=2), y) > 0.9


def test_an_explanation_on_rings_adds_up_and_turns_with_the_image(digits, classifier):
    X = digits[0][:3]
    found, turned = classifier.explain(X), classifier.explain(np.roll(X, 5, axis=2))
    assert_allclose(found.positions.sum(axis=(1, 2)) + found.offset, found.difference, atol=1e-9)
    assert_allclose(found.parts.sum(axis=1), found.difference, atol=1e-9)
    assert_allclose(turned.positions, np.roll(found.positions, 5, axis=2), atol=1e-9)


def test_shares_of_ring_filters_go_to_values_that_they_see():
    X = np.zeros((6, 5, 16))
    X[:, 0, 3] = X[:, 0, 5] = 1.0 + np.arange(6)
    X[:, 1, 4] = np.arange(6) ** 2.0
    lift = RingLift(2, (2, 3), 5, filters="random", threshold="relu", pool=1, random_state=0).fit(X)
    features = lift.transform(X)
    shares = lift.bank_.sample_shares(X, lift.bank_(representative(X)), np.ones_like(features))
    assert_allclose(shares.sum(axis=(1, 2)), features.sum(axis=(1, 2)), rtol=1e-6)
    assert np.abs(shares[:, 3:]).max() < 1e-3 * np.abs(shares).max()  # nothing is there


def test_a_page_about_a_classifier_on_rings_has_all_but_the_network_in_the_browser(digits, classifier, tmp_path):
    from tests.report.test_model_page import data_of

    classifier.report(tmp_path / "page.html", *digits)
    kinds = {kind["kind"] for section in data_of(tmp_path / "page.html")["experiments"] for kind in section["exhibits"]}
    assert {"accuracy", "confusion"} <= kinds
    assert not {"drag", "drop"} & kinds


def test_torch_and_onnx_refuse_rings_and_say_what_they_take(digits, classifier, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from redunet.onnx import export
    from redunet.torch import module_of

    with pytest.raises(TypeError, match="PeakBank has no PyTorch module; fit with a Lift or a PooledLift"):
        module_of(classifier)
    with pytest.raises(InputError, match="PeakBank cannot be exported"):
        export(classifier, tmp_path / "model.onnx")


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lift", [PeakLift(**FEW), RingLift(8)])
def test_images_that_were_not_read_along_rings_are_refused(lift):
    X, y = noise(10, 1, 8, 8), np.arange(10) % 2
    with pytest.raises(InputError, match=r"takes images on rings.* shape \(1, 8, 8\); pass what PolarGrid makes"):
        ReduNetClassifier("translation", lift=lift).fit(X, y)


@pytest.mark.parametrize("kind", [PeakLift, RingLift])
@pytest.mark.parametrize("size", [9, (3,), (3, 4, 5), "9x21", []])
def test_a_kernel_that_is_no_pair_is_refused(digits, kind, size):
    with pytest.raises(ValueError, match="kernel_size must be two whole numbers, rings and angles"):
        kind(kernel_size=size).fit(digits[0])


@pytest.mark.parametrize("kind", [PeakLift, RingLift])
def test_a_kernel_larger_than_the_rings_is_refused(digits, kind):
    with pytest.raises(ValueError, match=r"kernel_size=\(5, 3\) is larger .* 4 rings and 24 angles; pass at most"):
        kind(kernel_size=(5, 3)).fit(digits[0])


@pytest.mark.parametrize("kind", [PeakLift, RingLift])
def test_constant_samples_have_no_patches(kind):
    with pytest.raises(ValueError, match=r"no patch of \d+ × \d+ rings and angles that varies"):
        kind().fit(np.ones((5, 4, 24)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_filters": 0}, "n_filters"),
        ({"n_places": 0}, "n_places"),
        ({"filters": "stft"}, "filters"),
        ({"threshold": "hard"}, "threshold"),
        ({"pool": 0.5}, "pool"),
        ({"quantile": 1.0}, "quantile"),
        ({"kernel_size": [(2, 3), (3, 4)], "n_filters": 1}, "n_filters"),
    ],
)
def test_wrong_options_of_a_ring_lift_are_refused(digits, options, message):
    with pytest.raises(ValueError, match=message):
        RingLift(**options).fit(digits[0])


def test_a_lift_for_rings_names_its_features(digits):
    assert len(PeakLift(**FEW).fit(digits[0]).get_feature_names_out()) == 24
    assert redunet.PeakLift is PeakLift
    assert redunet.RingLift is RingLift
