"""CSV and TSV files, a block of rows at a time."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .cells import first_wrong, numbers_of
from .columns import Columns, choose_columns
from .mistakes import WrongData, listed
from .source import Block, Wanted, rows_per_block

DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
# Text takes several times the memory of the numbers that it stands for, so less of it than a block is read at once.
CELLS_AT_ONCE = 200_000
NAMES = {"\t": "a tab", ";": "';'", ",": "','", "|": "'|'", " ": "a space"}


class CsvRows:
    """A table in a text file, whose first row holds the names of the columns.

    Parameters
    ----------
    path : Path
    wanted : Wanted
    delimiter : str
    """

    heading = "row"

    def __init__(self, path: Path, wanted: Wanted, delimiter: str) -> None:
        self.path, self.delimiter, self.wanted = path, delimiter, wanted
        with self._rows() as rows:
            header = next(rows, None)
        if not header:
            raise WrongData(f"{path} is empty; its first row must hold the names of the columns.")
        self.header = [name.strip() for name in header]
        self._refuse_another_delimiter()
        self.columns: Columns = choose_columns(path, self.header, wanted)
        self.names: tuple[str, ...] | None = self.columns.names
        self.shape: tuple[int, ...] = (len(self.columns.names),)
        unused = self.columns.unused
        self.left_out = f"columns that the model does not use: {listed(unused)}" if unused else ""

    def place(self, i: int) -> int:
        """Row as in a spreadsheet, where the header is row 1."""
        return i + 2

    def where(self, i: int) -> str:
        """File and row."""
        return f"{self.path}, row {self.place(i)}"

    def labels_at(self) -> str:
        """File and column."""
        return f"{self.path}, column {self.wanted.target!r}"

    def blocks(self) -> Iterator[Block]:
        """All rows, from the beginning."""
        n_rows = rows_per_block(len(self.columns.names))
        with self._rows() as rows:
            next(rows)
            start = 0
            while True:
                numbers: list[Array] = []
                labels: list[str] = []
                n_read = 0
                for part in self._parts(rows, n_rows, start):
                    numbers.append(self._numbers(part, start + n_read))
                    if self.columns.target is not None:
                        labels += self._labels(part, start + n_read)
                    n_read += len(part)
                if not n_read:
                    return
                yield Block(start, np.concatenate(numbers), labels)
                start += n_read

    def _parts(self, rows: Iterator[list[str]], n_rows: int, start: int) -> Iterator[list[list[str]]]:
        """Rows of one block, in parts whose text takes little memory; each with as many fields as the header."""
        at_once = max(1, CELLS_AT_ONCE // len(self.header))
        n_left = n_rows
        while n_left:
            part = list(islice(rows, min(at_once, n_left)))
            if any(len(row) != len(self.header) for row in part):
                part = self._whole_rows(part, rows, start + n_rows - n_left)
            if part:
                yield part
            n_left -= len(part)
            if len(part) < min(at_once, n_left + len(part)):
                return

    def _whole_rows(self, part: list[list[str]], rows: Iterator[list[str]], start: int) -> list[list[str]]:
        """The part without empty lines at the end of the file; or an error about the first row that is not whole."""
        for i, row in enumerate(part):
            if len(row) == len(self.header):
                continue
            if not row and not any(part[i:]) and not any(rows):
                return part[:i]
            where = self.where(start + i)
            if not row:
                raise WrongData(f"{where}: the row is empty; remove it, or fill it in.")
            remedy = (
                f"add what is missing (an empty field must be there, too), or quote a field that goes on in the next "
                f"row; the columns are {listed(self.header)}"
                if len(row) < len(self.header)
                else f"quote values that contain {NAMES.get(self.delimiter, repr(self.delimiter))}"
            )
            raise WrongData(f"{where}: {len(row)} fields, but row 1 names {len(self.header)} columns; {remedy}.")
        return part

    def _numbers(self, rows: list[list[str]], start: int) -> Array:
        positions = self.columns.positions
        cells: Sequence[Sequence[str]] = rows
        if positions != tuple(range(len(self.header))):
            pick = itemgetter(*positions)
            cells = [pick(row) for row in rows] if len(positions) > 1 else [(pick(row),) for row in rows]
        found = numbers_of(cells, len(positions))
        if found is not None:
            return found
        wrong = first_wrong(cells)
        assert wrong is not None
        i, j, complaint = wrong
        name = self.columns.names[j]
        other = "" if self.wanted.shape is not None else f", or leave the column out with --ignore {name}"
        raise WrongData(f"{self.where(start + i)}, column {name!r}: {complaint}{other}.")

    def _labels(self, rows: list[list[str]], start: int) -> list[str]:
        assert self.columns.target is not None
        labels = [row[self.columns.target].strip() for row in rows]
        if "" in labels:
            where = self.where(start + labels.index(""))
            raise WrongData(
                f"{where}, column {self.wanted.target!r}: the label is empty; fill it in, or remove the row."
            )
        return labels

    def _refuse_another_delimiter(self) -> None:
        """One column whose name holds a usual delimiter is several columns."""
        if len(self.header) > 1:
            return
        for other in ("\t", ";", ",", "|"):
            if other in self.header[0]:
                shown = "'\\t'" if other == "\t" else f"'{other}'"
                raise WrongData(
                    f"{self.path}, row 1: one column, {self.header[0][:60]!r}; the file seems to be separated by "
                    f"{NAMES[other]}, pass --delimiter {shown}."
                )

    @contextmanager
    def _rows(self) -> Iterator[Any]:
        """Rows of text; mistakes of the format are told with the file."""
        reader: Any = None
        n_whole = 0

        def counted() -> Iterator[list[str]]:
            nonlocal n_whole
            for row in reader:
                n_whole += 1
                yield row

        try:
            with open(self.path, encoding="utf-8-sig", newline="") as file:
                reader = csv.reader(file, delimiter=self.delimiter, strict=True, skipinitialspace=self.delimiter != " ")
                yield counted()
        except UnicodeDecodeError as error:
            raise WrongData(
                f"{self.path} is not UTF-8 text (after row {n_whole}: byte 0x{error.object[error.start]:02x}); save it "
                f"as CSV in UTF-8."
            ) from None
        except csv.Error as error:
            raise WrongData(
                f"{self.path}, row {n_whole + 1}: a quoted field is not closed, or has text after its closing quote "
                f"({error}); write a quote inside a field twice."
            ) from None
