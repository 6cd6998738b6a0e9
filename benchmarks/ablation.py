"""What each choice is worth: filters × membership × depth × labels per class, mean and spread over draws.

    REDUNET_DATA=… python benchmarks/ablation.py run --out ablation.json [--draws 3] [--parts filters …]
    python benchmarks/ablation.py table ablation.json

Images are MNIST at any translation; they are drawn from the training part, and so are the 2,000 that accuracy is
counted on here: the defaults were chosen with this script, and the test part is left for the comparison. Signals are
profiles of the same images (sums of rows and of columns, one ring), two digits at a time, 30 labels each, at any shift.
For each model its leave-one-out score stands beside the accuracy, so that one sees how far to trust it.
"""

import time

import numpy as np
from records import Records, command_line
from tasks import shifted, translated

from redunet import Lift, PolarGrid, ReduNetClassifier
from redunet.data.images import mnist
from redunet.evidence.lifts import SIGNAL_SHARES, candidate_lifts

N_NEW = 2000
EPS = 0.3


def draw(n_per_class, seed):
    """Labelled images, and new ones moved anywhere; all from the training part."""
    images, digits = mnist("train")
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.permutation(np.flatnonzero(digits[:50_000] == j))[:n_per_class] for j in range(10)])
    new = 50_000 + rng.permutation(10_000)[:N_NEW]
    X, X_new = ((images[part] / np.float32(255)).astype(np.float32) for part in (rows, new))
    return X, digits[rows], translated(X_new, seed), digits[new]


