"""What accuracy is to be expected of a fitted classifier on new samples, in numbers and in words."""

import math
from typing import Any

# What the number comes from.
LEFT_OUT, HELD_OUT, OUT_OF_TRAINING = "samples left out", "samples held out", "samples held out of training"
LEFT_OUT_IN_WORDS = "training samples, each left out of its class"


def known_share(score: float) -> float | None:
    """An accuracy as JSON can hold it; None where it is not known."""
    return None if math.isnan(score) else float(score)


def expected_accuracy(model: Any) -> dict[str, Any]:
    """What is to be expected of new samples, as JSON can hold it.

    Leave-one-out is about the model without layers. Where layers were built, samples that were held out meanwhile say
    what the model with its layers is worth, if there were any. For a model that was trained further, ``loo_score`` is
    the accuracy on the samples held out of the training.

    Parameters
    ----------
    model : classifier
        Fitted.

    Returns
    -------
    dict
        ``layers``, their number; ``loo_score``, the accuracy before layers; ``expected_accuracy``, that with layers;
        ``expected_by``, what the latter comes from. What is not known is None.
    """
    n_layers, depth_scores = getattr(model, "n_layers_", 0), getattr(model, "depth_scores_", None)
    score = known_share(model.loo_score_)
    found: dict[str, Any] = {"layers": n_layers, "loo_score": score, "expected_accuracy": None, "expected_by": None}
    history = getattr(model, "training_history_", None)
    if history is not None and not history.start_was_kept:
        found |= {"expected_accuracy": score, "expected_by": OUT_OF_TRAINING}
    elif not n_layers:
        found |= {"expected_accuracy": score, "expected_by": LEFT_OUT}
    elif depth_scores is not None and n_layers < len(depth_scores):
        found |= {"expected_accuracy": float(depth_scores[n_layers]), "expected_by": HELD_OUT}
    return found


def expected_accuracy_in_words(found: dict[str, Any]) -> str:
    """What :func:`expected_accuracy` found, in a line of text."""
    score, before, n_layers = found["expected_accuracy"], found["loo_score"], found["layers"]
    if score is not None:
        return f"{score:.3f} ({how_it_was_found(found)})"
    if before is None:
        return "unknown (no left-out sample says it)"
    return f"not measured after {n_layers} layers; {before:.3f} before them ({LEFT_OUT_IN_WORDS})"


def how_it_was_found(found: dict[str, Any]) -> str:
    """What the number of :func:`expected_accuracy` comes from, in words."""
    if found["expected_by"] == OUT_OF_TRAINING:
        return "samples held out of the training, which also chose the epoch"
    if found["expected_by"] == HELD_OUT:
        return f"training samples that were held out while {found['layers']} layers were built"
    return LEFT_OUT_IN_WORDS
