"""Facts about a model that several commands print."""

from typing import Any

from ..evidence.expected_accuracy import known_share


def lift_in_words(lift: dict[str, Any] | None) -> str:
    """The options of a lift, as the lift gives them (``description``), in a line of text."""
    if lift is None:
        return "none"
    words = f"{lift['filters']}, {lift['channels']} channels, kernel {','.join(map(str, lift['kernel']))}"
    words += f", contrast {lift['contrast']:.3g}" if "contrast" in lift else ""
    words += f", {lift['threshold']}" + (f", pool {lift['pool']:g}" if lift["pool"] != 1 else "")
    return words + (f", pad {','.join(map(str, lift['pad']))}" if any(lift["pad"]) else "")


def answers_in_short(model: Any) -> str:
    """What samples are measured by, in a line of text; both ways and their weights where there are two."""
    first = model.answers_.in_short(getattr(model, "eps_", 0.0))
    others = [f"{one.measure.in_short(0.0)} × {one.weight:.3g}" for one in model.further_answers_]
    aligned = getattr(model, "aligned_answer_", None)
    if aligned is not None:
        others.append(f"aligned, {aligned.view.n_landmarks:,} landmarks × {aligned.weight:.3g}")
    return " + ".join([f"{first} × {model.answer_weight_:.3g}", *others]) if others else str(first)


def scaling(model: Any) -> dict[str, Any]:
    """Whether columns of a table are standardised, and what left-out samples said of it, as JSON can hold it.

    Nothing for samples with an invariance, which have no columns of their own.
    """
    network = getattr(model, "network_", None)
    if network is None or getattr(model, "invariance", None) is not None:
        return {}
    scores = getattr(model, "scaling_scores_", None)
    known = None
    if scores is not None:
        known = {"as_they_are": known_share(scores[0]), "standardised": known_share(scores[1])}
    return {"standardised": network.scaler is not None, "scaling_scores": known}


def scaling_in_words(found: dict[str, Any], asked: str = "") -> str:
    """What :func:`scaling` found, in a line of text; ``asked`` is what the user or another model said, if they did."""
    words = ("as they are", "standardised")
    chosen, other = words[found["standardised"]], words[not found["standardised"]]
    scores = found["scaling_scores"]
    if scores is None:
        return f"{chosen} ({asked})" if asked else chosen
    best, least = (scores[name.replace(" ", "_")] for name in (chosen, other))
    if best is None or least is None:
        return f"{chosen} (no sample could be left out to say which is better)"
    return f"{chosen} (left-out samples: {best:.3f} correct, {least:.3f} {other})"


def training(model: Any) -> dict[str, Any]:
    """What training did to a model, as JSON can hold it; entry 0 of what samples held out say is about the start.

    Nothing for a model that was built and not trained.
    """
    history = getattr(model, "training_history_", None)
    if history is None:
        return {}
    return {
        "parts": list(history.parts),
        "epochs": len(history.loss),
        "chosen_epoch": history.chosen_epoch,
        "start_was_kept": history.start_was_kept,
        "training_loss": history.loss.tolist(),
        "held_out_samples": history.n_held_out,
        "held_out_loss": history.held_out_loss.tolist(),
        "held_out_accuracy": history.held_out_accuracy.tolist(),
    }


def training_in_words(found: dict[str, Any]) -> str:
    """What :func:`training` found, in a line of text."""
    accuracies, chosen = found["held_out_accuracy"], found["chosen_epoch"]
    kept = "the start was kept" if found["start_was_kept"] else f"{chosen} of {found['epochs']} epochs"
    return (
        f"{', '.join(found['parts'])}: {kept}; accuracy on {found['held_out_samples']:,} samples held out "
        f"{accuracies[0]:.4f} → {accuracies[chosen]:.4f}"
    )


def kernel(model: Any) -> dict[str, Any]:
    """The kernel of plain vectors, and what left-out samples said of its scale, as JSON can hold it; or nothing."""
    network = getattr(model, "network_", None)
    if network is None or network.kernel is None:
        return {}
    scores = getattr(model, "gamma_scores_", None)
    return {
        "kernel": {
            "name": network.kernel.name,
            "gamma": network.kernel.gamma if network.kernel.has_scale else None,
            "landmarks": network.kernel.n_landmarks,
            "gamma_scores": None if scores is None else [[float(one) for one in pair] for pair in scores.tolist()],
        }
    }


def kernel_in_words(found: dict[str, Any]) -> str:
    """What :func:`kernel` found, in a line of text."""
    scale = "" if found["gamma"] is None else f", γ = {found['gamma']:.4g}"
    if found["gamma_scores"]:
        scale += f" (the best of {len(found['gamma_scores'])} for left-out samples)"
    return f"{found['name']}{scale}, {found['landmarks']:,} landmarks"
