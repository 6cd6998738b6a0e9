"""The measurements behind the page of findings: ``python docs/measure.py [name …]``.

Data come with scikit-learn or are drawn here, but for ``mnist_…``, which is left out where MNIST is not at hand (say
where it is with REDUNET_DATA). The whole takes about ten minutes on two cores. Each function prints one line per
setting: mean and spread over draws of the labelled samples, where there are draws.
"""

import sys

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from redunet import Lift, NearestSubspaceClassifier, PolarGrid, ReduNet, ReduNetClassifier
from redunet.data.gaussians import GAUSSIAN_CASES
from redunet.data.images import mnist, pick_digits
from redunet.data.shifts import shifted_at_random
from redunet.data.store import DataNotFound
from redunet.data.waves import sinusoids

DRAWS = range(5)


def moved_digits(draw, n_per_class=20):
    """Labelled digits with two pixels of margin, and new ones that were moved, each to a place of its own."""
    images, y = load_digits(return_X_y=True)
    images = np.pad(images.reshape(-1, 8, 8), ((0, 0), (2, 2), (2, 2)))
    train, test = train_test_split(np.arange(len(y)), train_size=10 * n_per_class, stratify=y, random_state=draw)
    return images[train], y[train], shifted_at_random(images[test], 2, seed=draw), y[test]


def patches(draw, **options):
    """The lift that most of the measurements share."""
    return Lift("patches", 24, 5, random_state=draw, **options)


def say(name, values, digits=3):
    """Print mean and spread."""
    print(f"{name:52s}{np.mean(values):.{digits}f} ± {np.std(values):.{digits}f}", flush=True)


def step():
    """Layers until ΔR has gained 99 % of what it gains, with the paper's step and with the automatic one."""
    X, y = GAUSSIAN_CASES["circle-2-near"].sample(random_state=0)
    for step_size in (0.5, "auto"):
        net = ReduNet(n_layers=2000, eps=0.1, step_size=step_size, sharpness=500.0, affine=False, tol=None)
        rates = net.fit(X, y).history_.rate_reduction
        enough = rates >= rates[0] + 0.99 * (rates[-1] - rates[0])
        print(f"step_size={step_size!r}: ΔR {rates[0]:.3f} → {rates[-1]:.3f}, 99 % after {enough.argmax()} layers")


def membership():
    """The guess of a first layer, and the answer after ten layers, by what the guess is made from."""
    for kind in ("softmax", "subspace", "code"):
        guess, answer, growth = [], [], []
        for draw in DRAWS:
            X, y, X_new, y_new = moved_digits(draw)
            net = ReduNetClassifier(
                "translation", lift=patches(draw), membership=kind, n_layers=10, sharpness=200.0, tol=None
            ).fit(X, y)
            network, layer = net.network_, net.network_.layers[0]
            V = network.geometry.blocks(network.lift(X_new[:, None]))
            residuals = layer.residuals(V, layer.compression @ V, network.geometry.norm_weights)
            guess.append(np.mean(net.classes_[residuals.argmin(axis=0)] == y_new))
            answer.append(net.score(X_new, y_new))
            growth.append(net.history_.rate_reduction[-1] / net.history_.rate_reduction[0])
        say(f"{kind}: guess of the first layer", guess)
        say(f"{kind}: answer after ten layers", answer)
        say(f"{kind}: ΔR after / before", growth, 2)


def invariance():
    """Answers that change when a signal shifts: one subspace for flat features, and one at each frequency."""
    X, y = sinusoids(50, n_points=60, noise=0.3, random_state=0)
    X_new, y_new = sinusoids(50, n_points=60, noise=0.3, random_state=1)
    lift = Lift("random", 8, 9, random_state=0, invariance="shift").fit(X)
    features, new = lift.transform(X[:, None]), lift.transform(X_new[:, None])
    moved = np.roll(new, 15, axis=-1)
    for name, clf, view in (
        ("flat", NearestSubspaceClassifier(affine=False), lambda Z: Z.reshape(len(Z), -1)),
        ("per frequency", NearestSubspaceClassifier(invariance="shift"), lambda Z: Z),
    ):
        clf.fit(view(features), y)
        changed = int((clf.predict(view(moved)) != clf.predict(view(new))).sum())
        print(f"{name}: accuracy {clf.score(view(new), y_new):.2f}, {changed} of {len(new)} answers changed")


