"""``redunet bench``: the speed on this machine, as a table or as JSON."""

from rich.table import Table

from ..bench import speed
from ..terminal.screen import Screen
from ..terminal.text import write_json
from .exit_codes import SUCCESS

# Columns of a terminal that the table needs.
TABLE_WIDTH = 150


def bench(*, quick: bool, repeats: int, as_json: bool) -> int:
    """Measure the speed, print the results, and return the exit code."""
    results = []
    with Screen(stderr=True).status("measuring …") as status:
        for result in speed.measure(quick=quick, repeats=repeats):
            results.append(result)
            status.update(f"measuring … last: {result.what} ({result.setting}): {result.value:.4g} {result.unit}")
    if as_json:
        write_json([result.as_dict() for result in results])
    else:
        Screen(width=max(Screen().width, TABLE_WIDTH)).print(table_of(results))
    return SUCCESS


def table_of(results: list[speed.Measurement]) -> Table:
    """Measurements as a table, one to a row."""
    table = Table("what", "setting", "median", "range", "bar", "", "note")
    for result in results:
        span = f"{result.low:.4g} to {result.high:.4g}" if result.low != result.high else ""
        value = f"{result.value:.4g} {result.unit}".strip()
        table.add_row(result.what, result.setting, value, span, result.bar, "✓" if result.met else "✗", result.note)
    return table
