"""``redunet explain``: why samples get their answers, a block of samples at a time."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..estimators.explanation import Explanation
from ..inputs.suggestions import did_you_mean
from ..numerics.arrays import Array
from .command_errors import UsageError, one_of, shortened
from .early_checks import ANSWER_FORMS
from .explanation_picture import draw_explanation, refuse_undrawable
from .files.file_labels import is_whole_text, plain
from .files.open_source import open_source
from .files.source import Block, Source, places
from .output import place_to_write, written
from .predict_command import csv_text, exact_bytes
from .printing import print_message
from .progress_bar import progress_bar
from .run_command import run_command
from .saved_model import SavedClassifier

# Digits of a share.
SHARE_DIGITS = 6


@dataclass(frozen=True)
class ExplainRequest:
    """What ``redunet explain`` was asked for, as on the command line."""

    model: Path
    data: Path
    out: Path | None = None
    form: str = "csv"
    row: str | None = None
    top: int = 5
    plot: Path | None = None
    samples: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    header: bool | None = None
    quiet: bool = False


@dataclass(frozen=True)
class Reason:
    """Why a sample gets its answer.

    Parameters
    ----------
    place : int or str
        Of the sample, in the file's own count.
    answer, second : label
        The nearest class and the one after it.
    difference : float
        How much farther the second class is.
    strongest : list of (str, float)
        Columns or positions, and the share of each in the difference, largest share first whatever its sign.
    """

    place: int | str
    answer: Any
    second: Any
    difference: float
    strongest: list[tuple[str, float]]


def explain(request: ExplainRequest) -> int:
    """Write why samples get their answers, and return the exit code."""
    left = "what was printed is not complete" if request.out is None else f"{request.out} was not written"
    return run_command(lambda: explain_samples(request), f"interrupted; {left}.")


def explain_samples(request: ExplainRequest) -> None:
    """Write one line for each sample, and draw the first one if that is asked for."""
    one_of("--format", request.form, FORMS)
    inputs = (request.model, request.data)
    out = None if request.out is None else place_to_write(request.out, inputs)
    picture = None if request.plot is None else place_to_write(request.plot, inputs, "--plot")
    classifier = SavedClassifier(request.model)
    if picture is not None:
        refuse_undrawable(classifier.model.sample_shape_)
    words = {"samples": request.samples, "ignore": request.ignore, "delimiter": request.delimiter}
    source = open_source(request.data, classifier.read_options(labelled=False, header=request.header, **words))
    if source.left_out and not request.quiet:
        print_message(f"note: {request.data} has {source.left_out}; they are ignored.")
    names = value_names(classifier.model.sample_shape_, source.names)
    n_top = min(request.top, len(names))
    n_samples = 0
    with progress_bar(not request.quiet) as progress, written(out) as file:
        progress.describe("explaining")
        if request.form == "csv":
            file.write(exact_bytes(csv_header(source.heading, n_top)))
        for block in chosen_blocks(source, request):
            why = classifier.explain(source, block)
            reasons = reasons_of(why, places(source, block), names, n_top)
            file.write(exact_bytes(FORMS[request.form](source.heading, reasons)))
            if picture is not None and not n_samples:
                draw_explanation(picture, block.samples[0], why, names, f"{source.heading} {places(source, block)[0]}")
            n_samples += len(reasons)
            progress.count(n_samples, "samples")
    if not n_samples and not request.quiet:
        print_message(f"note: {request.data} has no samples.")


def chosen_blocks(source: Source, request: ExplainRequest) -> Iterator[Block]:
    """All samples, or the one that was asked for; an error if it is not there."""
    if request.row is None:
        yield from source.blocks()
        return
    known: list[str] = []
    for block in source.blocks():
        known = [*known[:1], *map(str, places(source, block))]
        if request.row in known:
            i = list(map(str, places(source, block))).index(request.row)
            yield replace(block, start=block.start + i, samples=block.samples[i : i + 1], labels=[])
            return
    there = f"they go from {shortened(known[0])} to {shortened(known[-1])}" if known else "it has none"
    guess = did_you_mean(request.row, known) if known and not known[0].isdecimal() else ""
    raise UsageError(f"--row {request.row}: {request.data} has no such {source.heading}; {there}.{guess}")


def value_names(shape: tuple[int, ...], columns: Sequence[str] | None) -> list[str]:
    """What the values of a sample are called: columns of a table by their names, else positions, counted from 0."""
    n_values = math.prod(shape)
    if columns is not None and len(columns) == n_values:
        return list(columns)
    if len(shape) == 1:
        return [f"feature {i}" for i in range(n_values)]
    axes = {1: ("position",), 2: ("row", "column")}.get(len(shape) - 1)
    found: list[str] = []
    for channel, *place in np.ndindex(shape):
        words = [f"channel {channel}"] if shape[0] > 1 else []
        if axes is None:
            words.append(f"position {' '.join(map(str, place))}")
        else:
            words += [f"{axis} {i}" for axis, i in zip(axes, place, strict=True)]
        found.append(", ".join(words))
    return found


def reasons_of(why: Explanation, at: Sequence[int | str], names: Sequence[str], n_top: int) -> list[Reason]:
    """Explanations of the model, sample by sample.

    Parameters
    ----------
    why : Explanation
        Of the samples.
    at : sequence of int or str
        Place of each sample.
    names : sequence of str
        Of the values of a sample.
    n_top : int
        How many of them are given.
    """
    shares: Array = np.asarray(why.positions).reshape(len(at), -1)
    order = np.argsort(-np.abs(shares), axis=1, kind="stable")[:, :n_top]
    found: list[Reason] = []
    for i, place in enumerate(at):
        strongest = [(names[j], _rounded(shares[i, j])) for j in order[i].tolist()]
        pair = plain(why.nearest[i]), plain(why.other[i])
        found.append(Reason(place, *pair, _rounded(why.difference[i]), strongest))
    return found


def csv_header(heading: str, n_top: int) -> str:
    """First line of a CSV file."""
    pairs = [name for i in range(1, n_top + 1) for name in (f"strongest {i}", f"share {i}")]
    return csv_text([[heading, "prediction", "second", "difference", *pairs]])


def csv_lines(heading: str, reasons: Sequence[Reason]) -> str:
    """Rows of a CSV file."""
    return csv_text(
        [one.place, one.answer, one.second, one.difference, *(part for pair in one.strongest for part in pair)]
        for one in reasons
    )


def json_lines(heading: str, reasons: Sequence[Reason]) -> str:
    """One JSON object to a line."""
    lines = []
    for one in reasons:
        strongest = [{"name": name, "share": share} for name, share in one.strongest]
        found = {heading: one.place, "prediction": one.answer, "second": one.second, "difference": one.difference}
        text = json.dumps({**found, "strongest": strongest}, ensure_ascii=False)
        lines.append(text if is_whole_text(text) else json.dumps({**found, "strongest": strongest}))
    return "".join(f"{line}\n" for line in lines)


def _rounded(number: float) -> float:
    return float(f"{number:.{SHARE_DIGITS}g}")


FORMS: dict[str, Callable[[str, Sequence[Reason]], str]] = dict(zip(ANSWER_FORMS, (csv_lines, json_lines), strict=True))
