"""The transformer for images on rings that keeps the circle: check -> filters -> level -> responses in places."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from ..inputs.errors import Data, InputError, Option
from ..inputs.parameters import check_at_least, check_choice, check_flag, check_share, check_whole
from ..inputs.samples import distinct_samples
from ..numerics.arrays import Array
from ..storage.stored_types import stored_attributes, stored_estimator
from .banks import BANKS, BankRequest
from .lift import Lift
from .ring_bank import RingBank
from .ring_kernels import check_kernels, kernels_for
from .ring_patches import draw_ring_patches
from .thresholds import THRESHOLDS

# Size of filters where none is given, as shares of the rings and of the circle.
KERNEL_SHARES = ((9 / 16, 0.22),)
# Filter banks that make patches of rings × angles, as they make those of images.
RING_BANKS = tuple(name for name, bank in BANKS.items() if bank.max_axes is None or bank.max_axes >= 2)


@stored_estimator()
@stored_attributes(bank_=RingBank)
class RingLift(Lift):
    """More channels for images on rings: local filters of a few rings × angles, a threshold, and a few places.

    Along the angle filters go around the circle, and a turned image has the turned responses; along the rings they
    slide from the innermost to the outermost, and what they respond with is added up in a few overlapping places. So a
    channel is a filter at a place: a piece of a stroke, near the centre or far from it.

    Parameters
    ----------
    n_filters : int, default=96
        Number of filters; the channels are n_filters · n_places.
    kernel_size : tuple of two int, or list of such tuples, optional
        Rings and angles of a filter, such as (9, 21); several sizes share the filters out evenly. By default 9/16 of
        the rings by 0.22 of the circle.
    n_places : int, default=2
        Places along the rings; 2 are an inner and an outer one, each falling off towards the other. As many as rings,
        or more, keep every ring apart.
    filters : "patches", "pca", "dictionary", "random" or "wavelet", default="patches"
        Where filters come from, as in :class:`Lift`.
    threshold : "soft", "relu" or "none", default="soft"
        Shrink responses towards zero by the level, keep what exceeds the level, or keep them as they are.
    quantile : float in [0, 1), optional
        Share of the (not silent) responses of the training samples that lie below the level; 0.3 for "soft" and 0 for
        "relu" by default.
    level : float, optional
        The level itself, instead of a quantile.
    unit_scale : bool, default=True
        Bring each sample to a root mean square of 1 before anything else.
    pool : float, default=4
        Keep of the responses what varies slowly along the angle: the frequencies below 1/pool of the highest.
    zero_mean : bool, default=False
        Take the mean out of each random filter.
    sample_shape : tuple of int, optional
        Layout of one sample, (n_rings, n_angles), when X is flat.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    bank_ : RingBank
        Filters, level and places; ``bank_(samples)`` are the responses.
    filters_ : tuple of arrays, each of shape (n_filters, 1, height, width)
        One for each kernel size.
    level_ : float
    sample_shape_ : tuple of int

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from redunet import PolarGrid, RingLift
    >>> X = PolarGrid(n_rings=4, n_angles=24).fit_transform(load_digits().images[:100])
    >>> RingLift(n_filters=8, n_places=2, pool=2, random_state=0).fit(X).transform(X).shape
    (100, 16, 11)
    """

    # What the circle is does not depend on the samples: the last axis; nothing is appended to it.
    invariance = "shift"

    def __init__(
        self,
        n_filters: int = 96,
        kernel_size: Any = None,
        n_places: int = 2,
        *,
        filters: str = "patches",
        threshold: str = "soft",
        quantile: float | None = None,
        level: float | None = None,
        unit_scale: bool = True,
        pool: float = 4,
        zero_mean: bool = False,
        sample_shape: tuple[int, ...] | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_filters = n_filters
        self.kernel_size = kernel_size
        self.n_places = n_places
        self.filters = filters
        self.threshold = threshold
        self.quantile = quantile
        self.level = level
        self.unit_scale = unit_scale
        self.pool = pool
        self.zero_mean = zero_mean
        self.sample_shape = sample_shape
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Refuse options that are wrong for any samples."""
        n_sizes = 1 if self.kernel_size is None else check_kernels(self.kernel_size)
        check_whole("n_filters", self.n_filters, n_sizes)
        check_whole("n_places", self.n_places, 1)
        check_choice("filters", self.filters, RING_BANKS)
        check_choice("threshold", self.threshold, tuple(THRESHOLDS))
        if self.quantile is not None:
            check_share("quantile", self.quantile)
        if self.level is not None:
            check_at_least("level", self.level, 0)
        check_at_least("pool", self.pool, 1)
        check_flag("unit_scale", self.unit_scale)
        check_flag("zero_mean", self.zero_mean)

    def fit_samples(self, samples: Array, sample_weight: Array) -> Self:
        """Learn filters and level from checked samples, shape (n_samples, n_rings, n_angles), and their weights."""
        if samples.ndim != 3:
            raise InputError(
                "{lift} takes images on rings, of shape (n_samples, n_rings, n_angles), but {data} has samples of "
                "shape {shape}; pass what PolarGrid makes of images, or a Lift.",
                lift=type(self).__name__,
                data=Data("X"),
                shape=samples.shape[1:],
            )
        self.sample_shape_ = samples.shape[1:]
        n_rings, n_angles = (int(n) for n in self.sample_shape_)
        places, pool = min(int(self.n_places), n_rings), float(self.pool)
        bank = RingBank((), self.threshold, 0.0, n_rings, places, (n_angles,), pool, bool(self.unit_scale))
        scaled, sample_weight = distinct_samples(bank.scaled(samples), sample_weight)
        bank = replace(bank, filters=self._make_filters(scaled, sample_weight))
        self.bank_ = replace(bank, level=self._find_level(bank, scaled, sample_weight))
        self.filters_, self.level_ = self.bank_.filters, self.bank_.level
        return self

    def description(self) -> dict[str, Any]:
        """What describes the fitted lift, as JSON can hold it."""
        return {
            "filters": self.filters,
            "channels": self.bank_.n_channels,
            "kernel": [f"{one.shape[2]}x{one.shape[3]}" for one in self.filters_],
            "threshold": self.threshold,
            "pool": float(self.pool),
            "pad": [0],
        }

    def _make_filters(self, samples: Array, sample_weight: Array) -> tuple[Array, ...]:
        """Filters for scaled samples, one array for each kernel size."""
        kernels = kernels_for(self.kernel_size, samples.shape[1:], KERNEL_SHARES)
        rng, bank = check_random_state(self.random_state), BANKS[self.filters]
        both_signs = THRESHOLDS[self.threshold].tells_signs_apart
        found = []
        for number, kernel in enumerate(kernels):
            n_filters = self.n_filters // len(kernels) + (number < self.n_filters % len(kernels))
            patches = np.empty((0, kernel[0] * kernel[1]))
            if bank.learns:
                patches = draw_ring_patches(samples, sample_weight, kernel, rng)[0]
                patches = patches.reshape(len(patches), kernel[0] * kernel[1])
                if not len(patches):
                    raise InputError(
                        "the training samples have no patch of {size} rings and angles that varies; pass a larger "
                        "{kernel}, or {random}.",
                        size=" × ".join(map(str, kernel)),
                        kernel=Option("kernel_size"),
                        random=Option("filters", "random"),
                    )
            request = BankRequest(n_filters, (1, *kernel), rng, bool(self.zero_mean), both_signs, patches)
            found.append(bank.make(request))
        return tuple(found)
