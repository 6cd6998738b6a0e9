"""CSV and TSV files, packed with gzip or not, a block of rows at a time."""

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import IO

import numpy as np

from ...numerics.arrays import Array
from ..command_errors import DataError, UsageError, listed, shortened
from .cells import first_wrong, numbers_of, usable_rows
from .columns import Columns, choose_columns, how_to_leave_out
from .header_row import HeaderRow, holds_only_numbers, understand_header
from .input_files import open_file
from .plain_text import PlainBlocks, PlainTable
from .source import Block, FileFormat, ReadOptions, rows_per_block
from .unpacked_file import PACKED_ENDING, is_packed, unpacked

DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
# Text takes several times the memory of the numbers that it stands for, so less of it than a block is read at once.
CELLS_AT_ONCE, CHARACTERS_AT_ONCE = 200_000, 16_000_000
# A network of so many features would take more memory than there is, and a number has some 20 characters.
MOST_COLUMNS, MOST_ROW_CHARACTERS = 4_000_000, 80_000_000
# Rows whose length says about how many there are in a file.
ROWS_TO_JUDGE_BY = 100
DELIMITER_NAMES = {"\t": "a tab", ";": "';'", ",": "','", "|": "'|'", " ": "a space"}


class TextRows:
    """Rows of an open text file, none of which takes more memory than a row of a usable table does.

    Parameters
    ----------
    path : Path
        For messages.
    file : text file
    delimiter : str
    n_before : int
        Rows of the file before those.

    Attributes
    ----------
    n_rows : int
        Rows that were read, and those before.
    n_characters : int
        Characters of all of them.
    """

    def __init__(self, path: Path, file: IO[str], delimiter: str, n_before: int = 0) -> None:
        self.path, self.file, self.delimiter = path, file, delimiter
        self.n_rows, self.n_characters = n_before, 0
        self._row_characters = self._row_delimiters = 0
        self._reader = csv.reader(self._lines(), delimiter=delimiter, strict=True, skipinitialspace=delimiter != " ")

    def __iter__(self) -> "TextRows":
        return self

    def __next__(self) -> list[str]:
        self._row_characters = self._row_delimiters = 0
        try:
            row = next(self._reader)
        except csv.Error as error:
            raise DataError(f"{self._where()}: {self._complaint(error)}.") from None
        self.n_rows += 1
        return row

    def _lines(self) -> Iterator[str]:
        """Lines of the file; a quoted field can go on in the next line, so that several can make one row."""
        while line := self.file.readline(MOST_ROW_CHARACTERS + 1):
            self.n_characters += len(line)
            self._row_characters += len(line)
            self._row_delimiters += line.count(self.delimiter)
            if self._row_characters > MOST_ROW_CHARACTERS or self._row_delimiters >= MOST_COLUMNS:
                raise DataError(
                    f"{self._where()}: the row goes on after {MOST_ROW_CHARACTERS:,} characters or {MOST_COLUMNS:,} "
                    f"fields, which is no table that a model could be fitted on; end each row with a line end."
                )
            if "\0" in line:
                raise DataError(
                    f"{self._where()}: the row holds a zero byte, which text does not have; save the file as CSV in "
                    f"UTF-8."
                )
            yield line

    def _where(self) -> str:
        return f"{self.path}, row {self.n_rows + 1}"

    def _complaint(self, error: csv.Error) -> str:
        longest = csv.field_size_limit()
        if self._row_characters > longest:
            return (
                f"a field is longer than {longest:,} characters, or its opening quote has no closing one ({error}); "
                f"write a quote inside a field twice, and leave out columns of long text"
            )
        return (
            f"a quoted field is not closed, or has text after its closing quote ({error}); write a quote inside a "
            f"field twice"
        )