def filters():
    """Where filters come from, and how many there are, without any layer."""
    for kind in ("random", "wavelet", "pca", "patches"):
        for n_channels in (8, 24):
            scores = []
            for draw in DRAWS:
                X, y, X_new, y_new = moved_digits(draw)
                lift = Lift(kind, n_channels, 5, random_state=draw)
                scores.append(ReduNetClassifier("translation", lift=lift, n_layers=0).fit(X, y).score(X_new, y_new))
            say(f"{kind}, {n_channels} channels", scores)


def pooling():
    """All frequencies of the responses, or the lowest alone."""
    for pool in (1, 1.5, 2, 3):
        scores = []
        for draw in DRAWS:
            X, y, X_new, y_new = moved_digits(draw)
            clf = ReduNetClassifier("translation", lift=patches(draw, pool=pool), n_layers=0).fit(X, y)
            scores.append(clf.score(X_new, y_new))
        say(f"pool={pool}", scores)


def rings():
    """Radii that see something at every angle, and radii that do not."""
    images, y = load_digits().images, load_digits().target
    for name, radii in (("1 to 3", (1, 2, 3)), ("0 to 3.5", (0, 1.75, 3.5))):
        scores = []
        for draw in DRAWS:
            train, test = train_test_split(np.arange(len(y)), train_size=500, stratify=y, random_state=draw)
            grid = PolarGrid(3, 32, radii=radii).fit(images)
            lift = Lift("random", 64, 15, random_state=draw)
            clf = ReduNetClassifier("shift", lift=lift, n_layers=0).fit(grid.transform(images[train]), y[train])
            scores.append(clf.score(grid.transform(images[test]), y[test]))
        say(f"radii {name}", scores)


def offset():
    """A nearest subspace with and without a constant coordinate, on standardised tables."""
    for name, load in (("wine", load_wine), ("breast cancer", load_breast_cancer), ("iris", load_iris)):
        X, y = load(return_X_y=True)
        for affine in (False, True):
            clf = make_pipeline(StandardScaler(), NearestSubspaceClassifier(affine=affine))
            folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
            say(f"{name}, affine={affine}", cross_val_score(clf, X, y, cv=folds))


def leave_one_out():
    """Accuracy on new samples, and what training samples say that it is: before layers, and after them."""
    for n_layers in (0, 3, 10):
        on_training, left_out, on_new = [], [], []
        for draw in DRAWS:
            X, y, X_new, y_new = moved_digits(draw)
            lift = patches(draw).fit(X)
            net = ReduNet("translation", n_layers=n_layers, membership="subspace", rank=4, sharpness=200.0, tol=None)
            Z = net.fit(lift.transform(X), y).transform(lift.transform(X))
            clf = NearestSubspaceClassifier(4, invariance="translation").fit(Z, y)
            on_training.append(clf.score(Z, y))
            left_out.append(clf.loo_score_)
            on_new.append(clf.score(net.transform(lift.transform(X_new)), y_new))
        say(f"{n_layers} layers: training samples as they are", on_training)
        say(f"{n_layers} layers: training samples, each left out", left_out)
        say(f"{n_layers} layers: new samples", on_new)


def depth():
    """How many layers the evidence takes: with a good lift, and where a class is given one direction alone."""
    for draw in DRAWS:
        X, y, X_new, y_new = moved_digits(draw)
        clf = ReduNetClassifier("translation", lift=patches(draw)).fit(X, y)
        print(f"patches, draw {draw}: {clf.n_layers_} layers chosen")
    X, y = load_digits(return_X_y=True)
    for n_layers in (0, "auto"):
        clf = ReduNetClassifier(membership="softmax", rank=1, n_layers=n_layers).fit(X[:600], y[:600])
        print(f"vectors, rank 1, n_layers={n_layers!r}: {clf.n_layers_} layers, {clf.score(X[600:], y[600:]):.3f}")


