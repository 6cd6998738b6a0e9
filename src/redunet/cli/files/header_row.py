"""Whether the first row of a table holds the names of the columns or a sample."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..command_errors import DataError, UsageError, listed
from ..command_words import command_with
from .source import ReadOptions

# Columns from which on a first row that counts 0, 1, 2, … or 1, 2, 3, … is taken for names, as pandas writes them.
LEAST_COUNTED_COLUMNS = 8
# What columns are called that have no names.
MADE_NAME = re.compile(r"c[1-9]\d*")


@dataclass(frozen=True)
class HeaderRow:
    """What the first row of a table is.

    Parameters
    ----------
    names : list of str
        Of all columns; made up where the file has none.
    is_sample : bool
        Whether row 1 is a sample.
    """

    names: list[str]
    is_sample: bool


def understand_header(
    path: Path, first: Sequence[str], second: Sequence[str] | None, options: ReadOptions
) -> HeaderRow:
    """The names of the columns, and whether row 1 is a sample; an error where it is not clear.

    Parameters
    ----------
    path : Path
    first, second : sequences of str
        The first two rows; the second is None or empty where there is none.
    options : ReadOptions
        Whose ``header`` decides, if it is given; else what the model knows, and what the rows look like.
    """
    names = [name.strip() for name in first]
    if options.header is False:
        return HeaderRow(_made_names(path, len(names), options), True)
    if options.header or not _looks_like_a_sample(names, second, options):
        return HeaderRow(names, False)
    if options.names is not None and all(map(MADE_NAME.fullmatch, options.names)):
        return HeaderRow(_made_names(path, len(names), options), True)  # as the file that the model was fitted on
    raise UsageError(_which_is_it(path, names, second, options))


def holds_only_numbers(row: Sequence[str]) -> bool:
    """Whether every cell of a row is a number."""
    return bool(row) and all(map(_is_number, row))


def _looks_like_a_sample(names: Sequence[str], second: Sequence[str] | None, options: ReadOptions) -> bool:
    if not holds_only_numbers(names) or (second and not holds_only_numbers(second)):
        return False
    if options.names is not None and set(options.names) <= set(names):
        return False
    counted = [[str(i) for i in range(start, start + len(names))] for start in (0, 1)]
    return len(names) < LEAST_COUNTED_COLUMNS or list(names) not in counted


def _made_names(path: Path, n_columns: int, options: ReadOptions) -> list[str]:
    """c1, c2, …; columns that a model knows by names of its own get these, in their order."""
    made = [f"c{i + 1}" for i in range(n_columns)]
    if options.names is None or set(options.names) <= set(made):
        return made
    left_out = {options.target, *options.ignore}
    others = [i for i, name in enumerate(made) if name not in left_out]
    if len(others) != len(options.names):
        raise DataError(
            f"{path} has no names of columns, and {len(others)} columns where the model takes {len(options.names)}: "
            f"{listed(options.names)}, in this order; leave out others with --ignore c1 (the first column) and so on, "
            f"or add a row of names."
        )
    for i, name in zip(others, options.names, strict=True):
        made[i] = name
    return made


def _which_is_it(path: Path, names: Sequence[str], second: Sequence[str] | None, options: ReadOptions) -> str:
    rows = "rows 1 and 2 hold" if second else "row 1 holds"
    message = f"{path}: {rows} only numbers, so that the names of the columns seem to be missing."
    if options.labelled:
        target = _likely_labels(names, second)
        added = ["--no-header", "--target", target]
        called = f"; the columns are then called c1 to c{len(names)}, and the labels seem to be in {target}"
    else:
        added, called = ["--no-header"], ""
    command = command_with(added, without="--target")
    works = f" This command does so: {command}" if command else ""
    return f"{message} If row 1 holds names, add --header. If row 1 is a sample, add {' '.join(added)}{called}.{works}"


def _likely_labels(first: Sequence[str], second: Sequence[str] | None) -> str:
    """The first column, unless only the last one holds whole numbers."""
    whole = [all(float(row[i]).is_integer() for row in (first, second or first)) for i in (0, -1)]
    return f"c{len(first)}" if whole == [False, True] else "c1"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # Python reads 1_000 as a number; in a file it is more often a name
