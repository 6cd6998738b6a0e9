"""Mixtures of Gaussians on the circle and the sphere: Figure 2 of the paper, and its Appendix D.1."""

from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from .. import plot
from ..data.gaussians import GAUSSIAN_CASES, GaussianCase
from ..estimators import ReduNet
from ..numerics.arrays import Array
from ..report.network_data import array_data, history_data
from .experiment import Experiment, Figure, Outcome, Row, Setting
from .published_constants import PUBLISHED_OPTIONS
from .shift_figures import figure_of_rates

STEP_SIZE = 0.5
# Number of points and of layers that the page shows.
N_SHOWN_POINTS, N_SHOWN_LAYERS = 100, 40


def experiment(name: str, title: str, text: str, case: str, n_layers: int, *, orthogonal: bool) -> Experiment:
    """Entry of the list for one mixture; ``orthogonal`` if the paper says that its classes end at right angles."""
    return Experiment(name, title, text, partial(run, case=case, n_layers=n_layers, orthogonal=orthogonal))


def run(setting: Setting, *, case: str, n_layers: int, orthogonal: bool) -> Outcome:
    """Features of training and of new samples, before and after."""
    mixture = GAUSSIAN_CASES[case]
    mixture = GaussianCase(mixture.means, mixture.sigma, setting.pick(mixture.n_per_class, mixture.n_per_class, 20))
    X, y = mixture.sample(setting.seed)
    X_new, _ = mixture.sample(setting.seed + 1)
    setting.say("as published")
    depth = setting.pick(n_layers, n_layers // 4, 20)
    published = ReduNet(n_layers=depth, step_size=STEP_SIZE, **PUBLISHED_OPTIONS).fit(X, y)
    setting.say("ours")
    ours = ReduNet(affine=False, n_layers=100).fit(X, y)
    rows = rows_of_networks((published, ours), X_new, y, n_layers=n_layers, orthogonal=orthogonal)
    figures = [*figures_of_features(ours, X, X_new, y), figure_of_rates(published, ours)]
    return Outcome(rows, figures, [sphere(ours, X, X_new, y)])


def rows_of_networks(
    nets: tuple[ReduNet, ReduNet], X_new: Array, y: Array, *, n_layers: int, orthogonal: bool
) -> list[Row]:
    """Angles and cosines of the features of new samples, ΔR and depth; as published and ours."""
    features = [net.transform(X_new) for net in nets]
    rows = []
    if orthogonal:
        angles = [angle_between_classes(Z, y) for Z in features]
        rows.append(Row.of("angle between classes, new samples (degrees)", 90.0, angles))
    across, within = ([mean_cosine(Z, y, within=within) for Z in features] for within in (False, True))
    rows.append(Row.of("mean |cosine| across classes, new samples", None, across))
    rows.append(Row.of("mean |cosine| within a class, new samples", None, within))
    rows.append(Row.of("ΔR after the last layer (nats)", None, [net.history_.rate_reduction[-1] for net in nets]))
    rows.append(Row.of("layers", n_layers, [net.n_layers_ for net in nets], whole=True))
    return rows


def figures_of_features(net: ReduNet, X: Array, X_new: Array, y: Array) -> list[Figure]:
    """Scatter plots and heat maps of training and new samples, before and after a network."""
    projection = "3d" if X.shape[1] == 3 else None

    def scatters(figure: Any) -> None:
        views = ((X, "samples"), (net.transform(X), "features"), (net.transform(X_new), "features of new samples"))
        for i, (Z, title) in enumerate(views):
            plot.scatter(Z, y, figure.add_subplot(1, 3, i + 1, projection=projection)).set_title(title)

    def similarities(figure: Any) -> None:
        views = (
            (X, "samples"),
            (net.transform(X), "features"),
            (X_new, "new"),
            (net.transform(X_new), "new features"),
        )
        for ax, (Z, title) in zip(figure.subplots(1, 4), views, strict=True):
            plot.similarity(Z, y, ax, scale=title == "new features").set_title(title)

    caption = "Samples and features, before and after the network; each colour is a class."
    return [
        Figure("scatter", caption, scatters, on_page=False),
        Figure("similarity", "|cosine| between samples, sorted by class.", similarities, width=12),
    ]


def angle_between_classes(Z: Array, y: Array) -> float:
    """Mean angle between the main directions of classes, in degrees; a direction has no sign."""
    directions = []
    for j in np.unique(y):
        _, vectors = np.linalg.eigh(Z[y == j].T @ Z[y == j])
        directions.append(vectors[:, -1])
    pairs = [abs(a @ b) for a, b in combinations(directions, 2)]
    return float(np.degrees(np.arccos(np.clip(pairs, 0, 1))).mean())


def mean_cosine(Z: Array, y: Array, *, within: bool) -> float:
    """Mean |cosine| over pairs of samples of the same class, or of different ones."""
    same = y[:, None] == y
    np.fill_diagonal(same, not within)
    return float(plot.cosines(Z)[same if within else ~same].mean())


def sphere(net: ReduNet, X: Array, X_new: Array, y: Array) -> dict[str, Any]:
    """Features of some samples after each layer, for the slider of the page."""
    some = np.concatenate([np.flatnonzero(y == j)[: N_SHOWN_POINTS // len(np.unique(y))] for j in np.unique(y)])
    layers = np.unique(np.linspace(0, net.n_layers_, N_SHOWN_LAYERS).astype(int))
    V = net.network_.geometry.blocks(np.concatenate([X[some], X_new[some]]))
    points = [V[0].T]
    for layer in net.network_.layers:
        V = layer(V, net.network_.geometry.norm_weights)
        points.append(V[0].T)
    return {
        "kind": "sphere",
        "title": "Layer by layer",
        "caption": "Filled: samples that the network was built from. Hollow: new ones.",
        "dimension": X.shape[1],
        "classes": [str(j) for j in np.unique(y)],
        "labels": np.tile(y[some], 2).tolist(),
        "new": [False] * len(some) + [True] * len(some),
        "layers": layers.tolist(),
        "points": array_data(np.stack([points[i] for i in layers])),
        "history": history_data(net.history_),
    }


MERGING = """More classes than dimensions: the theory has nothing to say here, and classes on one line through \
the origin cannot be told apart by a subspace. The network merges those and spreads the others.

The paper shows pictures, no numbers."""
TWO = """Each class is a cloud of points, projected to the sphere. The network turns each class into one direction and \
sets the directions at right angles, which is where the rate reduction is largest; new samples go to the same places.

As published: the paper's step and depth. Ours: the automatic step, which ends when ΔR stops growing."""
EXPERIMENTS = [
    experiment("gaussians-2d", "Two Gaussians on the circle", TWO, "circle-2", 2000, orthogonal=True),
    experiment("gaussians-3d", "Three Gaussians on the sphere", TWO, "sphere-3", 2000, orthogonal=True),
    experiment("gaussians-2d-near", "Two near Gaussians on the circle", TWO, "circle-2-near", 2000, orthogonal=True),
    experiment("gaussians-3d-near", "Three near Gaussians on the sphere", TWO, "sphere-3-near", 2000, orthogonal=True),
    experiment("gaussians-3-classes", "Three classes on the circle", MERGING, "circle-3", 2500, orthogonal=False),
    experiment("gaussians-6-classes", "Six classes on the circle", MERGING, "circle-6", 4000, orthogonal=False),
]
