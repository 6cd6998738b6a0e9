"""What a layer costs: against the paper's Algorithm 1 in the same run, and against this machine's matrix product.

Machines are noisy, so every speed is a ratio of things measured in turn, a median over repeats with its range.
"""

import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..data.images import mnist
from ..data.store import DataNotFound
from ..estimators import ReduNet
from ..evidence.training_set import TrainingSet
from ..experiments.published_constants import PUBLISHED_OPTIONS, ROTATION, ROTATION_GRID, TRANSLATION, TRANSLATION_LIFT
from ..fast.blas import single_threaded
from ..inputs.labels import Labels
from ..lift.lift import Lift
from ..lift.polar import PolarGrid
from ..network.construct import Construction, Observer, construct
from ..network.geometry import Geometry
from ..network.network import Network
from ..numerics.arrays import Array
from .literal import literal_redunet

# Step and depth of the paper's network for rotation.
STEP_SIZE, N_PAPER_LAYERS = ROTATION.step_size, ROTATION.n_layers
# Share of the rate reduction of the paper's network that is to be reached.
RATE_REDUCTION_GOAL = 0.995


@dataclass(frozen=True)
class Measurement:
    """One measured quantity, a line of the table that ``redunet bench`` prints.

    Parameters
    ----------
    what, setting : str
    value : float
        Median over repeats.
    low, high : float
        Range over repeats.
    unit : str
    bar : str
        The value that is required.
    met : bool
        Whether it is reached.
    note : str
    """

    what: str
    setting: str
    value: float
    low: float
    high: float
    unit: str
    bar: str
    met: bool
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The measurement as a dictionary, for JSON."""
        return asdict(self)


def over_repeats(what: str, setting: str, values: list[float], unit: str, bar: float, note: str = "") -> Measurement:
    """A measurement that is required to be at least ``bar``."""
    middle = float(np.median(values))
    return Measurement(
        what, setting, middle, min(values), max(values), unit, f"≥ {bar:g} {unit}".strip(), middle >= bar, note
    )


# --- data -----------------------------------------------------------------------------------------------------------


def synthetic(shape: tuple[int, ...], n_samples: int, n_classes: int, seed: int = 0) -> tuple[Array, Array]:
    """Samples of unit norm around a random prototype of their class, float32."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_samples) % n_classes
    X = rng.standard_normal((n_samples, *shape), dtype=np.float32)
    X += rng.standard_normal((n_classes, *shape), dtype=np.float32)[labels]
    X /= np.linalg.norm(X.reshape(n_samples, -1), axis=1).reshape(-1, *[1] * len(shape))
    return X, labels


