"""Writing a fitted model as an ONNX file: check -> graph -> text about it -> file."""

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import __version__
from ..estimators.answering import InvariantAnswers
from ..estimators.features import ReduNet
from ..inputs.errors import InputError, InputTypeError, Option
from ..inputs.parameters import check_choice, check_flag
from ..storage.atomic_write import write_atomically
from .answer_nodes import class_names, distances_of, labels_of, not_finite, probabilities_of, stored_labels
from .entrance_nodes import features
from .graph_builder import Dimension, Graph, Tensor

PRECISIONS = ("float32", "float64")
# Names of dimensions that may be any.
SAMPLES, LENGTH = "n_samples", "length"


def export(model: Any, path: str | os.PathLike[str], *, precision: str = "float32", flat: bool | None = None) -> None:
    """Write a fitted model as an ONNX file, which runs without this package.

    The file takes samples ``X`` and gives what the model gives, up to rounding: a classifier ``label``,
    ``probabilities`` and ``distances``, a :class:`redunet.ReduNet` ``features``. A sample that cannot be answered
    (values that are no finite numbers, zeros alone where these have no place, no response to any filter) has NaN for
    its distances and probabilities, and a label without a meaning.

    Parameters
    ----------
    model : ReduNetClassifier, NearestSubspaceClassifier or ReduNet
        Fitted.
    path : str or path
        Such as "model.onnx". The file is written completely or not at all.
    precision : "float32" or "float64", default="float32"
        Type of the numbers of ``X``, and of what the file computes with.
    flat : bool, optional
        Whether ``X`` has the shape (n_samples, n_features), or (n_samples, n_channels, *grid) with the cyclic axes of
        the model. By default it is flat for plain vectors and signals of one channel, and where the model was given a
        ``sample_shape``, or columns with names.
    """
    check_choice("precision", precision, PRECISIONS)
    if flat is not None:
        check_flag("flat", flat)
    if not isinstance(model, (InvariantAnswers, ReduNet)):
        raise InputTypeError(
            "a {kind} cannot be exported; pass a fitted ReduNetClassifier, NearestSubspaceClassifier or ReduNet. (What "
            "comes before it in a pipeline has to be done before the file is given its samples.)",
            kind=type(model).__name__,
        )
    check_is_fitted(model)
    if model.network_.kernel is not None:
        raise InputError(
            "a model with a {kernel} cannot be exported; fit one with {off}, or save it as a model file (model.save).",
            kernel=Option("kernel"),
            off=Option("kernel", None),
        )
    if getattr(model, "aligned_answer_", None) is not None:
        raise InputError(
            "a model that compares samples at every shift, too, cannot be exported; fit one with {off}, or save it "
            "as a model file (model.save).",
            off=Option("aligned", False),
        )
    layout = layout_of_samples(model, flat=flat)
    graph = Graph(np.dtype(precision))
    samples = with_channels(graph.input("X", layout), model, layout)
    if isinstance(model, ReduNet):
        declare_features(graph, model, samples, flat=len(layout) == 2)
    else:
        declare_answers(graph, model, samples)
    described = {"producer_name": "redunet", "producer_version": __version__, "doc_string": documentation(model)}
    content = graph.model(type(model).__name__, metadata(model, precision), **described).SerializeToString()
    write_atomically(Path(path), content)


def layout_of_samples(model: Any, *, flat: bool | None = None) -> tuple[Dimension, ...]:
    """Shape of the array X that a file takes; a dimension that has a name may be any.

    Parameters
    ----------
    model : fitted estimator
    flat : bool, optional
        As in :func:`export`.
    """
    n_channels, *grid = model.sample_shape_
    one_signal = n_channels == 1 and len(grid) == 1
    if flat is None:
        flat = not grid or one_signal or model.sample_shape is not None or hasattr(model, "feature_names_in_")
    if not getattr(model, "takes_unequal_lengths_", False):
        return (SAMPLES, math.prod(model.sample_shape_)) if flat else (SAMPLES, *model.sample_shape_)
    if flat and not one_signal:
        raise InputError(
            "{option} is for signals of one length, but the model takes any length, and {n_channels} channels; pass "
            "{other}.",
            option=Option("flat", True),
            n_channels=n_channels,
            other=Option("flat", False),
        )
    return (SAMPLES, LENGTH) if flat else (SAMPLES, n_channels, LENGTH)


def with_channels(X: Tensor, model: Any, layout: tuple[Dimension, ...]) -> Tensor:
    """Samples in the shape (n_samples, *sample_shape) that the model has."""
    if len(layout) == 1 + len(model.sample_shape_):
        return X
    return X.unsqueeze(1) if layout[-1] == LENGTH else X.reshape(0, *model.sample_shape_)


def declare_features(graph: Graph, model: ReduNet, samples: Tensor, *, flat: bool) -> None:
    """Let the graph give the features of samples, flat for flat samples."""
    shape = model.network_.geometry.feature_shape
    found = features(model.network_, samples)
    unusable = not_finite(samples, 1 + len(model.sample_shape_))
    size = math.prod(shape)
    found = found.reshape(-1, size) + unusable
    if flat:
        graph.output("features", found, (SAMPLES, size))
    else:
        graph.output("features", found.reshape(-1, *shape), (SAMPLES, *shape))


def declare_answers(graph: Graph, model: InvariantAnswers, samples: Tensor) -> None:
    """Let the graph give labels, probabilities and distances of samples."""
    n_classes = len(model.classes_)
    distances = distances_of(model, samples)
    graph.output("label", labels_of(model.classes_, distances), (SAMPLES,))
    graph.output("probabilities", probabilities_of(model, distances), (SAMPLES, n_classes))
    graph.output("distances", distances, (SAMPLES, n_classes))


def metadata(model: Any, precision: str) -> dict[str, str]:
    """What the file says about the model, beside its graph."""
    found = {
        "redunet_version": __version__,
        "model": type(model).__name__,
        "invariance": str(model.invariance),
        "sample_shape": json.dumps([int(length) for length in model.sample_shape_]),
        "precision": precision,
        "n_layers": str(len(model.network_.layers)),
    }
    if hasattr(model, "classes_"):
        found["classes"] = class_names(model.classes_)
    if isinstance(model, InvariantAnswers):
        found["label_is"] = "number of the class" if stored_labels(model.classes_) is None else "class"
    if hasattr(model, "feature_names_in_"):
        found["feature_names"] = json.dumps([str(name) for name in model.feature_names_in_], ensure_ascii=False)
    return found


def documentation(model: Any) -> str:
    """A sentence about the file."""
    gives = "features" if isinstance(model, ReduNet) else "label, probabilities, distances"
    return f"A {type(model).__name__} of redunet {__version__}: takes samples X, gives {gives}."
