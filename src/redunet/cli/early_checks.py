"""What can be refused at once: before scikit-learn is imported, which takes a second or two."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import typer

from .exit_codes import SUCCESS

# Ways to write answers.
ANSWER_FORMS = ("csv", "json")
# Types of the numbers of an exported model.
EXPORT_PRECISIONS = ("float32", "float64")


def check_early(check: Callable[[], None]) -> None:
    """Run a check; if it raises an error of the command, print that and end with its exit code."""
    from .run_command import run_command

    code = run_command(check, "interrupted.")
    if code != SUCCESS:
        raise typer.Exit(code)


@contextmanager
def starting(visible: bool) -> Iterator[None]:
    """Context in which a command is imported, with a line of progress."""
    from .progress_bar import progress_bar

    with progress_bar(visible) as progress:
        progress.describe("starting")
        yield


def check_model(model: Path) -> None:
    """Refuse a model file that is not there."""
    from .files.input_files import refuse_missing_file

    refuse_missing_file(model, "model file")


def check_answering(
    model: Path,
    data: Path,
    *,
    labels: Path | None = None,
    out: Path | None = None,
    form: str = "csv",
    plot: Path | None = None,
) -> None:
    """Refuse files that are not there, places where nothing can be written, and forms of answers that do not exist."""
    from .command_errors import UsageError, one_of
    from .files.input_files import refuse_missing_file
    from .output import place_to_write

    one_of("--format", form, ANSWER_FORMS)
    check_model(model)
    refuse_missing_file(data, "file or folder", folders=True)
    if labels is not None:
        refuse_missing_file(labels, "file of labels")
    for place, option in ((out, "-o"), (plot, "--plot")):
        if place is not None:
            place_to_write(place, (model, data, labels), option)
    if out is not None and plot is not None and out.resolve() == plot.resolve():
        raise UsageError(f"-o and --plot are both {out}; pass two names.")


def check_update(
    model: Path,
    data: Path,
    out: Path | None,
    *,
    labels: Path | None,
    delimiter: str | None,
    forget: bool,
    new_classes: bool,
) -> None:
    """Refuse options that do not go together, files that are not there or of no known kind, and places for no file."""
    from .command_errors import UsageError
    from .output import place_to_write

    if forget and new_classes:
        raise UsageError("--forget takes samples out, and --new-classes is for samples that are added; leave out one.")
    check_answering(model, data, labels=labels)
    place_to_write(out or model, (data, labels))

    from .files.open_source import format_of
    from .files.source import ReadOptions

    format_of(data, ReadOptions(True, delimiter=delimiter))


def check_merge(models: Sequence[Path], out: Path) -> None:
    """Refuse to join fewer than two models, files that are not there, and a place where no model can be written."""
    from .command_errors import UsageError
    from .output import place_to_write

    if len(models) < 2:
        raise UsageError("there is nothing to join with one model; pass at least two.")
    for model in models:
        check_model(model)
    place_to_write(out, models)


def check_export(model: Path, out: Path, precision: str) -> None:
    """Refuse a precision that does not exist, a missing model or package, and a place where nothing can be written."""
    from .command_errors import UsageError, one_of
    from .output import place_to_write

    one_of("--precision", precision, EXPORT_PRECISIONS)
    check_model(model)
    place_to_write(out, (model,))
    if find_spec("onnx") is None:
        raise UsageError("redunet export needs onnx, which is not installed; run: pip install 'redunet[onnx]'")
