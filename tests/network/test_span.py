"""Coordinates in the span of the training vectors."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from redunet import ReduNetClassifier
from redunet.network.span import SampleSpan, Span


def test_coordinates_in_one_pass_are_those_of_two():
    rng = np.random.default_rng(0)
    training, new = rng.standard_normal((1, 300, 40)), rng.standard_normal((1, 300, 150))
    span = Span.of(training)
    exact, _ = span.coordinates(new)
    assert_allclose(span.inner_coordinates(new), exact, atol=1e-12)
    inside, _ = span.coordinates(training)
    assert_allclose(span.inner_coordinates(training), inside, atol=1e-6)


def test_a_span_from_inner_products_is_that_of_the_vectors():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((40, 3000)).astype(np.float32)
    vectors[7] = vectors[3]  # a vector that is there twice adds no direction
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    span = SampleSpan(vectors)
    assert span.n_directions == 39
    coordinates = span.training_coordinates[0].astype(float)
    assert_allclose(coordinates.T @ coordinates, vectors @ vectors.T, atol=1e-5)
    assert_allclose(span.basis.T @ span.basis, np.eye(39), atol=1e-5)
    assert_allclose(span.last_feature, span.basis[-1], atol=1e-6)
    new = rng.standard_normal((5, 3000)).astype(np.float32)
    inside = span.inner_coordinates(new.T[None])[0]
    reduced = np.append(rng.standard_normal((2, 39)), np.zeros((2, 1)), axis=1)
    assert_allclose(span.functionals(reduced) @ new.T, reduced @ inside, atol=1e-4)


def test_a_linear_answer_of_vectors_is_that_of_the_span():
    """The same regression, once of vectors, once of their coordinates in the span of the training vectors."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.standard_normal((60, 50)).cumsum(axis=1) + 4 * np.sin(np.arange(50) * (1 + y[:, None]) / 8)
    clf = ReduNetClassifier("shift", lift="pooled", eps=1.0).fit(X, y)
    assert clf.network_.span is None
    # A layer that moves nothing keeps the span.
    in_span = ReduNetClassifier("shift", lift="pooled", eps=1.0, n_layers=1, step_size=1e-12, tol=None).fit(X, y)
    assert in_span.network_.span is not None
    assert_allclose(in_span.distances(X), clf.distances(X), atol=2e-5)


def test_many_samples_are_answered_in_the_span_of_some(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = rng.standard_normal((120, 30)) + 2 * np.sin(np.arange(30) * (1 + y[:, None]) / 3)
    few = ReduNetClassifier("shift", lift="pooled").fit(X, y)
    monkeypatch.setattr("redunet.network.network.MOST_SPANNING_VECTORS", 40)
    monkeypatch.setattr("redunet.lift.pooled_lift.MOST_SIGNALS_COUNTED", 50)
    many = ReduNetClassifier("shift", lift="pooled").fit(X, y)
    assert many.network_.span is None
    assert np.mean(many.predict(X) == few.predict(X)) > 0.9
    assert_array_equal(many.predict_proba(np.roll(X, 4, axis=1)), many.predict_proba(X))
