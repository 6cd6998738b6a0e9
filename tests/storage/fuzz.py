"""Throw broken model files at everything that opens one: nothing but its own error, or finite answers, may come out.

    python -m tests.storage.fuzz --n 25000 [--seed 0] [--from 0] [--processes 2]

Each file is loaded, asked for answers and features, written into a page, and inspected. A process of its own does it,
so that a crash or a hang is a result as well. Counted are files that were refused with ModelFileError, that answered,
and that said that the samples do not fit a model which is whole, but another. Anything else is shown, with the number
of the file, and ends the run with exit code 1: other errors, answers that are not finite, control characters in what
``inspect`` prints, and memory above 64 MB and twice the file.
"""

import argparse
import contextlib
import io
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

import redunet
from redunet.cli.inspect_command import InspectRequest, inspect

from .models import models
from .mutations import Parts, changed_parts, random_bytes

SPARE_BYTES = 64 * 2**20
# A file that takes longer hangs.
PATIENCE_SECONDS = 60
OUTCOMES = ("refused", "answered", "other samples")
# Where a sample that does not go with a model is refused in the project's own words.
OWN_REFUSALS = {"_refuse_silent_samples", "read_new_samples", "refuse_zero_samples", "_check_n_features", "_on_sphere"}


class BrokenPromiseError(AssertionError):
    """A file that did what none may do."""


def ingredients(folder: Path):
    """Of each kind of model: its file as bytes and in parts, and samples that it takes."""
    found = []
    for name, (model, samples) in models().items():
        path = folder / f"{name}.redunet"
        model.save(path)
        content = path.read_bytes()
        found.append((content, Parts(content), samples[:3], model.sample_shape_))
    return found


def broken_file(number: int, seed: int, kinds, structured: float):
    """File ``number`` of a seed, always the same one; and what it was made of."""
    rng = np.random.default_rng([seed, number])
    kind = kinds[int(rng.integers(len(kinds)))]
    content, parts = kind[:2]
    return (changed_parts(parts, rng) if rng.random() < structured else random_bytes(content, rng)), kind


def _is_finite(found, model) -> bool:
    """Whether all numbers are finite; a class that has no samples is infinitely far from every sample."""
    seen = getattr(model, "_seen", None)
    if seen is not None:
        found = np.where(np.isneginf(found).all(axis=0), 0.0, found)
    return bool(np.isfinite(found).all())


def outcome(path: Path, samples, page: Path) -> str:
    """What comes of a file: "refused", "answered" or "other samples"; anything else is an error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = redunet.load(path)
        except redunet.ModelFileError:
            return "refused"
        finally:
            _inspect(path)
        try:
            for way in ("predict_proba", "decision_function", "transform"):
                if hasattr(model, way) and not _is_finite(getattr(model, way)(samples), model):
                    raise BrokenPromiseError(f"{way} gave what is not finite")
            if hasattr(model, "report"):
                model.report(page, samples, model.predict(samples))
        except redunet.ModelFileError:
            return "refused"
        except ValueError as error:
            names = {frame.name for frame in traceback.extract_tb(error.__traceback__)}
            if names & OWN_REFUSALS:
                return "other samples"
            raise
    return "answered"


def _inspect(path: Path) -> None:
    """``redunet inspect`` as a table and as JSON: an exit code, and text that a terminal shows as it is."""
    for as_json in (False, True):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = inspect(InspectRequest(path, verify=not as_json, as_json=as_json))
        said = out.getvalue() + errors.getvalue()
        if code not in (0, 1) or "should not have happened" in said:
            raise BrokenPromiseError(f"inspect ended with {code}: {said[-2000:]}")
        odd = {letter for letter in said if not letter.isprintable() and letter != "\n"}
        if odd:
            raise BrokenPromiseError(f"inspect printed {odd}")


def status_bytes(field: str) -> int:
    """A line of what Linux says about the memory of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return 1024 * int(line.split()[1])
    return 0


class PeakMemory:
    """Memory that this process took at most since the last look, above what it had then; 0 if unknown."""

    def __init__(self) -> None:
        self.is_known = os.access("/proc/self/clear_refs", os.W_OK)

    def start(self) -> None:
        if self.is_known:
            Path("/proc/self/clear_refs").write_text("5")
            self.before = status_bytes("VmRSS")

    def taken(self) -> int:
        return status_bytes("VmHWM") - self.before if self.is_known else 0


