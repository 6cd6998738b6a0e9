"""What a user would pick instead: the same splits, with times; the table of the README.

    REDUNET_DATA=… python benchmarks/compare.py run --out results.json [--tasks …] [--methods …] [--draws 5] [--untimed]
    python benchmarks/compare.py table results.json

Results are written after each run and a run that is there already is not repeated, so that it can be interrupted.
PyTorch and aeon are needed for "CNN" and "MiniRocket" alone: pip install torch==2.13.0 aeon
Those of ``references.py`` need kymatio (with PyTorch) and pytranskit: pip install torch==2.13.0 kymatio 'scipy<1.17'
pytranskit six scikit-image matplotlib. These, and "CNN, deformed copies", are there for what they answer: their times
are not recorded.
"""

import time

import numpy as np
from cnn import fit_cnn, fit_deformed
from records import Records, command_line
from references import REFERENCES, fit_reference
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tasks import fashion_draw, mnist_draw, shifted, translated, ucr, zeros_and_ones

from redunet import Lift, PolarGrid, ReduNetClassifier
from redunet.experiments.published_constants import ROTATION, ROTATION_GRID, TRANSLATION, TRANSLATION_LIFT

PER_CLASS = (10, 20, 50, 200, 1000)
RINGS, ANGLES, RADII = 16, 96, np.linspace(1.5, 12.5, 16)
AS_THEY_ARE = 1100  # test samples that are answered where they are, too
LOCAL_FILTERS = "redunet, lift='rings'"  # for tasks on rings × angles alone
AUGMENTED = 10  # shifted copies of each training signal for methods that are not invariant


# --- methods: (X, y, seed) -> (predict, seconds) ----------------------------------------------------------------------


def timed(model, prepare):
    def fit(X, y, seed):
        start = time.perf_counter()
        model.fit(prepare(X), y)
        return (lambda new: model.predict(prepare(new))), time.perf_counter() - start

    return fit


def raw(X):
    return X.reshape(len(X), -1)


def magnitudes(X):
    """FFT magnitudes along the cyclic axes, which a shift does not change."""
    axes = (-1,) if X.ndim == 3 else (-2, -1)
    return raw(np.abs(np.fft.rfftn(X, axes=axes)))


def classical(name, X, y, seed):
    prepare = magnitudes if name.endswith("FFT") else raw
    models = {
        "SVM": lambda: make_pipeline(StandardScaler(), SVC(C=10.0)),
        "kNN": lambda: KNeighborsClassifier(3),
        "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        "forest": lambda: RandomForestClassifier(300, random_state=seed, n_jobs=2),
    }
    return timed(models[name.split()[0]](), prepare)(X, y, seed)


def ours(model):
    return timed(model, lambda X: X)


def minirocket(X, y, seed, copies):
    from aeon.classification.convolution_based import MiniRocketClassifier

    rng = np.random.default_rng(seed)
    many = np.concatenate([X, *(shifted(X, int(rng.integers(2**31))) for _ in range(copies))])
    labels = np.tile(y, copies + 1)
    return timed(MiniRocketClassifier(random_state=seed), lambda X: X.astype(np.float32))(many, labels, seed)


def without_time(predict):
    """Of a method that returns how it answers alone."""
    return predict, None


DEFORMED = "CNN, deformed copies"
DEFORMATIONS = {"translation": 1.0, "fashion": 0.5}  # factors, chosen on training images that were not drawn
CLASSICAL = ("SVM raw", "SVM FFT", "kNN raw", "kNN FFT", "logistic raw", "logistic FFT", "forest raw", "forest FFT")


def fit(method, task, X, y, seed):
    """Train a method on samples (n, channels, *grid); returns how it answers and how long it took."""
    if method == "redunet":
        return ours(OURS[task.split()[0]](seed))(X, y, seed)
    if method == LOCAL_FILTERS:
        return ours(ReduNetClassifier("shift", lift="rings", random_state=seed))(X, y, seed)
    if method == "CNN":
        return fit_cnn(X, y, seed)
    if method == DEFORMED:
        return without_time(fit_deformed(X, y, seed, DEFORMATIONS[task.split()[0]]))
    if method in REFERENCES:
        return without_time(fit_reference(method, task.split()[0], X, y, seed))
    if method == "MiniRocket":
        return minirocket(X, y, seed, 0)
    if method == "MiniRocket, shifted copies":
        return minirocket(X, y, seed, AUGMENTED)
    return classical(method, X, y, seed)


OURS = {
    "translation": lambda seed: ReduNetClassifier("translation", random_state=seed),
    "fashion": lambda seed: ReduNetClassifier("translation", random_state=seed),
    "rotation": lambda seed: ReduNetClassifier("shift", lift=Lift("random", 128, 45, random_state=seed)),
    "GunPoint": lambda seed: ReduNetClassifier("shift", lift="auto", random_state=seed),
    "ItalyPowerDemand": lambda seed: ReduNetClassifier("shift", lift="auto", random_state=seed),
    "paper-rotation": lambda seed: ReduNetClassifier("shift"),
    "paper-translation": lambda seed: ReduNetClassifier("translation", lift=paper_lifts(seed)),
}


def paper_lifts(seed):
    """The paper's lift, five random 3 × 3 filters and a ReLU, drawn several times: the evidence says which to take."""
    return [Lift(**TRANSLATION_LIFT, zero_mean=True, pool=3, random_state=100 * seed + i) for i in range(24)]