class CsvRows:
    """A table in a text file, whose first row holds the names of the columns unless the options say otherwise.

    Parameters
    ----------
    path : Path
    options : ReadOptions
    """

    heading = "row"
    counts_exactly = False

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.path, self.options = path, options
        self.delimiter = self._delimiter()
        self.first = self._read_header()
        self.header = self.first.names
        self.columns: Columns = choose_columns(path, self.header, options)
        self.names: tuple[str, ...] | None = self.columns.names
        self.shape: tuple[int, ...] = (len(self.columns.names),)
        unused = self.columns.unused
        self.left_out = f"columns that the model does not use: {listed(unused)}" if unused else ""

    def place(self, i: int) -> int:
        """Row of sample i as in a spreadsheet, where the header is row 1 if there is one."""
        return i + (1 if self.first.is_sample else 2)

    def where(self, i: int) -> str:
        """File and row of sample i."""
        return f"{self.path}, row {self.place(i)}"

    def labels_at(self) -> str:
        """File and column of the labels."""
        return f"{self.path}, column {self.options.target!r}"

    def expected_samples(self) -> int:
        """About how many rows there are, judged by the length of the first ones; fewer where the file is packed."""
        with self._rows() as rows:
            if not self.first.is_sample:
                next(rows, None)
            n_before, characters_before = rows.n_rows, rows.n_characters
            for _ in islice(rows, ROWS_TO_JUDGE_BY):
                pass
            n_characters = rows.n_characters - characters_before
            return int((rows.n_rows - n_before) * self.path.stat().st_size / max(1, n_characters))

    def blocks(self) -> Iterator[Block]:
        """All rows, from the beginning."""
        n_rows = rows_per_block(len(self.columns.names))
        n_read = offset = 0
        if self._may_be_plain():
            plain = PlainBlocks(self._plain_table(), n_rows)
            yield from plain
            if plain.at_end:
                return
            n_read, offset = plain.n_read, plain.offset
        with self._rows_after(n_read, offset) if n_read else self._rows() as rows:
            yield from self._any_blocks(rows, n_rows, n_read)

    def _may_be_plain(self) -> bool:
        """Whether the file is text as it lies there, so that a faster reader may try it first."""
        return not is_packed(self.path)

    def _plain_table(self) -> PlainTable:
        columns = self.columns
        return PlainTable(
            self.path, self.delimiter, self.header, columns.positions, columns.target, not self.first.is_sample
        )

    def _any_blocks(self, rows: TextRows, n_rows: int, start: int) -> Iterator[Block]:
        """Blocks of rows of any kind, from sample ``start`` on; before the first one there is the header, if any."""
        if not start and not self.first.is_sample and [name.strip() for name in next(rows, [])] != self.header:
            raise DataError(f"{self.path} was changed while it was read; start again when it is complete.")
        while True:
            numbers: list[Array] = []
            labels: list[str] = []
            complaints: dict[int, str] = {}
            n_read = 0
            for part in self._parts(rows, n_rows, start):
                found, wrong = self._numbers(part, start + n_read)
                numbers.append(found)
                complaints |= {n_read + i: complaint for i, complaint in wrong.items()}
                if self.columns.target is not None:
                    labels += self._labels(part, start + n_read)
                n_read += len(part)
            if not n_read:
                return
            yield Block(start, np.concatenate(numbers), labels, complaints)
            start += n_read

    def _parts(self, rows: TextRows, n_rows: int, start: int) -> Iterator[list[list[str]]]:
        """Rows of one block, in parts whose text takes little memory; each with as many fields as the header."""
        at_once = max(1, CELLS_AT_ONCE // len(self.header))
        n_left = n_rows
        while n_left:
            part, at_end = self._part(rows, min(at_once, n_left), start + n_rows - n_left)
            if part:
                yield part
            n_left -= len(part)
            if at_end:
                return

    def _part(self, rows: TextRows, n_rows: int, start: int) -> tuple[list[list[str]], bool]:
        """The next rows, fewer than asked for if their text is long; and whether they are the last."""
        part: list[list[str]] = []
        last_character = rows.n_characters + CHARACTERS_AT_ONCE
        for row in rows:
            part.append(row)
            if len(row) != len(self.header):  # refused now: the next rows may be wrong, too, and long
                return self._whole_rows(part, rows, start), True
            if len(part) == n_rows or rows.n_characters > last_character:
                return part, False
        return part, True

    def _whole_rows(self, part: list[list[str]], rows: TextRows, start: int) -> list[list[str]]:
        """The part without its last row if only empty lines follow; or an error about that row, which is not whole."""
        *whole, row = part
        if not row and not any(rows):
            return whole
        where = self.where(start + len(whole))
        if not row:
            raise DataError(f"{where}: the row is empty; remove it, or fill it in.")
        remedy = self._remedy_for_few_fields() if len(row) < len(self.header) else self._remedy_for_many_fields()
        columns = f"row 1 {'has' if self.first.is_sample else 'names'} {len(self.header)} columns"
        raise DataError(f"{where}: {len(row)} fields, but {columns}; {remedy}.")

    def _remedy_for_few_fields(self) -> str:
        return (
            f"add what is missing (an empty field must be there, too), or quote a field that goes on in the next row; "
            f"the columns are {listed(self.header)}"
        )

    def _remedy_for_many_fields(self) -> str:
        return f"quote values that contain {DELIMITER_NAMES.get(self.delimiter, repr(self.delimiter))}"

    def _numbers(self, rows: list[list[str]], start: int) -> tuple[Array, dict[int, str]]:
        """Numbers of rows, and what is wrong with rows that have none; an error where such rows are not to be kept."""
        positions = self.columns.positions
        cells: Sequence[Sequence[str]] = rows
        if positions != tuple(range(len(self.header))):
            pick = itemgetter(*positions)
            cells = [pick(row) for row in rows] if len(positions) > 1 else [(pick(row),) for row in rows]
        found = numbers_of(cells, len(positions))
        if found is not None:
            return found, {}
        if self.options.keep_bad_rows:
            kept, complaints = usable_rows(cells, len(positions))
            return kept, {
                i: f"column {shortened(self.columns.names[j])}: {text}" for i, (j, text) in complaints.items()
            }
        wrong = first_wrong(cells)
        assert wrong is not None
        i, j, complaint = wrong
        name = self.columns.names[j]
        other = "" if self.options.shape is not None else f", or {how_to_leave_out(name)}"
        raise DataError(f"{self.where(start + i)}, column {shortened(name)}: {complaint}{other}.")

    def _labels(self, rows: list[list[str]], start: int) -> list[str]:
        assert self.columns.target is not None
        labels = [row[self.columns.target].strip() for row in rows]
        if "" in labels:
            where = self.where(start + labels.index(""))
            raise DataError(
                f"{where}, column {self.options.target!r}: the label is empty; fill it in, or remove the row."
            )
        return labels

    def _delimiter(self) -> str:
        return delimiter_of(self.path, self.options)

    def _read_header(self) -> HeaderRow:
        """What the first row says about the columns."""
        with self._rows() as rows:
            first = next(rows, None)
            second = next(rows, None) if first and holds_only_numbers(first) else None
        if not first:
            raise DataError(f"{self.path} is empty; its first row must hold the names of the columns.")
        self._refuse_another_delimiter(first)
        return understand_header(self.path, first, second, self.options)

    def _refuse_another_delimiter(self, first: list[str]) -> None:
        """One column whose name holds a usual delimiter is several columns."""
        if len(first) > 1:
            return
        for other in ("\t", ";", ",", "|"):
            if other in first[0]:
                shown = "'\\t'" if other == "\t" else f"'{other}'"
                raise DataError(
                    f"{self.path}, row 1: one column, {first[0][:60]!r}; the file seems to be separated by "
                    f"{DELIMITER_NAMES[other]}, pass --delimiter {shown}."
                )

    @contextmanager
    def _rows(self) -> Iterator[TextRows]:
        """Context with all rows of text; errors of the format name the file."""
        with unpacked(self.path) as file, self._text_rows(file, "utf-8-sig", 0) as rows:
            yield rows

    @contextmanager
    def _rows_after(self, n_samples: int, offset: int) -> Iterator[TextRows]:
        """Context with the rows after so many samples, which begin so many bytes into the file."""
        with open_file(self.path) as file:
            file.seek(offset)
            with self._text_rows(file, "utf-8", n_samples + (0 if self.first.is_sample else 1)) as rows:
                yield rows

    @contextmanager
    def _text_rows(self, file: IO[bytes], encoding: str, n_before: int) -> Iterator[TextRows]:
        with io.TextIOWrapper(file, encoding=encoding, newline="") as text:
            rows = TextRows(self.path, text, self.delimiter, n_before)
            try:
                yield rows
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{self.path} is not UTF-8 text (after row {rows.n_rows}: byte 0x{error.object[error.start]:02x}); "
                    f"save it as CSV in UTF-8."
                ) from None
            except OSError as error:
                raise DataError(f"{self.path} cannot be read after row {rows.n_rows}: {error.strerror}.") from None


def delimiter_of(path: Path, options: ReadOptions) -> str:
    """What separates the fields of a file: what the options say, else what the ending of its name says."""
    if options.delimiter is None:
        return DELIMITERS[(path.with_suffix("") if is_packed(path) else path).suffix.lower()]
    delimiter = {"\\t": "\t", "tab": "\t"}.get(options.delimiter, options.delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise UsageError(f"--delimiter must be one character, or \\t, got {options.delimiter!r}.")
    return delimiter


ENDINGS = (*DELIMITERS, *(f"{ending}{PACKED_ENDING}" for ending in DELIMITERS))
FORMAT = FileFormat("CSV and TSV files", ENDINGS, ("target", "ignore", "delimiter", "header"), CsvRows)
