"""Parquet files, a block of rows at a time; needs pyarrow."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...numerics.arrays import Array
from ..errors import Mistake, WrongData, first_line, listed, shortened
from .cells import complaint_of_number, usable
from .columns import Columns, choose_columns, how_to_leave_out
from .input_files import open_file
from .optional import needed
from .source import Block, Wanted, rows_per_block

# What pandas calls the index when it has no name.
INDEX = re.compile(r"__index_level_\d+__")


class ParquetRows:
    """A table in a Parquet file. Rows count from 0, as pandas counts them.

    Parameters
    ----------
    path : Path
    wanted : Wanted
    """

    heading = "row"

    def __init__(self, path: Path, wanted: Wanted) -> None:
        parquet = needed("pyarrow.parquet", "pyarrow", "Parquet files")
        self.arrow = needed("pyarrow", "pyarrow", "Parquet files")
        self.path, self.wanted = path, wanted
        try:
            open_file(path).close()
            # pyarrow takes names that are not UTF-8 as bytes only
            self.file = parquet.ParquetFile(self.arrow.OSFile(os.fsencode(path)))
            self.schema = self.file.schema_arrow  # made anew each time that it is asked for
            self.header = [str(name) for name in self.schema.names if not INDEX.fullmatch(str(name))]
        except (Mistake, MemoryError):
            raise
        except Exception as error:  # of an altered file, any part can be refused
            raise WrongData(f"{path} is damaged or not a Parquet file: {first_line(error)}.") from None
        if not self.header:
            raise WrongData(f"{path} has no columns; write the table again.")
        self.columns: Columns = choose_columns(path, self.header, wanted)
        self.names: tuple[str, ...] | None = self.columns.names
        self.shape: tuple[int, ...] = (len(self.columns.names),)
        unused = self.columns.unused
        self.left_out = f"columns that the model does not use: {listed(unused)}" if unused else ""
        self._refuse_text()

    def place(self, i: int) -> int:
        """Row, from 0."""
        return i

    def where(self, i: int) -> str:
        """File and row."""
        return f"{self.path}, row {i} (counting from 0)"

    def labels_at(self) -> str:
        """File and column."""
        return f"{self.path}, column {self.wanted.target!r}"

    def blocks(self) -> Iterator[Block]:
        """All rows, from the beginning."""
        target = self.wanted.target if self.columns.target is not None else None
        read = [*self.columns.names] + ([target] if target is not None else [])
        start = 0
        try:
            for batch in self.file.iter_batches(rows_per_block(len(self.columns.names)), columns=read):
                found = dict(zip(batch.schema.names, batch.columns, strict=True))
                numbers = [self._numbers(name, found[name], start) for name in self.columns.names]
                labels = self._labels(found[target], start) if target is not None else []
                yield Block(start, np.stack(numbers, axis=1), labels)
                start += len(batch)
        except (Mistake, MemoryError):
            raise
        except Exception as error:
            raise WrongData(f"{self.path} is damaged after row {start}: {first_line(error)}.") from None

    def _refuse_text(self) -> None:
        types = self.arrow.types
        for name in self.columns.names:
            kind = self.schema.field(name).type
            if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                other = "" if self.wanted.shape is not None else f", or {how_to_leave_out(name)}"
                raise WrongData(f"{self.path}, column {shortened(name)} holds {kind}, not numbers; convert it{other}.")

    def _numbers(self, name: str, column: Any, start: int) -> Array:
        self._refuse_gap(name, column, start)
        numbers = column.to_numpy(zero_copy_only=False).astype(np.float64)
        if not usable(numbers):
            complaints = ((i, complaint_of_number(float(number))) for i, number in enumerate(numbers))
            i, complaint = next((i, complaint) for i, complaint in complaints if complaint is not None)
            raise WrongData(f"{self.where(start + i)}, column {shortened(name)}: {complaint}.")
        return numbers

    def _labels(self, column: Any, start: int) -> list[Any]:
        self._refuse_gap(str(self.wanted.target), column, start)
        return list(column.to_pylist())

    def _refuse_gap(self, name: str, column: Any, start: int) -> None:
        if column.null_count:
            i = column.is_null().to_numpy(zero_copy_only=False).argmax()
            where = f"{self.where(start + int(i))}, column {shortened(name)}"
            raise WrongData(f"{where}: empty; fill it in, or remove the row.")
