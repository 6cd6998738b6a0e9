"""Checks of options, made before any work is done; each error names the option, the rule and the value."""

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import InputError, InputTypeError, Message, Option
from .suggestions import did_you_mean

INVARIANCES = (None, "shift", "translation")
CONVENTIONS = ("exact", "published")
# Kernels of plain vectors that have a name.
KERNEL_NAMES = ("linear", "rbf", "poly", "cosine")
# What a network is built from: all samples, or the moments of its classes.
CONSTRUCTIONS = ("samples", "moments")


def check_choice(name: str, value: Any, choices: Sequence[str | None]) -> None:
    """Refuse a value that is not one of the choices, and name the one that was probably meant."""
    if (value is None or isinstance(value, str)) and value in choices:
        return
    listed = ", ".join(repr(choice) for choice in choices)
    rule = f"one of {listed}" if len(choices) > 1 else listed
    guess = did_you_mean(str(value), [choice for choice in choices if choice])
    raise InputError("{option} must be {rule}, got {text}.{guess}", **_of(name, value), rule=rule, guess=guess)


def check_positive(name: str, value: Any) -> None:
    """Refuse what is not a positive finite number."""
    if not _is_number(value):
        raise InputTypeError("{option} must be a number > 0, got {text} of type {kind}.", **_of(name, value))
    if not (math.isfinite(value) and float(value) > 0):
        raise InputError("{option} must be > 0 and finite, got {value}.", **_of(name, value))


def check_eps(value: Any) -> float:
    """The distortion ε as a float; refuse what is not positive, or has no square in double precision."""
    check_positive("eps", value)
    if not 1e-150 <= value <= 1e150:
        raise InputError(
            "{option} must lie between 1e-150 and 1e150, since its square is used, got {value}.", **_of("eps", value)
        )
    return float(value)


def check_step_size(value: Any) -> float | None:
    """The step size η as a float, or None for "auto"."""
    if not isinstance(value, str):
        check_positive("step_size", value)
        return float(value)
    if value != "auto":
        raise InputError("{option} must be a number > 0 or 'auto', got {text}.", **_of("step_size", value))
    return None


def check_tol(value: Any) -> float | None:
    """The tolerance as a float of at least 0, or None."""
    if value is None:
        return None
    if not _is_number(value):
        raise InputTypeError("{option} must be a number >= 0 or None, got {text} of type {kind}.", **_of("tol", value))
    if not (math.isfinite(value) and float(value) >= 0):
        raise InputError("{option} must be >= 0 and finite, or None, got {value}.", **_of("tol", value))
    return float(value)


def check_momentum(value: Any) -> float | str:
    """The momentum β as a float in [0, 1), or "nesterov"; None is 0."""
    if value is None or value == "nesterov":
        return value or 0.0
    if not _is_number(value):
        raise InputError(
            "{option} must be None, 'nesterov' or a number in [0, 1), got {text}.", **_of("momentum", value)
        )
    if not 0 <= float(value) < 1:
        raise InputError("{option} must lie in [0, 1), got {value}.", **_of("momentum", value))
    return float(value)


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is not a whole number of at least ``least``."""
    _check_whole(Option(name), value, least)


def check_flag(name: str, value: Any) -> None:
    """Refuse what is not True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError("{option} must be True or False, got {text} of type {kind}.", **_of(name, value))


def check_affine(value: Any) -> None:
    """Refuse what is not True or False, or a number > 0 that is the constant coordinate itself."""
    if isinstance(value, (bool, np.bool_)):
        return
    if not _is_number(value):
        raise InputTypeError(
            "{option} must be True, False or a number > 0, got {text} of type {kind}.", **_of("affine", value)
        )
    check_positive("affine", value)


