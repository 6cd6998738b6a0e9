"""Throw broken model files at ``redunet.load``: nothing but its own error may come out.

    python -m tests.storage.fuzz --n 100000 [--seed 0]

Files are truncated, extended, have bits, bytes and stretches changed; and, since checksums keep most of those out at
the door, their text and arrays are changed and the checksums made right again, as a sender who knows it can. Each
file is loaded and asked for an answer. Counted are: refused with ModelFileError, answered; anything else is shown and
ends the run with exit code 1. Memory and time are watched.
"""

import argparse
import contextlib
import copy
import json
import sys
import tempfile
import time
import tracemalloc
import warnings
from pathlib import Path

import numpy as np

import redunet
from redunet.storage.array_file import ArrayFile, write_arrays

from .models import models, said

ODD = [
    *(None, True, -1, 0, 1, 7, 2**31, 10**30, -1.5, 1e308, "", "x", "array", "layers/0/expansion", [], {}, [1]),
    {"tuple": []},
    {"array": "layers/0/expansion"},
    {"list": [1]},
    {"record": "Span", "fields": {}},
    {"float": "nan"},
]


def broken_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    """Bits, bytes or stretches of a file changed, its end cut off or something added."""
    data = bytearray(content)
    kind = rng.integers(6)
    if kind == 0:
        return bytes(data[: rng.integers(len(data) + 1)])
    if kind == 1:
        return bytes(data) + rng.bytes(int(rng.integers(1, 200)))
    # Half of the time in the header, which is where the format is decided.
    end = len(data) if rng.integers(2) else min(len(data), 8 + int.from_bytes(data[:8], "little"))
    at = int(rng.integers(end))
    if kind == 2:
        data[at] ^= 1 << int(rng.integers(8))
    elif kind == 3:
        for _ in range(int(rng.integers(1, 20))):
            data[int(rng.integers(end))] = int(rng.integers(256))
    elif kind == 4:
        length = int(rng.integers(1, 64))
        data[at : at + length] = rng.bytes(length)
    else:
        del data[at : at + int(rng.integers(1, 64))]
    return bytes(data)


def broken_parts(text: dict, arrays: dict, rng: np.random.Generator) -> tuple[dict, dict]:
    """Values of the text or arrays changed, one to three of them."""
    text, arrays = copy.deepcopy(text), dict(arrays)
    for _ in range(int(rng.integers(1, 4))):
        if arrays and rng.integers(3) == 0:
            name = list(arrays)[int(rng.integers(len(arrays)))]
            arrays[name] = broken_array(arrays[name], rng)
            if rng.integers(8) == 0:
                del arrays[name]
            continue
        found = places(text)
        if not found:
            break
        holder, key = found[int(rng.integers(len(found)))]
        odd = ODD[int(rng.integers(len(ODD)))]
        if rng.integers(6) == 0 and isinstance(holder, dict):
            del holder[key]
        else:
            holder[key] = copy.deepcopy(odd)
    return text, arrays


def broken_array(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Another shape, another type, or values that are no numbers."""
    kind = rng.integers(5)
    if kind == 0:
        return array[..., :-1] if array.ndim else array
    if kind == 1:
        return np.array(np.expand_dims(array, 0))
    if kind == 2:
        return array.reshape(-1)
    if kind == 3:
        return array.real.astype(np.float32 if array.dtype != np.float32 else np.float64)
    changed = array.astype(array.dtype, copy=True)
    if changed.size and changed.dtype.kind in "fc":
        changed.reshape(-1)[int(rng.integers(changed.size))] = [np.nan, np.inf, -1e30, 0.0][int(rng.integers(4))]
    return changed


def places(value, found=None):
    """Every place in a JSON value that can be changed: its holder, and the key there."""
    found = [] if found is None else found
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        found.append((value, key))
        places(value[key], found)
    return found


def attempt(path: Path, samples) -> str:
    """What comes of a file: "refused", "answered", or the name of an error that should not be."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = redunet.load(path)
        except redunet.ModelFileError:
            return "refused"
        try:
            said(model, samples)
        except redunet.ModelFileError:
            return "refused"
        except ValueError:
            return "answered with a ValueError"  # the samples do not go with a model that is whole, but another
    return "answered"


def fuzz(n: int, seed: int, folder: Path, show=lambda count, counts: None) -> dict[str, int]:
    """Counts of what came of n broken files; an error that is not the project's own is raised with its seed."""
    rng = np.random.default_rng(seed)
    kinds = []
    for name, (model, samples) in models().items():
        path = folder / f"{name}.redunet"
        model.save(path)
        file = ArrayFile(path)
        whole = {one: file.array(one) for one in file.names}
        kinds.append((path.read_bytes(), json.loads(json.dumps(file.text)), whole, samples[:3]))
    target = folder / "broken.redunet"
    counts: dict[str, int] = {}
    for i in range(n):
        content, text, arrays, samples = kinds[int(rng.integers(len(kinds)))]
        if rng.integers(2):
            target.write_bytes(broken_bytes(content, rng))
        else:
            with np.errstate(all="ignore"):
                write_arrays(target, *broken_parts(text, arrays, rng))
        start = time.process_time()
        try:
            result = attempt(target, samples)
        except Exception as error:
            kept = folder / "failure.redunet"
            kept.write_bytes(target.read_bytes())
            raise AssertionError(f"file {i} of seed {seed} gave {error!r}; it is kept as {kept}") from error
        if time.process_time() - start > 20:
            raise AssertionError(f"file {i} of seed {seed} took {time.process_time() - start:.0f} s")
        counts[result] = counts.get(result, 0) + 1
        show(i + 1, counts)
    return counts


def peak_of_loading(n: int, seed: int, folder: Path) -> float:
    """Largest memory that loading a broken file took, in sizes of the file (of 64 kB at least)."""
    rng = np.random.default_rng(seed)
    model, _ = models()["layers"]
    path = folder / "whole.redunet"
    model.save(path)
    content, target, worst = path.read_bytes(), folder / "broken.redunet", 0.0
    for _ in range(n):
        target.write_bytes(broken_bytes(content, rng))
        tracemalloc.start()
        with contextlib.suppress(redunet.ModelFileError):
            redunet.load(target)
        worst = max(worst, tracemalloc.get_traced_memory()[1] / max(target.stat().st_size, 2**16))
        tracemalloc.stop()
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    def show(count, counts):
        if count % 5000 == 0:
            sys.stdout.write(f"{count}: {counts}\n")
            sys.stdout.flush()

    with tempfile.TemporaryDirectory() as folder:
        counts = fuzz(options.n, options.seed, Path(folder), show)
        worst = peak_of_loading(500, options.seed, Path(folder))
    sys.stdout.write(f"{options.n} files: {counts}; memory while loading at most {worst:.2f} × the file\n")


if __name__ == "__main__":
    main()
