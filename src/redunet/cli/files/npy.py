"""NPY and NPZ files, a block of samples at a time."""

import io
import math
import os
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...inputs.suggestions import did_you_mean
from ...numerics.arrays import Array
from ..errors import Mistake, WrongData, WrongWords, first_line, listed
from .cells import complaint_of_number, usable
from .input_files import open_file
from .source import Block, Wanted, rows_per_block

# Of a 2-D array, the labels may be the last column.
LAST = "last"
# Bytes that hold the length of the header, in each version of the NPY format; and the longest that NumPy reads.
LENGTH_BYTES, LONGEST_HEADER = {(1, 0): 2, (2, 0): 4, (3, 0): 4}, 10_000
# How much larger than packed an array can be: as it is, or by deflate, whose best is 1032; a few bytes are no promise.
LARGEST_RATIO, SMALLEST_PACKED = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}, 1024
# Bit of a member of a ZIP file that needs a password.
ENCRYPTED = 1
# Bytes of a label; text takes four for each character.
LONGEST_LABEL = 4 * 2**17


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
        with self._open() as (file, n_bytes):
            self.shape, self.fortran, self.dtype = self._header(file)
            needed = math.prod(self.shape) * self.dtype.itemsize
            if file.tell() + needed > n_bytes:  # before so much memory is asked for
                raise self._cut_short()

    def parts(self, n_rows: int) -> Iterator[Array]:
        """The array, so many rows at a time."""
        with self._open() as (file, _):
            if self._header(file) != (self.shape, self.fortran, self.dtype):
                raise WrongData(f"{self.name} was changed while it was read; start again when it is complete.")
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
            raise self._cut_short()
        return np.frombuffer(content, self.dtype).reshape(shape)

    def _cut_short(self) -> WrongData:
        return WrongData(f"{self.name} is cut short: its header promises shape {self.shape}; get the whole file.")

    def _header(self, file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
        try:
            shape, fortran, dtype = read_header(file)
        except Exception as error:  # text of unknown origin is parsed as Python: many things can go wrong
            raise WrongData(
                f"{self.name} is damaged or not an NPY file: {first_line(error)}; write it with numpy.save."
            ) from None
        if dtype.hasobject:
            raise WrongData(
                f"{self.name} holds Python objects, which are not read; save numbers (or text) with numpy.save."
            )
        if dtype.names is not None or dtype.subdtype is not None:
            raise WrongData(
                f"{self.name} holds records of several fields, which are not read; save the numbers as one array."
            )
        return shape, fortran and len(shape) > 1, dtype

    @contextmanager
    def _open(self) -> Iterator[tuple[IO[bytes], int]]:
        """The NPY file, and how many bytes it has."""
        if self.member is None:
            with open_file(self.path) as file:
                yield file, os.fstat(file.fileno()).st_size
            return
        with open_archive(self.path) as packed:
            info = packed.getinfo(f"{self.member}.npy")
            refuse_unusual_packing(self.name, info, self.path.stat().st_size)
            with packed.open(info) as file:
                yield file, info.file_size


def read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Shape, whether columns follow each other, and type of an array; NumPy parses, once the length is known."""
    start = file.read(8)
    if len(start) < 8 or start[:6] != b"\x93NUMPY":
        raise ValueError("it does not begin as NPY files do")
    version = start[6], start[7]
    if version not in LENGTH_BYTES:
        raise ValueError(f"its format is {version[0]}.{version[1]}, and formats 1.0, 2.0 and 3.0 are read")
    stored_length = file.read(LENGTH_BYTES[version])
    length = int.from_bytes(stored_length, "little")
    if length > LONGEST_HEADER:
        raise ValueError(f"its header would have {length:,} bytes")
    header = io.BytesIO(stored_length + file.read(length))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 2 wrote some numbers in another way
        # 3.0 is 2.0 with UTF-8 in the names of fields, and records with fields are not read
        one, two = np.lib.format.read_array_header_1_0, np.lib.format.read_array_header_2_0
        shape, fortran, dtype = (one if version == (1, 0) else two)(header, max_header_size=LONGEST_HEADER)
    if any(length < 0 for length in shape):
        raise ValueError(f"its shape is {shape}")
    return tuple(int(length) for length in shape), bool(fortran), dtype


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """The ZIP file that an NPZ file is; what goes wrong with it is told as one mistake."""
    with open_file(path) as file:
        try:
            with zipfile.ZipFile(file) as packed:
                yield packed
        except (Mistake, MemoryError):
            raise
        except Exception as error:  # of an altered file, any of its parts can be refused
            raise WrongData(
                f"{path} is damaged or not an NPZ file: {first_line(error)}; write it with numpy.savez."
            ) from None


def refuse_unusual_packing(name: str, info: zipfile.ZipInfo, n_bytes: int) -> None:
    """What numpy.savez and numpy.savez_compressed do not write: passwords, other packings, sizes that cannot be."""
    if info.flag_bits & ENCRYPTED:
        raise WrongData(f"{name} is encrypted; write the file with numpy.savez, without a password.")
    if info.compress_type not in LARGEST_RATIO:
        method = {zipfile.ZIP_BZIP2: "BZIP2", zipfile.ZIP_LZMA: "LZMA"}.get(info.compress_type, "another method")
        raise WrongData(
            f"{name} is packed with {method}, which is not read; write the file with numpy.savez or "
            f"numpy.savez_compressed."
        )
    if info.file_size > LARGEST_RATIO[info.compress_type] * min(info.compress_size, n_bytes) + SMALLEST_PACKED:
        raise WrongData(
            f"{name} is damaged: it promises {info.file_size:,} bytes, more than the file can hold; get the whole file."
        )


def members(path: Path) -> list[str]:
    """Names of the arrays in an NPZ file."""
    with open_archive(path) as packed:
        return [name.removesuffix(".npy") for name in packed.namelist() if name.endswith(".npy")]


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
        if not 0 < self.labels.dtype.itemsize <= LONGEST_LABEL:
            raise WrongData(
                f"{self.labels.name} holds labels of {self.labels.dtype.itemsize:,} bytes each; labels are short "
                f"names or whole numbers."
            )
        return list(self.labels.whole().tolist())

    def _refuse_unusable(self, numbers: Array, start: int) -> None:
        if usable(numbers):
            return
        i, *inside = next(index for index in np.ndindex(numbers.shape) if complaint_of_number(float(numbers[index])))
        complaint = complaint_of_number(float(numbers[i, *inside]))
        raise WrongData(f"{self.samples.name}, [{', '.join(map(str, (start + i, *inside)))}]: {complaint}.")
