"""Coordinates in the span of the training vectors."""

import numpy as np
from numpy.testing import assert_allclose

from redunet.network.geometry import Span


def test_coordinates_in_one_pass_are_those_of_two():
    rng = np.random.default_rng(0)
    training, new = rng.standard_normal((1, 300, 40)), rng.standard_normal((1, 300, 150))
    span = Span.of(training)
    exact, _ = span.coordinates(new)
    assert_allclose(span.inner_coordinates(new), exact, atol=1e-12)
    inside, _ = span.coordinates(training)
    assert_allclose(span.inner_coordinates(training), inside, atol=1e-6)
