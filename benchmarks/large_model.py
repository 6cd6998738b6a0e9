"""A model of 2 GB: how long it takes to open, and how much memory a prediction takes above its block of samples.

    python benchmarks/large_model.py [--gigabytes 2] [--folder /tmp]

The model is built (many layers of a translation network), saved, and opened in a new process, whose peak memory is read
from Linux after opening and after predicting.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SHAPE, N_CLASSES, N_TRAIN = (16, 28, 28), 10, 100
OPENING = """
import json, sys, time
import numpy as np
import redunet, redunet.storage.model_file

def megabytes(name):
    [line] = [line for line in open("/proc/self/status") if line.startswith(name)]
    return int(line.split()[1]) / 1024

rng = np.random.default_rng(0)
X = rng.standard_normal((32, 16, 28, 28)).astype(np.float32)
redunet.ReduNet("translation", n_layers=1).fit(X[:20], np.arange(20) % 10).transform(X)  # everything is compiled
open("/proc/self/clear_refs", "w").write("5")  # the peak counts from here
before = megabytes("VmRSS")
start = time.perf_counter()
net = redunet.load(sys.argv[1])
opened = time.perf_counter() - start
after_open = megabytes("VmHWM")
start = time.perf_counter()
net.transform(X)
print(json.dumps({"open_seconds": opened, "open_megabytes": after_open - before, "layers": net.n_layers_,
                  "predict_seconds": time.perf_counter() - start, "predict_megabytes": megabytes("VmHWM") - before,
                  "of_the_file_megabytes": megabytes("RssFile"), "block_megabytes": X.nbytes / 2**20}))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    from redunet import ReduNet

    C, H, W = SHAPE
    per_layer = (N_CLASSES + 1) * H * (W // 2 + 1) * C * C * 8
    n_layers = int(options.gigabytes * 1e9 / per_layer) + 1
    X = np.random.default_rng(0).standard_normal((N_TRAIN, *SHAPE)).astype(np.float32)
    start = time.perf_counter()
    net = ReduNet("translation", n_layers=n_layers, tol=None, step_size=0.01).fit(X, np.arange(N_TRAIN) % N_CLASSES)
    print(f"built {n_layers} layers in {time.perf_counter() - start:.0f} s", flush=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "large.redunet"
        start = time.perf_counter()
        net.save(path)
        print(f"saved {path.stat().st_size / 1e9:.2f} GB in {time.perf_counter() - start:.1f} s", flush=True)
        del net
        done = subprocess.run([sys.executable, "-c", OPENING, str(path)], stdout=subprocess.PIPE, check=True, text=True)
    print(json.dumps(json.loads(done.stdout), indent=1))
    print(f"this process took {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GB")


if __name__ == "__main__":
    main()
