"""Models that are stored in files, as the commands need them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..estimators.explanation import Explanation
from ..estimators.loading import load
from ..inputs.errors import InputError, SampleError
from ..numerics.arrays import Array
from ..storage.model_file_error import ModelFileError
from .command_errors import DataError
from .files.input_files import open_file, refuse_missing_file
from .files.source import Block, ReadOptions, Source
from .option_words import in_words
from .refused_samples import refused_sample

CLASSIFIERS = ("ReduNetClassifier", "NearestSubspaceClassifier")


def open_model(path: Path) -> Any:
    """The model that a file holds; an error that helps if it holds none."""
    refuse_missing_file(path, "model file")
    open_file(path).close()
    try:
        return load(path)
    except ModelFileError as error:
        raise DataError(f"{str(error).rstrip('.')}. Get the file again, or fit again.") from None


class SavedClassifier:
    """A classifier of a model file, for the samples of a source.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.model = open_model(path)
        kind = type(self.model).__name__
        if kind not in CLASSIFIERS:
            raise DataError(f"{path} holds a {kind}, which gives no classes; take one of {' or '.join(CLASSIFIERS)}.")
        names = getattr(self.model, "feature_names_in_", None)
        self.names = None if names is None else tuple(str(name) for name in names)
        if names is not None:
            del self.model.feature_names_in_  # columns are matched here, and arrive without their names
        self.classes: Array = self.model.classes_

    def read_options(self, **words: Any) -> ReadOptions:
        """Options for reading samples that the model takes; ``words`` are those of the command line."""
        return ReadOptions(names=self.names, shape=self.model.sample_shape_, **words)

    def distances(self, source: Source, block: Block) -> Array:
        """Distance of each sample to each class, shape (n, n_classes); an error names the sample."""
        with self._errors_in_words(source, block):
            found: Array = self.model.distances(block.samples.reshape(len(block.samples), -1))
        return found

    def explain(self, source: Source, block: Block) -> Explanation:
        """Why the samples of a block get their answers; an error names the sample."""
        with self._errors_in_words(source, block):
            found: Explanation = self.model.explain(block.samples.reshape(len(block.samples), -1))
        return found

    @contextmanager
    def _errors_in_words(self, source: Source, block: Block) -> Iterator[None]:
        """Context in which errors of the model become those of the command, with the place in the file."""
        try:
            yield
        except SampleError as error:
            raise refused_sample(source, error, block.start) from None
        except ModelFileError as error:
            raise DataError(f"{self.path}: {error}") from None
        except InputError as error:
            raise DataError(in_words(error, source.where(block.start))) from None

    def probabilities(self, distances: Array) -> Array:
        """Soft memberships, as the model's ``predict_proba`` gives them; shape (n, n_classes)."""
        return self.model.probabilities_of(distances)
