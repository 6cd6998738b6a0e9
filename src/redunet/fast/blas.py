"""One BLAS thread at a time: the bits of a result must not depend on how many cores there are."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
# How many contexts there are in all threads, and in this one; the limit, while it is set.
_inside = 0
_of_thread = threading.local()
_limit: Any = None


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def single_threaded() -> Iterator[None]:
    """Context in which BLAS and LAPACK add up in one order, whatever the number of threads they may use.

    The limit belongs to the whole process, so the first of several overlapping fits sets it and the last lifts it.
    """
    global _limit
    with _lock:
        if _limit is None:
            limit = _controller().limit(limits=1, user_api="blas")
            limit.__enter__()
            _limit = limit
        _count(1)
    try:
        yield
    finally:
        with _lock:
            _count(-1)
            if _inside == 0:
                limit, _limit = _limit, None
                limit.__exit__(None, None, None)


def _count(change: int) -> None:
    global _inside
    _inside += change
    _of_thread.inside = getattr(_of_thread, "inside", 0) + change


def _start_afresh() -> None:
    """In a forked child, which has this thread alone. A limit that other threads had set is lifted by its next context.

    (Lifting it here would start BLAS threads in every child, whether it computes anything or not.)
    """
    global _lock, _inside
    _lock, _inside = threading.Lock(), getattr(_of_thread, "inside", 0)


if hasattr(os, "register_at_fork"):
    # Held over the fork, so that no thread is just changing the limit.
    os.register_at_fork(
        before=lambda: _lock.acquire(), after_in_parent=lambda: _lock.release(), after_in_child=_start_afresh
    )
