"""Fitted models of every geometry, lift, measure and option, each with samples that it has not seen.

They are fitted when a test asks for them, once.
"""

from functools import cache, partial

import numpy as np

from redunet import Lift, NearestSubspaceClassifier, PooledLift, ReduNet, ReduNetClassifier
from redunet.data.waves import sinusoids
from redunet.estimators.further_answer import FurtherAnswer
from tests.storage.models import IMAGES, NOISY, WIDE, models

RNG = np.random.default_rng(7)
CODES = np.arange(24) % 3
SIGNALS = RNG.standard_normal((3, 3, 14))[CODES] + 0.6 * RNG.standard_normal((24, 3, 14))
ODD_SIGNALS = SIGNALS[:, :, :13]
PICTURES = RNG.standard_normal((3, 3, 6, 4))[CODES] + 0.6 * RNG.standard_normal((24, 3, 6, 4))
ODD_PICTURES = PICTURES[:, :, :5, :3]
VOLUMES = RNG.standard_normal((3, 2, 4, 3, 4))[CODES] + 0.6 * RNG.standard_normal((24, 2, 4, 3, 4))
VECTORS = RNG.standard_normal((3, 7))[CODES] + 0.6 * RNG.standard_normal((24, 7))
WIDE_CODES = np.arange(12) % 3
ONE_CHANNEL, WAVES = sinusoids(12, 40, random_state=3)
GUESSES = ("softmax", "subspace", "code", "relu")
# Models that the tests of files fit, all but the lifts among them.
STORED = (
    *("signals", "layers", "subspaces", "codes", "relu", "momentum", "single", "images", "vectors", "standardised"),
    *("regression", "moments", "pooled", "both", "wide", "features", "nearest"),
)


def seen(estimator, samples, codes=CODES):
    """A fitted estimator, and samples like those it has seen."""
    noise = 0.3 * np.random.default_rng(1).standard_normal(samples.shape)
    return estimator.fit(samples, codes), (samples + noise).astype(samples.dtype)


def layers(invariance, samples, membership, codes=CODES, **options):
    """A classifier with three layers, whatever they do to the coding rates."""
    options = {"n_layers": 3, "step_size": 0.2, "tol": None, "membership": membership} | options
    model, new = seen(ReduNetClassifier(invariance, **options), samples, codes)
    assert model.n_layers_ == 3
    return model, new


def lifted(samples, codes=CODES, **options):
    """A classifier by subspaces without layers, with a lift of a few filters."""
    options = {"filters": "random", "n_channels": 5, "kernel_size": 3, "random_state": 0} | options
    invariance = "shift" if samples.ndim < 4 else "translation"
    return seen(ReduNetClassifier(invariance, lift=Lift(**options), n_layers=0, rank=2), samples, codes)


def two_answers():
    """A classifier with two answers that both count, and a signal among the new ones that no filter responds to."""
    model, new = seen(SHIFT(lift=PooledLift(2, 1)), NOISY, WAVES)
    filters, _ = lifted(NOISY, WAVES, n_channels=6, zero_mean=True)
    model.answer_weight_ = 0.6
    model.further_answers_ = (FurtherAnswer(filters.network_, filters.answers_, 0.4),)
    return model, np.concatenate([new, np.ones((1, new.shape[1]))])


def few_directions():
    """Subspaces of rank 4 in 6 channels, where one of the classes has two samples, hence two directions."""
    rng = np.random.default_rng(4)
    codes = np.repeat([0, 1], [2, 8])
    return seen(NearestSubspaceClassifier(4, invariance="shift"), rng.standard_normal((10, 6, 5)), codes)


def unequal_lengths():
    """A classifier of signals of unequal lengths; new ones have NaN after their end."""
    lengths = np.random.default_rng(3).integers(20, 41, len(ONE_CHANNEL))
    signals = [signal[:length] for signal, length in zip(ONE_CHANNEL, lengths, strict=True)]
    new = np.full((4, 1, 50), np.nan)
    for i, length in enumerate((50, 17, 33, 40)):
        new[i, 0, :length] = np.sin(np.arange(length) * (i + 1) / 5)
    return SHIFT(lift=PooledLift(2, 1)).fit(signals, WAVES), new


