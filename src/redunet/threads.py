"""Parts of a computation on all cores. Which thread does which part never changes a result."""

import os
import threading
from collections.abc import Callable, Sequence
from functools import cache
from queue import SimpleQueue
from typing import TypeVar

import joblib

Part = TypeVar("Part")


def n_threads() -> int:
    """Threads to use: the cores that this process may use, or fewer if OMP_NUM_THREADS says so."""
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    return min(_n_cores(), max(1, int(asked))) if asked.isdigit() else _n_cores()


@cache
def _n_cores() -> int:
    cores: int = joblib.cpu_count()
    return cores


@cache
def _jobs(process: int) -> "SimpleQueue[Callable[[], None]]":
    """Queue that the helping threads of this process work off (a forked child has none of its parent's threads).

    A layer of a small network takes a millisecond, so handing over work must take far less than a pool of futures does.
    """
    jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def help_out() -> None:
        while True:
            jobs.get()()

    for _ in range(n_threads() - 1):
        threading.Thread(target=help_out, name="redunet", daemon=True).start()
    return jobs


def run_parts(work: Callable[[Part], None], parts: Sequence[Part]) -> None:
    """Do the work on every part, on all cores, the calling one included; an error in one part is raised."""
    helpers = min(n_threads(), len(parts)) - 1
    if helpers < 1:
        for part in parts:
            work(part)
        return
    rest, lock = iter(parts), threading.Lock()
    done: SimpleQueue[BaseException | None] = SimpleQueue()

    def work_off() -> None:
        try:
            while True:
                with lock:
                    part = next(rest, None)
                if part is None:
                    break
                work(part)
        except BaseException as error:
            with lock:
                for _ in rest:  # nobody needs to go on
                    pass
            done.put(error)
        else:
            done.put(None)

    jobs = _jobs(os.getpid())
    for _ in range(helpers):
        jobs.put(work_off)
    work_off()
    errors = [error for error in (done.get() for _ in range(helpers + 1)) if error is not None]
    if errors:
        raise errors[0]
