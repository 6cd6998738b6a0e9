"""Model files: an estimator as text and arrays, and back. Loading runs no code that a file could bring along."""

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_is_fitted

from .. import __version__
from ..estimators.classifier import ReduNetClassifier
from ..estimators.features import ReduNet
from ..estimators.nearest import NearestSubspaceClassifier
from ..evidence.leave_one_out import Evidence
from ..inputs.byte_sizes import readable_bytes
from ..lift.lift import Lift
from ..lift.polar import PolarGrid
from ..lift.responses import FilterBank
from ..measures.code import CodeBooks
from ..measures.subspace import NearestSubspaces
from ..network.geometry import Geometry, Span
from ..network.history import History
from ..network.network import Network
from ..numerics.arrays import Array
from .array_file import ArrayFile, write_arrays
from .array_header import SPARE_BYTES, ModelFileError, checksum
from .stored_checks import FITTED, check_model
from .stored_layers import StoredLayers, arrays_of_layers

FORMAT = 2
# What older formats do not say, and what they meant: by the first format that says it.
LATER: dict[int, dict[str, dict[str, Any]]] = {
    2: {"Lift": {"unit_scale": False}, "FilterBank": {"unit_scale": False}},
}
# What a file may name, and nothing else.
ESTIMATORS: dict[str, type] = {
    kind.__name__: kind for kind in (ReduNet, ReduNetClassifier, NearestSubspaceClassifier, Lift, PolarGrid)
}
RECORDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (Network, Geometry, Span, FilterBank, History, Evidence, NearestSubspaces, CodeBooks)
}
DTYPES = ("float32", "float64")
# Fitted attributes beside those that end with an underscore.
HIDDEN = ("_sharpness", "_weights")
DEEPEST = 20


def save_model(estimator: Any, path: Path) -> None:
    """Write a fitted estimator to a file, which holds either the whole model or what it held before."""
    check_is_fitted(estimator)
    writer = _Writer()
    text = {"format": FORMAT, "version": __version__, "model": writer.encode(estimator, "model")}
    try:
        write_arrays(path, text, writer.arrays)
    except OSError as error:
        told = f"{error.strerror or error}: the model was not written; what was there before is unchanged"
        raise OSError(error.errno, told, str(path)) from error


def load_model(path: Path) -> Any:
    """The estimator of a file. Its layers stay in the file until a sample passes them."""
    file = ArrayFile(path)
    version = file.text.get("format")
    if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= FORMAT:
        raise ModelFileError(
            f"{path} is of format {version!r}, written by redunet {_written_by(file)}; this is redunet {__version__}, "
            f"which reads formats 1 to {FORMAT}. Use the version that wrote it, or a newer one."
        )
    try:
        model = _Reader(file, version).decode(file.text["model"])
        if type(model).__name__ not in ESTIMATORS:
            raise ModelFileError(f"{path} holds {type(model).__name__}, which is no estimator.")
        check_model(model, file.n_bytes)
    except ModelFileError:
        raise
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path} does not hold a model that fits together: {str(error)[:300]}") from None
    return model


def parameters_text(estimator: Any) -> Any:
    """Kind and parameters of an estimator as JSON, arrays by their checksums; without what only shows."""
    writer = _Writer()
    params = {name: value for name, value in estimator.get_params(deep=False).items() if name != "verbose"}
    text = {name: writer.encode(value, name) for name, value in params.items()}
    sums = {name: checksum(np.ascontiguousarray(array).tobytes()) for name, array in writer.arrays.items()}
    return {"estimator": type(estimator).__name__, "parameters": text, "arrays": sums}


