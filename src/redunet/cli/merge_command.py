"""``redunet merge``: models that were fitted in several places, joined into one."""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ..evidence.expected_accuracy import expected_accuracy, expected_accuracy_in_words
from ..inputs.byte_sizes import readable_bytes
from ..inputs.declared_classes import joined_classes
from ..inputs.errors import InputError
from ..network.standardiser import Standardiser
from ..terminal.text import write_json
from .command_errors import DataError
from .files.file_labels import plain
from .output import place_to_write
from .printing import print_facts, short_list
from .progress_bar import progress_bar
from .run_command import run_command
from .saved_model import SavedClassifier


@dataclass(frozen=True)
class MergeRequest:
    """What ``redunet merge`` was asked for, as on the command line."""

    models: tuple[Path, ...]
    out: Path
    again: bool = False
    as_json: bool = False
    quiet: bool = False


def merge(request: MergeRequest) -> int:
    """Join models and return the exit code."""
    return run_command(lambda: merge_models(request), "interrupted; no model was written.")


def merge_models(request: MergeRequest) -> None:
    """Add up the moments of all models, build the one that they give, and save it; print a summary."""
    out = place_to_write(request.out, request.models)
    with progress_bar(not (request.quiet or request.as_json)) as progress:
        progress.describe("reading")
        classifiers = [SavedClassifier(path) for path in request.models]
        models = [classifier.learner() for classifier in classifiers]
        first = classifiers[0]
        for other in classifiers[1:]:
            refuse_unlike(first, other)
        if not request.again:
            refuse_shared_files(classifiers)
        progress.describe("choosing")
        first.model.merge(*models[1:])
        progress.describe("saving")
        first.save(out)
    if not request.quiet or request.as_json:
        found = summary(request, first.model)
        if request.as_json:
            write_json(found)
        else:
            print_facts(facts_of(found))


def refuse_unlike(first: SavedClassifier, other: SavedClassifier) -> None:
    """Refuse a model that does not go with the first, by the names of both files."""
    reason = difference(first, other)
    if reason:
        raise DataError(f"{other.path} does not go with {first.path}: {reason}. Fit one of them with --like the other.")
    try:
        joined_classes(first.classes, other.classes)
    except InputError as error:
        raise DataError(f"{other.path} does not go with {first.path}: {error}") from None


def difference(first: SavedClassifier, other: SavedClassifier) -> str:
    """What of the way in which samples enter differs between two models; empty if nothing does."""
    one, its = first.model, other.model
    if one.sample_shape_ != its.sample_shape_:
        return f"its samples have the shape {its.sample_shape_}, those of the other {one.sample_shape_}"
    if first.names != other.names:
        return "it was fitted on other columns, or on the same in another order"
    if one.invariance != its.invariance:
        return f"its invariance is {its.invariance or 'none'}, that of the other {one.invariance or 'none'}"
    if one.network_.dtype != its.network_.dtype:
        return "one was fitted with --float32, the other without"
    reason = _difference_of_scales(one.network_.scaler, its.network_.scaler)
    if reason:
        return reason
    offset, its_offset = one.network_.geometry.offset, its.network_.geometry.offset
    if one.lift_ is None and its.lift_ is None and offset != its_offset:
        return f"its samples have the constant coordinate {its_offset:.6g}, those of the other {offset:.6g}"
    kernel = one.network_.kernel or its.network_.kernel
    return "" if its.enters_like(one) else "its lift is another" if kernel is None else "its kernel is another"


def _difference_of_scales(scaler: Standardiser | None, its_scaler: Standardiser | None) -> str:
    if scaler is None and its_scaler is None:
        return ""
    if scaler is None or its_scaler is None:
        return "one was fitted on standardised columns, the other on columns as they are"
    same = all(map(np.array_equal, (scaler.mean, scaler.scale), (its_scaler.mean, its_scaler.scale)))
    return "" if same else "its columns have another mean and scale"


def refuse_shared_files(classifiers: list[SavedClassifier]) -> None:
    """Refuse models that have counted the same file, whose rows would count twice."""
    for one, other in combinations(classifiers, 2):
        mine = {file.sha256 for file in one.model.added_files_}
        for file in other.model.added_files_:
            if file.sha256 in mine:
                raise DataError(
                    f"{one.path} and {other.path} have both counted the same {file.n_samples:,} rows of a file "
                    f"(SHA-256 {file.sha256[:12]}…); pass --again to count them twice, or take them out of one of the "
                    f"two with redunet update --forget."
                )


def summary(request: MergeRequest, model: Any) -> dict[str, Any]:
    """The joined model in numbers, as JSON can hold them."""
    counts = zip(model.classes_.tolist(), model.moments_.class_weight.tolist(), strict=True)
    return {
        "models": len(request.models),
        "samples": float(model.moments_.class_weight.sum()),
        "classes": {str(plain(name)): n for name, n in counts},
        **expected_accuracy(model),
        "file": str(request.out),
        "bytes": request.out.stat().st_size,
    }


def facts_of(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The summary as names and values for people."""
    return [
        ("joined", f"{found['models']} models"),
        ("samples", f"{found['samples']:,.10g}"),
        ("classes", short_list(f"{name} ({n:,.10g})" for name, n in found["classes"].items())),
        ("expected accuracy", expected_accuracy_in_words(found)),
        ("model", f"{found['file']} ({readable_bytes(found['bytes'])})"),
    ]
