"""Fits of every kind on small samples, and what they gave when they were recorded.

    python -m tests.recorded.fits amd    # records them, only when answers are meant to change; the changelog says so

A change of the code that is not meant to change an answer is compared with the record bit for bit, on the kinds of
processor and with the libraries that it was recorded with; others add up in another order. There is one record for each
kind of processor, ``fits-<kind>.npz``.
"""

import contextlib
import itertools
import platform
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

from redunet import Lift, NearestSubspaceClassifier, ReduNet, ReduNetClassifier
from redunet.numerics.membership import soft_membership

FOLDER = Path(__file__).parent
MEMBERSHIPS = ("softmax", "subspace", "code", "relu")


def machine() -> str:
    """Processor and libraries, which decide in what order sums are added up."""
    known = {"model name": platform.processor()}
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        known = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in reversed(lines))}
    # Processors of one name may be of different models.
    numbers = (known.get(key, "") for key in ("model name", "cpu family", "model", "stepping"))
    processor = " ".join(number for number in numbers if number)
    libraries = ("numpy", "scipy", "scikit-learn", "numba")
    return ", ".join([processor, *(f"{library} {version(library)}" for library in libraries)])


def samples_of(shape, n_classes=3, n_samples=30, seed=0):
    """Noisy samples around a pattern of each class, one class larger than the others."""
    rng = np.random.default_rng(seed)
    y = np.sort(np.minimum(np.arange(n_samples) % (n_classes + 1), n_classes - 1))
    patterns = rng.standard_normal((n_classes, *shape))
    return patterns[y] + 0.7 * rng.standard_normal((n_samples, *shape)), y


VECTORS, WIDE, SIGNALS = samples_of((7,)), samples_of((60,), n_samples=18), samples_of((3, 16))
ONE_CHANNEL, IMAGES, VOLUMES = samples_of((1, 20)), samples_of((3, 5, 6)), samples_of((2, 3, 4, 3), n_samples=16)
MANY_ROWS = samples_of((26, 8))  # 52 rows: the path through BLAS


def cases():
    """Name, unfitted estimator, (X, y), sample weights."""
    yield from _geometries()
    yield from _constructions()
    yield from _lifts()
    yield from _others()


def _geometries():
    """Every membership on every geometry, in both precisions, with layers and without."""
    kinds = {
        "vectors": (None, VECTORS),
        "wide": (None, WIDE),
        "shift": ("shift", SIGNALS),
        "rows": ("shift", MANY_ROWS),
        "translation": ("translation", IMAGES),
        "volumes": ("translation", VOLUMES),
    }
    for (name, (invariance, (X, y))), membership in itertools.product(kinds.items(), MEMBERSHIPS):
        for dtype, n_layers in itertools.product((np.float64, np.float32), (0, 4)):
            model = ReduNetClassifier(invariance, membership=membership, n_layers=n_layers, tol=None, sharpness=20.0)
            yield f"{name}/{membership}/{np.dtype(dtype)}/{n_layers}", model, (X.astype(dtype), y), None


def _constructions():
    """Steps, momentum, conventions, weights."""
    X, y = SIGNALS
    weights = np.random.default_rng(1).integers(1, 4, len(y)) / 2
    options = {
        "published": {"convention": "published", "eps": 0.5},
        "fixed": {"step_size": 0.02},
        "nesterov": {"momentum": "nesterov"},
        "momentum": {"momentum": 0.5, "step_size": 0.02},
        "tolerance": {"tol": 1e-2, "n_layers": 30},
        "sharp": {"sharpness": 200.0},
    }
    for (name, given), membership in itertools.product(options.items(), MEMBERSHIPS):
        model = ReduNetClassifier("shift", **{"n_layers": 5, "membership": membership, "tol": None} | given)
        yield f"{name}/{membership}", model, (X, y), None
        yield f"{name}/{membership}/weights", model, (X, y), weights
    for n_layers, membership in itertools.product(("auto", 3), ("auto", "code", "subspace")):
        yield (
            f"chosen/{membership}/{n_layers}",
            ReduNetClassifier("shift", n_layers=n_layers, membership=membership, sharpness="auto"),
            (X, y),
            weights,
        )


def _lifts():
    X, y = ONE_CHANNEL
    lifts = {
        "random": Lift("random", 6, 5, random_state=0),
        "relu": Lift("random", 6, (3, 7), "relu", quantile=0.4, random_state=1, pool=2),
        "patches": Lift("patches", 5, 5, random_state=0),
        "pca": Lift("pca", 4, 5, pad=4, random_state=0),
        "dictionary": Lift("dictionary", 4, 5, random_state=0),
        "stft": Lift("stft", 6, 9),
        "wavelet": Lift("wavelet", 6, 9, unit_scale=False),
        "own": Lift(np.eye(4), threshold="soft", level=0.2),
        "list": [Lift("random", 6, 5, random_state=0), Lift("wavelet", 6, 7)],
        "auto": "auto",
    }
    for (name, lift), dtype in itertools.product(lifts.items(), (np.float64, np.float32)):
        yield f"lift/{name}/{np.dtype(dtype)}", ReduNetClassifier("shift", lift=lift), (X.astype(dtype), y), None
    images = samples_of((12, 12), n_samples=24)
    yield (
        "lift/images",
        ReduNetClassifier("translation", lift=Lift("patches", 8, 5, pool=2, random_state=0)),
        images,
        None,
    )
    yield "lift/images auto", ReduNetClassifier("translation", lift="auto"), images, None


def _others():
    for membership, dtype in itertools.product(MEMBERSHIPS, (np.float64, np.float32)):
        X, y = SIGNALS
        net = ReduNet("shift", n_layers=3, membership=membership, rank=2, sharpness=20.0)
        yield f"features/{membership}/{np.dtype(dtype)}", net, (X.astype(dtype), y), None
    for affine, (name, (X, y)) in itertools.product((True, False), {"vectors": VECTORS, "wide": WIDE}.items()):
        yield f"features/{name}/{affine}", ReduNet(n_layers=3, affine=affine), (X, y), None
        yield f"nearest/{name}/{affine}", NearestSubspaceClassifier(affine=affine), (X, y), None
    yield "nearest/shift", NearestSubspaceClassifier(2, invariance="shift"), SIGNALS, None


def fitted(case):
    """What a fit gives: answers for its samples and for others, rates, evidence and what was chosen; name to array."""
    name, model, (X, y), weights = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, sample_weight=weights)
    others = np.roll(X[::-1], 1, axis=-1) + X
    found = {}
    if hasattr(model, "predict"):
        found["predictions"] = model.predict(others)
        distances = np.concatenate([model.distances(X), model.distances(others)])
        found["probabilities"] = soft_membership(distances.T, getattr(model, "sharpness_", 50.0))  # as of version 0.1
        found["evidence"] = np.concatenate([model.evidence_.choices, model.evidence_.scores, model.evidence_.margins])
        found["chosen"] = np.array([model.evidence_.best_score, model.rank_ or 0, getattr(model, "eps_", 0.0)])
    else:
        found["features"] = model.transform(others)
    if hasattr(model, "history_"):
        found["rates"] = np.stack([model.history_.coding_rate, model.history_.class_coding_rate])
    return {f"{name}:{key}": value for key, value in found.items()}


if __name__ == "__main__":
    recorded = {"machine": np.array(machine())}
    for one in cases():
        recorded |= fitted(one)
    np.savez_compressed(FOLDER / f"fits-{sys.argv[1]}.npz", **recorded)
