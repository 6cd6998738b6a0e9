"""The command line as it was typed, for messages that give a command that works."""

import shlex
from collections.abc import Iterable, Sequence
from contextvars import ContextVar

_words: ContextVar[tuple[str, ...]] = ContextVar("words of the command line", default=())


def remember_words(words: Iterable[str]) -> None:
    """Remember what was typed after ``redunet``."""
    _words.set(tuple(words))


def command_with(added: Sequence[str], without: str | None = None) -> str:
    """The command that was typed, with further words, quoted for a shell; empty where no command was typed.

    Parameters
    ----------
    added : sequence of str
        Words that are put at the end.
    without : str, optional
        An option that is left out with its value, such as "--target".
    """
    typed = _words.get()
    if not typed:
        return ""
    kept: list[str] = []
    words = iter(typed)
    for word in words:
        if without is not None and word == without:
            next(words, None)
        elif without is None or not word.startswith(f"{without}="):
            kept.append(word)
    return shlex.join(["redunet", *kept, *added])
