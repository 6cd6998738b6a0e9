"""``redunet update``: the rows of a file added to a model, or taken out of it, in bounded memory."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..estimators.added_file import MOST_ADDED_FILES, AddedFile
from ..evidence.expected_accuracy import expected_accuracy, expected_accuracy_in_words
from ..inputs.byte_sizes import readable_bytes
from ..terminal.progress import watching
from ..terminal.text import write_json
from .command_errors import DataError
from .files.file_content import FileContent, content_of
from .files.file_labels import UpdatedLabels, plain
from .files.open_source import open_source
from .first_reading import in_precision
from .output import place_to_write
from .printing import print_facts, print_message, short_list
from .progress_bar import progress_bar
from .run_command import run_command
from .saved_model import SavedClassifier
from .streamed_fit import add_block, finish


@dataclass(frozen=True)
class UpdateRequest:
    """What ``redunet update`` was asked for, as on the command line."""

    model: Path
    data: Path
    out: Path | None = None
    target: str | None = None
    labels: Path | None = None
    samples: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    forget: bool = False
    new_classes: bool = False
    again: bool = False
    as_json: bool = False
    quiet: bool = False
    header: bool | None = None


def update(request: UpdateRequest) -> int:
    """Add samples to a model, or take them out, and return the exit code."""
    return run_command(lambda: update_model(request), f"interrupted; {request.model} is what it was.")


def update_model(request: UpdateRequest) -> None:
    """Count all samples of a file, build the model again, and replace its file at the end; print a summary."""
    begin = time.monotonic()
    out = place_to_write(request.out or request.model, (request.data, request.labels))
    before = FileContent([request.model])
    classifier = SavedClassifier(request.model)
    model = classifier.learner()
    words = {"target": request.target, "labels": request.labels, "samples": request.samples, "header": request.header}
    options = classifier.read_options(labelled=True, ignore=request.ignore, delimiter=request.delimiter, **words)
    source = open_source(request.data, options)
    if source.left_out and not request.quiet:
        print_message(f"note: {request.data} has {source.left_out}; they are ignored.")
    content = content_of(source, request.data, request.labels)
    known = UpdatedLabels(classifier.classes, request.new_classes)
    was = expected_accuracy(model)
    found: dict[str, Any] = {f"{name}_before": was[name] for name in ("loo_score", "expected_accuracy")}
    with progress_bar(not (request.quiet or request.as_json)) as progress, watching(progress.layer):
        progress.describe("looking whether it was added before")
        digest = content.sha256()
        if not request.forget:
            refuse_added_file(request, model, digest)
        gathering = model.gather_out() if request.forget else model.gather_more(new_classes=request.new_classes)
        progress.describe("taking samples out" if request.forget else "adding samples")
        expected = source.expected_samples()
        for block in source.blocks():
            labels = known.labels_of(source, block.labels, block.start)
            samples = in_precision(source, block, classifier.precision)
            add_block(gathering, source, block, samples.reshape(len(samples), *model.sample_shape_), labels)
            progress.count(gathering.n_samples, "samples", max(expected, gathering.n_samples))
        content.refuse_change()
        if not gathering.n_samples:
            raise DataError(f"{source.labels_at()}: there are no samples; the model stays as it is. Add some.")
        progress.describe("choosing")
        finish(gathering, request.data)
        model.added_files_ = files_after(model.added_files_, AddedFile(digest, gathering.n_samples), request.forget)
        progress.describe("saving")
        before.refuse_change()
        classifier.save(out)
    if not request.quiet or request.as_json:
        found |= summary(request, model, gathering.n_samples, time.monotonic() - begin)
        if request.as_json:
            write_json(found)
        else:
            print_facts(facts_of(found))


def refuse_added_file(request: UpdateRequest, model: Any, digest: str) -> None:
    """Refuse a file whose content the model has counted already, unless it is to be counted again."""
    if not request.again and any(file.sha256 == digest for file in model.added_files_):
        raise DataError(
            f"{request.data}: the model has counted the rows of this file already; pass --again to count them once "
            f"more, or --forget to take them out."
        )


def files_after(files: tuple[AddedFile, ...], file: AddedFile, forgotten: bool) -> tuple[AddedFile, ...]:
    """The files that a model has counted, after one more was added or taken out."""
    if not forgotten:
        return (*files, file)[-MOST_ADDED_FILES:]
    left = list(files)
    if file in left:
        left.remove(file)
    return tuple(left)


def summary(request: UpdateRequest, model: Any, n_samples: int, seconds: float) -> dict[str, Any]:
    """What was done, in numbers as JSON can hold them."""
    out = request.out or request.model
    counts = zip(model.classes_.tolist(), model.moments_.class_weight.tolist(), strict=True)
    return {
        "taken_out" if request.forget else "added": n_samples,
        "samples": float(model.moments_.class_weight.sum()),
        "classes": {str(plain(name)): n for name, n in counts},
        **expected_accuracy(model),
        "seconds": round(seconds, 3),
        "samples_per_second": round(n_samples / seconds, 1),
        "file": str(out),
        "bytes": out.stat().st_size,
    }


def facts_of(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The summary of an update as names and values for people."""
    name, n_samples = ("taken out", found["taken_out"]) if "taken_out" in found else ("added", found["added"])
    before = found["expected_accuracy_before"]
    was = "not known" if before is None else f"{before:.3f}"
    return [
        (name, f"{n_samples:,} samples"),
        ("samples", f"{found['samples']:,.10g}"),
        ("classes", short_list(f"{name} ({n:,.10g})" for name, n in found["classes"].items())),
        ("expected accuracy", f"{expected_accuracy_in_words(found)}; before: {was}"),
        ("seconds", f"{found['seconds']:.1f} ({found['samples_per_second']:,.0f} samples per second)"),
        ("model", f"{found['file']} ({readable_bytes(found['bytes'])})"),
    ]
