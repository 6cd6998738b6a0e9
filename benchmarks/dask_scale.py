"""How the cost of a fit from moments grows with the samples, which workers of bounded memory make block by block.

    python benchmarks/dask_scale.py [--millions 1 2 5 10 20] [--workers 2] [--memory 2GB]

Each size is fitted twice: with the constant coordinate given (``affine=7.0``), in one pass over the samples, and with
the one that is learned, in two. Making the samples takes time, too; it is measured by a pass that does nothing else, on
workers of its own, since what these hold at once is a matter of Dask alone.
"""

import argparse
import json
import resource
import time

import numpy as np
from dask_blocks import samples
from distributed import Client, LocalCluster

from redunet.dask import DaskReduNetClassifier

N_FEATURES, N_CLASSES, ROWS_PER_BLOCK = 50, 5, 50_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--millions", type=float, nargs="+", default=[1, 2, 5, 10, 20])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="2GB")
    arguments = parser.parse_args()
    found = []
    options = dict(n_workers=arguments.workers, threads_per_worker=1, memory_limit=arguments.memory)
    with LocalCluster(**options, dashboard_address=":0") as cluster, Client(cluster):
        made = [
            timed(lambda n=n: blocks(n)[0].map_blocks(touched, chunks=(1, 1), dtype=float).compute())
            for n in [0.2, *arguments.millions]
        ][1:]
    with LocalCluster(**options, dashboard_address=":0") as cluster, Client(cluster) as client:
        DaskReduNetClassifier(construction="moments").fit(*blocks(0.2))  # workers import and compile what they need
        for millions, making in zip(arguments.millions, made, strict=True):
            for affine, n_passes in ((7.0, 1), (True, 2)):
                model = DaskReduNetClassifier(construction="moments", affine=affine)
                seconds = timed(lambda model=model, n=millions: model.fit(*blocks(n)))
                one = {
                    "rows": int(millions * 1e6),
                    "passes": n_passes,
                    "seconds": round(seconds, 2),
                    "seconds_to_make_the_samples": round(n_passes * making, 2),
                    "rows_per_second": round(millions * 1e6 / seconds),
                    "peak_megabytes_of_each_worker": sorted(client.run(peak_megabytes).values()),
                }
                found.append(one)
                print(json.dumps(one), flush=True)
    for n_passes in (1, 2):
        chosen = [one for one in found if one["passes"] == n_passes]
        if len(chosen) > 1:
            rows, seconds = (np.log([one[name] for one in chosen]) for name in ("rows", "seconds"))
            print(f"{n_passes} pass(es): seconds grow as rows to the power of {np.polyfit(rows, seconds, 1)[0]:.3f}")


def blocks(millions: float):
    return samples(max(1, round(millions * 1e6 / ROWS_PER_BLOCK)), ROWS_PER_BLOCK, N_FEATURES, N_CLASSES)


def touched(X: np.ndarray) -> np.ndarray:
    return X[:1, :1]


def timed(work) -> float:
    begin = time.monotonic()
    work()
    return time.monotonic() - begin


def peak_megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
