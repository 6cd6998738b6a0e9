"""The transformer for signals at any place: check -> dilations -> thresholds -> scale."""

import math
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..fast.threads import run_parts
from ..inputs.errors import Data, InputError, Option
from ..inputs.parameters import check_flag, check_shape, check_whole
from ..inputs.samples import distinct_rows, read_new_samples, read_training_samples, read_weights
from ..inputs.unequal_lengths import lengths_of
from ..numerics.arrays import Array
from ..numerics.pooling import HEAVY_TAPS, N_COUNTS, N_TAPS, dilated_responses
from ..storage.expectations import expect
from ..storage.saving import Saving
from ..storage.stored_types import stored_attributes, stored_estimator
from .pooled_bank import PooledBank, padded_signals, rows_of_each_length, views

# Signals that the thresholds are learned from, one of each of so many equal parts of their weight, and positions of all
# of them together.
SIGNALS_FOR_THRESHOLDS, POSITIONS_FOR_THRESHOLDS = 48, 4096
# Signals that mean and scale are learned from, at most.
MOST_SIGNALS_COUNTED = 2000
GOLDEN_RATIO = (1 + math.sqrt(5)) / 2
# Features that a core works on at a time, always the same ones.
FEATURES_PER_PART = 512
# Standard deviation below which a feature, a share of the circle or its root, is taken for noise.
SMALLEST_SCALE = 0.02


