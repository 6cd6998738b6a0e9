"""Whether an estimator that came from a file is complete and fits together."""

import math
from collections.abc import Container
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .expectations import expect, expect_shape
from .model_file_error import ModelFileError
from .stored_types import attributes_of


def check_estimator(model: Any, file_bytes: int) -> None:
    """Refuse parts that are missing or do not fit, so that no later computation meets them.

    Parameters
    ----------
    model : estimator
        As it was read.
    file_bytes : int
        Size of its file, which says how much memory it may take.
    """
    check_attributes(model)
    check_parameters(model)
    shape = expect_shape(model.sample_shape_, "sample_shape_")
    expect(model.n_features_in_ == math.prod(shape), "the number of features is not that of a sample")
    _check_feature_names(getattr(model, "feature_names_in_", None), model.n_features_in_)
    model.check_stored(file_bytes)


def check_attributes(model: Any, absent: Container[str] = ()) -> None:
    """Refuse an estimator that lacks one of its fitted attributes, or has one of another type; without ``absent``."""
    for name, kind in attributes_of(type(model)).items():
        if name in absent:
            continue
        expect(hasattr(model, name), f"it lacks {name}")
        wanted = kind[0] if isinstance(kind, tuple) else kind
        value = getattr(model, name)
        flag = isinstance(value, bool) and wanted is not bool  # which Python takes for a number
        expect(isinstance(value, kind) and not flag, f"{name} is no {wanted.__name__}")


def check_parameters(model: Any) -> None:
    """Refuse parameters that a fit would refuse."""
    try:
        model.check_parameters()
        check_random_state(getattr(model, "random_state", None))
        expect(isinstance(getattr(model, "verbose", 0), int), "verbose is no number")
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"the parameters of the model are wrong: {str(error)[:200]}") from None


def _check_feature_names(names: Any, n_features: int) -> None:
    """Refuse names of features unless there is one for each; there may be none at all."""
    if names is None:
        return
    fits = isinstance(names, np.ndarray) and names.shape == (n_features,)
    expect(fits and all(isinstance(name, str) for name in names.tolist()), "there is not a name for each feature")
