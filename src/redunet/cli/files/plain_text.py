"""Blocks of rows of a text table that has no quotes, parsed by pyarrow where it is installed.

It reads the same numbers, bit for bit, as the reader that takes everything, several times as fast. Whatever is not
plain, or not right, is left to that reader, which knows how to say where and what it is.
"""

import codecs
import csv
import importlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...numerics.arrays import Array
from .cells import usable
from .input_files import open_file
from .source import Block

# Bytes that are read at once, and of a file for which it is worth the while to start pyarrow.
PIECE_BYTES, LEAST_BYTES = 4 * 2**20, 2**20
LINE_END = ord("\n")
# What some programs begin text in UTF-8 with.
BYTE_ORDER_MARK = codecs.BOM_UTF8


@dataclass(frozen=True)
class PlainTable:
    """A table in a text file, as its reader knows it.

    Parameters
    ----------
    path : Path
    delimiter : str
    header : list of str
        Names of all columns.
    positions : tuple of int
        Columns of the numbers.
    target : int, optional
        Column of the labels.
    has_header : bool
        Whether the first row holds the names, and is no sample.
    """

    path: Path
    delimiter: str
    header: list[str]
    positions: tuple[int, ...]
    target: int | None
    has_header: bool = True


class PlainBlocks:
    """Blocks of a table from the first one, as long as all their rows are plain.

    Parameters
    ----------
    table : PlainTable
    n_rows : int
        Rows of a block.

    Attributes
    ----------
    n_read : int
        Rows of the blocks so far.
    offset : int
        Where in the file the first row after them begins, in bytes; 0 if not even the header is plain.
    at_end : bool
        Whether there is nothing more.
    """

    def __init__(self, table: PlainTable, n_rows: int) -> None:
        self.table, self.n_rows = table, n_rows
        self.n_read = self.offset = 0
        self.at_end = False

    def __iter__(self) -> Iterator[Block]:
        delimiter = self.table.delimiter
        if delimiter == " " or not delimiter.isascii():
            return
        with open_file(self.table.path) as file:
            arrow = _arrow() if os.fstat(file.fileno()).st_size >= LEAST_BYTES else None
            if arrow is None or not self._passes_header(file):
                return
            pieces: list[tuple[Array, list[str]]] = []
            n_left = self.n_rows
            lines = Lines(file)
            while text := lines.take(n_left):
                parsed = self._parsed(text, arrow)
                if parsed is None:
                    return
                pieces.append(parsed)
                n_left -= len(parsed[0])
                if not n_left:
                    yield self._block(pieces, lines)
                    pieces, n_left = [], self.n_rows
            if lines.too_long:
                return
            if pieces:
                yield self._block(pieces, lines)
            self.at_end = True

    def _block(self, pieces: list[tuple[Array, list[str]]], lines: "Lines") -> Block:
        labels = [label for _, some in pieces for label in some]
        block = Block(self.n_read, np.concatenate([numbers for numbers, _ in pieces]), labels)
        self.n_read += len(block.samples)
        self.offset = lines.offset
        return block

    def _passes_header(self, file: BinaryIO) -> bool:
        """Go to the first sample; False if there is a header which is not one line."""
        if not self.table.has_header:
            self.offset = file.seek(len(BYTE_ORDER_MARK) if file.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK else 0)
            return True
        line = file.readline(PIECE_BYTES)
        try:
            found = next(csv.reader([line.decode("utf-8-sig")], delimiter=self.table.delimiter, skipinitialspace=True))
        except (UnicodeDecodeError, csv.Error, StopIteration):
            return False
        whole = line.endswith(b"\n") and b"\r" not in line.removesuffix(b"\r\n")
        self.offset = file.tell()
        return whole and [name.strip() for name in found] == self.table.header

    def _parsed(self, text: bytes, arrow: Any) -> tuple[Array, list[str]] | None:
        """Numbers and labels of some lines; None where they are not plain, or something is wrong with them."""
        if b'"' in text or b"\0" in text or text.count(b"\r") != text.count(b"\r\n") or not _is_utf8(text):
            return None
        columns = _columns(text, self.table, arrow)
        if columns is None:
            return None
        *numbers, labels = columns
        found = np.stack([one.to_numpy() for one in numbers], axis=1)
        names = [] if labels is None else [label.strip() for label in labels.to_pylist()]
        return None if "" in names or not usable(found) else (found, names)


class Lines:
    """Whole lines of a file from where it stands, so many at a time, in bounded memory.

    Parameters
    ----------
    file : binary file

    Attributes
    ----------
    offset : int
        Where in the file the lines end that were taken.
    too_long : bool
        Whether a line is longer than the reader of all tables takes a field to be.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.offset, self.too_long = file, file.tell(), False
        self._text, self._taken = b"", 0
        self._ends = np.empty(0, dtype=np.int64)
        self._n_taken = 0

    def take(self, n_lines: int) -> bytes:
        """The next lines, at most so many and at least one; nothing at the end, or where a line is too long."""
        if self._n_taken == len(self._ends) and not self._read():
            return b""
        last = min(self._n_taken + n_lines, len(self._ends)) - 1
        text = self._text[self._taken : self._ends[last]]
        self._taken, self._n_taken = int(self._ends[last]), last + 1
        self.offset += len(text)
        return text

    def _read(self) -> bool:
        """Read the next lines; False if there are none, or one is too long."""
        rest = self._text[self._taken :]
        more = self.file.read(PIECE_BYTES)
        self._text, self._taken, self._n_taken = rest + more, 0, 0
        ends = np.flatnonzero(np.frombuffer(self._text, np.uint8) == LINE_END) + 1
        if len(more) < PIECE_BYTES and self._text and not self._text.endswith(b"\n"):  # the last line
            ends = np.append(ends, len(self._text))
        self._ends = ends
        longest = int(np.diff(ends, prepend=0).max(initial=0)) if len(ends) else len(self._text)
        self.too_long = longest > csv.field_size_limit()
        return bool(len(ends)) and not self.too_long


def _arrow() -> Any:
    """Pyarrow with its reader of text, or None where it is not installed."""
    try:
        importlib.import_module("pyarrow.csv")
        return importlib.import_module("pyarrow")
    except ImportError:
        return None


def _columns(text: bytes, table: PlainTable, arrow: Any) -> Sequence[Any] | None:
    """Columns of numbers, then that of the labels or None; nothing where pyarrow refuses a cell or a row."""
    read = [str(i) for i in table.positions]
    types = {name: arrow.float64() for name in read}
    if table.target is not None:
        types[str(table.target)] = arrow.string()
    try:
        found = arrow.csv.read_csv(
            arrow.py_buffer(text),
            read_options=arrow.csv.ReadOptions(
                use_threads=False,
                column_names=[str(i) for i in range(len(table.header))],
                block_size=len(text) + 1,
            ),
            parse_options=arrow.csv.ParseOptions(delimiter=table.delimiter, quote_char=False, ignore_empty_lines=False),
            convert_options=arrow.csv.ConvertOptions(
                column_types=types, include_columns=[*types], null_values=[], strings_can_be_null=False
            ),
        )
    except arrow.ArrowException:
        return None
    labels = None if table.target is None else found.column(str(table.target))
    return [*(found.column(name) for name in read), labels]


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
