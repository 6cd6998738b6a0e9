"""The transformer that gives samples more channels: check -> filters -> level -> responses."""

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..inputs.errors import InputError, Option
from ..inputs.parameters import (
    INVARIANCES,
    check_at_least,
    check_choice,
    check_flag,
    check_shape,
    check_share,
    check_whole,
)
from ..inputs.samples import distinct_samples, read_new_samples, read_training_samples, read_weights
from ..numerics.arrays import Array
from ..storage.expectations import expect, is_number
from ..storage.saving import Saving
from ..storage.stored_types import stored_attributes, stored_estimator
from .banks import BANKS, make_bank
from .responses import LARGEST_CONTRAST_WIDTH, LEAST_CONTRAST_WIDTH, FilterBank
from .thresholds import THRESHOLDS, learned_level

# Number of samples that the level of a threshold is learned from, one of each of so many equal parts of their weight,
# if they do not have more responses together than this, and the fewest.
MAX_LEVEL_SAMPLES, FEWEST_LEVEL_SAMPLES, MAX_LEVEL_RESPONSES = 256, 16, 4_000_000


@stored_estimator(older_values={2: {"unit_scale": False}, 4: {"contrast": None}})
@stored_attributes(bank_=FilterBank, filters_=tuple, level_=float)
class Lift(Saving, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """More channels for signals and images: circular filters, then a threshold that makes them sparse.

    A network can only tell apart what its channels show. Filters learned from the patches of the training samples show
    most; random filters and formulas need no data. The responses to a shifted sample are the shifted responses.

    Parameters
    ----------
    filters : "patches", "pca", "dictionary", "random", "stft", "wavelet" or array, default="patches"
        Centres of k-means clusters of patches, their principal components (with both signs where the threshold is
        "relu"), atoms of a sparse dictionary of them; Gaussian noise (the paper's choice); windowed sinusoids (signals
        only); Morlet and Gabor wavelets (signals and images). Or filters of your own, of shape (n_filters, *kernel) or
        (n_filters, n_channels, *kernel).
    n_channels : int, default=48
        Number of filters.
    kernel_size : int or tuple of int, default=9
        Side of a filter. Several sizes share the channels out evenly.
    threshold : "soft", "relu" or "none", default="soft"
        Shrink responses towards zero by the level, keep what exceeds the level, or keep them as they are.
    quantile : float in [0, 1), optional
        Share of the (not silent) responses of the training samples that lie below the level; 0.3 for "soft" and 0 for
        "relu" by default.
    level : float, optional
        The level itself, instead of a quantile.
    unit_scale : bool, default=True
        Bring each sample to a root mean square of 1 before anything else, so that the level means the same for loud
        and quiet signals, for bright and dark images.
    contrast : float, optional
        Before that, compare each value with its surroundings: less their mean, over how much they vary. The number is
        the standard deviation, in positions, of a Gaussian window. Shadows, uneven light and the brightness of a part
        matter less then. None for values as they are.
    pool : float, default=1
        Keep of the responses what varies slowly: the frequencies below 1/pool of the highest, on a grid that is so many
        times coarser. Small deformations matter less then, and everything after it is faster. Answers do not change
        with a shift, whatever the pool; responses to a shifted sample are the shifted responses, by steps of the fine
        grid.
    pad : int or tuple of int, default=0
        Number of zeros appended to each cyclic axis. Recorded signals do not wrap around: with a margin as wide as the
        largest shift, a shift that is not circular is an exact circular one.
    zero_mean : bool, default=False
        Take the mean out of each random filter, so that it gives no response to a constant. (Learned filters and
        wavelets have no mean.)
    invariance : None, "shift" or "translation", default=None
        Which axes of X are cyclic, as in :class:`redunet.ReduNetClassifier`, which fills it in for its lift. By default
        "shift" for X of shape (n_samples, length), else "translation".
    sample_shape : tuple of int, optional
        Layout of one sample when X is flat.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    bank_ : FilterBank
        Filters, level and padding; ``bank_(samples)`` are the responses.
    filters_ : tuple of arrays, each of shape (n_filters, n_channels_in, side, ...)
        One for each kernel size.
    level_ : float
    sample_shape_ : tuple of int

    Examples
    --------
    >>> import numpy as np
    >>> from redunet import Lift
    >>> X = np.sin(np.arange(64) * np.linspace(0.1, 0.5, 20)[:, None])
    >>> Lift("random", n_channels=8, kernel_size=5, random_state=0).fit(X).transform(X[:, None]).shape
    (20, 8, 64)
    """

    def __init__(
        self,
        filters: Any = "patches",
        n_channels: int = 48,
        kernel_size: int | tuple[int, ...] = 9,
        threshold: str = "soft",
        *,
        quantile: float | None = None,
        level: float | None = None,
        unit_scale: bool = True,
        contrast: float | None = None,
        pool: float = 1,
        pad: int | tuple[int, ...] = 0,
        zero_mean: bool = False,
        invariance: str | None = None,
        sample_shape: tuple[int, ...] | None = None,
        random_state: Any = None,
    ) -> None:
        self.filters = filters
        self.n_channels = n_channels
        self.kernel_size = kernel_size
        self.threshold = threshold
        self.quantile = quantile
        self.level = level
        self.unit_scale = unit_scale
        self.contrast = contrast
        self.pool = pool
        self.pad = pad
        self.zero_mean = zero_mean
        self.invariance = invariance
        self.sample_shape = sample_shape
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Refuse options that are wrong for any samples."""
        check_choice("invariance", self.invariance, INVARIANCES)
        check_choice("threshold", self.threshold, tuple(THRESHOLDS))
        if self._own_filters is None:
            check_choice("filters", self.filters, tuple(BANKS))
            check_whole("n_channels", self.n_channels, 1)
            for size in self._sizes:
                check_whole("kernel_size", size, 1)
            if len(self._sizes) > self.n_channels:
                raise InputError(
                    "{kernel} has {n_sizes} sizes but {n_channels}; pass {channels} >= {n_sizes}.",
                    kernel=Option("kernel_size"),
                    n_sizes=len(self._sizes),
                    n_channels=Option("n_channels", self.n_channels),
                    channels=Option("n_channels"),
                )
        if self.quantile is not None:
            check_share("quantile", self.quantile)
        if self.level is not None:
            check_at_least("level", self.level, 0)
        if self.contrast is not None:
            check_at_least("contrast", self.contrast, LEAST_CONTRAST_WIDTH)
        check_at_least("pool", self.pool, 1)
        check_flag("unit_scale", self.unit_scale)
        check_flag("zero_mean", self.zero_mean)
        for zeros in np.atleast_1d(np.asarray(self.pad, dtype=object)):
            check_whole("pad", zeros, 0)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn filters and level from samples.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features), or (n_samples, n_channels, *grid)
        y : ignored
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample counts. A weight of 2 is the same as the sample twice, 0 the same as without it; the
            order of samples does not matter.
        """
        self.check_parameters()
        n_axes = 2 if hasattr(X, "iloc") else np.asarray(X).ndim
        flat = n_axes == 2 and (self.sample_shape is None or len(self.sample_shape) == 1)
        invariance = self.invariance or ("shift" if flat else "translation")
        samples = read_training_samples(self, X, invariance, check_shape("sample_shape", self.sample_shape))
        return self.fit_samples(samples, read_weights(sample_weight, len(samples)))

    def fit_samples(self, samples: Array, sample_weight: Array) -> Self:
        """Learn filters and level from checked samples, shape (n_samples, n_channels, *grid), and their weights."""
        self.sample_shape_ = samples.shape[1:]
        grid = samples.shape[2:]
        pad = np.broadcast_to(self.pad, len(grid)) if np.ndim(self.pad) == 0 else np.asarray(self.pad)
        if len(pad) != len(grid):
            raise InputError(
                "{pad} has {n_entries} entries but samples have {n_axes} cyclic axes.",
                pad=Option("pad", self.pad),
                n_entries=len(pad),
                n_axes=len(grid),
            )
        padded_grid = tuple(int(length + zeros) for length, zeros in zip(grid, pad, strict=True))
        margin = tuple(int(zeros) for zeros in pad)
        contrast = None if self.contrast is None else min(float(self.contrast), LARGEST_CONTRAST_WIDTH)
        bank = FilterBank(
            (), self.threshold, 0.0, margin, padded_grid, float(self.pool), bool(self.unit_scale), contrast
        )
        scaled, sample_weight = distinct_samples(bank.scaled(bank.padded(samples)), sample_weight)
        bank = replace(bank, filters=self._make_filters(scaled, sample_weight))
        self.bank_: Any = replace(bank, level=self._find_level(bank, scaled, sample_weight))
        self.filters_, self.level_ = self.bank_.filters, self.bank_.level
        return self

    def transform(self, X: Any) -> Array:
        """Responses; flat for flat X, else of shape (n_samples, n_channels, *grid)."""
        check_is_fitted(self)
        samples, flat = read_new_samples(self, X)
        bank = self.bank_
        responses = np.empty((len(samples), *bank.shape), dtype=samples.dtype)
        for start in range(0, len(samples), bank.samples_at_a_time):
            some = slice(start, start + bank.samples_at_a_time)
            responses[some] = bank(bank.padded(samples[some]))
        return responses.reshape(len(responses), -1) if flat else responses

    def description(self) -> dict[str, Any]:
        """What describes the fitted lift, as JSON can hold it."""
        return {
            "filters": self.filters if isinstance(self.filters, str) else "own",
            "channels": sum(len(one) for one in self.filters_),
            "kernel": [int(size) for size in np.atleast_1d(self.kernel_size)],
            "threshold": self.threshold,
            "pool": float(self.pool),
            "pad": [int(zeros) for zeros in np.atleast_1d(self.pad)],
            **({} if self.contrast is None else {"contrast": float(self.contrast)}),
        }

    def plot(self, axes: Any = None) -> Any:
        """Picture of the filters, strongest contrast of each; needs matplotlib. Returns the figure."""
        check_is_fitted(self)
        from .picture import filter_picture

        return filter_picture(self.bank_, axes)

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(np.atleast_1d(np.asarray(self.kernel_size, dtype=object)))

    @property
    def _own_filters(self) -> Array | None:
        """The user's own filters, if filters are not the name of a bank."""
        if isinstance(self.filters, str):
            return None
        own = np.asarray(self.filters)
        if own.dtype.kind not in "fiu" or own.ndim < 2 or not np.isfinite(own).all() or not own.size:
            raise InputError(
                "{filters} must be one of {banks} or a finite array of shape (n_filters, *kernel), got {kind} of shape "
                "{shape}.",
                filters=Option("filters"),
                banks=", ".join(map(repr, BANKS)),
                kind=type(self.filters).__name__,
                shape=own.shape,
            )
        return own.astype(np.float64)

    def _make_filters(self, samples: Array, sample_weight: Array) -> tuple[Array, ...]:
        """Filters for scaled and padded samples, one array for each kernel size."""
        _, n_channels, *grid = samples.shape
        own = self._own_filters
        if own is not None:
            return (self._fitting_filters(own, n_channels, grid),)
        rng = check_random_state(self.random_state)
        n_sizes = len(self._sizes)
        shares = [self.n_channels // n_sizes + (i < self.n_channels % n_sizes) for i in range(n_sizes)]
        banks = []
        for size, n_filters in zip(self._sizes, shares, strict=True):
            kernel = (int(size),) * len(grid)
            self._refuse_large_kernel(kernel, grid)
            both_signs = THRESHOLDS[self.threshold].tells_signs_apart
            options = {"zero_mean": self.zero_mean, "both_signs": both_signs}
            banks.append(make_bank(self.filters, n_filters, kernel, samples, sample_weight, rng, **options))
        return tuple(banks)

    def _fitting_filters(self, own: Array, n_channels: int, grid: list[int]) -> Array:
        """The user's own filters, shape (n_filters, n_channels, *kernel); refused if they do not fit the samples."""
        if own.ndim == len(grid) + 1:
            own = np.repeat(own[:, None], n_channels, axis=1)
        if own.ndim != len(grid) + 2 or own.shape[1] != n_channels:
            raise InputError(
                "{filters} have shape {shape} but samples have {n_channels} channels and {n_axes} cyclic axes; pass an "
                "array of shape (n_filters, {n_channels}, {sides}).",
                filters=Option("filters"),
                shape=np.shape(self.filters),
                n_channels=n_channels,
                n_axes=len(grid),
                sides=", ".join(["side"] * len(grid)),
            )
        self._refuse_large_kernel(own.shape[2:], grid)
        return own

    def _refuse_large_kernel(self, kernel: tuple[int, ...], grid: list[int]) -> None:
        for side, length in zip(kernel, grid, strict=True):
            if side > length:
                raise InputError(
                    "{size} is larger than the {kind}, which is {grid}; pass {kernel} <= {most}.",
                    size=Option("kernel_size", side),
                    kind="signal" if len(grid) == 1 else "image",
                    grid=" × ".join(map(str, grid)),
                    kernel=Option("kernel_size"),
                    most=min(grid),
                )

    def _find_level(self, bank: Any, samples: Array, sample_weight: Array) -> float:
        """Level of the threshold: the one that was given, or a quantile of the responses to some samples."""
        default = THRESHOLDS[self.threshold].default_quantile
        if default is None:
            return 0.0
        if self.level is not None:
            return float(self.level)
        quantile = default if self.quantile is None else self.quantile
        affordable = MAX_LEVEL_RESPONSES // (bank.n_channels * math.prod(bank.grid))
        most = min(max(affordable, FEWEST_LEVEL_SAMPLES), MAX_LEVEL_SAMPLES)
        if len(samples) > most:
            total = np.cumsum(sample_weight)
            drawn = np.searchsorted(total, (np.arange(most) + 0.5) * (total[-1] / most))
            some, counts = np.unique(drawn, return_counts=True)
            samples, sample_weight = samples[some], counts.astype(np.float64)
        return learned_level(bank.linear(samples), self.threshold, quantile, sample_weight)

    def check_stored(self, file_bytes: int) -> None:
        """Refuse filters that came from a file of this size and do not fit together."""
        self.bank_.check_stored(self.sample_shape_, file_bytes)
        expect(is_number(self.level_), "level_ is no number")
        same = len(self.filters_) == len(self.bank_.filters) and all(
            isinstance(one, np.ndarray) and np.array_equal(one, other)
            for one, other in zip(self.filters_, self.bank_.filters, strict=True)
        )
        expect(same, "the filters are not those of the bank")

    @property
    def _n_features_out(self) -> int:
        return int(np.prod(self.bank_.shape))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