def moved_mnist(draw, n_per_class=20, n_new=1000):
    """Images of MNIST to learn from, and others of its training part, each moved to a place of its own."""
    images, y = mnist("train", download=False)
    X, labels = pick_digits(images[:50_000], y[:50_000], range(10), n_per_class, random_state=draw)
    rng = np.random.default_rng(draw)
    new = 50_000 + rng.permutation(10_000)[:n_new]
    moved = shifted_at_random(images[new], 2, seed=rng)
    return X / np.float32(255), labels, moved / np.float32(255), y[new]


def mnist_filters():
    """The same question as ``filters``, and what ‖C_j v‖ answers with the same filters."""
    for kind in ("random", "pca", "patches"):
        by_subspace, by_norm = [], []
        for draw in range(3):
            X, y, X_new, y_new = moved_mnist(draw)
            lift = Lift(kind, 16, 9, random_state=draw)
            net = ReduNetClassifier("translation", lift=lift, membership="softmax", n_layers=1).fit(X, y)
            network, layer = net.network_, net.network_.layers[0]
            guess = []
            for some in np.array_split(X_new, 10):
                V = network.geometry.blocks(network.lift(some[:, None]))
                residuals = layer.residuals(V, layer.compression @ V, network.geometry.norm_weights)
                guess.append(net.classes_[residuals.argmin(axis=0)])
            by_norm.append(np.mean(np.concatenate(guess) == y_new))
            by_subspace.append(net.set_params(n_layers=0, membership="subspace").fit(X, y).score(X_new, y_new))
        say(f"{kind}, 16 channels: nearest subspace", by_subspace)
        say(f"{kind}, 16 channels: smallest ‖C_j v‖", by_norm)


def mnist_pooling():
    """The same question as ``pooling``, where images are large enough to have frequencies to spare."""
    for pool in (1, 2, 3):
        scores = []
        for draw in range(3):
            X, y, X_new, y_new = moved_mnist(draw)
            clf = ReduNetClassifier(
                "translation", lift=Lift("patches", 32, 11, pool=pool, random_state=draw), n_layers=0
            )
            scores.append(clf.fit(X, y).score(X_new, y_new))
        say(f"pool={pool}", scores)


def mnist_rings():
    """Five rings of zeros and ones: a ring of radius 0 and one at the border, or neither."""
    images, y = mnist("train", download=False)
    new, y_new = pick_digits(images[50_000:], y[50_000:], (0, 1), 900, random_state=0)
    for name, radii in (("3, 5, 7, 9, 11", (3, 5, 7, 9, 11)), ("0, 3, 7, 10, 13.5", (0, 3, 7, 10, 13.5))):
        scores = []
        for draw in range(3):
            X, labels = pick_digits(images[:50_000], y[:50_000], (0, 1), 1000, random_state=draw)
            grid = PolarGrid(5, 200, radii=radii).fit(X / 255)
            clf = ReduNetClassifier("shift", n_layers=0).fit(grid.transform(X / 255), labels)
            scores.append(clf.score(grid.transform(new / 255), y_new))
        say(f"radii {name}", scores, 4)


MEASUREMENTS = (
    *(step, membership, invariance, filters, pooling, rings, offset, leave_one_out, depth),
    *(mnist_filters, mnist_pooling, mnist_rings),
)

if __name__ == "__main__":
    for measurement in MEASUREMENTS:
        if len(sys.argv) == 1 or measurement.__name__ in sys.argv[1:]:
            print(f"\n{measurement.__name__}: {measurement.__doc__}")
            try:
                measurement()
            except DataNotFound:
                print("left out: MNIST is not at hand")
