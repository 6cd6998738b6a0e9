"""Classifiers of signals at any place, on the UCR archive: accuracy, seconds, memory, and whether the bits stay.

    REDUNET_DATA=… python benchmarks/signals.py run --out benchmarks/signals.json [--task ucr|placed|mixed] [--sets …]
                                                    [--methods …] [--rounds 3] [--limit 900] [--retry]
    python benchmarks/signals.py table benchmarks/signals.json
    python benchmarks/signals.py picture benchmarks/signals.json docs/_static/signals.png
    REDUNET_DATA=… python benchmarks/signals.py speed [--methods …] [--n-signals 100000]

Data are NAME_TRAIN.npz and NAME_TEST.npz in the folder ucr/npz of REDUNET_DATA, in the split of the archive. Each
signal is standardised by itself; nothing is chosen with test signals. Every method gets the same float32 arrays.

"ucr": fitted on the training signals as they are, then asked for the test signals as they are and for the same at
random circular shifts (a fixed seed for each set). "placed": every signal, of training and test alike, lies somewhere
in a stretch that is half as long again and rests at the end values of the signal, with a little noise. Moving it there
is no circular shift. Only the smallest sets, for time. "mixed": training and test signals of the archive are put
together and drawn again, as many of each class for training as before (and at most 1,000 for the test), so that the two
parts are alike; it says how good the estimate ``loo_score_`` is, which knows nothing of test parts that are different.

Each row comes from a process of its own, which fits a tiny problem first, so that compilers and thread pools are ready
before the clock starts. Memory is the highest that the kernel saw during the fit (or the prediction) above what the
process held right before. Ours and MiniRocket are run in turn, several rounds, and the median is given, so that noise
of the machine hits both. A method that fails, crashes or takes longer than the limit (seconds for the whole process)
gets a row with "error".

Rows are written one by one and not repeated, so that a run can be interrupted; --retry repeats those with an error.
aeon is needed for the other methods, PyTorch too for MultiRocket-Hydra and QUANT:
pip install aeon==1.6.0 torch==2.13.0
"""

import argparse
import ctypes
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from zlib import crc32

import numpy as np
from records import Records
from scipy.stats import rankdata
from signals_figures import critical_difference, holm_p_values
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from tables import duration
from tasks import shifted

import redunet

# Sets whose test accuracy was looked at while the method was developed: every second name of those that were there. All
# others are "never looked at".
LOOKED_AT = (
    *("ACSF1", "ArrowHead", "Beef", "BirdChicken", "Car", "ChlorineConcentration", "Computers", "CricketY"),
    *("DiatomSizeReduction", "DistalPhalanxOutlineCorrect", "ECG200", "ECGFiveDays", "EOGVerticalSignal", "FaceAll"),
    *("FacesUCR", "Fish", "FreezerSmallTrain", "GunPoint", "GunPointMaleVersusFemale"),
)
OURS, OURS_PADDED, ROCKET = "redunet", "redunet, pad", "MiniRocket"
NEIGHBOUR = "1-NN, FFT magnitudes"
# What each method needs beside this package and scikit-learn.
METHODS = {
    OURS: (),
    OURS_PADDED: (),
    ROCKET: ("aeon",),
    "MiniRocket, shifted copies": ("aeon",),
    "MultiRocket-Hydra": ("aeon", "torch"),
    "QUANT": ("aeon", "torch"),
    NEIGHBOUR: (),
}
METHODS_OF_TASK = {
    "ucr": tuple(method for method in METHODS if method != OURS_PADDED),
    "placed": (OURS, OURS_PADDED, ROCKET, NEIGHBOUR),
    "mixed": (OURS,),
}
# Test parts of each task; ranks, wins and seconds to predict are those of the last.
PARTS_OF_TASK = {"ucr": ("as they are", "at random shifts"), "placed": ("placed",), "mixed": ("mixed",)}
TIMED_IN_TURN = (OURS, OURS_PADDED, ROCKET)
COPIES = 10  # shifted copies of each training signal, beside the signal itself
PLACED_SETS = 20
MOST_MIXED_TEST_SIGNALS = 1000
STRETCH = 1.5  # lengths of a signal
REST_NOISE = 0.1  # standard deviations of a signal


