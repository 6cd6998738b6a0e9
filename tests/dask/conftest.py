"""A small cluster for the tests of redunet.dask: two processes on this machine."""

import numpy as np
import pytest

pytest.importorskip("dask", reason="Dask is not installed: pip install 'redunet[dask]'")
import dask

distributed = pytest.importorskip("distributed", reason="distributed is not installed: pip install 'redunet[dask]'")


# A local cluster gives up a worker for good if it is lost again 15 seconds after a loss, as it may be here.
dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})


def cluster_of(n_workers, **options):
    return distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", processes=True, **options
    )


def working_pids(cluster):
    """Processes of the workers that the scheduler knows; one that is being started is not among them."""
    nannies = cluster.workers.values()
    return [nanny.pid for nanny in nannies if nanny.pid and nanny.worker_address in cluster.scheduler.workers]


@pytest.fixture(scope="session")
def cluster():
    """A cluster of two processes, which the tests of a session share."""
    with cluster_of(2) as found:
        yield found


@pytest.fixture
def client(cluster):
    """A client of the cluster, the default one within a test."""
    with distributed.Client(cluster) as found:
        found.wait_for_workers(2, timeout=60)
        yield found


@pytest.fixture(scope="session")
def samples():
    """Three classes of 20 features, and labels that are text."""
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=1200)
    X = rng.standard_normal((1200, 20)) * rng.uniform(0.3, 1.5, (3, 20))[codes]
    return X + 0.4 * rng.standard_normal((3, 20))[codes], np.array(["a", "b", "c"])[codes]
