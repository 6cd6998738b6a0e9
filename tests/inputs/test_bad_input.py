"""Bad input gets an error that says name, rule, value got and remedy, before any work is done."""

from functools import partial

import numpy as np
import pytest

import redunet
from redunet import NearestSubspaceClassifier, ReduNet, ReduNetClassifier

rng = np.random.default_rng(0)
X, Y = rng.standard_normal((12, 6)), np.repeat([0, 1, 2], 4)
SIGNALS = rng.standard_normal((12, 2, 6))
IMAGES = rng.standard_normal((12, 1, 4, 3))
ALL = [ReduNet, ReduNetClassifier, NearestSubspaceClassifier]


def with_value(array, value):
    array = array.copy()
    array.flat[7] = value
    return array


def with_zero_sample(array):
    array = array.copy()
    array[3] = 0
    return array


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize(
    ("options", "samples", "labels", "message"),
    [
        ({}, with_value(X, np.nan), Y, "X contains NaN"),
        ({}, with_value(X, np.inf), Y, "X contains infinity"),
        ({"invariance": "shift"}, with_value(SIGNALS, np.nan), Y, "X contains NaN"),
        ({}, X + 1j, Y, "Complex data not supported"),
        ({"invariance": "shift"}, SIGNALS + 1j, Y, "Complex data not supported"),
        ({}, X[:0], Y[:0], r"Found array with 0 sample\(s\)"),
        ({"affine": False}, with_zero_sample(X), Y, r"1 sample of X is all zero \(first: row 3\) and cannot be"),
        ({"invariance": "shift"}, np.zeros((12, 6)), Y, r"12 samples of X are all zero \(first: row 0\)"),
        ({}, X, np.zeros(12), "y has one class, 0.0; there must be at least 2 classes to tell apart"),
        ({}, X[:9], Y[:9], "class 2 has one sample; a class needs at least 2. Remove it or add samples."),
        ({}, X, Y[:-1], "X has 12 samples but y has 11 labels; pass one label per sample"),
        ({}, X, rng.uniform(size=12), "Unknown label type: continuous"),
        ({"sample_shape": (2, 3), "invariance": None}, X[:, :5], Y, "has 5 features per sample but sample_shape"),
        (
            {"invariance": "translation", "sample_shape": (1, 28, 27)},
            np.ones((12, 784)),
            Y,
            r"^X has 784 features per sample but sample_shape=\(1, 28, 27\) needs 756; "
            r"pass sample_shape=\(1, 28, 28\).$",
        ),
        (
            {"invariance": "translation"},
            np.ones((12, 784)),
            Y,
            r"needs their layout; pass sample_shape=\(1, 28, 28\), or X of",
        ),
        ({"invariance": "translation"}, np.ones((12, 6)), Y, "pass a sample_shape whose product is 6, or X of shape"),
        ({"invariance": "shift", "sample_shape": (4, 2)}, X, Y, r"needs 8; pass sample_shape=\(1, 6\)"),
        (
            {"invariance": "shift", "sample_shape": (3, 4)},
            SIGNALS,
            Y,
            r"shape \(2, 6\) but sample_shape=\(3, 4\)",
        ),
        (
            {"invariance": "shift"},
            IMAGES,
            Y,
            r"a sample of X has shape \(1, 4, 3\) but invariance='shift' takes \(length,\) or",
        ),
        ({"invariance": "translation"}, np.ones((12, 2, 2, 2, 2, 2)), Y, "but invariance='translation' takes"),
        ({}, IMAGES, Y, r"X has samples of shape \(1, 4, 3\) but invariance=None takes vectors; pass X.reshape"),
        (
            {"invariance": "shfit"},
            X,
            Y,
            "invariance must be one of None, .*, got 'shfit'. Did you mean 'shift'",
        ),
        ({"invariance": 2}, X, Y, "invariance must be one of None, 'shift', 'translation', got 2"),
        ({"sharpness": 0}, X, Y, "sharpness must be > 0 and finite, got 0"),
        ({"sample_shape": (0, 6)}, X, Y, "every entry of sample_shape must be >= 1, got 0"),
    ],
)
def test_bad_samples_and_layouts(estimator, options, samples, labels, message):
    with pytest.raises(ValueError, match=message):
        estimator(**options).fit(samples, labels)


@pytest.mark.parametrize("estimator", [*ALL[1:], partial(ReduNet, construction="moments")])
def test_labels_are_needed_but_by_a_network_of_samples(estimator):
    with pytest.raises(ValueError, match="this requires y to be passed, but the target y is None"):
        estimator().fit(X, None)


