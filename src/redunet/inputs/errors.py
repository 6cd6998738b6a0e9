"""What a user can put right: errors whose message every interface writes in its own words.

A message names options and data. Python calls an option ``sample_shape=(1, 28, 28)``, the command line calls it
``--shape 1,28,28``; Python calls the samples ``X``, the command line calls them by their file. So an error keeps its
message as a template with named parts, and ``error.worded(words)`` writes it for another interface than Python.
"""

from collections.abc import Iterable
from typing import Any, Protocol


class Option:
    """An option that a message names.

    Parameters
    ----------
    name : str
        What Python calls it.
    *values
        None for the option itself, one for the option with this value, several for a choice between them.
    """

    def __init__(self, name: str, *values: Any) -> None:
        self.name, self.values = name, values


class Data:
    """An array that a message is about.

    Parameters
    ----------
    name : str
        What Python calls it, such as "X".
    """

    def __init__(self, name: str) -> None:
        self.name = name


class Words(Protocol):
    """How an interface writes the options and the data of a message."""

    def option(self, option: Option) -> str:
        """Text for an option."""

    def data(self, data: Data) -> str:
        """Text for an array."""


class PythonWords:
    """Options as arguments of a Python call, arrays by their names."""

    def option(self, option: Option) -> str:
        """Name, or name=value, or name=value or value."""
        values = " or ".join(repr(plain_value(value)) for value in option.values)
        return f"{option.name}={values}" if values else option.name

    def data(self, data: Data) -> str:
        """Name of the array."""
        return data.name


def plain_value(value: Any) -> Any:
    """A number of NumPy as one of Python, which is written without its type; other values as they are."""
    return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value


class Message:
    """Text with named parts.

    Parameters
    ----------
    template : str
        With the names of the parts in braces, as ``str.format`` takes it.
    **parts
        :class:`Option`, :class:`Data`, another message (or an error that has one), or a plain value.
    """

    def __init__(self, template: str, **parts: Any) -> None:
        self.template, self.parts = template, parts

    def worded(self, words: Words) -> str:
        """The text in the words of an interface."""
        return self.template.format(**{name: _worded_part(part, words) for name, part in self.parts.items()})

    def __str__(self) -> str:
        return self.worded(PythonWords())


def _worded_part(part: Any, words: Words) -> Any:
    if isinstance(part, Option):
        return words.option(part)
    if isinstance(part, Data):
        return words.data(part)
    if isinstance(part, (Message, WordedError)):
        return part.worded(words)
    return part


class WordedError(Exception):
    """An error whose message can be written in the words of another interface than Python.

    Its ``str`` is the message in the words of Python. It can be copied and pickled, as joblib does with errors.

    Parameters
    ----------
    template : str
    **parts
        As those of a :class:`Message`.
    """

    def __init__(self, template: str, **parts: Any) -> None:
        self.message = Message(template, **parts)
        super().__init__(str(self.message))

    def worded(self, words: Words) -> str:
        """The message in the words of an interface."""
        return self.message.worded(words)

    def __reduce__(self) -> tuple[Any, ...]:
        return _error_again, (type(self), self.message.template, self.message.parts), self.__dict__


def _error_again(kind: type[WordedError], template: str, parts: dict[str, Any]) -> WordedError:
    """An error that was pickled."""
    return kind(template, **parts)


class InputError(WordedError, ValueError):
    """Samples, labels or options that cannot be used; the message says what would help."""


class InputTypeError(WordedError, TypeError):
    """An option of a wrong type; the message says which type it takes."""


class RowError(InputError):
    """Rows that cannot be used.

    Parameters
    ----------
    template : str
    rows : ints
        Where they are in X or y, counted from 0; at least one of them.
    **parts
        As those of a :class:`Message`.
    """

    def __init__(self, template: str, *, rows: Iterable[Any], **parts: Any) -> None:
        self.rows = [int(row) for row in rows]
        super().__init__(template, rows=self.rows, **parts)


class SampleError(RowError):
    """Samples that have no place on the unit sphere."""


class ZeroSampleError(SampleError):
    """Samples of zeros alone, which have no direction."""


class SilentSampleError(SampleError):
    """Samples that no filter of a lift responds to, as it happens to constant ones."""


class MissingLabelError(RowError):
    """Labels of which some are missing."""


class OneClassError(InputError):
    """Labels of one class, where there is nothing to tell apart.

    Parameters
    ----------
    template : str
    label
        Of the only class.
    **parts
        As those of a :class:`Message`.
    """

    def __init__(self, template: str, *, label: Any, **parts: Any) -> None:
        super().__init__(template, label=label, **parts)
        self.label = label


class ThinClassError(InputError):
    """A class of one sample, which has nothing in common with another one.

    Parameters
    ----------
    template : str
    label
        Of the first such class.
    row : int
        Where its sample is in X, counted from 0.
    n_classes : int
        How many classes have one sample.
    **parts
        As those of a :class:`Message`.
    """

    def __init__(self, template: str, *, label: Any, row: int, n_classes: int, **parts: Any) -> None:
        super().__init__(template, label=label, row=row, n_classes=n_classes, **parts)
        self.label, self.row, self.n_classes = label, int(row), int(n_classes)


class NoLayerWarning(UserWarning):
    """No layer raises the rate reduction ΔR of the samples, so that the network has none."""


class UnansweredSampleWarning(UserWarning):
    """Some samples of a batch have no answer (``on_bad_samples="nan"``)."""
