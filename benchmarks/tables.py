"""Put measured numbers into docs/benchmarks.md: the comparisons and the paper's tables, from the JSON files here.

    python benchmarks/tables.py          # rewrites the tables between the marks in docs/benchmarks.md
    python benchmarks/tables.py --check  # says whether they are up to date

``comparison.json`` is made by ``compare.py run --out benchmarks/comparison.json``, ``reproduction.json`` by
``redunet reproduce --all`` (the results.json of its folder), ``ablation.json`` by ``ablation.py run``, and
``signals.json`` by ``signals.py run``.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
OURS = ("redunet, lift='rings'", "redunet", "redunet, one answer")
LABELS = (10, 20, 50, 200, 1000)
DRAWS = 5  # of the labelled images; a cell says how many it has where they are fewer
OTHERS = (
    *("CNN, deformed copies", "CNN", "scattering, LDA", "scattering, SVM", "scattering aligned, LDA"),
    *("SVM aligned", "R-CDT subspaces aligned", "SVM FFT", "kNN FFT", "logistic FFT", "forest FFT"),
    *("SVM raw", "kNN raw", "logistic raw", "forest raw"),
)
NAMES = {
    "redunet": "**redunet**",
    "redunet, lift='rings'": '**redunet**, `lift="rings"`',
    "redunet, one answer": "class subspaces alone, patches of 11 × 11",
    "CNN, deformed copies": "invariant CNN of halved grids, deformed copies",
    "CNN": "circular CNN, back-propagation",
    "scattering, LDA": "scattering, linear discriminants",
    "scattering, SVM": "scattering, RBF-SVM",
    "scattering aligned, LDA": "scattering of centred images, linear discriminants",
    "SVM aligned": "RBF-SVM, centred images",
    "R-CDT subspaces aligned": "nearest subspace of R-CDT, centred images",
    "SVM FFT": "RBF-SVM, FFT magnitudes",
    "kNN FFT": "3-NN, FFT magnitudes",
    "logistic FFT": "logistic regression, FFT magnitudes",
    "forest FFT": "random forest, FFT magnitudes",
    "SVM raw": "RBF-SVM, pixels",
    "kNN raw": "3-NN, pixels",
    "logistic raw": "logistic regression, pixels",
    "forest raw": "random forest, pixels",
}
SIGNAL_METHODS = (
    *("redunet", "MiniRocket", "MiniRocket, shifted copies", "MultiRocket-Hydra", "QUANT", "1-NN, FFT magnitudes"),
)


def rows_of(results, task, method, column="moved"):
    return [r[column] for r in results if (r["task"], r["method"]) == (task, method)]


def cell(results, task, method):
    """Mean accuracy, its spread, the draws if not ``DRAWS``, and the median time to fit of those timed."""
    accuracy = rows_of(results, task, method)
    seconds = [one for one in rows_of(results, task, method, "fit_seconds") if one is not None]
    if not accuracy:
        return "–"
    n = len(accuracy)
    spread = f" ± {np.std(accuracy):.3f}" if n > 1 else ""
    draws = "" if n == DRAWS else f" ({n} draw{'s' * (n > 1)})"
    time = f", {duration(float(np.median(seconds)))}" if seconds else ""
    return f"{np.mean(accuracy):.3f}{spread}{draws}{time}"


def duration(seconds):
    """Two digits of it."""
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s" if seconds >= 0.01 else "< 0.01 s"


def images_table(results, task, labels):
    """One row per method, one column per number of labels."""
    lines = ["| labels per class | " + " | ".join(map(str, labels)) + " |", "|---|" + "---|" * len(labels)]
    for method in (*OURS, *OTHERS):
        cells = [cell(results, f"{task} {n}", method) for n in labels]
        if set(cells) == {"–"}:
            continue
        lines.append(f"| {NAMES[method]} | " + " | ".join(cells) + " |")
        if method in OURS:
            estimates = [rows_of(results, f"{task} {n}", method, "loo_score_") for n in labels]
            shown = [f"{np.mean(scores):.3f}" if scores else "–" for scores in estimates]
            lines.append("| its own leave-one-out estimate | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def signals_table(results):
    """Mean accuracy of each method on signals as they are and at random shifts, and its seconds, all sets together."""
    lines = ["| | as they are | at random shifts | fit and predict, all sets |", "|---|---|---|---|"]
    n_sets = len({r["set"] for r in results if r["task"] == "ucr"})
    for method in SIGNAL_METHODS:
        rows = [r for r in results if (r["task"], r["method"]) == ("ucr", method)]
        if len(rows) < n_sets:  # not run on all sets yet
            continue
        still, moved = (np.mean([r[part] for r in rows]) for part in ("as they are", "at random shifts"))
        seconds = sum(r["fit_seconds"] + r["predict_seconds"] for r in rows)
        lines.append(f"| {NAMES.get(method, method)} | {still:.3f} | {moved:.3f} | {duration(seconds)} |")
    return "\n".join(lines)


def paper_table(rows):
    """Every value of the paper's two tables, as published and ours."""
    lines = ["| | | paper | as published | ours |", "|---|---|---|---|---|"]
    title = None
    for row in rows:
        if row["paper"] is None or row["whole"]:
            continue
        first = row["title"] if row["title"] != title else ""
        title = row["title"]
        digits = 1 if row["paper"] >= 10 else 3
        values = [row[name] for name in ("paper", "published", "ours")]
        numbers = ["–" if value is None else f"{value:.{digits}f}" for value in values]
        lines.append(f"| {first} | {row['quantity']} | " + " | ".join(numbers) + " |")
    return "\n".join(lines)


def tables():
    """Text between each pair of marks."""
    comparison = json.loads((HERE / "comparison.json").read_text())
    reproduction = json.loads((HERE / "reproduction.json").read_text())
    return {
        "translation": images_table(comparison, "translation", LABELS),
        "fashion": images_table(comparison, "fashion", (50, 200, 1000)),
        "rotation": images_table(comparison, "rotation", (50, 200, 1000)),
        "signals": signals_table(json.loads((HERE / "signals.json").read_text())),
        "paper": paper_table(reproduction),
    }


def filled(text):
    """The page with its tables renewed."""
    for name, table in tables().items():
        pattern = rf"(<!-- {name} -->\n)(?:.*?\n)?(<!-- /{name} -->)"
        text, n = re.subn(pattern, lambda found, table=table: f"{found[1]}{table}\n{found[2]}", text, flags=re.DOTALL)
        if n != 1:
            raise SystemExit(f"docs/benchmarks.md has {n} pairs of marks <!-- {name} --> … <!-- /{name} -->, not one")
    return text


if __name__ == "__main__":
    old = PAGE.read_text(encoding="utf-8")
    new = filled(old)
    if "--check" in sys.argv:
        raise SystemExit(0 if new == old else "docs/benchmarks.md differs from the results; run benchmarks/tables.py")
    PAGE.write_text(new, encoding="utf-8")
