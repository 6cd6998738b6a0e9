"""The classifier for Dask arrays and data frames."""

import os
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ..estimators.block_reading import errors_of_block
from ..estimators.classifier import ReduNetClassifier
from ..estimators.explanation import Explanation
from ..fast.block_tasks import put_together
from ..inputs.errors import Data, InputError, Option
from ..inputs.samples import read_weights
from .collection_blocks import is_lazy, labelled_blocks
from .lazy_estimator import LazyEstimator


class DaskReduNetClassifier(LazyEstimator, ReduNetClassifier):
    """:class:`redunet.ReduNetClassifier` for samples that are Dask arrays or data frames, on one machine or many.

    The model depends on the samples and on how they are divided into blocks. It has the same bits for any number of
    workers, in whatever order they work, and when some of them are lost on the way.

    What is learned from all samples is exact: the constant coordinate of ``affine=True``, the moments, and with
    ``construction="samples"`` the layers. Lift and evidence (rank, ε, measure, depth) come from ``evidence_samples``
    samples, which their values choose. ``lift="auto"`` takes filters, for signals too.

    Parameters
    ----------
    client : distributed.Client, optional
        By default the default client, or the threads of this process where there is none. It is not stored with the
        model.
    invariance, lift, n_layers, eps, step_size, membership, sharpness, tol, momentum, rank, affine, convention
        As in :class:`redunet.ReduNetClassifier`.
    construction, standardise, sample_shape, random_state, warm_start, verbose, class_weight, n_jobs, on_bad_samples
        As in :class:`redunet.ReduNetClassifier`. ``warm_start`` and ``class_weight="balanced"`` are refused. The scale
        of ``standardise`` is learned from the samples that are kept for evidence.
    kernel, gamma, n_landmarks
        As in :class:`redunet.ReduNetClassifier`. Landmarks are among the samples that are kept for evidence.
    unlabelled : None
        As in :class:`redunet.ReduNetClassifier`; unlabelled samples need all samples at hand, and are refused here.
    aligned : bool or "auto", default="auto"
        As in :class:`redunet.ReduNetClassifier`; "auto" is False here, since not all samples are at hand.
    evidence_samples : int, default=2000
        How many samples are kept for evidence, with either construction.

    Attributes
    ----------
    client_ : distributed.Client or None
        What is used.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_wine
    >>> from redunet.dask import DaskReduNetClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> X, y = da.from_array(X / X.std(axis=0), chunks=(50, -1)), da.from_array(y, chunks=50)
    >>> model = DaskReduNetClassifier(construction="moments").fit(X, y)
    >>> model.predict(X)
    dask.array<answers_to, shape=(178,), dtype=int64, chunksize=(50,), chunktype=numpy.ndarray>
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    _local_class = ReduNetClassifier

    def __init__(
        self,
        invariance: str | None = None,
        *,
        lift: Any = None,
        n_layers: int | str = "auto",
        eps: float | str = "auto",
        step_size: float | str = "auto",
        membership: str = "auto",
        sharpness: float | str = 50.0,
        tol: float | None = 1e-4,
        momentum: str | float | None = None,
        rank: int | str = "auto",
        affine: bool | float = True,
        convention: str = "exact",
        construction: str = "samples",
        evidence_samples: int = 2000,
        standardise: bool | str = False,
        sample_shape: tuple[int, ...] | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        verbose: int = 0,
        class_weight: Any = None,
        n_jobs: int | None = None,
        on_bad_samples: str = "error",
        kernel: Any = None,
        gamma: float | str = "auto",
        n_landmarks: int = 1000,
        unlabelled: Any = None,
        aligned: bool | str = "auto",
        client: Any = None,
    ) -> None:
        super().__init__(
            invariance,
            lift=lift,
            n_layers=n_layers,
            eps=eps,
            step_size=step_size,
            membership=membership,
            sharpness=sharpness,
            tol=tol,
            momentum=momentum,
            rank=rank,
            affine=affine,
            convention=convention,
            construction=construction,
            evidence_samples=evidence_samples,
            standardise=standardise,
            sample_shape=sample_shape,
            random_state=random_state,
            warm_start=warm_start,
            verbose=verbose,
            class_weight=class_weight,
            n_jobs=n_jobs,
            on_bad_samples=on_bad_samples,
            kernel=kernel,
            gamma=gamma,
            n_landmarks=n_landmarks,
            unlabelled=unlabelled,
            aligned=aligned,
        )
        self.client = client

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        classes: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Build lift, network and answers from lazy samples, block by block.

        Parameters
        ----------
        X : Dask array, shape (n_samples, n_features) or (n_samples, n_channels, *grid), or Dask data frame
            The sizes of its blocks need not be known. Blocks may be empty, and of any classes.
        y : Dask array or series, shape (n_samples,)
            In the same blocks.
        sample_weight : Dask array or series, shape (n_samples,), optional
            In the same blocks; how often each sample counts.
        groups
            Refused: few samples of each group are at hand to be left out.
        classes : array-like, optional
            All labels there may be; others are an error. With ``construction="moments"`` some may have no samples yet.
        checkpoint : str, path or Checkpoint, optional
            Folder to keep the layers in, with ``construction="samples"``. After a crash, of the scheduler too, the same
            call goes on there, and ends with the same bits.
        """
        if groups is not None:
            raise InputError(
                "{groups} cannot be left out of samples in blocks; use redunet.ReduNetClassifier with {option}.",
                groups=Data("groups"),
                option=Option("construction", "samples"),
            )
        return self._fit_lazily(X, y, sample_weight, classes, checkpoint)

    def distances(self, X: Any) -> Any:
        """Distance of each sample to each class, as the plain estimator gives it; lazy for lazy samples."""
        return self._mapped("distances", X, (self._n_columns,), np.dtype(np.float64))

    def decision_function(self, X: Any) -> Any:
        """Nearness of each class, as the plain estimator gives it; lazy for lazy samples."""
        shape = () if self._n_columns == 2 else (self._n_columns,)
        return self._mapped("decision_function", X, shape, np.dtype(np.float64))

    def predict(self, X: Any) -> Any:
        """The nearest class; a lazy array of shape (n_samples,) for lazy samples."""
        self._n_columns  # noqa: B018 - an error if it is not fitted
        return self._mapped("predict", X, (), self.classes_.dtype)

    def predict_proba(self, X: Any) -> Any:
        """Probability of each class; a lazy array of shape (n_samples, n_classes) for lazy samples."""
        return self._mapped("predict_proba", X, (self._n_columns,), np.dtype(np.float64))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on labelled samples, computed at once.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`, or plain arrays.
        """
        local = self.to_local()
        if not is_lazy(X):
            return float(local.score(X, y, sample_weight))
        tasks = self._tasks
        model, blocks = tasks.share(local), labelled_blocks(tasks, X, y, sample_weight)
        right, total = put_together(tasks, _sums, blocks.each(correct_weight_of, model))
        if not total:
            raise InputError("{data} has no samples of positive weight; pass some.", data=Data("X"))
        return float(right / total)

    def report(
        self, path: str | os.PathLike[str], X: Any = None, y: Any = None, *, max_megabytes: float = 30.0
    ) -> None:
        """Write an HTML page about the model, as the plain estimator does.

        Parameters
        ----------
        path : str or path
        X, y : array-like, optional
            A few samples to show, and their labels; plain arrays.
        max_megabytes : float, default=30.0
            A model that takes more does not run in the page.
        """
        self.to_local().report(path, X, y, max_megabytes=max_megabytes)

    def explain(self, X: Any, *, classes: Any = None) -> Explanation:
        """Why samples are answered as they are, as the plain estimator says it; X is a plain array."""
        return self.to_local().explain(X, classes=classes)

    @property
    def _n_columns(self) -> int:
        """Number of classes, of an estimator that is fitted."""
        return len(self.to_local().classes_)


def correct_weight_of(local: ReduNetClassifier, number: int, X: Any, y: Any, weights: Any) -> tuple[float, float]:
    """Task: the weight of the samples of a block that are classified correctly, and of all of them."""
    if not len(X):
        return 0.0, 0.0
    with errors_of_block(number):
        if weights is not None and not np.any(weights):  # which is an error for a whole set, and not for a block
            return 0.0, 0.0
        weight = read_weights(weights, len(X))
        return float(local.score(X, y, weight) * weight.sum()), float(weight.sum())


def _sums(parts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return sum(one for one, _ in parts), sum(other for _, other in parts)