@pytest.mark.parametrize("estimator", [ReduNet, ReduNetClassifier])
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"eps": -0.1}, ValueError, "^eps must be > 0 and finite, got -0.1.$"),
        ({"eps": 0}, ValueError, "eps must be > 0"),
        ({"eps": np.nan}, ValueError, "eps must be > 0 and finite, got nan"),
        ({"eps": "0.1"}, (TypeError, ValueError), r"eps must be a number( > 0, got '0.1' of type str| or 'auto', got)"),
        ({"eps": True}, TypeError, "eps must be a number > 0, got True of type bool"),
        ({"n_layers": -1}, ValueError, "n_layers must be >= 0, got -1"),
        ({"n_layers": 2.5}, TypeError, "n_layers must be a whole number >= 0, got 2.5 of type float"),
        ({"step_size": "atuo"}, ValueError, "step_size must be a number > 0 or 'auto', got 'atuo'"),
        ({"step_size": 0.0}, ValueError, "step_size must be > 0"),
        ({"membership": "softmx"}, ValueError, "membership must be one of .*, got 'softmx'. Did you mean 'softmax'"),
        ({"convention": "publshed"}, ValueError, "Did you mean 'published'"),
        ({"affine": "yes"}, TypeError, "affine must be True, False or a number > 0, got 'yes' of type str"),
        ({"sample_shape": 6}, TypeError, r"sample_shape must be a tuple of whole numbers such as \(1, 28, 28\), got 6"),
    ],
)
def test_bad_options(estimator, options, error, message):
    with pytest.raises(error, match=message):
        estimator(**options).fit(X, Y)


def test_a_misspelt_name_of_an_option_is_refused():
    with pytest.raises(TypeError, match="epsilon"):
        ReduNet(epsilon=0.1)


@pytest.mark.parametrize("estimator", [ReduNetClassifier, NearestSubspaceClassifier])
@pytest.mark.parametrize(
    ("rank", "error", "message"),
    [
        (0, ValueError, "rank must be >= 1, got 0"),
        (1.5, TypeError, "rank must be a whole number"),
        (7, ValueError, "rank=7 must be less than the 6 coordinates of a feature, .*; pass rank <= 5"),
    ],
)
def test_bad_rank(estimator, rank, error, message):
    with pytest.raises(error, match=message):
        estimator(rank=rank, affine=False).fit(X, Y)


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(11), r"sample_weight must have shape \(12,\), one weight per sample, got shape \(11,\)"),
        (-np.ones(12), "sample_weight must be >= 0 and finite, got -1.0"),
        (np.full(12, np.nan), "sample_weight must be >= 0 and finite, got nan"),
        (np.zeros(12), "sample_weight is zero for every sample"),
        (np.repeat([1, 1, 0], 4), "class 2 has total weight 0; remove its samples"),
        ([1] * 8 + [1, 0, 0, 0], "class 2 has one sample; a class needs at least 2"),
    ],
)
def test_bad_weights(estimator, weights, message):
    with pytest.raises(ValueError, match=message):
        estimator().fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("estimator", ALL)
def test_new_samples_must_look_like_the_training_samples(estimator):
    fitted = estimator(invariance="shift").fit(SIGNALS, Y)
    method = getattr(fitted, "predict", None) or fitted.transform
    with pytest.raises(ValueError, match="X has 10 features, but"):
        method(SIGNALS[:, :, :5])
    with pytest.raises(
        ValueError, match=r"shape \(3, 4\) but fit saw \(2, 6\); pass X.reshape\(len\(X\), \*\(2, 6\)\)"
    ):
        method(SIGNALS.reshape(12, 3, 4))
    with pytest.raises(ValueError, match="all zero"):
        method(with_zero_sample(SIGNALS))
    with pytest.raises(ValueError, match="NaN"):
        method(with_value(SIGNALS, np.nan))


@pytest.mark.parametrize("estimator", [ReduNetClassifier, NearestSubspaceClassifier])
def test_a_label_that_was_not_trained_on_is_a_miss(estimator):
    clf = estimator().fit(X, Y)
    unseen = np.where(Y == 2, 7, Y)
    assert clf.score(X, unseen) == np.mean(clf.predict(X) == unseen) < clf.score(X, Y)


