"""One loaded model in many hands: threads, forked processes, and a file that changes while it is in use."""

import multiprocessing
import os
import shutil
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import redunet
from redunet import ModelFileError, ReduNetClassifier
from redunet.storage import array_file

from .models import CODES, X, models, random, said

MODELS = models()
# Layers are read from the file at each call, so a network of ten makes a mistake likely.
MODELS["ten layers"] = (
    ReduNetClassifier("shift", lift=random(), n_layers=10, membership="softmax", tol=None).fit(X, CODES),
    X,
)
N_CALLS_IN_THREADS, N_THREADS, N_CALLS_IN_POOL = 400, 8, 200


@pytest.fixture(params=MODELS)
def loaded(request, tmp_path):
    model, samples = MODELS[request.param]
    model.save(tmp_path / "m.redunet")
    return redunet.load(tmp_path / "m.redunet"), samples


def test_eight_threads_get_the_bits_of_one(loaded):
    model, samples = loaded
    batches = [samples[:7], samples[5:], samples[:1]]
    expected = [said(model, batch) for batch in batches]
    together = threading.Barrier(N_THREADS)

    def ask(i):
        if i < N_THREADS:
            together.wait()
        return said(model, batches[i % 3])

    with ThreadPoolExecutor(N_THREADS) as pool:
        answers = list(pool.map(ask, range(N_CALLS_IN_THREADS)))
    wrong = sum(not np.array_equal(answer, expected[i % 3]) for i, answer in enumerate(answers))
    assert wrong == 0


_shared = None


def _ask_shared(i):
    model, batches = _shared
    return said(model, batches[i % 3])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_pool_of_forked_processes_gets_the_bits_of_one(loaded):
    global _shared
    model, samples = loaded
    batches = [samples[:7], samples[5:], samples[:1]]
    expected = [said(model, batch) for batch in batches]
    _shared = model, batches
    with multiprocessing.get_context("fork").Pool(2) as pool:
        answers = pool.map(_ask_shared, range(N_CALLS_IN_POOL), chunksize=1)
    wrong = sum(not np.array_equal(answer, expected[i % 3]) for i, answer in enumerate(answers))
    assert wrong == 0


@pytest.mark.parametrize("settled", [True, False], ids=["old file", "new file"])
@pytest.mark.parametrize("keeps_times", [True, False], ids=["times kept", "times changed"])
def test_a_file_overwritten_in_place_is_noticed(tmp_path, monkeypatch, settled, keeps_times):
    monkeypatch.setattr(array_file, "SETTLED_NANOSECONDS", -1 if settled else 10**15)
    live, new = tmp_path / "live.redunet", tmp_path / "new.redunet"
    MODELS["layers"][0].save(live)
    before = os.stat(live)
    other = ReduNetClassifier("shift", lift=random(), n_layers=3, membership="softmax", eps=0.1).fit(X, 1 - CODES)
    other.save(new)
    model = redunet.load(live)
    said(model, X)  # every layer was read and checked once
    time.sleep(0.02)  # a file system tells the time of a change in steps of some milliseconds
    shutil.copyfile(new, live)
    if keeps_times:
        os.utime(live, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(ModelFileError, match="was altered"):
        said(model, X)
    assert_array_equal(said(redunet.load(live), X), said(other, X))


def test_a_file_replaced_by_another_goes_on_as_the_old_one(tmp_path):
    path = tmp_path / "m.redunet"
    MODELS["layers"][0].save(path)
    model = redunet.load(path)
    MODELS["subspaces"][0].save(path)  # written beside its place and renamed
    assert_array_equal(said(model, X), said(MODELS["layers"][0], X))


def test_a_file_cut_short_in_place_is_noticed(tmp_path):
    path = tmp_path / "m.redunet"
    MODELS["layers"][0].save(path)
    model = redunet.load(path)
    os.truncate(path, 8 + int.from_bytes(path.read_bytes()[:8], "little"))  # all arrays are gone
    with pytest.raises(ModelFileError, match="was altered"):
        said(model, X)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_ordinary_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    def hung(*_):
        raise AssertionError("waiting for a writer")

    old = signal.signal(signal.SIGALRM, hung)
    signal.alarm(20)
    try:
        for path in (tmp_path / "pipe", "/dev/zero"):
            with pytest.raises(ModelFileError, match="no ordinary file"):
                redunet.load(path)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)
