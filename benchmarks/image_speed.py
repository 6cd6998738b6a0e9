"""How long images take, beside another version of redunet on the same machine in the same run.

    REDUNET_DATA=… python benchmarks/image_speed.py --before PATH_OF_ANOTHER_CHECKOUT [--rounds 3]

The two versions take turns, each in a process of its own, so that a busy moment of the machine meets both. Per digit 50
labels are drawn; all 10,000 test images are answered, and some one by one.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
SETTINGS = {"patches of 11 × 11": "Lift('patches', 48, 11, pool=2, random_state=0)", "lift='auto'": "'auto'"}

MEASURE = """
import json, sys, time
import numpy as np
from redunet import Lift, ReduNetClassifier
from redunet.data.images import mnist
images, digits = mnist("train")
rng = np.random.default_rng(0)
rows = np.concatenate([rng.permutation(np.flatnonzero(digits == j))[:50] for j in range(10)])
X, y = (images[rows] / np.float32(255)).astype(np.float32), digits[rows]
test, truth = mnist("test")
test = (test / np.float32(255)).astype(np.float32)
make = lambda: ReduNetClassifier("translation", lift={lift})
make().fit(X[::10], y[::10]).predict(test[:64])  # whatever is compiled or imported
start = time.perf_counter()
clf = make().fit(X, y)
fit = time.perf_counter() - start
clf.predict(test[:64])
start = time.perf_counter()
answers = clf.predict(test)
predict = time.perf_counter() - start
one = []
for image in test[:50]:
    start = time.perf_counter()
    clf.predict(image[None])
    one.append(time.perf_counter() - start)
print(json.dumps(dict(fit=fit, predict=predict, one=float(np.median(one)), accuracy=float((answers == truth).mean()))))
"""


def measured(checkout, lift):
    environment = {**os.environ, "PYTHONPATH": str(Path(checkout) / "src")}
    command = [sys.executable, "-c", MEASURE.replace("{lift}", lift)]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, help="checkout of the other version")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for name, lift in SETTINGS.items():
        runs = [(measured(options.before, lift), measured(HERE, lift)) for _ in range(options.rounds)]
        print(name)
        for what in ("fit", "predict", "one"):
            before, now = (statistics.median(run[i][what] for run in runs) for i in (0, 1))
            ratio = statistics.median(run[0][what] / run[1][what] for run in runs)
            print(f"  {what:8} before {before:8.4f} s   now {now:8.4f} s   {ratio:.1f} times as fast")
        print(f"  accuracy before {runs[0][0]['accuracy']:.4f}     now {runs[0][1]['accuracy']:.4f}", flush=True)


if __name__ == "__main__":
    main()
