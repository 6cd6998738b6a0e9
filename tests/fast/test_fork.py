"""A process may fork while its threads compute: neither the child nor the parent waits for what is not there.

python -m tests.fast.test_fork 400 forks so many children while four threads predict, and counts those that hang.
"""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from redunet import Lift, ReduNetClassifier
from redunet.fast import blas, threads
from redunet.fast.cached import cached_property
from redunet.fast.kernels import compilation as compiling

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]
LONGEST_SECONDS = 60


def in_child(work):
    """Do the work in a forked child; whether it came to its end, or None if it had to be killed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if work() in (None, True) else 2
        finally:
            os._exit(code)
    end = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def forked_while_predicting(n_children, n_threads):
    """What went wrong: children that hung, children that answered otherwise, errors in the parent's threads."""
    rng = np.random.default_rng(0)
    y = np.arange(150) % 3
    X = np.sin(np.arange(64) * (0.1 + 0.1 * y[:, None])) + 0.3 * rng.standard_normal((150, 64))
    models = [
        ReduNetClassifier("shift", lift=Lift("random", n_channels, 9, random_state=0), n_layers=2).fit(X, y)
        for n_channels in (8, 30)
    ]
    expected = [model.predict_proba(X) for model in models]
    stop, wrong = threading.Event(), []

    def answers_are_right():
        return all(np.array_equal(model.predict_proba(X), one) for model, one in zip(models, expected, strict=True))

    def predict_all_the_time():
        try:
            while not stop.is_set():
                if not answers_are_right():
                    wrong.append("a thread of the parent had other answers")
        except BaseException as error:
            wrong.append(f"a thread of the parent ended with {error!r}")

    workers = [threading.Thread(target=predict_all_the_time) for _ in range(n_threads)]
    for worker in workers:
        worker.start()
    for i in range(n_children):
        ended = in_child(answers_are_right)
        if not ended:
            wrong.append(f"child {i} hung" if ended is None else f"child {i} had other answers, or an error")
    stop.set()
    for worker in workers:
        worker.join(LONGEST_SECONDS)
        if worker.is_alive():
            wrong.append("a thread of the parent hangs")
    return wrong


def test_children_forked_while_threads_predict_give_the_same_answers():
    done = subprocess.run(
        [sys.executable, "-m", "tests.fast.test_fork", "25"], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.stdout.strip().endswith("25 children: all well"), done.stdout + done.stderr


def test_a_pool_of_forked_processes_predicts():
    code = (
        "import multiprocessing, numpy as np\n"
        "from redunet import ReduNetClassifier\n"
        "X = np.random.default_rng(0).standard_normal((40, 6)); y = np.arange(40) % 2\n"
        "model = ReduNetClassifier(n_layers=2, membership='softmax').fit(X, y)\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    found = pool.map_async(model.predict_proba, [X] * 8).get(120)\n"
        "assert all(np.array_equal(one, model.predict_proba(X)) for one in found)\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=300)


def test_a_child_does_not_wait_for_the_lock_of_the_limit_and_counts_its_own_contexts_alone():
    entered, leave = threading.Event(), threading.Event()

    def inside():
        with blas.single_threaded():
            entered.set()
            leave.wait()

    other = threading.Thread(target=inside)
    other.start()
    entered.wait()

    def work():
        assert blas._inside == 1  # this thread's own
        with blas.single_threaded():
            assert blas._inside == 2
        return blas._limit is not None

    with blas.single_threaded():
        assert blas._inside == 2
        assert in_child(work)

    def lifted():
        assert blas._inside == 0
        with blas.single_threaded():
            assert blas._inside == 1
        return blas._limit is None

    assert in_child(lifted)
    leave.set()
    other.join()
    assert blas._inside == 0


def test_a_fork_waits_for_a_thread_that_is_just_changing_the_limit():
    holding = threading.Event()

    def hold():
        with blas._lock:
            holding.set()
            time.sleep(0.3)

    other = threading.Thread(target=hold)
    other.start()
    holding.wait()
    assert in_child(lambda: blas.single_threaded().__enter__())
    other.join()


def test_a_fork_waits_for_a_thread_that_compiles():
    holding = threading.Event()

    def compile_something():
        with compiling.global_compiler_lock:
            holding.set()
            time.sleep(0.3)

    other = threading.Thread(target=compile_something)
    other.start()
    holding.wait()

    def work():
        return compiling.global_compiler_lock._lock.acquire(timeout=5) and not other.is_alive()

    assert in_child(work)
    other.join()


def test_parts_are_done_though_no_helping_thread_ever_comes(monkeypatch):
    """As in a child, or where all helpers are busy with parts that wait for these parts."""
    monkeypatch.setattr(threads, "n_threads", lambda: 3)
    monkeypatch.setattr(threads, "_started_jobs", threads.SimpleQueue)
    done = []
    finished = threading.Thread(target=lambda: threads.run_parts(done.append, range(5)), daemon=True)
    finished.start()
    finished.join(LONGEST_SECONDS)
    assert not finished.is_alive()
    assert done == [0, 1, 2, 3, 4]


def test_parts_may_have_parts():
    counts = np.zeros((6, 6), dtype=int)

    def outer(i):
        def inner(j):
            counts[i, j] += 1

        threads.run_parts(inner, range(6))

    finished = threading.Thread(target=lambda: threads.run_parts(outer, range(6)), daemon=True)
    finished.start()
    finished.join(LONGEST_SECONDS)
    assert not finished.is_alive()
    assert (counts == 1).all()


def test_a_child_computes_what_another_thread_was_just_computing():
    """Python 3.11 has a lock for each cached property, which nobody in the child would ever release."""
    computing, go_on = threading.Event(), threading.Event()

    class Slow:
        @cached_property
        def value(self):
            computing.set()
            go_on.wait()
            return 1

    other = threading.Thread(target=lambda: Slow().value)
    other.start()
    computing.wait()
    go_on_in_child = threading.Event()
    go_on_in_child.set()

    def work():
        nonlocal go_on
        go_on = go_on_in_child
        return Slow().value == 1

    assert in_child(work)
    go_on.set()
    other.join()


def main() -> None:
    n_children = int(sys.argv[1])
    wrong = forked_while_predicting(n_children, n_threads=4)
    sys.stdout.write("\n".join(wrong) + f"\n{n_children} children: {'all well' if not wrong else len(wrong)}\n")


if __name__ == "__main__":
    main()
