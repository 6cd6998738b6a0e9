"""``redunet reproduce``: runs experiments of the paper and prints what they give."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ..experiments.all_experiments import EXPERIMENTS
from ..experiments.experiment import Experiment, Setting, Size
from ..experiments.running import StoredResult, run_experiment, stored_result, write_report
from ..inputs.suggestions import did_you_mean
from ..terminal.progress import watching
from ..terminal.screen import Screen
from ..terminal.text import print_lines, write_json
from .exit_codes import FAILURE, INTERRUPTED, SUCCESS, USAGE


@dataclass(frozen=True)
class Request:
    """What ``redunet reproduce`` was asked for, as on the command line."""

    names: list[str]
    everything: bool
    size: str
    data_dir: Path | None
    out: Path
    seed: int
    again: bool


def reproduce(request: Request, *, show: bool, as_json: bool) -> int:
    """Run what was asked for, write the page, and return the exit code."""
    errors = Screen(stderr=True)
    wrong = wrong_words(request)
    if wrong:
        errors.print(f"redunet: {wrong}")
        return USAGE
    wanted, left_out = chosen(request)
    try:
        request.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        errors.print(f"redunet: cannot write to {request.out}: {error.strerror}; pass another --out.")
        return USAGE
    finished: list[StoredResult] = []
    code = SUCCESS
    with progress_bars(wanted, errors, show) as bars:
        for experiment in wanted:
            try:
                finished.append(run_one(experiment, request, bars))
            except KeyboardInterrupt:
                errors.print("redunet: interrupted; what is finished is kept, and the same command goes on.")
                code = INTERRUPTED
                break
            except Exception as error:
                code = FAILURE
                why = str(error) if isinstance(error, (OSError, ValueError)) else traceback.format_exc()
                errors.print(f"redunet: {experiment.name} failed: {why}")
    if finished:
        page = write_report(request.out)
        if as_json:
            rows = [{"experiment": one.name, "seconds": one.seconds, "rows": one.rows} for one in finished]
            write_json(rows)
        elif show:
            Screen(width=max(Screen().width, 110)).print(table_of(finished))
            print_lines([f"Page: {page.resolve()}"], sys.stdout)
    if left_out and show:
        names = ", ".join(left_out)
        errors.print(f"Not run, for want of data or PyTorch: {names}. They run with --all, or by name.")
    return code


def wrong_words(request: Request) -> str | None:
    """What is wrong with the command line, with a remedy; None if nothing is."""
    for name in request.names:
        if name not in EXPERIMENTS:
            return f"there is no experiment {name!r}.{did_you_mean(name, EXPERIMENTS)} `redunet list` shows all."
    if request.names and request.everything:
        return "--all runs everything; leave out the names, or --all."
    if request.size not in get_args(Size):
        return f"--size must be one of {', '.join(get_args(Size))}, got {request.size!r}."
    if request.data_dir is not None and not request.data_dir.is_dir():
        return f"--data-dir {request.data_dir} is not a folder."
    return None


def chosen(request: Request) -> tuple[list[Experiment], list[str]]:
    """Experiments to run, and names of those that were left out because their data are not at hand."""
    if request.names:
        return [EXPERIMENTS[name] for name in dict.fromkeys(request.names)], []
    if request.everything:
        return list(EXPERIMENTS.values()), []
    here = [one for one in EXPERIMENTS.values() if one.needs is None]
    return here, [one.name for one in EXPERIMENTS.values() if one.needs is not None]


class Bars:
    """One bar for the experiments, one for the layers of the network that is being built."""

    def __init__(self, bars: Progress, n_experiments: int) -> None:
        self.bars = bars
        self.all = bars.add_task("experiments", total=n_experiments, detail="")
        self.layers = bars.add_task("", total=None, visible=False, detail="")

    def start(self, experiment: Experiment) -> None:
        """Show the name of the experiment that runs now."""
        self.name = experiment.name
        self.bars.update(self.all, description=experiment.name)

    def say(self, words: str) -> None:
        """Show what the experiment is doing."""
        self.bars.update(self.all, description=f"{self.name}: {words}")

    def layer(self, n_built: int, n_layers: int, rate_reduction: float) -> None:
        """Show how many layers of the network are built."""
        detail = f"ΔR {rate_reduction:.4g} nats"
        self.bars.update(
            self.layers,
            description="layers",
            total=n_layers,
            completed=n_built,
            visible=n_built < n_layers,
            detail=detail,
        )

    def stop(self) -> None:
        """Show that one more experiment is done."""
        self.bars.update(self.layers, visible=False)
        self.bars.advance(self.all)


@contextmanager
def progress_bars(wanted: list[Experiment], errors: Screen, show: bool) -> Iterator[Bars]:
    """Context with bars on the error stream while the experiments run."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:.0f}/{task.total:.0f}"))
    # Bars that are not shown get a console that is silent: before rich 14.3 even disabled ones print a line end.
    console = errors if show else Screen(stderr=True)
    console.quiet = not show
    with Progress(
        *columns,
        TextColumn("{task.fields[detail]}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not show,
    ) as bars:
        yield Bars(bars, len(wanted))


def run_one(experiment: Experiment, request: Request, bars: Bars) -> StoredResult:
    """Result of an experiment: the stored one, or that of a new run."""
    size: Any = request.size
    setting = Setting(size, request.seed, request.data_dir, bars.say)
    bars.start(experiment)
    found = None if request.again else stored_result(experiment, setting, request.out)
    if found is None:
        if experiment.find is not None:
            bars.say(f"looking for {experiment.needs}")
            experiment.find(request.data_dir, True)  # raises, with the ways to get the data, before any work
        with watching(bars.layer):
            found = run_experiment(experiment, setting, request.out)
    bars.stop()
    return found


def table_of(finished: list[StoredResult]) -> Table:
    """The results of the experiments as a table, as on the page."""
    table = Table("experiment", "quantity", "paper", "published", "ours", "time")
    for column in table.columns[2:]:
        column.justify = "right"
    for one in finished:
        for i, row in enumerate(one.rows):
            numbers = [_number(row[name], row["whole"]) for name in ("paper", "published", "ours")]
            first = not i
            table.add_row(
                one.name if first else "", row["quantity"], *numbers, f"{one.seconds:.1f} s" if first else "",
                end_section=i == len(one.rows) - 1,
            )  # fmt: skip
    return table


def _number(value: float | None, whole: bool) -> str:
    """A number as on the page: counts are whole, shares have three decimals."""
    if value is None:
        return "–"
    return f"{value:.0f}" if whole else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"
