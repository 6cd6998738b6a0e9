"""One BLAS thread at a time: the bits of a result must not depend on how many cores there are."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limit: Any = None


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def single_threaded() -> Iterator[None]:
    """Context in which BLAS and LAPACK add up in one order, whatever the number of threads they may use.

    The limit belongs to the whole process, so the first of several overlapping fits sets it and the last lifts it.
    """
    global _inside, _limit
    with _lock:
        if _inside == 0:
            _limit = _controller().limit(limits=1, user_api="blas")
            _limit.__enter__()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.__exit__(None, None, None)
