"""JSON and arrays of a file back into values. Reading runs no code that a file could bring along."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from ..numerics.arrays import Array
from .array_file import ArrayFile
from .encoding import SPARSE_PARTS, refuse_long_words
from .model_file_error import ModelFileError
from .stored_types import ESTIMATORS, OPTIONAL_ATTRIBUTES, RECORDS, FieldEncoding

# Precisions that a model computes in.
PRECISIONS = ("float32", "float64")
# Values within values, at most.
NESTING_LIMIT = 20


class Decoder:
    """The inverse of :class:`~redunet.storage.encoding.Encoder`; what that does not write is refused.

    Parameters
    ----------
    file : ArrayFile
    file_format : int
        Format of the file, which says what it means where it lacks something.
    """

    def __init__(self, file: ArrayFile, file_format: int) -> None:
        self.file, self.file_format = file, file_format
        # By the key that an entry has.
        self._ways: dict[str, Callable[[dict[str, Any], int], Any]] = {
            "float": lambda found, _: {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}[found["float"]],
            "array": self._array,
            "words": lambda found, _: _words(found),
            "times": lambda found, _: np.array(found["times"], dtype=np.int64).view(_dtype(found["dtype"], "mM")),
            "objects": self._objects,
            "dtype": lambda found, _: np.dtype(_one_of(found["dtype"], PRECISIONS)),
            "tuple": lambda found, depth: tuple(self.decode(one, depth) for one in found["tuple"]),
            "list": lambda found, depth: [self.decode(one, depth) for one in found["list"]],
            "dict": lambda found, depth: dict(self.decode(one, depth) for one in found["dict"]),
            "sparse": self._sparse,
            "random_state": lambda found, _: _random_state(found["random_state"]),
            "record": self._record,
            "estimator": self._estimator,
        }

    def decode(self, found: Any, depth: int = 0) -> Any:
        """One value of the JSON, ``depth`` values deep."""
        if not isinstance(found, dict):
            if isinstance(found, list):
                raise ModelFileError(f"{self.file.path} has a list where none belongs.")
            return found
        if depth > NESTING_LIMIT:
            raise ModelFileError(f"{self.file.path} is nested too deeply.")
        for kind, way in self._ways.items():
            if kind in found:
                return way(found, depth + 1)
        raise ModelFileError(f"{self.file.path} has an entry of an unknown kind: {sorted(found)[:3]}.")

    def _array(self, found: dict[str, Any], depth: int) -> Array:
        array = self.file.array(found["array"])
        dtype = _dtype(found["dtype"], "fciub")
        same = dtype.newbyteorder("=") == array.dtype
        smaller = array.dtype == np.int64 and dtype.kind in "iu" and dtype.itemsize <= 8
        if not (same or smaller):
            raise ModelFileError(f"{self.file.path}: the array {found['array']!r} is of {array.dtype}, not of {dtype}.")
        return array.astype(dtype, copy=False)

    def _objects(self, found: dict[str, Any], depth: int) -> Array:
        values = [self.decode(one, depth) for one in found["objects"]]
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array

    def _sparse(self, found: dict[str, Any], depth: int) -> Any:
        parts = [self.decode(found["sparse"][part], depth) for part in SPARSE_PARTS]
        data, indices, indptr = parts
        kinds = [(data, "f"), (indices, "i"), (indptr, "i")]
        if not all(isinstance(one, np.ndarray) and one.ndim == 1 and one.dtype.kind == kind for one, kind in kinds):
            raise ModelFileError(f"{self.file.path} has a sparse matrix of parts that do not fit.")
        n_rows, n_columns = found["shape"]
        fits = all(type(n) is int and 0 <= n < 2**31 for n in (n_rows, n_columns)) and len(indptr) == n_rows + 1
        # Compiled loops go by these numbers, and the check of the library leaves some of them out.
        fits = (
            fits and indptr[0] == 0 and indptr[-1] == len(data) == len(indices) and bool((np.diff(indptr) >= 0).all())
        )
        if not fits or not ((indices >= 0) & (indices < n_columns)).all():
            raise ModelFileError(f"{self.file.path} has a sparse matrix of parts that do not fit.")
        return scipy.sparse.csr_array((data, indices, indptr), shape=(n_rows, n_columns))

    def _record(self, found: dict[str, Any], depth: int) -> Any:
        stored = RECORDS[_one_of(found["record"], RECORDS)]
        if set(found["fields"]) - set(stored.fields):
            raise ModelFileError(f"{self.file.path} has unknown fields of {stored.name}.")
        fields = {name: self._field(one, stored.encodings.get(name), depth) for name, one in found["fields"].items()}
        return stored.made_of(**stored.values_before(self.file_format) | fields)

    def _field(self, found: Any, encoding: FieldEncoding | None, depth: int) -> Any:
        if encoding is None:
            return self.decode(found, depth)
        if not isinstance(found, dict) or set(found) != {encoding.kind}:
            raise ModelFileError(f"{self.file.path} has something else where {encoding.kind} belong.")
        return encoding.read(self.file, found[encoding.kind])

    def _estimator(self, found: dict[str, Any], depth: int) -> Any:
        stored = ESTIMATORS[_one_of(found["estimator"], ESTIMATORS)]
        params = {name: self.decode(one, depth) for name, one in found["params"].items()}
        estimator = stored.made_of(**stored.values_before(self.file_format) | params)
        for name, one in found["fitted"].items():
            if name not in OPTIONAL_ATTRIBUTES and name not in stored.attributes:
                raise ModelFileError(f"{self.file.path} has an attribute of an unknown kind: {name[:80]!r}.")
            setattr(estimator, name, self.decode(one, depth))
        return estimator


def _one_of(name: Any, names: Any) -> Any:
    if not isinstance(name, str) or name not in names:
        raise ModelFileError(f"a model file names {repr(name)[:80]}, which is none of {', '.join(sorted(names))}.")
    return name


def _dtype(text: Any, kinds: str) -> np.dtype:
    dtype = np.dtype(str(text))
    if dtype.kind not in kinds:
        raise ModelFileError(f"a model file has an array of {dtype}, which does not belong there.")
    return dtype


def _words(found: dict[str, Any]) -> Array:
    dtype = _dtype(found["dtype"], "US")
    words = [bytes.fromhex(one) if dtype.kind == "S" else str(one) for one in found["words"]]
    # The width in the file is not believed, and one long word among many short ones takes the memory of many long ones.
    longest = max((len(one) for one in words), default=1)
    refuse_long_words(len(words) * longest * (4 if dtype.kind == "U" else 1))
    return np.array(words, dtype=f"{dtype.kind}{max(1, longest)}")


def _random_state(state: Any) -> np.random.RandomState:
    kind, keys, position, has_gauss, cached = state
    if not 0 <= int(position) <= len(keys):  # beyond its end the generator would read other memory
        raise ModelFileError("a model file has a random state that is none.")
    random_state = np.random.RandomState(0)
    random_state.set_state((str(kind), np.array(keys, dtype=np.uint32), int(position), int(has_gauss), float(cached)))
    return random_state
