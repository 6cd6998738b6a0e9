"""Facts about a model that several commands print."""

from typing import Any


def lift_in_words(lift: dict[str, Any] | None) -> str:
    """The options of a lift, as the lift gives them (``description``), in a line of text."""
    if lift is None:
        return "none"
    words = f"{lift['filters']}, {lift['channels']} channels, kernel {','.join(map(str, lift['kernel']))}"
    words += f", {lift['threshold']}" + (f", pool {lift['pool']:g}" if lift["pool"] != 1 else "")
    return words + (f", pad {','.join(map(str, lift['pad']))}" if any(lift["pad"]) else "")


def answers_in_short(model: Any) -> str:
    """What samples are measured by, in a line of text; both ways and their weights where there are two."""
    first = model.answers_.in_short(getattr(model, "eps_", 0.0))
    others = [f"{one.measure.in_short(0.0)} × {one.weight:.3g}" for one in model.further_answers_]
    return " + ".join([f"{first} × {model.answer_weight_:.3g}", *others]) if others else str(first)
