"""References for images at any place that others publish as packages, and an SVM on images moved to the centre.

Everything that there is to choose is chosen by cross-validation on the training images. Packages are imported when they
are needed: kymatio for scattering, pytranskit for nearest subspaces of transport transforms.
"""

import contextlib
import io
from functools import cache
from pathlib import Path
from tempfile import gettempdir

import numpy as np
from joblib import Memory
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

SCALES = (2, 3)  # J of scattering: averages over 2^J pixels
LOG_FLOOR = 1e-3  # below which the logarithm of a scattering coefficient ends
CHOOSING_SAMPLES = 1000  # training samples, at most, by which parameters are chosen
SVM_GRID = {"C": [1.0, 10.0, 100.0], "gamma": [0.3, 1.0, 3.0]}  # gamma in units of scikit-learn's "scale"
# Coefficients that were computed: the same test images are asked for with each number of labels.
STORED = Memory(Path(gettempdir()) / "redunet-scattering", verbose=0)
ANGLES = np.linspace(0, 176, 45)  # degrees; of the Radon transform, as in pytranskit


def aligned(images):
    """Images rolled until their centre of mass, measured on the circle, is in the middle; shape (n, height, width)."""
    for axis in (1, 2):
        length = images.shape[axis]
        mass = images.sum(axis=3 - axis)
        centre = np.angle(mass @ np.exp(2j * np.pi * np.arange(length) / length)) * length / (2 * np.pi)
        moves = np.round(length / 2 - 0.5 - centre).astype(int)
        places = (np.arange(length) - moves[:, None]) % length
        images = np.take_along_axis(images, np.expand_dims(places, 3 - axis), axis)
    return images


def some_of(features, y, seed):
    """At most ``CHOOSING_SAMPLES`` training samples, drawn at random, to choose parameters by."""
    rows = np.random.default_rng(seed).permutation(len(y))[:CHOOSING_SAMPLES]
    return features[rows], y[rows]


def folds(seed):
    return StratifiedKFold(5, shuffle=True, random_state=seed)


def tuned_svm(features, y, seed, *, scaled):
    """RBF-SVM whose C and gamma are chosen by cross-validation, fitted to all training samples."""
    few, labels = some_of(features, y, seed)
    spread = 1.0 / features.shape[1] if scaled else 1.0 / (features.shape[1] * features.var())
    grid = {"svc__C": SVM_GRID["C"], "svc__gamma": [spread * factor for factor in SVM_GRID["gamma"]]}
    first = StandardScaler() if scaled else "passthrough"
    search = GridSearchCV(make_pipeline(first, SVC()), grid, cv=folds(seed), refit=False).fit(few, labels)
    return make_pipeline(first, SVC()).set_params(**search.best_params_).fit(features, y)


def fit_aligned_svm(X, y, seed):
    """RBF-SVM on the pixels of images moved to the centre."""

    def prepare(new):
        return aligned(new[:, 0]).reshape(len(new), -1)

    model = tuned_svm(prepare(X), y, seed, scaled=False)
    return lambda new: model.predict(prepare(new))


# --- scattering -------------------------------------------------------------------------------------------------------


def periodic(images, scale):
    """Scattering coefficients of images that wrap around; shape (n, paths, height, width) of a coarse grid.

    Images are repeated until the coarse grid fits in. kymatio takes them as padded already, so that its circular
    convolutions wrap around where the images do; it would cut the margin off, which is not done here.
    """
    import torch
    from kymatio.torch import Scattering2D

    images = np.ascontiguousarray(images, dtype=np.float32)
    tiles = [1 if side % 2**scale == 0 else 2 for side in images.shape[1:]]
    images = np.tile(images, (1, *tiles))
    inner = [side - 2 * 2**scale for side in images.shape[1:]]
    transform = Scattering2D(scale, inner, pre_pad=True)
    if (transform._M_padded, transform._N_padded) != images.shape[1:]:
        raise ValueError(f"scattering would pad images of {images.shape[1:]} pixels further.")
    transform.unpad = lambda whole: whole[..., 0]
    with torch.no_grad():
        return np.concatenate([transform(part).numpy() for part in torch.from_numpy(images).split(100)])