def paper_data(kind: str) -> tuple[Array, Array, str]:
    """Samples, labels and their origin, of the paper's sizes: MNIST '0' and '1' where it is found, else synthetic."""
    task = ROTATION if kind == "rotation" else TRANSLATION
    images = _mnist_zeros_and_ones(task.n_train // 2)
    if images is None:
        shape = tuple(ROTATION_GRID.values()) if kind == "rotation" else (TRANSLATION_LIFT["n_channels"], 28, 28)
        return *synthetic(shape, task.n_train, 2), "synthetic"
    pixels, labels = images
    if kind == "rotation":
        X = PolarGrid(**ROTATION_GRID).fit_transform(pixels)
    else:
        X = Lift(**TRANSLATION_LIFT, random_state=0).fit_transform(pixels[:, None])
    X = X.astype(np.float32)
    return X / np.linalg.norm(X.reshape(len(X), -1), axis=1).reshape(-1, *[1] * (X.ndim - 1)), labels, "MNIST"


def _mnist_zeros_and_ones(n_per_class: int) -> tuple[Array, Array] | None:
    """The first images of either digit with their labels; None where MNIST is not found."""
    try:
        images, digits = mnist("train", download=False)
    except DataNotFound:
        return None
    rows = np.concatenate([np.flatnonzero(digits == j)[:n_per_class] for j in (0, 1)])
    return images[rows] / 255.0, digits[rows]


# --- timing ---------------------------------------------------------------------------------------------------------


def gemm_rate(n: int = 2048, repeats: int = 3) -> float:
    """Single-precision matrix products of this machine on all cores, in GFLOP/s; the best of some repeats."""
    A = np.random.default_rng(0).standard_normal((n, n), dtype=np.float32)
    return 2 * n**3 / min(_seconds(lambda: A @ A) for _ in range(repeats + 1)) / 1e9


def _seconds(work: Callable[[], Any]) -> float:
    """Time that a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class LayerTimes(Observer):
    """Notes when each layer was finished."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def begin(self, construction: Construction) -> None:
        """Note when the construction begins."""
        self.times.append(time.perf_counter())

    def layer_added(self, construction: Construction) -> bool:
        """Note when a layer is finished."""
        self.times.append(time.perf_counter())
        return False


def layer_seconds(invariance: str | None, X: Array, y: Array, n_layers: int) -> float:
    """Time of one layer with the paper's constants: the median over the layers of one construction."""
    recipe = ReduNet(invariance, n_layers=n_layers, step_size=STEP_SIZE, **PUBLISHED_OPTIONS).check_parameters()
    classes, codes = np.unique(y, return_inverse=True)
    observer = LayerTimes()
    with single_threaded():
        network = Network.entrance(Geometry(X.shape[1:], unitary=True), X)
        training = TrainingSet(network, X, Labels.of(classes, codes), np.ones(len(y)))
        moments = training.moments
        construct(training.consume(), moments, recipe, observers=[observer])
    return float(np.median(np.diff(observer.times)))


def literal_layer_seconds(X: Array, y: Array, n_layers: int = 3) -> float:
    """Time of one layer of the literal algorithm, in double precision: the median over some layers."""
    times: list[float] = []
    literal: Any = literal_redunet
    literal(
        np.moveaxis(X, 0, -1).astype(np.float64),
        y,
        eps=PUBLISHED_OPTIONS["eps"],
        eta=STEP_SIZE,
        lam=PUBLISHED_OPTIONS["sharpness"],
        n_layers=n_layers,
        on_layer=lambda: times.append(time.perf_counter()),
    )
    return float(np.median(np.diff(times)))


# --- measurements ---------------------------------------------------------------------------------------------------


def measure(*, quick: bool = False, repeats: int = 5) -> Iterator[Measurement]:
    """All measurements, each as soon as it is finished.

    Parameters
    ----------
    quick : bool
        Leave out the measurements that take minutes or gigabytes.
    repeats : int
        How often ratios are measured.
    """
    settings = {"rotation": "shift", "translation": "translation"}
    data = {name: paper_data(name) for name in settings}
    for name, invariance in settings.items():
        yield _against_literal(name, invariance, *data[name], repeats=repeats)
    X, y, source = data["rotation"]
    yield _time_to_rate(X, y, source, repeats)
    yield _prediction(X, y, repeats)
    if not quick:
        yield from _against_gemm(repeats)
    for name, invariance in settings.items():
        yield _peak_memory(name, invariance, *data[name][:2])
    if not quick:
        yield _peak_memory("vector, n=784, k=10", None, *synthetic((784,), 10_000, 10))
    yield from _growth(repeats)


def _against_literal(name: str, invariance: str, X: Array, y: Array, source: str, *, repeats: int) -> Measurement:
    """Time of one layer of the literal algorithm, in units of the time of one layer here."""
    layer_seconds(invariance, X, y, 3)  # compiles
    ratios, ours = [], []
    for _ in range(repeats):
        literal = literal_layer_seconds(X, y)
        ours.append(layer_seconds(invariance, X, y, 60 if name == "rotation" else 30))
        ratios.append(literal / ours[-1])
    size = f"m={len(X)}, C={X.shape[1]}, {'×'.join(map(str, X.shape[2:]))}, k=2, {source}"
    note = f"{np.median(ours) * 1e3:.2f} ms a layer"
    return over_repeats(f"{name}, per layer", size, ratios, "× literal", 100, note)


def _time_to_rate(X: Array, y: Array, source: str, repeats: int) -> Measurement:
    """Time to 99.5 % of the ΔR that the paper's depth and step reach, against the literal algorithm's time for it."""
    deep = ReduNet("shift", n_layers=N_PAPER_LAYERS, step_size=STEP_SIZE, **PUBLISHED_OPTIONS).fit(X, y)
    goal = RATE_REDUCTION_GOAL * deep.history_.rate_reduction[-1]
    automatic = ReduNet("shift", n_layers=200, **PUBLISHED_OPTIONS).fit(X, y).history_.rate_reduction
    reached = np.flatnonzero(automatic >= goal)
    if not len(reached):
        return over_repeats("rotation, to the same ΔR", source, [0.0], "× literal", 5000, "not reached in 200 layers")
    depth = int(reached[0])
    ratios = []
    for _ in range(repeats):
        literal = N_PAPER_LAYERS * literal_layer_seconds(X, y)
        ratios.append(literal / _seconds(lambda: ReduNet("shift", n_layers=depth, **PUBLISHED_OPTIONS).fit(X, y)))
    note = f"{depth} layers instead of {N_PAPER_LAYERS}; the literal time is extrapolated"
    return over_repeats("rotation, to the same ΔR", source, ratios, "× literal", 5000, note)


def _prediction(X: Array, y: Array, repeats: int) -> Measurement:
    """Time of a new sample per layer against that of a training sample."""
    ratios = []
    net = ReduNet("shift", n_layers=60, step_size=STEP_SIZE, **PUBLISHED_OPTIONS).fit(X, y)
    for _ in range(repeats):
        building = layer_seconds("shift", X, y, 60) / len(X)
        predicting = _seconds(lambda: net.transform(X)) / len(X) / 60
        ratios.append(building / predicting)
    return over_repeats("rotation, prediction", "per sample and layer", ratios, "× construction", 1)


def _against_gemm(repeats: int) -> Iterator[Measurement]:
    """Arithmetic of the algorithm per second, against the matrix product.

    Counted are, for each of the 11 operators and frequencies, its product with all samples (2 n² m) and its inverse by
    Cholesky (n³), and the moments (2 n² m); four times that where numbers are complex.
    """
    cases: list[tuple[str, str | None, tuple[int, ...], int, int, float]] = [
        ("vector, per layer", None, (784,), 10_000, 1, 70),
        ("translation, 48 channels, per layer", "translation", (48, 28, 28), 5000, 4 * 420, 50),
    ]
    for what, invariance, shape, m, factor, bar in cases:
        X, y = synthetic(shape, m, 10)
        flop = factor * (2 * 12 * shape[0] ** 2 * m + 11 * shape[0] ** 3)
        layer_seconds(invariance, X[:200], y[:200], 2)
        shares, rates = [], []
        for _ in range(max(1, repeats // 2)):
            gemm = gemm_rate()
            rates.append(flop / layer_seconds(invariance, X, y, 3) / 1e9)
            shares.append(100 * rates[-1] / gemm)
        size = f"m={m}, {'×'.join(map(str, shape))}, k=10"
        note = f"{np.median(rates):.0f} GFLOP/s, matrix product {gemm:.0f}"
        yield over_repeats(what, size, shares, "% of the matrix product", bar, note)


def _peak_memory(name: str, invariance: str | None, X: Array, y: Array) -> Measurement:
    """Memory above the input while a network is built with the automatic step, in units of its blocks.

    The layers themselves are not counted.
    """
    some = np.random.default_rng(0).permutation(len(X))[:200]
    net = ReduNet(invariance, n_layers=3, **PUBLISHED_OPTIONS).fit(X[some], y[some])  # compiles
    tracemalloc.start()
    net.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    layers = sum(layer.expansion.nbytes + layer.compression.nbytes for layer in net.network_.layers)
    n_freqs = len(net.network_.geometry.norm_weights)
    blocks = n_freqs * X.shape[1] * len(X) * X.itemsize * (1 if invariance is None else 2)
    value = (peak - layers) / blocks
    return Measurement("peak memory above the input", name, value, value, value, "× blocks", "≤ 3 × blocks", value <= 3)


def _growth(repeats: int) -> Iterator[Measurement]:
    """How cost grows when one size is doubled: the exponent of a power law, beside the one of the algorithm."""
    base: dict[str, int] = {"m": 2000, "T": 200, "C": 8, "k": 2, "L": 40}
    expected = {"m": 1.0, "T": 1.0, "H·W": 1.0, "C": 2.0, "k": 1.0, "L": 1.0}
    for what, exponent in expected.items():
        small, large = dict(base), dict(base)
        if what in large:
            large[what] *= 2
        images = what == "H·W"
        exponents = [np.log2(_cost(large, images, wide=images) / _cost(small, images)) for _ in range(repeats)]
        middle = float(np.median(exponents))
        asked = what in ("m", "T", "L")
        bar = "≤ 1.05" if asked else f"about {exponent:g}"
        met = middle <= 1.05 if asked else True
        yield Measurement("exponent of cost", what, middle, min(exponents), max(exponents), "", bar, met)


def _cost(size: dict[str, int], images: bool, wide: bool = False) -> float:
    """Seconds of a fit of the given size; ``wide`` doubles the width of images."""
    shape = (size["C"], 14, 28 if wide else 14) if images else (size["C"], size["T"])
    X, y = synthetic(shape, size["m"], size["k"])
    invariance = "translation" if images else "shift"
    return _seconds(lambda: ReduNet(invariance, n_layers=size["L"], step_size=STEP_SIZE, **PUBLISHED_OPTIONS).fit(X, y))
