"""Frames and series that cannot be read as a table of numbers: nested ones, and those that are not in memory."""

from typing import Any

import numpy as np

from .errors import Data, InputError, InputTypeError

# How many cells of a column are looked at for arrays.
CELLS_LOOKED_AT = 20


def refuse_unreadable_frames(X: Any, name: str) -> None:
    """Refuse frames of Dask, lazy frames of polars, and frames whose cells hold arrays; the message has the remedy."""
    kind = type(X)
    if hasattr(X, "__dask_graph__") and hasattr(X, "divisions"):
        raise InputTypeError(
            "{data} is a Dask {kind}, which is not in memory; pass {name}.compute().",
            data=Data(name),
            kind=kind.__name__,
            name=name,
        )
    if kind.__module__.partition(".")[0] == "polars" and hasattr(X, "collect"):
        raise InputTypeError(
            "{data} is a polars {kind}, which is not computed yet; pass {name}.collect().",
            data=Data(name),
            kind=kind.__name__,
            name=name,
        )
    nested = _nested_column(X)
    if nested is not None:
        raise InputError(
            "{data} holds an array or a list in each cell ({where}), and one number is expected there; pass one array "
            "of shape (n_samples, n_channels, length), such as {remedy}, or a list of arrays of shape (n_channels, "
            "length) where signals have unequal lengths.",
            data=Data(name),
            where=nested,
            remedy=_remedy(X, name),
        )


def _nested_column(X: Any) -> str | None:
    """Where cells hold arrays, in words; None where they do not."""
    if hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2:
        for i, (label, kind) in enumerate(zip(X.columns, X.dtypes, strict=True)):
            if getattr(kind, "kind", "O") == "O" and _hold_arrays(X.iloc[:CELLS_LOOKED_AT, i]):
                return f"column {label!r}"
    elif hasattr(X, "iloc"):
        return "a series" if X.dtype == object and _hold_arrays(X.iloc[:CELLS_LOOKED_AT]) else None
    elif isinstance(X, np.ndarray):
        return "column 0" if X.dtype == object and X.ndim == 2 and _hold_arrays(X[:CELLS_LOOKED_AT, 0]) else None
    elif type(X).__module__.partition(".")[0] == "polars" and hasattr(X, "iter_columns"):
        for column in X.iter_columns():
            if _hold_arrays(column.head(CELLS_LOOKED_AT).to_list()):
                return f"column {column.name!r}"
    return None


def _remedy(X: Any, name: str) -> str:
    if getattr(X, "ndim", 2) == 1:
        return f"np.stack({name}.tolist())"
    rows = name if isinstance(X, np.ndarray) else f"{name}.to_numpy()"
    return f"np.array([[np.asarray(cell) for cell in row] for row in {rows}])"


def _hold_arrays(cells: Any) -> bool:
    """Whether one of these cells holds several values in an order."""
    return any(isinstance(cell, (list, tuple)) or getattr(cell, "ndim", 0) > 0 for cell in cells)
