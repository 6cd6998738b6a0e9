"""Facts about a model that several commands print."""

from typing import Any


def lift_in_words(lift: dict[str, Any] | None) -> str:
    """The options of a lift, as the lift gives them (``description``), in a line of text."""
    if lift is None:
        return "none"
    words = f"{lift['filters']}, {lift['channels']} channels, kernel {','.join(map(str, lift['kernel']))}"
    words += f", {lift['threshold']}" + (f", pool {lift['pool']:g}" if lift["pool"] != 1 else "")
    return words + (f", pad {','.join(map(str, lift['pad']))}" if any(lift["pad"]) else "")
