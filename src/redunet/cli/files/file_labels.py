"""Labels as files have them, and as a model has them."""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...inputs.errors import OneClassError, ThinClassError
from ...inputs.labels import Labels
from ...inputs.samples import refuse_thin_classes
from ...numerics.arrays import Array
from ..command_errors import DataError, listed, shortened
from .source import Source

# A whole number as one writes it: 07 and 1.0 are names.
WHOLE_NUMBER = re.compile(r"0|-?[1-9]\d{0,17}")
# Whole numbers above it do not fit into an array beside negative ones, and stay names.
LARGEST_WHOLE = 2**63 - 1
# Different labels above it are more often numbers of samples, or measurements, than classes.
MOST_CLASSES = 10_000


def plain(label: Any) -> bool | int | float | str:
    """A label of any type as JSON can hold it."""
    if isinstance(label, bytes):
        return label.decode(errors="replace")
    if isinstance(label, np.generic):
        label = label.item()
    return label if isinstance(label, (bool, int, float, str)) else str(label)


class LabelCount:
    """The different labels of a file, in the order of their first samples; of any number of samples.

    Parameters
    ----------
    source : Source
        Where the labels come from.

    Attributes
    ----------
    n_samples : int
        Labels that were counted.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.n_samples = source, 0
        self._labels: list[Any] = []
        self._first_rows: list[int] = []
        self._counts: list[int] = []
        self._numbers: dict[Any, int] = {}

    def add(self, labels: Sequence[Any]) -> Array:
        """Count the next labels; gives the number of each among the different ones."""
        keys = _keys_of(labels)
        for i, key in enumerate(keys):
            if key not in self._numbers:
                self._add_new(key, labels[i], self.n_samples + i)
        self.n_samples += len(keys)
        found = self._found(keys)
        for number, count in zip(*np.unique(found, return_counts=True), strict=True):
            self._counts[number] += int(count)
        return found

    def numbers_of(self, labels: Sequence[Any]) -> Array | None:
        """The number of each label among the different ones, or None if one of them was not counted."""
        keys = _keys_of(labels)
        return self._found(keys) if all(key in self._numbers for key in keys) else None

    def classes(self) -> tuple[Array, Array, Array]:
        """Labels of the classes, sorted; the number of the class of each different label; samples of each class.

        They are whole numbers where all are, else text. There must be at least two classes of two samples.
        """
        found = self._typed()
        classes, places = np.unique(found, return_inverse=True)
        counts = np.array(self._counts)
        self._refuse_thin_classes(Labels.of(classes, places), counts)
        return classes, places, np.bincount(places, counts).astype(np.int64)

    def _found(self, keys: Sequence[Any]) -> Array:
        return np.fromiter(map(self._numbers.__getitem__, keys), np.int64, count=len(keys))

    def _add_new(self, key: Any, label: Any, row: int) -> None:
        """A label that was not there before; an error if there are too many for classes."""
        if len(self._labels) == MOST_CLASSES:
            self._typed()  # measurements are a clearer complaint
            raise DataError(
                f"{self.source.where(row)}: the label {shortened(str(plain(label)))} is number {MOST_CLASSES + 1:,} of "
                f"the different labels; {self.source.labels_at()} may not hold classes, which are at most "
                f"{MOST_CLASSES:,}. Pass what holds the classes."
            )
        self._numbers[key] = len(self._labels)
        self._labels.append(plain(label))
        self._first_rows.append(row)
        self._counts.append(0)

    def _typed(self) -> Array:
        """The different labels as an array: whole numbers where all are, else text."""
        labels: list[Any] = self._labels
        self._refuse_broken_text()
        numbers = [_number(label) for label in labels]
        if all(number is not None for number in numbers):
            self._refuse_measurements(numbers)
        if not all(isinstance(label, bool) for label in labels):
            if all(isinstance(label, (bool, int, float)) or WHOLE_NUMBER.fullmatch(label) for label in labels):
                labels = [int(label) for label in labels]
                if max(map(abs, labels)) > LARGEST_WHOLE:
                    labels = [str(label) for label in labels]
            else:
                labels = [str(label) for label in labels]
        return np.array(labels)

    def _refuse_broken_text(self) -> None:
        """Text that a model file cannot hold: names that are not UTF-8, characters that an array drops at the end."""
        for row, label in zip(self._first_rows, self._labels, strict=True):
            if isinstance(label, str):
                _refuse_broken_label(self.source, row, label)

    def _refuse_measurements(self, numbers: Sequence[float | None]) -> None:
        for row, number in zip(self._first_rows, numbers, strict=True):
            assert number is not None
            where = self.source.where(row)
            if not math.isfinite(number):
                raise DataError(f"{where}: the label is {number}; fill it in, or remove the sample.")
            if number != math.floor(number):
                raise DataError(
                    f"{where}: the label is {number}, a measurement rather than a class ({self.source.labels_at()}); "
                    f"labels are names or whole numbers."
                )

    def _refuse_thin_classes(self, labels: Labels, counts: Array) -> None:
        """Refuse labels of one class, and classes of one sample, by their place in the file."""
        try:
            refuse_thin_classes(labels, counts)
        except OneClassError as error:
            raise DataError(
                f"{self.source.labels_at()}: all {self.n_samples} labels are {_quoted(error.label)}; there must be at "
                f"least 2 classes to tell apart. Add samples of another class."
            ) from None
        except ThinClassError as error:
            more = f" (and {error.n_classes - 1} more classes have one)" if error.n_classes > 1 else ""
            raise DataError(
                f"{self.source.where(self._first_rows[error.row])}: class {_quoted(error.label)} has this one sample "
                f"only{more}; a class needs at least 2. Remove it, or add samples."
            ) from None


def _keys_of(labels: Sequence[Any]) -> Sequence[Any]:
    """What tells labels apart: text by itself, others by their type, too, since True equals 1."""
    return [label if isinstance(label, str) else (type(label), repr(label)) for label in labels]


def _refuse_broken_label(source: Source, row: int, label: str) -> None:
    """Refuse text that a model file cannot hold."""
    if not label.isascii() and not is_whole_text(label):
        raise DataError(f"{source.where(row)}: the label {shortened(label)} is not UTF-8 text; rename the class.")
    if "\0" in label:
        raise DataError(f"{source.where(row)}: the label {shortened(label)} has a zero character; rename the class.")


def is_whole_text(text: str) -> bool:
    """Whether text can be written as UTF-8, which names of files need not be."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _number(label: Any) -> float | None:
    try:
        return float(label)
    except ValueError:
        return None


