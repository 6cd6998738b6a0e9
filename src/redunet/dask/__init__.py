"""Networks from more samples than one machine holds: the estimators for Dask arrays and data frames.

Every block of the samples is worked on by tasks that have no side effects, so that Dask does again what a lost worker
had done; the model is the same, bit for bit, for any number of workers, in whatever order they work.
"""

try:
    from .dask_classifier import DaskReduNetClassifier
    from .dask_features import DaskReduNet
    from .dask_tasks import KEEPS_MEMORY, LostWorkersError
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] not in ("dask", "distributed"):
        raise
    raise ImportError(
        f"redunet.dask needs {error.name}, which is not installed; install it with: pip install 'redunet[dask]'"
    ) from error

__all__ = ["KEEPS_MEMORY", "DaskReduNet", "DaskReduNetClassifier", "LostWorkersError"]
