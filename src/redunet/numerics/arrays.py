"""The type of arrays in this package, for the type checker, and records that are made of arrays."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class ArrayRecord:
    """Records that know how much memory their arrays take, which whoever moves or stores them asks (``__sizeof__``)."""

    def __sizeof__(self) -> int:
        parts = (one.nbytes if isinstance(one, np.ndarray) else sys.getsizeof(one) for one in vars(self).values())
        return object.__sizeof__(self) + sum(parts)


def single_of(dtype: np.dtype) -> np.dtype:
    """The type of single precision for real or complex numbers of this type."""
    return np.dtype(np.complex64 if np.issubdtype(dtype, np.complexfloating) else np.float32)
