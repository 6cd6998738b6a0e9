"""``redunet inspect``: what a model file holds, without reading its layers."""

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..evidence.expected_accuracy import expected_accuracy, expected_accuracy_in_words
from ..inputs.byte_sizes import readable_bytes
from ..storage.array_file import ArrayFile
from ..storage.model_file_error import ModelFileError
from ..terminal.text import write_json
from .command_errors import DataError
from .files.file_labels import plain
from .model_facts import (
    answers_in_short,
    kernel,
    kernel_in_words,
    lift_in_words,
    scaling,
    scaling_in_words,
    training,
    training_in_words,
)
from .printing import print_facts, short_list, short_text, sparkline
from .progress_bar import ProgressBar, progress_bar
from .run_command import run_command
from .saved_model import open_model


@dataclass(frozen=True)
class InspectRequest:
    """What ``redunet inspect`` was asked for, as on the command line."""

    model: Path
    verify: bool = False
    as_json: bool = False


def inspect(request: InspectRequest) -> int:
    """Print what a model file holds and return the exit code."""
    return run_command(lambda: inspect_model(request), "interrupted.")


def inspect_model(request: InspectRequest) -> None:
    """Print what a model file holds; with ``verify`` read and check all of it."""
    model = open_model(request.model)
    file = ArrayFile(request.model)
    found = {
        "file": str(request.model),
        "bytes": request.model.stat().st_size,
        "format": file.text["format"],
        "version": str(file.text.get("version"))[:40],
        "arrays": len(file.names),
        "numbers": sum(math.prod(file.shape(name)) for name in file.names),
        **description(model),
    }
    if request.verify:
        with progress_bar(not request.as_json) as progress:
            found["sha256"] = verified(request.model, file, progress)
    if request.as_json:
        write_json(found)
    else:
        print_facts(facts_of(found))


