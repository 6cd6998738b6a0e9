"""``redunet fine-tune``: a model trained further on the samples of a file, by gradients."""

import math
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..inputs.byte_sizes import readable_bytes
from ..inputs.errors import NoLayerWarning, SampleError
from ..network.memory import free_memory
from ..numerics.arrays import Array
from ..terminal.progress import watching
from ..terminal.text import write_json
from .command_errors import DataError, UsageError, first_line
from .files.file_content import FileContent
from .files.file_labels import KnownLabels
from .files.open_source import open_source
from .files.source import Source, known_total
from .fine_tune_request import HELD_OUT_SHARE, FineTuneRequest
from .first_reading import in_precision
from .model_facts import training
from .option_words import in_words
from .output import place_to_write
from .printing import print_facts, print_message
from .progress_bar import ProgressBar, progress_bar
from .run_command import run_command
from .saved_model import SavedClassifier

# Bytes that a number of a sample takes: as it was read, without the samples held out, and in single precision.
BYTES_PER_NUMBER = 8 + 8 + 4
# Share of the free memory that samples may take; training needs some, too.
LARGEST_MEMORY_SHARE = 0.8


def fine_tune(request: FineTuneRequest) -> int:
    """Train a model further, save it, and return the exit code."""
    left = "no model was written" if request.out else f"{request.model} is what it was"
    again = "; the same command goes on from the checkpoint" if request.checkpoint else ""
    return run_command(lambda: fine_tune_model(request), f"interrupted; {left}{again}.")


def fine_tune_model(request: FineTuneRequest) -> None:
    """Read all samples, train, and replace the model file at the end if that was worth it; print a summary."""
    begin = time.monotonic()
    out = place_to_write(request.place, request.inputs)
    before = FileContent([request.model])
    classifier = SavedClassifier(request.model)
    refuse_what_cannot_be(request, classifier.model)
    sources = [source_of(request, classifier, request.data, request.labels)]
    if request.held_out_data is not None:
        sources.append(source_of(request, classifier, request.held_out_data, request.held_out_labels))
    elif classifier.model.training_history_ is not None and not request.quiet:
        print_message(
            f"note: {request.model} was trained before, so that it cannot be built again without the samples that are "
            f"held out: it has seen them, unless they are new. --held-out-data takes samples that it has not seen."
        )
    with progress_bar(not (request.quiet or request.as_json)) as progress, watching(progress.layer):
        progress.describe("starting")
        device = usable_device(request.device)
        samples = [read_labelled(classifier, source, progress) for source in sources]
        progress.describe("training")
        found = trained(request, classifier.model, samples, device, progress)
        history = found.training_history_
        if not history.start_was_kept:
            classifier.model = found
        is_written = not history.start_was_kept or request.out is not None
        if is_written:
            progress.describe("saving")
            before.refuse_change()
            classifier.save(out)
    if not request.quiet or request.as_json:
        about: dict[str, Any] = {
            "samples": len(samples[0][1]),
            "loss": request.loss,
            **training(found),
            "seconds": round(time.monotonic() - begin, 3),
            "file": str(request.place),
            "bytes": out.stat().st_size,
            "written": is_written,
        }
        if request.as_json:
            write_json(about)
        else:
            print_facts(facts_of(about))


def refuse_what_cannot_be(request: FineTuneRequest, model: Any) -> None:
    """Refuse deformations of rows of numbers, and to replace a model by one that has less."""
    if request.augment == "deform" and len(model.sample_shape_) == 1:
        raise UsageError(
            f"--augment deform is for signals and images, and {request.model} takes rows of numbers; leave it out."
        )
    if request.out is None and getattr(model, "moments_", None) is not None:
        raise UsageError(
            f"{request.model} keeps moments of its samples, which a trained model does not: `redunet update` could add "
            f"no more samples to it. Pass another file with -o, or -o {request.model} to replace it all the same."
        )


def source_of(request: FineTuneRequest, classifier: SavedClassifier, path: Path, labels: Path | None) -> Source:
    """The labelled samples of a file; a note says what of it is not read."""
    words = {"target": request.target, "labels": labels, "samples": request.samples, "header": request.header}
    options = classifier.read_options(labelled=True, ignore=request.ignore, delimiter=request.delimiter, **words)
    source = open_source(path, options)
    if source.left_out and not request.quiet:
        print_message(f"note: {path} has {source.left_out}; they are ignored.")
    return source


