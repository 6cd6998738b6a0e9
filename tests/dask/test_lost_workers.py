"""Workers that are killed in a fit: the same bits, or a clear error, and never a fit that hangs."""

import os
import signal
import threading
import time

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client

from redunet import ReduNetClassifier
from redunet.dask import DaskReduNetClassifier, LostWorkersError

from .conftest import cluster_of, working_pids
from .local_blocks import assert_same_model, local_fit

CHUNKS = (200,) * 6
# After so long a fit counts as one that hangs.
PATIENCE_SECONDS = 120


def made_slowly(number, X):
    """A block of samples that takes a moment to make, so that there is time to lose a worker."""
    time.sleep(0.2)
    return X.copy()


def slow(samples):
    parts = np.split(samples[0], np.cumsum(CHUNKS)[:-1])
    blocks = [dask.delayed(made_slowly)(number, part) for number, part in enumerate(parts)]
    X = da.concatenate([da.from_delayed(block, (n, 20), float) for block, n in zip(blocks, CHUNKS, strict=True)])
    return X, da.from_array(samples[1], chunks=(CHUNKS,))


@pytest.mark.parametrize("construction", ["samples", "moments"])
def test_a_worker_that_is_killed_changes_no_bit(cluster, client, samples, construction):
    options = {"construction": construction, "n_layers": 5, "tol": None}
    expected = local_fit(ReduNetClassifier(**options), *samples, CHUNKS)
    X, y = slow(samples)
    for moment in (0.05, 0.3, 0.6):
        client.wait_for_workers(2, timeout=60)
        found = []
        model = DaskReduNetClassifier(**options, client=client)
        fit = threading.Thread(target=lambda model=model, found=found: found.append(model.fit(X, y)), daemon=True)
        fit.start()
        time.sleep(moment)
        assert fit.is_alive()  # two workers need more than a second to make the blocks twice
        os.kill(working_pids(cluster)[-1], signal.SIGKILL)
        fit.join(PATIENCE_SECONDS)
        assert found, "the fit hangs, or has failed"
        assert_same_model(found[0], expected)
    client.wait_for_workers(2, timeout=60)


def ends_its_worker(X):
    """A task that takes its worker along, as one does that needs too much memory."""
    os._exit(1)


def test_a_block_that_ends_every_worker_is_an_error_that_says_so(samples):
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster_of(1) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        X = da.from_delayed(dask.delayed(ends_its_worker)(0), (1200, 20), float)
        y = da.from_array(samples[1], chunks=1200)
        with pytest.raises(LostWorkersError, match="smaller blocks"):
            DaskReduNetClassifier(client=client).fit(X, y)


def test_a_cluster_without_workers_is_an_error_and_no_wait_without_end(samples):
    with (
        dask.config.set({"distributed.scheduler.no-workers-timeout": "1s"}),
        cluster_of(0) as cluster,
        Client(cluster, set_as_default=False) as client,
        pytest.raises(LostWorkersError, match="no worker was left"),
    ):
        DaskReduNetClassifier(client=client).fit(*slow(samples))


def test_a_scheduler_that_is_lost_is_an_error_that_says_so(samples):
    cluster = cluster_of(1)
    with Client(cluster, set_as_default=False, timeout=2) as client:
        found = []

        def fit():
            with pytest.raises(LostWorkersError, match="scheduler of Dask was lost"):
                DaskReduNetClassifier(client=client).fit(*slow(samples))
            found.append(True)

        thread = threading.Thread(target=fit, daemon=True)
        thread.start()
        time.sleep(0.2)
        cluster.close()
        thread.join(PATIENCE_SECONDS)
        assert found, "the fit hangs, or has not failed as it should"
