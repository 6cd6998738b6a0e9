"""What every kind of file is read as: blocks of samples, with labels where they are wanted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ...numerics.arrays import Array

# A block has at most so many samples, and numbers of so many bytes.
BLOCK_ROWS, BLOCK_BYTES = 10_000, 32 * 2**20


def rows_per_block(n_numbers: int) -> int:
    """Samples of so many numbers that a block holds."""
    return max(1, min(BLOCK_ROWS, BLOCK_BYTES // (8 * max(1, n_numbers))))


@dataclass(frozen=True)
class Wanted:
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


@dataclass(frozen=True, eq=False)
class Block:
    """Samples that follow each other in a file.

    Parameters
    ----------
    start : int
        Number of the first, from 0.
    samples : float array, shape (n, n_features) or (n, ...)
    labels : list
        One for each sample; empty where none are wanted.
    """

    start: int
    samples: Array
    labels: list[Any]


class Source(Protocol):
    """A file, or a folder, of samples."""

    # What the place of a sample is called, such as "row"; names of the columns, where there are any; shape of a sample;
    # what was left out, for a note.
    heading: str
    names: tuple[str, ...] | None
    shape: tuple[int, ...]
    left_out: str

    def blocks(self) -> Iterator[Block]:
        """All samples, from the beginning."""

    def place(self, i: int) -> int | str:
        """Where sample i is, as in the file's own count."""

    def where(self, i: int) -> str:
        """The same in words, with the file."""

    def labels_at(self) -> str:
        """Where the labels are, in words."""


def places(source: Source, block: Block) -> Sequence[int | str]:
    """Places of the samples of a block."""
    return [source.place(i) for i in range(block.start, block.start + len(block.samples))]
