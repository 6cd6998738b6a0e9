"""Sines and square waves at any phase: the paper's Figure 3 (a to d), and Algorithm 2."""

from typing import Any

import numpy as np

from .. import plot
from ..data.waves import sinusoids
from ..estimators import ReduNet, ReduNetClassifier
from ..lift.lift import Lift
from ..report.live_network import live_network
from .experiment import PUBLISHED, Experiment, Figure, Outcome, Row, Setting
from .flat_subspaces import FlatSubspaces
from .shift_figures import across_classes, figure_of_rates, figures_of_shifts, moved_at_random

# The paper gives m = 400, T = 150, C = 7, L = 2000, η = 0.1; not the size of its random filters.
N_PER_CLASS, LENGTH, CHANNELS, LAYERS, STEP, KERNEL = 200, 150, 7, 2000, 0.1, 9


def run(setting: Setting) -> Outcome:
    """Accuracy as they are and at all shifts; how orthogonal the classes get."""
    n = setting.pick(N_PER_CLASS, N_PER_CLASS, 20)
    X, y = sinusoids(n, LENGTH, random_state=setting.seed)
    X_new, y_new = sinusoids(n, LENGTH, random_state=setting.seed + 1)
    lift = Lift("random", CHANNELS, KERNEL, "relu", invariance="shift", random_state=setting.seed).fit(X[:, None])
    lifted, lifted_new = lift.transform(X[:, None]), lift.transform(X_new[:, None])
    setting.say("as published")
    depth = setting.pick(LAYERS, LAYERS // 8, 10)
    published = ReduNet("shift", n_layers=depth, step_size=STEP, **PUBLISHED).fit(lifted, y)
    Z_published, Z_published_new = published.transform(lifted), published.transform(lifted_new)
    flat = FlatSubspaces.of(Z_published, y)
    setting.say("ours")
    ours = ReduNet("shift", n_layers=setting.pick(200, 200, 3)).fit(lifted, y)
    Z, Z_new = ours.transform(lifted), ours.transform(lifted_new)
    clf = ReduNetClassifier("shift", lift=lift).fit(X, y)
    moved = moved_at_random(X_new, 1, setting.seed)
    crossings = [
        float(across_classes(features, y, moved_at_random(new, 1, 0), y_new).mean())
        for features, new in ((Z_published, Z_published_new), (Z, Z_new))
    ]
    before = float(across_classes(X, y, moved, y_new).mean())
    rows = [
        Row("accuracy on new signals", None, flat.score(Z_published_new, y_new), clf.score(X_new, y_new)),
        Row("accuracy at all 150 shifts", None, flat.score_moved(Z_published_new, y_new, 1), clf.score(moved, y_new)),
        Row("mean |cosine| across classes, shifted signals", None, before, before, "before the network"),
        Row.of("mean |cosine| across classes, their features", None, crossings),
        Row.of("layers", LAYERS, [published.n_layers_, ours.n_layers_], whole=True),
    ]
    curves, _ = sinusoids(1, 10 * LENGTH, noise=0.0, random_state=setting.seed + 2)
    dots, _ = sinusoids(1, LENGTH, random_state=setting.seed + 2)

    def waves(figure: Any) -> None:
        plot.signals(curves, dots, ("sine", "square"), figure.subplots())

    layered = ReduNetClassifier("shift", lift=lift, membership="softmax", n_layers=6, rank=2).fit(X, y)
    shown = np.concatenate([np.flatnonzero(y_new == j)[:3] for j in (0, 1)])
    names = np.array(["sine", "square"])
    return Outcome(
        rows,
        [
            Figure("signals", "One signal of each class: the curve, and the noisy samples of it.", waves, 7),
            *figures_of_shifts(lifted, Z, y, lifted_new, Z_new, y_new, 1),
            figure_of_rates(published, ours),
        ],
        [live_network(layered, X_new[shown][:, None], names[y_new[shown]], "Drag the signal sideways.")],
    )


TEXT = """A sine or a square wave, noisy, starting anywhere. Each signal gets seven channels by random filters; with \
all its shifts it spans a subspace, and the network makes the subspaces of the two classes orthogonal.

The features of a shifted signal are the shifted features. A test on flat features still depends on the shift; ours is \
taken at each frequency and does not: all shifts of a signal get the same answer, bit for bit."""
EXPERIMENTS = [Experiment("sinusoids", "Sines and square waves at any shift", TEXT, run)]
