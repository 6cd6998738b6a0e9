"""What a user can put right: in the words of the command line, or in the data."""

import difflib
import heapq
from collections.abc import Iterable

# What the shell is told: all is well, the data or the model are wrong, the words are wrong, Ctrl-C.
FINE, WRONG, WRONG_WORDS, INTERRUPTED = 0, 1, 2, 130
# Names that a message lists before it stops, and characters of a name.
LISTED, LONGEST_NAME = 8, 40
# Names that are compared closely with one that was not found, and characters of such a name: each takes a while.
COMPARED, LONGEST_COMPARED = 200, 100


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
    if len(name) > LONGEST_COMPARED:
        return ""
    given = name.lower()
    by_lower = {one.lower(): one for one in reversed(list(names)) if len(one) <= LONGEST_COMPARED}
    likely = heapq.nlargest(COMPARED, by_lower, key=lambda one: _common_ends(given, one))
    near = difflib.get_close_matches(given, likely, n=1)
    return f" Did you mean {by_lower[near[0]]!r}?" if near else ""


def _common_ends(first: str, second: str) -> int:
    """How many characters two names have in common at their starts and at their ends."""
    return sum(
        next((i for i, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))
        for a, b in ((first, second), (first[::-1], second[::-1]))
    )


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
