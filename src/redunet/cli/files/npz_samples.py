"""NPZ files: samples and labels in named arrays of one file."""

from pathlib import Path

from ...inputs.suggestions import did_you_mean
from ..command_errors import UsageError, listed
from .array_samples import ArraySamples
from .source import FileFormat, ReadOptions
from .stored_array import StoredArray, array_names


def npz_samples(path: Path, options: ReadOptions) -> ArraySamples:
    """Samples of an NPZ file, with labels where they are needed; the arrays are called X and y by default."""
    names = array_names(path)
    samples = StoredArray(path, _known_name(path, "--samples", options.samples or "X", names))
    labels = None
    if options.labelled:
        labels = StoredArray(path, _known_name(path, "--target", options.target or "y", names))
    return ArraySamples(samples, labels, options)


def _known_name(path: Path, option: str, name: str, names: list[str]) -> str:
    """The name of an array that is in the file; an error that names others if it is not."""
    if name in names:
        return name
    guess = did_you_mean(name, names) or f" The arrays are {listed(names)}."
    raise UsageError(f"{path} has no array {name!r}; say which one with {option}.{guess}")


FORMAT = FileFormat("NPZ files", (".npz",), ("target", "samples"), npz_samples)
