"""What is expected of values that came from a file; whatever else they are is refused."""

import math
from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .model_file_error import ModelFileError

# The largest number that is 1 but for rounding, such as an entry of an orthonormal basis in single precision.
ROUNDED_ONE = 1.001


def expect(fits: bool, otherwise: str) -> None:
    """Refuse a model whose parts do not fit together.

    Parameters
    ----------
    fits : bool
    otherwise : str
        What is wrong where they do not fit.
    """
    if not fits:
        raise ModelFileError(f"the parts of the model do not fit together: {otherwise}.")


def is_number(value: Any) -> bool:
    """Whether a value is one finite number; True and False are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def expect_numbers(values: Any, shape: tuple[int, ...], what: str) -> None:
    """Refuse what is not an array of finite numbers in double precision of this shape; ``what`` names its holder."""
    fits = isinstance(values, np.ndarray) and values.shape == shape and values.dtype == np.float64
    expect(fits and bool(np.isfinite(values).all()), f"{what} holds no finite numbers of shape {shape}")


def expect_at_most_one(values: Array, otherwise: str) -> None:
    """Refuse numbers above 1 in magnitude, up to rounding, and what is not a number."""
    expect(bool((np.abs(values) <= ROUNDED_ONE).all()), otherwise)


def expect_shape(value: Any, name: str) -> tuple[int, ...]:
    """A shape of positive whole numbers, unchanged; anything else is refused."""
    fits = isinstance(value, tuple) and value and all(type(n) is int and n > 0 for n in value)
    expect(bool(fits), f"{name} is {str(value)[:60]}")
    return tuple(value)
