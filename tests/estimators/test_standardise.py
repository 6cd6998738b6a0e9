"""Columns of tables on one scale: learned with the model, stored with it, and chosen by evidence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler

import redunet
from redunet import ReduNetClassifier
from redunet.inputs.errors import InputError, InputTypeError
from redunet.network.standardiser import Standardiser

WINE = load_wine(return_X_y=True)


@pytest.mark.parametrize("options", [{}, {"n_layers": 3, "membership": "subspace"}, {"affine": False}])
def test_it_is_the_scaler_of_scikit_learn_before_the_classifier(options):
    X, y = WINE
    scaler = StandardScaler().fit(X[::2])
    apart = ReduNetClassifier(**options).fit(scaler.transform(X[::2]), y[::2])
    together = ReduNetClassifier(standardise=True, **options).fit(X[::2], y[::2])
    assert_allclose(together.distances(X), apart.distances(scaler.transform(X)), atol=1e-8)
    assert together.loo_score_ == apart.loo_score_


def test_weights_count_in_mean_and_scale():
    X, _ = WINE
    weights = np.arange(len(X)) % 3
    found = Standardiser.of(X, weights.astype(float))
    repeated = StandardScaler().fit(np.repeat(X, weights, axis=0))
    assert_allclose(found.mean, repeated.mean_)
    assert_allclose(found.scale, repeated.scale_)


def test_large_small_and_constant_columns():
    X = np.array([[1e200, 1e-200, 5.0], [3e200, 3e-200, 5.0]])
    scaled = Standardiser.of(X, np.ones(2))(X)
    assert_allclose(scaled, [[-1, -1, 0], [1, 1, 0]])


def test_evidence_standardises_where_scales_differ_and_says_so():
    X, y = WINE
    model = ReduNetClassifier(standardise="auto").fit(X[::2], y[::2])
    plain, standardised = model.scaling_scores_
    assert standardised > plain + 0.05
    assert model.network_.scaler is not None
    assert_array_equal(model.predict(X), ReduNetClassifier(standardise=True).fit(X[::2], y[::2]).predict(X))


def test_evidence_leaves_columns_as_they_are_where_that_is_better():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    noise = 0.01 * rng.standard_normal((80, 30))  # which would become as large as what tells the classes apart
    X = np.concatenate([3 * np.stack([y, 1 - y], axis=1) + rng.standard_normal((80, 2)), noise], axis=1)
    model = ReduNetClassifier(standardise="auto").fit(X, y)
    assert model.network_.scaler is None
    assert model.scaling_scores_[0] > model.scaling_scores_[1]


def test_the_estimate_is_without_the_luck_of_the_choice():
    rng = np.random.default_rng(1)
    gaps = []
    for _ in range(10):
        X, y = rng.standard_normal((40, 5)) * np.array([1, 1, 9, 9, 1]), np.arange(40) % 2  # nothing to learn
        model = ReduNetClassifier(standardise="auto").fit(X, y)
        gaps.append(model.loo_score_ - 0.5)
    assert np.mean(gaps) < 0.08


def test_it_is_stored_and_explained(tmp_path):
    X, y = WINE
    model = ReduNetClassifier(standardise="auto").fit(X[::2], y[::2])
    model.save(tmp_path / "m.redunet")
    loaded = redunet.load(tmp_path / "m.redunet")
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert_array_equal(loaded.scaling_scores_, model.scaling_scores_)
    why = model.explain(X[:5])
    assert_allclose(why.positions.sum(axis=1) + why.offset, why.difference, atol=1e-9)


def test_single_precision_and_more_features_than_samples():
    X, y = WINE
    wide = np.tile(X[::4], (1, 6)) * np.linspace(0.1, 100, 78)
    double = ReduNetClassifier(standardise=True).fit(wide, y[::4])
    assert double.network_.span is not None
    single = ReduNetClassifier(standardise=True).fit(wide.astype(np.float32), y[::4])
    assert np.mean(double.predict(wide) == single.predict(wide.astype(np.float32))) > 0.97


def test_moments_are_gathered_on_the_scale_of_the_first_call():
    X, y = WINE
    order = np.random.default_rng(0).permutation(len(X))
    X, y = X[order], y[order]
    model = ReduNetClassifier(construction="moments", standardise=True).partial_fit(X[:60], y[:60])
    scaler = model.network_.scaler
    model.partial_fit(X[60:], y[60:])
    assert model.network_.scaler is scaler
    assert model.score(X, y) > 0.95
    other = ReduNetClassifier(construction="moments", standardise=True).fit(X[60:], y[60:])
    with pytest.raises(InputError, match="cannot be merged"):
        model.merge(other)


def test_an_invariance_has_no_columns():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="standardise=True brings the columns of tables to one scale"):
        ReduNetClassifier("shift", standardise=True).fit(X, y)
    with pytest.raises(InputTypeError, match="standardise must be True or False, got 1 of type int"):
        ReduNetClassifier(standardise=1).fit(X, y)
    with pytest.raises(InputError, match="standardise must be 'auto', got 'yes'"):
        ReduNetClassifier(standardise="yes").fit(X, y)
    model = ReduNetClassifier("shift", standardise="auto").fit(np.tile(X, (1, 4)), y)
    assert model.network_.scaler is None
