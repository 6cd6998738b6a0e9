"""Large images, grey and in colour: seconds and peak memory of a fit, each in a process of its own.

    python benchmarks/large_images.py [--cases "1000 colour 128x128" …] [--tests 200] [--lift auto]

The images are made here: ten classes, which differ in a shape, its colours and the texture inside, each at a random
place and of a random size, on an uneven background with noise. Grey images are the mean of the three colours. The peak
is that of the whole process, read from the operating system: imports, the images themselves and what answers new images
included. Seconds of the processor are those of all threads; beside other work they say more than seconds.
"""

import argparse
import json
import subprocess
import sys

import numpy as np

CASES = (
    *("1000 colour 128x128", "1000 grey 128x128", "100 colour 256x256", "100 grey 256x256", "100 colour 96x160"),
    "1000 colour 96x160",
)
N_CLASSES = 10
NOISE = 0.1


def scenes(n, channels, height, width, seed):
    """Images (n, channels, height, width) in single precision, and their classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % N_CLASSES
    images = np.empty((n, channels, height, width), dtype=np.float32)
    for image, kind in zip(images, y, strict=True):
        colour = scene(rng, int(kind), height, width)
        image[:] = colour if channels == 3 else colour.mean(axis=0)
    return images, y


def scene(rng, kind, height, width):
    """One image of a class in three colours: a shape with stripes or spots inside, on a slope of brightness."""
    side = min(height, width)
    down, right = np.mgrid[:height, :width].astype(np.float32)
    slope = rng.uniform(-0.2, 0.2, 2) / side
    image = np.repeat((0.4 + slope[0] * down + slope[1] * right)[None], 3, axis=0).astype(np.float32)
    radius = side * rng.uniform(0.18, 0.28)
    middle = [rng.uniform(radius, length - radius) for length in (height, width)]
    turn = rng.uniform(-0.2, 0.2)
    v, u = (down - middle[0]) / radius, (right - middle[1]) / radius
    v, u = v * np.cos(turn) - u * np.sin(turn), v * np.sin(turn) + u * np.cos(turn)
    shapes = {
        "disc": u**2 + v**2 < 1,
        "square": np.maximum(abs(u), abs(v)) < 0.85,
        "triangle": (v < 0.7) & (v > 2 * abs(u) - 1),
        "ring": (u**2 + v**2 < 1) & (u**2 + v**2 > 0.35),
        "cross": (np.minimum(abs(u), abs(v)) < 0.3) & (np.maximum(abs(u), abs(v)) < 1),
    }
    inside = list(shapes.values())[kind % 5]
    waves = (np.sin(9 * v) if kind < 5 else np.sin(9 * u) * np.sin(9 * v)) * 0.3
    colours = np.array([(0.9, 0.3, 0.2), (0.2, 0.5, 0.9)][(kind // 5 + kind) % 2]) + rng.uniform(-0.1, 0.1, 3)
    image += inside * (colours[:, None, None] + waves - image)
    return image + NOISE * rng.standard_normal(image.shape).astype(np.float32)


def measured(case, n_tests, lift):
    """One case in this process: seconds, peak memory and accuracy."""
    import resource
    import time

    from redunet import ReduNetClassifier

    n, colour, grid = case.split()
    height, width = map(int, grid.split("x"))
    channels = 3 if colour == "colour" else 1
    small, classes = scenes(40, channels, 32, 32, 2)
    # so that everything is compiled
    ReduNetClassifier("translation", lift=lift, random_state=0).fit(small, classes).predict(small)
    X, y = scenes(int(n), channels, height, width, 0)
    start, of_processor = time.perf_counter(), time.process_time()
    clf = ReduNetClassifier("translation", lift=lift, random_state=0).fit(X, y)
    fit_seconds, fit_of_processor = time.perf_counter() - start, time.process_time() - of_processor
    fit_megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    new, truth = scenes(n_tests, channels, height, width, 1)
    start = time.perf_counter()
    answers = clf.predict(new)
    moved = clf.predict(np.roll(new, (height // 3, width // 5), axis=(-2, -1)))
    return {
        "case": case,
        "fit seconds": round(fit_seconds, 1),
        "of the processor": round(fit_of_processor, 1),
        "peak megabytes of the fit": round(fit_megabytes),
        "milliseconds per answer": round((time.perf_counter() - start) / (2 * n_tests) * 1e3, 1),
        "peak megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "megabytes of images": round(X.nbytes / 2**20),
        "accuracy": float(np.mean(answers == truth)),
        "its own estimate": round(clf.loo_score_, 3),
        "same answer when moved": float(np.mean(answers == moved)),
        "lift": None if clf.lift_ is None else clf.lift_.description(),
        "answers by": clf.membership_,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="+", default=CASES, help="number of images, colour or grey, HEIGHTxWIDTH")
    parser.add_argument("--tests", type=int, default=200, help="new images to answer")
    parser.add_argument("--lift", help="as of ReduNetClassifier; none given by default")
    parser.add_argument("--here", action="store_true", help="measure in this process, and print JSON")
    options = parser.parse_args()
    for case in options.cases:
        if options.here:
            print(json.dumps(measured(case, options.tests, options.lift)), flush=True)
            continue
        command = [sys.executable, __file__, "--here", "--tests", str(options.tests), "--cases", case]
        command += ["--lift", options.lift] if options.lift else []
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        print(done.stdout.strip() or f"{case}: ended with exit code {done.returncode}", flush=True)


if __name__ == "__main__":
    main()
