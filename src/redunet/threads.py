"""Parts of a computation on all cores. Which thread does which part never changes a result."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import joblib

Part = TypeVar("Part")


def n_threads() -> int:
    """Threads to use: the cores that this process may use, or fewer if OMP_NUM_THREADS says so."""
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    cores: int = joblib.cpu_count()
    return max(1, min(cores, int(asked))) if asked.isdigit() else cores


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """Threads of this process (a forked child has none of its parent's)."""
    return ThreadPoolExecutor(max_workers=max(1, n_threads() - 1), thread_name_prefix="redunet")


def run_parts(work: Callable[[Part], None], parts: Sequence[Part]) -> None:
    """Do the work on every part, on all cores, the calling one included; the first error is raised."""
    threads = min(n_threads(), len(parts))
    if threads < 2:
        for part in parts:
            work(part)
        return
    rest, lock = iter(parts), threading.Lock()

    def work_on() -> None:
        while True:
            with lock:
                part = next(rest, None)
            if part is None:
                return
            work(part)

    others = [_pool(os.getpid()).submit(work_on) for _ in range(threads - 1)]
    try:
        work_on()
    finally:
        with lock:
            for _ in rest:  # after an error here, the others stop at their next part
                pass
        for other in others:
            other.result()
