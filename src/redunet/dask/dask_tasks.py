"""Tasks on blocks, done by Dask: on the workers of a cluster, or by threads where there is none."""

import pickle
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import Any

import dask
import distributed
from distributed.comm.core import CommClosedError
from distributed.scheduler import NoValidWorkerError, NoWorkerError

from ..inputs.errors import InputError, Option

# Environment of workers that keep some of the memory that tasks give back, for the next ones. The nanny of Dask sets
# MALLOC_TRIM_THRESHOLD_ to 64 KB, and malloc then asks the system again for every array.
KEEPS_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(256 * 2**20), "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20)}


class LostWorkersError(RuntimeError):
    """Workers, or the scheduler, were lost more often than Dask goes on after."""


class DaskTasks:
    """Tasks of Dask; a handle is a ``dask.delayed`` object.

    Nothing is pinned to a worker and no data are scattered: what is lost with a worker can be computed again.

    Parameters
    ----------
    client : distributed.Client, optional
        None for the threads of this process.
    """

    def __init__(self, client: Any = None) -> None:
        self.client = client

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Handle of what a function gives; nothing is computed yet."""
        return dask.delayed(function, pure=False, traverse=False)(*arguments)

    def share(self, value: Any) -> Any:
        """Handle of a value that many tasks need; it goes to the scheduler once, and from worker to worker."""
        return self.call(pickle.loads, pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))

    def keep(self, handles: Sequence[Any]) -> list[Any]:
        """Begin with these tasks, and keep what they give in the memory of the workers."""
        with warnings.catch_warnings():
            # A layer of many channels is a large part of a graph, and there is no smaller one.
            warnings.filterwarnings("ignore", message="Sending large graph")
            if self.client is None:
                return list(dask.persist(*handles))
            return list(self.client.persist(list(handles)))

    def result(self, handle: Any) -> Any:
        """What a task gave, waiting for it if need be."""
        if self.client is None:
            return dask.compute(handle)[0]
        future = self.client.compute(handle)
        try:
            return future.result()
        except distributed.KilledWorker as error:
            raise LostWorkersError(
                f"workers ended while they worked on this fit, one after the other, more often than "
                f"distributed.scheduler.allowed-failures allows ({_allowed_failures()}): most often a block takes more "
                f"memory than a worker has. Pass smaller blocks (X.rechunk or X.repartition), or workers with more "
                f"memory. Dask says: {error}"
            ) from error
        except (NoWorkerError, NoValidWorkerError) as error:
            raise LostWorkersError(
                f"no worker was left for this fit, for as long as distributed.scheduler.no-workers-timeout allows. "
                f"Start workers and call fit again. Dask says: {error}"
            ) from error
        except (CancelledError, CommClosedError) as error:
            raise LostWorkersError(
                f"the scheduler of Dask was lost, its client was closed, or the fit was cancelled "
                f"({error or type(error).__name__}). Connect to a scheduler again and call fit again; with checkpoint= "
                f"it goes on after the last layer that was written there."
            ) from error


def tasks_of(client: Any) -> DaskTasks:
    """Tasks for a client that was given, for the default client, or for the threads of this process."""
    if client is None:
        try:
            client = distributed.default_client()
        except ValueError:  # there is none
            return DaskTasks(None)
    if getattr(client, "status", None) != "running":
        raise InputError(
            "{option} is not connected to a scheduler (its status is {status!r}); pass a client that is.",
            option=Option("client"),
            status=getattr(client, "status", None),
        )
    return DaskTasks(client)


def _allowed_failures() -> Any:
    return dask.config.get("distributed.scheduler.allowed-failures", "?")
