"""Small models of every kind that can be exported, each fitted when it is asked for."""

from functools import partial

import numpy as np

from redunet import Lift, NearestSubspaceClassifier, PolarGrid, PooledLift, ReduNet, ReduNetClassifier
from redunet.data.waves import sinusoids
from redunet.lift.banks import BANKS
from redunet.lift.thresholds import THRESHOLDS
from redunet.measures.registry import MEASURES

RNG = np.random.default_rng(0)
SIGNALS, CODES = sinusoids(10, 24, random_state=0)
SIGNALS = SIGNALS + 0.7 * RNG.standard_normal(SIGNALS.shape)
NAMES = np.array(["sine", "square"])[CODES]
ODD_SIGNALS = SIGNALS[:, :21]
CHANNELS = np.stack([SIGNALS, SIGNALS**2 - 1, np.roll(SIGNALS, 3, axis=1) * SIGNALS], axis=1)
THREE = np.arange(len(SIGNALS)) % 3
# Three kinds of images: bars along either axis, and noise.
IMAGES = (
    RNG.standard_normal((24, 2, 8, 7))
    + 2
    * np.stack([np.eye(8)[:, [1]] * np.ones(7), np.ones((8, 1)) * np.eye(7)[2], np.zeros((8, 7))])[
        np.arange(24) % 3, None
    ]
)
KINDS = np.arange(24) % 3
VOLUMES = RNG.standard_normal((12, 2, 4, 3, 5)) * np.linspace(1, 2, 12)[:, None, None, None, None]
VOLUMES[::2, 1] += VOLUMES[::2, 0]
TABLE = RNG.standard_normal((36, 5)) + 1.5 * np.eye(5)[np.arange(36) % 3]
ROWS = np.arange(36) % 3
WIDE = RNG.standard_normal((18, 60)) + 1.2 * RNG.standard_normal((3, 60))[np.arange(18) % 3]
FEW = np.arange(18) % 3

# Layers of every kind of membership: fixed steps, so that none stops before.
LAYERS = {"n_layers": 3, "tol": None, "eps": 0.5, "step_size": 0.05}


def random(n_channels=6, kernel=5, **options):
    return Lift("random", n_channels, kernel, random_state=0, **options)


def filters(name, axes=1, **options):
    return Lift(name, 4, 5 if axes == 1 else 3, random_state=0, **options)


def classifier(X, y, *words, **options):
    return ReduNetClassifier(*words, **options).fit(X, y), X


def nearest(X, y, **options):
    return NearestSubspaceClassifier(**options).fit(X, y), X


def network(X, y, *words, **options):
    return ReduNet(*words, **options).fit(X, y), X


def of_moments(X, y, *words, classes, **options):
    model = ReduNetClassifier(*words, construction="moments", evidence_samples=20, **options)
    return model.partial_fit(X, y, classes=classes), X


def of_rings():
    """What comes before the model is done by the user."""
    X = PolarGrid(4, 12).fit_transform(IMAGES[:, 0, :7])
    return classifier(X, KINDS, "shift", lift="none", n_layers=0)