def verified(path: Path, file: ArrayFile, progress: ProgressBar) -> str:
    """SHA-256 of the file, once every array was read and matches its checksum."""
    progress.describe("verifying")
    for i, name in enumerate(file.names):
        try:
            file.array(name)
        except ModelFileError as error:
            raise DataError(f"{str(error).rstrip('.')}. Get the file again, or fit again.") from None
        progress.count(i + 1, "arrays")
    with open(path, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def description(model: BaseEstimator) -> dict[str, Any]:
    """A model in words and numbers, as JSON can hold them."""
    found: dict[str, Any] = {"kind": type(model).__name__}
    if hasattr(model, "classes_"):
        found["classes"] = [plain(name) for name in model.classes_.tolist()]
    found["shape"] = list(model.sample_shape_)
    names = getattr(model, "feature_names_in_", None)
    found["columns"] = None if names is None else [str(name) for name in names]
    found["parameters"] = {name: _plain_value(value) for name, value in model.get_params(deep=False).items()}
    usual = type(model)().get_params(deep=False)
    found["given"] = [name for name, value in found["parameters"].items() if value != _plain_value(usual[name])]
    if hasattr(model, "network_"):
        found["precision"] = {"float32": "single", "float64": "double"}[model.network_.dtype.name]
    found |= scaling(model) | kernel(model)
    if hasattr(model, "bank_") or hasattr(model, "lift_"):
        lift = model if hasattr(model, "bank_") else model.lift_
        found["lift"] = None if lift is None else lift.description()
    if hasattr(model, "evidence_"):
        found |= expected_accuracy(model)
        found["evidence"] = {
            "choices": [float(choice) for choice in model.evidence_.choices],
            "scores": model.evidence_.scores.tolist(),
            "samples": float(model.evidence_.n_samples),
            "option": model.answers_.option_symbol,
        }
        found["rank"] = model.rank_
        found["answers_by"] = answers_in_short(model)
        found["membership"] = getattr(model, "membership_", model.answers_.name)
        found["eps"] = getattr(model, "eps_", None)
        found["training"] = training(model) or None
    if hasattr(model, "n_clusters_"):
        found["clusters"] = np.bincount(model.labels_, minlength=model.n_clusters_).tolist()
        found["eps"], found["coding_length"] = model.eps_, model.coding_length_
    moments = getattr(model, "moments_", None)
    if moments is not None:
        counts = zip(found["classes"], moments.class_weight.tolist(), strict=True)
        found["moments"] = {
            "samples": float(moments.class_weight.sum()),
            "classes": {str(name): n for name, n in counts},
            "evidence_samples": len(moments.reservoir.codes),
            "files": [{"sha256": file.sha256, "samples": file.n_samples} for file in model.added_files_],
        }
    if hasattr(model, "history_"):
        found["layers"] = model.n_layers_
        found["rate_reduction"] = model.history_.rate_reduction.tolist()
    return found


def _plain_value(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        return [_plain_value(one) for one in value]
    return " ".join(str(value).split())


def facts_of(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The description of a model as names and values for people."""
    facts = [
        ("file", f"{found['file']} ({readable_bytes(found['bytes'])})"),
        ("holds", f"{found['kind']}, {found['numbers']:,} numbers in {found['arrays']} arrays"),
        ("written by", f"redunet {short_text(found['version'])}, format {found['format']}"),
    ]
    if "classes" in found:
        facts.append(("classes", f"{len(found['classes'])}: {short_list(found['classes'])}"))
    facts.append(("takes samples of", " × ".join(map(str, found["shape"]))))
    if found["columns"] is not None:
        facts.append(("columns", short_list(found["columns"])))
    if "precision" in found:
        facts.append(("precision", found["precision"]))
    if "standardised" in found:
        facts.append(("scale of columns", scaling_in_words(found)))
    if "kernel" in found:
        facts.append(("kernel", kernel_in_words(found["kernel"])))
    if "lift" in found:
        facts.append(("lift", lift_in_words(found["lift"])))
    if "clusters" in found:
        sizes = short_list(f"{j} ({n:,})" for j, n in enumerate(found["clusters"]))
        facts.append(("clusters", f"{len(found['clusters'])}: {sizes}"))
        facts.append(("length of the code", f"{found['coding_length']:,.1f} nats, up to ε = {found['eps']:.3g}"))
    if "loo_score" in found:
        facts.append(("answers by", found["answers_by"]))
        facts.append(("expected accuracy", expected_accuracy_in_words(found)))
        facts.append(("evidence", _evidence(found)))
        if found["training"] is not None:
            facts.append(("trained further", training_in_words(found["training"])))
    if "moments" in found:
        facts += moment_facts(found["moments"])
    if "rate_reduction" in found:
        facts.append(("layers", str(found["layers"])))
        rates = found["rate_reduction"]
        curve = f"{sparkline(rates)} {rates[0]:.4g} → " if found["layers"] else ""
        facts.append(("ΔR", f"{curve}{rates[-1]:.4g} nats"))
    options = [f"{name}={short_text(repr(found['parameters'][name]), 200)}" for name in found["given"]]
    facts.append(("parameters", ", ".join([*options, "all others as by default"])))
    if "sha256" in found:
        facts.append(("verified", f"all {found['arrays']} arrays match their checksums"))
        facts.append(("sha256", found["sha256"]))
    return facts


def moment_facts(moments: dict[str, Any]) -> list[tuple[str, str]]:
    """What a model keeps so that samples can be added to it, as names and values for people."""
    counts = short_list(f"{name} ({n:,.10g})" for name, n in moments["classes"].items())
    facts = [
        ("holds moments", f"of {moments['samples']:,.10g} samples: {counts}; `redunet update` adds more"),
        ("kept for evidence", f"{moments['evidence_samples']:,} samples"),
    ]
    if moments["files"]:
        n_samples = sum(file["samples"] for file in moments["files"])
        facts.append(("counted files", f"{len(moments['files'])}, of {n_samples:,} samples"))
    return facts


def _evidence(found: dict[str, Any]) -> str:
    """Leave-one-out accuracy of each rank (or ε) that there was to choose from, in a line of text."""
    name = found["evidence"]["option"]
    pairs = zip(found["evidence"]["choices"], found["evidence"]["scores"], strict=True)
    return ", ".join(f"{name} {choice:g}: {score:.3f}" for choice, score in pairs)
