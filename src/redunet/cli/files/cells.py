"""Cells of a table, which are text, as numbers."""

import math
from collections.abc import Sequence
from itertools import chain

import numpy as np

from ...inputs.largest_value import LARGEST_VALUE
from ...numerics.arrays import Array
from ..command_errors import shortened

# How spreadsheets and programs write that there is nothing.
MISSING_VALUES = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "?", "#n/a"})


def numbers_of(rows: Sequence[Sequence[str]], n_columns: int) -> Array | None:
    """Numbers of rows of text, shape (n_rows, n_columns); None if any cell is not a number that can be used."""
    cells = list(chain.from_iterable(rows))
    if "_" in "".join(cells):  # Python reads 1_000 as a number; in a file it is more often a name
        return None
    try:
        numbers = np.fromiter(map(float, cells), np.float64, count=len(cells))
    except ValueError:
        return None
    return numbers.reshape(len(rows), n_columns) if usable(numbers) else None


def usable(numbers: Array) -> bool:
    """Whether all numbers are finite and can be squared and added up."""
    largest = np.abs(numbers).max(initial=0.0)
    return bool(largest <= LARGEST_VALUE)  # false for NaN


def first_wrong(rows: Sequence[Sequence[str]]) -> tuple[int, int, str] | None:
    """Row, column and complaint of the first cell that is not a number that can be used."""
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            complaint = complaint_of(cell)
            if complaint is not None:
                return i, j, complaint
    return None


def usable_rows(rows: Sequence[Sequence[str]], n_columns: int) -> tuple[Array, dict[int, tuple[int, str]]]:
    """Numbers of rows of text, NaN for rows with a wrong cell; and column and complaint of the first one in each."""
    numbers = np.full((len(rows), n_columns), np.nan)
    wrong: dict[int, tuple[int, str]] = {}
    for i, row in enumerate(rows):
        found = numbers_of([row], n_columns)
        if found is not None:
            numbers[i] = found[0]
            continue
        first = first_wrong([row])
        assert first is not None
        wrong[i] = first[1:]
    return numbers, wrong


def complaint_of(cell: str) -> str | None:
    """What is wrong with a cell and what helps; None if it is a number."""
    text = cell.strip()
    if text.lower() in MISSING_VALUES:
        subject = "empty cell" if not text else f"{text!r} is no value"
        return f"{subject}; fill it in, or remove the row"
    try:
        if "_" in text:
            raise ValueError
        return complaint_of_number(float(text))
    except ValueError:
        point = text.replace(",", ".", 1)
        if "," in text and _is_number(point):
            return f"{text!r} is not a number; write decimals with a point: {point}"
        return f"{shortened(text)} is not a number; correct it"


def complaint_of_number(number: float) -> str | None:
    """What is wrong with a number and what helps; None if it can be used."""
    if math.isnan(number):
        return "nan is no value; fill it in, or remove the row"
    if not math.isfinite(number):
        return f"{number:g} is not finite; correct it"
    if abs(number) > LARGEST_VALUE:
        return f"{number:g} is above {LARGEST_VALUE:g}; scale the column"
    return None


def fits_single_precision(numbers: Array) -> bool:
    """Whether numbers can be written in single precision."""
    return bool(np.abs(numbers).max(initial=0.0) <= np.finfo(np.float32).max)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