def usable_device(name: str | None) -> Any:
    """Where to compute, once it is known that PyTorch can do so; None where nothing was said."""
    import torch

    if name is None:
        return None
    try:
        device = torch.device(name)
        float(torch.zeros(1, device=device))  # some devices hold no numbers
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise UsageError(
            f"--device {name}: PyTorch cannot compute there ({first_line(error)}); pass another, such as cpu, or leave "
            f"it out."
        ) from None
    return device


def read_labelled(classifier: SavedClassifier, source: Source, progress: ProgressBar) -> tuple[Array, Array]:
    """All samples as flat rows in the precision of the model, and their labels.

    Each sample is answered once, so that one which the model refuses is named by its place in the file.
    """
    known, free = KnownLabels(classifier.classes), free_memory()
    dtype = classifier.model.network_.dtype
    refuse_too_many(source, source.expected_samples(), free)
    samples: list[Array] = []
    codes: list[Array] = []
    n_samples = 0
    progress.describe("reading")
    for block in source.blocks():
        codes.append(known.codes_of(source, block.labels, block.start))
        classifier.distances(source, block)
        samples.append(in_precision(source, block, dtype).reshape(len(block.samples), -1))
        n_samples += len(block.samples)
        refuse_too_many(source, n_samples, free)
        progress.count(n_samples, "samples", known_total(source))
    if not n_samples:
        raise DataError(f"{source.labels_at()}: there are no samples; the model stays as it is. Add some.")
    return np.concatenate(samples), classifier.classes[np.concatenate(codes)]


def refuse_too_many(source: Source, n_samples: int, free: int | None) -> None:
    """Refuse samples that would not fit into memory."""
    needed = BYTES_PER_NUMBER * n_samples * math.prod(source.shape)
    if free is not None and needed > LARGEST_MEMORY_SHARE * free:
        raise DataError(
            f"{source.labels_at()}: training keeps all samples in memory, where {n_samples:,} of them take about "
            f"{readable_bytes(needed)} and {readable_bytes(free)} are free; train with fewer samples, or on another "
            f"machine."
        )


def trained(
    request: FineTuneRequest, model: Any, samples: list[tuple[Array, Array]], device: Any, progress: ProgressBar
) -> Any:
    """The model after training; errors are worded as on the command line."""
    from ..torch import fine_tune

    held_out = samples[1] if len(samples) > 1 else request.held_out or HELD_OUT_SHARE
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoLayerWarning)
            return fine_tune(
                model,
                *samples[0],
                what=request.parts,
                loss=request.loss,
                n_epochs=request.epochs,
                batch_size=request.batch_size,
                rate=request.rate,
                augment=None if request.augment == "none" else request.augment,
                held_out=held_out,
                random_state=request.seed,
                device=device,
                checkpoint=request.checkpoint,
                on_epoch=lambda epoch: progress.epoch(*epoch),
            )
    except SampleError:  # all were answered before, so it is another lift; and rows are counted without those held out
        raise DataError(
            f"{request.data}: built again without the samples held out, the model has other filters, and a sample that "
            f"gives no response to any of them; pass --held-out-data, or another --seed."
        ) from None
    except ValueError as error:
        raise DataError(in_words(error, str(request.data))) from None


def facts_of(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The summary of a training as names and values for people."""
    epoch, judged = found["chosen_epoch"], f"{found['held_out_samples']:,} samples held out"
    right, loss = found["held_out_accuracy"], found["held_out_loss"]
    facts = [("samples", f"{found['samples']:,}"), ("trained", f"{', '.join(found['parts'])}, by {found['loss']}")]
    if found["start_was_kept"]:
        facts += [
            ("kept", f"the start: no epoch of {found['epochs']} is better on the samples held out, beyond chance"),
            ("accuracy", f"{right[0]:.4f} ({judged})"),
        ]
        model = f"{found['file']}, {'the start as it was' if found['written'] else 'left as it was'}"
    else:
        facts += [
            ("kept", f"epoch {epoch} of {found['epochs']}"),
            ("accuracy", f"{right[0]:.4f} before, {right[epoch]:.4f} after ({judged})"),
            ("log loss", f"{loss[0]:.4f} before, {loss[epoch]:.4f} after (the same samples)"),
        ]
        model = f"{found['file']} ({readable_bytes(found['bytes'])})"
    return [*facts, ("seconds", f"{found['seconds']:.1f}"), ("model", model)]
