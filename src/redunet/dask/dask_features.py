"""The network as a transformer, for Dask arrays and data frames."""

import math
from typing import Any, Self

import dask.array as da
from sklearn.utils.validation import check_is_fitted

from ..estimators.features import ReduNet
from ..inputs.errors import InputError
from .collection_blocks import is_lazy, precision_of
from .lazy_estimator import LazyEstimator


class DaskReduNet(LazyEstimator, ReduNet):
    """:class:`redunet.ReduNet` for samples that are Dask arrays or data frames, on one machine or many.

    The network depends on the samples and on how they are divided into blocks. It has the same bits for any number of
    workers, in whatever order they work, and when some of them are lost on the way.

    Parameters
    ----------
    client : distributed.Client, optional
        By default the default client, or the threads of this process where there is none. It is not stored with the
        model.
    invariance, n_layers, eps, step_size, membership, rank, sharpness, tol, momentum, affine, convention
        As in :class:`redunet.ReduNet`.
    construction, sample_shape, warm_start, verbose, class_weight, n_jobs
        As in :class:`redunet.ReduNet`. ``warm_start`` and ``class_weight="balanced"`` are refused.
    augment, n_views
        Refused here, since labels are needed.
    kernel, gamma, n_landmarks, random_state
        As in :class:`redunet.ReduNet`. Landmarks are among 2,000 samples, which their values choose.

    Attributes
    ----------
    client_ : distributed.Client or None
        What is used.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from redunet.dask import DaskReduNet
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = da.from_array(X - X.mean(axis=0), chunks=(50, -1)), da.from_array(y, chunks=50)
    >>> DaskReduNet(n_layers=10).fit(X, y).transform(X).shape
    (150, 5)
    """

    _local_class = ReduNet

    def __init__(
        self,
        invariance: str | None = None,
        *,
        n_layers: int = 30,
        eps: float = 0.3,
        step_size: float | str = "auto",
        membership: str = "softmax",
        rank: int = 8,
        sharpness: float = 50.0,
        tol: float | None = 1e-4,
        momentum: str | float | None = None,
        affine: bool | float = True,
        convention: str = "exact",
        construction: str = "samples",
        kernel: Any = None,
        gamma: float | str = "auto",
        n_landmarks: int = 1000,
        sample_shape: tuple[int, ...] | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        verbose: int = 0,
        class_weight: Any = None,
        n_jobs: int | None = None,
        augment: Any = None,
        n_views: int | None = None,
        client: Any = None,
    ) -> None:
        super().__init__(
            invariance,
            n_layers=n_layers,
            eps=eps,
            step_size=step_size,
            membership=membership,
            rank=rank,
            sharpness=sharpness,
            tol=tol,
            momentum=momentum,
            affine=affine,
            convention=convention,
            construction=construction,
            kernel=kernel,
            gamma=gamma,
            n_landmarks=n_landmarks,
            sample_shape=sample_shape,
            random_state=random_state,
            warm_start=warm_start,
            verbose=verbose,
            class_weight=class_weight,
            n_jobs=n_jobs,
            augment=augment,
            n_views=n_views,
        )
        self.client = client

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, classes: Any = None, checkpoint: Any = None
    ) -> Self:
        """Build the network from lazy labelled samples, block by block.

        Parameters
        ----------
        X : Dask array, shape (n_samples, n_features) or (n_samples, n_channels, *grid), or Dask data frame
        y : Dask array or series, shape (n_samples,)
            In the same blocks. They are needed here; :class:`redunet.ReduNet` does without.
        sample_weight : Dask array or series, shape (n_samples,), optional
            In the same blocks; how often each sample counts.
        classes : array-like, optional
            All labels there may be; others are an error.
        checkpoint : str, path or Checkpoint, optional
            Folder to keep the layers in, with ``construction="samples"``. After a crash the same call goes on there.
        """
        if y is None:
            raise InputError(
                "this requires y to be passed, but the target y is None; pass one label per sample, or some thousand "
                "samples as an array to redunet.ReduNet, which takes them without labels."
            )
        return self._fit_lazily(X, y, sample_weight, classes, checkpoint)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def transform(self, X: Any) -> Any:
        """Features of samples on the unit sphere, as the plain estimator gives them; lazy for lazy samples."""
        check_is_fitted(self)
        if not is_lazy(X):
            return self.to_local().transform(X)
        shape = self.network_.geometry.feature_shape
        flat = not isinstance(X, da.Array) or X.ndim == 2
        return self._mapped("transform", X, (math.prod(shape),) if flat else shape, precision_of(X))
