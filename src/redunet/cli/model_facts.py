"""Facts about a model that several commands print."""

import math
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


def known_share(score: float) -> float | None:
    """An accuracy as JSON can hold it; None where it is not known."""
    return None if math.isnan(score) else float(score)


def expected_accuracy(model: Any) -> dict[str, Any]:
    """What is to be expected of new samples, as JSON can hold it.

    Leave-one-out is about the model without layers. Where layers were built, samples that were held out meanwhile say
    what the model with its layers is worth, if there were any.
    """
    n_layers, depth_scores = getattr(model, "n_layers_", 0), getattr(model, "depth_scores_", None)
    found: dict[str, Any] = {"loo_score": known_share(model.loo_score_), "expected_accuracy": None}
    found["expected_by"] = None
    if not n_layers:
        found |= {"expected_accuracy": found["loo_score"], "expected_by": "samples left out"}
    elif depth_scores is not None and n_layers < len(depth_scores):
        found |= {"expected_accuracy": float(depth_scores[n_layers]), "expected_by": "samples held out"}
    return found


def expected_accuracy_in_words(found: dict[str, Any]) -> str:
    """What :func:`expected_accuracy` found, in a line of text; ``found`` has the number of layers, too."""
    score, before, n_layers = found["expected_accuracy"], found["loo_score"], found.get("layers", 0)
    if score is not None and found["expected_by"] == "samples held out":
        return f"{score:.3f} (training samples that were held out while {n_layers} layers were built)"
    if before is None:
        return "unknown (every class has one sample, so that none can be left out)"
    left_out = "training samples, each left out of its class"
    if score is None:
        return f"not measured after {n_layers} layers; {before:.3f} before them ({left_out})"
    return f"{score:.3f} ({left_out})"
