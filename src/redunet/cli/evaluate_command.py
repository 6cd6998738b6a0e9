"""``redunet evaluate``: how many answers are right, and which are taken for which."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from ..numerics.arrays import Array
from ..terminal.text import write_json
from .ending import ending_of
from .errors import WrongData
from .files.file_labels import KnownLabels
from .files.open_source import open_source
from .saved_model import Answering
from .showing import print_facts, safe, shown, tell, wide_enough

# Classes whose confusions are shown as a matrix; of more, those that are most often taken for each other.
MATRIX, MOST_CONFUSED = 12, 10


@dataclass(frozen=True)
class EvaluateRequest:
    """The words of the command line."""

    model: Path
    data: Path
    target: str | None = None
    labels: Path | None = None
    samples: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    as_json: bool = False
    quiet: bool = False


def evaluate(request: EvaluateRequest) -> int:
    """Compare answers with labels; the exit code."""
    return ending_of(lambda: evaluate_model(request), "interrupted.")


def evaluate_model(request: EvaluateRequest) -> None:
    """Count right and wrong answers, and show them."""
    answering = Answering(request.model)
    words = {"target": request.target, "labels": request.labels, "samples": request.samples}
    source = open_source(
        request.data,
        answering.wanted(labelled=True, ignore=request.ignore, delimiter=request.delimiter, **words),
    )
    if source.left_out and not request.quiet:
        tell(f"note: {request.data} has {source.left_out}; they are ignored.")
    known = KnownLabels(answering.classes)
    confusion = np.zeros((len(known.names),) * 2, dtype=np.int64)
    with shown(not (request.quiet or request.as_json)) as progress:
        progress.say("evaluating")
        for block in source.blocks():
            codes = known.codes_of(source, block.labels, block.start)
            answers = answering.distances(source, block).argmin(axis=1)
            np.add.at(confusion, (codes, answers), 1)
            progress.count(int(confusion.sum()), "samples")
    if not confusion.any():
        raise WrongData(f"{source.labels_at()}: there are no samples to evaluate; add some.")
    if request.as_json:
        found = summary(known.names, confusion)
        write_json(found)
    else:
        show(list(map(str, known.names)), confusion)


def summary(names: list[Any], confusion: Array) -> dict[str, Any]:
    """What came out, as JSON can hold it; rows of the matrix are the true classes."""
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


def show(names: list[str], confusion: Array) -> None:
    """Accuracy, then each class, then what is taken for what."""
    right, total = int(np.trace(confusion)), int(confusion.sum())
    print_facts([("accuracy", f"{right / total:.4f} ({right:,} of {total:,} samples)")])
    table = Table("class", "samples", "right", "share")
    if len(names) <= MATRIX:
        for name in names:
            table.add_column(Text(f"→ {safe(name, 20)}"))
    for column in table.columns[1:]:
        column.justify = "right"
    for j, name in enumerate(names):
        n = int(confusion[j].sum())
        cells = [f"{n}", f"{confusion[j, j]}", f"{confusion[j, j] / n:.3f}" if n else "–"]
        if len(names) <= MATRIX:
            cells += [str(count) if count else "·" for count in confusion[j].tolist()]
        table.add_row(Text(safe(name, 30)), *cells)
    wide_enough(table)
    if len(names) > MATRIX:
        wrong = confusion - np.diag(np.diag(confusion))
        most = [divmod(int(at), len(names)) for at in np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSED]]
        told = [(f"{safe(names[j], 30)} → {safe(names[i], 30)}", str(wrong[j, i])) for j, i in most if wrong[j, i]]
        print_facts(told)
