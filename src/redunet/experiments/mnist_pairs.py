"""'0' against '1' at any rotation and at any translation: Table 1 of the paper, with its Figures 3 to 5."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import plot
from ..data.images import mnist, pick_digits
from ..data.shifts import all_shifts_of_each, each_shift
from ..estimators import ReduNet, ReduNetClassifier
from ..lift.lift import Lift
from ..lift.polar import PolarGrid
from ..numerics.arrays import Array
from ..report.live_network import live_network
from .experiment import Experiment, Figure, Outcome, Row, Setting
from .flat_subspaces import FlatSubspaces
from .published_constants import (
    PUBLISHED_OPTIONS,
    ROTATION,
    ROTATION_GRID,
    TRANSLATION,
    TRANSLATION_LIFT,
    TRANSLATION_STRIDE,
    PublishedTask,
)
from .shift_figures import Featured, figure_of_rates, figures_of_shifts, first_of_each

# Layers of the network without invariance. Each is a matrix of all pixels, and after these its answers stay the same.
N_VECTOR_LAYERS = 60
# Number of times that the five random filters are drawn, for the evidence to choose from.
N_LIFTS = 24
# Pooling of their responses.
POOL = 3
# Angles between the rotations at which the network without invariance is tested, in steps of the grid.
ROTATION_STRIDE = 10


@dataclass(frozen=True, eq=False)
class Pair:
    """Training and new samples (n, n_channels, *grid) of two digits, their classes, and the new ones as images."""

    X: Array
    y: Array
    X_new: Array
    y_new: Array
    images_new: Array

    @classmethod
    def draw(cls, setting: Setting, n_train: int, n_test: int, grid: PolarGrid | None = None) -> "Pair":
        """As many images of either digit, from MNIST's training and test part; as rings if a grid is given."""
        images, digits = mnist("train", setting.data_dir)
        new, new_digits = mnist("test", setting.data_dir)
        images, y = pick_digits(images, digits, (0, 1), n_train // 2, setting.seed)
        new, y_new = pick_digits(new, new_digits, (0, 1), n_test // 2, setting.seed)
        scaled = [(part / np.float32(255)).astype(np.float32) for part in (images, new)]
        X, X_new = [part[:, None] for part in scaled] if grid is None else map(grid.fit(scaled[0]).transform, scaled)
        return cls(X, y, X_new, y_new, scaled[1])


@dataclass(frozen=True, eq=False)
class Networks:
    """Invariant networks on some channels of the samples of a pair: as published, and ours.

    Parameters
    ----------
    published, ours : ReduNet
    subspaces : FlatSubspaces
        The paper's classifier on the features of the published network.
    Z_published_new : array
        Features of the new samples in the published network.
    training, new : Featured
        The channels of the samples, with their features in our network.
    """

    published: ReduNet
    ours: ReduNet
    subspaces: FlatSubspaces
    Z_published_new: Array
    training: Featured
    new: Featured

    @classmethod
    def fit(cls, published: ReduNet, ours: ReduNet, pair: Pair, channels: Array, channels_new: Array) -> "Networks":
        """Fit both to the channels of the training samples, and carry the new ones through them."""
        published.fit(channels, pair.y)
        ours.fit(channels, pair.y)
        return cls(
            published,
            ours,
            FlatSubspaces.of(published.transform(channels), pair.y),
            published.transform(channels_new),
            Featured(channels, ours.transform(channels), pair.y),
            Featured(channels_new, ours.transform(channels_new), pair.y_new),
        )


def without_invariance(setting: Setting, pair: Pair, task: PublishedTask, n_axes: int, stride: int) -> list[list[Any]]:
    """Accuracy of networks of flat vectors, on test images as they are and on shifted ones; two values and a note each.

    The values are as published, then ours.
    """
    flat, flat_new = (part.reshape(len(part), -1) for part in (pair.X, pair.X_new))
    setting.say("without invariance, as published")
    depth = setting.pick(N_VECTOR_LAYERS, N_VECTOR_LAYERS // 3, 3)
    published = ReduNet(n_layers=depth, step_size=task.vector_step_size, **PUBLISHED_OPTIONS).fit(flat, pair.y)
    subspaces = FlatSubspaces.of(published.transform(flat), pair.y)
    setting.say("without invariance, ours")
    clf = ReduNetClassifier(membership="code").fit(flat, pair.y)
    some = first_of_each(pair.y_new, setting.pick(200, 50, 4) // 2)
    shifted = all_shifts_of_each(pair.X_new[some], n_axes, stride).reshape(-1, flat.shape[1])
    shifted_y = np.repeat(pair.y_new[some], len(shifted) // len(some))
    reason = "the paper does not give its radii" if n_axes == 1 else "another split than the paper's"
    as_they_are = [subspaces.score(published.transform(flat_new), pair.y_new), clf.score(flat_new, pair.y_new)]
    at_shifts = [subspaces.score(published.transform(shifted), shifted_y), clf.score(shifted, shifted_y)]
    return [
        [as_they_are, f"as published: {published.n_layers_} of {task.n_layers} layers, a matrix of all pixels each"],
        [at_shifts, f"{len(some)} images, stride {stride}; {reason}"],
    ]


def shifted_accuracy(clf: ReduNetClassifier, pair: Pair, n_axes: int, stride: int) -> tuple[float, int]:
    """Accuracy over all shifts of the new samples, and how many predictions differ from those of the unshifted sample.

    Every shifted sample goes through the network itself.
    """
    unshifted = clf.predict(pair.X_new)
    accuracies, n_different = [], 0
    for shifted in each_shift(pair.X_new, n_axes, stride):
        predictions = clf.predict(shifted)
        accuracies.append(np.mean(predictions == pair.y_new))
        n_different += int(np.sum(predictions != unshifted))
    return float(np.mean(accuracies)), n_different


def rotation(setting: Setting) -> Outcome:
    """Rings and angles: a rotation is a shift."""
    n_train, n_test = setting.pick(ROTATION.n_train, 400, 40), setting.pick(ROTATION.n_test, 200, 20)
    pair = Pair.draw(setting, n_train, n_test, PolarGrid(**ROTATION_GRID))
    flat, flat_shifted = without_invariance(setting, pair, ROTATION, n_axes=1, stride=ROTATION_STRIDE)
    setting.say("with invariance")
    depth = setting.pick(ROTATION.n_layers, 350, 10)
    published = ReduNet("shift", n_layers=depth, step_size=ROTATION.step_size, **PUBLISHED_OPTIONS)
    ours = ReduNet("shift", n_layers=setting.pick(100, 20, 3))
    nets = Networks.fit(published, ours, pair, pair.X, pair.X_new)
    clf = ReduNetClassifier("shift").fit(pair.X, pair.y)
    stride = setting.pick(1, 10, 50)
    shifted, n_different = shifted_accuracy(clf, pair, 1, stride)
    as_they_are = [nets.subspaces.score(nets.Z_published_new, pair.y_new), clf.score(pair.X_new, pair.y_new)]
    at_shifts = [nets.subspaces.score_shifted(nets.Z_published_new, pair.y_new, 1, stride), shifted]
    rows = [
        Row.of("without invariance, test images", ROTATION.vector_accuracy, *flat),
        Row.of("without invariance, rotated", ROTATION.vector_accuracy_shifted, *flat_shifted),
        Row.of("invariant, test images", ROTATION.accuracy, as_they_are),
        Row.of("invariant, all 200 rotations", ROTATION.accuracy_shifted, at_shifts),
        Row("answers of ours that differ from the unturned image's", None, None, n_different, whole=True),
    ]
    figures = [
        Figure("rotated", "Two test images, turned by 18° each time.", partial(draw_rotated, pair=pair), 9, 2.2),
        *figures_of_shifts(nets.training, nets.new, n_axes=1),
        figure_of_rates(nets.published, nets.ours),
    ]
    layered = ReduNetClassifier("shift", membership="softmax", n_layers=8, rank=2).fit(pair.X, pair.y)
    shown = first_of_each(pair.y_new, 3)
    caption = "Five rings of an image, 200 angles each. Drag sideways: the image turns."
    return Outcome(rows, figures, [live_network(layered, pair.X_new[shown], pair.y_new[shown], caption)])


def draw_rotated(figure: Any, pair: Pair) -> None:
    """One test image of each digit, turned by 18° each time."""
    import scipy.ndimage

    images = pair.images_new[first_of_each(pair.y_new, 1)]
    turned = [scipy.ndimage.rotate(image, 18 * i, reshape=False, order=1) for image in images for i in range(10)]
    plot.images(np.stack(turned), figure.subplots())


def translation(setting: Setting) -> Outcome:
    """Five random 3 × 3 filters, then all translations with wrap-around."""
    n_train, n_test = setting.pick(TRANSLATION.n_train, 200, 40), setting.pick(TRANSLATION.n_test, 100, 20)
    pair = Pair.draw(setting, n_train, n_test)
    flat, flat_shifted = without_invariance(setting, pair, TRANSLATION, n_axes=2, stride=TRANSLATION_STRIDE)
    lift = Lift(**TRANSLATION_LIFT, invariance="translation", random_state=setting.seed).fit(pair.X)
    setting.say("with invariance")
    depth = setting.pick(TRANSLATION.n_layers, 100, 5)
    published = ReduNet("translation", n_layers=depth, step_size=TRANSLATION.step_size, **PUBLISHED_OPTIONS)
    ours = ReduNet("translation", n_layers=setting.pick(100, 10, 2))
    nets = Networks.fit(published, ours, pair, lift.transform(pair.X), lift.transform(pair.X_new))
    clf = ReduNetClassifier("translation", lift=drawn_lifts(setting)).fit(pair.X, pair.y)
    rows = [
        Row.of("without invariance, test images", TRANSLATION.vector_accuracy, *flat),
        Row.of("without invariance, translated (16 places)", TRANSLATION.vector_accuracy_shifted, *flat_shifted),
        *translation_rows(nets, clf, pair, setting.pick(1, 7, 14)),
    ]
    caption = "Two test images, moved by multiples of 7 pixels."
    figures = [
        Figure("translated", caption, partial(draw_translated, pair=pair), 11, 1.8),
        *figures_of_shifts(nets.training, nets.new, n_axes=2, stride=TRANSLATION_STRIDE),
        figure_of_rates(nets.published, nets.ours),
    ]
    layered = ReduNetClassifier("translation", lift=lift, membership="softmax", n_layers=4, rank=2).fit(pair.X, pair.y)
    shown = first_of_each(pair.y_new, 3)
    caption = "Drag the digit anywhere; it wraps around."
    return Outcome(rows, figures, [live_network(layered, pair.X_new[shown], pair.y_new[shown], caption)])


def drawn_lifts(setting: Setting) -> list[Lift]:
    """The paper's five filters, without their mean and drawn several times, for the evidence to choose from."""
    n_lifts = setting.pick(N_LIFTS, N_LIFTS // 3, 2)
    seeds = [100 * setting.seed + i for i in range(n_lifts)]
    return [Lift(**TRANSLATION_LIFT, zero_mean=True, pool=POOL, random_state=seed) for seed in seeds]


def translation_rows(nets: Networks, clf: ReduNetClassifier, pair: Pair, stride: int) -> list[Row]:
    """Rows of the invariant networks: test images as they are, at the paper's 16 translations, and at all of them."""
    Z, subspaces = nets.Z_published_new, nets.subspaces
    shifted, n_different = shifted_accuracy(clf, pair, 2, stride)
    at_few = [
        subspaces.score_shifted(Z, pair.y_new, 2, TRANSLATION_STRIDE),
        shifted_accuracy(clf, pair, 2, TRANSLATION_STRIDE)[0],
    ]
    as_they_are = [subspaces.score(Z, pair.y_new), clf.score(pair.X_new, pair.y_new)]
    at_all = [subspaces.score_shifted(Z, pair.y_new, 2, stride), shifted]
    return [
        Row.of("invariant, test images", TRANSLATION.accuracy, as_they_are),
        Row.of("invariant, 16 translations (stride 7)", TRANSLATION.accuracy_shifted, at_few),
        Row.of("invariant, all 784 translations", None, at_all),
        Row("answers of ours that differ from the unmoved image's", None, None, n_different, whole=True),
    ]


def draw_translated(figure: Any, pair: Pair) -> None:
    """One test image of each digit, moved by multiples of 7 pixels."""
    images = pair.images_new[first_of_each(pair.y_new, 1)]
    plot.images(all_shifts_of_each(images, 2, TRANSLATION_STRIDE), figure.subplots(), columns=16)


ROTATION_TEXT = """Five rings around the centre of an image, sampled at 200 angles: turning the image shifts the \
rings. The paper's Table 1, upper half.

Original and rotated test images get the same answers from our network, one by one: what is measured at each frequency \
does not depend on the angle. The paper's flat test loses a little; a network without invariance loses most of it."""
TRANSLATION_TEXT = """Five random 3 × 3 filters give an image five channels; all its translations on the torus are of \
its class. The paper's Table 1, lower half.

Ours draws the five filters several times, keeps the slow part of their responses, and lets leave-one-out choose."""
EXPERIMENTS = [
    Experiment(
        "rotation-mnist", "'0' or '1' at any rotation", ROTATION_TEXT, rotation, "MNIST", partial(mnist, "test")
    ),
    Experiment(
        "translation-mnist",
        "'0' or '1' at any translation",
        TRANSLATION_TEXT,
        translation,
        "MNIST",
        partial(mnist, "test"),
    ),
]
