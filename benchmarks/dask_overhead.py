"""What Dask costs: a fit by one worker, to samples in its memory, beside the same blocks in a plain loop.

    python benchmarks/dask_overhead.py [--rows 200000] [--repeats 3]

Both have one thread, and are timed in turn; the ratio is that of the least times. Workers are started as Dask starts
them by default, which lets malloc give back memory at once, and then so that they keep some of it (docs/scaling.md).
"""

import argparse
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

N_FEATURES, N_CLASSES, ROWS_PER_BLOCK = 50, 5, 25_000
CASES = [
    {"construction": "moments"},
    {"construction": "moments", "n_layers": 20, "tol": None},
    {"construction": "samples", "n_layers": 5, "tol": None},
]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    n_blocks = arguments.rows // ROWS_PER_BLOCK
    raw = [RawBlock(i, *block_of(i, ROWS_PER_BLOCK, N_FEATURES, N_CLASSES)) for i in range(n_blocks)]
    local = SampleBlocks(LocalTasks(), raw, (N_FEATURES,), np.dtype(np.float64))
    for name, environment in (("as Dask starts workers", {}), ("workers that keep memory", KEEPS_MEMORY)):
        print(name)
        with dask.config.set(
            {f"distributed.nanny.pre-spawn-environ.{key}": value for key, value in environment.items()}
        ):
            compare(n_blocks, local, arguments.repeats)


def compare(n_blocks: int, local: SampleBlocks, repeats: int) -> None:
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        X, y = dask.persist(*samples(n_blocks, ROWS_PER_BLOCK, N_FEATURES, N_CLASSES))
        wait([X, y])
        for options in CASES:
            here, there = [], []
            for _ in range(repeats + 1):
                here.append(timed(lambda options=options: ReduNetClassifier(**options).fit_blocks(local)))
                there.append(timed(lambda options=options: DaskReduNetClassifier(**options, client=client).fit(X, y)))
            one, other = min(here[1:]), min(there[1:])  # the first compiles and imports
            print(f"  {options}: {one:.2f} s in a loop, {other:.2f} s by one worker: {other / one:.2f}", flush=True)


def timed(work) -> float:
    begin = time.monotonic()
    work()
    return time.monotonic() - begin


if __name__ == "__main__":
    main()