stored_models = cache(models)
SMALL_LIFT = Lift("random", 4, 5, random_state=0, pool=2)
SHIFT = partial(ReduNetClassifier, "shift")
RECIPES = {
    **{f"stored {name}": lambda name=name: stored_models()[name] for name in STORED},
    **{f"signals {guess}": partial(layers, "shift", SIGNALS, guess) for guess in GUESSES},
    **{f"odd signals {guess}": partial(layers, "shift", ODD_SIGNALS, guess) for guess in GUESSES},
    **{f"pictures {guess}": partial(layers, "translation", PICTURES, guess) for guess in GUESSES},
    **{f"odd pictures {guess}": partial(layers, "translation", ODD_PICTURES, guess) for guess in GUESSES},
    **{f"volumes {guess}": partial(layers, "translation", VOLUMES, guess, rank=1) for guess in GUESSES},
    **{f"vectors {guess}": partial(layers, None, VECTORS, guess) for guess in (*GUESSES, "regression")},
    **{f"wide {guess}": partial(layers, None, WIDE, guess, WIDE_CODES) for guess in (*GUESSES, "regression")},
    **{
        f"signals lifted by {bank}": partial(lifted, ONE_CHANNEL, WAVES, filters=bank, kernel_size=7)
        for bank in ("patches", "pca", "dictionary", "random", "stft", "wavelet")
    },
    **{
        f"images lifted by {bank}": partial(lifted, IMAGES, filters=bank)
        for bank in ("patches", "pca", "dictionary", "random", "wavelet")
    },
    **{f"threshold {one}": partial(lifted, SIGNALS, threshold=one) for one in ("soft", "relu", "none")},
    **{f"signals, pool {pool}": partial(lifted, SIGNALS, pool=pool) for pool in (1.5, 2, 3)},
    **{f"images, pool {pool}": partial(lifted, IMAGES, pool=pool) for pool in (1.5, 2, 3)},
    "volumes, pool": partial(lifted, VOLUMES, pool=1.5),
    "volumes lifted": partial(lifted, VOLUMES, filters="patches"),
    "padded": partial(lifted, PICTURES, pad=(2, 1), pool=2),
    "scale kept": partial(lifted, SIGNALS, unit_scale=False, level=0.5),
    "contrast": partial(lifted, SIGNALS, contrast=3.0, pool=2),
    "contrast, scale kept": partial(lifted, PICTURES, contrast=1.0, pad=(2, 1), unit_scale=False),
    "contrast of volumes": partial(lifted, VOLUMES, contrast=0.8),
    "several sizes": partial(lifted, ONE_CHANNEL, WAVES, kernel_size=(3, 8, 36), n_channels=8),
    "large filters": partial(lifted, PICTURES, kernel_size=15, pad=12, n_channels=4, zero_mean=True),
    "lift and layers": lambda: seen(SHIFT(lift=SMALL_LIFT, n_layers=2), ONE_CHANNEL, WAVES),
    "published": partial(layers, "shift", SIGNALS, "softmax", convention="published"),
    "published relu": partial(layers, "translation", PICTURES, "relu", convention="published"),
    "nesterov": partial(layers, "shift", SIGNALS, "softmax", momentum="nesterov"),
    "not affine": partial(layers, None, VECTORS, "softmax", affine=False),
    "affine number": partial(layers, None, VECTORS, "subspace", affine=0.7),
    "standardised layers": partial(layers, None, VECTORS * 7 + 3, "softmax", standardise=True),
    "class weights": partial(layers, "shift", SIGNALS, "code", class_weight="balanced"),
    "class offsets": lambda: seen(SHIFT(n_layers=0, class_weight={0: 5.0, 1: 1.0, 2: 0.2}), SIGNALS),
    "pooled channels": lambda: seen(SHIFT(lift=PooledLift(2, 1)), SIGNALS),
    "pooled layers": lambda: seen(
        SHIFT(lift=PooledLift(2, 1), n_layers=2, membership="subspace", rank=3), NOISY, WAVES
    ),
    "two answers": two_answers,
    "unequal lengths": unequal_lengths,
    "few directions": few_directions,
    "nearest of pictures": lambda: seen(
        NearestSubspaceClassifier(2, invariance="translation", sharpness=20.0), PICTURES
    ),
    "nearest of signals": lambda: seen(NearestSubspaceClassifier(invariance="shift"), SIGNALS),
    "nearest in single precision": lambda: seen(
        NearestSubspaceClassifier(invariance="translation"), PICTURES.astype(np.float32)
    ),
    "features of pictures": lambda: seen(ReduNet("translation", n_layers=3), PICTURES),
    "features published": lambda: seen(ReduNet("shift", n_layers=3, convention="published"), SIGNALS),
    "features of wide": lambda: seen(ReduNet(n_layers=3), WIDE, WIDE_CODES),
    "features with momentum": lambda: seen(ReduNet("shift", n_layers=4, momentum=0.6), SIGNALS),
    "features in single precision": lambda: seen(ReduNet("translation", n_layers=3), PICTURES.astype(np.float32)),
}


@cache
def fitted(name):
    """A fitted model, and new samples."""
    return RECIPES[name]()
