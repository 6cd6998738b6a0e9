"""From a path to a source of samples, by the ending of its name.

A new kind of file is a module with its own ``FORMAT`` (see ``parquet_rows.py``) and a line in ``FORMATS``.
"""

from pathlib import Path

from ..command_errors import DataError, UsageError
from . import csv_rows, image_folder, npy_samples, npz_samples, parquet_rows, ts_signals, xlsx_rows
from .input_files import refuse_missing_file
from .source import FileFormat, ReadOptions, Source

# In the order in which messages name them.
FORMATS: tuple[FileFormat, ...] = (
    csv_rows.FORMAT,
    xlsx_rows.FORMAT,
    parquet_rows.FORMAT,
    npy_samples.FORMAT,
    npz_samples.FORMAT,
    ts_signals.FORMAT,
    image_folder.FORMAT,
    image_folder.IMAGE_FORMAT,
)


def open_source(path: Path, options: ReadOptions) -> Source:
    """Samples of a file or folder; errors in its first lines are raised now, others while it is read."""
    refuse_missing_file(path, "file or folder", folders=True)
    if options.labels is not None:
        refuse_missing_file(options.labels, "file of labels")
    kind = format_of(path, options)
    _refuse_other_options(path, kind, options)
    try:
        return kind.read(path, options)
    except OSError as error:
        raise DataError(f"{error.filename or path} cannot be read: {error.strerror or error}.") from None


def format_of(path: Path, options: ReadOptions) -> FileFormat:
    """The format of a file, by the ending of its name; with a delimiter, files of unknown endings are text."""
    if path.is_dir():
        return image_folder.FORMAT
    for kind in FORMATS:
        if path.name.lower().endswith(kind.endings):
            return kind
    if options.delimiter is not None:
        return csv_rows.FORMAT
    endings = ", ".join(ending for kind in FORMATS for ending in kind.endings)
    raise UsageError(
        f"{path}: what kind of file is this? Known endings are {endings}; folders hold images. For a text table with "
        f"another ending, pass --delimiter."
    )


def _refuse_other_options(path: Path, kind: FileFormat, options: ReadOptions) -> None:
    """Refuse options that go with other kinds of files."""
    for option in dict.fromkeys(option for known in FORMATS for option in known.options):
        typed = _as_typed(option, options)
        if typed is not None and option not in kind.options:
            folder = option == "target" and kind is image_folder.FORMAT
            why = "its sub-folders are the labels" if folder else f"{path} is none"
            names = ", ".join(known.name for known in FORMATS if option in known.options)
            raise UsageError(f"{typed} goes with {names}, and {why}; leave it out.")


def _as_typed(option: str, options: ReadOptions) -> str | None:
    """An option as it is typed on the command line; None if it is not given."""
    value = getattr(options, option)
    if option == "header" and value is not None:
        return "--header" if value else "--no-header"
    return f"--{option}" if value else None