# --- data -------------------------------------------------------------------------------------------------------------


def data_folder():
    root = os.environ.get("REDUNET_DATA")
    if not root:
        raise SystemExit("say where the data are: REDUNET_DATA=… (a folder with ucr/npz in it)")
    return Path(root) / "ucr" / "npz"


def names_of_sets():
    return sorted(path.name.removesuffix("_TRAIN.npz") for path in data_folder().glob("*_TRAIN.npz"))


def read_set(name):
    """Training signals, their labels, test signals, their labels; each signal standardised by itself."""
    arrays = []
    for part in ("TRAIN", "TEST"):
        with np.load(data_folder() / f"{name}_{part}.npz") as stored:
            arrays += [standardised(stored["X"]), stored["y"]]
    return arrays


def standardised(X):
    """Each signal with mean 0 and standard deviation 1, float32; zeros where it is constant."""
    X = X.astype(np.float64)
    centred = X - X.mean(axis=1, keepdims=True)
    scale = centred.std(axis=1, keepdims=True)
    constant = scale <= 1e-7 * np.abs(X).max(axis=1, keepdims=True)  # what float32 cannot tell from constant
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, scale)).astype(np.float32)


def random_numbers(purpose, name):
    """A generator for one purpose on one set, the same in every run."""
    return np.random.default_rng(crc32(f"{purpose} {name}".encode()))


def placed(X, rng):
    """Each signal at a random offset in a longer stretch, which rests at its end values, with noise, around it."""
    n_signals, length = X.shape
    n_positions = round(STRETCH * length)
    offsets = rng.integers(0, n_positions - length + 1, n_signals)
    positions = np.arange(n_positions) - offsets[:, None]
    rests = (positions < 0) | (positions >= length)
    noise = REST_NOISE * rng.standard_normal(positions.shape)
    values = np.take_along_axis(X, np.clip(positions, 0, length - 1), axis=1)
    return (values + np.where(rests, noise, 0.0)).astype(np.float32)


def mixed(X, y, X_test, y_test, rng):
    """Training signals drawn again from both parts, as many of each class as before; some of the rest for the test."""
    signals, labels = np.concatenate([X, X_test]), np.concatenate([y, y_test])
    drawn = [rng.choice(np.flatnonzero(labels == label), np.sum(y == label), replace=False) for label in np.unique(y)]
    training = np.concatenate(drawn)
    rest = np.setdiff1d(np.arange(len(labels)), training)
    test = rng.permutation(rest)[:MOST_MIXED_TEST_SIGNALS]
    return signals[training], labels[training], signals[test], labels[test]


def load(task, name):
    """Training signals, their labels, {name of a test part: signals}, labels of the test signals."""
    X, y, X_test, y_test = read_set(name)
    if task == "placed":
        X = placed(X, random_numbers("training places", name))
        return X, y, {"placed": placed(X_test, random_numbers("test places", name))}, y_test
    if task == "mixed":
        X, y, X_test, y_test = mixed(X, y, X_test, y_test, random_numbers("mixed", name))
        return X, y, {"mixed": X_test}, y_test
    moved = shifted(X_test, random_numbers("test shifts", name))
    return X, y, {"as they are": X_test, "at random shifts": moved}, y_test


def sets_of_task(task):
    """All sets, or those with the fewest values, training and test signals counted."""
    names = names_of_sets()
    if task != "placed":
        return names
    n_values = {name: sum(X.size for X in read_set(name)[::2]) for name in names}
    return sorted(sorted(names, key=n_values.get)[:PLACED_SETS])


# --- methods ----------------------------------------------------------------------------------------------------------


def magnitudes(X):
    """FFT magnitudes, which a circular shift does not change."""
    return np.abs(np.fft.rfft(X, axis=1))


class ShiftedCopies:
    """A classifier that sees each training signal at random shifts, too."""

    def __init__(self, model, rng):
        self.model, self.rng = model, rng

    def fit(self, X, y):
        """Fit the signals and their shifted copies; making these is a part of the method, and timed with it."""
        many = np.concatenate([X, *(shifted(X, self.rng) for _ in range(COPIES))])
        self.model.fit(many, np.tile(y, COPIES + 1))
        return self

    def predict(self, X):
        """Answers for signals as they are given."""
        return self.model.predict(X)


