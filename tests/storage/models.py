"""Small fitted models of every kind, which the tests of files share."""

import numpy as np

from redunet import (
    Lift,
    NearestSubspaceClassifier,
    PeakLift,
    PolarGrid,
    PooledLift,
    RateReductionClustering,
    ReduNet,
    ReduNetClassifier,
    RingLift,
)
from redunet.data.waves import sinusoids
from redunet.estimators.added_file import AddedFile
from redunet.estimators.training_history import TrainingHistory

X, CODES = sinusoids(12, 24, random_state=0)
NAMES = np.array(["sine", "square"])[CODES]
NOISY = X + 1.5 * np.random.default_rng(2).standard_normal(X.shape)
IMAGES = np.random.default_rng(0).standard_normal((24, 1, 6, 6)) + np.linspace(0, 2, 6)
BLURRED = (
    np.random.default_rng(3).standard_normal((24, 1, 6, 6)) + 0.4 * np.linspace(0, 2, 6) * CODES[:, None, None, None]
)
RINGS = np.stack([np.roll(NOISY, 3 * ring, axis=1) + X for ring in range(3)], axis=1)
WIDE = np.random.default_rng(1).standard_normal((12, 40))


def random(n_channels=4, **options):
    return Lift("random", n_channels, 5, random_state=0, **options)


def few_ring_filters():
    return RingLift(3, (2, 5), filters="random", random_state=0)


def models():
    """Name, fitted estimator, samples."""
    moments = ReduNetClassifier(n_layers=2, construction="moments", evidence_samples=8)
    moments.partial_fit(X, NAMES, classes=["noise", "sine", "square"])
    moments.added_files_ = (AddedFile("0123456789abcdef" * 4, len(X)),)
    trained = NearestSubspaceClassifier(2, affine=False).fit(X, NAMES)
    trained.training_history_ = TrainingHistory(("answer",), np.zeros(1), np.ones(2), np.ones(2), 5, 1)
    return {
        "signals": (ReduNetClassifier("shift", lift=random(pool=2), n_layers=0).fit(X, NAMES), X),
        "layers": (ReduNetClassifier("shift", lift=random(), n_layers=3, membership="softmax").fit(X, NAMES), X),
        "subspaces": (ReduNetClassifier("shift", lift=random(), n_layers=2, membership="subspace").fit(X, CODES), X),
        "codes": (ReduNetClassifier("shift", lift=random(pad=3), n_layers=2, membership="code").fit(X, CODES), X),
        "relu": (ReduNetClassifier("shift", lift=random(), n_layers=1, membership="relu").fit(X, CODES), X),
        "momentum": (
            ReduNetClassifier("shift", lift=random(), n_layers=3, momentum=0.5, membership="softmax").fit(X, CODES),
            X,
        ),
        "single": (
            ReduNetClassifier("shift", lift=random(), n_layers=2).fit(X.astype(np.float32), CODES > 0),
            X.astype(np.float32),
        ),
        "images": (
            ReduNetClassifier("translation", lift=[random(), random(3)], n_layers=1).fit(IMAGES, CODES),
            IMAGES,
        ),
        "aligned": (ReduNetClassifier("translation", lift=random(6), aligned=True).fit(BLURRED, CODES), BLURRED),
        "contrast": (ReduNetClassifier("translation", lift=random(6, contrast=1.5)).fit(BLURRED, CODES), BLURRED),
        "vectors": (ReduNetClassifier(n_layers=2, membership="softmax").fit(X, CODES), X),
        "standardised": (ReduNetClassifier(standardise=True).fit(X, CODES), X),
        "regression": (ReduNetClassifier(n_layers=2, membership="regression").fit(X, CODES), X),
        "kernel": (ReduNetClassifier(kernel="rbf", n_landmarks=8, n_layers=2).fit(X, NAMES), X),
        "unlabelled": (ReduNetClassifier(unlabelled="?").fit(X, np.where(np.arange(len(X)) % 3, NAMES, "?")), X),
        "moments": (moments, X),
        "pooled": (ReduNetClassifier("shift", lift=PooledLift(2, 1)).fit(X, NAMES), X),
        "both": (ReduNetClassifier("shift", lift=[PooledLift(2, 1), random(6)]).fit(NOISY, NAMES), NOISY),
        "counts": (PooledLift(2, 1, pad=3).fit(X), X),
        "wide": (ReduNetClassifier(n_layers=2, membership="softmax").fit(WIDE, np.arange(12) % 3), WIDE),
        "features": (ReduNet("shift", n_layers=2).fit(np.stack([X, X**2], axis=1), NAMES), np.stack([X, X**2], axis=1)),
        "without labels": (ReduNet(n_layers=2).fit(WIDE), WIDE),
        "nearest": (NearestSubspaceClassifier(2, affine=False).fit(X, NAMES), X),
        "trained": (trained, X),
        "clusters": (RateReductionClustering(3).fit(X), X),
        "clusters of a kernel": (RateReductionClustering(2, kernel="rbf", n_layers=1).fit(X), X),
        "clusters of signals": (RateReductionClustering(2, invariance="shift", lift=random()).fit(X), X),
        "lift": (random(3, pad=1).fit(X), X),
        "rings": (PolarGrid(2, 8).fit(IMAGES[:, 0]), IMAGES[:, 0]),
        "on rings": (
            ReduNetClassifier("shift", lift=[PeakLift(12, random_state=0), few_ring_filters()]).fit(RINGS, NAMES),
            RINGS,
        ),
        "ring filters": (few_ring_filters().fit(RINGS), RINGS),
        "peaks": (PeakLift(6, (2, 5), random_state=0).fit(RINGS), RINGS),
    }


def said(model, samples):
    """What a model gives for samples."""
    return model.predict_proba(samples) if hasattr(model, "predict_proba") else model.transform(samples)
