"""NPY and NPZ files, a block of samples at a time."""

import math
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..numerics.arrays import Array
from .cells import complaint_of_number, usable
from .mistakes import WrongData, WrongWords, did_you_mean, listed
from .source import Block, Wanted, rows_per_block

# Of a 2-D array, the labels may be the last column.
LAST = "last"


class StoredArray:
    """An array in an NPY file, or in one of the NPY files that an NPZ file is made of; read from front to back.

    Parameters
    ----------
    path : Path
    member : str, optional
        Name of the array in an NPZ file.
    """

    def __init__(self, path: Path, member: str | None = None) -> None:
        self.path, self.member = path, member
        self.name = f"{path}" if member is None else f"{path}, array {member!r}"
        with self._open() as file:
            self.shape, self.fortran, self.dtype = self._header(file)

    def parts(self, n_rows: int) -> Iterator[Array]:
        """The array, so many rows at a time."""
        with self._open() as file:
            self._header(file)
            if self.fortran:  # columns follow each other, so that all of them are needed for one row
                whole = self._take(file, self.shape[::-1]).T
                for start in range(0, len(whole), n_rows):
                    yield np.ascontiguousarray(whole[start : start + n_rows])
                return
            for start in range(0, self.shape[0], n_rows):
                yield self._take(file, (min(n_rows, self.shape[0] - start), *self.shape[1:]))

    def whole(self) -> Array:
        """All of it."""
        parts = list(self.parts(max(1, self.shape[0] if self.shape else 1)))
        return np.concatenate(parts) if parts else np.empty(self.shape, self.dtype)

    def _take(self, file: IO[bytes], shape: tuple[int, ...]) -> Array:
        n_bytes = math.prod(shape) * self.dtype.itemsize
        content = file.read(n_bytes)
        if len(content) < n_bytes:
            raise WrongData(f"{self.name} is cut short: its header promises shape {self.shape}; get the whole file.")
        return np.frombuffer(content, self.dtype).reshape(shape)

    def _header(self, file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
        try:
            version = np.lib.format.read_magic(file)
            read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            shape, fortran, dtype = read[version](file)
        except (ValueError, KeyError, EOFError) as error:
            raise WrongData(f"{self.name} is damaged or not an NPY file: {error}; write it with numpy.save.") from None
        if dtype.hasobject:
            raise WrongData(
                f"{self.name} holds Python objects, which are not read; save numbers (or text) with numpy.save."
            )
        return shape, fortran and len(shape) > 1, dtype

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        if self.member is None:
            with open(self.path, "rb") as file:
                yield file
            return
        try:
            with zipfile.ZipFile(self.path) as packed, packed.open(f"{self.member}.npy") as file:
                yield file
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise WrongData(f"{self.path} is damaged or not an NPZ file: {error}; get the whole file.") from None


def members(path: Path) -> list[str]:
    """Names of the arrays in an NPZ file."""
    try:
        with zipfile.ZipFile(path) as packed:
            return [name.removesuffix(".npy") for name in packed.namelist() if name.endswith(".npy")]
    except zipfile.BadZipFile as error:
        raise WrongData(f"{path} is damaged or not an NPZ file: {error}; write it with numpy.savez.") from None


class ArraySamples:
    """Samples, and labels where they are wanted, in an NPY or NPZ file. Samples count from 0.

    Parameters
    ----------
    path : Path
    wanted : Wanted
    """

    heading = "sample"
    names: tuple[str, ...] | None = None
    left_out = ""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        self.path, self.wanted = path, wanted
        self.last = False
        self.labels: StoredArray | None = None
        if path.suffix.lower() == ".npz":
            self._find_members()
        else:
            self.samples = StoredArray(path)
            if wanted.labelled:
                self._find_labels()
        self._refuse_no_samples()
        self.shape = self.samples.shape[1:]
        if self.last:
            self.shape = (self.shape[0] - 1,)
        if wanted.shape is not None:
            self._refuse_another_shape(wanted.shape)
        self._labels = self._read_labels()

    def place(self, i: int) -> int:
        """Index, from 0."""
        return i

    def where(self, i: int) -> str:
        """File and index."""
        return f"{self.samples.name}, sample {i} (counting from 0)"

    def labels_at(self) -> str:
        """File, and array or column."""
        return f"{self.path}, last column" if self.labels is None else self.labels.name

    def blocks(self) -> Iterator[Block]:
        """All samples, from the beginning."""
        start = 0
        for part in self.samples.parts(rows_per_block(math.prod(self.samples.shape[1:]))):
            numbers = part.astype(np.float64)
            self._refuse_unusable(numbers, start)
            if self.last:
                yield Block(start, np.ascontiguousarray(numbers[:, :-1]), part[:, -1].tolist())
            else:
                yield Block(start, numbers, self._labels[start : start + len(part)])
            start += len(part)

    def _find_members(self) -> None:
        here = members(self.path)
        self.samples = StoredArray(self.path, self._member("--samples", self.wanted.samples or "X", here))
        if self.wanted.labelled:
            self.labels = StoredArray(self.path, self._member("--target", self.wanted.target or "y", here))

    def _member(self, option: str, name: str, here: list[str]) -> str:
        if name in here:
            return name
        guess = did_you_mean(name, here) or f" The arrays are {listed(here)}."
        raise WrongWords(f"{self.path} has no array {name!r}; say which one with {option}.{guess}")

    def _find_labels(self) -> None:
        wanted = self.wanted
        if (wanted.target is None) == (wanted.labels is None):
            raise WrongWords(
                f"where are the labels of {self.path}? Say it with --labels labels.npy, or with --target last for the "
                f"last column; one of the two."
            )
        if wanted.target is not None and wanted.target != LAST:
            raise WrongWords(
                f"--target {wanted.target}: an NPY file has no names; pass --target last, or --labels labels.npy."
            )
        if wanted.labels is None:
            self.last = True
            if len(self.samples.shape) != 2 or self.samples.shape[1] < 2:
                raise WrongData(
                    f"{self.path} has shape {self.samples.shape}, and --target last needs a table of at least 2 "
                    f"columns; pass --labels labels.npy."
                )
        else:
            self.labels = StoredArray(wanted.labels)

    def _refuse_no_samples(self) -> None:
        array = self.samples
        if len(array.shape) < 2 or not math.prod(array.shape[1:]):
            raise WrongData(f"{array.name} has shape {array.shape}; samples need (n_samples, n_features) or more axes.")
        if array.dtype.kind not in "biuf":
            raise WrongData(f"{array.name} holds {array.dtype}, not numbers; convert it to float64.")

    def _refuse_another_shape(self, shape: tuple[int, ...]) -> None:
        same = self.shape in (shape, shape[1:] if shape[0] == 1 else shape)
        if not same and not (len(self.shape) == 1 and self.shape[0] == math.prod(shape)):
            raise WrongData(
                f"{self.samples.name} has samples of shape {self.shape}, but the model takes {shape}, or rows of "
                f"{math.prod(shape)} numbers; reshape it, or take another model."
            )

    def _read_labels(self) -> list[Any]:
        if self.labels is None:
            return []
        shape, n_samples = self.labels.shape, self.samples.shape[0]
        if len(shape) != 1 or shape[0] != n_samples:
            raise WrongData(
                f"{self.labels.name} has shape {shape}, but {self.samples.name} has {n_samples} samples; save one "
                f"label for each, in shape ({n_samples},)."
            )
        if self.labels.dtype.kind not in "biufUS":
            raise WrongData(f"{self.labels.name} holds {self.labels.dtype}, which are no labels; save text or numbers.")
        return list(self.labels.whole().tolist())

    def _refuse_unusable(self, numbers: Array, start: int) -> None:
        if usable(numbers):
            return
        i, *inside = next(index for index in np.ndindex(numbers.shape) if complaint_of_number(float(numbers[index])))
        complaint = complaint_of_number(float(numbers[i, *inside]))
        raise WrongData(f"{self.samples.name}, [{', '.join(map(str, (start + i, *inside)))}]: {complaint}.")
