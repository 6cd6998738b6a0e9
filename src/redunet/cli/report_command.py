"""``redunet report``: a page about a model, and about how it answers the samples of a file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..inputs.byte_sizes import readable_bytes
from ..inputs.errors import SampleError
from ..numerics.arrays import Array
from ..report.model_page import write_model_page
from .command_errors import DataError, UsageError
from .files import image_folder, npz_samples, ts_signals
from .files.file_labels import KnownLabels
from .files.open_source import format_of, open_source
from .files.source import ReadOptions, Source, places
from .output import place_to_write
from .printing import print_facts, print_message
from .progress_bar import progress_bar
from .refused_samples import refused_sample
from .run_command import run_command
from .saved_model import SavedClassifier


@dataclass(frozen=True)
class ReportRequest:
    """What ``redunet report`` was asked for, as on the command line."""

    model: Path
    data: Path
    out: Path
    target: str | None = None
    labels: Path | None = None
    samples: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    max_megabytes: float = 30.0
    quiet: bool = False
    header: bool | None = None


def report(request: ReportRequest) -> int:
    """Write the page and return the exit code."""
    return run_command(lambda: write_report(request), f"interrupted; {request.out} was not written.")


def write_report(request: ReportRequest) -> None:
    """Read model and samples, and write the page about both."""
    if not request.max_megabytes > 0:
        raise UsageError(f"--max-megabytes must be > 0, got {request.max_megabytes:g}.")
    out = place_to_write(request.out, (request.model, request.data, request.labels))
    classifier = SavedClassifier(request.model)
    source = open_source(request.data, read_options(request, classifier))
    if source.left_out and not request.quiet:
        print_message(f"note: {request.data} has {source.left_out}; they are ignored.")
    with progress_bar(not request.quiet) as progress:
        progress.describe("reading")
        samples, labels, names = read_samples(source, classifier)
        progress.describe("writing the page")
        try:
            write_model_page(
                classifier.model, out, samples, labels,
                columns=classifier.names, places=names, max_megabytes=request.max_megabytes,
            )  # fmt: skip
        except SampleError as error:
            raise refused_sample(source, error) from None
    if not request.quiet:
        print_facts([("page", f"{request.out} ({readable_bytes(out.stat().st_size)})")])


def read_options(request: ReportRequest, classifier: SavedClassifier) -> ReadOptions:
    """Which parts of the file are samples, and whether it says what they are."""
    named = request.target is not None or request.labels is not None
    words: dict[str, Any] = {"target": request.target, "labels": request.labels, "samples": request.samples}
    words |= {"ignore": request.ignore, "delimiter": request.delimiter, "header": request.header}
    return classifier.read_options(labelled=named or says_what_samples_are(request), **words)


def says_what_samples_are(request: ReportRequest) -> bool:
    """Whether a file says itself what its samples are; of others the command line says it, if it is known."""
    kind = format_of(request.data, ReadOptions(False, delimiter=request.delimiter))
    if kind is ts_signals.FORMAT:
        return ts_signals.TsSignals(request.data, ReadOptions(False)).has_labels
    return kind in (image_folder.FORMAT, npz_samples.FORMAT)


def read_samples(source: Source, classifier: SavedClassifier) -> tuple[Array, Array | None, list[str]]:
    """All samples in the shape that the model takes, their labels if there are any, and what each is called."""
    known = KnownLabels(classifier.classes)
    parts: list[Array] = []
    codes: list[Array] = []
    names: list[str] = []
    for block in source.blocks():
        parts.append(block.samples.reshape(len(block.samples), *classifier.model.sample_shape_))
        if block.labels:
            codes.append(known.codes_of(source, block.labels, block.start))
        names += [f"{source.heading} {place}" for place in places(source, block)]
    if not parts:
        raise DataError(f"{source.labels_at()}: there are no samples to show; add some.")
    labels = classifier.classes[np.concatenate(codes)] if codes else None
    return np.concatenate(parts), labels, names
