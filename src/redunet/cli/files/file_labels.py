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


def plain(label: Any) -> bool | int | float | str:
    """A label of any type as JSON can hold it."""
    if isinstance(label, bytes):
        return label.decode(errors="replace")
    if isinstance(label, np.generic):
        label = label.item()
    return label if isinstance(label, (bool, int, float, str)) else str(label)


def labels_for_fit(source: Source, labels: list[Any]) -> Array:
    """Labels as an array: whole numbers where all are, else text; at least two classes of two samples."""
    labels = [plain(label) for label in labels]
    _refuse_broken_text(source, labels)
    numbers = [_number(label) for label in labels]
    if all(number is not None for number in numbers):
        _refuse_measurements(source, numbers)
    if not all(isinstance(label, bool) for label in labels):
        if all(isinstance(label, (bool, int, float)) or WHOLE_NUMBER.fullmatch(label) for label in labels):
            labels = [int(label) for label in labels]
            if max(map(abs, labels)) > LARGEST_WHOLE:
                labels = [str(label) for label in labels]
        else:
            labels = [str(label) for label in labels]
    found = np.array(labels)
    _refuse_thin_classes(source, found)
    return found


def _refuse_broken_text(source: Source, labels: list[Any]) -> None:
    """Text that a model file cannot hold: names that are not UTF-8, and characters that an array drops at the end."""
    for i, label in enumerate(labels):
        if isinstance(label, str) and not label.isascii() and not is_whole_text(label):
            raise DataError(f"{source.where(i)}: the label {shortened(label)} is not UTF-8 text; rename the class.")
        if isinstance(label, str) and "\0" in label:
            raise DataError(f"{source.where(i)}: the label {shortened(label)} has a zero character; rename the class.")


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


def _refuse_measurements(source: Source, numbers: Sequence[float | None]) -> None:
    for i, number in enumerate(numbers):
        assert number is not None
        if not math.isfinite(number):
            raise DataError(f"{source.where(i)}: the label is {number}; fill it in, or remove the sample.")
        if number != math.floor(number):
            raise DataError(
                f"{source.where(i)}: the label is {number}, a measurement rather than a class ({source.labels_at()}); "
                f"labels are names or whole numbers."
            )


def _refuse_thin_classes(source: Source, labels: Array) -> None:
    """Refuse labels of one class, and classes of one sample, by their place in the file."""
    classes, codes = np.unique(labels, return_inverse=True)
    try:
        refuse_thin_classes(Labels.of(classes, codes), np.ones(len(labels)))
    except OneClassError as error:
        raise DataError(
            f"{source.labels_at()}: all {len(labels)} labels are {_quoted(error.label)}; there must be at least 2 "
            f"classes to tell apart. Add samples of another class."
        ) from None
    except ThinClassError as error:
        more = f" (and {error.n_classes - 1} more classes have one)" if error.n_classes > 1 else ""
        raise DataError(
            f"{source.where(error.row)}: class {_quoted(error.label)} has this one sample only{more}; a class needs at "
            f"least 2. Remove it, or add samples."
        ) from None


def _quoted(label: Any) -> str:
    return shortened(label) if isinstance(label, str) else repr(label)


class KnownLabels:
    """The classes of a model, found by the labels of a file: "3", 3 and 3.0 are the same where classes are numbers.

    Parameters
    ----------
    classes : array, shape (n_classes,)
    """

    def __init__(self, classes: Array) -> None:
        self.names = [plain(label) for label in classes.tolist()]
        numeric = all(isinstance(name, (int, float)) for name in self.names)
        self.key: Callable[[Any], Any] = _as_number if numeric else _as_text
        self.codes = {self.key(name): i for i, name in enumerate(self.names)}

    def codes_of(self, source: Source, labels: list[Any], start: int) -> Array:
        """Number of the class of each label; a label that the model does not know is an error."""
        found = np.empty(len(labels), dtype=np.int64)
        for i, label in enumerate(labels):
            code = self.codes.get(self.key(plain(label)))
            if code is None:
                raise DataError(
                    f"{source.where(start + i)}: the label {shortened(str(plain(label)))} is not among the classes of "
                    f"the model, {listed(map(str, self.names))}; correct or remove it, or fit on samples of that class."
                )
            found[i] = code
        return found


def _as_number(label: Any) -> Any:
    if isinstance(label, str) and label.lower() in ("true", "false"):
        return float(label.lower() == "true")
    number = _number(label)
    return label if number is None else number


def _as_text(label: Any) -> str:
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label)) if whole else str(label).strip()
