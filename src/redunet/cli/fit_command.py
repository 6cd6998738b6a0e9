"""``redunet fit``: a model from the samples of a file."""

import math
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..estimators.classifier import ReduNetClassifier
from ..inputs.byte_sizes import readable_bytes
from ..inputs.errors import NoLayerWarning, SampleError
from ..lift.banks import BANKS
from ..lift.lift import Lift
from ..numerics.arrays import Array
from ..terminal.progress import watching
from ..terminal.text import write_json
from .command_errors import DataError, UsageError, one_of
from .files.cells import fits_single_precision
from .files.file_labels import labels_for_fit, plain
from .files.image_folder import ImageFolder
from .files.layout import refuse_other_layout
from .files.open_source import open_source
from .files.source import Block, ReadOptions, Source
from .option_words import in_words
from .output import place_to_write
from .printing import print_facts, print_message, short_list
from .progress_bar import ProgressBar, progress_bar
from .refused_samples import refused_sample
from .run_command import run_command


@dataclass(frozen=True)
class FitRequest:
    """What ``redunet fit`` was asked for, as on the command line."""

    data: Path
    out: Path
    target: str | None = None
    labels: Path | None = None
    samples: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    colour: bool = False
    invariance: str | None = None
    shape: str | None = None
    lift: str | None = None
    channels: int | None = None
    kernel: str | None = None
    pool: float | None = None
    pad: str | None = None
    layers: str = "auto"
    seed: int = 0
    float32: bool = False
    checkpoint: Path | None = None
    as_json: bool = False
    quiet: bool = False


def fit(request: FitRequest) -> int:
    """Fit a classifier and save it; the exit code."""
    again = "; the same command goes on from the checkpoint" if request.checkpoint else ""
    return run_command(lambda: fit_model(request), f"interrupted; no model was written{again}.")


def fit_model(request: FitRequest) -> None:
    """Read all samples, fit, save, and say what came out; every mistake is told before the fit."""
    begin = time.monotonic()
    out = place_to_write(request.out, (request.data, request.labels))
    model = model_of(request)
    options = ReadOptions(
        True, request.target, request.labels, request.samples, request.ignore, request.delimiter, request.colour
    )
    source = open_source(request.data, options)
    shape = source.shape
    if model.invariance is None and isinstance(source, ImageFolder):
        shape = (math.prod(shape),)
    else:
        refuse_other_layout(str(request.data), source, model.invariance, model.sample_shape)
    if source.left_out and not request.quiet:
        print_message(f"note: {request.data} has {source.left_out}; they are left out.")
    with progress_bar(not (request.quiet or request.as_json)) as progress:
        samples, labels = read_all(source, np.float32 if request.float32 else np.float64, progress)
        samples = samples.reshape(len(samples), *shape)
        progress.describe("choosing")
        with watching(progress.layer):
            fit_or_tell(model, source, samples, labels, request)
        if source.names is not None:
            model.feature_names_in_ = np.array(source.names, dtype=object)
        progress.describe("saving")
        model.save(out)
    if request.layers not in ("auto", "0") and not model.n_layers_ and not request.quiet:
        print_message(
            f"note: no layer raises ΔR with these samples; the model has none, though --layers {request.layers}."
        )
    if request.quiet and not request.as_json:
        return
    found = summary(request, model, labels, time.monotonic() - begin)
    if request.as_json:
        write_json(found)
    else:
        print_facts(facts_of(found))


def model_of(request: FitRequest) -> ReduNetClassifier:
    """The classifier that the words ask for, not fitted."""
    invariance = request.invariance
    if invariance is None:
        invariance = "translation" if request.data.is_dir() else "none"
    one_of("--invariance", invariance, ("none", "shift", "translation"))
    cyclic = invariance if invariance != "none" else None
    return ReduNetClassifier(
        cyclic,
        lift=lift_of(request, cyclic),
        n_layers=request.layers if request.layers == "auto" else _whole("--layers", request.layers, "auto, or "),
        sample_shape=None if request.shape is None else _wholes("--shape", request.shape, 1, "1,28,28"),
        random_state=request.seed,
    )


def lift_of(request: FitRequest, invariance: str | None) -> Any:
    """None, "auto", or a lift whose options are right."""
    name = request.lift or ("none" if invariance is None else "auto")
    one_of("--lift", name, ("auto", "none", *BANKS))
    if name != "none" and invariance is None:
        raise UsageError(f"--lift {name} takes signals or images; pass --invariance shift or translation with it.")
    options: dict[str, Any] = {"n_channels": request.channels, "pool": request.pool}
    if request.kernel is not None:
        options["kernel_size"] = _wholes("--kernel", request.kernel, 1, "9, or 15,31")
    if request.pad is not None:
        pad = _wholes("--pad", request.pad, 0, "20")
        options["pad"] = pad[0] if len(pad) == 1 else pad
    given = {key: value for key, value in options.items() if value is not None}
    if name in ("auto", "none"):
        if given:
            words = {"n_channels": "--channels", "pool": "--pool", "kernel_size": "--kernel", "pad": "--pad"}
            raise UsageError(
                f"{words[next(iter(given))]} describes filters; pass --lift with one of {', '.join(BANKS)}."
            )
        return None if name == "none" else name
    lift = Lift(name, random_state=request.seed, **given)
    try:
        lift.check_parameters()
    except (ValueError, TypeError) as error:
        raise UsageError(in_words(error, str(request.data))) from None
    return lift


