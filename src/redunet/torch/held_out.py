"""Samples that judge a training: which ones, the start that has not seen them, and what they say of each epoch."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from ..evidence.calibration import Calibration, calibrate
from ..estimators.training_history import TrainingHistory
from ..inputs.errors import Data, InputError, Option
from ..inputs.samples import read_labels, read_weights, refuse_unknown_labels
from ..lift.lift import Lift
from ..numerics.arrays import Array
from ..numerics.membership import soft_membership

# The largest share of the samples that may be held out.
LARGEST_SHARE = 0.5


class Samples(NamedTuple):
    """Labelled samples.

    Parameters
    ----------
    X : array, shape (n_samples, *sample_shape)
    codes : int array, shape (n_samples,)
        Number of the class of each sample among all classes that a classifier knows.
    weights : float array, shape (n_samples,)
        How often each sample counts.
    """

    X: Array
    codes: Array
    weights: Array

    def rows(self, which: Array) -> "Samples":
        """Some of them."""
        return Samples(self.X[which], self.codes[which], self.weights[which])


class Judging(NamedTuple):
    """Samples that judge a training.

    Parameters
    ----------
    samples : Samples
    is_held_out : bool array, shape (n_training_samples,)
        Which of the training samples they are; none where they are others.
    """

    samples: Samples
    is_held_out: Array


def read_samples(clf: Any, X: Any, y: Any, sample_weight: Any) -> Samples:
    """Labelled samples for a classifier that is fitted, of classes that it knows."""
    samples, _ = clf._read_new(X)
    labels = read_labels(y, len(samples))
    refuse_unknown_labels(labels.classes, clf.classes_)
    codes = np.searchsorted(clf.classes_, labels.classes)[labels.codes]
    counted = read_weights(sample_weight, len(samples))
    return Samples(samples, codes, counted).rows(counted > 0)


def judging_samples(clf: Any, samples: Samples, held_out: Any, seed: int) -> Judging:
    """Samples that judge a training: a share of all, drawn from each class, or others that were given."""
    if isinstance(held_out, (tuple, list)):
        if len(held_out) != 2:
            raise InputError("{held_out} must be a share, or a pair (X, y).", held_out=Option("held_out"))
        return Judging(read_samples(clf, *held_out, None), np.zeros(len(samples.X), dtype=bool))
    if not (isinstance(held_out, (int, float)) and 0 < held_out <= LARGEST_SHARE):
        raise InputError(
            "{held_out} must be a share > 0 and <= {largest}, or a pair (X, y), got {value!r}.",
            held_out=Option("held_out"),
            largest=LARGEST_SHARE,
            value=held_out,
        )
    rng = np.random.default_rng(seed)
    chosen = np.zeros(len(samples.codes), dtype=bool)
    for code in np.unique(samples.codes):
        mine = np.flatnonzero(samples.codes == code)
        n_held_out = max(1, round(held_out * len(mine)))
        if len(mine) - n_held_out < 2:
            raise InputError(
                "class {label!r} has {n} samples in {data}, and at least two of them must be left to train with beside "
                "those held out; pass more samples, or other ones as {held_out}.",
                label=clf.classes_.tolist()[code],
                n=len(mine),
                data=Data("X"),
                held_out=Option("held_out"),
            )
        chosen[rng.choice(mine, n_held_out, replace=False)] = True
    return Judging(samples.rows(chosen), chosen)


def start_without(clf: Any, samples: Samples) -> Any:
    """A classifier like this one, built from some samples alone, with what was chosen for this one.

    One that was trained before cannot be built again: it is its own start, though it has seen all samples.
    """
    if clf.training_history_ is not None:
        return clf
    again = clone(clf)
    chosen = {"n_layers": "n_layers_", "eps": "eps_", "membership": "membership_", "rank": "rank_"}
    known = {option: getattr(clf, name, None) for option, name in chosen.items()}
    known = {option: value for option, value in known.items() if value is not None and option in again.get_params()}
    if isinstance(getattr(clf, "lift_", None), Lift):
        known["lift"] = clone(clf.lift_)
    again.set_params(**known, verbose=0) if "verbose" in again.get_params() else again.set_params(**known)
    return again.fit(samples.X, clf.classes_[samples.codes], samples.weights)


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What the samples held out say of the start and of each epoch.

    Parameters
    ----------
    losses : float array, shape (n_epochs,)
        Mean loss of the training samples.
    own : float array, shape (n_epochs + 1, n_held_out)
        Logarithm of the probability of the label of each sample.
    accuracies : float array, shape (n_epochs + 1,)
    calibrations : float array, shape (n_epochs + 1, 2)
        Sharpness and doubt that suit these samples best.
    weights : float array, shape (n_held_out,)
        How often each sample counts.
    """

    losses: Array
    own: Array
    accuracies: Array
    calibrations: Array
    weights: Array

    @classmethod
    def of_start(cls, samples: Samples, start: Any) -> Self:
        """Verdicts before the first epoch."""
        own, accuracy, calibration = _verdict(start, samples)
        return cls(np.zeros(0), own[None], np.array([accuracy]), calibration[None], samples.weights)

    def after(self, loss: float, now: Any, samples: Samples) -> "Verdicts":
        """Verdicts after one more epoch."""
        own, accuracy, calibration = _verdict(now, samples)
        return Verdicts(
            np.append(self.losses, loss),
            np.vstack([self.own, own]),
            np.append(self.accuracies, accuracy),
            np.vstack([self.calibrations, calibration]),
            self.weights,
        )

    @property
    def held_out_losses(self) -> Array:
        """Minus the mean logarithm of the probability of the label; shape (n_epochs + 1,)."""
        return -np.average(self.own, axis=1, weights=self.weights)

    @property
    def best_epoch(self) -> int:
        """The epoch of the least loss among those that answer no fewer samples correctly than the start.

        It is 0, the start, unless the loss is smaller beyond chance: by more than one standard error of its mean.
        """
        losses = np.where(self.accuracies >= self.accuracies[0], self.held_out_losses, np.inf)
        best = int(losses.argmin())
        gain = self.own[best] - self.own[0]
        mean = np.average(gain, weights=self.weights)
        error = np.sqrt(np.average((gain - mean) ** 2, weights=self.weights) / self.weights.sum())
        return best if mean > error else 0

    def calibration(self, epoch: int, offsets: Array | None) -> Calibration:
        """How sure to be after an epoch."""
        sharpness, doubt = self.calibrations[epoch].tolist()
        return Calibration(sharpness, doubt, offsets)

    def history(self, parts: tuple[str, ...]) -> TrainingHistory:
        """What is kept of all this."""
        return TrainingHistory(
            parts, self.losses, self.held_out_losses, self.accuracies, self.own.shape[1], self.best_epoch
        )

    def arrays(self) -> dict[str, Array]:
        """All of it, for a file; see :meth:`of_arrays`."""
        return {f"verdict {name}": value for name, value in vars(self).items()}

    @classmethod
    def of_arrays(cls, arrays: dict[str, Array]) -> Self:
        """What :meth:`arrays` gave, whatever stands beside it."""
        return cls(**{name: arrays[f"verdict {name}"] for name in cls.__dataclass_fields__})


def _verdict(clf: Any, samples: Samples) -> tuple[Array, float, Array]:
    """Logarithms of the probabilities of the labels, accuracy, and the calibration that both were found with."""
    distances = clf._finite_distances(samples.X)
    seen = slice(None) if clf._seen is None else clf._seen
    codes = samples.codes if clf._seen is None else np.searchsorted(clf._seen, samples.codes)
    found = calibrate(distances[:, seen], codes, samples.weights)
    n_classes = distances[:, seen].shape[1]
    shares = soft_membership(distances[:, seen].T, found.sharpness)[np.arange(len(codes)), codes]
    own = np.log((1 - found.doubt) * shares + found.doubt / n_classes)
    accuracy = float(np.average(distances.argmin(axis=1) == samples.codes, weights=samples.weights))
    return own, accuracy, np.array([found.sharpness, found.doubt])
