"""Compiling ahead: what the first fit would wait for."""

import subprocess
import sys

FITS = """
import numpy as np
from redunet import Lift, ReduNetClassifier
from redunet.compiled import compile_all
from redunet.fast import kernels

def known():
    every = vars(kernels).items()
    return {(name, types) for name, kernel in every for types in getattr(kernel, "signatures", ())}

assert not known()
compile_all()
ahead = known()
rng, y = np.random.default_rng(0), np.arange(20) % 2
X = rng.standard_normal((20, 30))
ReduNetClassifier("shift", lift=Lift("random", 5, 7, random_state=0), n_layers=3, sharpness=500.0).fit(X, y)
for dtype in (np.float32, np.float64):
    for shape in ((15, 14), (3, 13, 16)):
        X = rng.standard_normal((20, *shape)).astype(dtype)
        clf = ReduNetClassifier("translation").fit(X, y)
        clf.predict(X), clf.predict(X[:1])
assert len(ahead) > 50
print(*sorted(map(str, known() - ahead)), sep="\\n")
"""


def test_a_fit_has_nothing_left_to_compile():
    """Of what is compiled for other types of arguments than ahead there is nothing, whatever the cache holds."""
    done = subprocess.run([sys.executable, "-c", FITS], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == ""
