"""Dask arrays and data frames as blocks of samples, lazily."""

from typing import Any

import dask
import dask.array as da
import numpy as np

from ..estimators.block_learning import SampleBlocks
from ..estimators.block_reading import RawBlock
from ..inputs.errors import Data, InputError, InputTypeError
from ..inputs.samples import PRECISIONS
from .dask_tasks import DaskTasks


def is_lazy(X: Any) -> bool:
    """Whether X is a Dask array or a Dask data frame (or series)."""
    return isinstance(X, da.Array) or (dask.is_dask_collection(X) and hasattr(X, "map_partitions"))


def labelled_blocks(tasks: DaskTasks, X: Any, y: Any, sample_weight: Any = None) -> SampleBlocks:
    """Samples, labels and weights, block by block; nothing is computed."""
    _refuse_plain(X, "X", "pass dask.array.from_array(X, chunks=(n_rows, -1)), or use the estimator without Dask")
    X = in_rows(X)
    columns = [_handles(X)]
    for name, other in (("y", y), ("sample_weight", sample_weight)):
        if other is None and name == "sample_weight":
            columns.append([None] * len(columns[0]))
            continue
        _refuse_plain(other, name, f"pass dask.array.from_array({name}, chunks=X.chunks[0])")
        columns.append(_handles(_aligned(X, other, name)))
        if len(columns[-1]) != len(columns[0]):
            raise InputError(
                "{data} has {n} blocks but {other} has {n_others}; pass both with the same blocks: X.repartition, or "
                "rechunk after compute_chunk_sizes().",
                data=Data("X"),
                n=len(columns[0]),
                other=Data(name),
                n_others=len(columns[-1]),
            )
    blocks = [RawBlock(number, *parts) for number, parts in enumerate(zip(*columns, strict=True))]
    return SampleBlocks(tasks, blocks, *_known_layout(X))


def in_rows(X: Any) -> Any:
    """Samples in blocks that have all features of each sample."""
    if not isinstance(X, da.Array):
        return X
    if X.ndim < 2:
        raise InputError(
            "{data} must have a row for each sample, got shape {shape}; pass X.reshape(-1, 1) if it has one feature.",
            data=Data("X"),
            shape=X.shape,
        )
    cut = {axis: -1 for axis in range(1, X.ndim) if len(X.chunks[axis]) > 1}
    return X.rechunk(cut) if cut else X


def _handles(X: Any) -> list[Any]:
    found = X.to_delayed()
    return list(found.ravel()) if isinstance(found, np.ndarray) else list(found)


def _aligned(X: Any, other: Any, name: str) -> Any:
    """Labels or weights in the blocks of the samples, where both say how long they are."""
    if isinstance(other, da.Array) and other.ndim == 2 and other.shape[1] == 1:
        other = other[:, 0]
    if not (isinstance(X, da.Array) and isinstance(other, da.Array)):
        return other
    if other.ndim != 1:
        raise InputError("{other} must have one axis, got shape {shape}.", other=Data(name), shape=other.shape)
    known = not (np.isnan(X.shape[0]) or np.isnan(other.shape[0]))
    if not known or X.chunks[0] == other.chunks[0]:
        return other
    if X.shape[0] != other.shape[0]:
        raise InputError(
            "{data} has {n_samples} samples but {other} has {n_others} entries; pass one for each sample.",
            data=Data("X"),
            n_samples=X.shape[0],
            other=Data(name),
            n_others=other.shape[0],
        )
    return other.rechunk((X.chunks[0],))


def _known_layout(X: Any) -> tuple[tuple[int, ...] | None, np.dtype | None]:
    """Shape and precision of a sample, where they are known before any is read."""
    shape = tuple(X.shape[1:]) if isinstance(X, da.Array) else (len(X.columns),)
    if any(np.isnan(n) for n in shape) or not all(isinstance(kind, np.dtype) for kind in _types(X)):
        return None, None
    return tuple(int(n) for n in shape), precision_of(X)


def precision_of(X: Any) -> np.dtype:
    """Precision that lazy samples are computed in, by what is known of their types."""
    numbers = all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in _types(X))
    common = np.result_type(*_types(X)) if numbers else np.dtype(np.float64)
    return common if common in PRECISIONS else np.dtype(np.float64)


def _types(X: Any) -> list[Any]:
    return [X.dtype] if isinstance(X, da.Array) else list(X.dtypes)


def _refuse_plain(X: Any, name: str, remedy: str) -> None:
    if not is_lazy(X):
        raise InputTypeError(
            "{data} must be a Dask array or a Dask data frame, got {kind}; {remedy}.",
            data=Data(name),
            kind=type(X).__name__,
            remedy=remedy,
        )