def encoded(values: dict[str, Any], name: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Values by name as JSON, as a model file holds them, and their arrays, whose names begin with ``name``."""
    writer = _Writer()
    return {key: writer.encode(value, f"{name}/{key}") for key, value in values.items()}, writer.arrays


def decoded(file: ArrayFile, found: Any) -> Any:
    """A value that :func:`encoded` gave, from a file that this version wrote."""
    return _Reader(file, FORMAT).decode(found)


def _written_by(file: ArrayFile) -> str:
    """The version that a file says it was written by."""
    return str(file.text.get("version", "of an unknown version"))[:40]


class _Writer:
    """Values as JSON; arrays go by name."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}

    def encode(self, value: Any, name: str) -> Any:
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, (float, np.generic)) and not isinstance(value, np.str_ | np.bytes_):
            plain = value.item() if isinstance(value, np.generic) else value
            return {"float": repr(plain)} if isinstance(plain, float) and not math.isfinite(plain) else plain
        if isinstance(value, np.ndarray):
            return self._array(value, name)
        if isinstance(value, np.dtype):
            return {"dtype": value.name}
        if isinstance(value, (tuple, list)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [self.encode(one, f"{name}/{i}") for i, one in enumerate(value)]}
        if isinstance(value, scipy.sparse.csr_array):
            parts = {part: self._array(getattr(value, part), f"{name}/{part}") for part in _SPARSE}
            return {"sparse": parts, "shape": list(value.shape)}
        if isinstance(value, np.random.RandomState):
            kind, keys, *rest = value.get_state()
            return {"random_state": [kind, [int(key) for key in keys], *rest]}
        if type(value).__name__ in RECORDS:
            fields = [field.name for field in dataclasses.fields(value)]
            return {"record": type(value).__name__, "fields": self._fields(value, fields, name)}
        if type(value).__name__ in ESTIMATORS:
            return self._estimator(value, name)
        raise TypeError(
            f"{name.removeprefix('model/')} is of type {type(value).__name__}, which no model file holds; use pickle."
        )

    def _estimator(self, value: Any, name: str) -> Any:
        params = {key: self.encode(one, f"{name}/{key}") for key, one in value.get_params(deep=False).items()}
        fitted = [key for key in vars(value) if key in HIDDEN or (key.endswith("_") and not key.startswith("_"))]
        return {"estimator": type(value).__name__, "params": params, "fitted": self._fields(value, fitted, name)}

    def _fields(self, value: Any, names: list[str], path: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key in names:
            one = getattr(value, key)
            if isinstance(value, Network) and key == "layers":
                text, arrays = arrays_of_layers(one) if len(one) else (None, {})
                found[key] = {"layers": text}
                self.arrays |= arrays
            else:
                found[key] = self.encode(one, f"{path}/{key}")
        return found

    def _array(self, value: Array, name: str) -> Any:
        if value.dtype.kind in "fciub" and value.dtype.name != "float16":
            stored = value.astype(np.int64) if value.dtype.kind in "iu" and value.dtype.itemsize < 8 else value
            self.arrays[name] = stored
            return {"array": name, "dtype": value.dtype.str}
        if value.dtype.kind in "US":
            _refuse_long_words(value.nbytes)
            return {"words": [one if isinstance(one, str) else one.hex() for one in value.tolist()],
                    "dtype": value.dtype.str}  # fmt: skip
        if value.dtype.kind in "mM":
            return {"times": value.astype(np.int64).tolist(), "dtype": value.dtype.str}
        if value.dtype == object and value.ndim == 1:
            return {"objects": [self.encode(one, name) for one in value.tolist()]}
        raise TypeError(
            f"{name.removeprefix('model/')} holds {value.dtype}, which a model file cannot hold; use pickle."
        )


_SPARSE = ("data", "indices", "indptr")


class _Reader:
    """The inverse of the writer; anything else than what it writes is an error."""

    def __init__(self, file: ArrayFile, version: int) -> None:
        self.file = file
        self.meant: dict[str, dict[str, Any]] = {}
        for later in sorted(LATER):
            if later > version:
                for kind, values in LATER[later].items():
                    self.meant[kind] = self.meant.get(kind, {}) | values
        self.kinds: dict[str, Callable[[dict[str, Any], int], Any]] = {
            "float": lambda found, _: {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}[found["float"]],
            "array": self._array,
            "words": lambda found, _: _words(found),
            "times": lambda found, _: np.array(found["times"], dtype=np.int64).view(_dtype(found["dtype"], "mM")),
            "objects": self._objects,
            "dtype": lambda found, _: np.dtype(_one_of(found["dtype"], DTYPES)),
            "tuple": lambda found, depth: tuple(self.decode(one, depth) for one in found["tuple"]),
            "list": lambda found, depth: [self.decode(one, depth) for one in found["list"]],
            "sparse": self._sparse,
            "random_state": lambda found, _: _random_state(found["random_state"]),
            "record": self._record,
            "estimator": self._estimator,
            "layers": lambda found, _: () if found["layers"] is None else StoredLayers(self.file, found["layers"]),
        }

    def decode(self, found: Any, depth: int = 0) -> Any:
        if not isinstance(found, dict):
            if isinstance(found, list):
                raise ModelFileError(f"{self.file.path} has a list where none belongs.")
            return found
        if depth > DEEPEST:
            raise ModelFileError(f"{self.file.path} is nested too deeply.")
        for kind, read in self.kinds.items():
            if kind in found:
                return read(found, depth + 1)
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
        parts = [self.decode(found["sparse"][part], depth) for part in _SPARSE]
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
        kind = RECORDS[_one_of(found["record"], RECORDS)]
        names = {field.name for field in dataclasses.fields(kind)}
        if set(found["fields"]) - names:
            raise ModelFileError(f"{self.file.path} has unknown fields of {kind.__name__}.")
        fields = {name: self.decode(one, depth) for name, one in found["fields"].items()}
        return kind(**self.meant.get(kind.__name__, {}) | fields)

    def _estimator(self, found: dict[str, Any], depth: int) -> Any:
        kind = ESTIMATORS[_one_of(found["estimator"], ESTIMATORS)]
        params = {name: self.decode(one, depth) for name, one in found["params"].items()}
        estimator = kind(**self.meant.get(kind.__name__, {}) | params)
        for name, one in found["fitted"].items():
            if name != "feature_names_in_" and name not in FITTED[kind.__name__]:
                raise ModelFileError(f"{self.file.path} has an attribute of an unknown kind: {name[:80]!r}.")
            setattr(estimator, name, self.decode(one, depth))
        return estimator


def _one_of(name: Any, names: Any) -> Any:
    if not isinstance(name, str) or name not in names:
        raise ModelFileError(f"a model file names {name!r}, which is none of {', '.join(names)}.")
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
    _refuse_long_words(len(words) * longest * (4 if dtype.kind == "U" else 1))
    return np.array(words, dtype=f"{dtype.kind}{max(1, longest)}")


def _refuse_long_words(n_bytes: int) -> None:
    """Refuse text labels that would take far more memory than a file of them, when they are saved and when loaded."""
    if n_bytes > SPARE_BYTES // 2:
        raise ModelFileError(
            f"the labels of the model take {readable_bytes(n_bytes)} as text of one width; shorten the longest one."
        )


def _random_state(state: Any) -> np.random.RandomState:
    kind, keys, position, has_gauss, cached = state
    if not 0 <= int(position) <= len(keys):  # beyond its end the generator would read other memory
        raise ModelFileError("a model file has a random state that is none.")
    random_state = np.random.RandomState(0)
    random_state.set_state((str(kind), np.array(keys, dtype=np.uint32), int(position), int(has_gauss), float(cached)))
    return random_state
