"""Clusters by coding length beside what others use: planted subspaces, digits, signals at random places.

    python benchmarks/clustering.py subspaces
    python benchmarks/clustering.py digits
    python benchmarks/clustering.py tables
    python benchmarks/clustering.py signals FOLDER NAME [NAME ...]

FOLDER holds NAME_TRAIN.npz and NAME_TEST.npz of the UCR archive with arrays X and y; both parts are clustered together,
every signal at a random shift, the number of clusters given. k-Shape is measured where aeon is installed.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits, load_iris, load_wine, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from redunet import PooledLift, RateReductionClustering

N_DRAWS = 100


def planted(seed, *, through_origin):
    """Two to six subspaces of 1 to 5 of 30 dimensions, 40 to 120 samples each; noise of 5 % of the typical length."""
    rng = np.random.default_rng(seed)
    samples, labels = [], []
    for j in range(rng.integers(2, 7)):
        d, m = rng.integers(1, 6), rng.integers(40, 120)
        basis = np.linalg.qr(rng.normal(size=(30, d)))[0]
        part = rng.normal(size=(m, d)) @ basis.T
        part += 0.05 * rng.normal(size=part.shape) / np.sqrt(30) * np.sqrt(d)
        if not through_origin:
            part += rng.normal(size=30) / np.sqrt(30)
        samples.append(part)
        labels += [j] * m
    return np.concatenate(samples), np.array(labels)


def subspaces():
    """In how many draws the number of subspaces and nearly all members are found."""
    for through_origin in (True, False):
        found = 0
        for seed in range(N_DRAWS):
            X, y = planted(seed, through_origin=through_origin)
            model = RateReductionClustering().fit(X)
            found += model.n_clusters_ == len(set(y)) and adjusted_rand_score(y, model.labels_) >= 0.98
        print(f"{'through the origin' if through_origin else 'anywhere'}: {found} of {N_DRAWS}", flush=True)


def digits():
    """Adjusted Rand index of three methods on the same input, the number of clusters given."""
    X, y = load_digits(return_X_y=True)
    methods = [
        RateReductionClustering(10),
        AgglomerativeClustering(10),
        KMeans(10, n_init=10, random_state=0),
        RateReductionClustering(),
    ]
    for model in methods:
        labels = model.fit_predict(X)
        print(f"{type(model).__name__} ({len(set(labels))}): {adjusted_rand_score(y, labels):.3f}", flush=True)


def tables():
    """Plain vectors, with and without a kernel and layers; the number of clusters given, then found."""
    wine, digits = load_wine(return_X_y=True), load_digits(return_X_y=True)
    half = np.random.default_rng(0).permutation(len(digits[1]))[:900]
    sets = {
        "moons": make_moons(300, noise=0.05, random_state=0),
        "circles": make_circles(300, noise=0.03, factor=0.4, random_state=0),
        "iris": load_iris(return_X_y=True),
        "wine, standardised": (StandardScaler().fit_transform(wine[0]), wine[1]),
        "digits, 900 of them": (digits[0][half], digits[1][half]),
        "digits": digits,
    }
    for name, (X, y) in sets.items():
        k = len(set(y.tolist()))
        for options in ({}, {"n_layers": 3}, {"kernel": "rbf"}, {"kernel": "poly"}):
            given, found = RateReductionClustering(k, **options).fit(X), RateReductionClustering(**options).fit(X)
            scores = [adjusted_rand_score(y, one.labels_) for one in (given, found)]
            print(f"{name} {options}: {scores[0]:.3f}; {scores[1]:.3f} with {found.n_clusters_} clusters", flush=True)


def signals(folder, names):
    """Adjusted Rand index on signals at random shifts."""
    try:
        from aeon.clustering import KShape
    except ImportError:
        KShape = None
    rows = []
    for name in names:
        parts = [np.load(folder / f"{name}_{part}.npz") for part in ("TRAIN", "TEST")]
        X = np.concatenate([part["X"].reshape(len(part["X"]), -1) for part in parts])
        y = np.concatenate([part["y"] for part in parts])
        shifts = np.random.default_rng(0).integers(0, X.shape[1], len(X))
        X = np.stack([np.roll(x, s) for x, s in zip(X, shifts, strict=True)])
        k = len(set(y.tolist()))
        pooled = PooledLift().fit_transform(X[:, None]).reshape(len(X), -1)
        spectrum = np.abs(np.fft.rfft(X, axis=1))
        found = {
            "coding length": RateReductionClustering(k, invariance="shift").fit_predict(X),
            "k-means, spectrum": KMeans(k, n_init=10, random_state=0).fit_predict(spectrum),
            "k-means, pooled": KMeans(k, n_init=10, random_state=0).fit_predict(pooled),
            "Ward, pooled": AgglomerativeClustering(k).fit_predict(pooled),
        }
        if KShape is not None:
            found["k-Shape"] = KShape(n_clusters=k, random_state=0, n_init=1, max_iter=30).fit_predict(X[:, None])
        rows.append([adjusted_rand_score(y, labels) for labels in found.values()])
        print(name, *(f"{how} {score:.3f};" for how, score in zip(found, rows[-1], strict=True)), flush=True)
    print("mean", *(f"{how} {score:.3f};" for how, score in zip(found, np.mean(rows, axis=0), strict=True)))


if __name__ == "__main__":
    what, *more = sys.argv[1:] or ["subspaces"]
    if what == "signals":
        signals(Path(more[0]), more[1:])
    else:
        {"subspaces": subspaces, "digits": digits, "tables": tables}[what]()