@stored_estimator()
@stored_attributes(bank_=PooledBank, takes_unequal_lengths_=bool)
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
        (n_channels, length) of a signal; of the longest one, where they have unequal lengths.
    takes_unequal_lengths_ : bool
        Whether it was fitted on signals of unequal lengths; then it takes signals of any length.

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

    # Ranks of class subspaces to choose from: the usual ones. Each of many features tells a little, and a regression
    # adds them up.
    rank_choices: ClassVar[tuple[int, ...] | None] = None
    is_summed_up: ClassVar[bool] = True
    takes_any_length: ClassVar[bool] = True
    # Files that were written before signals of unequal lengths do not say it.
    takes_unequal_lengths_ = False

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
            Or a list of signals of unequal lengths, each of shape (length,) or (n_channels, length).
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
        self.fit_unit_vectors(samples, sample_weight)
        return self

    def fit_unit_vectors(self, samples: Array, sample_weight: Array) -> Array | None:
        """Learn from samples that were read already, and give what the lift makes of them, which was counted anyway.

        Returns
        -------
        float32 array, shape (n_samples, n_features + 1), or None
            The samples on the unit sphere, as ``bank_.unit_vectors`` gives them; None where there are so many of them
            that not all were counted.
        """
        if samples.ndim != 3:
            raise InputError(
                "{lift} takes signals, but {data} has samples of shape {shape}; pass {other} for images.",
                lift=type(self).__name__,
                data=Data("X"),
                shape=samples.shape[1:],
                other=Option("lift", "auto"),
            )
        pad, lengths = int(self.pad), lengths_of(samples)
        self.sample_shape_ = samples.shape[1:]
        self.takes_unequal_lengths_ = lengths is not None
        length = samples.shape[2] if lengths is None else int(np.median(lengths))
        rows, weights = distinct_rows(samples, sample_weight)
        dilations = self._find_dilations(length + pad)
        thresholds = self._find_thresholds(samples, rows, weights, dilations)
        unscaled = np.zeros(thresholds.size * N_COUNTS)
        bank = PooledBank(dilations, thresholds, unscaled, unscaled, (pad,), length + pad if lengths is None else None)
        few = len(samples) <= MOST_SIGNALS_COUNTED
        if not few:
            chosen = np.arange(MOST_SIGNALS_COUNTED) * len(rows) // MOST_SIGNALS_COUNTED
            chosen = np.unique(chosen)
            samples, weights, rows = samples[rows[chosen]], weights[chosen], np.arange(len(chosen))
        counts, n_positions = bank.counts(samples)
        mean, scale = _mean_and_scale(counts, n_positions, rows, weights)
        self.bank_ = replace(bank, mean=mean, scale=scale)
        return self.bank_.unit_vectors_of(counts, n_positions) if few else None

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

    def _find_thresholds(self, samples: Array, rows: Array, weights: Array, dilations: Array) -> Array:
        """Quantiles of the responses of some signals; shape (n_channels, n_views, n_dilations, 84, n_thresholds)."""
        upto, most = np.cumsum(weights), SIGNALS_FOR_THRESHOLDS
        n_drawn = min(most, len(rows)) if (weights == weights[0]).all() else most
        drawn = np.searchsorted(upto, (np.arange(n_drawn) + 0.5) * (upto[-1] / n_drawn))
        some = samples[rows[np.minimum(drawn, len(rows) - 1)]]
        quantiles = (np.arange(self.n_thresholds) + 0.5) / self.n_thresholds
        n_views = 1 + bool(self.difference)
        thresholds = np.empty(
            (samples.shape[1], n_views, len(dilations), len(HEAVY_TAPS), self.n_thresholds), np.float32
        )
        signals = [
            padded_signals(some[same_length, :, :n], int(self.pad)) for same_length, n in rows_of_each_length(some)
        ]
        seen = [
            [signal for of_length in signals for signal in views(of_length[:, channel], n_views)[view]]
            for channel, view in np.ndindex(thresholds.shape[:2])
        ]

        def work(part: tuple[int, int]) -> None:
            number, d = part
            responses = np.concatenate(
                [dilated_responses(one, int(dilations[d]), _some_positions(len(one), n_drawn)) for one in seen[number]],
                axis=1,
            )
            places = (quantiles * responses.shape[1]).astype(int)
            responses.partition(np.unique(places), axis=1)
            thresholds[*divmod(number, n_views), d] = responses[:, places]

        run_parts(work, [(number, d) for number in range(len(seen)) for d in range(len(dilations))])
        return thresholds

    @property
    def _n_features_out(self) -> int:
        return self.bank_.n_features

    def check_stored(self, file_bytes: int) -> None:
        """Refuse a lift that came from a file and does not fit its samples."""
        expect(isinstance(self.bank_, PooledBank), "the lift has no bank")
        any_length = self.bank_.length is None
        expect(self.takes_unequal_lengths_ is any_length, "the lift takes signals of other lengths")
        self.bank_.check_stored(self.sample_shape_, file_bytes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _some_positions(length: int, n_signals: int) -> Array | None:
    """Positions of a signal that thresholds are learned from; None for all of them.

    Multiples of the golden ratio, which fall evenly everywhere, and in step with no period of a signal.
    """
    n_positions = POSITIONS_FOR_THRESHOLDS // n_signals
    if length <= n_positions:
        return None
    return (np.modf(np.arange(n_positions) * GOLDEN_RATIO)[0] * length).astype(int)


def _mean_and_scale(counts: Array, lengths: Array, rows: Array, weights: Array) -> tuple[Array, Array]:
    """Weighted mean and standard deviation of the roots of counts; features that hardly vary get the scale 0.

    Parameters
    ----------
    counts : int array, shape (n_samples, n_features)
    lengths : float array, shape (n_samples,)
    rows : int array, shape (n_distinct,)
        Which samples are different from each other, in an order that depends on their values alone.
    weights : float array, shape (n_distinct,)
        How often each of them counts.
    """
    mean, scale = np.empty(counts.shape[1]), np.empty(counts.shape[1])
    shares = weights / weights.sum()

    def work(first: int) -> None:
        some = slice(first, first + FEATURES_PER_PART)
        roots = np.sqrt(counts[rows, some] / lengths[rows, None])
        mean[some] = shares @ roots
        variance = np.clip(shares @ np.square(roots) - np.square(mean[some]), 0.0, None)
        scale[some] = np.where(variance > 1e-12, np.sqrt(variance + SMALLEST_SCALE**2), 0.0)

    run_parts(work, range(0, counts.shape[1], FEATURES_PER_PART))
    return mean, scale
