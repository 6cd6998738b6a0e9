"""From a path to a source of samples, by the ending of its name."""

from collections.abc import Callable
from pathlib import Path

from ..errors import WrongData, WrongWords
from .csv_rows import DELIMITERS, CsvRows
from .image_folder import ImageFolder
from .input_files import refuse_missing_file
from .npy import ArraySamples
from .parquet import ParquetRows
from .source import Source, Wanted

# Options that go with some files only.
GO_WITH = {
    "target": {"text", "parquet", "npy", "npz"},
    "ignore": {"text", "parquet"},
    "delimiter": {"text"},
    "labels": {"npy"},
    "samples": {"npz"},
    "colour": {"images"},
}
KINDS = {".parquet": "parquet", ".pq": "parquet", ".npy": "npy", ".npz": "npz", **dict.fromkeys(DELIMITERS, "text")}
CALLED = {
    "text": "CSV and TSV files",
    "parquet": "Parquet files",
    "npy": "NPY files",
    "npz": "NPZ files",
    "images": "folders of images",
}


def open_source(path: Path, wanted: Wanted) -> Source:
    """Samples of a file or folder; mistakes in its first lines are told now, others while it is read."""
    refuse_missing_file(path, "file or folder", folders=True)
    if wanted.labels is not None:
        refuse_missing_file(wanted.labels, "file of labels")
    kind = kind_of(path, wanted.delimiter)
    _refuse_other_options(path, kind, wanted)
    readers: dict[str, Callable[[], Source]] = {
        "text": lambda: CsvRows(path, wanted, _delimiter(path, wanted)),
        "parquet": lambda: ParquetRows(path, wanted),
        "npy": lambda: ArraySamples(path, wanted),
        "npz": lambda: ArraySamples(path, wanted),
        "images": lambda: ImageFolder(path, wanted),
    }
    try:
        return readers[kind]()
    except OSError as error:
        raise WrongData(f"{error.filename or path} cannot be read: {error.strerror or error}.") from None


def kind_of(path: Path, delimiter: str | None) -> str:
    """Which reader a path is for."""
    if path.is_dir():
        return "images"
    kind = KINDS.get(path.suffix.lower())
    if kind is None and delimiter is not None:
        return "text"
    if kind is None:
        raise WrongWords(
            f"{path}: what kind of file is this? Known endings are {', '.join(KINDS)}; folders hold images. For a text "
            f"table with another ending, pass --delimiter."
        )
    return kind


def _delimiter(path: Path, wanted: Wanted) -> str:
    if wanted.delimiter is None:
        return DELIMITERS[path.suffix.lower()]
    delimiter = {"\\t": "\t", "tab": "\t"}.get(wanted.delimiter, wanted.delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise WrongWords(f"--delimiter must be one character, or \\t, got {wanted.delimiter!r}.")
    return delimiter


def _refuse_other_options(path: Path, kind: str, wanted: Wanted) -> None:
    for option, kinds in GO_WITH.items():
        if getattr(wanted, option) and kind not in kinds:
            why = "its sub-folders are the labels" if (option, kind) == ("target", "images") else f"{path} is none"
            called = " and ".join(CALLED[one] for one in CALLED if one in kinds)
            raise WrongWords(f"--{option} goes with {called}, and {why}; leave it out.")
