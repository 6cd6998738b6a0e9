"""``redunet predict``: answers of a model, a block of samples at a time."""

import csv
import io
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .command_errors import one_of
from .files.file_labels import is_whole_text, plain
from .files.open_source import open_source
from .files.source import places
from .output import place_to_write, written
from .printing import print_message
from .progress_bar import progress_bar
from .run_command import run_command
from .saved_model import SavedClassifier

# Decimals of a probability.
PROBABILITY_DECIMALS = 6


@dataclass(frozen=True)
class PredictRequest:
    """What ``redunet predict`` was asked for, as on the command line."""

    model: Path
    data: Path
    out: Path | None = None
    form: str = "csv"
    probabilities: bool = False
    samples: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    quiet: bool = False
    header: bool | None = None


def predict(request: PredictRequest) -> int:
    """Write the answers for new samples and return the exit code."""
    left = "what was printed is not complete" if request.out is None else f"{request.out} was not written"
    return run_command(lambda: predict_samples(request), f"interrupted; {left}.")


def predict_samples(request: PredictRequest) -> None:
    """Write one line for each sample."""
    one_of("--format", request.form, FORMS)
    out = None if request.out is None else place_to_write(request.out, (request.model, request.data))
    classifier = SavedClassifier(request.model)
    words = {"samples": request.samples, "ignore": request.ignore, "delimiter": request.delimiter}
    source = open_source(request.data, classifier.read_options(labelled=False, header=request.header, **words))
    if source.left_out and not request.quiet:
        print_message(f"note: {request.data} has {source.left_out}; they are ignored.")
    names = [plain(name) for name in classifier.classes.tolist()]
    lines = FORMS[request.form]
    n_samples = 0
    on_screen = out is None and sys.stdout.isatty()
    with progress_bar(not (request.quiet or on_screen)) as progress, written(out) as file:
        progress.describe("predicting")
        if request.form == "csv":
            file.write(exact_bytes(csv_header(source.heading, names, request.probabilities)))
        for block in source.blocks():
            distances = classifier.distances(source, block)
            answers = [names[code] for code in distances.argmin(axis=1).tolist()]
            shares = classifier.probabilities(distances).round(PROBABILITY_DECIMALS) if request.probabilities else None
            file.write(exact_bytes(lines(source.heading, places(source, block), answers, names, shares)))
            n_samples += len(answers)
            progress.count(n_samples, "samples")
    if not n_samples and not request.quiet:
        print_message(f"note: {request.data} has no samples.")


def csv_header(heading: str, names: Sequence[Any], probabilities: bool) -> str:
    """First line: where a sample is, the answer, and the probability of each class if they are asked for."""
    columns = [heading, "prediction"]
    if probabilities:
        columns += [f"probability of {name}" for name in names]
    return csv_text([columns])


def csv_lines(
    heading: str, at: Sequence[Any], answers: Sequence[Any], names: Sequence[Any], shares: Array | None
) -> str:
    """Rows of a CSV file."""
    if shares is None:
        return csv_text(zip(at, answers, strict=True))
    return csv_text([place, answer, *row] for place, answer, row in zip(at, answers, shares.tolist(), strict=True))


def json_lines(
    heading: str, at: Sequence[Any], answers: Sequence[Any], names: Sequence[Any], shares: Array | None
) -> str:
    """One JSON object to a line."""
    found = [{heading: place, "prediction": answer} for place, answer in zip(at, answers, strict=True)]
    if shares is not None:
        classes = list(map(str, names))
        for one, row in zip(found, np.asarray(shares).tolist(), strict=True):
            one["probabilities"] = dict(zip(classes, row, strict=True))
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in found)
    return text if is_whole_text(text) else "".join(json.dumps(one) + "\n" for one in found)


def exact_bytes(text: str) -> bytes:
    """UTF-8; of a file whose name is something else, the very bytes of its name."""
    for errors in ("strict", "surrogateescape"):
        try:
            return text.encode("utf-8", errors)
        except UnicodeEncodeError:
            pass
    return text.encode("utf-8", "surrogatepass")


def csv_text(rows: Any) -> str:
    """Rows as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


FORMS: dict[str, Callable[..., str]] = {"csv": csv_lines, "json": json_lines}
