"""Workers that are killed at random moments of a fit: the model must have the same bits, and no fit may hang.

python benchmarks/dask_kills.py [--kills 20] [--seconds 120]
"""

import argparse
import os
import random
import signal
import threading
import time

import dask
import numpy as np
from dask_blocks import block_of, samples
from distributed import Client, LocalCluster

from redunet import ReduNetClassifier
from redunet.dask import DaskReduNetClassifier
from redunet.estimators.block_learning import SampleBlocks
from redunet.estimators.block_reading import RawBlock
from redunet.fast.block_tasks import LocalTasks

N_BLOCKS, N_ROWS, N_FEATURES, N_CLASSES = 24, 10_000, 30, 5


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=120.0, help="after which a fit counts as hanging")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    # A local cluster gives up a worker for good if 15 seconds after a loss it happens to be lost again; with many kills
    # no worker would be left in the end, and Dask waits for one without end, unless it is told not to.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
    dask.config.set({"distributed.scheduler.no-workers-timeout": "60s"})
    blocks = [RawBlock(i, *block_of(i, N_ROWS, N_FEATURES, N_CLASSES)) for i in range(N_BLOCKS)]
    X, y = samples(N_BLOCKS, N_ROWS, N_FEATURES, N_CLASSES)
    new = block_of(N_BLOCKS, 1000, N_FEATURES, N_CLASSES)[0]
    for construction in ("moments", "samples"):
        options = {"construction": construction, "n_layers": 8, "tol": None, "membership": "subspace"}
        local = ReduNetClassifier(**options).fit_blocks(SampleBlocks(LocalTasks(), blocks, (N_FEATURES,), X.dtype))
        expected = local.distances(new)
        n_same = n_fits = n_during = 0
        while n_during < arguments.kills and n_fits < 3 * arguments.kills:
            # Where a worker is not there again after a while, a new cluster is made.
            with cluster_of_two() as cluster, Client(cluster) as client:
                seconds = min(timed(options, client, X, y) for _ in range(3))
                print(f"{construction}: {seconds:.1f} s undisturbed", flush=True)
                while n_during < arguments.kills and n_fits < 3 * arguments.kills:
                    try:
                        client.wait_for_workers(2, timeout=20)
                    except TimeoutError:
                        break
                    found: list[DaskReduNetClassifier] = []
                    model = DaskReduNetClassifier(**options, client=client)
                    fit = threading.Thread(
                        target=lambda model=model, found=found: found.append(model.fit(X, y)), daemon=True
                    )
                    fit.start()
                    moment = rng.uniform(0, seconds)
                    time.sleep(moment)
                    during = fit.is_alive()
                    if during:
                        os.kill(rng.choice(working_pids(cluster)), signal.SIGKILL)
                    fit.join(arguments.seconds)
                    same = bool(found) and np.array_equal(found[0].distances(new), expected)
                    n_same, n_fits, n_during = n_same + same, n_fits + 1, n_during + during
                    state = "hangs or failed" if not found else "same bits" if same else "OTHER BITS"
                    if during:
                        print(f"  killed after {moment:.2f} s: {state}", flush=True)
        print(
            f"{construction}: {n_same} of {n_fits} fits with the same bits, {n_during} of them with a kill", flush=True
        )


def cluster_of_two() -> LocalCluster:
    return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")


def timed(options: dict, client: Client, X: object, y: object) -> float:
    begin = time.monotonic()
    DaskReduNetClassifier(**options, client=client).fit(X, y)
    return time.monotonic() - begin


def working_pids(cluster: LocalCluster) -> list[int]:
    """Processes of the workers that the scheduler knows; one that is being started is not among them."""
    nannies = cluster.workers.values()
    return [nanny.pid for nanny in nannies if nanny.pid and nanny.worker_address in cluster.scheduler.workers]


if __name__ == "__main__":
    main()
