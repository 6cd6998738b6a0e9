"""The first reading of the samples of a fit: all of them where they are few, else labels and a few of the samples."""

import math
from typing import Any

import numpy as np

from ..evidence.reservoir import Reservoir
from ..numerics.arrays import Array
from .command_errors import DataError
from .files.cells import fits_single_precision
from .files.file_labels import LabelCount
from .files.id_columns import IdColumns
from .files.source import Block, Source, known_total
from .progress_bar import ProgressBar

# Samples from which it is learned how samples enter a network, and their bytes in double precision.
ENTRANCE_SAMPLES, ENTRANCE_BYTES = 10_000, 32 * 2**20


class FirstReading:
    """All samples of a source, or a few of them where all would take too much memory; and their labels.

    The few are always the same ones, whatever blocks the samples come in.

    Parameters
    ----------
    source : Source
    dtype : NumPy type
        Precision of the samples.
    most_bytes : float
        Bytes that all samples may take in double precision.
    progress : ProgressBar

    Attributes
    ----------
    n_samples : int
        Of the source.
    classes : array, shape (n_classes,)
        Labels of the classes, sorted.
    class_samples : int array, shape (n_classes,)
        Number of samples of each class.
    samples : array, shape (n_samples, *sample_shape), or None
        All of them, in the order of the source; None where they are too many.
    ids : IdColumns
        Which columns seem to number the rows.
    few : Reservoir or None
        A few of them, then, of which ``codes`` are numbers of classes.
    """

    def __init__(self, source: Source, dtype: Any, most_bytes: float, progress: ProgressBar) -> None:
        self.source, self.dtype, self.most_bytes = source, dtype, most_bytes
        n_numbers = math.prod(source.shape)
        self._size = max(1, min(ENTRANCE_SAMPLES, ENTRANCE_BYTES // (8 * n_numbers)))
        self._labels = LabelCount(source)
        self.ids = IdColumns(source.names or ())
        self._kept: list[tuple[Array, Array]] | None = [] if self._fits(source.expected_samples()) else None
        self.few: Reservoir | None = None
        self.samples: Array | None = None
        progress.describe("reading")
        for block in source.blocks():
            self.ids.add(block.samples)
            self._add(in_precision(source, block, dtype), self._labels.add(block.labels))
            progress.count(self.n_samples, "samples", known_total(source))
        if not self.n_samples:
            raise DataError(f"{source.labels_at()}: there are no samples; add some.")
        self.classes, self._places, self.class_samples = self._labels.classes()
        if self._kept is None:
            assert self.few is not None
            self.few = self.few.recoded(self._places)
        else:
            self.samples = np.concatenate([samples for samples, _ in self._kept])
            self.labels = self.classes[self._places[np.concatenate([codes for _, codes in self._kept])]]
            self._kept = None

    @property
    def n_samples(self) -> int:
        """Samples that were read."""
        return self._labels.n_samples

    def labels_of(self, labels: list[Any]) -> Array | None:
        """Labels of samples that are read again; None if one of them was not there before."""
        numbers = self._labels.numbers_of(labels)
        return None if numbers is None else self.classes[self._places[numbers]]

    def _fits(self, n_samples: int) -> bool:
        return 8 * n_samples * math.prod(self.source.shape) <= self.most_bytes

    def _add(self, samples: Array, codes: Array) -> None:
        if self._kept is None:
            self._choose(samples, codes)
            return
        self._kept.append((samples, codes))
        if not self._fits(self.n_samples):  # more than the first rows of a text file let expect
            kept, self._kept = self._kept, None
            while kept:
                self._choose(*kept.pop(0))

    def _choose(self, samples: Array, codes: Array) -> None:
        """Keep those samples that are among the few."""
        some = Reservoir.of(self._size, samples, codes, np.ones(len(samples)))
        self.few = some if self.few is None else self.few.plus(some)


def in_precision(source: Source, block: Block, dtype: Any) -> Array:
    """The samples of a block in the precision that a model computes in; an error names a number that is too large."""
    if dtype == np.float32 and not fits_single_precision(block.samples):
        flat = np.abs(block.samples.reshape(len(block.samples), -1))
        i, j = (int(one) for one in np.argwhere(flat > np.finfo(np.float32).max)[0])
        column = f", column {source.names[j]!r}" if source.names is not None else ""
        raise DataError(
            f"{source.where(block.start + i)}{column}: {flat[i, j]:g} is too large for --float32; leave it out, or "
            f"scale the samples."
        )
    return block.samples.astype(dtype, copy=False)
