"""What every kind of file is read as: blocks of samples, with labels where they are asked for."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # so that a wrong command line is refused without NumPy
    from ...numerics.arrays import Array

# A block has at most so many samples, and numbers of so many bytes.
BLOCK_ROWS, BLOCK_BYTES = 10_000, 32 * 2**20


def rows_per_block(n_numbers: int) -> int:
    """How many samples of so many numbers a block holds."""
    return max(1, min(BLOCK_ROWS, BLOCK_BYTES // (8 * max(1, n_numbers))))


@dataclass(frozen=True)
class ReadOptions:
    """Which parts of a file are samples and which are labels.

    Parameters
    ----------
    labelled : bool
        Whether labels are needed.
    target : str, optional
        Column, or array, that holds the labels.
    labels : Path, optional
        File of labels for an NPY file.
    samples : str, optional
        Array of samples in an NPZ file.
    ignore : tuple of str
        Columns to leave out.
    delimiter : str, optional
        What separates fields, where the ending of the file does not say it.
    colour : bool
        Three channels of an image, instead of grey.
    names : tuple of str, optional
        Columns that the model was fitted on.
    shape : tuple of int, optional
        Shape of a sample that the model takes.
    header : bool, optional
        Whether row 1 holds the names of the columns; by default it does, and is refused if it looks otherwise.
    keep_bad_rows : bool
        Whether rows that hold no usable numbers are told in the block, instead of ending the command.
    """

    labelled: bool
    target: str | None = None
    labels: Path | None = None
    samples: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    colour: bool = False
    names: tuple[str, ...] | None = None
    shape: tuple[int, ...] | None = None
    header: bool | None = None
    keep_bad_rows: bool = False


@dataclass(frozen=True, eq=False)
class Block:
    """Samples that follow each other in a file.

    Parameters
    ----------
    start : int
        Number of the first, from 0.
    samples : float array, shape (n, n_features) or (n, ...)
    labels : list
        One for each sample; empty where none are needed.
    complaints : dict
        What is wrong with samples that hold no usable numbers, by their place in the block; they are kept only where
        the options say so.
    """

    start: int
    samples: "Array"
    labels: list[Any]
    complaints: dict[int, str] = field(default_factory=dict)


class Source(Protocol):
    """A file, or a folder, of samples.

    Attributes
    ----------
    heading : str
        What the place of a sample is called, such as "row".
    names : tuple of str or None
        Names of the columns, where there are any.
    shape : tuple of int
        Shape of a sample.
    left_out : str
        What of the file is not read, for a note; may be empty.
    counts_exactly : bool
        Whether the number of samples is known before they are read.
    """

    heading: str
    names: tuple[str, ...] | None
    shape: tuple[int, ...]
    left_out: str
    counts_exactly: bool

    def expected_samples(self) -> int:
        """How many samples there are; of text files about how many, judged by the first rows."""

    def blocks(self) -> Iterator[Block]:
        """All samples, from the beginning."""

    def place(self, i: int) -> int | str:
        """Where sample i is, in the file's own count."""

    def where(self, i: int) -> str:
        """Where sample i is, in words: the file, and the place in it."""

    def labels_at(self) -> str:
        """Where the labels are, in words."""


@dataclass(frozen=True)
class FileFormat:
    """A kind of file that samples are read from.

    Parameters
    ----------
    name : str
        Plural, such as "NPY files", for messages.
    endings : tuple of str
        Of the names of such files, in small letters; none for folders.
    options : tuple of str
        Those of :class:`ReadOptions` that go with such files and not with all files.
    read : callable
        Makes a source of a path and of options.
    """

    name: str
    endings: tuple[str, ...]
    options: tuple[str, ...]
    read: Callable[[Path, ReadOptions], Source]


def known_total(source: Source) -> int | None:
    """How many samples a source has, where that is known before they are read."""
    return source.expected_samples() if source.counts_exactly else None


def places(source: Source, block: Block) -> Sequence[int | str]:
    """Places of the samples of a block, in the file's own count."""
    return [source.place(i) for i in range(block.start, block.start + len(block.samples))]
