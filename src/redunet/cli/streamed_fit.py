"""A fit of more samples than memory holds: they are read a second time, and their moments are gathered."""

import warnings
from pathlib import Path

import numpy as np

from ..estimators.added_file import AddedFile
from ..estimators.classifier import ReduNetClassifier
from ..estimators.sample_gathering import SampleGathering
from ..inputs.errors import NoLayerWarning, SampleError
from ..numerics.arrays import Array
from .command_errors import DataError
from .files.file_content import FileContent, changed
from .files.source import Block, Source
from .first_reading import FirstReading, in_precision
from .option_words import in_words
from .progress_bar import ProgressBar
from .refused_samples import refused_sample

OTHER_LIFT = ", or pass another --lift or --kernel"


def fit_from_moments(
    model: ReduNetClassifier,
    reading: FirstReading,
    shape: tuple[int, ...],
    path: Path,
    content: FileContent,
    progress: ProgressBar,
) -> None:
    """Fit a classifier with ``construction="moments"`` in bounded memory.

    Parameters
    ----------
    model : ReduNetClassifier
        Not fitted.
    reading : FirstReading
        What the first reading found.
    shape : tuple of int
        Of a sample, as the model takes it.
    path : Path
        Of the samples, for messages.
    content : FileContent
        That is read; it must be the same in both readings.
    progress : ProgressBar
    """
    source = reading.source
    progress.describe("learning how samples enter")
    added = AddedFile(content.sha256(), reading.n_samples)
    gathering = _entrance(model, reading, shape, path)
    progress.describe("gathering moments")
    for block in source.blocks():
        labels = reading.labels_of(block.labels)
        if labels is None:
            raise changed(path)
        samples = in_precision(source, block, reading.dtype)
        add_block(gathering, source, block, samples.reshape(len(samples), *shape), labels)
        progress.count(gathering.n_samples, "samples", reading.n_samples)
    content.refuse_change()
    if gathering.n_samples != reading.n_samples:
        raise changed(path)
    progress.describe("choosing")
    finish(gathering, path)
    model.added_files_ = (added,)


def add_block(gathering: SampleGathering, source: Source, block: Block, samples: Array, labels: Array) -> None:
    """Count the samples of a block; an error names the sample by its place in the file."""
    try:
        gathering.add(samples, labels)
    except SampleError as error:
        raise refused_sample(source, error, block.start, OTHER_LIFT) from None
    except ValueError as error:
        raise DataError(in_words(error, source.where(block.start))) from None


def finish(gathering: SampleGathering, path: Path) -> None:
    """Choose and build everything once; errors are worded as on the command line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoLayerWarning)
            gathering.finish()
    except ValueError as error:
        raise DataError(f"{path}: {in_words(error, str(path))}") from None


def _entrance(model: ReduNetClassifier, reading: FirstReading, shape: tuple[int, ...], path: Path) -> SampleGathering:
    """Learn from the few samples how all of them enter the network."""
    few = reading.few
    assert few is not None
    samples = few.samples.reshape(len(few.samples), *shape)
    try:
        return model.gather_new(samples, reading.classes[few.codes], few.weights, classes=reading.classes)
    except SampleError as error:
        row = _row_of(reading, few.samples[error.rows[0]])
        raise refused_sample(reading.source, error, row - error.rows[0], OTHER_LIFT) from None
    except ValueError as error:
        raise DataError(in_words(error, str(path))) from None


def _row_of(reading: FirstReading, sample: Array) -> int:
    """Number of the first sample of the source that is equal to this one; 0 if there is none any more."""
    for block in reading.source.blocks():
        same = (block.samples.astype(reading.dtype) == sample).reshape(len(block.samples), -1).all(axis=1)
        if same.any():
            return block.start + int(np.argmax(same))
    return 0