def _quoted(label: Any) -> str:
    return shortened(label) if isinstance(label, str) else repr(label)


class KnownLabels:
    """The classes of a model, found by the labels of a file: "3", 3 and 3.0 are the same where classes are numbers.

    Parameters
    ----------
    classes : array, shape (n_classes,)
    """

    remedy = "correct or remove it, or fit on samples of that class"

    def __init__(self, classes: Array) -> None:
        self.dtype = classes.dtype
        self.names = [plain(label) for label in classes.tolist()]
        numeric = all(isinstance(name, (int, float)) for name in self.names)
        self.key: Callable[[Any], Any] = _as_number if numeric else _as_text
        self.codes = {self.key(name): i for i, name in enumerate(self.names)}

    def codes_of(self, source: Source, labels: list[Any], start: int) -> Array:
        """Number of the class of each label; a label that the model does not know is an error."""
        found = np.empty(len(labels), dtype=np.int64)
        for i, label in enumerate(labels):
            code = self.codes.get(self.key(plain(label)))
            found[i] = self._unknown(source, start + i, plain(label)) if code is None else code
        return found

    def _unknown(self, source: Source, row: int, label: Any) -> int:
        """What to do about a label that the model does not know."""
        raise DataError(
            f"{source.where(row)}: the label {shortened(str(label))} is not among the classes of the model, "
            f"{listed(map(str, self.names))}; {self.remedy}."
        )


class UpdatedLabels(KnownLabels):
    """Labels of samples that a model learns from; with ``new_classes`` those of further classes, too.

    Parameters
    ----------
    classes : array, shape (n_classes,)
    new_classes : bool
    """

    remedy = "correct or remove it, or pass --new-classes if it is a class that the model shall learn"

    def __init__(self, classes: Array, new_classes: bool) -> None:
        super().__init__(classes)
        self.new_classes = new_classes
        self.values: list[Any] = classes.tolist()

    def labels_of(self, source: Source, labels: list[Any], start: int) -> Array:
        """Labels of the type that the classes of the model have."""
        codes = self.codes_of(source, labels, start)
        return np.array(self.values, dtype=None if self.dtype.kind == "U" else self.dtype)[codes]

    def _unknown(self, source: Source, row: int, label: Any) -> int:
        if not self.new_classes:
            return super()._unknown(source, row, label)
        if len(self.values) == MOST_CLASSES:
            raise DataError(
                f"{source.where(row)}: the label {shortened(str(label))} would be class {MOST_CLASSES + 1:,} of the "
                f"model; {source.labels_at()} may not hold classes, which are at most {MOST_CLASSES:,}. Pass what "
                f"holds the classes."
            )
        value = self._class_of(source, row, label)
        self.codes[self.key(label)] = len(self.values)
        self.values.append(value)
        self.names.append(plain(value))
        return len(self.values) - 1

    def _class_of(self, source: Source, row: int, label: Any) -> Any:
        """A new class, of the type that those of the model have."""
        if self.dtype.kind == "U":
            text = _as_text(label)
            _refuse_broken_label(source, row, text)
            return text
        number = _as_number(label)
        whole = isinstance(number, (int, float)) and math.isfinite(number) and number == math.floor(number)
        if self.dtype.kind not in "iuf" or not whole or abs(number) > LARGEST_WHOLE:
            kind = {"b": "true or false", "i": "whole numbers", "u": "whole numbers", "f": "whole numbers"}
            raise DataError(
                f"{source.where(row)}: the label {shortened(str(label))} cannot be a new class beside "
                f"{listed(map(str, self.names))}, which are {kind.get(self.dtype.kind, self.dtype.name)}; correct it, "
                f"or remove the sample."
            )
        return int(label) if isinstance(label, str) and WHOLE_NUMBER.fullmatch(label) else int(number)


def _as_number(label: Any) -> Any:
    if isinstance(label, str) and label.lower() in ("true", "false"):
        return float(label.lower() == "true")
    number = _number(label)
    return label if number is None else number


def _as_text(label: Any) -> str:
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label)) if whole else str(label).strip()
