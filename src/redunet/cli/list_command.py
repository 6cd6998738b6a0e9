"""``redunet list``: the experiments of the paper, and whether their data are at hand."""

from pathlib import Path
from typing import Any

from rich.table import Table

from ..experiments.all_experiments import EXPERIMENTS
from ..terminal.screen import Screen
from ..terminal.text import write_json
from .exit_codes import SUCCESS


def list_experiments(data_dir: Path | None, *, as_json: bool) -> int:
    """Print the experiments and return the exit code; nothing is downloaded."""
    experiments = [
        {
            "name": experiment.name,
            "title": experiment.title,
            "needs": experiment.needs or "",
            "ready": experiment.missing(data_dir, download=False) is None,
        }
        for experiment in EXPERIMENTS.values()
    ]
    if as_json:
        write_json(experiments)
    else:
        Screen().print(table_of(experiments))
    return SUCCESS


def table_of(experiments: list[dict[str, Any]]) -> Table:
    """Experiments as a table, one to a row."""
    table = Table("name", "what", "data")
    for one in experiments:
        data = f"{one['needs']}{'' if one['ready'] else ' (not here)'}" or "come along"
        table.add_row(one["name"], one["title"], data)
    return table
