"""What every estimator does with its samples."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..fast.blas import single_threaded
from ..fast.threads import at_most_threads
from ..inputs.class_weights import check_class_weight, weights_of_classes
from ..inputs.errors import Data, InputError, Option
from ..inputs.labels import Labels
from ..inputs.parameters import INVARIANCES, check_affine, check_choice, check_kernel, check_n_jobs, check_shape
from ..inputs.samples import (
    read_groups,
    read_labels,
    read_new_samples,
    read_training_samples,
    read_weights,
    refuse_single_class,
    refuse_thin_classes,
    refuse_weightless_classes,
    refuse_zero_samples,
)
from ..inputs.unequal_lengths import lengths_of
from ..network.geometry import Geometry
from ..network.kernel_map import KernelMap, choose_landmarks, usual_gamma
from ..network.network import Network
from ..network.standardiser import Standardiser
from ..numerics.arrays import Array
from ..storage.expectations import expect
from ..storage.saving import Saving
from ..storage.stored_types import stored_attributes


class LiftedSamples(NamedTuple):
    """A lift that was fitted to samples.

    Parameters
    ----------
    lift : Lift, PooledLift or None
    vectors : array, shape (n_samples, n_features + 1), or None
        What a lift that pools makes of the samples.
    luck : float
        How much of the score of the best of several lifts is luck.
    """

    lift: Any
    vectors: Array | None
    luck: float


class UnlabelledPart(NamedTuple):
    """Which samples of a fit had no label.

    Parameters
    ----------
    marked : bool array, shape (n_given,)
        Of all samples that were given.
    samples : array, shape (n_marked, n_channels, *grid)
    codes : int array, shape (n_given − n_marked,)
        Classes of the others.
    left_out_score : float
        Share of labelled samples that are classified correctly with the unlabelled ones, where neither the sample nor
        its label had any part in it; not a number where none could be left out, or none joined in.
    """

    marked: Array
    samples: Array
    codes: Array
    left_out_score: float = float("nan")


class TrainingData(NamedTuple):
    """Samples that a fit learns from, once they are read.

    Parameters
    ----------
    samples : array, shape (n_samples, n_channels, *grid)
        Of positive weight.
    labels : Labels
    weights : float array, shape (n_samples,)
    geometry : Geometry
        That the samples live in.
    groups : int array, shape (n_samples,), optional
        Number of the group of each sample.
    scaler : Standardiser, optional
        What brings plain vectors to one scale before they enter.
    kernel : KernelMap, optional
        What gives plain vectors the features of a kernel before they enter.
    witnesses : bool array, shape (n_samples,), optional
        Samples whose labels were given, where others were answered: the evidence comes from these.
    lifted : LiftedSamples, optional
        What the lift has made of the samples, where it is fitted already.
    unlabelled : UnlabelledPart, optional
        Which of the samples that were given had no label, whether they joined in or not.
    """

    samples: Array
    labels: Labels
    weights: Array
    geometry: Geometry
    groups: Array | None = None
    scaler: Standardiser | None = None
    kernel: KernelMap | None = None
    witnesses: Array | None = None
    lifted: LiftedSamples | None = None
    unlabelled: UnlabelledPart | None = None

    @property
    def scaled_samples(self) -> Array:
        """The samples on the scale on which they enter."""
        return self.samples if self.scaler is None else self.scaler(self.samples)


@stored_attributes(network_=Network)
class SampleReader(Saving, BaseEstimator):  # type: ignore[misc]
    """What every estimator does with X: read it by its invariance, affine or not, for the unit sphere."""

    invariance: str | None
    sample_shape: tuple[int, ...] | None
    affine: bool | float
    convention: str = "exact"
    # What estimators have that were pickled before there were these options.
    class_weight: Any = None
    n_jobs: int | None = None
    kernel: Any = None
    gamma: Any = "auto"
    n_landmarks: int = 1000
    random_state: Any = 0
    network_: Network

    def _check_layout(self) -> None:
        """Refuse options that say how X is read, where no X could go with them."""
        check_choice("invariance", self.invariance, INVARIANCES)
        check_shape("sample_shape", self.sample_shape)
        check_affine(self.affine)
        is_learned = isinstance(self.kernel, KernelMap)
        check_kernel(self.kernel, self.invariance, self.gamma, self.n_landmarks, is_learned=is_learned)
        check_class_weight(self.class_weight)
        check_n_jobs(self.n_jobs)

    @contextmanager
    def _threads(self) -> Iterator[None]:
        """Context of a computation: at most ``n_jobs`` threads of this package, and one BLAS thread at a time."""
        with at_most_threads(self.n_jobs), single_threaded():
            yield

    def _geometry_of_samples(self, samples: Array, weights: Array, scaler: Standardiser | None) -> Geometry:
        """Where samples live once they are scaled: their shape, and the constant coordinate of plain vectors."""
        entering = samples if scaler is None else scaler(samples)
        return self._geometry(samples.shape[1:], lambda: _root_mean_square_norm(entering, weights))

    @property
    def _adds_constant(self) -> bool:
        """Whether samples get a constant coordinate, which plain vectors can have."""
        return bool(self.affine) and self.invariance is None

    @property
    def _learns_constant(self) -> bool:
        """Whether the constant coordinate is as long as samples typically are, and no number that was given."""
        return self._adds_constant and isinstance(self.affine, (bool, np.bool_))

    def _geometry(self, sample_shape: tuple[int, ...], typical_length: Callable[[], float]) -> Geometry:
        """Where samples of this shape live; ``typical_length`` is asked for the constant coordinate if it is needed."""
        offset = None
        if self._adds_constant:
            offset = typical_length() if self._learns_constant else float(self.affine)
        return Geometry(sample_shape, unitary=self.convention == "published", offset=offset)

    def _kernel_of(
        self, samples: Array, scaler: Standardiser | None, gamma_of: Callable[[Array], float]
    ) -> KernelMap | None:
        """What gives plain vectors the features of a kernel, if one was asked for; γ by the landmarks unless given."""
        if self.kernel is None:
            return None
        if isinstance(self.kernel, KernelMap):
            self._refuse_other_landmarks(self.kernel, samples.shape[1])
            return self.kernel
        landmarks = self._landmarks(samples, scaler)
        gamma = gamma_of(landmarks) if isinstance(self.gamma, str) else float(self.gamma)
        return KernelMap.of(self.kernel, gamma, landmarks)

    def _landmarks(self, samples: Array, scaler: Standardiser | None, n_landmarks: int | None = None) -> Array:
        """Samples that span the features of a kernel, on the scale on which they enter; at most so many."""
        chosen = choose_landmarks(samples, n_landmarks or int(self.n_landmarks), self._landmark_seed)
        return np.ascontiguousarray((samples if scaler is None else scaler(samples))[chosen])

    @property
    def _landmark_seed(self) -> int:
        """What chooses landmarks, beside the values of the samples; another one each time with a random state."""
        return int(check_random_state(self.random_state).randint(2**31))

    def _refuse_other_landmarks(self, kernel: KernelMap, n_features: int) -> None:
        if kernel.n_features != n_features:
            raise InputError(
                "{option} has landmarks of {known} features but {data} has {found}; pass one that was learned from "
                "such samples, or the name of a kernel.",
                option=Option("kernel"),
                known=kernel.n_features,
                data=Data("X"),
                found=n_features,
            )

    def _geometry_of_kernel(self, kernel: KernelMap, entering: Array, weights: Array) -> Geometry:
        """Where samples live as features of a kernel, which they get on the scale on which they enter."""
        lengths = kernel.lengths(entering)[:, None]
        return self._geometry((kernel.n_coordinates,), lambda: _root_mean_square_norm(lengths, weights))

    def _read_new(self, X: Any) -> tuple[Array, bool]:
        """Samples for a fitted estimator, and whether they came as flat rows."""
        check_is_fitted(self)
        samples, flat = read_new_samples(self, X)
        if self.network_.geometry.offset is None:
            refuse_zero_samples(samples, "shift" if self.network_.geometry.grid else None)
        return samples, flat


@stored_attributes(classes_=np.ndarray)
class LabelledSampleReader(SampleReader):
    """What every estimator that learns from labels does with X and y."""

    # Numbers of the classes that have samples, where not all that were declared have some.
    _seen: Array | None = None

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, groups: Any = None, *, thin: bool = False
    ) -> TrainingData:
        """Samples of positive weight, their labels, weights and groups, and the geometry they live in.

        ``thin`` allows a single class, and classes of one sample, to which more may come later.
        """
        samples = self._read_samples(X)
        labels = read_labels(y, len(samples))
        weights = read_weights(sample_weight, len(samples))
        group_numbers = None if groups is None else read_groups(groups, len(samples))
        return self._training_data(samples, labels, weights, group_numbers, thin=thin)

    def _training_data(
        self, samples: Array, labels: Labels, weights: Array, group_numbers: Array | None, *, thin: bool
    ) -> TrainingData:
        """What a fit learns from samples that are read: those that count, and how they enter."""
        if thin:
            refuse_weightless_classes(labels, weights)
        else:
            self._refuse_small_classes(samples, labels, weights)
        weights = weights * weights_of_classes(self.class_weight, labels, weights)[labels.codes]
        if not self._adds_constant:
            refuse_zero_samples(samples, self.invariance)
        # What has weight 0 is checked like the rest and then left out: nothing that is learned may depend on it.
        counted = np.flatnonzero(weights)
        if len(counted) < len(weights):
            samples, weights = samples[counted], weights[counted]
            labels = Labels.of(labels.classes, labels.codes[counted])
            group_numbers = None if group_numbers is None else group_numbers[counted]
        geometry = self._geometry_of_samples(samples, weights, None)
        return self._with_entrance(TrainingData(samples, labels, weights, geometry, group_numbers))

    def _read_samples(self, X: Any) -> Array:
        """Samples that a fit learns from; shape (n_samples, n_channels, *grid)."""
        samples = read_training_samples(self, X, self.invariance, check_shape("sample_shape", self.sample_shape))
        if self.invariance == "shift" and lengths_of(samples) is not None and not self._takes_unequal_lengths(samples):
            raise InputError(
                "{data} holds signals of unequal lengths, whose frequencies are not the same; pass "
                "ReduNetClassifier({option}), which takes them, or cut or resample the signals to one length.",
                data=Data("X"),
                option=Option("lift", "pooled"),
            )
        return samples

    def _read_more(self, X: Any, y: Any, sample_weight: Any) -> tuple[Array, Labels, Array]:
        """Further labelled samples for an estimator that is fitted, and their weights."""
        samples, _ = self._read_new(X)
        labels, weights = read_labels(y, len(samples)), read_weights(sample_weight, len(samples))
        return samples, labels, weights * weights_of_classes(self.class_weight, labels, weights)[labels.codes]

    def _geometry_of(self, data: TrainingData) -> Geometry:
        """Where samples live once they are scaled, as features of a kernel if there is one."""
        kernel = data.kernel
        if kernel is None:
            return self._geometry_of_samples(data.samples, data.weights, data.scaler)
        return self._geometry_of_kernel(kernel, data.scaled_samples, data.weights)

    def _with_entrance(self, data: TrainingData) -> TrainingData:
        """The same with what plain vectors pass before they enter, if there is anything: a scale, a kernel."""
        data = data._replace(scaler=self._find_scaler(data))
        with self._threads():
            data = data._replace(kernel=self._find_kernel(data))
            if data.scaler is None and data.kernel is None:
                return data
            return data._replace(geometry=self._geometry_of(data))

    def _find_kernel(self, data: TrainingData) -> KernelMap | None:
        """What gives plain vectors the features of a kernel, if one was asked for."""
        return self._kernel_of(data.samples, data.scaler, lambda landmarks: self._find_gamma(data, landmarks))

    def _find_gamma(self, data: TrainingData, landmarks: Array) -> float:
        """The scale of the kernel where none is given: the usual one, unless an estimator has evidence."""
        return usual_gamma(self.kernel, landmarks)

    @property
    def _learns_scale(self) -> bool:
        """Whether a scale has to be learned from samples before any of them can enter."""
        return False

    def _find_scaler(self, data: TrainingData) -> Standardiser | None:
        """What brings plain vectors to one scale; nothing does, unless an estimator says so."""
        return None

    @property
    def _n_seen(self) -> int:
        """Number of the classes that have samples, which network and answers know."""
        return len(self.classes_) if self._seen is None else len(self._seen)

    def _refuse_small_classes(self, samples: Array, labels: Labels, weights: Array) -> None:
        """Refuse classes of too few samples; those that are given say of which shape all are."""
        refuse_few_samples = refuse_single_class if self._takes_single_samples(samples) else refuse_thin_classes
        refuse_few_samples(labels, weights)

    def _takes_unequal_lengths(self, samples: Array) -> bool:
        """Whether signals may have unequal lengths."""
        return False

    def _takes_single_samples(self, samples: Array) -> bool:
        """Whether a class may have one sample, for samples of this shape."""
        return False

    def _keep(self, network: Network, sample_shape: tuple[int, ...], labels: Labels) -> None:
        """Set what every fitted estimator has."""
        self.network_ = network
        self.classes_ = labels.classes
        self.sample_shape_ = sample_shape

    def check_stored(self, file_bytes: int) -> None:
        """Refuse parts that came from a file of this size and do not fit together."""
        _check_classes(self.classes_)
        if self._seen is not None:
            fits = self._seen.dtype == np.int64 and self._seen.ndim == 1 and 1 <= len(self._seen) < len(self.classes_)
            expect(fits, "the classes that have samples are others")
            ascending = (np.diff(self._seen) > 0).all() and self._seen[0] >= 0 and self._seen[-1] < len(self.classes_)
            expect(bool(ascending), "the classes that have samples are others")
        if isinstance(self.kernel, KernelMap):
            self.kernel.check_stored(self.sample_shape_)
        self.network_.check_stored(self.sample_shape_, self._n_seen, file_bytes)


def _root_mean_square_norm(samples: Array, weights: Array) -> float:
    """Typical length of samples, safe for very large and very small ones; 1 if all are zero."""
    largest = float(np.abs(samples).max()) or 1.0
    squares = np.square(samples / largest, dtype=np.float64).sum(axis=1)
    return largest * float(np.sqrt(np.average(squares, weights=weights))) or 1.0


def _check_classes(classes: Array) -> None:
    """Refuse labels that came from a file and are not one for each of several classes."""
    expect(classes.ndim == 1 and len(classes) >= 2, "classes_ are no labels")
    labels = classes.tolist()
    if classes.dtype == object:
        expect(all(isinstance(one, (str, bytes)) or math.isfinite(one) for one in labels), "classes_ are no labels")
    expect(len(set(labels)) == len(labels), "a class is there twice")
    expect(classes.dtype.kind not in "fc" or bool(np.isfinite(classes).all()), "classes_ are no labels")
