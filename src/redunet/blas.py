"""One BLAS thread at a time: the bits of a result must not depend on how many cores there are."""

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def single_threaded() -> AbstractContextManager[object]:
    """Context in which BLAS and LAPACK add up in one order, whatever the number of threads they may use."""
    context: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return context
