"""Samples and labels in stored arrays, a block of samples at a time."""

import math
from collections.abc import Iterator

import numpy as np

from ...inputs.largest_value import LARGEST_VALUE
from ...numerics.arrays import Array
from ..command_errors import DataError
from .cells import complaint_of_number, usable
from .source import Block, ReadOptions, rows_per_block
from .stored_array import StoredArray

# Bytes of a label; text takes four for each character.
MOST_LABEL_BYTES = 4 * 2**17


class ArraySamples:
    """Samples, and labels where they are options, in an NPY or NPZ file. Samples count from 0.

    Parameters
    ----------
    path : Path
    options : ReadOptions
    """

    heading = "sample"
    counts_exactly = True
    names: tuple[str, ...] | None = None
    left_out = ""

    def __init__(
        self, samples: StoredArray, labels: StoredArray | None, options: ReadOptions, *, last_column: bool = False
    ) -> None:
        self.samples, self.labels, self.last_column = samples, labels, last_column
        self.keep_bad_rows = options.keep_bad_rows
        self._refuse_no_samples()
        self.shape = samples.shape[1:]
        if last_column:
            self.shape = (self.shape[0] - 1,)
        if options.shape is not None:
            self._refuse_another_shape(options.shape)
        self._refuse_no_labels()

    def place(self, i: int) -> int:
        """Index of sample i, from 0."""
        return i

    def where(self, i: int) -> str:
        """File (with the name of its array) and index of sample i."""
        return f"{self.samples.name}, sample {i} (counting from 0)"

    def labels_at(self) -> str:
        """File, and the array or the column of the labels."""
        return f"{self.samples.path}, last column" if self.labels is None else self.labels.name

    def expected_samples(self) -> int:
        """Number of samples."""
        return self.samples.shape[0]

    def blocks(self) -> Iterator[Block]:
        """All samples, from the beginning."""
        start, n_rows = 0, rows_per_block(math.prod(self.samples.shape[1:]))
        labels = iter(()) if self.labels is None else self.labels.parts(n_rows)
        for part in self.samples.parts(n_rows):
            numbers = part.astype(np.float64)
            complaints = self._complaints(numbers) if self.keep_bad_rows else {}
            if not self.keep_bad_rows:
                self._refuse_unusable(numbers, start)
            if self.last_column:
                yield Block(start, np.ascontiguousarray(numbers[:, :-1]), part[:, -1].tolist(), complaints)
            else:
                found = [] if self.labels is None else next(labels).tolist()
                yield Block(start, numbers, found, complaints)
            start += len(part)

    def _refuse_no_samples(self) -> None:
        array = self.samples
        if len(array.shape) < 2 or not math.prod(array.shape[1:]):
            raise DataError(f"{array.name} has shape {array.shape}; samples need (n_samples, n_features) or more axes.")
        if array.dtype.kind not in "biuf":
            raise DataError(f"{array.name} holds {array.dtype}, not numbers; convert it to float64.")

    def _refuse_another_shape(self, shape: tuple[int, ...]) -> None:
        same = self.shape in (shape, shape[1:] if shape[0] == 1 else shape)
        if not same and not (len(self.shape) == 1 and self.shape[0] == math.prod(shape)):
            raise DataError(
                f"{self.samples.name} has samples of shape {self.shape}, but the model takes {shape}, or rows of "
                f"{math.prod(shape)} numbers; reshape it, or take another model."
            )

    def _refuse_no_labels(self) -> None:
        if self.labels is None:
            return
        shape, n_samples = self.labels.shape, self.samples.shape[0]
        if len(shape) != 1 or shape[0] != n_samples:
            raise DataError(
                f"{self.labels.name} has shape {shape}, but {self.samples.name} has {n_samples} samples; save one "
                f"label for each, in shape ({n_samples},)."
            )
        if self.labels.dtype.kind not in "biufUS":
            raise DataError(f"{self.labels.name} holds {self.labels.dtype}, which are no labels; save text or numbers.")
        if not 0 < self.labels.dtype.itemsize <= MOST_LABEL_BYTES:
            raise DataError(
                f"{self.labels.name} holds labels of {self.labels.dtype.itemsize:,} bytes each; labels are short "
                f"names or whole numbers."
            )

    def _complaints(self, numbers: Array) -> dict[int, str]:
        """What is wrong with samples that hold a number that cannot be used."""
        rows = numbers.reshape(len(numbers), -1)
        found: dict[int, str] = {}
        for i in np.flatnonzero(~(np.abs(rows).max(axis=1, initial=0.0) <= LARGEST_VALUE)).tolist():
            number = rows[i][~(np.abs(rows[i]) <= LARGEST_VALUE)][0]
            found[i] = str(complaint_of_number(float(number)))
        return found

    def _refuse_unusable(self, numbers: Array, start: int) -> None:
        if usable(numbers):
            return
        i, *inside = next(index for index in np.ndindex(numbers.shape) if complaint_of_number(float(numbers[index])))
        complaint = complaint_of_number(float(numbers[i, *inside]))
        raise DataError(f"{self.samples.name}, [{', '.join(map(str, (start + i, *inside)))}]: {complaint}.")
