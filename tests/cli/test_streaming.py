"""Prediction takes the memory of a block, not of the file."""

import subprocess
import sys

import numpy as np
import pytest

from redunet import ReduNetClassifier

# The peak of getrusage counts the parent before the program was started, too, which is far larger.
CODE = """
import re, sys
from pathlib import Path
from redunet.cli.predict_command import PredictRequest, predict
assert predict(PredictRequest(*map(Path, sys.argv[1:4]), quiet=True)) == 0
sys.stdout.write(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def peak(model, data, out):
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(model), str(data), str(out)], check=True, capture_output=True, text=True
    )
    return 1024 * int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_four_times_the_rows_take_hardly_more_memory(tmp_path, ending):
    rng = np.random.default_rng(0)
    X = np.tile(rng.integers(0, 100, (1000, 32)) / 4, (50, 1))
    ReduNetClassifier(n_layers=0).fit(X[:100], np.arange(100) % 2).save(tmp_path / "m.redunet")
    peaks = []
    for times in (1, 4):
        data, out = tmp_path / f"{times}.{ending}", tmp_path / f"{times}.out"
        if ending == "csv":
            text = "".join(",".join(map(str, row)) + "\n" for row in X.tolist())
            data.write_text(",".join(f"c{i}" for i in range(32)) + "\n" + text * times)
        elif ending == "parquet":
            arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
            columns = {
                f"c{i}": np.tile(column, times) + rng.standard_normal(50_000 * times) for i, column in enumerate(X.T)
            }
            parquet.write_table(arrow.table(columns), data, row_group_size=10_000, use_dictionary=False)
        else:
            np.savez_compressed(data, X=np.tile(X, (times, 1)))
        peaks.append(peak(tmp_path / "m.redunet", data, out))
        with open(out) as lines:
            assert sum(1 for _ in lines) == 50_000 * times + 1
    assert peaks[1] < peaks[0] + 16e6, peaks  # the numbers of 150,000 more rows would take 38 MB, their text far more
    assert peaks[1] < 500e6
