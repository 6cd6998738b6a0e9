"""What is given stays, what is "auto" is chosen by evidence, and in the same way every time."""

import numpy as np
from numpy.testing import assert_array_equal

from redunet import ReduNetClassifier
from tests.reference.leave_one_out import waves


def test_what_is_given_stays_and_what_is_auto_is_chosen():
    X, y = waves(m=80)
    clf = ReduNetClassifier("shift", membership="subspace", rank=1, eps=0.5, sharpness=30.0, n_layers=3, tol=None)
    clf.fit(X, y)
    assert (clf.membership_, clf.rank_, clf.eps_, clf.sharpness_) == ("subspace", 1, 0.5, 30.0)
    assert clf.n_layers_ <= 3
    chosen = ReduNetClassifier("shift", membership="code", eps="auto", sharpness="auto").fit(X, y)
    assert chosen.eps_ in chosen.evidence_.choices
    assert chosen.rank_ is None
    assert chosen.sharpness_ in (20.0, 50.0, 200.0)
    assert_array_equal(chosen.predict(np.roll(X, 5, axis=-1)), chosen.predict(X))


def test_choices_are_the_same_every_time():
    X, y = waves(m=60)
    X = X[:, 0]
    first, again = (ReduNetClassifier("shift", lift="auto").fit(X, y) for _ in range(2))
    assert_array_equal(first.decision_function(X), again.decision_function(X))
    assert first.lift_.get_params() == again.lift_.get_params()
