"""The transformer for images on rings at any rotation: check -> patches -> peaks -> scale."""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..inputs.errors import Data, InputError, Option
from ..inputs.parameters import check_at_least, check_shape, check_whole
from ..inputs.samples import distinct_rows, read_new_samples, read_training_samples, read_weights
from ..numerics.arrays import Array
from ..storage.expectations import expect
from ..storage.saving import Saving
from ..storage.stored_types import stored_attributes, stored_estimator
from .peak_bank import PeakBank, unit_scaled
from .ring_kernels import check_kernels, kernels_for
from .ring_patches import draw_ring_patches

# Sizes of filters where none are given, as shares of the rings and of the circle.
KERNEL_SHARES = ((0.3, 1 / 4), (0.45, 1 / 3), (0.55, 1 / 2), (0.75, 2 / 3))
# How far filters may move where nothing is given, as a share of the rings.
SLACK_SHARE = 1 / 8
# Samples that mean and scale are learned from, at most.
MOST_SAMPLES_FOR_SCALE = 2000
# Standard deviation below which a peak, of samples of root mean square 1, is taken for noise.
SMALLEST_SCALE = 1e-3


@stored_estimator()
@stored_attributes(bank_=PeakBank)
class PeakLift(Saving, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Features of images on rings that are exactly the same at every rotation: the peaks of many local filters.

    Patches of the training samples, drawn at random, are the filters: a few neighbouring rings by a stretch of the
    circle. Each is compared with a sample at every angle, on the rings that it was drawn from and on those next to
    them; its strongest response is a feature. So a feature says whether a sample has such a stroke anywhere at about
    this distance from the centre. Features are standardised over the training samples.

    Parameters
    ----------
    n_filters : int, default=1200
        Number of filters, which is the number of features. Fewer where the samples have fewer patches that vary.
    kernel_size : tuple of two int, or list of such tuples, optional
        Rings and angles of a filter, such as (9, 31); several sizes share the filters out evenly. By default four
        sizes, from 0.3 of the rings by a quarter of the circle to 0.75 of the rings by two thirds of it.
    slack : int, optional
        So many rings a filter may move inwards or outwards to where it responds most: images of one thing are not of
        one size. An eighth of the rings by default.
    pool : float, default=2
        Keep of the responses along the angle the frequencies below 1/pool of the highest, and read them at so many
        times fewer angles, counted from where the representative of all rotations of a sample starts.
    sample_shape : tuple of int, optional
        Layout of one sample, (n_rings, n_angles), when X is flat.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    bank_ : PeakBank
        Filters and scale; ``bank_(samples)`` are the features.
    sample_shape_ : tuple of int

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from redunet import PeakLift, PolarGrid
    >>> X = PolarGrid(n_rings=4, n_angles=24).fit_transform(load_digits().images[:100])
    >>> lift = PeakLift(n_filters=50, random_state=0).fit(X)
    >>> lift.transform(X).shape
    (100, 50)
    >>> bool((lift.transform(np.roll(X, 7, axis=2)) == lift.transform(X)).all())
    True
    """

    # Class subspaces of peaks need many directions where a class has many samples.
    rank_choices: ClassVar[tuple[int, ...] | None] = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192)
    # Peaks tell classes apart by how they go together, which class subspaces see and a sum over features does not.
    is_summed_up: ClassVar[bool] = False
    takes_any_length: ClassVar[bool] = False

    def __init__(
        self,
        n_filters: int = 1200,
        kernel_size: Any = None,
        slack: int | None = None,
        *,
        pool: float = 2,
        sample_shape: tuple[int, ...] | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_filters = n_filters
        self.kernel_size = kernel_size
        self.slack = slack
        self.pool = pool
        self.sample_shape = sample_shape
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Refuse options that no sample could go with."""
        check_whole("n_filters", self.n_filters, 1)
        if self.kernel_size is not None:
            check_whole("n_filters", self.n_filters, check_kernels(self.kernel_size))
        if self.slack is not None:
            check_whole("slack", self.slack, 0)
        check_at_least("pool", self.pool, 1)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Draw filters from samples, and learn the scale of their peaks.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_rings, n_angles)
            As :class:`PolarGrid` gives it.
        y : ignored
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample counts. A weight of 2 is the same as the sample twice, 0 the same as without it; the
            order of samples does not matter.
        """
        self.check_parameters()
        samples = read_training_samples(self, X, "shift", check_shape("sample_shape", self.sample_shape))
        return self.fit_samples(samples, read_weights(sample_weight, len(samples)))

    def fit_samples(self, samples: Array, sample_weight: Array) -> Self:
        """Learn from samples that were read already, of shape (n_samples, n_rings, n_angles), and their weights."""
        self.fit_unit_vectors(samples, sample_weight)
        return self

    def fit_unit_vectors(self, samples: Array, sample_weight: Array) -> Array | None:
        """Learn from samples that were read already, and give what the lift makes of them, which was computed anyway.

        Returns
        -------
        float32 array, shape (n_samples, n_features + 1), or None
            The samples on the unit sphere, as ``bank_.unit_vectors`` gives them; None where there are so many of them
            that not all were looked at.
        """
        if samples.ndim != 3:
            raise InputError(
                "{lift} takes images on rings, of shape (n_samples, n_rings, n_angles), but {data} has samples of "
                "shape {shape}; pass what PolarGrid makes of images, or {other}.",
                lift=type(self).__name__,
                data=Data("X"),
                shape=samples.shape[1:],
                other=Option("lift", "auto"),
            )
        if samples[0].size == 1:
            raise InputError(
                "{data} has samples of one value (n_features=1), of which no patch varies; pass rings × angles.",
                data=Data("X"),
            )
        self.sample_shape_ = samples.shape[1:]
        rows, weights = distinct_rows(samples, sample_weight)
        filters, first_rings = self._draw_filters(unit_scaled(samples[rows]), weights)
        unscaled = np.zeros(sum(map(len, filters)))
        n_rings, n_angles = (int(n) for n in self.sample_shape_)
        slack = round(SLACK_SHARE * n_rings) if self.slack is None else min(int(self.slack), n_rings - 1)
        bank = PeakBank(filters, first_rings, unscaled, unscaled, n_rings, n_angles, slack, float(self.pool))
        few = len(samples) <= MOST_SAMPLES_FOR_SCALE
        if not few:
            chosen = np.unique(np.arange(MOST_SAMPLES_FOR_SCALE) * len(rows) // MOST_SAMPLES_FOR_SCALE)
            samples, weights, rows = samples[rows[chosen]], weights[chosen], np.arange(len(chosen))
        found = bank.peaks(samples)
        mean, scale = _mean_and_scale(found[rows].astype(np.float64), weights)
        self.bank_ = replace(bank, mean=mean, scale=scale)
        return self.bank_.unit_vectors_of(found) if few else None

    def transform(self, X: Any) -> Array:
        """Features of samples; shape (n_samples, n_features)."""
        check_is_fitted(self)
        samples, _ = read_new_samples(self, X)
        return self.bank_(self.bank_.padded(samples))

    def description(self) -> dict[str, Any]:
        """What describes the fitted lift, as JSON can hold it."""
        return {
            "filters": "peaks",
            "channels": self.bank_.n_features,
            "kernel": [f"{one.shape[1]}x{one.shape[2]}" for one in self.bank_.filters],
            "threshold": "strongest response",
            "pool": float(self.pool),
            "pad": [0],
        }

    def _draw_filters(self, samples: Array, sample_weight: Array) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        """Filters of each size, float32, and the innermost ring of each."""
        kernels = kernels_for(self.kernel_size, samples.shape[1:], KERNEL_SHARES)[: self.n_filters]
        rng = check_random_state(self.random_state)
        filters, first_rings = [], []
        for number, kernel in enumerate(kernels):
            n_filters = self.n_filters // len(kernels) + (number < self.n_filters % len(kernels))
            patches, rings = draw_ring_patches(samples, sample_weight, kernel, rng)
            if not len(patches):
                raise InputError(
                    "the training samples have no patch of {size} rings and angles that varies; pass a larger "
                    "{kernel}, or remove samples that are constant.",
                    size=" × ".join(map(str, kernel)),
                    kernel=Option("kernel_size"),
                )
            filters.append(patches[:n_filters].astype(np.float32))
            first_rings.append(rings[:n_filters].astype(np.int64))
        return tuple(filters), tuple(first_rings)

    @property
    def _n_features_out(self) -> int:
        return self.bank_.n_features

    def check_stored(self, file_bytes: int) -> None:
        """Refuse a lift that came from a file and does not fit its samples."""
        expect(isinstance(self.bank_, PeakBank), "the lift has no bank")
        self.bank_.check_stored(self.sample_shape_, file_bytes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _mean_and_scale(found: Array, weights: Array) -> tuple[Array, Array]:
    """Weighted mean and standard deviation of peaks (n_samples, n_features); a peak that hardly varies has scale 0."""
    shares = weights / weights.sum()
    mean = (shares[:, None] * found).sum(axis=0)
    deviation = np.sqrt((shares[:, None] * np.square(found - mean)).sum(axis=0))
    return mean, np.where(deviation > SMALLEST_SCALE, deviation, 0.0)
