"""The regression on the labels: against least squares written out, and against leaving samples out by hand."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import shuffle

import redunet
from redunet import ReduNet, ReduNetClassifier
from redunet.evidence.leave_one_out import leave_one_out
from redunet.evidence.training_set import TrainingSet
from redunet.inputs.labels import Labels
from redunet.measures.left_out import Choices, ClassView
from redunet.measures.measure import MeasureOptions
from redunet.measures.regression import LabelRegression
from redunet.network.geometry import Geometry
from redunet.network.network import Network


def training_set(n_features=6, n_samples=24, *, weighted=False, seed=0):
    """A training set of three classes, and its labels; in a span where there are more features than samples."""
    rng = np.random.default_rng(seed)
    codes = np.sort(np.arange(n_samples) % 3)
    X = rng.standard_normal((3, n_features))[codes] + rng.standard_normal((n_samples, n_features))
    weights = rng.integers(1, 4, n_samples).astype(float) if weighted else np.ones(n_samples)
    network = Network.entrance(Geometry((n_features,), offset=2.0), X)
    return TrainingSet(network, X, Labels.of(np.arange(3), codes), weights), codes, weights


def least_squares(V, constant, codes, weights, ridge):
    """Coefficients by the normal equations, written out; the target of class j is u where a sample is of class j."""
    coefficients = []
    for j in range(3):
        moment, target = ridge * np.eye(len(V)), np.zeros(len(V))
        for v, u, code, weight in zip(V.T, constant, codes, weights, strict=True):
            moment += weight * np.outer(v, v)
            target += weight * v * u * (code == j)
        coefficients.append(np.linalg.solve(moment, target))
    return np.array(coefficients)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_features", [6, 60])
@pytest.mark.parametrize("eps", [0.1, 1.0])
def test_it_is_the_ridge_regression_of_the_labels(n_features, weighted, eps):
    training, codes, weights = training_set(n_features, weighted=weighted)
    measure = LabelRegression.of_moments(training.moments, MeasureOptions(eps))
    V = training.some.V[0]
    constant = training.moments.space.constant @ V
    expected = least_squares(V, constant, codes, weights, 1 / training.moments.alpha(eps))
    assert_allclose(measure.coefficients[:, 0], expected, atol=1e-9 * np.abs(expected).max())
    assert_allclose(measure.residuals(V[None]), 1 - expected @ V, atol=1e-9)
    assert measure.distances(V[None]).shape == (24, 3)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_features", [6, 60])
def test_leave_one_out_is_what_leaving_out_by_hand_gives(n_features, weighted):
    """Moments without a sample, once, give the distances that leave-one-out says, whatever its weight."""
    training, codes, _ = training_set(n_features, weighted=weighted)
    samples, eps = training.some, (0.05, 0.3, 2.0)
    question = LabelRegression.left_out(samples, Choices(None, eps))
    eigenvalues, vectors = samples.moments.eigensystem(0)
    found = np.stack(
        [question.distances(ClassView(samples, j, slice(0, 24), eigenvalues, vectors)) for j in range(3)], axis=1
    )
    for i in range(24):
        v, j = samples.V[0][:, i], codes[i]
        M, class_weight = samples.moments.M.copy(), samples.moments.class_weight.copy()
        M[j, 0] -= np.outer(v, v)
        class_weight[j] -= 1
        rest = replace(samples.moments, M=M, class_weight=class_weight)
        for one, of_eps in zip(eps, found, strict=True):
            without = LabelRegression.of_moments(rest, MeasureOptions(one)).residuals(samples.V[:, :, [i]])
            assert_allclose(of_eps[:, i], without[:, 0], atol=1e-8)


def test_the_evidence_is_that_of_the_distances():
    training, _, _ = training_set()
    [answers] = leave_one_out(training.some, [LabelRegression.left_out(training.some, Choices(None, (0.1, 1.0)))])
    evidence = answers.evidence()
    assert evidence.choices == (0.1, 1.0)
    assert ((evidence.scores >= 0) & (evidence.scores <= 1)).all()


def test_it_classifies_what_a_linear_model_can():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), ReduNetClassifier(membership="regression"))
    assert cross_val_score(model, X, y, cv=5).mean() > 0.95
    X, y = shuffle(*load_digits(return_X_y=True), random_state=0)
    clf = ReduNetClassifier(membership="regression", n_layers=0).fit(X[:600], y[:600])
    assert clf.score(X[600:], y[600:]) > 0.85
    assert abs(clf.loo_score_ - clf.score(X[600:], y[600:])) < 0.05
    assert clf.rank_ is None


def test_layers_that_guess_by_it_raise_the_rate_reduction_and_are_stored(tmp_path):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    net = ReduNet(n_layers=5, membership="regression", tol=None).fit(X, y)
    assert net.n_layers_ == 5
    assert (np.diff(net.history_.rate_reduction) >= 0).all()
    clf = ReduNetClassifier(n_layers=3, membership="regression", tol=None).fit(X, y)
    clf.save(tmp_path / "model.redunet")
    assert_array_equal(redunet.load(tmp_path / "model.redunet").predict_proba(X), clf.predict_proba(X))
    assert_array_equal(redunet.load(tmp_path / "model.redunet").network_.features(X), clf.network_.features(X))


@pytest.mark.parametrize("model", [ReduNet, ReduNetClassifier])
def test_it_takes_vectors_with_a_constant_coordinate(model):
    X, y = np.random.default_rng(0).standard_normal((12, 3, 8)), np.arange(12) % 2
    with pytest.raises(ValueError, match=r"membership='regression' takes plain vectors with a constant coordinate"):
        model("shift", membership="regression").fit(X, y)
    with pytest.raises(ValueError, match=r"pass invariance=None and affine=True, or another membership"):
        model(membership="regression", affine=False).fit(X[:, 0], y)
