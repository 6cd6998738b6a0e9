"""``redunet fit --dask`` and ``--workers``: a model from a file that the workers of Dask read block by block."""

import math
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..estimators.classifier import ReduNetClassifier
from ..evidence.expected_accuracy import known_share
from ..inputs.errors import NoLayerWarning
from ..numerics.arrays import Array
from ..terminal.text import write_json
from .command_errors import DataError, UsageError, first_line
from .files.array_samples import ArraySamples
from .files.csv_rows import CsvRows
from .files.file_labels import plain
from .files.layout import check_layout
from .files.open_source import open_source
from .files.parquet_rows import ParquetRows
from .files.source import Source
from .files.unpacked_file import is_packed
from .fit_request import FitRequest, model_of
from .model_facts import answers_in_short
from .option_words import in_words
from .output import place_to_write
from .printing import print_facts, print_message

if TYPE_CHECKING:
    from ..dask import DaskReduNetClassifier

# Bytes of a block that a worker reads at a time, as numbers and as text.
BLOCK_BYTES, TEXT_BLOCK_BYTES = 64 * 2**20, 32 * 2**20
# Workers that we start are started again as often as they are lost; where none can be, it is an error after a minute.
LOST_WORKERS = {
    "distributed.deploy.lost-worker-timeout": "1 hour",
    "distributed.scheduler.no-workers-timeout": "60s",
}


def asks_for_workers(request: FitRequest) -> bool:
    """Whether the samples are to be read and worked on by workers of Dask."""
    return request.dask is not None or request.workers is not None


def fit_on_workers(request: FitRequest) -> None:
    """Fit to blocks that workers read, save, and print a summary."""
    begin = time.monotonic()
    if request.like is not None:
        raise UsageError("--like goes with a fit on this machine alone; leave out --dask and --workers.")
    out = place_to_write(request.out, (request.data, request.labels))
    local = model_of(request)
    source = open_source(request.data, request.read_options())
    check_layout(str(request.data), source, local.invariance, local.sample_shape)
    with connected(request) as client:
        model = classifier_for(local, request, client)
        X, y = lazy_samples(source, request)
        fit_to_blocks(model, X, y, request)
        found = model.to_local()
        if source.names is not None:
            found.feature_names_in_ = np.array(source.names, dtype=object)
        found.save(out)
    if request.as_json:
        write_json(summary(request, found, time.monotonic() - begin))
    elif not request.quiet:
        print_facts([(name, str(value)) for name, value in summary(request, found, time.monotonic() - begin).items()])


def classifier_for(local: ReduNetClassifier, request: FitRequest, client: Any) -> "DaskReduNetClassifier":
    """The classifier for Dask: from moments, unless samples are asked for, or layers are to be kept in a folder."""
    from ..dask import DaskReduNetClassifier

    construction = request.construction or ("moments" if request.checkpoint is None else "samples")
    return DaskReduNetClassifier(**{**local.get_params(deep=False), "construction": construction}, client=client)


