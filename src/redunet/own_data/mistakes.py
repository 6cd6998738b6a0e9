"""What a user can put right: in the words of the command line, or in the data."""

import difflib
from collections.abc import Iterable

# What the shell is told: all is well, the data or the model are wrong, the words are wrong, Ctrl-C.
FINE, WRONG, WRONG_WORDS, INTERRUPTED = 0, 1, 2, 130
# Names that a message lists before it stops.
LISTED = 8


class Mistake(Exception):  # noqa: N818
    """Told as "redunet: …"; it says what, where, and what helps."""

    code = WRONG


class WrongData(Mistake):
    """The data or the model are not what they should be."""


class WrongWords(Mistake):
    """The command line asks for something that is not there."""

    code = WRONG_WORDS


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A guess at the name that was meant, as a sentence; empty if none is near."""
    names = list(names)
    by_lower = {one.lower(): one for one in reversed(names)}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f" Did you mean {by_lower[near[0]]!r}?" if near else ""


def listed(names: Iterable[str]) -> str:
    """Names as a list in words, cut short if there are many."""
    names = list(names)
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(map(repr, names[:LISTED])) + more


def one_of(option: str, value: str, choices: Iterable[str]) -> str:
    """The value of an option if it is one of the choices."""
    choices = list(choices)
    if value not in choices:
        raise WrongWords(f"{option} must be one of {', '.join(choices)}, got {value!r}.{did_you_mean(value, choices)}")
    return value
