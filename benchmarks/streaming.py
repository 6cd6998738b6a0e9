"""More rows than memory: what `redunet fit` and `redunet update` take of it, and how many rows in a second.

    python benchmarks/streaming.py [--rows 5000000] [--more 1000000] [--numbers 20] [--format csv] [--folder /tmp]

The tables are written block by block in a temporary folder. Each command runs in a process of its own, whose peak of
memory is read from Linux (VmHWM) when it ends.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CLASSES, BLOCK_ROWS = 5, 50_000
COMMAND = """
import json, re, sys, time
from pathlib import Path

begin = time.perf_counter()
try:
    from redunet.cli.app import app
    app()
except SystemExit as end:
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
    seconds = time.perf_counter() - begin
    sys.stderr.write(json.dumps({"code": end.code, "peak_megabytes": peak / 1024, "seconds": seconds}))
"""


def blocks(n_rows, n_numbers, seed):
    """Numbers and classes, a block at a time: each class has a mean of its own."""
    rng = np.random.default_rng(seed)
    means = 2 * np.random.default_rng(0).standard_normal((CLASSES, n_numbers))
    for start in range(0, n_rows, BLOCK_ROWS):
        classes = rng.integers(0, CLASSES, min(BLOCK_ROWS, n_rows - start))
        yield means[classes] + 3 * rng.standard_normal((len(classes), n_numbers)), classes


def write_table(path, n_rows, n_numbers, seed):
    """A table with a column of labels; returns its bytes."""
    names = [f"x{i}" for i in range(n_numbers)]
    if path.suffix == ".parquet":
        import pyarrow
        import pyarrow.parquet

        schema = pyarrow.schema([*((name, pyarrow.float64()) for name in names), ("kind", pyarrow.string())])
        with pyarrow.parquet.ParquetWriter(path, schema) as writer:
            for X, classes in blocks(n_rows, n_numbers, seed):
                kinds = pyarrow.array([f"kind {j}" for j in classes.tolist()])
                writer.write_table(pyarrow.table([*map(pyarrow.array, X.T), kinds], schema=schema))
        return path.stat().st_size
    row = ",".join(["%.6f"] * n_numbers) + ",kind %d\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join([*names, "kind"]) + "\n")
        for X, classes in blocks(n_rows, n_numbers, seed):
            file.write("".join(row % (*x, j) for x, j in zip(X.tolist(), classes.tolist(), strict=True)))
    return path.stat().st_size


def measured(*words):
    """Run `redunet …`; gives its summary with seconds and peak of memory."""
    command = [sys.executable, "-c", COMMAND, *map(str, words), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    *notes, last = done.stderr.splitlines()
    found = json.loads(last)
    if found["code"]:
        raise SystemExit("\n".join(notes))
    return json.loads(done.stdout) | found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--more", type=int, default=1_000_000)
    parser.add_argument("--numbers", type=int, default=20)
    parser.add_argument("--format", choices=("csv", "parquet"), default="csv")
    parser.add_argument("--construction", choices=("samples", "moments"))
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        table, more, model = (
            Path(folder) / name for name in (f"t.{options.format}", f"u.{options.format}", "m.redunet")
        )
        for path, n_rows, seed in ((table, options.rows, 1), (more, options.more, 2)):
            start = time.perf_counter()
            n_bytes = write_table(path, n_rows, options.numbers, seed)
            print(f"wrote {n_rows:,} rows, {n_bytes / 1e6:,.0f} MB, in {time.perf_counter() - start:.0f} s", flush=True)
        asked = ["--construction", options.construction] if options.construction else []
        runs = [
            ("fit", options.rows, ["fit", table, "-o", model, *asked]),
            ("update", options.more, ["update", model, more]),
            ("forget", options.more, ["update", model, more, "--forget"]),
        ]
        for name, n_rows, words in runs:
            found = measured(*words, "--target", "kind")
            print(
                f"{name:<7} {n_rows:>10,} rows  {found['seconds']:7.1f} s  {n_rows / found['seconds']:>9,.0f} rows/s  "
                f"peak {found['peak_megabytes']:5.0f} MB  {found['samples']:,.0f} samples",
                flush=True,
            )


if __name__ == "__main__":
    main()
