"""What the estimators for Dask share: fits to blocks, answers that are lazy, and the way back to a plain estimator."""

import os
import pickle
from collections.abc import Callable, Sequence
from typing import Any, Self

import dask
import dask.array as da
import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from ..estimators.block_learning import BlockLearner
from ..estimators.block_reading import errors_of_block
from ..estimators.reading import TrainingData
from ..inputs.errors import Data, InputTypeError
from ..numerics.arrays import Array
from .collection_blocks import in_rows, is_lazy, labelled_blocks
from .dask_tasks import DaskTasks, tasks_of


class LazyEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator for Dask collections that computes what a plain one computes, block by block."""

    client: Any
    # The plain estimator.
    _local_class: type[BlockLearner]

    @property
    def client_(self) -> Any:
        """The client that is used: the one that was given, the default one, or None for the threads of this process."""
        return self._tasks.client

    def to_local(self) -> Any:
        """The same model as a plain estimator, which saves, loads and reports, and knows nothing of Dask.

        Returns
        -------
        ReduNetClassifier or ReduNet
            Fitted.
        """
        check_is_fitted(self)
        local = self._unfitted_local()
        params = self.get_params(deep=False)
        local.__dict__.update({name: value for name, value in vars(self).items() if name not in params})
        return local

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, as the plain estimator does; :func:`redunet.load` gives that one."""
        self.to_local().save(path)

    @property
    def _tasks(self) -> DaskTasks:
        return tasks_of(self.client)

    def _unfitted_local(self) -> Any:
        params = self.get_params(deep=False)
        del params["client"]
        return self._local_class(**params)

    def _fit_lazily(self, X: Any, y: Any, sample_weight: Any, classes: Any, checkpoint: Any) -> Self:
        local = self._unfitted_local()
        local.check_parameters()
        local.fit_blocks(labelled_blocks(self._tasks, X, y, sample_weight), classes, checkpoint)
        params = self.get_params(deep=False)
        for name in [name for name in vars(self) if name.endswith("_") and name not in params]:
            delattr(self, name)
        self.__dict__.update({name: value for name, value in vars(local).items() if name not in params})
        return self

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, groups: Any = None, *, thin: bool = False
    ) -> TrainingData:
        """Plain samples; lazy ones are read block by block, by fit alone."""
        _refuse_lazy(X)
        return super()._read_training(X, y, sample_weight, groups, thin=thin)

    def _read_new(self, X: Any) -> tuple[Array, bool]:
        """Plain samples; lazy ones are read block by block, by methods that give lazy arrays."""
        _refuse_lazy(X)
        return super()._read_new(X)

    def _mapped(self, method: str, X: Any, row_shape: tuple[int, ...], dtype: np.dtype) -> Any:
        """What a method of the plain estimator makes of samples, lazily, block by block; at once for plain samples.

        Parameters
        ----------
        method : str
        X : Dask array or data frame, or array-like
        row_shape : tuple of int
            Shape of the answer to one sample.
        dtype : dtype
            Of the answers.
        """
        local = self.to_local()
        if not is_lazy(X):
            return getattr(local, method)(X)
        X = in_rows(X)
        model = dask.delayed(pickle.loads, pure=True)(pickle.dumps(local, protocol=pickle.HIGHEST_PROTOCOL))
        meta = np.empty((0, *row_shape), dtype=dtype)
        if isinstance(X, da.Array):
            # Axis i of X is called i; those of the answers that are not the first are new.
            new_axes = {X.ndim + i: n for i, n in enumerate(row_shape)}
            numbers = da.arange(X.numblocks[0], chunks=1)
            return da.blockwise(
                answers_to, (0, *new_axes), X, tuple(range(X.ndim)), numbers, (0,), new_axes=new_axes,
                align_arrays=False, concatenate=True, dtype=dtype, meta=meta, local=model, method=method,
                row_shape=row_shape, answer_type=dtype,
            )  # fmt: skip
        task = dask.delayed(answers_to, pure=True)
        parts = [
            da.from_delayed(task(block, number, model, method, row_shape, dtype), (np.nan, *row_shape), dtype, meta)
            for number, block in enumerate(X.to_delayed())
        ]
        return da.concatenate(parts, axis=0, allow_unknown_chunksizes=True)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None}

    def __sklearn_clone__(self) -> Any:
        """A copy that is not fitted, with the same client, which cannot be copied."""
        params = {name: clone(value, safe=False) for name, value in self._plain_params().items()}
        return type(self)(**params, client=self.client)

    def _plain_params(self) -> dict[str, Any]:
        return {name: value for name, value in self.get_params(deep=False).items() if name != "client"}


def _refuse_lazy(X: Any) -> None:
    if is_lazy(X):
        raise InputTypeError(
            "{data} is lazy, and this method takes plain arrays; pass some samples as X.compute(), or fit to all.",
            data=Data("X"),
        )


def answers_to(X: Any, number: Any, local: Any, method: str, row_shape: Sequence[int], answer_type: np.dtype) -> Array:
    """Task: what a method of a fitted estimator makes of one block, which may be empty, and has this number."""
    if not len(X):
        return np.empty((0, *row_shape), dtype=answer_type)
    with errors_of_block(int(np.ravel(number)[0])):
        answer: Callable[[Any], Array] = getattr(local, method)
        return np.asarray(answer(X)).astype(answer_type, copy=False)