def profiles(seed):
    """Signals (n, length) of two digits: labelled ones, and new ones moved anywhere; all from the training part."""
    images, digits = mnist("train")
    rng = np.random.default_rng(seed)
    ring = PolarGrid(1, 64, [7.0]).fit(images[:2] / 255.0)
    views = (lambda x: x.sum(axis=1), lambda x: x.sum(axis=2), lambda x: ring.transform(x)[:, 0])
    for pair in ((3, 8), (4, 9), (1, 7), (0, 6), (2, 5)):
        rows = np.stack([rng.permutation(np.flatnonzero(digits == j))[: 30 + N_NEW // 5] for j in pair])
        some, new = rows[:, :30].ravel(), rows[:, 30:].ravel()
        for view in views:
            X, X_new = (view(images[part] / 255.0) for part in (some, new))
            X, X_new = ((S - S.mean(axis=1, keepdims=True)) / S.std(axis=1, keepdims=True) for S in (X, X_new))
            yield X, digits[some], shifted(X_new, seed), digits[new]


def signal_lifts(length, seed):
    """Name and lift of every setting for signals: the short list behind "auto" one by one, two others, and "auto"."""
    sizes = ["+".join(f"{share:.3g}" for share in shares) for shares in SIGNAL_SHARES]
    names = [f"random, {size} of the length, {threshold}" for size in sizes for threshold in ("relu", "soft")]
    yield from zip(names, candidate_lifts((length,), seed), strict=True)
    half = 2 * (length // 4) + 1
    yield "random, 0.5 of the length, relu, pool 1", Lift("random", 128, half, "relu", quantile=0.5, random_state=seed)
    yield "patches, 0.5 of the length, relu", Lift("patches", 64, half, "relu", quantile=0.5, pool=2, random_state=seed)
    yield "auto", "auto"


def run_signals(records, draws):
    """Fit every setting on all profiles of a draw; their mean is one row."""
    for seed in range(draws):
        if ("signals", 30, "auto", seed) in records:
            continue
        found = {}
        for X, y, X_new, y_new in profiles(seed):
            for name, lift in signal_lifts(X.shape[1], seed):
                start = time.perf_counter()
                model = ReduNetClassifier("shift", lift=lift, n_layers=0, random_state=seed).fit(X, y)
                seconds = time.perf_counter() - start
                found.setdefault(name, []).append((model.score(X_new, y_new), model.loo_score_, seconds))
        for name, scores in found.items():
            means = dict(zip(("accuracy", "loo", "seconds"), np.mean(scores, axis=0).tolist(), strict=True))
            records.add({"part": "signals", "per_class": 30, "name": name, "draw": seed, "layers": 0, **means})


def lift(filters, seed, n_channels=32, kernel_size=9, threshold="soft", **options):
    """One lift of the ablation."""
    return Lift(filters, n_channels, kernel_size, threshold, random_state=seed, **options)


def models(part, n_per_class, seed):
    """Name and model of every setting of a part of the ablation."""
    if part == "filters":
        for filters in ("random", "pca", "patches", "dictionary", "wavelet"):
            for threshold in ("soft", "relu"):
                name = f"{filters}, {threshold}"
                yield name, dict(lift=lift(filters, seed, threshold=threshold), n_layers=0)
    if part == "kernels":
        for kernel_size in (5, 7, 9, 11, 13, (7, 11)):
            yield f"patches {kernel_size}", dict(lift=lift("patches", seed, kernel_size=kernel_size), n_layers=0)
    if part == "channels":
        for n_channels in (16, 32, 48, 96):
            yield f"{n_channels} patches of 11", dict(lift=lift("patches", seed, n_channels, 11, pool=2), n_layers=0)
    if part == "pools":
        for pool in (1, 1.5, 2, 2.5, 3):
            yield f"pool {pool}", dict(lift=lift("patches", seed, 48, 11, pool=pool), n_layers=0)
    if part == "levels":
        for quantile in (0.1, 0.3, 0.5, 0.7):
            yield f"quantile {quantile}", dict(lift=lift("patches", seed, 32, 11, quantile=quantile), n_layers=0)
    if part == "membership":
        for membership in ("softmax", "subspace", "code"):
            for n_layers in (0, 2, 5, 10):
                for sharpness in (50.0, 200.0) if n_layers else (50.0,):
                    name = f"{membership}, {n_layers} layers, λ={sharpness:g}"
                    options = dict(membership=membership, n_layers=n_layers, sharpness=sharpness, tol=None)
                    yield name, dict(lift=lift("patches", seed, 16), **options)
        yield "auto", dict(lift=lift("patches", seed, 16))
    if part == "step":
        alpha = 16 / (10 * n_per_class * EPS**2)
        for natural in (0.1, 0.3, 1.0):
            options = dict(step_size=natural / alpha, eps=EPS, n_layers=10, tol=None, membership="subspace", rank=4)
            yield f"η α = {natural}, λ=200", dict(lift=lift("patches", seed, 16), sharpness=200.0, **options)


PARTS = {
    "filters": (10, 50),
    "kernels": (20,),
    "channels": (20, 50),
    "pools": (10, 50),
    "levels": (20,),
    "membership": (20,),
    "step": (50,),
    "signals": (),
}


def run(out, parts, draws):
    """Fit every setting on every draw, and write what came out after each."""
    records = Records(out, ("part", "per_class", "name", "draw"))
    if "signals" in parts:
        run_signals(records, draws)
    for part in parts:
        for n in PARTS[part]:
            for seed in range(draws):
                X, y, X_new, y_new = draw(n, seed)
                for name, options in models(part, n, seed):
                    if (part, n, name, seed) in records:
                        continue
                    start = time.perf_counter()
                    model = ReduNetClassifier("translation", **options).fit(X, y)
                    seconds = time.perf_counter() - start
                    row = {"part": part, "per_class": n, "name": name, "draw": seed}
                    row |= {"accuracy": model.score(X_new, y_new), "loo": model.loo_score_, "seconds": seconds}
                    row |= {"membership": model.membership_, "rank": model.rank_, "layers": model.n_layers_}
                    records.add(row | {"ΔR": float(model.history_.rate_reduction[-1])})


def table(results):
    """Markdown: accuracy (mean ± spread), what leave-one-out said, ΔR, and seconds to fit; † with unit_scale=False."""
    lines = [
        "| part | per class | setting | accuracy | leave-one-out, depth 0 | ΔR | fit |",
        "|---|---|---|---|---|---|---|",
    ]
    keys = list(dict.fromkeys((r["part"], r["per_class"], r["name"]) for r in results))
    for part, n, name in keys:
        those = [r for r in results if (r["part"], r["per_class"], r["name"]) == (part, n, name)]
        accuracy, loo, rate, seconds = ([r.get(key, 0) for r in those] for key in ("accuracy", "loo", "ΔR", "seconds"))
        reached = f"{np.mean(rate):.3g}" if any(rate) else "–"
        name += "" if all(r.get("unit_scale", True) for r in those) else " †"
        lines.append(
            f"| {part} | {n} | {name} | {np.mean(accuracy):.3f} ± {np.std(accuracy):.3f} | {np.mean(loo):.3f} | "
            f"{reached} | {np.median(seconds):.2g} s |"
        )
    flat = [r for r in results if r["layers"] == 0]
    error = np.array([r["loo"] - r["accuracy"] for r in flat])
    lines.append(
        f"\nLeave-one-out minus accuracy on new images, {len(flat)} models without layers: mean {error.mean():+.3f}, "
        f"mean absolute {np.abs(error).mean():.3f}."
    )
    return "\n".join(lines)


if __name__ == "__main__":
    command_line(__doc__, run, table, draws=3, parts=list(PARTS))
