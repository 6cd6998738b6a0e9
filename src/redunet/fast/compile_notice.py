"""Say what takes so long when the kernels are compiled, once per machine."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# A silence of so many seconds is short enough to need no explanation.
SILENT_SECONDS = 2.0
_announced = False  # no Event: its lock could be held by another thread when a process forks


@contextmanager
def announced_compilation() -> Iterator[None]:
    """Context that says so on the error stream if it takes longer than two seconds because kernels are compiled."""
    if _announced:
        yield
        return
    done = threading.Event()
    threading.Thread(target=_watch, args=(done,), name="redunet", daemon=True).start()
    try:
        yield
    finally:
        done.set()


def _watch(done: threading.Event) -> None:
    global _announced
    wait = SILENT_SECONDS
    while not done.wait(wait):
        if _announced:
            return
        if _n_compiled():
            _announced = True
            sys.stderr.write("redunet: compiling the layers for this machine; this happens once.\n")
            sys.stderr.flush()
            return
        wait = 0.5


def _n_compiled() -> int:
    """Kernels that were not found in the cache on disk; each counts as soon as its compilation starts."""
    kernels = sys.modules.get("redunet.fast.kernels")
    if kernels is None:
        return 0
    return sum(sum(kernel.stats.cache_misses.values()) for kernel in vars(kernels).values() if hasattr(kernel, "stats"))
