"""``redunet fit``: a model from the samples of a file."""

import math
import time
import warnings
from typing import Any

import numpy as np

from ..estimators.classifier import ReduNetClassifier
from ..inputs.byte_sizes import readable_bytes
from ..inputs.errors import NoLayerWarning, SampleError
from ..numerics.arrays import Array
from ..terminal.progress import watching
from ..terminal.text import write_json
from .command_errors import DataError
from .files.cells import fits_single_precision
from .files.file_labels import labels_for_fit, plain
from .files.id_columns import IdColumns
from .files.image_folder import ImageFolder
from .files.layout import check_layout
from .files.open_source import open_source
from .files.source import Block, Source
from .fit_request import FitRequest, model_of
from .model_facts import answers_in_short, expected_accuracy, expected_accuracy_in_words, lift_in_words
from .model_size import large_model_note
from .option_words import in_words
from .output import place_to_write
from .printing import print_facts, print_message, short_list
from .progress_bar import ProgressBar, progress_bar
from .refused_samples import refused_sample
from .run_command import run_command


def fit(request: FitRequest) -> int:
    """Fit a classifier, save it, and return the exit code."""
    again = "; the same command goes on from the checkpoint" if request.checkpoint else ""
    return run_command(lambda: fit_model(request), f"interrupted; no model was written{again}.")


def fit_model(request: FitRequest) -> None:
    """Read all samples, fit, save, and print a summary; errors of data and options are raised before the fit."""
    begin = time.monotonic()
    out = place_to_write(request.out, (request.data, request.labels))
    model = model_of(request)
    source = open_source(request.data, request.read_options())
    shape = source.shape
    if model.invariance is None and isinstance(source, ImageFolder):
        shape = (math.prod(shape),)
    else:
        check_layout(str(request.data), source, model.invariance, model.sample_shape)
    if source.left_out and not request.quiet:
        print_message(f"note: {request.data} has {source.left_out}; they are left out.")
    with progress_bar(not (request.quiet or request.as_json)) as progress:
        ids = IdColumns(source.names or ())
        samples, labels = read_all(source, np.float32 if request.float32 else np.float64, progress, ids)
        print_note(ids.note(str(request.data)), request)
        samples = samples.reshape(len(samples), *shape)
        progress.describe("choosing")
        with watching(progress.layer):
            fit_to(model, source, samples, labels, request)
        if source.names is not None:
            model.feature_names_in_ = np.array(source.names, dtype=object)
        print_note(large_model_note(model, request.out), request)
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


def print_note(words: str, request: FitRequest) -> None:
    """Print a note, if there is one and notes are wanted."""
    if words and not request.quiet:
        print_message(f"note: {words}")


def read_all(source: Source, dtype: Any, progress: ProgressBar, ids: IdColumns) -> tuple[Array, Array]:
    """All samples and labels of a source, shown to the observer of its columns block by block."""
    progress.describe("reading")
    samples: list[Array] = []
    labels: list[Any] = []
    for block in source.blocks():
        if dtype == np.float32:
            _refuse_overflow(source, block)
        ids.add(block.samples)
        samples.append(block.samples.astype(dtype, copy=False))
        labels += block.labels
        progress.count(len(labels), "samples")
    if not labels:
        raise DataError(f"{source.labels_at()}: there are no samples; add some.")
    return np.concatenate(samples), labels_for_fit(source, labels)


def fit_to(model: ReduNetClassifier, source: Source, samples: Array, labels: Array, request: FitRequest) -> None:
    """Fit; errors of the model are worded as on the command line, and name a sample by its place in the file."""
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


def summary(request: FitRequest, model: ReduNetClassifier, labels: Array, seconds: float) -> dict[str, Any]:
    """The fitted model in numbers, as JSON can hold them."""
    counts = np.unique(labels, return_counts=True)[1]
    return {
        "samples": len(labels),
        "classes": {str(plain(name)): int(n) for name, n in zip(model.classes_.tolist(), counts, strict=True)},
        "shape": list(model.sample_shape_),
        "invariance": model.invariance or "none",
        "lift": model.lift_.description() if model.lift_ is not None else None,
        "membership": model.membership_,
        "rank": model.rank_,
        "answers_by": answers_in_short(model),
        "eps": model.eps_,
        "layers": model.n_layers_,
        "rate_reduction": [float(model.history_.rate_reduction[i]) for i in (0, -1)],
        **expected_accuracy(model),
        "precision": "single" if request.float32 else "double",
        "seconds": round(seconds, 3),
        "file": str(request.out),
        "bytes": request.out.stat().st_size,
    }


def facts_of(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The summary of a fit as names and values for people."""
    classes = short_list(f"{name} ({n})" for name, n in found["classes"].items())
    first, last = found["rate_reduction"]
    grown = f", ΔR {first:.4g} → {last:.4g} nats" if found["layers"] else ""
    return [
        ("samples", f"{found['samples']:,}"),
        ("classes", classes),
        ("shape", " × ".join(map(str, found["shape"]))),
        ("invariance", found["invariance"]),
        ("lift", lift_in_words(found["lift"])),
        ("answers by", found["answers_by"]),
        ("layers", f"{found['layers']}{grown}"),
        ("expected accuracy", expected_accuracy_in_words(found)),
        ("seconds", f"{found['seconds']:.1f}"),
        ("model", f"{found['file']} ({readable_bytes(found['bytes'])})"),
    ]
