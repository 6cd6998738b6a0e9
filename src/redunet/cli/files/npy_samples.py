"""NPY files: samples in one, their labels in another or in the last column."""

from pathlib import Path

from ..command_errors import DataError, UsageError
from .array_samples import ArraySamples
from .source import FileFormat, ReadOptions
from .stored_array import StoredArray

# Value of --target for labels in the last column of a 2-D array.
LAST_COLUMN = "last"


def npy_samples(path: Path, options: ReadOptions) -> ArraySamples:
    """Samples of an NPY file, with labels where they are needed."""
    samples = StoredArray(path)
    if not options.labelled:
        return ArraySamples(samples, None, options)
    _refuse_unclear_labels(path, options)
    if options.labels is not None:
        return ArraySamples(samples, StoredArray(options.labels), options)
    if len(samples.shape) != 2 or samples.shape[1] < 2:
        raise DataError(
            f"{path} has shape {samples.shape}, and --target last needs a table of at least 2 columns; pass --labels "
            f"labels.npy."
        )
    return ArraySamples(samples, None, options, last_column=True)


def _refuse_unclear_labels(path: Path, options: ReadOptions) -> None:
    """Refuse options that do not say where the labels are, or say it twice."""
    if (options.target is None) == (options.labels is None):
        raise UsageError(
            f"where are the labels of {path}? Say it with --labels labels.npy, or with --target last for the last "
            f"column; one of the two."
        )
    if options.target is not None and options.target != LAST_COLUMN:
        raise UsageError(
            f"--target {options.target}: an NPY file has no names; pass --target last, or --labels labels.npy."
        )


FORMAT = FileFormat("NPY files", (".npy",), ("target", "labels"), npy_samples)