@pytest.mark.parametrize("estimator", [ReduNetClassifier, NearestSubspaceClassifier])
def test_labels_of_another_type_are_no_misses_but_an_error(estimator):
    with pytest.raises(TypeError, match=r"y holds text such as '0', but fit saw numbers such as 0; pass labels of the"):
        estimator().fit(X, Y).score(X, Y.astype(str))
    with pytest.raises(TypeError, match=r"y holds numbers such as 0, but fit saw text such as '0'; pass labels of the"):
        estimator().fit(X, Y.astype(str)).score(X, Y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: redunet.rate_reduction(X, None, eps=0.1), "requires y to be passed, but the target y is None"),
        (
            lambda: redunet.coding_rate(SIGNALS, eps=0.1),
            r"Z has samples of shape \(2, 6\) .* pass Z.reshape\(len\(Z\), -1\)",
        ),
        (lambda: redunet.coding_rate(X, eps=0), "eps must be > 0 and finite, got 0"),
        (lambda: redunet.coding_rate(X, eps=0.1, invariance="rotation"), "invariance must be one of"),
        (lambda: redunet.coding_rate(X, eps=0.1, convention="unitary"), "convention must be one of"),
        (lambda: redunet.coding_rate(with_value(X, np.nan), eps=0.1), "Z contains NaN"),
        (lambda: redunet.rate_reduction(X, Y[:-1], eps=0.1), "Z has 12 samples but y has 11 labels"),
        (
            lambda: redunet.rate_reduction(X, Y, eps=0.1, sample_weight=np.repeat([1, 1, 0], 4)),
            "class 2 has total weight 0",
        ),
    ],
)
def test_bad_input_of_the_rates(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("estimator", "options"), [(ReduNetClassifier, {"lift": "none"}), (NearestSubspaceClassifier, {})]
)
def test_a_subspace_that_holds_every_sample_is_refused(estimator, options):
    with pytest.raises(
        ValueError, match="X has 1 channel, and a class subspace of it holds every sample; pass lift='auto'"
    ):
        estimator(invariance="shift", **options).fit(SIGNALS[:, :1], Y)
    with pytest.raises(
        ValueError, match=r"X has 1 feature, and a class subspace of it holds every sample; pass affine"
    ):
        estimator(affine=False).fit(X[:, :1], Y)
    with pytest.raises(ValueError, match="rank=2 must be less than the 2 channels of a feature"):
        estimator(invariance="shift", rank=2).fit(SIGNALS, Y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"step_size": 1e300},
            r"layer 1 of 30: the features are not finite with eps=0.3 and step_size=1e\+300; pass a",
        ),
        ({"eps": 1e-120}, "layer 1 of 30: "),
        ({"eps": 1e-200}, "eps must lie between 1e-150 and 1e150, since its square is used, got 1e-200"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_finite_is_told_with_its_layer(options, message, dtype):
    with pytest.raises(ValueError, match=message):
        ReduNet(**options).fit(X.astype(dtype), Y)


def test_values_that_cannot_be_squared_and_added_are_refused():
    with pytest.raises(ValueError, match=r"X has values above 1e\+300; scale it first"):
        ReduNet().fit(X * 1e301, Y)
    with pytest.raises(ValueError, match="the coding rate is not finite; scale Z"):
        redunet.coding_rate(X * 1e200, eps=0.3)


@pytest.mark.parametrize("estimator", [ReduNetClassifier, NearestSubspaceClassifier])
def test_bad_input_of_score(estimator):
    clf = estimator().fit(X, Y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        clf.score(X, None)
    with pytest.raises(ValueError, match=r"sample_weight must be >= 0 and finite, got -1\.0 in row 0"):
        clf.score(X, Y, sample_weight=-np.ones(12))
    with pytest.raises(ValueError, match=r"sample_weight must have shape \(12,\)"):
        clf.score(X, Y, sample_weight=np.ones(3))


def test_frames_of_n_dimensional_features_are_refused():
    net = ReduNet("shift", n_layers=1).set_output(transform="pandas").fit(SIGNALS, Y)
    with pytest.raises(ValueError, match=r"takes flat X, but X has samples of shape \(2, 6\); pass X.reshape"):
        net.transform(SIGNALS)


def test_distortion_too_small_for_the_precision_is_told():
    samples = np.repeat(rng.standard_normal((2, 1, 4096)), 3, axis=0)
    samples += 1e-9 * rng.standard_normal(samples.shape)
    with pytest.raises(ValueError, match=r"layer 1 of 30: eps=1e-12 is too small for the precision of the features"):
        ReduNet("shift", eps=1e-12).fit(np.repeat(samples, 3, axis=1), np.repeat([0, 1], 3))
