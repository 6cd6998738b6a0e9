"""Errors that end a command, which a user can put right; and the pieces of their messages."""

from collections.abc import Iterable

from ..inputs.suggestions import did_you_mean
from .exit_codes import FAILURE, USAGE

# Names that a message lists before it stops, and characters of a name.
MOST_LISTED_NAMES, MOST_NAME_CHARACTERS = 8, 40


class CommandError(Exception):
    """An error that ends a command and is printed as "redunet: …"; it says what, where, and what helps."""

    code = FAILURE


class DataError(CommandError):
    """The data or the model are not what they should be."""


class UsageError(CommandError):
    """The command line asks for something that is not there."""

    code = USAGE


def listed(names: Iterable[str]) -> str:
    """Names in quotes with commas between them; only the first ones if there are many."""
    names = list(names)
    more = f" and {len(names) - MOST_LISTED_NAMES} more" if len(names) > MOST_LISTED_NAMES else ""
    return ", ".join(map(shortened, names[:MOST_LISTED_NAMES])) + more


def shortened(text: str) -> str:
    """Text in quotes, cut if it is long."""
    return repr(text if len(text) <= MOST_NAME_CHARACTERS else text[:MOST_NAME_CHARACTERS] + "…")


def first_line(error: BaseException) -> str:
    """First line of the message of another library's error, without the full stop."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def one_of(option: str, value: str, choices: Iterable[str]) -> str:
    """The value of an option; an error if it is not one of the choices."""
    choices = list(choices)
    if value not in choices:
        raise UsageError(f"{option} must be one of {', '.join(choices)}, got {value!r}.{did_you_mean(value, choices)}")
    return value
