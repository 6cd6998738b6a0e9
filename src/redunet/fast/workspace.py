"""Memory that is used again and again, by each thread its own."""

import math
import threading

import numpy as np

from ..numerics.arrays import Array
from .sample_lanes import aligned_empty


class Workspace(threading.local):
    """Memory that a thread uses again and again: asking for it takes as long as computing what goes there."""

    def __init__(self) -> None:
        self._held: dict[str, Array] = {}

    def __call__(self, name: str, shape: tuple[int, ...], dtype: np.dtype) -> Array:
        """Memory of this name, shape and type, with whatever was written there before; zeros at first.

        What nobody writes is zero then, and no number so small that computing with it would be slow.
        """
        size = math.prod(shape)
        held = self._held.get(name)
        if held is None or held.size < size or held.dtype != dtype:
            held = self._held[name] = aligned_empty((size,), dtype)
            held[...] = 0
        return held[:size].reshape(shape)
