"""Named arrays and a text in one file, in the safetensors format: read lazily, checked piece by piece.

The file is a header (JSON: where each array lies, and the text) and then the arrays. What a complex array is made of is
pairs of real numbers; which arrays are complex, and the checksum of every array, stand in the header too. Arrays are
checked when they are first read, so that opening a large file takes no longer than opening a small one.
"""

import hashlib
import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from ..numerics.arrays import Array
from .whole import renamed_into_place

MAGIC = "redunet"
KINDS = {"float32": "F32", "float64": "F64", "int64": "I64", "int32": "I32", "uint8": "U8", "bool": "BOOL"}
COMPLEX = {"complex64": "float32", "complex128": "float64"}
# A header this long would hold millions of arrays; the format's own limit is 100 MB.
LONGEST_HEADER = 100_000_000


class ModelFileError(ValueError):
    """A model file that cannot be read: truncated, altered, of another format, or of shapes that do not fit."""


def write_arrays(path: Path, text: dict[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write the file so that it is there as a whole or not at all.

    Parameters
    ----------
    path : Path
    text : dict
        JSON.
    arrays : mapping from name to array
        Read one after the other, twice.
    """
    header: dict[str, Any] = {}
    described: dict[str, Any] = {}
    position = 0
    for name, array in arrays.items():
        kind = array.dtype.name
        stored = COMPLEX.get(kind, kind)
        if stored not in KINDS:
            raise TypeError(f"an array of {kind} cannot be stored.")
        shape = [*array.shape, 2] if kind in COMPLEX else list(array.shape)
        header[name] = {"dtype": KINDS[stored], "shape": shape, "data_offsets": [position, position + array.nbytes]}
        described[name] = [kind, checksum(_bytes(array))]
        position += array.nbytes
    content = json.dumps({"text": text, "arrays": described}, ensure_ascii=False, allow_nan=False)
    header["__metadata__"] = {MAGIC: content, "sha256": hashlib.sha256(content.encode()).hexdigest()}
    encoded = json.dumps(header, ensure_ascii=False).encode()
    encoded += b" " * (-len(encoded) % 8)
    with renamed_into_place(path) as file:
        file.write(struct.pack("<Q", len(encoded)))
        file.write(encoded)
        for array in arrays.values():
            file.write(_bytes(array))


def checksum(content: bytes | memoryview) -> str:
    """Half of a SHA-256: enough to notice what changed by accident."""
    return hashlib.sha256(content).hexdigest()[:32]


def _bytes(array: Array) -> memoryview:
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return little.reshape(-1).view(np.uint8).data


class ArrayFile:
    """An open file; its arrays are read when they are asked for, and are checked the first time.

    The header is checked by the safetensors library. The arrays themselves are read without mapping the file into
    memory, where what was read would stay.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise ModelFileError(f"{self.path} is a folder, not a model file.")
        self._file = open(self.path, "rb")  # noqa: SIM115 - it stays open as long as arrays are read from it
        try:
            header = self._read_header()
            content = self._checked_content(header.pop("__metadata__", {}))
            self._read_content(content)
        except BaseException:
            self._file.close()
            raise
        self._places: dict[str, Any] = header
        if set(self._described) != set(self._places):
            raise ModelFileError(f"{self.path} was altered: it does not hold the arrays that its header lists.")
        self._checked: set[str] = set()

    def _read_header(self) -> dict[str, Any]:
        """Where each array lies, by name, after the library has found the file to be whole."""
        start = self._file.read(8)
        size = os.fstat(self._file.fileno()).st_size
        length = int.from_bytes(start, "little")
        if length > LONGEST_HEADER:
            raise ModelFileError(f"{self.path} is not a model file: its header would be too long.")
        if len(start) < 8 or size < 8 + length:
            raise ModelFileError(f"{self.path} is truncated, or not a model file: {size} bytes are too few.")
        try:
            opening: Any = safe_open  # untyped
            with opening(str(self.path), framework="numpy"):
                pass
            header: dict[str, Any] = json.loads(self._file.read(length))
        except (SafetensorError, OSError, ValueError, MemoryError, RecursionError) as error:
            raise ModelFileError(f"{self.path} is damaged or not a model file: {error}") from None
        self._data_start = 8 + length
        return header

    def _checked_content(self, metadata: dict[str, str]) -> str:
        content = metadata.get(MAGIC)
        if content is None:
            raise ModelFileError(f"{self.path} holds arrays, but no redunet model.")
        if hashlib.sha256(content.encode()).hexdigest() != metadata.get("sha256"):
            raise ModelFileError(f"{self.path} was altered: its header does not match its checksum.")
        return content

    def _read_content(self, content: str) -> None:
        try:
            found = json.loads(content)
            self.text: dict[str, Any] = found["text"]
            self._described: dict[str, list[str]] = dict(found["arrays"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ModelFileError(f"{self.path} has a header that cannot be read: {error}") from None

    @property
    def names(self) -> list[str]:
        """Of all arrays."""
        return list(self._described)

    def array(self, name: str) -> Array:
        """One array, read now."""
        if name not in self._described:
            raise ModelFileError(f"{self.path} lacks the array {name!r}.")
        place, (kind, expected) = self._places[name], self._described[name]
        stored = COMPLEX.get(kind, kind)
        if KINDS.get(stored) != place["dtype"] or (kind in COMPLEX and place["shape"][-1:] != [2]):
            raise ModelFileError(f"{self.path}: the array {name!r} is of {place['dtype']}, not of {kind}.")
        first, last = place["data_offsets"]
        content = np.empty(last - first, dtype=np.uint8)
        self._file.seek(self._data_start + first)
        if self._file.readinto(content.data) != len(content):
            raise ModelFileError(f"{self.path} ends within the array {name!r}.")
        if name not in self._checked:
            if checksum(content.data) != expected:
                raise ModelFileError(f"{self.path} was altered: the array {name!r} does not match its checksum.")
            self._checked.add(name)
        little = np.dtype(kind).newbyteorder("<")
        return content.view(little).reshape(self.shape(name)).astype(kind, copy=False)

    def kind(self, name: str) -> str:
        """Type of the numbers of an array, without reading it."""
        if name not in self._described:
            raise ModelFileError(f"{self.path} lacks the array {name!r}.")
        return self._described[name][0]

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of an array, without reading it."""
        if name not in self._described:
            raise ModelFileError(f"{self.path} lacks the array {name!r}.")
        shape = tuple(self._places[name]["shape"])
        return shape[:-1] if self._described[name][0] in COMPLEX else shape

    def __del__(self) -> None:
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()
