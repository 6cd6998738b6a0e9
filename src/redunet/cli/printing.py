"""What commands print for people: messages, facts, tables, names cut short, curves."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..terminal.text import harmless, print_lines

if TYPE_CHECKING:  # a message is printed without them, in a tenth of the time
    from rich.table import Table

    from ..numerics.arrays import Array

BARS = "▁▂▃▄▅▆▇█"
# Points of a curve, and characters of a text.
MOST_CURVE_POINTS, MOST_TEXT_CHARACTERS = 60, 60
# Characters of a line of a table where there is no terminal.
TABLE_WIDTH = 200


def print_message(words: str, *more: str) -> None:
    """Print "redunet: " and a message on the error stream, and further lines after it."""
    print_lines([f"redunet: {words}", *more], sys.stderr)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and values on standard output, one pair to a line."""
    facts = list(facts)
    width = max((len(name) for name, _ in facts), default=0)
    print_lines((f"{name:<{width}}  {value}" for name, value in facts), sys.stdout)


def print_table(table: "Table") -> None:
    """Print a table on standard output; where there is no terminal, it is not made narrow."""
    from ..terminal.screen import Screen

    console = Screen()
    if not console.is_terminal:
        console = Screen(width=max(console.width, TABLE_WIDTH))
    console.print(table)


def short_text(text: object, longest: int = MOST_TEXT_CHARACTERS) -> str:
    """Text for a terminal without anything that moves the cursor, cut if it is long."""
    words = str(text)
    return harmless(words if len(words) <= longest else words[: longest - 1] + "…")


def short_list(names: Iterable[object], most: int = 10) -> str:
    """Names with commas between them; of many the first ones and how many there are."""
    names = list(names)
    more = f", … ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(short_text(name, 30) for name in names[:most]) + more


def sparkline(values: "Array") -> str:
    """A curve in block characters, from its lowest to its highest value."""
    import numpy as np

    values = np.asarray(values, dtype=float)
    if len(values) > MOST_CURVE_POINTS:
        values = values[np.linspace(0, len(values) - 1, MOST_CURVE_POINTS).round().astype(int)]
    low, high = float(values.min()), float(values.max())
    heights = (values - low) / ((high - low) or 1.0) * (len(BARS) - 1)
    return "".join(BARS[round(float(height))] for height in heights)
