"""A line of progress on the error stream while a command works."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ..terminal.screen import Screen


class ProgressBar:
    """One line of progress: what is being done, and how far it is.

    Parameters
    ----------
    bars : rich.progress.Progress
    """

    def __init__(self, bars: Progress) -> None:
        self.bars = bars
        self.task = bars.add_task("", total=None, detail="")
        self.start = time.monotonic()

    def describe(self, words: str) -> None:
        """Show what is being done now; nobody knows how long it takes."""
        self.start = time.monotonic()
        self.bars.update(self.task, description=words, total=None, completed=0, detail="")

    def count(self, n: int, what: str, total: int | None = None) -> None:
        """Show how many samples (or arrays) are done, of how many if that is known, and how many in a second."""
        of_all = "" if total is None else f" of {total:,}"
        rate = n / max(time.monotonic() - self.start, 1e-9)
        detail = f"{n:,}{of_all} {what}, {rate:,.0f} per second"
        self.bars.update(self.task, total=total, completed=n, detail=detail)

    def layer(self, n_built: int, n_layers: int, rate_reduction: float) -> None:
        """Show how many layers of the network are built."""
        detail = f"{n_built} of {n_layers} layers, ΔR {rate_reduction:.4g} nats"
        self.bars.update(self.task, description="building", total=max(1, n_layers), completed=n_built, detail=detail)

    def epoch(
        self, stage: str, number: int, n_epochs: int, loss: float, accuracy: float, start_accuracy: float
    ) -> None:
        """Show how far a training is, its loss, and the accuracy on samples held out beside that of the start.

        The accuracies are NaN where no samples are held out; the stage says which.
        """
        seen = "" if math.isnan(accuracy) else f", held out {accuracy:.4f} (start {start_accuracy:.4f})"
        detail = f"epoch {number} of {n_epochs}, loss {loss:.4f}{seen}"
        self.bars.update(self.task, description=f"training, {stage}", total=n_epochs, completed=number, detail=detail)


@contextmanager
def progress_bar(visible: bool) -> Iterator[ProgressBar]:
    """Context with a line of progress on the error stream, which disappears at the end; terminals only."""
    console = Screen(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.fields[detail]}"))
    hidden = not visible or not console.is_terminal
    console.quiet = hidden  # a line end is printed even by a disabled bar, in versions of rich before 14.3
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True, disable=hidden) as bars:
        yield ProgressBar(bars)
