"""Say what takes so long when the kernels are compiled, once per machine."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 2.0
_said = threading.Event()


@contextmanager
def telling_when_compiling() -> Iterator[None]:
    """Context that says so on the error stream if it takes longer than two seconds and kernels were compiled in it."""
    timer = threading.Timer(SECONDS, _tell)
    timer.daemon = True
    if not _said.is_set():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _tell() -> None:
    kernels = sys.modules.get("redunet.numerics.kernels")
    if kernels is None or _said.is_set():
        return
    # A kernel that was not found in the cache on disk counts as a miss as soon as its compilation starts.
    misses = [kernel.stats.cache_misses for kernel in vars(kernels).values() if hasattr(kernel, "stats")]
    if any(sum(missed.values()) for missed in misses):
        _said.set()
        sys.stderr.write("redunet: compiling the layers for this machine; this happens once.\n")
        sys.stderr.flush()
