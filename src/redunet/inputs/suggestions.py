"""The name that a user probably meant."""

import difflib
import heapq
from collections.abc import Iterable

# Names that are compared closely with one that was not found, and the longest such name in characters: each
# comparison takes a while.
MOST_COMPARED_NAMES, MOST_COMPARED_CHARACTERS = 200, 100


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A guess at the name that was meant, as a sentence after a space; empty if no name is near."""
    if len(name) > MOST_COMPARED_CHARACTERS:
        return ""
    given = name.lower()
    by_lower = {one.lower(): one for one in reversed(list(names)) if len(one) <= MOST_COMPARED_CHARACTERS}
    likely = heapq.nlargest(MOST_COMPARED_NAMES, by_lower, key=lambda one: _n_common_ends(given, one))
    near = difflib.get_close_matches(given, likely, n=1)
    return f" Did you mean {by_lower[near[0]]!r}?" if near else ""


def _n_common_ends(first: str, second: str) -> int:
    """How many characters two names have in common at their starts and at their ends."""
    return sum(
        next((i for i, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))
        for a, b in ((first, second), (first[::-1], second[::-1]))
    )
