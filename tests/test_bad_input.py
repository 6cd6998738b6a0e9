"""Bad input gets an error that says name, rule, value got and remedy, before any work is done."""

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
        ({}, X, np.zeros(12), "y has one class, 0.0; rate reduction needs at least 2 classes"),
        ({}, X[:9], Y[:9], "class 2 has one sample; a class needs at least 2. Remove it or add samples."),
        ({}, X, Y[:-1], "X has 12 samples but y has 11 labels; pass one label per sample"),
        ({}, X, rng.uniform(size=12), "Unknown label type: continuous"),
        ({}, X, None, "fit requires y to be passed, but the target y is None"),
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
        ({"invariance": "translation"}, np.ones((12, 6)), Y, "pass sample_shape=a tuple whose product is 6"),
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
            r"\(1, 4, 3\) does not fit invariance='shift', which takes \(length,\) or",
        ),
        ({"invariance": "translation"}, np.ones((12, 2, 2, 2, 2, 2)), Y, "does not fit invariance='translation'"),
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
    if "sharpness" in options and estimator is ReduNet:
        options = options | {"n_layers": 3}
    with pytest.raises(ValueError, match=message):
        estimator(**options).fit(samples, labels)


@pytest.mark.parametrize("estimator", [ReduNet, ReduNetClassifier])
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"eps": -0.1}, ValueError, "^eps must be > 0 and finite, got -0.1.$"),
        ({"eps": 0}, ValueError, "eps must be > 0"),
        ({"eps": np.nan}, ValueError, "eps must be > 0 and finite, got nan"),
        ({"eps": "0.1"}, TypeError, "eps must be a number > 0, got '0.1' of type str"),
        ({"eps": True}, TypeError, "eps must be a number > 0, got True of type bool"),
        ({"n_layers": -1}, ValueError, "n_layers must be >= 0, got -1"),
        ({"n_layers": 2.5}, TypeError, "n_layers must be a whole number >= 0, got 2.5 of type float"),
        ({"step_size": "atuo"}, ValueError, "step_size must be one of 'auto', got 'atuo'. Did you mean 'auto'"),
        ({"step_size": 0.0}, ValueError, "step_size must be > 0"),
        ({"membership": "softmx"}, ValueError, "membership must be one of 'softmax', got 'softmx'. Did you mean"),
        ({"convention": "publshed"}, ValueError, "Did you mean 'published'"),
        ({"affine": "yes"}, TypeError, "affine must be True or False, got 'yes' of type str"),
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
        (7, ValueError, "rank=7 is more than the 6 channels of a feature; pass rank <= 5"),
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
    with pytest.raises(ValueError, match=r"X has samples of shape \(3, 4\) but fit saw \(2, 6\); pass that shape"):
        method(SIGNALS.reshape(12, 3, 4))
    with pytest.raises(ValueError, match="all zero"):
        method(with_zero_sample(SIGNALS))
    with pytest.raises(ValueError, match="NaN"):
        method(with_value(SIGNALS, np.nan))


@pytest.mark.parametrize("estimator", [ReduNetClassifier, NearestSubspaceClassifier])
def test_a_label_that_was_not_trained_on_cannot_be_scored(estimator):
    clf = estimator().fit(X, Y)
    with pytest.raises(ValueError, match=r"y has the label 7, which is not among the training classes \[0, 1, 2\]"):
        clf.score(X, np.where(Y == 2, 7, Y))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: redunet.coding_rate(X, eps=0), "eps must be > 0 and finite, got 0"),
        (lambda: redunet.coding_rate(X, eps=0.1, invariance="rotation"), "invariance must be one of"),
        (lambda: redunet.coding_rate(X, eps=0.1, convention="unitary"), "convention must be one of"),
        (lambda: redunet.coding_rate(with_value(X, np.nan), eps=0.1), "Z contains NaN"),
        (lambda: redunet.rate_reduction(X, Y[:-1], eps=0.1), "X has 12 samples but y has 11 labels"),
        (
            lambda: redunet.rate_reduction(X, Y, eps=0.1, sample_weight=np.repeat([1, 1, 0], 4)),
            "class 2 has total weight 0",
        ),
    ],
)
def test_bad_input_of_the_rates(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_distortion_too_small_for_the_precision_is_told():
    samples = np.repeat(rng.standard_normal((2, 1, 4096)), 3, axis=0)
    samples += 1e-9 * rng.standard_normal(samples.shape)
    with pytest.raises(ValueError, match=r"layer 1 of 30: eps=1e-12 is too small for the precision of the features"):
        ReduNet("shift", eps=1e-12).fit(np.repeat(samples, 3, axis=1), np.repeat([0, 1], 3))
