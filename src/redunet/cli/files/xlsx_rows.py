"""The first sheet of an Excel file (.xlsx), a block of rows at a time; needs openpyxl."""

import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...inputs.byte_sizes import readable_bytes
from ..command_errors import CommandError, DataError, first_line
from .csv_rows import MOST_ROW_CHARACTERS, CsvRows, TextRows
from .input_files import open_file
from .optional_packages import import_optional
from .source import FileFormat, ReadOptions

# Bytes of what openpyxl reads into memory as a whole: all texts, styles and names of a file.
MOST_BYTES_IN_MEMORY = 256 * 2**20
# Whole numbers up to here are written without a decimal point.
LARGEST_EXACT_WHOLE = 2**53


class SheetRows(TextRows):
    """Rows of a sheet as text, as a CSV file would have them.

    Parameters
    ----------
    path : Path
        For messages.
    rows : iterator of tuples
        Values of the cells of each row.
    """

    def __init__(self, path: Path, rows: Iterator[tuple[Any, ...]]) -> None:
        self.path, self._values = path, rows
        self.n_rows = self.n_characters = 0
        self._n_columns: int | None = None

    def __next__(self) -> list[str]:
        row = list(next(self._values))
        self.n_rows += 1
        while row and row[-1] is None:
            row.pop()
        if self._n_columns is None:
            self._n_columns = len(row)
        if row:  # cells at the end that were never filled in are not stored
            row += [None] * (self._n_columns - len(row))
        texts = [_text(value) for value in row]
        n_characters = sum(map(len, texts))
        self.n_characters += n_characters
        if n_characters > MOST_ROW_CHARACTERS:
            raise DataError(
                f"{self.path}, row {self.n_rows}: the row has more than {MOST_ROW_CHARACTERS:,} characters; leave out "
                f"columns of long text."
            )
        return texts


def _text(value: Any) -> str:
    """A cell as text; numbers can be read back exactly."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_EXACT_WHOLE:
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)


class XlsxRows(CsvRows):
    """A table in the first sheet of an Excel file, from its first row on.

    Parameters
    ----------
    path : Path
    options : ReadOptions
    """

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.openpyxl = import_optional("openpyxl", "openpyxl", "XLSX files")
        super().__init__(path, options)

    def _delimiter(self) -> str:
        return "\t"

    def _refuse_another_delimiter(self, first: list[str]) -> None:
        """A sheet has cells, and no delimiter."""

    def _may_be_plain(self) -> bool:
        """Never: a sheet is no text."""
        return False

    def _remedy_for_many_fields(self) -> str:
        return "name the other columns in row 1, or empty their cells"

    @contextmanager
    def _rows(self) -> Iterator[TextRows]:
        """Context with the rows of the sheet as text; errors of the format name the file."""
        with open_file(self.path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and extensions, which are not needed
            book = None
            try:
                self._refuse_large_texts(file)
                book = self.openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
                if not book.worksheets:
                    raise DataError(f"{self.path} has no sheet of cells; add one.")
                sheet = book.worksheets[0]
                sheet.reset_dimensions()  # what the file says about its size may be wrong
                yield SheetRows(self.path, iter(sheet.iter_rows(values_only=True)))
            except (CommandError, MemoryError):
                raise
            except Exception as error:  # of an altered file, any part can be refused
                raise DataError(
                    f"{self.path} is damaged or not an XLSX file: {first_line(error)}; save it again, or as CSV."
                ) from None
            finally:
                if book is not None:
                    book.close()

    def _refuse_large_texts(self, file: Any) -> None:
        """Refuse a file whose parts that are read as a whole would take too much memory."""
        with zipfile.ZipFile(file) as packed:
            n_bytes = sum(one.file_size for one in packed.infolist() if "/worksheets/" not in one.filename)
        if n_bytes > MOST_BYTES_IN_MEMORY:
            raise DataError(
                f"{self.path} holds {readable_bytes(n_bytes)} of text, pictures and styles, and at most "
                f"{readable_bytes(MOST_BYTES_IN_MEMORY)} are read; save the sheet as CSV."
            )


FORMAT = FileFormat("XLSX files", (".xlsx", ".xlsm"), ("target", "ignore", "header"), XlsxRows)
