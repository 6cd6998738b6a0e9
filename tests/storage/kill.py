"""Kill a fit (and a save) with SIGKILL at random moments, let it go on, and compare bytes.

python -m tests.storage.kill --n 50 [--seed 0]
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import redunet

FIT = """
import sys, numpy as np
from redunet import Checkpoint, ReduNet
rng = np.random.default_rng(0)
X, y = rng.standard_normal((400, 4, 64)), np.arange(400) % 2
net = ReduNet("shift", n_layers=150, tol=None)
sys.stdout.write("started\\n"); sys.stdout.flush()
net.fit(X, y, checkpoint=Checkpoint(sys.argv[1], layers=3) if sys.argv[1] else None)
net.save(sys.argv[2])
"""
SAVE = """
import sys, redunet
one, other = redunet.load(sys.argv[1]), redunet.load(sys.argv[2])
sys.stdout.write("started\\n"); sys.stdout.flush()
while True:
    one.save(sys.argv[3])
    other.save(sys.argv[3])
"""


def run(code: str, *words: Path | str, kill_after: float | None = None) -> bool:
    """Run code in another process; True if it came to its end, False if it was killed after so many seconds."""
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, words)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        process.wait(kill_after)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return False
    finally:
        process.stdout.close()
    if process.returncode:
        raise AssertionError(f"the fit ended with exit code {process.returncode}")
    return True


def killed_and_resumed(folder: Path, n_kills: int, seed: int) -> list[str]:
    """What went wrong in so many kills: nothing, if every model that was resumed is the whole one, byte for byte."""
    rng = np.random.default_rng(seed)
    start = time.monotonic()
    run(FIT, "", folder / "whole.redunet")
    whole, seconds = (folder / "whole.redunet").read_bytes(), time.monotonic() - start
    wrong, n_killed = [], 0
    while n_killed < n_kills:
        progress, model = folder / "progress", folder / "model.redunet"
        # Killed again and again, until a run comes to its end before its moment.
        while n_killed < n_kills and not run(FIT, progress, model, kill_after=float(rng.uniform(0, seconds))):
            n_killed += 1
        if not model.exists():
            run(FIT, progress, model)
        if model.read_bytes() != whole:
            wrong.append(f"after kill {n_killed} the model differs")
        model.unlink()
    return wrong


def killed_while_saving(folder: Path, n_kills: int, seed: int) -> list[str]:
    """Likewise for saving: the file must always be one of the two models, or not there yet."""
    rng = np.random.default_rng(seed)
    samples, y = rng.standard_normal((200, 3, 64)), np.arange(200) % 2
    contents = []
    for i in (20, 30):
        redunet.ReduNet("shift", n_layers=i, tol=None).fit(samples, y).save(folder / f"{i}.redunet")
        contents.append((folder / f"{i}.redunet").read_bytes())
    target, wrong = folder / "target.redunet", []
    for i in range(n_kills):
        run(SAVE, folder / "20.redunet", folder / "30.redunet", target, kill_after=float(rng.uniform(0, 0.4)))
        if target.exists() and target.read_bytes() not in contents:
            wrong.append(f"after kill {i} the file is neither the one model nor the other")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wrong = killed_and_resumed(Path(folder), options.n, options.seed)
        wrong += killed_while_saving(Path(folder), options.n, options.seed)
    sys.stdout.write(
        "\n".join(wrong) + "\n" if wrong else f"{options.n} kills of a fit, {options.n} of a save: all whole\n"
    )
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
