"""Kinds of labels: text is never equal to a number, and NumPy would turn one into the other without a word."""

from ..numerics.arrays import Array
from .errors import Data, InputError, InputTypeError

KINDS = {"U": "text", "S": "bytes", "m": "times", "M": "times"} | dict.fromkeys("biuf", "numbers")


def kind_of_labels(labels: Array) -> str:
    """What labels are, whether NumPy knows it or holds them as objects: numbers, text, bytes, times, or another type.

    Parameters
    ----------
    labels : array, shape (n_labels,)
        At least one, all of one kind.
    """
    if labels.dtype.kind in KINDS:
        return KINDS[labels.dtype.kind]
    first = labels.tolist()[0]
    for kind, types in (("numbers", (bool, int, float)), ("text", str), ("bytes", bytes)):
        if isinstance(first, types):
            return kind
    return type(first).__name__


def refuse_other_kind(known: Array, others: Array) -> None:
    """Refuse to put labels together that are of different kinds."""
    if not len(known) or not len(others):
        return
    one, other = kind_of_labels(known), kind_of_labels(others)
    if one != other:
        raise InputError(
            "the labels {known!r} are {one} but {others!r} are {other}; pass labels of one type.",
            known=known.tolist()[0],
            one=one,
            others=others.tolist()[0],
            other=other,
        )


def refuse_text_for_numbers(labels: Array, classes: Array) -> None:
    """Labels of which one side is text and the other numbers are a mistake, not misses."""
    found, expected = kind_of_labels(labels), kind_of_labels(classes)
    if {found, expected} == {"text", "numbers"}:
        raise InputTypeError(
            "{labels} holds {found} such as {label!r}, but fit saw {expected} such as {known!r}; pass labels of the "
            "same type.",
            labels=Data("y"),
            found=found,
            label=labels.tolist()[0],
            expected=expected,
            known=classes.tolist()[0],
        )