@contextmanager
def connected(request: FitRequest) -> Iterator[Any]:
    """Context with a client of the scheduler that was given, or of workers that are started on this machine."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError(
            "--dask and --workers need Dask, which is not installed; run: pip install 'redunet[dask]'"
        ) from None
    if request.dask is not None and request.workers is not None:
        raise UsageError("--dask is for workers that are there, --workers starts some here; leave out one of the two.")
    if request.dask is not None:
        try:
            client = Client(request.dask, timeout=10, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"--dask {request.dask}: no scheduler answers there ({first_line(error)}); pass the address that "
                f"`dask scheduler` prints, such as tcp://host:8786."
            ) from None
        with client:
            yield client
        return
    from ..dask import KEEPS_MEMORY

    assert request.workers is not None
    with (
        dask.config.set({f"distributed.nanny.pre-spawn-environ.{key}": value for key, value in KEEPS_MEMORY.items()}),
        dask.config.set(LOST_WORKERS),
        LocalCluster(n_workers=request.workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        if not request.quiet:
            print_message(f"{request.workers} workers; their dashboard is at {client.dashboard_link}")
        yield client


def fit_to_blocks(model: "DaskReduNetClassifier", X: Any, y: Any, request: FitRequest) -> None:
    """Fit; errors of the model are worded as on the command line."""
    from ..dask import LostWorkersError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoLayerWarning)
            model.fit(X, y, checkpoint=request.checkpoint)
    except LostWorkersError as error:
        raise DataError(f"{request.data}: {error}") from None
    except ValueError as error:
        raise DataError(in_words(error, str(request.data))) from None


def lazy_samples(source: Source, request: FitRequest) -> tuple[Any, Any]:
    """Samples and labels of a file as lazy blocks; the file is read by the workers, which must see it, too."""
    if isinstance(source, (CsvRows, ParquetRows)) and not is_packed(request.data):
        X, y = _table(source)
    elif isinstance(source, ArraySamples) and request.data.suffix.lower() == ".npy":
        X, y = _arrays(source)
    else:
        raise UsageError(
            f"{request.data}: workers read CSV, TSV, Parquet and NPY files; convert it, or leave out --dask and "
            f"--workers."
        )
    return (X.astype(np.float32) if request.float32 else X), y


def _table(source: CsvRows | ParquetRows) -> tuple[Any, Any]:
    import dask.dataframe as dd

    names, target = list(source.columns.names), str(source.options.target)
    if isinstance(source, ParquetRows):
        frame = dd.read_parquet(source.path.absolute(), columns=[*names, target])
    else:
        frame = dd.read_csv(
            source.path.absolute(),
            sep=source.delimiter,
            header=None if source.first.is_sample else 0,
            names=source.header,
            usecols=[*names, target],
            dtype=dict.fromkeys(names, np.float64),
            skipinitialspace=True,
            blocksize=TEXT_BLOCK_BYTES,
        )
    return frame[names].astype(np.float64), frame[target]


def _arrays(source: ArraySamples) -> tuple[Any, Any]:
    """Rows of an NPY file, which every task maps into memory by itself."""
    import dask
    import dask.array as da

    path, shape = source.samples.path.absolute(), source.samples.shape
    n_rows = max(1, BLOCK_BYTES // (8 * math.prod(shape[1:])))
    bounds = [(start, min(start + n_rows, shape[0])) for start in range(0, shape[0], n_rows)]
    samples, labels = [], []
    read = dask.delayed(rows_of, pure=True)
    for start, stop in bounds:
        n = stop - start
        samples.append(da.from_delayed(read(path, start, stop, source.last_column), (n, *source.shape), np.float64))
        if source.last_column:
            labels.append(da.from_delayed(read(path, start, stop, None), (n,), source.samples.dtype))
        else:
            assert source.labels is not None
            whole = read(source.labels.path.absolute(), start, stop, False)
            labels.append(da.from_delayed(whole, (n,), source.labels.dtype))
    return da.concatenate(samples), da.concatenate(labels)


def rows_of(path: Path, start: int, stop: int, last_column: bool | None) -> Array:
    """Task: rows of an NPY file; all columns but the last where that holds the labels, None for the labels alone."""
    rows = np.load(path, mmap_mode="r", allow_pickle=False)[start:stop]
    if last_column is None:
        return np.array(rows[:, -1])
    if rows.ndim == 1:
        return np.array(rows)
    return np.array(rows[:, :-1] if last_column else rows, dtype=np.float64)


def summary(request: FitRequest, model: ReduNetClassifier, seconds: float) -> dict[str, Any]:
    """The fitted model in numbers, as JSON can hold them."""
    counts = None if model.moments_ is None else model.moments_.class_weight
    found: dict[str, Any] = {"classes": [str(plain(name)) for name in model.classes_.tolist()]}
    if counts is not None:
        found = {
            "samples": int(counts.sum()),
            "classes": {str(plain(name)): int(n) for name, n in zip(model.classes_.tolist(), counts, strict=True)},
        }
    return {
        **found,
        "shape": list(model.sample_shape_),
        "construction": model.construction,
        "answers_by": answers_in_short(model),
        "layers": model.n_layers_,
        "loo_score": known_share(model.loo_score_),
        "seconds": round(seconds, 3),
        "file": str(request.out),
        "bytes": request.out.stat().st_size,
    }
