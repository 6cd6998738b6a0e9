"""What a classifier is, in sentences."""

from .classifier_data import class_names
from .shown_classifier import ShownClassifier

MOST_NAMED_CLASSES = 12
# What an invariance means for an answer.
INVARIANCE_WORDS = {
    None: "",
    "shift": "; the answer is the same at every circular shift",
    "translation": "; the answer is the same wherever the object is (circular translations)",
}


def what_it_is(clf: ShownClassifier) -> str:
    """Samples, classes, invariance and how it answers, in one sentence; and in another, whether it was trained."""
    names = class_names(clf.classes_.tolist())
    more = f" and {len(names) - MOST_NAMED_CLASSES} more" if len(names) > MOST_NAMED_CLASSES else ""
    listed = ", ".join(names[:MOST_NAMED_CLASSES]) + more
    n_judged = clf.evidence_.n_samples
    judged = f", judged by {n_judged:,.0f} of the samples it was fitted on" if n_judged else ""
    return (
        f"It tells {_samples_in_words(clf)} of {len(names)} classes apart ({listed}){judged}"
        f"{INVARIANCE_WORDS[clf.invariance]}; it answers by {_answers_in_words(clf)}.{_training_in_words(clf)}"
    )


def _training_in_words(clf: ShownClassifier) -> str:
    """That it was trained further, in a sentence after another one; nothing if it was not, or if its start was kept."""
    history = getattr(clf, "training_history_", None)
    if history is None or history.start_was_kept:
        return ""
    before, after = (history.held_out_accuracy[epoch] for epoch in (0, history.chosen_epoch))
    n = history.chosen_epoch
    return (
        f" It was trained further for {n} epoch{'s' if n > 1 else ''} ({', '.join(history.parts)}): of "
        f"{history.n_held_out:,} samples held out, {after:.1%} were then answered correctly, {before:.1%} before."
    )


def _samples_in_words(clf: ShownClassifier) -> str:
    n_channels, *grid = clf.sample_shape_
    if not grid:
        return f"rows of {n_channels} numbers"
    what = {1: "signals", 2: "images"}.get(len(grid), "volumes")
    channels = f" with {n_channels} channels" if n_channels > 1 else ""
    length = f"{grid[0]} values" if len(grid) == 1 else " × ".join(map(str, grid)) + " pixels"
    return f"{what} of {length}{channels}"


def _answers_in_words(clf: ShownClassifier) -> str:
    eps = float(getattr(clf, "eps_", 1.0))
    first = clf.answers_.in_words(eps)
    further = [f"{one.measure.in_words(eps)} (weight {one.weight:.2g})" for one in clf.further_answers_]
    aligned = clf.aligned_answer_
    if aligned is not None:
        n_landmarks = aligned.view.n_landmarks
        what = f"a regression on the nearness to {n_landmarks:,} landmarks at the shift where they fit"
        further.append(f"{what} (weight {aligned.weight:.2g})")
    return " and by ".join([f"{first} (weight {clf.answer_weight_:.2g})" if further else first, *further])


def description(clf: ShownClassifier) -> str:
    """What was given or chosen, in words."""
    answer = f"The answer is {_answers_in_words(clf)}."
    n_layers = len(clf.network_.layers)
    layers = f"{n_layers} layers guess the class by {getattr(clf, 'membership_', '')!r}." if n_layers else "No layers."
    lift = getattr(clf, "lift_", None)
    lifted = "No lift." if lift is None else f"Lift: {lift!r}"
    evidence = clf.evidence_
    tried = ", ".join(
        f"{choice:g}: {score:.3f}" for choice, score in zip(evidence.choices, evidence.scores, strict=True)
    )
    return f"{answer} {layers}\n\n{lifted}\n\nLeave-one-out accuracy by {clf.answers_.option_symbol}: {tried}."
