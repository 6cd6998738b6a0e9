"""Estimators as users meet them: layouts and types of samples, pandas, pipelines, pickle, text and progress."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info

from redunet import Lift, NearestSubspaceClassifier, ReduNet, ReduNetClassifier, rate_reduction
from redunet.fast.blas import single_threaded
from redunet.inputs.errors import NoLayerWarning


@pytest.fixture
def signals():
    """Two-channel signals of two classes: a sine and its square in either order."""
    rng = np.random.default_rng(0)
    t = 2 * np.pi * (np.arange(12) / 12 + rng.uniform(size=(30, 1)))
    pair = np.stack([np.sin(t), np.sign(np.sin(t))], axis=1)
    codes = np.arange(30) % 2
    pair[codes == 1] = pair[codes == 1][:, ::-1]
    return pair + 0.1 * rng.standard_normal(pair.shape), codes


@pytest.fixture
def images():
    rng = np.random.default_rng(0)
    codes = np.arange(24) % 3
    return rng.standard_normal((3, 2, 4, 5))[codes] + 0.3 * rng.standard_normal((24, 2, 4, 5)), codes


def test_flat_in_flat_out_and_shaped_in_shaped_out(signals):
    X, y = signals
    flat = X.reshape(30, -1)
    by_shape = ReduNet("shift", n_layers=3).fit(X, y)
    by_hint = ReduNet("shift", n_layers=3, sample_shape=(2, 12)).fit(flat, y)
    assert by_shape.transform(X).shape == (30, 2, 12)
    assert by_hint.transform(flat).shape == (30, 24)
    assert_array_equal(by_hint.transform(flat), by_shape.transform(X).reshape(30, -1))
    assert_array_equal(by_hint.transform(X), by_shape.transform(X))
    assert by_hint.n_features_in_ == by_shape.n_features_in_ == 24
    assert by_hint.sample_shape_ == by_shape.sample_shape_ == (2, 12)


def test_one_channel_may_be_left_out(signals, images):
    X, y = signals
    assert ReduNet("shift", n_layers=1).fit_transform(X[:, 0], y).shape == (30, 12)
    assert ReduNet("shift", n_layers=1).fit_transform(X[:, :1], y).shape == (30, 1, 12)
    X, y = images
    assert ReduNet("translation", n_layers=1).fit_transform(X[:, 0], y).shape == (24, 1, 4, 5)
    flat = X[:, 0].reshape(24, -1)
    assert ReduNet("translation", n_layers=1, sample_shape=(4, 5)).fit_transform(flat, y).shape == (24, 20)


def test_volumes_translate_over_three_axes():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((6, 2, 3, 4, 2)), [0, 1] * 3
    net = ReduNet("translation", n_layers=2).fit(X, y)
    moved = np.roll(X, (1, 2, 1), axis=(2, 3, 4))
    assert_allclose(net.transform(moved), np.roll(net.transform(X), (1, 2, 1), axis=(2, 3, 4)), atol=1e-10)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1.0, 1.0], [b"x", b"y"], [7, 3]])
def test_labels_of_any_type(signals, labels):
    X, y = signals
    y = np.array(labels)[y]
    clf = ReduNetClassifier("shift", n_layers=3).fit(X, y)
    assert clf.predict(X).dtype == y.dtype
    assert clf.score(X, y) == 1.0
    as_objects = ReduNetClassifier("shift", n_layers=3).fit(X, y.astype(object))
    assert_array_equal(as_objects.predict(X).astype(y.dtype), clf.predict(X))


def test_read_only_and_non_contiguous_arrays(signals):
    X, y = signals
    expected = ReduNetClassifier("shift", n_layers=3).fit(X, y).predict_proba(X)
    strided = np.empty((60, 12, 2)).transpose(0, 2, 1)[::2]
    strided[:] = X
    strided.flags.writeable = False
    y.flags.writeable = False
    assert_array_equal(ReduNetClassifier("shift", n_layers=3).fit(strided, y).predict_proba(strided), expected)


def test_inputs_are_left_as_they_were(signals):
    X, y = signals
    before = X.copy(), y.copy()
    ReduNetClassifier("shift", n_layers=2).fit(X, y, sample_weight=np.arange(30)).predict(X)
    assert_array_equal(X, before[0])
    assert_array_equal(y, before[1])


def test_precision_of_the_input_is_kept(signals):
    X, y = signals
    net = ReduNet("shift", n_layers=2).fit(X.astype(np.float32), y)
    assert net.network_.layers[0].expansion.dtype == np.complex64
    assert net.transform(X.astype(np.float32)).dtype == np.float32
    assert net.transform(X).dtype == np.float64
    assert ReduNet("shift", n_layers=2).fit(X, y).transform(X.astype(np.float32)).dtype == np.float32
    assert ReduNet(n_layers=1).fit(np.eye(4, dtype=int), [0, 0, 1, 1]).transform(np.eye(4, dtype=int)).dtype == float


def test_frames_keep_their_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    net = ReduNet(n_layers=2).set_output(transform="pandas").fit(X, y)
    assert list(net.feature_names_in_) == list(X.columns)
    features = net.transform(X)
    assert isinstance(features, pd.DataFrame)
    assert list(features.columns) == list(net.get_feature_names_out()) == [f"redunet{i}" for i in range(5)]
    assert (features.index == X.index).all()


def test_pipeline_grid_search_clone_and_pickle():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), ReduNetClassifier(n_layers=5))
    search = GridSearchCV(pipeline, {"redunetclassifier__eps": [0.3, 1.0], "redunetclassifier__rank": [1, 2]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.9
    best = search.best_estimator_
    assert_array_equal(pickle.loads(pickle.dumps(best)).predict_proba(X), best.predict_proba(X))
    again = clone(best).fit(X, y)
    assert_array_equal(again.predict_proba(X), best.predict_proba(X))
    features = make_pipeline(StandardScaler(), ReduNet(n_layers=5), NearestSubspaceClassifier(2, affine=False))
    assert cross_val_score(features, X, y, cv=3).mean() > 0.9


@pytest.mark.parametrize("estimator", [ReduNet(), ReduNetClassifier(), NearestSubspaceClassifier()])
def test_text_and_html_say_what_it_is(estimator, signals):
    X, y = signals
    estimator = clone(estimator).set_params(invariance="shift").fit(X, y)
    assert "invariance='shift'" in repr(estimator)
    assert "shift" in estimator._repr_html_()


def test_network_and_history_say_what_they_are(signals):
    X, y = signals
    net = ReduNet("shift", n_layers=4).fit(X, y)
    assert repr(net.network_) == "Network(circle 2 × 12, 4 layers, float64)"
    assert repr(net.network_.layers[0]).startswith("Layer(2 classes, 7 frequencies, 2 channels")
    assert repr(net.history_).startswith("History(4 layers, ΔR ")
    assert "<svg" in net.history_._repr_html_()
    assert len(net.history_) == 5 == net.n_layers_ + 1
    assert "+ 1" in repr(ReduNet(n_layers=1).fit(X[:, 0], y).network_)


def test_layers_are_frozen(signals):
    X, y = signals
    layer = ReduNet("shift", n_layers=1).fit(X, y).network_.layers[0]
    with pytest.raises(AttributeError):
        layer.step_size = 1.0
    with pytest.raises(ValueError, match="read-only"):
        layer.expansion[0] = 0


def test_answers_agree_with_one_another(images):
    X, y = images
    clf = ReduNetClassifier("translation", n_layers=3).fit(X, y)
    probabilities, nearness = clf.predict_proba(X), clf.decision_function(X)
    assert probabilities.shape == nearness.shape == (24, 3)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert_array_equal(clf.classes_[probabilities.argmax(axis=1)], clf.predict(X))
    assert_array_equal(clf.classes_[nearness.argmax(axis=1)], clf.predict(X))
    assert (nearness <= 0).all()
    assert (nearness >= -1).all()
    two = ReduNetClassifier("translation", n_layers=3).fit(X[y < 2], y[y < 2])
    assert_array_equal(two.decision_function(X[y < 2]) > 0, two.predict(X[y < 2]) == 1)


def test_per_frequency_subspaces_beat_flat_ones_on_shifted_signals(signals):
    X, y = signals
    shifted = np.stack([np.roll(x, i, axis=-1) for i, x in enumerate(X)])
    invariant = NearestSubspaceClassifier(1, invariance="shift").fit(X, y)
    assert invariant.score(X, y) == invariant.score(shifted, y) == 1.0


def test_zero_layers_are_the_input_on_the_sphere(signals):
    X, y = signals
    net = ReduNet("shift", n_layers=0).fit(X, y)
    assert net.n_layers_ == 0
    assert len(net.history_) == 1
    norms = np.linalg.norm(X.reshape(30, -1), axis=1)[:, None, None]
    assert_allclose(net.transform(X), X / norms, atol=1e-12)


def test_affine_tells_classes_that_differ_by_an_offset():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    X = rng.standard_normal((100, 3)) + np.where(y == 0, 1.0, 3.0)[:, None] * np.array([1.0, 1.0, 1.0])
    linear = ReduNetClassifier(n_layers=5, affine=False).fit(X, y).score(X, y)
    assert ReduNetClassifier(n_layers=5).fit(X, y).score(X, y) > linear + 0.05
    shifted = ReduNet("shift", n_layers=1, affine=True).fit(X, y)  # for vectors only: no channel is added
    assert shifted.network_.geometry.feature_shape == (1, 3)


def test_zero_vectors_have_a_place_when_affine():
    X = np.array([[0.0, 0.0], [0.1, 0.0], [3.0, 3.0], [3.0, 4.0]])
    assert_array_equal(ReduNetClassifier(n_layers=2).fit(X, [0, 0, 1, 1]).predict(X), [0, 0, 1, 1])


def test_many_features_few_samples_needs_no_square_matrix():
    rng = np.random.default_rng(0)
    n = 20_000
    X, y = rng.standard_normal((40, n)), np.repeat([0, 1], 20)
    X[y == 1, :50] += 3.0
    tracemalloc.start()
    clf = ReduNetClassifier(n_layers=5, membership="softmax").fit(X, y)
    clf.predict(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 25 * X.nbytes  # an n × n matrix would be 500 times X
    with pytest.raises(ValueError, match="3 matrices of 20001 × 20001, too many to write out; read"):
        clf.network_.kernels(0)


def test_many_features_few_samples_give_subspaces_and_rates_too():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((12, 100_000)), np.repeat([0, 1], 6)
    assert NearestSubspaceClassifier().fit(X, y).score(X, y) == 1.0
    wide, narrow = X[:, :400], np.linalg.qr(X[:, :400].T)[1].T  # the same inner products in 12 dimensions
    ratio = np.sqrt(400 / 12)  # α counts dimensions
    assert_allclose(rate_reduction(wide, y, eps=0.3 * ratio), rate_reduction(narrow, y, eps=0.3), rtol=1e-10)
    assert rate_reduction(X, y, eps=0.3) > 0


def test_subspaces_tell_classes_apart_in_single_precision_far_from_the_origin():
    X, y = load_iris(return_X_y=True)
    X = X - X.mean(axis=0) + 1000
    fine = NearestSubspaceClassifier().fit(X, y).score(X, y)
    coarse = NearestSubspaceClassifier().fit(X.astype(np.float32), y).score(X.astype(np.float32), y)
    assert fine > 0.85
    assert abs(fine - coarse) < 0.03


def test_a_network_in_single_precision_takes_values_of_double_precision():
    X, y = load_iris(return_X_y=True)
    net = ReduNet(affine=False, n_layers=3).fit(X.astype(np.float32), y)
    for scale in (1e-60, 1e60):
        assert_allclose(net.transform(scale * X), net.transform(X), atol=1e-6)
    assert np.isfinite(ReduNet(n_layers=2).fit(X.astype(np.float32) * np.float32(1e37), y).transform(X)).all()


def test_fitted_state_decides_not_parameters_set_later():
    X, y = load_iris(return_X_y=True)
    clf = ReduNetClassifier(n_layers=2).fit(X, y)
    before = clf.predict_proba(X)
    clf.set_params(affine=False, invariance="shift", sharpness=1.0)
    assert_array_equal(clf.predict_proba(X), before)


def test_shaped_fit_takes_flat_rows(signals):
    X, y = signals
    clf = ReduNetClassifier("shift", n_layers=2).fit(X, y)
    assert_array_equal(clf.predict_proba(X.reshape(30, -1)), clf.predict_proba(X))


def test_nullable_and_categorical_labels_keep_their_type(signals):
    X, y = signals
    for labels in (pd.Series(y, dtype="Int64"), pd.Series(y > 0, dtype="boolean"), pd.Series(y).astype("category")):
        assert ReduNetClassifier("shift", n_layers=1).fit(X, labels).classes_.dtype.kind in "ib"
    words = pd.Series(["a", "b"] * 15, index=range(100, 130)).astype("category")
    assert ReduNetClassifier("shift", n_layers=1).fit(X, words).score(X, words) == 1.0


def test_layers_stay_frozen_after_pickle(signals):
    X, y = signals
    net = pickle.loads(pickle.dumps(ReduNet("shift", n_layers=1).fit(X, y)))
    assert not net.network_.layers[0].expansion.flags.writeable
    assert not net.history_.coding_rate.flags.writeable


def test_overlapping_fits_leave_blas_as_it_was():
    before = [library["num_threads"] for library in threadpool_info()]
    first, second = single_threaded(), single_threaded()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert all(library["num_threads"] == 1 for library in threadpool_info() if library["user_api"] == "blas")
    second.__exit__(None, None, None)
    assert [library["num_threads"] for library in threadpool_info()] == before


def test_new_samples_pass_in_bounded_memory(signals):
    X, y = signals
    clf = ReduNetClassifier("shift", n_layers=2).fit(np.tile(X, (1, 1, 10)), y)
    many = np.tile(np.tile(X, (1, 1, 10)) + np.random.default_rng(0).standard_normal((30, 2, 120)), (3000, 1, 1))
    tracemalloc.start()
    answers = clf.predict(many)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert_array_equal(answers, np.tile(clf.predict(many[:30]), 3000))
    assert peak < 140e6  # whatever the number of samples


def test_verbose_shows_layers_rate_and_time(signals, capsys):
    X, y = signals
    ReduNet("shift", n_layers=20, verbose=1).fit(X, y)
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert lines[0].startswith("redunet: layer 0 of 20, ΔR ")
    assert "s left" in lines[1]
    assert lines[-1].startswith("redunet: layer 20 of 20, ΔR ")
    assert "done in" in lines[-1]
    assert len(lines) <= 12
    ReduNet("shift", n_layers=20).fit(X, y)
    assert capsys.readouterr().err == ""


def test_doctests_of_the_estimators():
    import doctest

    from redunet.estimators import classifier, features, nearest

    for module in (classifier, features, nearest):
        failed, tried = doctest.testmod(module)
        assert tried > 3
        assert failed == 0


def test_a_network_that_has_no_layers_though_some_were_asked_for_says_so():
    X = np.random.default_rng(0).standard_normal((12, 20))
    soft = ReduNetClassifier("shift", lift=Lift("random", 4, 5, random_state=0), membership="softmax", n_layers=3)
    with pytest.warns(
        NoLayerWarning, match=r"no layer raises ΔR .* n_layers=3\. membership='softmax' .* sharpness=0\.001"
    ):
        soft.set_params(sharpness=1e-3).fit(X, np.arange(12) % 2)
    assert soft.n_layers_ == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert soft.set_params(sharpness=500.0).fit(X, np.arange(12) % 2).n_layers_ == 3
        assert soft.set_params(n_layers=0).fit(X, np.arange(12) % 2).n_layers_ == 0  # none were asked for