def try_files(first: int, last: int, step: int, seed: int, structured: float, folder: Path, report) -> None:
    """Try files first, first + step, … < last; report(number, outcome, bytes taken) before (None) and after each."""
    kinds = ingredients(folder)
    page, peak = folder / "page.html", PeakMemory()
    for content, _, samples, _ in kinds:  # whatever is imported and compiled is there before memory is watched
        (folder / "whole.redunet").write_bytes(content)
        if outcome(folder / "whole.redunet", samples, page) != "answered":
            raise BrokenPromiseError("a file that is whole does not answer")
    target = folder / "broken.redunet"
    for number in range(first, last, step):
        content, kind = broken_file(number, seed, kinds, structured)
        target.write_bytes(content)
        report(number, None, 0)
        peak.start()
        try:
            result = outcome(target, kind[2], page)
        except Exception:
            result = traceback.format_exc()
        taken = peak.taken()
        if taken > SPARE_BYTES + 2 * len(content):
            result = f"took {taken / 1e6:.0f} MB, the file has {len(content)} bytes ({result})"
        report(number, result, taken)


class Tally:
    """What came of the files so far: counts by outcome, failures by number, and the most memory that one took."""

    def __init__(self, show=lambda counts: None) -> None:
        self.counts, self.failures, self.worst = {}, {}, 0
        self.show = show

    def add(self, number: int, result: str, taken: int = 0) -> None:
        known = result in OUTCOMES
        self.counts[result if known else "failed"] = self.counts.get(result if known else "failed", 0) + 1
        self.worst = max(self.worst, taken)
        if not known:
            self.failures[number] = result
        self.show(self.counts)


class Worker:
    """A process that tries every step-th file from ``following`` on; one that dies or stands still gets a successor."""

    def __init__(self, following: int, last: int, options: tuple) -> None:
        self.following, self.last, self.options = following, last, options
        self.begin()

    def begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, inside = context.Pipe(duplex=False)
        self.process = context.Process(
            target=_work, args=(self.following, self.last, *self.options, inside), daemon=True
        )
        self.process.start()
        inside.close()
        self.is_ready = False
        self.heard_at = time.monotonic() + PATIENCE_SECONDS  # it fits models and compiles first

    def listen(self, tally: Tally) -> None:
        """Take what the process has to say; count the file that it died of or hangs in."""
        try:
            while self.pipe.poll(0.05):
                number, result, taken = self.pipe.recv()
                self.is_ready = True
                self.heard_at = time.monotonic()
                if result is not None:
                    self.following = number + self.options[0]
                    tally.add(number, result, taken)
            died = False
        except EOFError:
            died = True
        if died and not self.is_ready:
            raise RuntimeError("a process of the fuzzer died before its first file; run it by itself to see why.")
        hung = time.monotonic() - self.heard_at > PATIENCE_SECONDS
        if self.following < self.last and (died or hung):
            self.process.kill()
            self.process.join()
            tally.add(self.following, "hung" if hung else f"died with {self.process.exitcode}")
            self.following += self.options[0]
            self.begin()


def fuzz(first: int, last: int, seed: int, *, structured: float = 0.8, n_processes: int = 2, show=lambda counts: None):
    """Try files first ≤ number < last of a seed; a Tally."""
    tally = Tally(show)
    with contextlib.ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(n_processes)]
        workers = [Worker(first + i, last, (n_processes, seed, structured, folders[i])) for i in range(n_processes)]
        while any(worker.following < last for worker in workers):
            for worker in workers:
                if worker.following < last:
                    worker.listen(tally)
        for worker in workers:
            worker.process.join(10)
            worker.process.kill()
            worker.process.join()
    return tally


def _work(first, last, step, seed, structured, folder, pipe):
    os.environ["COLUMNS"] = "200"
    try_files(first, last, step, seed, structured, folder, lambda *found: pipe.send(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=25_000)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--structured", type=float, default=0.8, help="share of files changed with the format known")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    last_shown = [0]

    def show(counts):
        total = sum(counts.values())
        if total - last_shown[0] >= 1000:
            last_shown[0] = total
            sys.stdout.write(f"{total}: {counts}\n")
            sys.stdout.flush()

    tally = fuzz(
        options.first,
        options.first + options.n,
        options.seed,
        structured=options.structured,
        n_processes=options.processes,
        show=show,
    )
    for number, why in sorted(tally.failures.items())[:20]:
        sys.stdout.write(f"--- file {number} of seed {options.seed}\n{why}\n")
    sys.stdout.write(f"{options.n} files: {tally.counts}; at most {tally.worst / 1e6:.1f} MB\n")
    sys.exit(bool(tally.failures))


if __name__ == "__main__":
    main()
