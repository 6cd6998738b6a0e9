"""Named arrays and a text in one file, in the safetensors format: read lazily, checked piece by piece.

The file is a header (JSON: where each array lies, and the text) and then the arrays. What a complex array is made of is
pairs of real numbers; which arrays are complex, and the checksum of every array, stand in the header too. Arrays are
checked when they are read, so that opening a large file takes no longer than opening a small one.
"""

import contextlib
import os
import struct
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..numerics.arrays import Array
from .array_header import COMPLEX, KINDS, LONGEST_HEADER_BYTES, Place, checksum, header_of, read_header
from .atomic_write import renamed_into_place
from .model_file_error import ModelFileError
from .ordinary_files import SpecialFileError, open_ordinary_file

# A file system tells the time of a change in steps, so two changes within one step look like one. An array that was
# checked so soon after a change of its file is checked again when it is next read.
SETTLED_NANOSECONDS = 2 * 10**9
# A system call reads no more than this.
LARGEST_READ_BYTES = 2**30


def write_arrays(path: Path, text: dict[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write arrays and a text to a file that is there completely or not at all.

    Parameters
    ----------
    path : Path
    text : dict
        JSON.
    arrays : mapping from name to array
        Read one after the other, twice.
    """
    places: dict[str, Place] = {}
    position = 0
    for name, array in arrays.items():
        kind = array.dtype.name
        if COMPLEX.get(kind, kind) not in KINDS:
            raise TypeError(f"an array of {kind} cannot be stored.")
        places[name] = Place(kind, array.shape, position, position + array.nbytes, checksum(_bytes(array)))
        position += array.nbytes
    encoded = header_of(places, text)
    with renamed_into_place(path) as file:
        file.write(struct.pack("<Q", len(encoded)))
        file.write(encoded)
        for array in arrays.values():
            file.write(_bytes(array))


def _bytes(array: Array) -> memoryview:
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return little.reshape(-1).view(np.uint8).data


class ArrayFile:
    """An open file; its arrays are read when they are asked for, by any number of threads and processes at a time.

    An array is checked when it is read: by its checksum the first time, and later by the times and the size of the open
    file, which a change of its content changes. So a file that is overwritten while it is in use is noticed.
    The arrays are read without mapping the file into memory, where what was read would stay.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        try:
            self._file = open_ordinary_file(self.path)
        except SpecialFileError as error:
            raise ModelFileError(f"{self.path} is {error.kind}, not a model file: no ordinary file.") from None
        self._reading = threading.Lock()
        self._checked: dict[str, tuple[int, ...]] = {}
        try:
            self._places, self.text = self._read_header()
        except BaseException:
            os.close(self._file)
            self._file = -1
            raise

    def _read_header(self) -> tuple[dict[str, Place], dict[str, Any]]:
        size = os.fstat(self._file).st_size
        length = int.from_bytes(self._read(0, min(8, size)).tobytes(), "little")
        if size < 8:
            raise ModelFileError(f"{self.path} is truncated, or not a model file: {size} bytes are too few.")
        if length > LONGEST_HEADER_BYTES:
            raise ModelFileError(f"{self.path} is not a model file: its header would be too long.")
        if size < 8 + length:
            raise ModelFileError(f"{self.path} is truncated, or not a model file: {size} bytes are too few.")
        self._data_start = 8 + length
        try:
            return read_header(self._read(8, length).tobytes(), size - self._data_start)
        except ModelFileError as error:
            raise ModelFileError(f"{self.path} cannot be opened: {error}.") from None

    def _read(self, start: int, length: int) -> Array:
        """Up to ``length`` bytes of the file from ``start`` on; fewer where the file ends."""
        content = np.empty(length, dtype=np.uint8)
        n_read = 0
        while n_read < length:
            part = content.data[n_read : n_read + LARGEST_READ_BYTES]
            n_more = self._read_into(part, start + n_read)
            if not n_more:
                break
            n_read += n_more
        return content[:n_read]

    def _read_into(self, part: memoryview, start: int) -> int:
        """Read at a place of its own: threads and forked processes share the file, hence its position, too."""
        if hasattr(os, "preadv"):
            return os.preadv(self._file, [part], start)
        with self._reading:
            os.lseek(self._file, start, os.SEEK_SET)
            content = os.read(self._file, len(part))
        part[: len(content)] = content
        return len(content)

    @property
    def names(self) -> list[str]:
        """Names of all arrays, in the order of the header."""
        return list(self._places)

    def array(self, name: str) -> Array:
        """One array, read and checked now."""
        place = self._place(name)
        content = self._read(self._data_start + place.first, place.last - place.first)
        # After reading: whatever changed the file before or meanwhile shows in its times or its size.
        found = os.fstat(self._file)
        state = (found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        if len(content) < place.last - place.first:
            raise ModelFileError(f"{self.path} was altered: it ends within the array {name!r}.")
        if self._checked.get(name) != state:
            if checksum(content.data) != place.checksum:
                raise ModelFileError(f"{self.path} was altered: the array {name!r} does not match its checksum.")
            if abs(time.time_ns() - max(state[1:])) > SETTLED_NANOSECONDS:
                self._checked[name] = state
        little = np.dtype(place.kind).newbyteorder("<")
        return content.view(little).reshape(place.shape).astype(place.kind, copy=False)

    def kind(self, name: str) -> str:
        """Type of the numbers of an array, without reading it."""
        return self._place(name).kind

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of an array, without reading it."""
        return self._place(name).shape

    @property
    def n_bytes(self) -> int:
        """Size of the file in bytes."""
        return os.fstat(self._file).st_size

    def _place(self, name: str) -> Place:
        if not isinstance(name, str) or name not in self._places:
            raise ModelFileError(f"{self.path} lacks the array {str(name)[:80]!r}.")
        return self._places[name]

    def __del__(self) -> None:
        if getattr(self, "_file", -1) >= 0:
            with contextlib.suppress(OSError):
                os.close(self._file)
            self._file = -1
