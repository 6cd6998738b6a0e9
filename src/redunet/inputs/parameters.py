"""Options that are told apart from mistakes before any work is done."""

import difflib
import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

INVARIANCES = (None, "shift", "translation")
CONVENTIONS = ("exact", "published")


def check_choice(name: str, value: Any, choices: Sequence[str | None]) -> None:
    """Refuse a value that is not one of the choices, and name the one that was probably meant."""
    if (value is None or isinstance(value, str)) and value in choices:
        return
    listed = ", ".join(repr(choice) for choice in choices)
    rule = f"one of {listed}" if len(choices) > 1 else listed
    near = difflib.get_close_matches(str(value), [choice for choice in choices if choice], n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"{name} must be {rule}, got {value!r}.{hint}")


def check_positive(name: str, value: Any) -> None:
    """Refuse what is not a positive finite number."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number > 0, got {value!r} of type {type(value).__name__}.")
    if not (math.isfinite(value) and float(value) > 0):
        raise ValueError(f"{name} must be > 0 and finite, got {value}.")


def check_eps(value: Any) -> float:
    """The distortion ε as a float; refuse what is not positive, or has no square in double precision."""
    check_positive("eps", value)
    if not 1e-150 <= value <= 1e150:
        raise ValueError(f"eps must lie between 1e-150 and 1e150, since its square is used, got {value}.")
    return float(value)


def check_step_size(value: Any) -> float | None:
    """The step size η as a float, or None for "auto"."""
    if not isinstance(value, str):
        check_positive("step_size", value)
        return float(value)
    if value != "auto":
        raise ValueError(f"step_size must be a number > 0 or 'auto', got {value!r}.")
    return None


def check_tol(value: Any) -> float | None:
    """The tolerance as a float of at least 0, or None."""
    if value is None:
        return None
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"tol must be a number >= 0 or None, got {value!r} of type {type(value).__name__}.")
    if not (math.isfinite(value) and float(value) >= 0):
        raise ValueError(f"tol must be >= 0 and finite, or None, got {value}.")
    return float(value)


def check_momentum(value: Any) -> float | str:
    """The momentum β as a float in [0, 1), or "nesterov"; None is 0."""
    if value is None or value == "nesterov":
        return value or 0.0
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise ValueError(f"momentum must be None, 'nesterov' or a number in [0, 1), got {value!r}.")
    if not 0 <= float(value) < 1:
        raise ValueError(f"momentum must lie in [0, 1), got {value}.")
    return float(value)


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is not a whole number of at least ``least``."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number >= {least}, got {value!r} of type {type(value).__name__}.")
    if value < least:
        raise ValueError(f"{name} must be >= {least}, got {value}.")


def check_flag(name: str, value: Any) -> None:
    """Refuse what is not True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r} of type {type(value).__name__}.")


def check_shape(name: str, value: Any) -> tuple[int, ...] | None:
    """A tuple of positive whole numbers, or None."""
    if value is None:
        return None
    try:
        shape = tuple(value)
    except TypeError:
        raise TypeError(
            f"{name} must be a tuple of whole numbers such as (1, 28, 28), got {value!r} of type "
            f"{type(value).__name__}."
        ) from None
    for length in shape:
        check_whole(f"every entry of {name}", length, 1)
    return tuple(int(length) for length in shape)


def check_share(name: str, value: Any) -> None:
    """Refuse what is not a number in [0, 1)."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not 0 <= float(value) < 1:
        raise ValueError(f"{name} must be a number in [0, 1), got {value!r}.")


def check_at_least(name: str, value: Any, least: float) -> None:
    """Refuse what is not a finite number of at least ``least``."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not (number and math.isfinite(value) and float(value) >= least):
        raise ValueError(f"{name} must be a number >= {least:g}, got {value!r}.")
