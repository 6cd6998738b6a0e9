"""Models of files, as the commands need them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..numerics.arrays import Array
from ..numerics.membership import soft_membership
from ..storage.array_header import ModelFileError
from ..storage.saving import load
from .errors import WrongData
from .files.ordinary_files import open_file, refuse_what_is_no_file
from .files.source import Block, Source, Wanted
from .option_words import in_words

CLASSIFIERS = ("ReduNetClassifier", "NearestSubspaceClassifier")


def open_model(path: Path) -> Any:
    """The model of a file."""
    refuse_what_is_no_file(path, "model file")
    open_file(path).close()
    try:
        return load(path)
    except ModelFileError as error:
        raise WrongData(f"{str(error).rstrip('.')}. Get the file again, or fit anew.") from None


class Answering:
    """A classifier that answers the samples of a source.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.model = open_model(path)
        kind = type(self.model).__name__
        if kind not in CLASSIFIERS:
            raise WrongData(f"{path} holds a {kind}, which gives no classes; take one of {' or '.join(CLASSIFIERS)}.")
        names = getattr(self.model, "feature_names_in_", None)
        self.names = None if names is None else tuple(str(name) for name in names)
        if names is not None:
            del self.model.feature_names_in_  # columns are matched here, and arrive without their names
        self.classes: Array = self.model.classes_

    def wanted(self, **words: Any) -> Wanted:
        """What the model takes, beside the words of the command line."""
        return Wanted(names=self.names, shape=self.model.sample_shape_, **words)

    def distances(self, source: Source, block: Block) -> Array:
        """Distance of each sample to each class, shape (n, n_classes); an error names the sample."""
        samples = block.samples.reshape(len(block.samples), -1)
        if self.model.network_.geometry.offset is None:
            refuse_zeros(source, block)
        try:
            return self.model._distances(samples)
        except ValueError as error:
            i = first_refused(self.model._distances, samples)
            told = in_words(error, str(source.where(block.start + i)))
            raise WrongData(f"{source.where(block.start + i)}: {told}") from None

    def probabilities(self, distances: Array) -> Array:
        """Soft memberships, as the model's ``predict_proba`` gives them; shape (n, n_classes)."""
        return soft_membership(distances.T, self.model._sharpness)


def first_refused(answer: Callable[[Array], Any], samples: Array) -> int:
    """Number of the first sample that is refused, given that one is."""
    low, high = 0, len(samples)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            answer(samples[low:middle])
            low = middle
        except ValueError:
            high = middle
    return low


def refuse_zeros(source: Source, block: Block) -> None:
    """A sample that is all zero has no direction."""
    zero = ~block.samples.reshape(len(block.samples), -1).any(axis=1)
    if zero.any():
        raise WrongData(
            f"{source.where(block.start + int(np.argmax(zero)))}: all numbers are zero, so that the sample has no "
            f"direction; remove it."
        )
