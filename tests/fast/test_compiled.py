"""Compiling ahead: what the first fit would wait for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import redunet

FIT = """
import numpy as np
from redunet import Lift, ReduNetClassifier
from redunet.fast import kernels
X, y = np.random.default_rng(0).standard_normal((20, 30)), np.arange(20) % 2
ReduNetClassifier("shift", lift=Lift("random", 5, 7, random_state=0), n_layers=3, sharpness=500.0).fit(X, y)
images = np.random.default_rng(1).standard_normal((20, 15, 14)).astype(np.float32)
clf = ReduNetClassifier("translation").fit(images, y)
clf.predict(images), clf.predict(images[:1])
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in vars(kernels).values() if hasattr(kernel, "stats")))
"""


def test_a_fit_has_nothing_left_to_compile(tmp_path):
    shutil.copytree(Path(redunet.__file__).parent, tmp_path / "redunet", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    environment["PYTHONPATH"] = str(tmp_path)
    subprocess.run([sys.executable, "-m", "redunet.compiled"], env=environment, cwd=tmp_path, check=True)
    done = subprocess.run([sys.executable, "-c", FIT], env=environment, cwd=tmp_path, check=True, capture_output=True)
    assert done.stdout.decode().strip() == "0"
    assert list(tmp_path.glob("redunet/fast/kernels/__pycache__/*.nbc"))
