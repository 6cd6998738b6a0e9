"""Views of samples: what a function of the user makes of them, checked."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .errors import InputError, InputTypeError, Option
from .largest_value import LARGEST_VALUE
from .parameters import check_whole

# Views of each sample where their number is not given.
USUAL_VIEWS = 4


def check_views(augment: Any, n_views: Any) -> None:
    """Refuse what makes no views of samples, and a number of views that nothing makes."""
    if augment is not None and not callable(augment):
        raise InputTypeError(
            "{option} must be None or a function of samples and a random generator that gives samples of the same "
            "shape, got {text} of type {kind}.",
            option=Option("augment"),
            text=repr(augment),
            kind=type(augment).__name__,
        )
    if n_views is None:
        return
    check_whole("n_views", n_views, 1)
    if augment is None:
        raise InputError(
            "{number} asks for views of samples, but there is no {option} to make them; pass {option}, a function of "
            "samples and a random generator, or leave {name} out.",
            number=Option("n_views", int(n_views)),
            option=Option("augment"),
            name=Option("n_views"),
        )


def sample_views(
    augment: Callable[[Array, np.random.Generator], Any], samples: Array, n_views: int, random: np.random.Generator
) -> Array:
    """Each sample and its views; shape (n_samples, 1 + n_views, *sample_shape), of the type of the samples.

    Parameters
    ----------
    augment : callable
        Given a copy of the samples and a random generator, gives a view of each.
    samples : array, shape (n_samples, *sample_shape)
    n_views : int
    random : numpy.random.Generator
    """
    views = np.empty((len(samples), 1 + n_views, *samples.shape[1:]), dtype=samples.dtype)
    views[:, 0] = samples
    for number in range(1, 1 + n_views):
        views[:, number] = _checked(augment(samples.copy(), random), samples)
    return views


def _checked(found: Any, samples: Array) -> Array:
    """What a function made of samples, if it can take their place."""
    option = Option("augment")
    try:
        view = np.asarray(found)
    except ValueError:  # rows of unequal lengths
        view = np.empty(0, dtype=object)
    if view.dtype.kind not in "biuf":
        raise InputTypeError(
            "{option} must give an array of real numbers, got {kind}.", option=option, kind=type(found).__name__
        )
    if view.shape != samples.shape:
        raise InputError(
            "{option} must give samples of the shape {expected} that it was given, got shape {shape}.",
            option=option,
            expected=samples.shape,
            shape=view.shape,
        )
    with np.errstate(over="ignore"):  # of numbers that single precision cannot hold, and which are refused
        view = view.astype(samples.dtype)
    most = min(LARGEST_VALUE, float(np.finfo(samples.dtype).max))
    wrong = np.flatnonzero(~(np.abs(view.reshape(len(view), -1)) <= most).all(axis=1))
    if len(wrong):
        raise InputError(
            "{option} gave NaN, infinity or a value above {largest:g} for {n} of {m} samples; it must give finite "
            "numbers for each.",
            option=option,
            largest=most,
            n=len(wrong),
            m=len(view),
        )
    return view


def refuse_zero_views(views: Array) -> None:
    """A view that is zero everywhere has no place on the sphere, where there is no constant coordinate."""
    n_zero = int((~views.any(axis=tuple(range(2, views.ndim)))).sum())
    if n_zero:
        raise InputError(
            "{option} made {n} views that are zero everywhere, which cannot be projected to the unit sphere; let it "
            "change samples less.",
            option=Option("augment"),
            n=n_zero,
        )
