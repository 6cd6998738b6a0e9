"""The type of arrays in this package, for the type checker."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
