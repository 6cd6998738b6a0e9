"""``redunet evaluate``: how many answers of a model are correct, and which classes it confuses."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from ..numerics.arrays import Array
from ..terminal.text import write_json
from .command_errors import DataError
from .files.file_labels import KnownLabels
from .files.open_source import open_source
from .files.source import known_total
from .printing import print_facts, print_message, print_table, short_text
from .progress_bar import progress_bar
from .run_command import run_command
from .saved_model import SavedClassifier

# Classes up to which all confusions are printed, as a matrix; beyond, pairs that are confused most often.
MOST_MATRIX_CLASSES, MOST_CONFUSED_PAIRS = 12, 10


@dataclass(frozen=True)
class EvaluateRequest:
    """What ``redunet evaluate`` was asked for, as on the command line."""

    model: Path
    data: Path
    target: str | None = None
    labels: Path | None = None
    samples: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    as_json: bool = False
    quiet: bool = False
    header: bool | None = None


def evaluate(request: EvaluateRequest) -> int:
    """Compare answers with labels and return the exit code."""
    return run_command(lambda: evaluate_model(request), "interrupted.")


def evaluate_model(request: EvaluateRequest) -> None:
    """Count correct and wrong answers, and print them."""
    classifier = SavedClassifier(request.model)
    words = {"target": request.target, "labels": request.labels, "samples": request.samples, "header": request.header}
    source = open_source(
        request.data,
        classifier.read_options(labelled=True, ignore=request.ignore, delimiter=request.delimiter, **words),
    )
    if source.left_out and not request.quiet:
        print_message(f"note: {request.data} has {source.left_out}; they are ignored.")
    known = KnownLabels(classifier.classes)
    confusion = np.zeros((len(known.names),) * 2, dtype=np.int64)
    with progress_bar(not (request.quiet or request.as_json)) as progress:
        progress.describe("evaluating")
        for block in source.blocks():
            codes = known.codes_of(source, block.labels, block.start)
            answers = classifier.distances(source, block).argmin(axis=1)
            np.add.at(confusion, (codes, answers), 1)
            progress.count(int(confusion.sum()), "samples", known_total(source))
    if not confusion.any():
        raise DataError(f"{source.labels_at()}: there are no samples to evaluate; add some.")
    if request.as_json:
        write_json(summary(known.names, confusion))
    else:
        print_summary(list(map(str, known.names)), confusion)


def summary(names: list[Any], confusion: Array) -> dict[str, Any]:
    """Counts of correct answers, as JSON can hold them; rows of the matrix are the true classes."""
    right = np.diag(confusion)
    return {
        "samples": int(confusion.sum()),
        "right": int(right.sum()),
        "accuracy": float(right.sum() / confusion.sum()),
        "classes": names,
        "class_samples": confusion.sum(axis=1).tolist(),
        "class_right": right.tolist(),
        "confusion": confusion.tolist(),
    }


def print_summary(names: list[str], confusion: Array) -> None:
    """Print the accuracy, then each class, then which classes are confused."""
    right, total = int(np.trace(confusion)), int(confusion.sum())
    print_facts([("accuracy", f"{right / total:.4f} ({right:,} of {total:,} samples)")])
    table = Table("class", "samples", "right", "share")
    if len(names) <= MOST_MATRIX_CLASSES:
        for name in names:
            table.add_column(Text(f"→ {short_text(name, 20)}"))
    for column in table.columns[1:]:
        column.justify = "right"
    for j, name in enumerate(names):
        n = int(confusion[j].sum())
        cells = [f"{n}", f"{confusion[j, j]}", f"{confusion[j, j] / n:.3f}" if n else "–"]
        if len(names) <= MOST_MATRIX_CLASSES:
            cells += [str(count) if count else "·" for count in confusion[j].tolist()]
        table.add_row(Text(short_text(name, 30)), *cells)
    print_table(table)
    if len(names) > MOST_MATRIX_CLASSES:
        print_facts(most_confused(names, confusion))


def most_confused(names: list[str], confusion: Array) -> list[tuple[str, str]]:
    """Pairs of classes, true and predicted, that are confused most often, and how often."""
    wrong = confusion - np.diag(np.diag(confusion))
    most = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSED_PAIRS]
    pairs = [divmod(int(place), len(names)) for place in most]
    return [
        (f"{short_text(names[j], 30)} → {short_text(names[i], 30)}", str(wrong[j, i])) for j, i in pairs if wrong[j, i]
    ]
