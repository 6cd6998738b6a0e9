"""Sines and square waves at any phase: the paper's Figure 3 (a to d), and Algorithm 2."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import plot
from ..data.shifts import shifted_at_random
from ..data.waves import sinusoids
from ..estimators import ReduNet, ReduNetClassifier
from ..lift.lift import Lift
from ..numerics.arrays import Array
from ..report.live_network import live_network
from .experiment import Experiment, Figure, Outcome, Row, Setting
from .flat_subspaces import FlatSubspaces
from .published_constants import PUBLISHED_OPTIONS
from .shift_figures import Featured, cosines_across_classes, figure_of_rates, figures_of_shifts, first_of_each

# Constants of the paper: m = 400, T = 150, C = 7, L = 2000, η = 0.1.
N_PER_CLASS, LENGTH, N_CHANNELS, N_LAYERS, STEP_SIZE = 200, 150, 7, 2000, 0.1
# Length of the random filters, which the paper does not give.
KERNEL_SIZE = 9
CLASS_NAMES = ("sine", "square")


@dataclass(frozen=True, eq=False)
class Signals:
    """Training and new signals (n, length), their classes, and the lift that gives them channels."""

    X: Array
    y: Array
    X_new: Array
    y_new: Array
    lift: Lift

    @classmethod
    def draw(cls, setting: Setting) -> "Signals":
        """Signals of the paper's size, or few of them at toy size."""
        n = setting.pick(N_PER_CLASS, N_PER_CLASS, 20)
        X, y = sinusoids(n, LENGTH, random_state=setting.seed)
        X_new, y_new = sinusoids(n, LENGTH, random_state=setting.seed + 1)
        lift = Lift("random", N_CHANNELS, KERNEL_SIZE, "relu", invariance="shift", random_state=setting.seed)
        return cls(X, y, X_new, y_new, lift.fit(X[:, None]))


def run(setting: Setting) -> Outcome:
    """Accuracy as they are and at all shifts; how orthogonal the classes get."""
    signals = Signals.draw(setting)
    lifted, lifted_new = (signals.lift.transform(X[:, None]) for X in (signals.X, signals.X_new))
    setting.say("as published")
    depth = setting.pick(N_LAYERS, N_LAYERS // 8, 10)
    published = ReduNet("shift", n_layers=depth, step_size=STEP_SIZE, **PUBLISHED_OPTIONS).fit(lifted, signals.y)
    setting.say("ours")
    ours = ReduNet("shift", n_layers=setting.pick(200, 200, 3)).fit(lifted, signals.y)
    features = [
        (
            Featured(lifted, net.transform(lifted), signals.y),
            Featured(lifted_new, net.transform(lifted_new), signals.y_new),
        )
        for net in (published, ours)
    ]
    rows = accuracy_rows(signals, features[0], setting.seed) + cosine_rows(signals, features, setting.seed)
    rows.append(Row.of("layers", N_LAYERS, [published.n_layers_, ours.n_layers_], whole=True))
    figures = [
        figure_of_signals(setting.seed + 2),
        *figures_of_shifts(*features[1], n_axes=1),
        figure_of_rates(published, ours),
    ]
    return Outcome(rows, figures, [exhibit(signals)])


def accuracy_rows(signals: Signals, published: tuple[Featured, Featured], seed: int) -> list[Row]:
    """Accuracy of the paper's classifier on the published features, and of ours on the signals."""
    training, new = published
    flat = FlatSubspaces.of(training.Z, training.y)
    clf = ReduNetClassifier("shift", lift=signals.lift).fit(signals.X, signals.y)
    shifted = shifted_at_random(signals.X_new, 1, seed)
    as_they_are = [flat.score(new.Z, new.y), clf.score(signals.X_new, signals.y_new)]
    at_shifts = [flat.score_shifted(new.Z, new.y, 1), clf.score(shifted, signals.y_new)]
    return [
        Row.of("accuracy on new signals", None, as_they_are),
        Row.of("accuracy at all 150 shifts", None, at_shifts),
    ]


def cosine_rows(signals: Signals, features: list[tuple[Featured, Featured]], seed: int) -> list[Row]:
    """Mean |cosine| across classes, of shifted signals before the networks and of their features after them."""
    shifted = shifted_at_random(signals.X_new, 1, seed)
    before = float(cosines_across_classes(signals.X, signals.y, shifted, signals.y_new).mean())
    after = [
        float(cosines_across_classes(training.Z, training.y, shifted_at_random(new.Z, 1, 0), new.y).mean())
        for training, new in features
    ]
    return [
        Row.of("mean |cosine| across classes, shifted signals", None, [before, before], "before the network"),
        Row.of("mean |cosine| across classes, their features", None, after),
    ]


def figure_of_signals(seed: int) -> Figure:
    """One signal of each class, as a curve and as noisy samples."""
    curves, _ = sinusoids(1, 10 * LENGTH, noise=0.0, random_state=seed)
    dots, _ = sinusoids(1, LENGTH, random_state=seed)

    def draw(figure: Any) -> None:
        plot.signals(curves, dots, CLASS_NAMES, figure.subplots())

    return Figure("signals", "One signal of each class: the curve, and the noisy samples of it.", draw, 7)


def exhibit(signals: Signals) -> dict[str, Any]:
    """A network of six layers that runs in the page, with three new signals of each class."""
    options: dict[str, Any] = {"membership": "softmax", "n_layers": 6, "rank": 2}
    layered = ReduNetClassifier("shift", lift=signals.lift, **options).fit(signals.X, np.array(CLASS_NAMES)[signals.y])
    shown = first_of_each(signals.y_new, 3)
    names = np.array(CLASS_NAMES)[signals.y_new[shown]]
    return live_network(layered, signals.X_new[shown][:, None], names, "Drag the signal sideways.")


TEXT = """A sine or a square wave, noisy, starting anywhere. Each signal gets seven channels by random filters; with \
all its shifts it spans a subspace, and the network makes the subspaces of the two classes orthogonal.

The features of a shifted signal are the shifted features. A test on flat features still depends on the shift; ours is \
taken at each frequency and does not: all shifts of a signal get the same answer, bit for bit."""
EXPERIMENTS = [Experiment("sinusoids", "Sines and square waves at any shift", TEXT, run)]
