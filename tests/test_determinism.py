"""Two fits give the same bits, whatever the number of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest

SCRIPT = """
import hashlib
import numpy as np
from redunet import Lift, ReduNetClassifier

rng = np.random.default_rng(0)
digest = hashlib.sha256()
for invariance, shape in [(None, (300,)), ("shift", (12, 50)), ("translation", (6, 9, 8)), (None, (900,))]:
    y = np.arange(600) % 3
    X = rng.standard_normal((3, *shape))[y] + rng.standard_normal((600, *shape))
    for dtype in (np.float64, np.float32):
        clf = ReduNetClassifier(invariance, n_layers=3).fit(X.astype(dtype), y)
        digest.update(clf.network_.layers[-1].compression.tobytes())
        digest.update(clf.history_.rate_reduction.tobytes())
        digest.update(clf.predict_proba(X.astype(dtype)).tobytes())
X, y = rng.standard_normal((120, 20, 20)), np.arange(120) % 3
for filters in ("patches", "pca", "dictionary", "random"):
    clf = ReduNetClassifier("translation", lift=Lift(filters, 12, 5, pool=2, random_state=0)).fit(X, y)
    digest.update(clf.lift_.filters_[0].tobytes())
    digest.update(clf.predict_proba(X).tobytes())
X = rng.standard_normal((150, 70)).cumsum(axis=1) + 3 * np.sin(np.arange(70) * (1 + np.arange(150)[:, None] % 3) / 9)
clf = ReduNetClassifier("shift").fit(X, np.arange(150) % 3)
assert clf.further_answers_
digest.update(clf.predict_proba(X).tobytes())
print(digest.hexdigest())
"""


def digest(threads: int) -> str:
    names = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"]
    environment = os.environ | dict.fromkeys(names, str(threads))
    run = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_two_fits_give_the_same_bits_with_one_and_with_two_threads():
    one, again, two = digest(1), digest(1), digest(2)
    assert len(one) == 64
    assert again == one
    assert two == one


@pytest.mark.parametrize("seed", [0, 1])
def test_no_random_state_is_touched(seed):
    from redunet import ReduNetClassifier

    np.random.seed(seed)  # noqa: NPY002 - the global state is what must stay untouched
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    X = np.arange(24.0).reshape(8, 3)
    ReduNetClassifier(n_layers=2).fit(X, [0, 1] * 4).predict(X)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