def check_standardise(value: Any, invariance: str | None, *, is_learned: bool = False) -> None:
    """Refuse what is not True, False or "auto", and True for samples that have no columns of their own.

    Parameters
    ----------
    value : object
    invariance : str or None
    is_learned : bool
        Whether the value is a scale that was learned before, which is as good as True.
    """
    if isinstance(value, str):
        check_choice("standardise", value, ("auto",))
        return
    if not is_learned:
        check_flag("standardise", value)
    if value and invariance is not None:
        raise InputError(
            "{option} brings the columns of tables to one scale, and {invariance} moves values from column to column; "
            "pass {off}.",
            option=Option("standardise", True),
            invariance=Option("invariance", invariance),
            off=Option("standardise", False),
        )


def check_kernel(value: Any, invariance: str | None, gamma: Any, n_landmarks: Any, *, is_learned: bool = False) -> None:
    """Refuse what is no kernel of plain vectors, and options that do not go with one.

    Parameters
    ----------
    value : object
        None, a name or a function.
    invariance : str or None
    gamma : object
        "auto" or a number > 0.
    n_landmarks : object
        A whole number of at least 1.
    is_learned : bool
        Whether the value is a kernel whose landmarks were learned before.
    """
    if not is_learned and not callable(value):
        check_choice("kernel", value, (None, *KERNEL_NAMES))
    if isinstance(gamma, str):
        check_choice("gamma", gamma, ("auto",))
    else:
        check_positive("gamma", gamma)
    check_whole("n_landmarks", n_landmarks, 1)
    if value is not None and invariance is not None:
        raise InputError(
            "{option} compares plain vectors, and changes with {invariance} of one of them, so that nothing would be "
            "invariant; pass {off}, or {vectors}.",
            option=Option("kernel"),
            invariance="a shift" if invariance == "shift" else "a translation",
            off=Option("kernel", None),
            vectors=Option("invariance", None),
        )


def check_shape(name: str, value: Any) -> tuple[int, ...] | None:
    """A tuple of positive whole numbers, or None."""
    if value is None:
        return None
    try:
        shape = tuple(value)
    except TypeError:
        raise InputTypeError(
            "{option} must be a tuple of whole numbers such as (1, 28, 28), got {text} of type {kind}.",
            **_of(name, value),
        ) from None
    for length in shape:
        _check_whole(Message("every entry of {option}", option=Option(name)), length, 1)
    return tuple(int(length) for length in shape)


def check_n_jobs(value: Any) -> None:
    """Refuse what is neither None nor a whole number other than 0."""
    if value is None:
        return
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise InputTypeError(
            "{option} must be a whole number or None, got {text} of type {kind}.", **_of("n_jobs", value)
        )
    if value == 0:
        raise InputError(
            "{option} must be a number of threads, -1 for all cores, or None, got {value}.", **_of("n_jobs", value)
        )


def check_share(name: str, value: Any) -> None:
    """Refuse what is not a number in [0, 1)."""
    if not _is_number(value) or not 0 <= float(value) < 1:
        raise InputError("{option} must be a number in [0, 1), got {text}.", **_of(name, value))


def check_at_least(name: str, value: Any, least: float) -> None:
    """Refuse what is not a finite number of at least ``least``."""
    if not (_is_number(value) and math.isfinite(value) and float(value) >= least):
        raise InputError("{option} must be a number >= {least:g}, got {text}.", **_of(name, value), least=least)


def _check_whole(subject: Option | Message, value: Any, least: int) -> None:
    parts = {"subject": subject, "least": least, **_as_text(value)}
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise InputTypeError("{subject} must be a whole number >= {least}, got {text} of type {kind}.", **parts)
    if value < least:
        raise InputError("{subject} must be >= {least}, got {value}.", **parts)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _of(name: str, value: Any) -> dict[str, Any]:
    """Parts of a message about an option: the option, and its value as text, so that any error can be pickled."""
    return {"option": Option(name), **_as_text(value)}


def _as_text(value: Any) -> dict[str, str]:
    return {"value": str(value), "text": repr(value), "kind": type(value).__name__}
