"""Values as JSON and arrays, in the way that model files and the progress of fits hold them."""

import math
from collections.abc import Callable
from types import FunctionType, NoneType
from typing import Any

import numpy as np
import scipy.sparse

from ..inputs.byte_sizes import readable_bytes
from ..numerics.arrays import Array
from .array_header import SPARE_BYTES
from .model_file_error import ModelFileError
from .stored_types import ESTIMATORS, OPTIONAL_ATTRIBUTES, StoredType, stored_type_of

# The arrays that a sparse matrix is made of.
SPARSE_PARTS = ("data", "indices", "indptr")


def encode(values: dict[str, Any], name: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Values by name as JSON, and their arrays, whose names begin with ``name``."""
    encoder = Encoder()
    return {key: encoder.encode(value, f"{name}/{key}") for key, value in values.items()}, encoder.arrays


class Encoder:
    """Turns values into JSON; arrays are set apart and named after the place that they were found in."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        # The first that a value is an instance of decides.
        self._ways: list[tuple[Any, Callable[[Any, str], Any]]] = [
            ((NoneType, bool, int, str), lambda value, _: value),
            ((float, np.generic), self._number),
            (np.ndarray, self._array),
            (np.dtype, lambda value, _: {"dtype": value.name}),
            (tuple, lambda value, name: {"tuple": self._items(value, name)}),
            (list, lambda value, name: {"list": self._items(value, name)}),
            (dict, lambda value, name: {"dict": self._items(value.items(), name)}),
            (scipy.sparse.csr_array, self._sparse),
            (np.random.RandomState, self._random_state),
        ]

    def encode(self, value: Any, name: str) -> Any:
        """One value as JSON; ``name`` is what its arrays are called by, and what an error calls it."""
        for kinds, way in self._ways:
            if isinstance(value, kinds):
                return way(value, name)
        stored = stored_type_of(value)
        if stored is None:
            raise _unknown(value, name)
        if stored.name in ESTIMATORS:
            return self._estimator(value, stored, name)
        fields = {key: self._field(value, key, stored, name) for key in stored.fields}
        return {"record": stored.name, "fields": fields}

    def _field(self, record: Any, key: str, stored: StoredType, name: str) -> Any:
        encoding = stored.encodings.get(key)
        if encoding is None:
            return self.encode(getattr(record, key), f"{name}/{key}")
        text, arrays = encoding.write(record)
        self.arrays |= arrays
        return {encoding.kind: text}

    def _estimator(self, value: Any, stored: StoredType, name: str) -> Any:
        params = {key: self.encode(one, f"{name}/{key}") for key, one in value.get_params(deep=False).items()}
        known = {*stored.attributes, *OPTIONAL_ATTRIBUTES}
        fitted = [key for key in vars(value) if key in known or (key.endswith("_") and not key.startswith("_"))]
        for key in fitted:
            if key not in known:
                raise TypeError(f"{key} is no attribute of {stored.name} that a model file holds; remove it.")
        found = {key: self.encode(getattr(value, key), f"{name}/{key}") for key in fitted}
        return {"estimator": stored.name, "params": params, "fitted": found}

    def _items(self, values: Any, name: str) -> list[Any]:
        return [self.encode(one, f"{name}/{i}") for i, one in enumerate(values)]

    def _number(self, value: Any, name: str) -> Any:
        plain = value.item() if isinstance(value, np.generic) else value
        if not isinstance(plain, (bool, int, float)):
            raise _unknown(value, name)
        return plain if math.isfinite(plain) else {"float": repr(plain)}

    def _sparse(self, value: scipy.sparse.csr_array, name: str) -> Any:
        parts = {part: self._array(getattr(value, part), f"{name}/{part}") for part in SPARSE_PARTS}
        return {"sparse": parts, "shape": list(value.shape)}

    def _random_state(self, value: np.random.RandomState, name: str) -> Any:
        kind, keys, *rest = value.get_state()
        return {"random_state": [kind, [int(key) for key in keys], *rest]}

    def _array(self, value: Array, name: str) -> Any:
        dtype = value.dtype
        if dtype.kind in "fciub" and dtype.name != "float16":
            self.arrays[name] = value.astype(np.int64) if dtype.kind in "iu" and dtype.itemsize < 8 else value
            return {"array": name, "dtype": dtype.str}
        if dtype.kind in "US":
            refuse_long_words(value.nbytes)
            return {"words": [one if isinstance(one, str) else one.hex() for one in value.tolist()], "dtype": dtype.str}
        if dtype.kind in "mM":
            return {"times": value.astype(np.int64).tolist(), "dtype": dtype.str}
        if dtype.kind == "O" and value.ndim == 1:
            return {"objects": [self.encode(one, name) for one in value.tolist()]}
        raise TypeError(f"{name.removeprefix('model/')} holds {dtype}, which a model file cannot hold; use pickle.")


def refuse_long_words(n_bytes: int) -> None:
    """Refuse text labels that would take far more memory than a file of them, when they are saved and when loaded."""
    if n_bytes > SPARE_BYTES // 2:
        raise ModelFileError(
            f"the labels of the model take {readable_bytes(n_bytes)} as text of one width; shorten the longest one."
        )


def _unknown(value: Any, name: str) -> TypeError:
    if isinstance(value, FunctionType):
        return TypeError(
            f"{name.removeprefix('model/')} is a function ({value.__qualname__}), which no model file holds; pass what "
            f"it does by a name, if it has one, or use pickle."
        )
    return TypeError(
        f"{name.removeprefix('model/')} is of type {type(value).__name__}, which no model file holds; use pickle."
    )