def read_all(source: Source, dtype: Any, progress: ProgressBar) -> tuple[Array, Array]:
    """All samples and labels of a source."""
    progress.describe("reading")
    samples: list[Array] = []
    labels: list[Any] = []
    for block in source.blocks():
        if dtype == np.float32:
            _refuse_overflow(source, block)
        samples.append(block.samples.astype(dtype, copy=False))
        labels += block.labels
        progress.count(len(labels), "samples")
    if not labels:
        raise DataError(f"{source.labels_at()}: there are no samples; add some.")
    return np.concatenate(samples), labels_for_fit(source, labels)


def fit_or_tell(model: ReduNetClassifier, source: Source, samples: Array, labels: Array, request: FitRequest) -> None:
    """Fit; what the classifier refuses is told in the words of the command line, and with its place in the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoLayerWarning)
            model.fit(samples, labels, checkpoint=request.checkpoint)
    except SampleError as error:
        raise refused_sample(source, error, other_remedy=", or pass another --lift or --kernel") from None
    except ValueError as error:
        raise DataError(in_words(error, str(request.data))) from None


def _refuse_overflow(source: Source, block: Block) -> None:
    if not fits_single_precision(block.samples):
        flat = np.abs(block.samples.reshape(len(block.samples), -1))
        i, j = (int(one) for one in np.argwhere(flat > np.finfo(np.float32).max)[0])
        column = f", column {source.names[j]!r}" if source.names is not None else ""
        raise DataError(
            f"{source.where(block.start + i)}{column}: {flat[i, j]:g} is too large for --float32; leave it out, or "
            f"scale the samples."
        )


def _whole(option: str, text: str, other: str = "") -> int:
    if not text.strip().isdecimal():
        raise UsageError(f"{option} must be {other}a whole number >= 0, got {text!r}.")
    return int(text)


def _wholes(option: str, text: str, least: int, example: str) -> tuple[int, ...]:
    """Whole numbers with commas between them."""
    parts = text.replace("x", ",").split(",")
    if not all(part.strip().isdecimal() and int(part) >= least for part in parts):
        raise UsageError(f"{option} must be whole numbers >= {least} such as {example}, got {text!r}.")
    return tuple(int(part) for part in parts)


def summary(request: FitRequest, model: ReduNetClassifier, labels: Array, seconds: float) -> dict[str, Any]:
    """What came out, as JSON can hold it."""
    counts = np.unique(labels, return_counts=True)[1]
    return {
        "samples": len(labels),
        "classes": {str(plain(name)): int(n) for name, n in zip(model.classes_.tolist(), counts, strict=True)},
        "shape": list(model.sample_shape_),
        "invariance": model.invariance or "none",
        "lift": describe_lift(model.lift_),
        "membership": model.membership_,
        "rank": model.rank_,
        "eps": model.eps_,
        "layers": model.n_layers_,
        "rate_reduction": [float(model.history_.rate_reduction[i]) for i in (0, -1)],
        "loo_score": model.loo_score_,
        "precision": "single" if request.float32 else "double",
        "seconds": round(seconds, 3),
        "file": str(request.out),
        "bytes": request.out.stat().st_size,
    }


def describe_lift(lift: Lift | None) -> dict[str, Any] | None:
    """Options of a lift that matter."""
    if lift is None:
        return None
    filters = lift.filters if isinstance(lift.filters, str) else "own"
    sizes = [int(size) for size in np.atleast_1d(lift.kernel_size)]
    pad = [int(zeros) for zeros in np.atleast_1d(lift.pad)]
    return {
        "filters": filters, "channels": sum(len(one) for one in lift.filters_), "kernel": sizes,
        "threshold": lift.threshold, "pool": float(lift.pool), "pad": pad,
    }  # fmt: skip


def lift_in_words(lift: dict[str, Any] | None) -> str:
    """The same as a line of text."""
    if lift is None:
        return "none"
    words = f"{lift['filters']}, {lift['channels']} channels, kernel {','.join(map(str, lift['kernel']))}"
    words += f", {lift['threshold']}" + (f", pool {lift['pool']:g}" if lift["pool"] != 1 else "")
    return words + (f", pad {','.join(map(str, lift['pad']))}" if any(lift["pad"]) else "")


def answers_in_words(membership: str, rank: int | None, eps: float) -> str:
    """What the answer is measured by."""
    return f"code length, ε = {eps:g}" if rank is None else f"{membership}, rank {rank}"


def facts_of(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The summary, line by line."""
    classes = short_list(f"{name} ({n})" for name, n in found["classes"].items())
    first, last = found["rate_reduction"]
    grown = f", ΔR {first:.4g} → {last:.4g} nats" if found["layers"] else ""
    return [
        ("samples", f"{found['samples']:,}"),
        ("classes", classes),
        ("shape", " × ".join(map(str, found["shape"]))),
        ("invariance", found["invariance"]),
        ("lift", lift_in_words(found["lift"])),
        ("answers by", answers_in_words(found["membership"], found["rank"], found["eps"])),
        ("layers", f"{found['layers']}{grown}"),
        ("expected accuracy", f"{found['loo_score']:.3f} (training samples, each left out of its class)"),
        ("seconds", f"{found['seconds']:.1f}"),
        ("model", f"{found['file']} ({readable_bytes(found['bytes'])})"),
    ]
