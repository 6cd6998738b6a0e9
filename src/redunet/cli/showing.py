"""What the terminal shows: progress while it works, then a table."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from ..numerics.arrays import Array
from ..terminal.screen import Screen
from ..terminal.text import harmless, say

BARS = "▁▂▃▄▅▆▇█"
# Points of a curve in the terminal, and characters of a name.
MOST_POINTS, LONGEST = 60, 60


def tell(words: str, *more: str) -> None:
    """A line on the error stream, and further lines after it."""
    say([f"redunet: {words}", *more], sys.stderr)


class Shown:
    """One line of progress: what is being done, and how far it is."""

    def __init__(self, bars: Progress) -> None:
        self.bars = bars
        self.task = bars.add_task("", total=None, told="")

    def say(self, words: str) -> None:
        """What is being done now; nobody knows how long."""
        self.bars.update(self.task, description=words, total=None, told="")

    def count(self, n: int, what: str) -> None:
        """How many samples are through."""
        self.bars.update(self.task, told=f"{n:,} {what}")

    def layer(self, n_built: int, n_layers: int, rate_reduction: float) -> None:
        """How far the network is."""
        told = f"{n_built} of {n_layers} layers, ΔR {rate_reduction:.4g} nats"
        self.bars.update(self.task, description="building", total=max(1, n_layers), completed=n_built, told=told)


@contextmanager
def shown(show: bool) -> Iterator[Shown]:
    """Progress on the error stream while it works; it is gone afterwards."""
    console = Screen(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.fields[told]}"))
    hidden = not show or not console.is_terminal
    console.quiet = hidden  # a line end is printed even by a disabled bar, in versions of rich before 14.3
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True, disable=hidden) as bars:
        yield Shown(bars)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Names and values, one pair to a line, on standard output."""
    facts = list(facts)
    width = max((len(name) for name, _ in facts), default=0)
    say((f"{name:<{width}}  {value}" for name, value in facts), sys.stdout)


def wide_enough(table: Table) -> None:
    """Print a table; where there is no terminal, as wide as it needs."""
    console = Screen()
    if not console.is_terminal:
        console = Screen(width=max(console.width, 200))
    console.print(table)


def safe(text: object, longest: int = LONGEST) -> str:
    """Text for a terminal: nothing that moves the cursor, and not too long."""
    words = str(text)
    return harmless(words if len(words) <= longest else words[: longest - 1] + "…")


def names_in_short(names: Iterable[object], most: int = 10) -> str:
    """Names in a row, the first of them if there are many."""
    names = list(names)
    more = f", … ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(safe(name, 30) for name in names[:most]) + more


def sparkline(values: Array) -> str:
    """A curve in block characters, from its lowest to its highest value."""
    values = np.asarray(values, dtype=float)
    if len(values) > MOST_POINTS:
        values = values[np.linspace(0, len(values) - 1, MOST_POINTS).round().astype(int)]
    low, high = float(values.min()), float(values.max())
    heights = (values - low) / ((high - low) or 1.0) * (len(BARS) - 1)
    return "".join(BARS[round(float(height))] for height in heights)
