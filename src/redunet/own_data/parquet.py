"""Parquet files, a block of rows at a time; needs pyarrow."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .cells import complaint_of_number, usable
from .columns import Columns, choose_columns
from .mistakes import WrongData, listed
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
            self.file = parquet.ParquetFile(path)
        except (self.arrow.ArrowException, OSError) as error:
            raise WrongData(f"{path} is damaged or not a Parquet file: {_first_line(error)}") from None
        self.header = [str(name) for name in self.file.schema_arrow.names if not INDEX.fullmatch(str(name))]
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
                found = {name: batch.column(batch.schema.get_field_index(name)) for name in read}
                numbers = [self._numbers(name, found[name], start) for name in self.columns.names]
                labels = self._labels(found[target], start) if target is not None else []
                yield Block(start, np.stack(numbers, axis=1), labels)
                start += len(batch)
        except (self.arrow.ArrowException, OSError) as error:
            raise WrongData(f"{self.path} is damaged after row {start}: {_first_line(error)}") from None

    def _refuse_text(self) -> None:
        types = self.arrow.types
        for name in self.columns.names:
            kind = self.file.schema_arrow.field(name).type
            if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                other = "" if self.wanted.shape is not None else f", or leave the column out with --ignore {name}"
                raise WrongData(f"{self.path}, column {name!r} holds {kind}, not numbers; convert it{other}.")

    def _numbers(self, name: str, column: Any, start: int) -> Array:
        self._refuse_gap(name, column, start)
        numbers = column.to_numpy(zero_copy_only=False).astype(np.float64)
        if not usable(numbers):
            complaints = ((i, complaint_of_number(float(number))) for i, number in enumerate(numbers))
            i, complaint = next((i, complaint) for i, complaint in complaints if complaint is not None)
            raise WrongData(f"{self.where(start + i)}, column {name!r}: {complaint}.")
        return numbers

    def _labels(self, column: Any, start: int) -> list[Any]:
        self._refuse_gap(str(self.wanted.target), column, start)
        return list(column.to_pylist())

    def _refuse_gap(self, name: str, column: Any, start: int) -> None:
        if column.null_count:
            i = column.is_null().to_numpy(zero_copy_only=False).argmax()
            raise WrongData(f"{self.where(start + int(i))}, column {name!r}: empty; fill it in, or remove the row.")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
