"""Signals in a .ts file of the UCR and UEA archives, a block of signals at a time."""

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ...numerics.arrays import Array
from ..command_errors import DataError, shortened
from .cells import first_wrong, numbers_of
from .csv_rows import MOST_ROW_CHARACTERS, ROWS_TO_JUDGE_BY
from .input_files import open_file
from .source import Block, FileFormat, ReadOptions, rows_per_block


@dataclass(frozen=True)
class DataLine:
    """A line of a .ts file that holds a signal.

    Parameters
    ----------
    number : int
        Of the line, from 1.
    text : str
    has_label : bool
        Whether what follows the last colon is a label.
    """

    number: int
    text: str
    has_label: bool

    @property
    def channels(self) -> list[str]:
        """The text of each channel."""
        parts = self.text.split(":")
        return parts[:-1] if self.has_label else parts

    @property
    def label(self) -> str:
        """The label."""
        return self.text.rpartition(":")[2].strip()


class SignalError(Exception):
    """What is wrong with a signal.

    Parameters
    ----------
    where : str
        Place in its line, after a comma; may be empty.
    complaint : str
        What is wrong, and what helps.
    """

    def __init__(self, where: str, complaint: str) -> None:
        super().__init__(complaint)
        self.where, self.complaint = where, complaint


class TsSignals:
    """Signals of equal lengths, with one or several channels. Signals count from 1.

    Parameters
    ----------
    path : Path
    options : ReadOptions

    Attributes
    ----------
    has_labels : bool
        Whether the first line ends with a label.
    """

    heading = "signal"
    counts_exactly = False
    names: tuple[str, ...] | None = None
    left_out = ""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.path, self.options = path, options
        with self._lines() as lines:
            first = next(lines, None)
        if first is None:
            raise DataError(f"{path} holds no signals; after a line @data there must be one to a line.")
        if options.labelled and not first.has_label:
            raise DataError(
                f"{path}, line {first.number}: the signal has no label; end each line with a colon and the label, and "
                f"write @classLabel true before @data."
            )
        self.has_labels = first.has_label
        channels = first.channels
        length = channels[0].count(",") + 1
        self.n_channels, self.length = len(channels), length
        self.shape: tuple[int, ...] = (length,) if len(channels) == 1 else (len(channels), length)
        if options.shape is not None:
            self._refuse_another_shape(options.shape)

    def place(self, i: int) -> int:
        """Number of sample i, from 1."""
        return i + 1

    def where(self, i: int) -> str:
        """File, and number of the signal."""
        return f"{self.path}, signal {i + 1}"

    def labels_at(self) -> str:
        """The file, whose lines end with the labels."""
        return f"{self.path}, ends of the lines"

    def expected_samples(self) -> int:
        """About how many signals there are, judged by the length of the first lines."""
        with self._lines() as lines:
            lengths = [len(line.text) for line in islice(lines, ROWS_TO_JUDGE_BY)]
        return int(len(lengths) * self.path.stat().st_size / max(1, sum(lengths)))

    def blocks(self) -> Iterator[Block]:
        """All signals, from the beginning."""
        n_rows = rows_per_block(math.prod(self.shape))
        start = 0
        with self._lines() as lines:
            while some := list(islice(lines, n_rows)):
                yield self._block(start, some)
                start += len(some)

    def _block(self, start: int, lines: Sequence[DataLine]) -> Block:
        samples: Array = np.full((len(lines), *self.shape), np.nan)
        labels: list[Any] = []
        complaints: dict[int, str] = {}
        for i, line in enumerate(lines):
            try:
                samples[i] = self._numbers(line)
            except SignalError as error:
                if not self.options.keep_bad_rows:
                    raise DataError(f"{self.path}, line {line.number}{error.where}: {error.complaint}.") from None
                complaints[i] = f"line {line.number}{error.where}: {error.complaint}"
            if self.options.labelled:
                labels.append(self._label(line))
        return Block(start, samples, labels, complaints)

    def _numbers(self, line: DataLine) -> Array:
        """The values of a signal, in the shape of a sample."""
        channels = [channel.split(",") for channel in line.channels]
        if len(channels) != self.n_channels:
            raise SignalError(
                "",
                f"{len(channels)} channels, but the first signal has {self.n_channels}; write all of them, with colons "
                f"between them",
            )
        for values in channels:
            if len(values) != self.length:
                raise SignalError(
                    "",
                    f"{len(values)} values, but the first signal has {self.length}; bring all signals to one length, "
                    f"or fit in Python, where signals may have unequal lengths",
                )
        found = numbers_of(channels, self.length)
        if found is not None:
            return found.reshape(self.shape)
        wrong = first_wrong(channels)
        assert wrong is not None
        channel, position, complaint = wrong
        of = f" of channel {channel + 1}" if self.n_channels > 1 else ""
        raise SignalError(f", value {position + 1}{of}", complaint)

    def _label(self, line: DataLine) -> str:
        if not line.label:
            raise DataError(f"{self.path}, line {line.number}: the label is empty; fill it in, or remove the signal.")
        return line.label

    def _refuse_another_shape(self, shape: tuple[int, ...]) -> None:
        if self.shape != (shape[1:] if shape[0] == 1 and len(shape) > 1 else shape):
            raise DataError(
                f"{self.path} has signals of shape {_words(self.shape)}, but the model takes {_words(shape)}; take "
                f"another file, or another model."
            )

    @contextmanager
    def _lines(self) -> Iterator[Iterator[DataLine]]:
        """Context with the lines that hold signals; errors of the format name the file."""
        with open_file(self.path) as file, io.TextIOWrapper(file, encoding="utf-8-sig") as text:
            try:
                yield self._data_lines(text)
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{self.path} is not UTF-8 text (byte 0x{error.object[error.start]:02x}); save it as UTF-8."
                ) from None

    def _data_lines(self, text: io.TextIOWrapper) -> Iterator[DataLine]:
        has_label: bool | None = None
        number = 0
        while line := text.readline(MOST_ROW_CHARACTERS + 1):
            number += 1
            if len(line) > MOST_ROW_CHARACTERS:
                raise DataError(
                    f"{self.path}, line {number}: the line goes on after {MOST_ROW_CHARACTERS:,} characters; end each "
                    f"signal with a line end."
                )
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("@"):
                words = line.lower().split()
                if words[0] == "@classlabel":
                    has_label = words[1:2] != ["false"]
                if words[:2] == ["@timestamps", "true"]:
                    raise DataError(
                        f"{self.path}, line {number}: values have timestamps, which are not read; write values alone, "
                        f"at equal steps of time."
                    )
                continue
            if has_label is None:  # no line says it
                has_label = ":" in line
            if has_label and ":" not in line:
                raise DataError(
                    f"{self.path}, line {number}: expected numbers, a colon and a label, got {shortened(line)}; "
                    f"correct it, or write @classLabel false before @data."
                )
            yield DataLine(number, line, has_label)


def _words(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))


FORMAT = FileFormat("TS files", (".ts",), (), TsSignals)
