"""The transformer for signals at any place: check -> dilations -> thresholds -> scale."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..inputs.errors import Data, InputError, Option
from ..inputs.parameters import check_flag, check_shape, check_whole
from ..inputs.samples import distinct_samples, read_new_samples, read_training_samples, read_weights
from ..numerics.arrays import Array
from ..numerics.pooling import HEAVY_TAPS, N_COUNTS, N_TAPS, dilated_responses
from ..storage.expectations import expect
from ..storage.saving import Saving
from ..storage.stored_types import stored_attributes, stored_estimator
from .pooled_bank import PooledBank, views

# Signals that the thresholds are learned from, one of each of so many equal parts of their weight.
SIGNALS_FOR_THRESHOLDS = 48
# Standard deviation below which a feature, a share of the circle or its root, is taken for noise.
SMALLEST_SCALE = 0.02


@stored_estimator()
@stored_attributes(bank_=PooledBank)
class PooledLift(Saving, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Features of signals that are exactly the same at every circular shift: responses, counted over the circle.

    84 fixed filters of nine taps are laid on the circle at several dilations. For each of them and for each of several
    thresholds, quantiles of the training responses, three whole numbers are counted: at how many positions the response
    is above the threshold, how long the longest run of such positions is, and how often one begins. Whole numbers do
    not depend on where the circle is cut open. Their roots, standardised over the training signals, are the features.

    Parameters
    ----------
    n_dilations : int, default=8
        Distances between taps, from 1 to where the filter is as long as the signal, evenly spaced on a logarithmic
        scale; fewer for short signals.
    n_thresholds : int, default=5
        Thresholds for each filter and dilation, at evenly spaced quantiles of the responses.
    difference : bool, default=True
        Look at the circular difference of neighbouring values, too.
    pad : int, default=0
        Zeros appended to each signal, for shifts that do not wrap around.
    sample_shape : tuple of int, optional
        Layout of one sample, (n_channels, length), when X is flat.

    Attributes
    ----------
    bank_ : PooledBank
        Dilations, thresholds and scale; ``bank_(samples)`` are the features.
    sample_shape_ : tuple of int

    Examples
    --------
    >>> import numpy as np
    >>> from redunet import PooledLift
    >>> X = np.sin(np.arange(64) * np.linspace(0.1, 0.5, 20)[:, None])
    >>> lift = PooledLift(n_dilations=3, n_thresholds=2).fit(X)
    >>> lift.transform(X).shape
    (20, 3024)
    >>> bool((lift.transform(np.roll(X, 7, axis=1)) == lift.transform(X)).all())
    True
    """

    def __init__(
        self,
        n_dilations: int = 8,
        n_thresholds: int = 5,
        *,
        difference: bool = True,
        pad: int = 0,
        sample_shape: tuple[int, ...] | None = None,
    ) -> None:
        self.n_dilations = n_dilations
        self.n_thresholds = n_thresholds
        self.difference = difference
        self.pad = pad
        self.sample_shape = sample_shape

    def check_parameters(self) -> None:
        """Refuse options that no sample could go with."""
        check_whole("n_dilations", self.n_dilations, 1)
        check_whole("n_thresholds", self.n_thresholds, 1)
        check_flag("difference", self.difference)
        check_whole("pad", self.pad, 0)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn thresholds and scale from signals.

        Parameters
        ----------
        X : array-like, shape (n_samples, length) or (n_samples, n_channels, length)
        y : ignored
        sample_weight : array-like, shape (n_samples,), optional
            How often each signal counts. A weight of 2 is the same as the signal twice, 0 the same as without it; the
            order of signals does not matter.
        """
        self.check_parameters()
        samples = read_training_samples(self, X, "shift", check_shape("sample_shape", self.sample_shape))
        return self.fit_samples(samples, read_weights(sample_weight, len(samples)))

    def fit_samples(self, samples: Array, sample_weight: Array) -> Self:
        """Learn from samples that were read already, of shape (n_samples, n_channels, length), and their weights."""
        if samples.ndim != 3:
            raise InputError(
                "{lift} takes signals, but {data} has samples of shape {shape}; pass {other} for images.",
                lift=type(self).__name__,
                data=Data("X"),
                shape=samples.shape[1:],
                other=Option("lift", "auto"),
            )
        self.sample_shape_ = samples.shape[1:]
        padded = np.pad(samples, [(0, 0), (0, 0), (0, int(self.pad))])
        signals, weights = distinct_samples(padded, sample_weight)
        dilations = self._find_dilations(padded.shape[2])
        thresholds = self._find_thresholds(signals, weights, dilations)
        unscaled = np.zeros(thresholds.size * N_COUNTS)
        bank = PooledBank(dilations, thresholds, unscaled, unscaled, (int(self.pad),), padded.shape[2])
        mean, scale = _mean_and_scale(bank, signals, weights)
        self.bank_ = replace(bank, mean=mean, scale=scale)
        return self

    def transform(self, X: Any) -> Array:
        """Features of signals; shape (n_samples, n_features)."""
        check_is_fitted(self)
        samples, _ = read_new_samples(self, X)
        return self.bank_(self.bank_.padded(samples))

    def description(self) -> dict[str, Any]:
        """What describes the fitted lift, as JSON can hold it."""
        return {
            "filters": "pooled",
            "channels": self.bank_.n_features,
            "kernel": [N_TAPS],
            "threshold": f"{self.n_thresholds} quantiles",
            "pool": 1.0,
            "pad": [int(self.pad)],
        }

    def _find_dilations(self, length: int) -> Array:
        longest = max(1, (length - 1) // (N_TAPS - 1))
        wanted = np.logspace(0, np.log2(longest), int(self.n_dilations), base=2.0)
        return np.unique(np.round(wanted).astype(np.int64))

    def _find_thresholds(self, signals: Array, weights: Array, dilations: Array) -> Array:
        """Quantiles of the responses of some signals; shape (n_channels, n_views, n_dilations, 84, n_thresholds)."""
        upto = np.cumsum(weights)
        n_drawn = min(SIGNALS_FOR_THRESHOLDS, len(signals)) if (weights == weights[0]).all() else SIGNALS_FOR_THRESHOLDS
        drawn = np.searchsorted(upto, (np.arange(n_drawn) + 0.5) * (upto[-1] / n_drawn))
        some = signals[np.minimum(drawn, len(signals) - 1)]
        quantiles = (np.arange(self.n_thresholds) + 0.5) / self.n_thresholds
        n_views = 1 + bool(self.difference)
        shape = (signals.shape[1], n_views, len(dilations), len(HEAVY_TAPS), self.n_thresholds)
        thresholds = np.empty(shape, dtype=np.float32)
        for channel in range(signals.shape[1]):
            for view, of_view in enumerate(views(some[:, channel], n_views)):
                for d, dilation in enumerate(dilations):
                    responses = np.stack([dilated_responses(signal, int(dilation)) for signal in of_view], axis=1)
                    flat = np.sort(responses.reshape(len(HEAVY_TAPS), -1), axis=1)
                    thresholds[channel, view, d] = flat[:, (quantiles * flat.shape[1]).astype(int)]
        return thresholds

    @property
    def _n_features_out(self) -> int:
        return self.bank_.n_features

    def check_stored(self, file_bytes: int) -> None:
        """Refuse a lift that came from a file and does not fit its samples."""
        expect(isinstance(self.bank_, PooledBank), "the lift has no bank")
        self.bank_.check_stored(self.sample_shape_, file_bytes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _mean_and_scale(bank: PooledBank, signals: Array, weights: Array) -> tuple[Array, Array]:
    """Weighted mean and standard deviation of the raw features; features that hardly vary get the scale 0."""
    total, squares = np.zeros(bank.n_features), np.zeros(bank.n_features)
    for start in range(0, len(signals), bank.samples_at_a_time):
        some = slice(start, start + bank.samples_at_a_time)
        raw = bank.raw_features(signals[some])
        total += weights[some] @ raw
        squares += weights[some] @ np.square(raw)
    mean = total / weights.sum()
    variance = np.clip(squares / weights.sum() - np.square(mean), 0.0, None)
    floored = np.sqrt(variance + SMALLEST_SCALE**2)
    return mean, np.where(variance > 1e-12, floored, 0.0)
