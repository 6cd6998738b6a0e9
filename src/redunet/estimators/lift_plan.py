"""What ``lift=`` means for given samples: a lift that pools, filters that the evidence chooses from, both, or none."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..evidence.lifts import are_pictures, candidate_lifts, large_image_lifts, shared_image_lifts
from ..inputs.errors import InputError, InputTypeError, Option
from ..inputs.parameters import check_choice
from ..inputs.unequal_lengths import lengths_of
from ..lift.banks import BANKS
from ..lift.lift import Lift
from ..lift.peak_lift import PeakLift
from ..lift.pooled_lift import PooledLift
from ..lift.ring_lift import RingLift
from ..measures.registry import goes_with_pooled
from ..numerics.arrays import Array

# Names of what is chosen for the samples, of the lift that pools over the circle, of those for images on rings, and of
# none at all.
AUTO, POOLED, RINGS, NO_LIFT = "auto", "pooled", "rings", "none"
# Lifts whose features are vectors that no shift changes.
POOLING_LIFTS = (PooledLift, PeakLift)


@dataclass(frozen=True)
class LiftPlan:
    """Lifts that samples will get; none of them is fitted yet.

    Parameters
    ----------
    pooled : PooledLift, PeakLift or None
    filters : list of Lift
        The evidence takes the best of them. Beside a lift that pools, it is asked for a second answer.
    only_slower : bool
        Whether they are no more than the slow part of the channels as they are.
    """

    pooled: PooledLift | PeakLift | None
    filters: list[Lift]
    only_slower: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether samples go on as they are."""
        return self.pooled is None and not self.filters

    @property
    def pads(self) -> bool:
        """Whether zeros are appended to samples, so that a shifted sample is another one."""
        pads = [lift.pad for lift in self.filters] + ([] if self.pooled is None else [self.pooled.pad])
        return any(np.any(pad) for pad in pads)


def check_lift(lift: Any, invariance: str | None) -> None:
    """Refuse a lift that is none, or that has nothing to lift."""
    if lift is None or (isinstance(lift, str) and lift == NO_LIFT):
        return
    if invariance is None:
        raise InputError(
            "{lift} takes signals or images; pass {cyclic}, or {none}.",
            lift=Option("lift"),
            cyclic=Option("invariance", "shift", "translation"),
            none=Option("lift", None),
        )
    if isinstance(lift, str):
        check_choice("lift", lift, (AUTO, NO_LIFT, POOLED, RINGS, *BANKS))
        return
    lifts = list(lift) if isinstance(lift, (list, tuple)) else [lift]
    n_pooled = sum(isinstance(one, POOLING_LIFTS) for one in lifts)
    if not lifts or n_pooled > 1 or not all(isinstance(one, (Lift, *POOLING_LIFTS)) for one in lifts):
        raise InputTypeError(
            "{lift} must be None, 'auto', the name of a lift, a redunet.PooledLift, a redunet.PeakLift, a "
            "redunet.Lift, or a list of redunet.Lift with at most one redunet.PooledLift or redunet.PeakLift, got "
            "{value}.",
            lift=Option("lift"),
            value=repr(lift),
        )
    for one in lifts:
        one.check_parameters()


def plan_lifts(
    lift: Any,
    samples: Array,
    invariance: str | None,
    membership: str,
    random_state: Any,
    *,
    few_features: bool = False,
    aligned: bool = False,
) -> LiftPlan:
    """The lifts that were given; where nothing is said, the usual ones for one channel, which tells nothing by itself.

    Large images of several channels are pooled where nothing is said. Images that are answered in two ways
    (``aligned``), those in colour, too, get lifts that serve both. With ``few_features`` the usual ones do not pool:
    pooled features are many, and so are the numbers of their moments.
    """
    n_channels, grid = samples.shape[1], samples.shape[2:]
    if lift is None and invariance is not None and (n_channels == 1 or (aligned and are_pictures(n_channels, grid))):
        lift = AUTO
    if lift is None and invariance == "translation":
        return LiftPlan(None, large_image_lifts(n_channels, grid), only_slower=True)
    if lift is None or (isinstance(lift, str) and lift == NO_LIFT):
        return LiftPlan(None, [])
    if isinstance(lift, str):
        return _named(lift, samples, membership, random_state, few_features, aligned)
    lifts = [clone(one) for one in (lift if isinstance(lift, (list, tuple)) else [lift])]
    pooled = [one for one in lifts if isinstance(one, POOLING_LIFTS)]
    return LiftPlan(pooled[0] if pooled else None, [one for one in lifts if isinstance(one, Lift)])


def _named(
    name: str, samples: Array, membership: str, random_state: Any, few_features: bool, aligned: bool
) -> LiftPlan:
    if name == POOLED:
        return LiftPlan(PooledLift(), [])
    if name == RINGS:
        filters: list[Lift] = [RingLift(random_state=random_state)]
        pools = membership == AUTO and not few_features
        return LiftPlan(PeakLift(random_state=random_state) if pools else None, filters)
    if name != AUTO:
        return LiftPlan(None, [Lift(name, random_state=random_state)])
    signals = samples.ndim == 3
    if aligned and not signals:
        return LiftPlan(None, shared_image_lifts(samples.shape[1], samples.shape[2:], random_state))
    pools = signals and goes_with_pooled(membership) and not few_features
    equal = not signals or lengths_of(samples) is None
    usual = candidate_lifts(samples.shape[2:], random_state) if equal and not (pools and membership != AUTO) else []
    return LiftPlan(PooledLift() if pools else None, usual)
