"""Compile all kernels ahead of the first fit: ``python -m redunet.compiled``.

The first fit on a machine waits for the compiler. Run this when a machine is set up, and it does not.
"""

import contextlib
import itertools
import warnings

import numpy as np

from . import Lift, PooledLift, ReduNet, ReduNetClassifier
from .inputs.errors import InputError, NoLayerWarning
from .measures.registry import MEASURES
from .network.network import FEW_CHANNELS


def compile_all() -> None:
    """Fit small networks of every kind: few and many channels, vectors and signals, single and double precision."""
    rng = np.random.default_rng(0)
    y = np.arange(16) % 2
    channels = (3, FEW_CHANNELS + 2)
    for dtype, n_channels in itertools.product((np.float32, np.float64), channels):
        shapes = (n_channels,), (1, 16), (1, 12, 12)
        vectors, signals, images = (rng.standard_normal((16, *shape)).astype(dtype) for shape in shapes)
        lift = Lift("random", n_channels, 3, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoLayerWarning)  # the samples are noise
            for step_size, momentum in ((0.1, None), ("auto", None), ("auto", "nesterov")):
                ReduNet(n_layers=2, step_size=step_size, momentum=momentum).fit(vectors, y).transform(vectors)
            for membership in MEASURES:
                with contextlib.suppress(InputError):  # not every measure takes signals
                    clf = ReduNetClassifier("shift", lift=lift, membership=membership, n_layers=2).fit(signals, y)
                    clf.predict(signals)
            for some_lift in (lift, PooledLift(2, 1)):
                ReduNetClassifier("shift", lift=some_lift).fit(signals, y).predict(signals)
            # Few directions, as many as those outside of them, and more than a class has samples.
            for rank in (1, n_channels // 2, min(n_channels - 1, len(y) // 2 + 1)):
                clf = ReduNetClassifier("translation", lift=lift, n_layers=0, rank=rank).fit(images, y)
                clf.predict(images)
                clf.predict(images[:1])
            for option in ("auto", Lift("random", n_channels, 11, pool=2, random_state=0)):
                clf = ReduNetClassifier("translation", lift=option, n_layers=0).fit(images, y)
                clf.predict(images)
                clf.predict(images[:1])
            large = rng.standard_normal((4, 1, 96, 96)).astype(dtype)
            lift = Lift("random", 48, 3, pool=6, random_state=0)
            ReduNetClassifier("translation", lift=lift, n_layers=0, rank=1).fit(large, y[:4])


if __name__ == "__main__":
    compile_all()
