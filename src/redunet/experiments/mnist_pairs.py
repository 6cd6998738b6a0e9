"""'0' against '1' at any rotation and at any translation: Table 1 of the paper, with its Figures 3 to 5."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import plot
from ..data.images import mnist, pick_digits
from ..estimators import ReduNet, ReduNetClassifier
from ..lift.lift import Lift
from ..lift.polar import PolarGrid
from ..numerics.arrays import Array
from ..report.live_network import live_network
from .experiment import PUBLISHED, Experiment, Figure, Outcome, Row, Setting
from .flat_subspaces import FlatSubspaces
from .shift_figures import all_moves, figure_of_rates, figures_of_shifts

# Without invariance a layer is a matrix of all pixels. It is cut here: its answers do not change any more.
CUT = 60
# Draws of five random filters that the evidence chooses from, and what it keeps of their responses.
LIFTS, POOL = 24, 3


@dataclass(frozen=True)
class Pair:
    """Training and new samples (n, n_channels, *grid) and images of two digits."""

    X: Array
    y: Array
    X_new: Array
    y_new: Array
    images_new: Array

    @classmethod
    def draw(cls, setting: Setting, n_train: int, n_test: int, grid: PolarGrid | None = None) -> "Pair":
        """Half of each digit, from MNIST's own parts; as rings if a grid is given."""
        images, digits = mnist("train", setting.data_dir)
        new, new_digits = mnist("test", setting.data_dir)
        images, y = pick_digits(images, digits, (0, 1), n_train // 2, setting.seed)
        new, y_new = pick_digits(new, new_digits, (0, 1), n_test // 2, setting.seed)
        scaled = [(part / np.float32(255)).astype(np.float32) for part in (images, new)]
        X, X_new = [part[:, None] for part in scaled] if grid is None else map(grid.fit(scaled[0]).transform, scaled)
        return cls(X, y, X_new, y_new, scaled[1])


def vector_network(setting: Setting, pair: Pair, step: float, layers: int, n_axes: int, stride: int) -> list[Row]:
    """The two cells of the network without invariance, as published and ours."""
    flat, flat_new = (part.reshape(len(part), -1) for part in (pair.X, pair.X_new))
    setting.say("without invariance, as published")
    published = ReduNet(n_layers=setting.pick(CUT, CUT // 3, 3), step_size=step, **PUBLISHED).fit(flat, pair.y)
    subspaces = FlatSubspaces.of(published.transform(flat), pair.y)
    setting.say("without invariance, ours")
    clf = ReduNetClassifier(membership="code").fit(flat, pair.y)
    n = setting.pick(200, 50, 4)
    some = np.concatenate([np.flatnonzero(pair.y_new == j)[: n // 2] for j in (0, 1)])
    moved = all_moves(pair.X_new[some], n_axes, stride).reshape(-1, flat.shape[1])
    answers = np.repeat(pair.y_new[some], len(moved) // len(some))
    given = "the paper does not give its radii" if n_axes == 1 else "another split than the paper's"
    cut = f"as published: {published.n_layers_} of {layers} layers, a matrix of all pixels each"
    original = [subspaces.score(published.transform(flat_new), pair.y_new), clf.score(flat_new, pair.y_new)]
    shifted = [subspaces.score(published.transform(moved), answers), clf.score(moved, answers)]
    return [Row.of("", None, original, cut), Row.of("", None, shifted, f"{len(some)} images, stride {stride}; {given}")]


def rotation(setting: Setting) -> Outcome:
    """Rings and angles: a rotation is a shift."""
    pair = Pair.draw(setting, setting.pick(2000, 400, 40), setting.pick(1000, 200, 20), PolarGrid(5, 200))
    original, shifted = vector_network(setting, pair, 0.5, 3500, 1, 10)
    setting.say("with invariance, as published")
    depth = setting.pick(3500, 350, 10)
    published = ReduNet("shift", n_layers=depth, step_size=0.5, **PUBLISHED).fit(pair.X, pair.y)
    subspaces = FlatSubspaces.of(published.transform(pair.X), pair.y)
    Z_published = published.transform(pair.X_new)
    setting.say("with invariance, ours")
    ours = ReduNet("shift", n_layers=setting.pick(100, 20, 3)).fit(pair.X, pair.y)
    clf = ReduNetClassifier("shift").fit(pair.X, pair.y)
    stride = setting.pick(1, 10, 50)
    turned_score, differ = moved_answers(clf, pair, 1, stride)
    rows = [
        replaced(original, "without invariance, test images", 0.983),
        replaced(shifted, "without invariance, rotated", 0.707),
        Row.of("invariant, test images", 0.996, [subspaces.score(Z_published, pair.y_new), answered(clf, pair)]),
        Row.of(
            "invariant, all 200 rotations",
            0.993,
            [subspaces.score_moved(Z_published, pair.y_new, 1, stride), turned_score],
        ),
        Row("answers of ours that differ from the unturned image's", None, None, differ, whole=True),
    ]
    layered = ReduNetClassifier("shift", membership="softmax", n_layers=8, rank=2).fit(pair.X, pair.y)
    shown = np.concatenate([np.flatnonzero(pair.y_new == j)[:3] for j in (0, 1)])
    caption = "Five rings of an image, 200 angles each. Drag sideways: the image turns."

    def turned(figure: Any) -> None:
        import scipy.ndimage

        zero, one = (pair.images_new[np.flatnonzero(pair.y_new == j)[0]] for j in (0, 1))
        pictures = [
            scipy.ndimage.rotate(image, 18 * i, reshape=False, order=1) for image in (zero, one) for i in range(10)
        ]
        plot.images(np.stack(pictures), figure.subplots())

    return Outcome(
        rows,
        [
            Figure("rotated", "Two test images, turned by 18° each time.", turned, 9, 2.2),
            *figures_of_shifts(
                pair.X, ours.transform(pair.X), pair.y, pair.X_new, ours.transform(pair.X_new), pair.y_new, 1
            ),
            figure_of_rates(published, ours),
        ],
        [live_network(layered, pair.X_new[shown], pair.y_new[shown], caption)],
    )


def translation(setting: Setting) -> Outcome:
    """Five random 3 × 3 filters, then the torus of translations."""
    pair = Pair.draw(setting, setting.pick(1000, 200, 40), setting.pick(500, 100, 20))
    original, shifted = vector_network(setting, pair, 0.1, 2000, 2, 7)
    lift = Lift("random", 5, 3, "relu", invariance="translation", random_state=setting.seed).fit(pair.X)
    lifted, lifted_new = lift.transform(pair.X), lift.transform(pair.X_new)
    setting.say("with invariance, as published")
    depth = setting.pick(2000, 100, 5)
    published = ReduNet("translation", n_layers=depth, step_size=0.5, **PUBLISHED).fit(lifted, pair.y)
    subspaces = FlatSubspaces.of(published.transform(lifted), pair.y)
    Z_published = published.transform(lifted_new)
    setting.say("with invariance, ours")
    ours = ReduNet("translation", n_layers=setting.pick(100, 10, 2)).fit(lifted, pair.y)
    lifts = [
        Lift("random", 5, 3, "relu", zero_mean=True, pool=POOL, random_state=100 * setting.seed + i)
        for i in range(setting.pick(LIFTS, LIFTS // 3, 2))
    ]
    clf = ReduNetClassifier("translation", lift=lifts).fit(pair.X, pair.y)
    stride = setting.pick(1, 7, 14)
    moved_score, differ = moved_answers(clf, pair, 2, stride)
    few_places, every_place = (subspaces.score_moved(Z_published, pair.y_new, 2, by) for by in (7, stride))
    rows = [
        replaced(original, "without invariance, test images", 0.980),
        replaced(shifted, "without invariance, translated (16 places)", 0.540),
        Row.of("invariant, test images", 0.975, [subspaces.score(Z_published, pair.y_new), answered(clf, pair)]),
        Row.of("invariant, 16 translations (stride 7)", 0.909, [few_places, moved_answers(clf, pair, 2, 7)[0]]),
        Row.of("invariant, all 784 translations", None, [every_place, moved_score]),
        Row("answers of ours that differ from the unmoved image's", None, None, differ, whole=True),
    ]
    layered = ReduNetClassifier("translation", lift=lift, membership="softmax", n_layers=4, rank=2).fit(pair.X, pair.y)
    shown = np.concatenate([np.flatnonzero(pair.y_new == j)[:3] for j in (0, 1)])

    def translated(figure: Any) -> None:
        zero, one = (pair.images_new[np.flatnonzero(pair.y_new == j)[:1]] for j in (0, 1))
        plot.images(np.concatenate([all_moves(zero, 2, 7), all_moves(one, 2, 7)]), figure.subplots(), columns=16)

    return Outcome(
        rows,
        [
            Figure("translated", "Two test images, moved by multiples of 7 pixels.", translated, 11, 1.8),
            *figures_of_shifts(
                lifted, ours.transform(lifted), pair.y, lifted_new, ours.transform(lifted_new), pair.y_new, 2, 7
            ),
            figure_of_rates(published, ours),
        ],
        [live_network(layered, pair.X_new[shown], pair.y_new[shown], "Drag the digit anywhere; it wraps around.")],
    )


def replaced(row: Row, quantity: str, paper: float) -> Row:
    """A row with its name and the paper's value."""
    return Row(quantity, paper, row.published, row.ours, row.note)


def answered(clf: ReduNetClassifier, pair: Pair) -> float:
    """Accuracy on the test images as they are."""
    return clf.score(pair.X_new, pair.y_new)


def moved_answers(clf: ReduNetClassifier, pair: Pair, n_axes: int, stride: int) -> tuple[float, int]:
    """Accuracy over all moves, each answered by the network itself, and how many answers differ from the unmoved."""
    axes = tuple(range(-n_axes, 0))
    still, right, differ = clf.predict(pair.X_new), [], 0
    for move in np.ndindex(*(-(-length // stride) for length in pair.X_new.shape[-n_axes:])):
        answers = clf.predict(np.roll(pair.X_new, [stride * by for by in move], axis=axes))
        right.append(np.mean(answers == pair.y_new))
        differ += int(np.sum(answers != still))
    return float(np.mean(right)), differ


ROTATION = """Five rings around the centre of an image, sampled at 200 angles: turning the image shifts the rings. The \
paper's Table 1, upper half.

Original and rotated test images get the same answers from our network, one by one: what is measured at each frequency \
does not know the angle. The paper's flat test loses a little; a network without invariance loses most of it."""
TRANSLATION = """Five random 3 × 3 filters give an image five channels; all its translations on the torus are of its \
class. The paper's Table 1, lower half.

Ours draws the five filters several times, keeps the slow part of their responses, and lets leave-one-out choose."""
EXPERIMENTS = [
    Experiment("rotation-mnist", "'0' or '1' at any rotation", ROTATION, rotation, "MNIST", partial(mnist, "test")),
    Experiment(
        "translation-mnist", "'0' or '1' at any translation", TRANSLATION, translation, "MNIST", partial(mnist, "test")
    ),
]