# --- tasks: (X, y, {name: (X_test, y_test)}) --------------------------------------------------------------------------


def load(task, draw):
    """Training samples, and test samples as they are and moved; all of shape (n, channels, *grid)."""
    name, _, n = task.partition(" ")
    if name == "translation":
        X, y, X_test, y_test = mnist_draw(int(n), draw)
        return X[:, None], y, {"as they are": X_test[:, None], "moved": translated(X_test, draw)[:, None]}, y_test
    if name == "fashion":
        X, y, X_test, y_test = fashion_draw(int(n), draw)
        return X[:, None], y, {"as they are": X_test[:, None], "moved": translated(X_test, draw)[:, None]}, y_test
    if name == "rotation":
        X, y, X_test, y_test = mnist_draw(int(n), draw)
        grid = PolarGrid(RINGS, ANGLES, RADII).fit(X)
        X_test = grid.transform(X_test)
        return grid.transform(X), y, {"as they are": X_test, "moved": shifted(X_test, draw)}, y_test
    if name == "paper-rotation":
        X, y, X_test, y_test = zeros_and_ones(ROTATION.n_train, ROTATION.n_test, draw)
        grid = PolarGrid(**ROTATION_GRID).fit(X)
        X_test = grid.transform(X_test)
        return grid.transform(X), y, {"as they are": X_test, "moved": shifted(X_test, draw)}, y_test
    if name == "paper-translation":
        X, y, X_test, y_test = zeros_and_ones(TRANSLATION.n_train, TRANSLATION.n_test, draw)
        return X[:, None], y, {"as they are": X_test[:, None], "moved": translated(X_test, draw)[:, None]}, y_test
    X, y, X_test, y_test = ucr(name)
    classes, codes = np.unique(y, return_inverse=True)
    tests = {"as they are": X_test[:, None], "moved": shifted(X_test, draw)[:, None]}
    return X[:, None], codes, tests, np.searchsorted(classes, y_test)


def serves(method, task):
    """Whether a method is for a task: some are for images alone, or for rings × angles."""
    kind = task.split()[0]
    if method == LOCAL_FILTERS:
        return kind == "rotation"
    if method == DEFORMED:
        return kind in DEFORMATIONS
    return method not in REFERENCES or kind in REFERENCES[method]


ALL_TASKS = [
    *("fashion 50", "fashion 200", "fashion 1000"),
    *(f"translation {n}" for n in PER_CLASS),
    *(f"rotation {n}" for n in (50, 200, 1000)),
    "GunPoint",
    "ItalyPowerDemand",
    "paper-rotation",
    "paper-translation",
]


def run(out, tasks, methods, draws, untimed):
    records = Records(out, ("task", "method", "draw"))
    for task in tasks:
        for draw in range(draws):
            todo = [method for method in methods if (task, method, draw) not in records]
            todo = [method for method in todo if serves(method, task)]
            if not todo:
                continue
            X, y, tests, y_test = load(task, draw)
            for method in todo:
                predict, seconds = fit(method, task, X, y, draw)
                if untimed:  # beside other work, for the accuracy alone
                    seconds = None
                result = {"task": task, "method": method, "draw": draw, "fit_seconds": seconds}
                start = time.perf_counter()
                answers = predict(tests["moved"])
                result["predict_seconds"] = None if seconds is None else time.perf_counter() - start
                result["moved"] = float(np.mean(answers == y_test))
                some = tests["as they are"][:AS_THEY_ARE]
                unmoved = predict(some)
                result["as they are"] = float(np.mean(unmoved == y_test[:AS_THEY_ARE]))
                result["same answer when moved"] = float(np.mean(unmoved == answers[:AS_THEY_ARE]))
                model = getattr(predict, "__closure__", None)
                result |= evidence_of(model)
                records.add(result)


def evidence_of(closure):
    """What a network of ours chose, and what it expected of itself."""
    for cell in closure or ():
        model = cell.cell_contents
        if isinstance(model, ReduNetClassifier):
            names = ("membership_", "rank_", "eps_", "n_layers_", "loo_score_")
            return {name: getattr(model, name) for name in names} | {"lift": repr(model.lift_)}
    return {}


def timed_seconds(rows):
    """Seconds to fit, of those that were timed."""
    return [row["fit_seconds"] for row in rows if row["fit_seconds"] is not None]


def table(results):
    """Markdown: mean accuracy on moved test samples (± spread over draws) and seconds to fit."""
    methods = list(dict.fromkeys(r["method"] for r in results))
    tasks = [task for task in ALL_TASKS if any(r["task"] == task for r in results)]
    lines = ["| task | " + " | ".join(methods) + " |", "|---|" + "---|" * len(methods)]
    for task in tasks:
        cells = []
        for method in methods:
            those = [r for r in results if (r["task"], r["method"]) == (task, method)]
            if not those:
                cells.append("–")
                continue
            accuracy, seconds = [r["moved"] for r in those], timed_seconds(those)
            time = f", {np.median(seconds):.3g} s" if seconds else ""
            cells.append(f"{np.mean(accuracy):.3f} ± {np.std(accuracy):.3f}{time} (×{len(those)})")
        lines.append(f"| {task} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    methods = ["redunet", LOCAL_FILTERS, *CLASSICAL]
    command_line(__doc__, run, table, draws=5, tasks=ALL_TASKS, methods=methods, untimed=False)
