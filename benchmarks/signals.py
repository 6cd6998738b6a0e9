"""Which filters a short list for signals should hold: real signals that no table of the README counts.

    python benchmarks/signals.py run --out signals.json [--draws 3] [--sets …]
    python benchmarks/signals.py table signals.json

Data sets of the UCR and UEA archives that come inside of aeon (pip install aeon); their two parts are put together and
split again in each draw, as many labels as were given (72 or 8 per class at most). Answers do not depend on
shifts, so nothing is shifted. Each lift is fitted by itself; the table then says what each list of them would have
given, chosen from by the evidence as ``lift="auto"`` does.
"""

import time
from importlib.resources import files

import numpy as np
from records import Records, command_line
from sklearn.model_selection import train_test_split

from redunet import Lift, ReduNetClassifier
from redunet.evidence.leave_one_out import best_of

SETS = {
    "ArrowHead": "ArrowHead",
    "OSULeaf": "OSULeaf",
    "ACSF1": "ACSF1",
    "Chinatown (a part of it)": "UnitTest",
    "BasicMotions": "BasicMotions",
    "JapaneseVowels": "JapaneseVowels_eq",
    "PickupGestureWiimoteZ": "PickupGestureWiimoteZ_eq",
}
LONGEST = 300  # longer signals are averaged over neighbours
SHARES = {
    "1/16": (1 / 16,),
    "1/8": (1 / 8,),
    "1/4": (1 / 4,),
    "1/2": (1 / 2,),
    "1/8 to 3/4": (1 / 8, 1 / 4, 1 / 2, 3 / 4),
    "1/16 to 1/2": (1 / 16, 1 / 8, 1 / 4, 1 / 2),
}
THRESHOLDS = {"relu": 0.5, "soft": 0.3}
LISTS = (
    ("1/4", "1/2", "1/8 to 3/4"),
    ("1/8", "1/2", "1/8 to 3/4"),
    ("1/8", "1/2", "1/16 to 1/2"),
    ("1/8", "1/4", "1/2"),
    ("1/8", "1/4", "1/2", "1/8 to 3/4"),
    ("1/16", "1/8", "1/4", "1/2"),
    tuple(SHARES),
)


def split(name, seed):
    """Labelled signals and new ones, (n, n_channels, length)."""
    from aeon.datasets import load_from_ts_file

    folder = files("aeon.datasets") / "data" / SETS[name].removesuffix("_eq")
    parts = [load_from_ts_file(str(folder / f"{SETS[name]}_{part}.ts")) for part in ("TRAIN", "TEST")]
    X, y = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    step = max(1, round(X.shape[2] / LONGEST))
    X = X[:, :, : X.shape[2] // step * step].reshape(*X.shape[:2], -1, step).mean(axis=3)
    n_labels = min(len(parts[0][1]), max(72, 8 * len(np.unique(y))))
    return train_test_split(X, y, train_size=n_labels, stratify=y, random_state=seed)


def lifts(length, seed):
    """Name and lift of every candidate."""
    for name, shares in SHARES.items():
        sizes = tuple(min(max(3, 2 * int(share * length / 2) + 1), length) for share in shares)
        for threshold, quantile in THRESHOLDS.items():
            for pool in (1, 2):
                options = {"quantile": quantile, "pool": pool, "random_state": seed}
                yield f"{name}, {threshold}, pool {pool}", Lift("random", 128, sizes, threshold, **options)


def run(out, sets, draws):
    """Fit every lift on every draw of every set, and write what came out after each."""
    records = Records(out, ("set", "draw", "lift"))
    for seed in range(draws):
        for name in sets:
            X, X_new, y, y_new = split(name, seed)
            for lift_name, lift in lifts(X.shape[2], seed):
                if (name, seed, lift_name) in records:
                    continue
                start = time.perf_counter()
                model = ReduNetClassifier("shift", lift=lift, n_layers=0, membership="subspace").fit(X, y)
                row = {"set": name, "draw": seed, "lift": lift_name, "seconds": time.perf_counter() - start}
                evidence = model.evidence_
                row |= {"accuracy": model.score(X_new, y_new), "loo": model.loo_score_, "n_labels": len(y)}
                row |= {"score": float(evidence.steady_scores[evidence.best])}
                records.add(row | {"effect": float(evidence.effects[evidence.best])})


def table(results):
    """Markdown: accuracy of each lift by itself, and of each list that the evidence chooses from."""
    tasks = {}
    for r in results:
        tasks.setdefault((r["set"], r["draw"]), {})[r["lift"]] = r
    names = list(dict.fromkeys(r["lift"] for r in results))
    lines = [f"{len(tasks)} splits of {len({name for name, _ in tasks})} data sets.\n"]
    lines += ["| lift | accuracy | leave-one-out | fit |", "|---|---|---|---|"]
    for name in names:
        mean = {key: np.mean([task[name][key] for task in tasks.values()]) for key in ("accuracy", "loo", "seconds")}
        lines.append(f"| {name} | {mean['accuracy']:.3f} | {mean['loo']:.3f} | {mean['seconds']:.2g} s |")
    lines += ["\n| list, each with both thresholds | pool 1 | pool 2 |", "|---|---|---|"]
    for sizes in LISTS:
        cells = [f"{np.mean([chosen(task, sizes, pool) for task in tasks.values()]):.3f}" for pool in (1, 2)]
        lines.append(f"| {'; '.join(sizes)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def chosen(task, sizes, pool):
    """Accuracy of the lift that the evidence takes from a list."""
    found = [task[f"{size}, {threshold}, pool {pool}"] for size in sizes for threshold in THRESHOLDS]
    scores, effects = (np.array([one[key] for one in found]) for key in ("score", "effect"))
    return found[best_of(scores, effects, found[0]["n_labels"])]["accuracy"]


if __name__ == "__main__":
    command_line(__doc__, run, table, draws=3, sets=list(SETS))
