"""Parts of a computation on all cores. Which thread does which part never changes a result."""

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from queue import SimpleQueue
from typing import Generic, TypeVar

import joblib

Part = TypeVar("Part")
Jobs = SimpleQueue[Callable[[], None]]


def n_threads() -> int:
    """Threads to use: the cores that this process may use, or fewer if OMP_NUM_THREADS says so."""
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    return min(_n_cores(), max(1, int(asked))) if asked.isdigit() else _n_cores()


def n_threads_in_use() -> int:
    """Threads to use here: all, or fewer within :func:`at_most_threads`."""
    limit = _limit.get()
    return n_threads() if limit is None else min(n_threads(), limit)


@contextmanager
def at_most_threads(n_jobs: int | None) -> Iterator[None]:
    """Context in which a computation of this thread uses at most so many threads.

    Parameters
    ----------
    n_jobs : int or None
        None for all; of negative numbers −1 is all cores, −2 all but one, and so on, as in scikit-learn.
    """
    limit = None if n_jobs is None else n_jobs if n_jobs > 0 else max(1, n_threads() + 1 + n_jobs)
    token = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(token)


@cache
def _n_cores() -> int:
    cores: int = joblib.cpu_count()
    return cores


# Threads that a computation may use, the calling one included; None for all.
_limit: ContextVar[int | None] = ContextVar("redunet_threads", default=None)
# Queue that the helping threads of this process work off; None before the first are started.
_jobs: Jobs | None = None
_starting = threading.Lock()


def _started_jobs() -> Jobs:
    """The queue, with threads that work it off.

    A layer of a small network takes a millisecond, so handing over work must take far less than a pool of futures does.
    """
    global _jobs
    with _starting:
        if _jobs is None:
            jobs: Jobs = SimpleQueue()

            def help_out() -> None:
                while True:
                    jobs.get()()

            try:
                for _ in range(n_threads() - 1):
                    threading.Thread(target=help_out, name="redunet", daemon=True).start()
            except RuntimeError:  # no more threads to be had: the calling one does all the work
                pass
            _jobs = jobs
        return _jobs


class SharedParts(Generic[Part]):
    """Parts of a computation that several threads take from, one at a time.

    Parameters
    ----------
    work : callable
        Done on each part.
    parts : sequence
    """

    def __init__(self, work: Callable[[Part], None], parts: Sequence[Part]) -> None:
        self.work, self.parts = work, parts
        # All of these are read and changed while the lock of the condition is held.
        self._changed = threading.Condition(threading.Lock())
        self._rest = iter(range(len(parts)))
        self._n_working = 0
        self._errors: list[BaseException] = []
        self._process = os.getpid()

    def work_off(self) -> None:
        """Take parts until there are none left; the first error of any thread is the end for all of them."""
        with self._changed:
            number = next(self._rest, None)
            if number is None:
                return
            self._n_working += 1
        try:
            while number is not None:
                self.work(self.parts[number])
                with self._changed:
                    number = next(self._rest, None)
        except BaseException as error:
            with self._changed:
                self._errors.append(error)
                for _ in self._rest:  # nobody needs to go on
                    pass
        finally:
            with self._changed:
                self._n_working -= 1
                self._changed.notify_all()

    def wait(self) -> None:
        """Wait for the threads that still work on a part, and raise the error that one of them met."""
        with self._changed:
            while self._n_working:
                if os.getpid() != self._process:
                    raise RuntimeError(
                        "this process was forked within a computation, whose other threads it does not have."
                    )
                self._changed.wait()
        if self._errors:
            raise self._errors[0]


def run_parts(work: Callable[[Part], None], parts: Sequence[Part]) -> None:
    """Do the work on every part, on all cores, the calling one included; an error in one part is raised.

    Only threads that have taken a part are waited for: one that never comes, because it is busy elsewhere or has ended,
    is not missed.
    """
    helpers = min(n_threads_in_use(), len(parts)) - 1
    if helpers < 1:
        for part in parts:
            work(part)
        return
    shared, jobs = SharedParts(work, parts), _started_jobs()
    for _ in range(helpers):
        jobs.put(shared.work_off)
    shared.work_off()
    shared.wait()


def _finish_imports() -> None:
    """Before a fork: a module that another thread is importing would stay half imported, and locked, in the child."""
    for name in ("numba", "redunet.fast.kernels"):
        module = sys.modules.get(name)
        if module is not None and getattr(getattr(module, "__spec__", None), "_initializing", False):
            importlib.import_module(name)


def _forget_threads() -> None:
    """In a forked child, which has none of the threads of its parent."""
    global _jobs, _starting
    _jobs, _starting = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish_imports, after_in_child=_forget_threads)
