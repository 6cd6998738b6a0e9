"""The cost model of docs/scaling.md beside measurements: seconds and bytes of a fit by 1, 2 and 4 workers.

    python benchmarks/dask_costs.py [--workers 1 2 4] [--rows 400000]

The time of a pass and of a layer for one row and one core is measured here, in this process; the model says what the
workers should take, had each a core of its own.
"""

import argparse
import json
import os

os.environ["OMP_NUM_THREADS"] = "1"  # as workers have it

import time

import dask
import numpy as np
from dask_blocks import block_of, samples
from distributed import Client, LocalCluster, wait

from redunet import ReduNetClassifier
from redunet.dask import KEEPS_MEMORY, DaskReduNetClassifier
from redunet.estimators.block_learning import SampleBlocks
from redunet.estimators.block_reading import RawBlock
from redunet.fast.block_tasks import LocalTasks

N_FEATURES, N_CLASSES, ROWS_PER_BLOCK, N_LAYERS = 50, 5, 25_000, 6
SAMPLES = {"construction": "samples", "n_layers": N_LAYERS, "tol": None, "step_size": 0.5, "membership": "subspace"}
MOMENTS = {"construction": "moments"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rows", type=int, default=400_000)
    arguments = parser.parse_args()
    n_blocks = arguments.rows // ROWS_PER_BLOCK
    per_row = seconds_per_row()
    print(json.dumps({"microseconds_per_row_on_one_core": {name: round(1e6 * s, 3) for name, s in per_row.items()}}))
    cores = len(os.sched_getaffinity(0))
    environment = {f"distributed.nanny.pre-spawn-environ.{key}": value for key, value in KEEPS_MEMORY.items()}
    for n_workers in arguments.workers:
        with (
            dask.config.set(environment),
            LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            X, y = dask.persist(*samples(n_blocks, ROWS_PER_BLOCK, N_FEATURES, N_CLASSES))
            wait([X, y])
            for options in (MOMENTS, SAMPLES):
                model = DaskReduNetClassifier(**options, client=client)
                model.fit(X, y)
                before, begin = moved(client), time.monotonic()
                model.fit(X, y)
                seconds, n_bytes = time.monotonic() - begin, moved(client) - before
                name = options["construction"]
                expected = arguments.rows * per_row[name] / min(n_workers, cores)
                found = {
                    "construction": name,
                    "workers": n_workers,
                    "cores": min(n_workers, cores),
                    "seconds": round(seconds, 2),
                    "seconds_of_the_model": round(expected, 2),
                    "megabytes_sent_by_workers": round(n_bytes / 1e6, 2),
                }
                print(json.dumps(found), flush=True)


def seconds_per_row() -> dict[str, float]:
    """Seconds that a row takes in all of a fit, by the difference of a fit of few and one of more blocks."""
    found = {}
    for options in (MOMENTS, SAMPLES):
        times = []
        for n_blocks in (2, 6):
            raw = [RawBlock(i, *block_of(i, ROWS_PER_BLOCK, N_FEATURES, N_CLASSES)) for i in range(n_blocks)]
            blocks = SampleBlocks(LocalTasks(), raw, (N_FEATURES,), np.dtype(np.float64))
            each = []
            for _ in range(4):
                begin = time.monotonic()
                ReduNetClassifier(**options).fit_blocks(blocks)
                each.append(time.monotonic() - begin)
            times.append(min(each[1:]))
        found[options["construction"]] = (times[1] - times[0]) / (4 * ROWS_PER_BLOCK)
    return found


def moved(client: Client) -> int:
    """Bytes that workers have sent so far, to each other and to the client."""
    return sum(client.run(sent).values())


def sent(dask_worker: object) -> int:
    return dask_worker.transfer_outgoing_bytes_total


if __name__ == "__main__":
    main()
