"""Samples that judge a training: which ones, the start that has not seen them, and what they say of each epoch."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from ..estimators.training_history import TrainingHistory
from ..evidence.calibration import Calibration, calibrate
from ..inputs.errors import Data, InputError, Option
from ..inputs.samples import read_labels, read_weights, refuse_unknown_labels
from ..inputs.unequal_lengths import lengths_of
from ..lift.lift import Lift
from ..numerics.arrays import Array
from ..numerics.membership import soft_membership

# The largest share of the samples that may be held out; how many are enough to judge by; trainings for that, at most.
LARGEST_SHARE, ENOUGH_SAMPLES_HELD_OUT, MOST_TRAININGS = 0.5, 500, 5
# What is within so many standard errors of a mean difference of losses is chance.
STANDARD_ERRORS = 1.0
# Mean gain of the logarithm of a probability below which nothing was gained, however sure it is.
SMALLEST_GAIN = 1e-5


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


class Judge(NamedTuple):
    """Samples that judge one training.

    Parameters
    ----------
    samples : Samples
    is_held_out : bool array, shape (n_training_samples,)
        Which of the training samples they are; none where they are others.
    """

    samples: Samples
    is_held_out: Array


def read_samples(clf: Any, X: Any, y: Any, sample_weight: Any = None) -> Samples:
    """Labelled samples for a classifier that is fitted, of classes that it knows."""
    samples, _ = clf._read_new(X)
    if getattr(clf, "takes_unequal_lengths_", False) and lengths_of(samples) is not None:
        raise InputError(
            "{data} holds signals of unequal lengths, which cannot be trained with; cut or resample them to one "
            "length, and fit again.",
            data=Data("X"),
        )
    labels = read_labels(y, len(samples))
    refuse_unknown_labels(labels.classes, clf.classes_)
    codes = np.searchsorted(clf.classes_, labels.classes)[labels.codes]
    counted = read_weights(sample_weight, len(samples))
    return Samples(samples, codes, counted).rows(counted > 0)


def judges_of(clf: Any, samples: Samples, held_out: Any, seed: int) -> list[Judge]:
    """Samples that judge trainings: others that were given, or shares of all, drawn from each class.

    Of few samples one share is too few to judge by: then it is several, each held out of a training of its own.
    """
    if isinstance(held_out, (tuple, list)):
        if len(held_out) != 2:
            raise InputError("{held_out} must be a share, or a pair (X, y).", held_out=Option("held_out"))
        return [Judge(read_samples(clf, held_out[0], held_out[1]), np.zeros(len(samples.X), dtype=bool))]
    if not (isinstance(held_out, (int, float)) and 0 < held_out <= LARGEST_SHARE):
        raise InputError(
            "{held_out} must be a share > 0 and <= {largest}, or a pair (X, y), got {value!r}.",
            held_out=Option("held_out"),
            largest=LARGEST_SHARE,
            value=held_out,
        )
    part = parts_of_each_class(clf, samples.codes, round(1 / held_out), seed)
    n_parts = math.ceil(ENOUGH_SAMPLES_HELD_OUT / max(1, np.sum(part == 0)))
    return [Judge(samples.rows(part == i), part == i) for i in range(min(n_parts, part.max() + 1, MOST_TRAININGS))]


def parts_of_each_class(clf: Any, codes: Array, n_parts: int, seed: int) -> Array:
    """Number of the part that each sample is in; each part has some of each class, and leaves two of it."""
    smallest = np.bincount(codes, minlength=len(clf.classes_))[np.unique(codes)].min()
    n_parts = min(n_parts, int(smallest))
    rng = np.random.default_rng(seed)
    part = np.empty(len(codes), dtype=np.int64)
    for code in np.unique(codes):
        mine = rng.permutation(np.flatnonzero(codes == code))
        part[mine] = np.arange(len(mine)) % n_parts
        if len(mine) - np.sum(part[mine] == 0) < 2:
            raise InputError(
                "class {label!r} has {n} samples in {data}, and at least two of them must be left to train with beside "
                "those held out; pass more samples, or other ones as {held_out}.",
                label=clf.classes_.tolist()[code],
                n=len(mine),
                data=Data("X"),
                held_out=Option("held_out"),
            )
    return part


def is_trained(clf: Any) -> bool:
    """Whether a classifier was trained, so that no fit could build it again."""
    return clf.training_history_ is not None and clf.training_history_.is_of_trained


def start_without(clf: Any, samples: Samples) -> Any:
    """A classifier like this one, built from some samples alone, with what was chosen for this one.

    One that was trained before cannot be built again: it is its own start, though it has seen all samples.
    """
    if is_trained(clf):
        return clf
    again = clone(clf)
    chosen = {"n_layers": "n_layers_", "eps": "eps_", "membership": "membership_", "rank": "rank_"}
    known = {option: getattr(clf, name, None) for option, name in chosen.items()}
    known = {option: value for option, value in known.items() if value is not None and option in again.get_params()}
    if isinstance(getattr(clf, "lift_", None), Lift):
        known["lift"] = clone(clf.lift_)
    if "verbose" in again.get_params():
        known["verbose"] = 0
    return again.set_params(**known).fit(samples.X, clf.classes_[samples.codes], samples.weights)


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What samples held out say of the start and of each epoch.

    Parameters
    ----------
    losses : float array, shape (n_epochs,)
        Mean loss of the training samples.
    distances : float array, shape (n_epochs + 1, n_held_out, n_classes)
        Of each sample to each class that has samples.
    codes : int array, shape (n_held_out,)
        Numbers of the classes of the samples, among those that have samples.
    weights : float array, shape (n_held_out,)
        How often each sample counts.
    """

    losses: Array
    distances: Array
    codes: Array
    weights: Array

    @classmethod
    def of_start(cls, start: Any, samples: Samples) -> Self:
        """Verdicts before the first epoch."""
        codes = samples.codes if start._seen is None else np.searchsorted(start._seen, samples.codes)
        return cls(np.zeros(0), _distances(start, samples)[None], codes, samples.weights)

    def after(self, loss: float, now: Any, samples: Samples) -> "Verdicts":
        """Verdicts after one more epoch."""
        distances = np.concatenate([self.distances, _distances(now, samples)[None]])
        return replace(self, losses=np.append(self.losses, loss), distances=distances)

    @classmethod
    def together(cls, found: Sequence["Verdicts"]) -> "Verdicts":
        """Verdicts of several trainings with as many epochs each, as of one."""
        distances = np.concatenate([one.distances for one in found], axis=1)
        codes, weights = (np.concatenate([getattr(one, name) for one in found]) for name in ("codes", "weights"))
        return cls(np.mean([one.losses for one in found], axis=0), distances, codes, weights)

    @cached_property
    def calibrations(self) -> list[Calibration]:
        """How sure to be after each epoch: what gives the labels of these samples the highest probability."""
        return [calibrate(distances, self.codes, self.weights) for distances in self.distances]

    @cached_property
    def own(self) -> Array:
        """Logarithm of the probability of the label of each sample; shape (n_epochs + 1, n_held_out)."""
        places, n_classes = np.arange(len(self.codes)), self.distances.shape[2]
        rows = []
        for distances, found in zip(self.distances, self.calibrations, strict=True):
            shares = soft_membership(distances.T, found.sharpness)[places, self.codes]
            rows.append(np.log((1 - found.doubt) * shares + found.doubt / n_classes))
        return np.stack(rows)

    @property
    def accuracies(self) -> Array:
        """Share of the samples that are classified correctly; shape (n_epochs + 1,)."""
        return np.average(self.distances.argmin(axis=2) == self.codes, axis=1, weights=self.weights)

    @property
    def held_out_losses(self) -> Array:
        """Minus the mean logarithm of the probability of the label; shape (n_epochs + 1,)."""
        return -np.average(self.own, axis=1, weights=self.weights)

    @property
    def best_epoch(self) -> int:
        """The last epoch not worse than the best one beyond chance; 0, the start, unless it is better beyond chance.

        The best epoch is so by luck in part, and more training does no harm until it shows. Epochs are compared by the
        loss, and count only where they answer no fewer samples correctly than the start.
        """
        losses = np.where(self.accuracies >= self.accuracies[0], self.held_out_losses, np.inf)
        best = int(losses.argmin())
        later = [
            e for e in range(best, len(losses)) if np.isfinite(losses[e]) and self._gain(e, best) <= STANDARD_ERRORS
        ]
        return later[-1] if self._gain(0, later[-1]) > STANDARD_ERRORS else 0

    def _gain(self, before: int, after: int) -> float:
        """How much smaller the loss is after an epoch than after another, in standard errors of the mean difference."""
        gain = self.own[after] - self.own[before]
        mean = np.average(gain, weights=self.weights)
        error = np.sqrt(np.average((gain - mean) ** 2, weights=self.weights) / self.weights.sum())
        return float(mean / error) if error > 0 and abs(mean) > SMALLEST_GAIN else 0.0

    def history(self, parts: tuple[str, ...], *, was_trained: bool) -> TrainingHistory:
        """What a classifier keeps of all this; ``was_trained`` says whether its start had been trained before."""
        seen = self.held_out_losses, self.accuracies, len(self.codes)
        return TrainingHistory(parts, self.losses, *seen, self.best_epoch, was_trained)

    def arrays(self, name: str) -> dict[str, Array]:
        """All of it, for a file; see :meth:`of_arrays`."""
        return {f"{name} {field.name}": getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of_arrays(cls, name: str, arrays: Mapping[str, Array]) -> Self:
        """What :meth:`arrays` gave, whatever stands beside it."""
        return cls(**{field.name: arrays[f"{name} {field.name}"] for field in fields(cls)})


def _distances(clf: Any, samples: Samples) -> Array:
    """Distances of samples to the classes that have samples; shape (n_samples, n_classes)."""
    distances: Array = clf._finite_distances(samples.X)
    return distances if clf._seen is None else distances[:, clf._seen]
