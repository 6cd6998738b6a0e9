"""``redunet fit``: a model from the samples of a file."""

import math
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from ..estimators.classifier import ReduNetClassifier
from ..evidence.expected_accuracy import expected_accuracy, expected_accuracy_in_words
from ..inputs.byte_sizes import readable_bytes
from ..inputs.errors import NoLayerWarning, SampleError
from ..numerics.arrays import Array
from ..terminal.progress import watching
from ..terminal.text import write_json
from .command_errors import DataError
from .dask_fit import asks_for_workers, fit_on_workers
from .files.file_content import content_of
from .files.file_labels import plain
from .files.image_folder import ImageFolder, colours_left_out
from .files.layout import check_layout
from .files.open_source import open_source
from .files.source import ReadOptions, Source
from .first_reading import FirstReading
from .fit_request import FitRequest, model_like, model_of
from .model_facts import answers_in_short, kernel, kernel_in_words, lift_in_words, scaling, scaling_in_words
from .model_size import large_model_note
from .option_words import in_words
from .output import place_to_write
from .printing import print_facts, print_message, short_list
from .progress_bar import progress_bar
from .refused_samples import refused_sample
from .run_command import run_command
from .saved_model import SavedClassifier
from .streamed_fit import OTHER_LIFT, fit_from_moments


def fit(request: FitRequest) -> int:
    """Fit a classifier, save it, and return the exit code."""
    again = "; the same command goes on from the checkpoint" if request.checkpoint else ""
    work = fit_on_workers if asks_for_workers(request) else fit_model
    return run_command(lambda: work(request), f"interrupted; no model was written{again}.")


def fit_model(request: FitRequest) -> None:
    """Read all samples, fit, save, and print a summary; errors of data and options are raised before the fit."""
    begin = time.monotonic()
    out = place_to_write(request.out, (request.data, request.labels))
    model, options, precision = what_to_fit(request)
    source = open_source(request.data, options)
    content = content_of(source, request.data, request.labels)
    shape = source.shape
    if request.like is not None:
        shape = model.sample_shape or shape
    elif model.invariance is None and isinstance(source, ImageFolder):
        shape = (math.prod(shape),)
    else:
        check_layout(str(request.data), source, model.invariance, model.sample_shape)
    if source.left_out and not request.quiet:
        print_message(f"note: {request.data} has {source.left_out}; they are left out.")
    with progress_bar(not (request.quiet or request.as_json)) as progress:
        reading = FirstReading(source, precision, request.most_sample_bytes, progress)
        print_note(reading.ids.note(str(request.data)), request)
        print_note("" if options.shape is not None else colours_left_out(source), request)
        with watching(progress.layer):
            if reading.samples is not None:
                progress.describe("choosing")
                fit_to(model, source, reading.samples.reshape(-1, *shape), reading.labels, request)
            else:
                model.set_params(construction="moments")
                say_that_moments_are_gathered(request, source, reading.n_samples)
                fit_from_moments(model, reading, shape, request.data, content, progress)
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
    found = summary(request, model, reading, time.monotonic() - begin)
    if request.as_json:
        write_json(found)
    else:
        print_facts(facts_of(found, request))


def print_note(words: str, request: FitRequest) -> None:
    """Print a note, if there is one and notes are wanted."""
    if words and not request.quiet:
        print_message(f"note: {words}")


def what_to_fit(request: FitRequest) -> tuple[ReduNetClassifier, ReadOptions, Any]:
    """The classifier that is asked for, not fitted; how its samples are read; the type of their numbers."""
    if request.like is not None:
        like = SavedClassifier(request.like)
        options = replace(request.read_options(), names=like.names, shape=like.model.sample_shape_)
        return model_like(like.unfitted(), request), options, like.precision
    return model_of(request), request.read_options(), np.float32 if request.float32 else np.float64


def say_that_moments_are_gathered(request: FitRequest, source: Source, n_samples: int) -> None:
    """A note where the size of the samples alone decided that moments are gathered."""
    if request.construction is None and request.like is None:
        n_bytes = readable_bytes(8 * n_samples * math.prod(source.shape))
        print_note(
            f"the {n_samples:,} samples of {request.data} take {n_bytes} in double precision, so that the model is "
            f"built from class moments, in bounded memory (--construction moments).",
            request,
        )


def fit_to(model: ReduNetClassifier, source: Source, samples: Array, labels: Array, request: FitRequest) -> None:
    """Fit; errors of the model are worded as on the command line, and name a sample by its place in the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoLayerWarning)
            model.fit(samples, labels, checkpoint=request.checkpoint)
    except SampleError as error:
        raise refused_sample(source, error, other_remedy=OTHER_LIFT) from None
    except ValueError as error:
        raise DataError(in_words(error, str(request.data))) from None


def summary(request: FitRequest, model: ReduNetClassifier, reading: FirstReading, seconds: float) -> dict[str, Any]:
    """The fitted model in numbers, as JSON can hold them."""
    counts = zip(reading.classes.tolist(), reading.class_samples.tolist(), strict=True)
    moments = model.moments_
    return {
        "samples": reading.n_samples,
        "classes": {str(plain(name)): n for name, n in counts},
        "shape": list(model.sample_shape_),
        "invariance": model.invariance or "none",
        **scaling(model),
        **kernel(model),
        "lift": model.lift_.description() if model.lift_ is not None else None,
        "membership": model.membership_,
        "rank": model.rank_,
        "answers_by": answers_in_short(model),
        "eps": model.eps_,
        "rate_reduction": [float(model.history_.rate_reduction[i]) for i in (0, -1)],
        **expected_accuracy(model),
        "precision": "single" if reading.dtype == np.float32 else "double",
        "construction": model.construction,
        "evidence_samples": None if moments is None else len(moments.reservoir.codes),
        "seconds": round(seconds, 3),
        "samples_per_second": round(reading.n_samples / seconds, 1),
        "file": str(request.out),
        "bytes": request.out.stat().st_size,
    }


def facts_of(found: dict[str, Any], request: FitRequest) -> list[tuple[str, str]]:
    """The summary of a fit as names and values for people."""
    classes = short_list(f"{name} ({n})" for name, n in found["classes"].items())
    first, last = found["rate_reduction"]
    grown = f", ΔR {first:.4g} → {last:.4g} nats" if found["layers"] else ""
    columns, moments = [], []
    if "standardised" in found:
        asked = f"--standardise {request.standardise}" if request.like is None else f"--like {request.like}"
        columns.append(("columns", scaling_in_words(found, asked)))
    if "kernel" in found:
        columns.append(("kernel", kernel_in_words(found["kernel"])))
    if found["construction"] == "moments":
        moments.append(("construction", f"moments; {found['evidence_samples']:,} samples kept for evidence"))
    return [
        ("samples", f"{found['samples']:,}"),
        ("classes", classes),
        ("shape", " × ".join(map(str, found["shape"]))),
        ("invariance", found["invariance"]),
        *columns,
        ("lift", lift_in_words(found["lift"])),
        ("answers by", found["answers_by"]),
        *moments,
        ("layers", f"{found['layers']}{grown}"),
        ("expected accuracy", expected_accuracy_in_words(found)),
        ("seconds", f"{found['seconds']:.1f} ({found['samples_per_second']:,.0f} samples per second)"),
        ("model", f"{found['file']} ({readable_bytes(found['bytes'])})"),
    ]