def make(method, name, length):
    """A classifier that is not fitted, for signals of a length; the name of the set decides random numbers alone."""
    if method == OURS:
        return redunet.ReduNetClassifier(invariance="shift")
    if method == OURS_PADDED:
        return redunet.ReduNetClassifier("shift", lift=redunet.PooledLift(pad=length // 4))
    if method == NEIGHBOUR:
        return make_pipeline(FunctionTransformer(magnitudes), KNeighborsClassifier(1))
    if method == "QUANT":
        from aeon.classification.interval_based import QUANTClassifier

        return QUANTClassifier(random_state=0)
    from aeon.classification.convolution_based import MiniRocketClassifier, MultiRocketHydraClassifier

    if method == "MultiRocket-Hydra":
        return MultiRocketHydraClassifier(n_jobs=2, random_state=0)
    rocket = MiniRocketClassifier(n_jobs=2, random_state=0)
    return rocket if method == ROCKET else ShiftedCopies(rocket, random_numbers("training copies", name))


def refuse_missing_packages(methods):
    """End before the first row rather than write rows of errors that only say what is not installed."""
    unknown = set(methods) - set(METHODS)
    if unknown:
        raise SystemExit(f"no such method: {', '.join(sorted(unknown))}; there are {'; '.join(METHODS)}")
    missing = {package for method in methods for package in METHODS[method] if not find_spec(package)}
    if missing:
        needy = [method for method in methods if missing & set(METHODS[method])]
        raise SystemExit(f"{', '.join(sorted(missing))} must be installed for {'; '.join(needy)}; or choose --methods")


def software_of(method):
    """Version of the package that a method comes from; of ours, a checksum of the code as it is now."""
    if not method.startswith(OURS):
        package = METHODS[method][0] if METHODS[method] else "scikit-learn"
        return f"{package} {version(package)}"
    files = sorted(Path(redunet.__file__).parent.rglob("*.py"))
    return f"redunet {crc32(b''.join(path.read_bytes() for path in files)):08x}"


# --- measuring, in a process of its own -------------------------------------------------------------------------------


def memory(name):
    """VmRSS, memory now, or VmHWM, the highest since it was last reset, of this process; MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise OSError(f"/proc/self/status has no {name}; memory can be measured on Linux alone")


def timed(action):
    """What an action returns, and its seconds."""
    start = time.perf_counter()
    value = action()
    return value, time.perf_counter() - start


def with_peak(action):
    """What an action returns, and the highest memory during it above that before; MB."""
    gc.collect()
    # Memory that was freed and not given back would hide what the action takes. Giving it back costs the action time.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM, which misses no short peak as sampling would
    before = memory("VmRSS")
    value = action()
    return value, memory("VmHWM") - before


def warm_up(method):
    """Fit and ask tiny problems of the same kind, so that what is measured later waits for no compiler."""
    rng = np.random.default_rng(0)
    for n_signals in (24, 96):  # few signals and many take different kernels of ours
        X = rng.standard_normal((n_signals, 64)).astype(np.float32)
        make(method, "warm-up", X.shape[1]).fit(X, np.arange(n_signals) % 3).predict(X)


def measure(task, name, method, *, times_only):
    """Fit a method on a set and ask it for every test part; returns the columns of a row."""
    X, y, tests, y_test = load(task, name)
    warm_up(method)
    model = make(method, name, X.shape[1])
    (_, fit_seconds), fit_memory = with_peak(lambda: timed(lambda: model.fit(X, y)))
    *_, moved = tests.values()
    answers, predict_seconds = timed(lambda: model.predict(moved))
    row = {"fit_seconds": fit_seconds, "predict_seconds": predict_seconds, "fit_megabytes": fit_memory}
    if times_only:
        return row
    _, row["predict_megabytes"] = with_peak(lambda: model.predict(moved))
    for part, signals in tests.items():
        found = answers if signals is moved else model.predict(signals)
        row[part] = float(np.mean(found == y_test))
    if method.startswith(OURS):
        row["loo_score_"] = float(model.loo_score_) if np.isfinite(model.loo_score_) else None
        if len(tests) > 1:
            row["same bits"] = bool(np.array_equal(*(model.predict_proba(signals) for signals in tests.values())))
    sizes = np.unique(y, return_counts=True)[1]
    row |= {"n_train": len(X), "n_test": len(y_test), "length": X.shape[1], "n_classes": len(sizes)}
    return row | {"smallest class": int(sizes.min())}


def child(task, name, method, out, times_only):
    """Measure, and write the columns, or the error, to a file: libraries print what they like."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            row = measure(task, name, method, times_only=times_only)
    except Exception as error:  # whatever a method fails with is its result
        row = {"error": f"{type(error).__name__}: {error}"[:300]}
    out.write_text(json.dumps(row))


def in_child(task, name, method, limit, *, times_only=False):
    """The columns of a row, measured by another process that has so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        out, errors = Path(folder) / "row.json", Path(folder) / "stderr.txt"
        command = [sys.executable, __file__, "child", task, name, method, str(out), *["--times-only"] * times_only]
        with errors.open("wb") as stream:
            # A session of its own, so that processes that a library starts are ended with it.
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stream, start_new_session=True)
            try:
                process.wait(timeout=limit)
            except subprocess.TimeoutExpired:
                return {"error": f"longer than {limit:g} s"}
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        if out.exists():
            return json.loads(out.read_text())
        last_words = (errors.read_text(errors="replace").strip().splitlines() or ["no message"])[-1]
    return {"error": f"the process ended with {process.returncode}: {last_words}"[:300]}


def median_of(rounds):
    """One row of several rounds: accuracy of the first, medians of seconds and the highest memory of all."""
    done = [found for found in rounds if "error" not in found]
    if "error" in rounds[0]:
        return rounds[0]
    row = dict(rounds[0])
    for name in ("fit_seconds", "predict_seconds"):
        row[name] = float(np.median([found[name] for found in done]))
        row[f"{name} of rounds"] = [found[name] for found in done]
    row["fit_megabytes"] = max(found["fit_megabytes"] for found in done)
    return row


def run(out, task, sets, methods, rounds, limit, retry):
    """Measure what has no row yet, and write each row when it is complete."""
    methods, sets = methods or METHODS_OF_TASK[task], sets or sets_of_task(task)
    refuse_missing_packages(methods)
    unknown = set(sets) - set(names_of_sets())
    if unknown:
        raise SystemExit(f"{data_folder()} has no {', '.join(sorted(unknown))}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # else the process of a row would go on alone
    records = Records(out, ("task", "set", "method"))
    if not all(set(records.keys) <= set(row) for row in records.rows):
        raise SystemExit(f"{out} holds results of something else; remove it, or write to another file")
    if any(method.startswith(OURS) for method in methods):
        subprocess.run([sys.executable, "-m", "redunet.compiled"], check=True)
    if retry:
        wanted = {(task, name, method) for name in sets for method in methods}
        keys = [tuple(row[key] for key in records.keys) for row in records.rows]
        records.rows = [
            row for row, key in zip(records.rows, keys, strict=True) if "error" not in row or key not in wanted
        ]
    for name in sets:
        todo = [method for method in methods if (task, name, method) not in records]
        in_turn = [method for method in todo if method in TIMED_IN_TURN]
        software = {method: software_of(method) for method in todo}
        found = {method: [] for method in in_turn}
        for i in range(rounds):
            for method in in_turn:
                if i == 0 or "error" not in found[method][0]:
                    found[method].append(in_child(task, name, method, limit, times_only=i > 0))
        others = ((method, [in_child(task, name, method, limit)]) for method in todo if method not in in_turn)
        for method, results in chain(found.items(), others):
            row = {"task": task, "set": name, "method": method, "software": software[method]}
            records.add(row | median_of(results))


# --- tables -----------------------------------------------------------------------------------------------------------


class Results:
    """Rows of one task, by set and method."""

    def __init__(self, rows, task):
        self.task, self.parts = task, PARTS_OF_TASK[task]
        self.rows = {(row["set"], row["method"]): row for row in rows if row["task"] == task}
        self.sets = sorted({name for name, _ in self.rows})
        self.all_methods = [method for method in METHODS if any(method == found for _, found in self.rows)]
        # A method that was not run on all sets yet is shown set by set, and left out of the means.
        done = [m for m in self.all_methods if all((name, m) in self.rows for name in self.sets)]
        self.methods = done or self.all_methods
        # Means and ranks are those of sets that every method answered, or else they would not be comparable.
        self.answered_by_all = [name for name in self.sets if all(self.answered(name, m) for m in self.methods)]

    def answered(self, name, method):
        """Whether there is a row with an accuracy."""
        return self.parts[-1] in self.rows.get((name, method), {})

    def column(self, column, method, sets):
        """Shape (n_sets,)."""
        return np.array([self.rows[name, method][column] for name in sets])

    def accuracies(self, part, sets):
        """Shape (n_sets, n_methods)."""
        return np.array([[self.rows[name, method][part] for method in self.methods] for name in sets])

    def errors(self):
        """Set, method and message of each row with an error."""
        return [(*key, row["error"]) for key, row in sorted(self.rows.items()) if "error" in row]


def halves(sets):
    """The sets, and those of them that were looked at or not while the method was developed."""
    looked_at = [name for name in sets if name in LOOKED_AT]
    others = [name for name in sets if name not in LOOKED_AT]
    groups = {"All sets": sets, "Looked at while developing": looked_at, "Never looked at": others}
    return {title: group for title, group in groups.items() if group}


def table(rows):
    """Markdown of all tasks that there are rows of."""
    tasks = [task for task in PARTS_OF_TASK if any(row["task"] == task for row in rows)]
    return "\n\n".join(chain.from_iterable(task_tables(Results(rows, task)) for task in tasks))


def task_tables(results):
    """Markdown paragraphs: what failed, a summary of each half, ours in more detail, every set."""
    yield f"## Task {results.task}: {len(results.sets)} sets, {len(results.methods)} methods"
    yield from problems(results)
    for title, sets in halves(results.answered_by_all).items():
        yield f"### {title} ({len(sets)})"
        yield summary(results, sets)
    if len(results.answered_by_all) > 1:
        yield from differences(results)
    if any(results.answered(name, OURS) for name in results.sets):
        yield from about_ours(results)
    yield "### Every set"
    yield every_set(results)


def problems(results):
    """What a reader must know before the means."""
    for name, method, error in results.errors():
        yield f"- {method} failed on {name}: {error}"
    for method in results.all_methods:
        n_missing = sum((name, method) not in results.rows for name in results.sets)
        if n_missing:
            yield f"- {method} was not run on {n_missing} of the sets, and is not in the summaries."
    left_out = [name for name in results.sets if name not in results.answered_by_all]
    if left_out:
        yield f"- The summaries leave out {', '.join(left_out)}, which not every method answered."
    for method in (OURS, OURS_PADDED):
        versions = sorted({row["software"] for (_, found), row in results.rows.items() if found == method})
        if len(versions) > 1:
            yield f"- Rows of {method} were measured with different code: {', '.join(versions)}"


def summary(results, sets):
    """One row per method: accuracy, rank and wins, seconds and memory."""
    accuracies = {part: results.accuracies(part, sets) for part in results.parts}
    deciding = results.parts[-1]
    ranks = rankdata(-accuracies[deciding], axis=1).mean(axis=0)
    titles = [*results.parts, f"mean rank ({deciding})", "better / same / worse than ours"]
    titles += ["fit, all sets", "predict, all sets", "highest memory, fit", "highest memory, predict"]
    lines = ["| | " + " | ".join(titles) + " |", "|---|" + "---|" * len(titles)]
    for i, method in enumerate(results.methods):
        cells = [f"{accuracies[part][:, i].mean():.3f}" for part in results.parts]
        cells += [f"{ranks[i]:.2f}", wins(results, accuracies[deciding], i)]
        cells += [duration(results.column(f"{what}_seconds", method, sets).sum()) for what in ("fit", "predict")]
        cells += [f"{results.column(f'{what}_megabytes', method, sets).max():.0f} MB" for what in ("fit", "predict")]
        lines.append(f"| {shown(method)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def shown(method):
    return f"**{method}**" if method == OURS else method


def wins(results, accuracy, i):
    """On how many sets a method is better than ours, the same, and worse."""
    if OURS not in results.methods or results.methods[i] == OURS:
        return "–"
    gap = accuracy[:, i] - accuracy[:, results.methods.index(OURS)]
    return f"{np.sum(gap > 0)} / {np.sum(gap == 0)} / {np.sum(gap < 0)}"


def differences(results):
    """Which methods differ from ours beyond chance."""
    if OURS not in results.methods or len(results.methods) < 2:
        return
    p_values = holm_p_values(results.accuracies(results.parts[-1], results.answered_by_all))
    ours = results.methods.index(OURS)
    found = [f"{m}: p = {p_values[ours, i]:.2g}" for i, m in enumerate(results.methods) if i != ours]
    yield (
        f"Differences from ours in accuracy ({results.parts[-1]}), by Wilcoxon's signed ranks with Holm's correction "
        f"over all pairs of methods: {'; '.join(found)}."
    )


def about_ours(results):
    """The guarantee, what ours expected of itself, and its time beside MiniRocket's."""
    sets = [name for name in results.sets if results.answered(name, OURS)]
    if results.task == "ucr":
        same = results.column("same bits", OURS, sets)
        yield f"`predict_proba` of ours has the same bits at random shifts on {same.sum()} of {len(same)} sets."
    both = [name for name in sets if results.answered(name, ROCKET)]
    for what in ("fit", "predict"):
        if both:
            ours, other = (results.column(f"{what}_seconds", method, both) for method in (OURS, ROCKET))
            ratios = ours / other
            yield (
                f"Seconds to {what}, ours ÷ {ROCKET}, timed in turn: median {np.median(ratios):.2g} over {len(both)} "
                f"sets, from {ratios.min():.2g} to {ratios.max():.2g}."
            )
    yield "### `loo_score_` minus accuracy: what the training signals alone say"
    yield loo_table(results, sets)


def loo_table(results, sets):
    """Mean and mean absolute difference, for each half."""
    told = [name for name in sets if has_estimate(results, name)]
    lines = ["| | sets | mean | mean absolute | largest |", "|---|---|---|---|---|"]
    for title, group in halves(told).items():
        gaps = loo_gaps(results, group)
        cells = [str(len(group)), f"{gaps.mean():+.3f}", f"{np.abs(gaps).mean():.3f}", f"{np.abs(gaps).max():.3f}"]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    left_out = [name for name in sets if name not in told]
    if left_out:
        lines.append(f"\nWithout {', '.join(left_out)}, where every class has one training signal.")
    return "\n".join(lines)


def has_estimate(results, name):
    """Whether leaving one out says something: not where every class has one training signal."""
    return results.rows.get((name, OURS), {}).get("loo_score_") is not None


def loo_gaps(results, sets):
    return results.column("loo_score_", OURS, sets) - results.column(results.parts[-1], OURS, sets)


def every_set(results):
    """Accuracy of every method on every set; * is a set that was looked at while developing."""
    titles = ["training signals × length, classes", *map(shown, results.all_methods)]
    with_loo = OURS in results.methods
    lines = ["| | " + " | ".join(titles) + " | ours: loo − accuracy |" * with_loo + " |" * (not with_loo)]
    lines.append("|---|" + "---|" * (len(titles) + with_loo))
    for name in results.sets:
        done = next((row for (of, _), row in results.rows.items() if of == name and "n_train" in row), None)
        cells = [f"{done['n_train']} × {done['length']}, {done['n_classes']}" if done else "–"]
        cells += [accuracy_cell(results, name, method) for method in results.all_methods]
        if with_loo:
            cells.append(f"{loo_gaps(results, [name])[0]:+.3f}" if has_estimate(results, name) else "–")
        lines.append(f"| {name}{'*' * (name in LOOKED_AT)} | " + " | ".join(cells) + " |")
    lines.append(f"\nAccuracy {' / '.join(results.parts)}. * looked at while developing.")
    return "\n".join(lines)


def accuracy_cell(results, name, method):
    row = results.rows.get((name, method), {})
    if "error" in row:
        return "failed"
    return " / ".join(f"{row[part]:.3f}" for part in results.parts) if results.answered(name, method) else "–"


def picture(rows, path):
    """Critical-difference diagram of the ranks at random shifts."""
    results = Results(rows, "ucr")
    sets = results.answered_by_all
    if len(sets) < 2 or len(results.methods) < 2:
        raise SystemExit(f"{len(sets)} sets and {len(results.methods)} methods are too few for ranks")
    critical_difference(results.accuracies("at random shifts", sets), results.methods, path, emphasised=OURS)


# --- speed ------------------------------------------------------------------------------------------------------------


def noisy_waves(n_signals, length, rng):
    """Sines and squares, as many of each, at any phase."""
    phase = 2 * np.pi * (7 * np.arange(length) / length + rng.uniform(size=(n_signals, 1)))
    y = np.where(np.arange(n_signals) % 2, "square", "sine")
    X = np.where((y == "square")[:, None], np.sign(np.sin(phase)), np.sin(phase))
    return (X + 0.5 * rng.standard_normal(X.shape)).astype(np.float32), y


def speed(methods, n_signals):
    """A fit of few long signals and a prediction of many short ones, for each method; prints JSON."""
    refuse_missing_packages(methods)
    rng = np.random.default_rng(0)
    X, y = noisy_waves(40, 5000, rng)
    X_new, y_new = noisy_waves(40, 5000, rng)
    known, kinds, test, test_kinds = read_set("GunPoint")
    rows = np.arange(n_signals) % len(test)
    many = test[rows] + np.float32(0.01) * rng.standard_normal((n_signals, test.shape[1]), dtype=np.float32)
    many = shifted(many, rng)
    found = []
    for method in methods:
        warm_up(method)
        long_model, short_model = (make(method, "speed", signals.shape[1]) for signals in (X, known))
        (_, seconds), megabytes = with_peak(lambda model=long_model: timed(lambda: model.fit(X, y)))
        fit = {"n_signals": len(X), "length": X.shape[1], "seconds": seconds, "megabytes above the data": megabytes}
        fit["accuracy of as many new ones"] = float(np.mean(long_model.predict(X_new) == y_new))
        short_model.fit(known, kinds)
        answers, seconds = timed(lambda model=short_model: model.predict(many))
        _, megabytes = with_peak(lambda model=short_model: model.predict(many))
        predict = {"n_signals": n_signals, "length": many.shape[1], "fitted on": len(known), "seconds": seconds}
        predict |= {"signals per second": n_signals / seconds, "megabytes above the data": megabytes}
        predict["accuracy"] = float(np.mean(answers == test_kinds[rows]))
        found.append({"method": method, "software": software_of(method), "fit": fit, "predict": predict})
    print(json.dumps(found, indent=1))


# --- command line -----------------------------------------------------------------------------------------------------


def options_of_command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True, metavar="{run,table,picture,speed}")
    running = actions.add_parser("run")
    running.add_argument("--out", type=Path, required=True)
    running.add_argument("--task", choices=PARTS_OF_TASK, default="ucr")
    running.add_argument("--sets", nargs="+", help="all, or the smallest for --task placed, unless given")
    running.add_argument("--methods", nargs="+", help="; ".join(METHODS))
    running.add_argument("--rounds", type=int, default=3, help="of ours and MiniRocket, in turn")
    running.add_argument("--limit", type=float, default=900.0, help="seconds for one process")
    running.add_argument("--retry", action="store_true", help="repeat rows with an error")
    actions.add_parser("table").add_argument("results", type=Path)
    drawing = actions.add_parser("picture")
    drawing.add_argument("results", type=Path)
    drawing.add_argument("path", type=Path)
    timing = actions.add_parser("speed")
    timing.add_argument("--methods", nargs="+", default=[OURS])
    timing.add_argument("--n-signals", type=int, default=100_000)
    measuring = actions.add_parser("child")  # what "run" starts
    for name in ("task", "name", "method"):
        measuring.add_argument(name)
    measuring.add_argument("out", type=Path)
    measuring.add_argument("--times-only", action="store_true")
    return vars(parser.parse_args())


if __name__ == "__main__":
    options = options_of_command_line()
    action = options.pop("action")
    if action in ("table", "picture"):
        options["rows"] = json.loads(options.pop("results").read_text())
    result = {"run": run, "table": table, "picture": picture, "speed": speed, "child": child}[action](**options)
    if action == "table":
        print(result)