@STORED.cache
def everywhere(X, scale):
    """Scattering coefficients averaged over all positions, so that translation changes nothing; shape (n, paths)."""
    return periodic(X[:, 0], scale).mean(axis=(-2, -1))


@STORED.cache
def along_angles(X, scale):
    """Of rings × angles: averaged over all angles, each place between the rings apart; the rings do not wrap around."""
    margin = 2**scale
    places = periodic(np.pad(X, ((0, 0), (margin, margin), (0, 0))), scale).mean(axis=-1)
    return places[..., 1:-1].reshape(len(X), -1)


def in_the_centre(X, scale):
    """Of images moved to the centre: each place apart."""
    return periodic(aligned(X[:, 0]), scale).reshape(len(X), -1)


def discriminant():
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


def fit_scattering(X, y, seed, answer, coefficients):
    """Scattering, then linear discriminants or an RBF-SVM ("LDA", "SVM").

    The scale, and whether logarithms are taken, are chosen by cross-validation of linear discriminants.
    """
    few, labels = some_of(X, y, seed)
    best: tuple = (-1.0, 0, None)
    for scale in SCALES:
        plain = coefficients(few, scale)
        floor = LOG_FLOOR * float(plain.mean())
        for features, lowest in ((plain, None), (np.log(np.maximum(plain, floor)), floor)):
            score = cross_val_score(discriminant(), features, labels, cv=folds(seed)).mean()
            if score > best[0]:
                best = (score, scale, lowest)
    _, scale, floor = best

    def prepare(new):
        plain = coefficients(new, scale)
        return plain if floor is None else np.log(np.maximum(plain, floor))

    features = prepare(X)
    model = discriminant().fit(features, y) if answer == "LDA" else tuned_svm(features, y, seed, scaled=True)
    return lambda new: model.predict(prepare(new))


# --- transport --------------------------------------------------------------------------------------------------------


def fit_transport(X, y, seed):
    """Nearest subspace of Radon cumulative distribution transforms (R-CDT-NS), of images moved to the centre."""
    from pytranskit.classification.rcdt_ns import RCDT_NS

    transforms = transports()

    class Remembered(RCDT_NS):
        """The same, which transforms in this process, and no image twice."""

        def rcdt_parallel(self, images):
            return np.stack([transforms(image.tobytes(), len(image)) for image in images])

    model = Remembered(int(y.max()) + 1, thetas=ANGLES, rm_edge=True)
    with contextlib.redirect_stdout(io.StringIO()):
        model.fit(aligned(X[:, 0]).astype(np.float64), y)

    def predict(new):
        with contextlib.redirect_stdout(io.StringIO()):
            return model.predict(aligned(new[:, 0]).astype(np.float64))

    return predict


@cache
def transports():
    """A function that transforms one image, given as bytes; what comes again is not computed again."""
    from pytranskit.classification.rcdt_ns import RCDT_NS

    one = RCDT_NS(1, thetas=ANGLES, rm_edge=True)

    @cache
    def transform(image, side):
        return one.fun_rcdt_batch(np.frombuffer(image).reshape(1, side, -1))[0]

    return transform


IMAGES, RINGS = ("translation", "fashion"), ("rotation",)
# The kinds of tasks that each of them is for.
REFERENCES = {
    "scattering, LDA": IMAGES + RINGS,
    "scattering, SVM": IMAGES + RINGS,
    "scattering aligned, LDA": IMAGES,
    "SVM aligned": IMAGES,
    "R-CDT subspaces aligned": IMAGES,
}


def fit_reference(method, kind, X, y, seed):
    """Train one of ``REFERENCES`` on samples (n, channels, *grid); returns a function that answers."""
    if method == "SVM aligned":
        return fit_aligned_svm(X, y, seed)
    if method.startswith("R-CDT"):
        return fit_transport(X, y, seed)
    coefficients = in_the_centre if "aligned" in method else everywhere if kind in IMAGES else along_angles
    return fit_scattering(X, y, seed, method.split()[-1], coefficients)
