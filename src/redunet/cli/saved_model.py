"""Models that are stored in files, as the commands need them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

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
        self.on_bad_samples = self.model.on_bad_samples
        self.model.on_bad_samples = "error"  # whatever the model was fitted with: the commands tell what is wrong

    def learner(self) -> Any:
        """The model, if samples can be added to it; an error that helps if it keeps no moments."""
        if getattr(self.model, "construction", "samples") != "moments" or self.model.moments_ is None:
            raise DataError(
                f"{self.path} keeps no moments of its samples, so that none can be added, taken out or joined; fit it "
                f"with --construction moments."
            )
        return self.model

    @property
    def precision(self) -> np.dtype:
        """Type of the numbers of the samples that the model was made of, if it keeps their moments."""
        return self.learner().moments_.reservoir.samples.dtype

    def unfitted(self) -> Any:
        """A model, not fitted, that samples will enter as they enter this one: by the same lift, and scaled alike."""
        model = self.learner()
        offset = model.network_.geometry.offset
        changes = {} if model.lift_ is None else {"lift": model.lift_}
        if model.invariance is None and offset is not None:
            changes["affine"] = float(offset)
        if model.invariance is None:
            changes["standardise"] = model.network_.scaler or False
            changes["kernel"] = model.network_.kernel
        return type(model)(**{**model.get_params(deep=False), "sample_shape": model.sample_shape_, **changes})

    def save(self, path: Path) -> None:
        """Write the model with the names of its columns, and with what it was fitted to do about bad samples."""
        self.model.on_bad_samples = self.on_bad_samples
        if self.names is not None:
            self.model.feature_names_in_ = np.array(self.names, dtype=object)
        self.model.save(path)

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

    def answers(self, source: Source, block: Block) -> tuple[Array, dict[int, str]]:
        """Distances of the samples of a block, NaN for those without an answer, and why these have none, by place."""
        good = np.delete(np.arange(len(block.samples)), sorted(block.complaints))
        distances, reasons = np.full((len(block.samples), len(self.classes)), np.nan), dict(block.complaints)
        if len(good):
            samples = block.samples[good]
            with self._errors_in_words(source, block):
                distances[good], found = self.model.distances_and_reasons(samples.reshape(len(samples), -1))
            reasons |= {int(good[row]): why for row, why in found.items()}
        return distances, reasons

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
        """Probabilities, as the model's ``predict_proba`` gives them; shape (n, n_classes)."""
        return self.model.probabilities_of(distances)
