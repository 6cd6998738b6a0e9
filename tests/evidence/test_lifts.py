"""The lift of a list that the evidence is best for, and the short list behind "auto"."""

import numpy as np

from redunet import Lift, ReduNetClassifier
from redunet.evidence.lifts import candidate_lifts


def test_of_a_list_of_lifts_the_better_one_is_taken():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    t = 2 * np.pi * (np.arange(48) / 48 + rng.uniform(size=(60, 1)))
    X = np.where(y[:, None] == 1, np.sign(np.sin(t)), np.sin(t)) + 0.3 * rng.standard_normal((60, 48))
    deaf = Lift([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], level=1e-3)  # nearly copies of the signal
    good = Lift("random", 16, 9, random_state=0)
    clf = ReduNetClassifier("shift", lift=[deaf, good]).fit(X[:30], y[:30])
    assert clf.lift_.filters == "random"
    assert clf.score(X[30:], y[30:]) > 0.9
    assert not hasattr(good, "bank_")  # the lift that was given stays as it was


def test_the_short_list_fits_small_and_large_samples():
    for grid in [(3,), (24,), (150,), (5, 7), (28, 28)]:
        lifts = list(candidate_lifts(grid, 0))
        assert len(lifts) == (1 if len(grid) == 1 else len({lift.kernel_size for lift in lifts}) * 2)
        assert all(np.max(lift.kernel_size) <= min(grid) for lift in lifts)