CLASSIFIERS = {
    # plain vectors
    "table": partial(classifier, TABLE, ROWS),
    "table without a constant coordinate": partial(classifier, TABLE, ROWS, affine=False),
    "table with a constant coordinate of its own": partial(classifier, TABLE, ROWS, affine=0.5),
    "standardised": partial(classifier, TABLE * [1, 100, 1e-3, 1, 1] + 50, ROWS, standardise=True),
    "regression": partial(classifier, TABLE, ROWS, membership="regression"),
    "codes": partial(classifier, TABLE, ROWS, membership="code"),
    "wide": partial(classifier, WIDE, FEW),
    "wide codes": partial(classifier, WIDE, FEW, membership="code"),
    "wide regression": partial(classifier, WIDE, FEW, membership="regression"),
    "balanced": partial(classifier, TABLE, ROWS > 0, class_weight="balanced"),
    "weighted classes": partial(classifier, TABLE, ROWS, class_weight={0: 3.0, 1: 0.5}, membership="code"),
    "moments": partial(of_moments, TABLE, ROWS, classes=[0, 1, 2]),
    "moments with layers": partial(of_moments, TABLE, ROWS, classes=[0, 1, 2], n_layers=3),
    "a class without samples": partial(of_moments, TABLE, ROWS + 1, classes=[0, 1, 2, 3, 9], n_layers=2),
    "nearest": partial(nearest, TABLE, ROWS),
    "nearest with a sharpness": partial(nearest, TABLE, ROWS, sharpness=20.0, affine=False),
    # signals
    "channels": partial(classifier, CHANNELS, NAMES, "shift"),
    "channels, published": partial(classifier, CHANNELS, NAMES, "shift", convention="published", n_layers=4),
    "odd length": partial(classifier, ODD_SIGNALS, NAMES, "shift", lift=random(), n_layers=2),
    "pool": partial(classifier, SIGNALS, NAMES, "shift", lift=random(pool=2)),
    "pool of an odd length": partial(classifier, ODD_SIGNALS, NAMES, "shift", lift=random(pool=1.5)),
    "pad": partial(classifier, SIGNALS, NAMES, "shift", lift=random(pad=5, pool=2)),
    "loud and quiet": partial(classifier, SIGNALS, NAMES, "shift", lift=random(unit_scale=False)),
    "contrast": partial(classifier, CHANNELS, NAMES, "shift", lift=random(contrast=3.0, pad=4)),
    "contrast, loud and quiet": partial(
        classifier, SIGNALS, NAMES, "shift", lift=random(contrast=50.0, unit_scale=False)
    ),
    "contrast of images": partial(classifier, IMAGES, KINDS, "translation", lift=random(4, 3, contrast=1.2, pool=2)),
    "contrast of volumes": partial(
        classifier, VOLUMES, np.arange(12) % 2, "translation", lift=random(4, 3, contrast=1.0)
    ),
    "several kernels": partial(classifier, CHANNELS, NAMES, "shift", lift=random(7, (4, 7, 24))),
    "own filters": partial(classifier, SIGNALS, NAMES, "shift", lift=Lift(RNG.standard_normal((5, 1, 6)))),
    "nearest signals": partial(nearest, CHANNELS, NAMES, invariance="shift"),
    "single precision": partial(classifier, CHANNELS.astype(np.float32), NAMES, "shift", n_layers=3),
    "flat channels": partial(classifier, CHANNELS.reshape(20, -1), NAMES, "shift", sample_shape=(3, 24)),
    # pooled over the circle
    "pooled": partial(classifier, SIGNALS, NAMES, "shift", lift=PooledLift(3, 2)),
    "pooled channels": partial(classifier, CHANNELS, THREE, "shift", lift=PooledLift(2, 2)),
    "pooled, padded, no difference": partial(
        classifier, ODD_SIGNALS, THREE, "shift", lift=PooledLift(2, 1, pad=7, difference=False)
    ),
    "pooled subspaces": partial(
        classifier, SIGNALS, NAMES, "shift", lift=PooledLift(2, 1), membership="subspace", rank=2
    ),
    "pooled with layers": partial(
        classifier, SIGNALS, NAMES, "shift", lift=PooledLift(2, 1), membership="softmax", **LAYERS
    ),
    "two answers": partial(classifier, SIGNALS, NAMES, "shift", lift="auto"),
    # images and volumes
    "images": partial(classifier, IMAGES, KINDS, "translation", lift="none"),
    "flat images": partial(
        classifier, IMAGES.reshape(24, -1), KINDS, "translation", lift=random(4, 3), sample_shape=(2, 8, 7)
    ),
    "images, layers": partial(classifier, IMAGES, KINDS, "translation", lift=random(5, 3, pool=1.5), n_layers=3),
    "images, padded": partial(classifier, IMAGES, KINDS, "translation", lift=random(5, (2, 3), pad=(1, 2), pool=2)),
    "volumes": partial(classifier, VOLUMES, np.arange(12) % 2, "translation", lift="none", n_layers=2),
    "lifted volumes": partial(classifier, VOLUMES, np.arange(12) % 2, "translation", lift=random(4, 3, pool=1.5)),
    "rings": of_rings,
}
for _name in MEASURES:
    _vectors = {"membership": _name, "rank": 2, **LAYERS}
    CLASSIFIERS[f"{_name} layers of vectors"] = partial(classifier, TABLE, ROWS, **_vectors)
    CLASSIFIERS[f"{_name} layers of wide vectors"] = partial(classifier, WIDE, FEW, **_vectors)
    CLASSIFIERS[f"{_name} layers with momentum"] = partial(classifier, TABLE, ROWS, momentum="nesterov", **_vectors)
    if _name != "regression":  # which is for vectors alone
        CLASSIFIERS[f"{_name} layers of signals"] = partial(classifier, CHANNELS, NAMES, "shift", **_vectors)
        CLASSIFIERS[f"{_name} layers of odd signals"] = partial(
            classifier, CHANNELS[:, :, :15], NAMES, "shift", convention="published", momentum=0.4, **_vectors
        )
        CLASSIFIERS[f"{_name} layers of images"] = partial(
            classifier, IMAGES, KINDS, "translation", lift=random(4, 3), **_vectors
        )
        CLASSIFIERS[f"{_name} layers of volumes"] = partial(
            classifier, VOLUMES, np.arange(12) % 2, "translation", lift="none", **{**_vectors, "rank": 1}
        )
for _name, _bank in BANKS.items():
    CLASSIFIERS[f"{_name} filters"] = partial(classifier, SIGNALS, NAMES, "shift", lift=filters(_name))
    if _bank.max_axes is None or _bank.max_axes > 1:
        CLASSIFIERS[f"{_name} filters of images"] = partial(
            classifier, IMAGES, KINDS, "translation", lift=filters(_name, 2)
        )
for _name in THRESHOLDS:
    CLASSIFIERS[f"{_name} threshold"] = partial(
        classifier, CHANNELS, NAMES, "shift", lift=random(threshold=_name), rank=1
    )

TRANSFORMERS = {
    "vectors": partial(network, TABLE, ROWS, n_layers=5),
    "vectors without a constant coordinate": partial(network, TABLE, ROWS, affine=False, n_layers=3),
    "wide vectors": partial(network, WIDE, FEW, n_layers=5),
    "signals": partial(network, CHANNELS, NAMES, "shift", n_layers=5),
    "one channel": partial(network, SIGNALS, NAMES, "shift", n_layers=2),
    "flat signals": partial(network, CHANNELS.reshape(20, -1), NAMES, "shift", sample_shape=(3, 24), n_layers=2),
    "published": partial(network, CHANNELS[:, :, :15], NAMES, "shift", convention="published", n_layers=3),
    "images": partial(network, IMAGES, KINDS, "translation", n_layers=3),
    "volumes": partial(network, VOLUMES, np.arange(12) % 2, "translation", n_layers=3),
    "moments": partial(network, TABLE, ROWS, construction="moments", n_layers=3),
    "momentum": partial(network, TABLE, ROWS, momentum=0.5, n_layers=4),
}


def new_samples(X):
    """Samples like those of a fit, at other places, and of other loudness."""
    moved = X + 0.3 * np.random.default_rng(5).standard_normal(X.shape)
    return (moved * 1.7).astype(X.dtype)
