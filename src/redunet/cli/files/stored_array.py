"""Arrays in NPY and NPZ files, read from front to back; nothing in them is trusted before it is checked."""

import io
import math
import os
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from ...numerics.arrays import Array
from ..command_errors import CommandError, DataError, first_line
from .input_files import open_file

# Bytes that hold the length of the header, in each version of the NPY format; and the longest that NumPy reads.
LENGTH_BYTES, MOST_HEADER_BYTES = {(1, 0): 2, (2, 0): 4, (3, 0): 4}, 10_000
# How much larger than packed an array can be: as it is, or by deflate, whose best is 1032; and bytes that do not count.
LARGEST_RATIO, SPARE_BYTES = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}, 1024
# Bit of a member of a ZIP file that needs a password.
ENCRYPTED_BIT = 1


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
        """The array from front to back, so many rows at a time."""
        with self._open() as (file, _):
            if self._header(file) != (self.shape, self.fortran, self.dtype):
                raise DataError(f"{self.name} was changed while it was read; start again when it is complete.")
            if self.fortran and self.member is None:
                yield from self._parts_of_columns(file, n_rows)
                return
            if self.fortran:  # columns follow each other in a packed file, so that all of them are needed for one row
                whole = self._take(file, self.shape[::-1]).T
                for start in range(0, len(whole), n_rows):
                    yield np.ascontiguousarray(whole[start : start + n_rows])
                return
            for start in range(0, self.shape[0], n_rows):
                yield self._take(file, (min(n_rows, self.shape[0] - start), *self.shape[1:]))

    def _parts_of_columns(self, file: IO[bytes], n_rows: int) -> Iterator[Array]:
        """The same of an array whose columns follow each other: a piece of each column, then the next pieces."""
        begin, n_columns, itemsize = file.tell(), math.prod(self.shape[1:]), self.dtype.itemsize
        for start in range(0, self.shape[0], n_rows):
            n_here = min(n_rows, self.shape[0] - start)
            pieces = np.empty((n_columns, n_here), self.dtype)
            for j in range(n_columns):
                file.seek(begin + (j * self.shape[0] + start) * itemsize)
                pieces[j] = self._take(file, (n_here,))
            yield np.ascontiguousarray(pieces.reshape(*self.shape[:0:-1], n_here).T)

    def _take(self, file: IO[bytes], shape: tuple[int, ...]) -> Array:
        n_bytes = math.prod(shape) * self.dtype.itemsize
        content = file.read(n_bytes)
        if len(content) < n_bytes:
            raise self._cut_short()
        return np.frombuffer(content, self.dtype).reshape(shape)

    def _cut_short(self) -> DataError:
        return DataError(f"{self.name} is cut short: its header promises shape {self.shape}; get the whole file.")

    def _header(self, file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
        try:
            shape, fortran, dtype = read_header(file)
        except Exception as error:  # text of unknown origin is parsed as Python: many things can go wrong
            raise DataError(
                f"{self.name} is damaged or not an NPY file: {first_line(error)}; write it with numpy.save."
            ) from None
        if dtype.hasobject:
            raise DataError(
                f"{self.name} holds Python objects, which are not read; save numbers (or text) with numpy.save."
            )
        if dtype.names is not None or dtype.subdtype is not None:
            raise DataError(
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
    if length > MOST_HEADER_BYTES:
        raise ValueError(f"its header would have {length:,} bytes")
    header = io.BytesIO(stored_length + file.read(length))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 2 wrote some numbers in another way
        # 3.0 is 2.0 with UTF-8 in the names of fields, and records with fields are not read
        one, two = np.lib.format.read_array_header_1_0, np.lib.format.read_array_header_2_0
        shape, fortran, dtype = (one if version == (1, 0) else two)(header, max_header_size=MOST_HEADER_BYTES)
    if any(length < 0 for length in shape):
        raise ValueError(f"its shape is {shape}")
    return tuple(int(length) for length in shape), bool(fortran), dtype


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """The ZIP file that an NPZ file is; whatever is wrong with it becomes one error."""
    with open_file(path) as file:
        try:
            with zipfile.ZipFile(file) as packed:
                yield packed
        except (CommandError, MemoryError):
            raise
        except Exception as error:  # of an altered file, any of its parts can be refused
            raise DataError(
                f"{path} is damaged or not an NPZ file: {first_line(error)}; write it with numpy.savez."
            ) from None


def refuse_unusual_packing(name: str, info: zipfile.ZipInfo, n_bytes: int) -> None:
    """What numpy.savez and numpy.savez_compressed do not write: passwords, other packings, sizes that cannot be."""
    if info.flag_bits & ENCRYPTED_BIT:
        raise DataError(f"{name} is encrypted; write the file with numpy.savez, without a password.")
    if info.compress_type not in LARGEST_RATIO:
        method = {zipfile.ZIP_BZIP2: "BZIP2", zipfile.ZIP_LZMA: "LZMA"}.get(info.compress_type, "another method")
        raise DataError(
            f"{name} is packed with {method}, which is not read; write the file with numpy.savez or "
            f"numpy.savez_compressed."
        )
    if info.file_size > LARGEST_RATIO[info.compress_type] * min(info.compress_size, n_bytes) + SPARE_BYTES:
        raise DataError(
            f"{name} is damaged: it promises {info.file_size:,} bytes, more than the file can hold; get the whole file."
        )


def array_names(path: Path) -> list[str]:
    """Names of the arrays in an NPZ file."""
    with open_archive(path) as packed:
        return [name.removesuffix(".npy") for name in packed.namelist() if name.endswith(".npy")]
