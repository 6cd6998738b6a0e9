"""Parquet files, a block of rows at a time; needs pyarrow."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...inputs.largest_value import LARGEST_VALUE
from ...numerics.arrays import Array
from ..command_errors import CommandError, DataError, first_line, listed, shortened
from .cells import complaint_of_number, usable
from .columns import Columns, choose_columns, how_to_leave_out
from .input_files import open_file
from .optional_packages import import_optional
from .source import Block, FileFormat, ReadOptions, rows_per_block

# What pandas calls the index when it has no name.
INDEX_NAME = re.compile(r"__index_level_\d+__")

# Bytes of a column that are read at once.
COLUMN_BUFFER_BYTES = 2**18


class ParquetRows:
    """A table in a Parquet file. Rows count from 0, as pandas counts them.

    Parameters
    ----------
    path : Path
    options : ReadOptions
    """

    heading = "row"
    counts_exactly = True

    def __init__(self, path: Path, options: ReadOptions) -> None:
        parquet = import_optional("pyarrow.parquet", "pyarrow", "Parquet files")
        self.arrow = import_optional("pyarrow", "pyarrow", "Parquet files")
        self.path, self.options = path, options
        try:
            open_file(path).close()
            # pyarrow takes names that are not UTF-8 as bytes only
            file = self.arrow.OSFile(os.fsencode(path))
            # It would read the whole file before the first row, else, and whole columns of it.
            self.file = parquet.ParquetFile(file, pre_buffer=False, buffer_size=COLUMN_BUFFER_BYTES)
            self.schema = self.file.schema_arrow  # made again each time that it is asked for
            self.header = [str(name) for name in self.schema.names if not INDEX_NAME.fullmatch(str(name))]
        except (CommandError, MemoryError):
            raise
        except Exception as error:  # of an altered file, any part can be refused
            raise DataError(f"{path} is damaged or not a Parquet file: {first_line(error)}.") from None
        if not self.header:
            raise DataError(f"{path} has no columns; write the table again.")
        self.columns: Columns = choose_columns(path, self.header, options)
        self.names: tuple[str, ...] | None = self.columns.names
        self.shape: tuple[int, ...] = (len(self.columns.names),)
        unused = self.columns.unused
        self.left_out = f"columns that the model does not use: {listed(unused)}" if unused else ""
        self._refuse_text()

    def place(self, i: int) -> int:
        """Row of sample i, from 0."""
        return i

    def where(self, i: int) -> str:
        """File and row of sample i."""
        return f"{self.path}, row {i} (counting from 0)"

    def labels_at(self) -> str:
        """File and column of the labels."""
        return f"{self.path}, column {self.options.target!r}"

    def expected_samples(self) -> int:
        """Number of rows."""
        return int(self.file.metadata.num_rows)

    def blocks(self) -> Iterator[Block]:
        """All rows, from the beginning."""
        target = self.options.target if self.columns.target is not None else None
        read = [*self.columns.names] + ([target] if target is not None else [])
        start = 0
        try:
            for batch in self.file.iter_batches(rows_per_block(len(self.columns.names)), columns=read):
                found = dict(zip(batch.schema.names, batch.columns, strict=True))
                complaints: dict[int, str] = {}
                numbers = [self._numbers(name, found[name], start, complaints) for name in self.columns.names]
                labels = self._labels(found[target], start) if target is not None else []
                yield Block(start, np.stack(numbers, axis=1), labels, complaints)
                start += len(batch)
        except (CommandError, MemoryError):
            raise
        except Exception as error:
            raise DataError(f"{self.path} is damaged after row {start}: {first_line(error)}.") from None

    def _refuse_text(self) -> None:
        types = self.arrow.types
        for name in self.columns.names:
            kind = self.schema.field(name).type
            if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                other = "" if self.options.shape is not None else f", or {how_to_leave_out(name)}"
                raise DataError(f"{self.path}, column {shortened(name)} holds {kind}, not numbers; convert it{other}.")

    def _numbers(self, name: str, column: Any, start: int, complaints: dict[int, str]) -> Array:
        """Numbers of a column; rows without a usable one are told in ``complaints``, if such rows are to be kept."""
        if not self.options.keep_bad_rows:
            self._refuse_gap(name, column, start)
        numbers = column.to_numpy(zero_copy_only=False).astype(np.float64)
        if self.options.keep_bad_rows:
            for i in np.flatnonzero(~(np.abs(numbers) <= LARGEST_VALUE)).tolist():
                complaints.setdefault(i, f"column {shortened(name)}: {complaint_of_number(float(numbers[i]))}")
        elif not usable(numbers):
            found = ((i, complaint_of_number(float(number))) for i, number in enumerate(numbers))
            i, complaint = next((i, complaint) for i, complaint in found if complaint is not None)
            raise DataError(f"{self.where(start + i)}, column {shortened(name)}: {complaint}.")
        return numbers

    def _labels(self, column: Any, start: int) -> list[Any]:
        self._refuse_gap(str(self.options.target), column, start)
        return list(column.to_pylist())

    def _refuse_gap(self, name: str, column: Any, start: int) -> None:
        if column.null_count:
            i = column.is_null().to_numpy(zero_copy_only=False).argmax()
            where = f"{self.where(start + int(i))}, column {shortened(name)}"
            raise DataError(f"{where}: empty; fill it in, or remove the row.")


FORMAT = FileFormat("Parquet files", (".parquet", ".pq"), ("target", "ignore"), ParquetRows)
