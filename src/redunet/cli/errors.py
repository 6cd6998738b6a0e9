"""What a user can put right: in the words of the command line, or in the data."""

from collections.abc import Iterable

from ..inputs.suggestions import did_you_mean

# What the shell is told: all is well, the data or the model are wrong, the words are wrong, Ctrl-C.
FINE, WRONG, WRONG_WORDS, INTERRUPTED = 0, 1, 2, 130
# Names that a message lists before it stops, and characters of a name.
LISTED, LONGEST_NAME = 8, 40


class Mistake(Exception):  # noqa: N818
    """Told as "redunet: …"; it says what, where, and what helps."""

    code = WRONG


class WrongData(Mistake):
    """The data or the model are not what they should be."""


class WrongWords(Mistake):
    """The command line asks for something that is not there."""

    code = WRONG_WORDS


def listed(names: Iterable[str]) -> str:
    """Names as a list in words, cut short if there are many."""
    names = list(names)
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(map(shortened, names[:LISTED])) + more


def shortened(text: str) -> str:
    """Text in quotes, cut if it is long."""
    return repr(text if len(text) <= LONGEST_NAME else text[:LONGEST_NAME] + "…")


def first_line(error: BaseException) -> str:
    """What an error of another library says first, without the full stop."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def one_of(option: str, value: str, choices: Iterable[str]) -> str:
    """The value of an option if it is one of the choices."""
    choices = list(choices)
    if value not in choices:
        raise WrongWords(f"{option} must be one of {', '.join(choices)}, got {value!r}.{did_you_mean(value, choices)}")
    return value
