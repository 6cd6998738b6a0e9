"""``redunet predict``: answers of a model, a block of samples at a time."""

import csv
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..numerics.arrays import Array
from .command_errors import one_of
from .early_checks import ANSWER_FORMS
from .exit_codes import SUCCESS, UNANSWERED
from .files.file_labels import is_whole_text, plain
from .files.open_source import open_source
from .files.source import known_total, places
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


def predict_samples(request: PredictRequest) -> int:
    """Write one line for each sample; the exit code says whether all of them have an answer."""
    one_of("--format", request.form, FORMS)
    out = None if request.out is None else place_to_write(request.out, (request.model, request.data))
    classifier = SavedClassifier(request.model)
    words: dict[str, Any] = {"samples": request.samples, "ignore": request.ignore, "delimiter": request.delimiter}
    words |= {"header": request.header, "keep_bad_rows": True}
    source = open_source(request.data, classifier.read_options(labelled=False, **words))
    if source.left_out and not request.quiet:
        print_message(f"note: {request.data} has {source.left_out}; they are ignored.")
    names = [plain(name) for name in classifier.classes.tolist()]
    lines = FORMS[request.form]
    n_samples = n_unanswered = 0
    on_screen = out is None and sys.stdout.isatty()
    with progress_bar(not (request.quiet or on_screen)) as progress, written(out) as file:
        progress.describe("predicting")
        if request.form == "csv":
            file.write(exact_bytes(csv_header(source.heading, names, request.probabilities)))
        for block in source.blocks():
            distances, reasons = classifier.answers(source, block)
            labels = [None if i in reasons else names[j] for i, j in enumerate(distances.argmin(axis=1).tolist())]
            shares = classifier.probabilities(distances).round(PROBABILITY_DECIMALS) if request.probabilities else None
            answers = Answers(source.heading, places(source, block), labels, names, shares, reasons)
            file.write(exact_bytes(lines(answers)))
            n_samples += len(labels)
            n_unanswered += len(reasons)
            progress.count(n_samples, "samples", known_total(source))
    if not n_samples and not request.quiet:
        print_message(f"note: {request.data} has no samples.")
    if n_unanswered and not request.quiet:
        print_message(f"note: {n_unanswered} of {n_samples} samples have no answer; 'reason' says why.")
    return UNANSWERED if n_unanswered else SUCCESS


def csv_header(heading: str, names: Sequence[Any], probabilities: bool) -> str:
    """First line: where a sample is, the answer, the probability of each class if asked for, why there is no answer."""
    columns = [heading, "prediction"]
    if probabilities:
        columns += [f"probability of {name}" for name in names]
    return csv_text([[*columns, "reason"]])


class Answers(NamedTuple):
    """Answers of the samples of a block.

    Parameters
    ----------
    heading : str
        What the place of a sample is called.
    at : sequence
        Places of the samples.
    labels : sequence
        The answers; None where there is none.
    names : sequence
        Labels of the classes.
    shares : array, shape (n, n_classes), or None
        Probabilities, if they were asked for.
    reasons : mapping
        Why samples have no answer, by their number in the block.
    """

    heading: str
    at: Sequence[Any]
    labels: Sequence[Any]
    names: Sequence[Any]
    shares: Array | None
    reasons: Mapping[int, str]


def csv_lines(answers: Answers) -> str:
    """Rows of a CSV file; fields are empty where a sample has no answer, and the last says why."""
    rows = [[]] * len(answers.at) if answers.shares is None else answers.shares.tolist()
    for i in answers.reasons:
        rows[i] = [""] * len(rows[i])
    parts = enumerate(zip(answers.at, answers.labels, rows, strict=True))
    return csv_text([place, label, *row, answers.reasons.get(i, "")] for i, (place, label, row) in parts)


def json_lines(answers: Answers) -> str:
    """One JSON object to a line; null where a sample has no answer, and why."""
    shares = answers.shares
    found: list[dict[str, Any]] = [
        {answers.heading: place, "prediction": label} for place, label in zip(answers.at, answers.labels, strict=True)
    ]
    if shares is not None:
        classes = list(map(str, answers.names))
        for one, row in zip(found, shares.tolist(), strict=True):
            one["probabilities"] = dict(zip(classes, row, strict=True))
    for i, why in answers.reasons.items():
        found[i] |= {"reason": why} if shares is None else {"probabilities": None, "reason": why}
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


FORMS: dict[str, Callable[[Answers], str]] = dict(zip(ANSWER_FORMS, (csv_lines, json_lines), strict=True))
