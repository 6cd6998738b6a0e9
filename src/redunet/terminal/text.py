"""Text for the terminal: words for people are made harmless, JSON for programs is exact.

Names of columns, labels, file names and the values of a model are text of unknown origin. Such text can hold escape
codes, which move the cursor or change what the terminal does; and a terminal may be unable to print what it holds. All
words for people therefore pass :func:`harmless`, either by :func:`print_lines` (lines) or by the ``Screen`` of
screen.py (tables, bars).
"""

import json
import sys
from collections.abc import Iterable
from typing import IO, Any

# What stands for a character that is not printed, where the terminal can print it.
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def harmless(text: str, encoding: str | None = None) -> str:
    """One line of text that a terminal shows and does not obey.

    Parameters
    ----------
    text : str
    encoding : str, optional
        What the terminal can print; UTF-8 by default.

    Returns
    -------
    str
        The text, with a visible character in the place of each that is not printable: control characters (line ends
        among them), marks that turn the direction of writing, halves of characters from names that are not UTF-8. What
        the encoding cannot express becomes a question mark.
    """
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else REPLACEMENT for letter in text)
    if text.isascii():
        return text
    try:
        return text.encode(encoding or "utf-8", "replace").decode(encoding or "utf-8")
    except LookupError:  # a stream may call its encoding anything
        return text.encode("ascii", "replace").decode("ascii")


def print_lines(lines: Iterable[str], stream: IO[str]) -> None:
    """Write lines for people to a stream; a line end inside one of them does not begin another line."""
    encoding = getattr(stream, "encoding", None)
    stream.write("".join(f"{harmless(line, encoding)}\n" for line in lines))
    stream.flush()


def write_json(found: Any) -> None:
    """Write JSON to standard output: readable where a terminal can show it, else with escapes; always exact."""
    text = json.dumps(found, indent=2, ensure_ascii=False)
    if harmless(text.replace("\n", " "), getattr(sys.stdout, "encoding", None)) != text.replace("\n", " "):
        text = json.dumps(found, indent=2)
    sys.stdout.write(text + "\n")


def print_what_can_be_printed() -> None:
    """From now on standard output replaces what its encoding lacks instead of failing, as the error stream does."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)  # not every stream has it
    if reconfigure is not None and sys.stdout.errors == "strict":
        reconfigure(errors="replace")
