"""Kill `redunet update` with SIGKILL at random moments: the old model must be whole, and the next run as if first.

python -m tests.cli.kill_update --n 20 [--seed 0]
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import redunet

from .conftest import COLUMNS, plants, write_csv

UPDATE = """
import sys
from redunet.cli import update_command
from redunet.cli.app import app
sys.stdout.write("started\\n"); sys.stdout.flush()
app()
"""


def run(words, kill_after=None):
    """Run `redunet …` in another process; gives its seconds, or None if it was killed after so many."""
    command = [sys.executable, "-c", UPDATE, *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "started\n"
    begin = time.monotonic()
    try:
        _, said = process.communicate(timeout=kill_after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    assert process.returncode == 0, said
    return time.monotonic() - begin


def table(path, n, seed):
    X, kinds = plants(n, seed)
    rows = [[*row, kind] for row, kind in zip(X.tolist(), kinds.tolist(), strict=True)]
    return write_csv(path, [*COLUMNS, "kind"], rows)


def killed_updates(folder: Path, n_kills: int, seed: int) -> tuple[list[str], int]:
    """What went wrong in so many kills, and how many of them came before the end."""
    rng = np.random.default_rng(seed)
    model, new = folder / "m.redunet", table(folder / "new.csv", 6000, 1)
    words = ["update", model, new, "--target", "kind", "--quiet"]
    fit = ["fit", table(folder / "t.csv", 3000, 0), "--target", "kind", "--construction", "moments"]
    run([*fit, "-o", model, "--quiet"])
    old = model.read_bytes()
    seconds, updated = run(words), model.read_bytes()
    assert updated != old
    wrong, n_killed = [], 0
    files = {"m.redunet", "new.csv", "t.csv"}
    for i in range(n_kills):
        model.write_bytes(old)
        if run(words, kill_after=float(rng.uniform(0, seconds))) is not None:
            continue
        n_killed += 1
        if model.read_bytes() not in (old, updated):
            wrong.append(f"after kill {i} the model is neither the old one nor the new one")
        redunet.load(model)
        if model.read_bytes() == old:
            run(words)
            if model.read_bytes() != updated:
                wrong.append(f"after kill {i} the next run gave another model")
            left = {one.name for one in folder.iterdir()} - files
            if left:
                wrong.append(f"after kill {i} the next run left {left}")
    return wrong, n_killed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wrong, n_killed = killed_updates(Path(folder), options.n, options.seed)
    sys.stdout.write("\n".join(wrong) + "\n" if wrong else f"{n_killed} updates were killed: all whole\n")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
