"""What a fit depends on, as a few digests: two fits of the same identity give the same bits."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import __version__
from ..numerics.arrays import Array
from .array_header import checksum
from .encoding import encode

# Parameters that a fit does not depend on: what is shown, by how many threads, and how bad samples are answered later.
WITHOUT_EFFECT = ("verbose", "n_jobs", "on_bad_samples")


def identity_of(
    estimator: Any, data: Iterable[Array], classes: Array, start: dict[str, Any] | None = None
) -> dict[str, str]:
    """What a fit depends on: version, parameters, data, and what it starts from.

    Parameters
    ----------
    estimator : estimator
    data : arrays
        Samples, numbers of their classes, and their weights.
    classes : array
        Labels of the classes, of any type.
    start : dict, optional
        Records by name that the fit goes on from, such as the network that it adds layers to.
    """
    digest = hashlib.sha256()
    for array in data:
        digest.update(f"{array.shape} {array.dtype.str} ".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    digest.update(repr(classes.tolist()).encode())
    return {
        "version": __version__,
        "parameters": parameters_digest(estimator),
        "data": digest.hexdigest(),
        "start": "" if start is None else digest_of(start, "start"),
    }


def parameters_digest(estimator: Any) -> str:
    """Digest of the kind and the parameters of an estimator as they are now, without those that change no fit."""
    params = {name: value for name, value in estimator.get_params(deep=False).items() if name not in WITHOUT_EFFECT}
    return digest_of({"estimator": type(estimator).__name__, **params}, "parameters")


def digest_of(values: dict[str, Any], name: str) -> str:
    """Digest of values that a model file can hold, arrays included."""
    text, arrays = encode(values, name)
    sums = {key: checksum(np.ascontiguousarray(array).tobytes()) for key, array in arrays.items()}
    return hashlib.sha256(json.dumps([text, sums], sort_keys=True).encode()).hexdigest()
