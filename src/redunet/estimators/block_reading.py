"""Blocks of samples as tasks read them: checked, with errors that name the block."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..evidence.gathered_moments import GatheredMoments, gather
from ..evidence.survey import Survey
from ..fast.blas import single_threaded
from ..inputs.class_weights import weights_of_classes
from ..inputs.declared_classes import codes_among, joined_classes, places_among
from ..inputs.errors import Data, InputError, WordedError
from ..inputs.labels import Labels
from ..inputs.parameters import check_shape
from ..inputs.samples import read_labels, read_training_samples, read_weights, refuse_zero_samples
from ..network.carried_blocks import Carried, entered
from ..network.network import Network
from ..numerics.arrays import Array
from .reading import LabelledSampleReader


class RawBlock(NamedTuple):
    """One block as the user has it, or handles of its parts.

    Parameters
    ----------
    number : int
        Counted from 0.
    X, y : array-like
    weights : array-like, optional
    """

    number: int
    X: Any
    y: Any
    weights: Any = None


class ReadBlock(NamedTuple):
    """One block once it is read.

    Parameters
    ----------
    samples : array, shape (n_samples, n_channels, *grid)
    labels : Labels
    weights : float array, shape (n_samples,)
        May be all zero, unlike those of a whole training set.
    names : tuple of str, optional
        Names of the features.
    row_shape : tuple of int
        Shape of a sample before it was brought into its layout.
    """

    samples: Array
    labels: Labels
    weights: Array
    names: tuple[str, ...] | None
    row_shape: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class BlockReader:
    """How blocks are read; it goes to every task.

    Parameters
    ----------
    estimator : LabelledSampleReader
        Unfitted, with the options that say how samples are read.
    declared : array, optional
        All classes there may be, sorted.
    survey_size : int
        Samples that a survey keeps.
    """

    estimator: LabelledSampleReader
    declared: Array | None = None
    survey_size: int = 0

    def read(self, number: int, X: Any, y: Any, weights: Any) -> ReadBlock | None:
        """The samples of a block; None where there are none."""
        estimator = copy(self.estimator)
        if len(X) != len(y):
            raise InputError(
                "{data} has {n_samples} samples here but {labels} has {n_labels} labels; both must have the same "
                "blocks: make {labels} from {data}, or rechunk (repartition) both alike.",
                data=Data("X"),
                n_samples=len(X),
                labels=Data("y"),
                n_labels=len(y),
            )
        if not len(X):
            return None
        samples = read_training_samples(
            estimator, X, estimator.invariance, check_shape("sample_shape", estimator.sample_shape)
        )
        labels = read_labels(y, len(samples))
        self._refuse_undeclared(labels)
        silent = weights is not None and np.shape(weights) == (len(samples),) and not np.any(weights)
        found = np.zeros(len(samples)) if silent else read_weights(weights, len(samples))
        found = found * weights_of_classes(estimator.class_weight, labels, found)[labels.codes]
        if not estimator._adds_constant:
            refuse_zero_samples(samples, estimator.invariance)
        names = getattr(estimator, "feature_names_in_", None)
        row_shape = X.shape[1:] if isinstance(X, np.ndarray) else (int(estimator.n_features_in_),)
        return ReadBlock(samples, labels, found, None if names is None else tuple(names.tolist()), row_shape)

    def _refuse_undeclared(self, labels: Labels) -> None:
        if self.declared is None:
            return
        joined = joined_classes(self.declared, labels.classes)
        if len(joined) > len(self.declared):
            raise InputError(
                "{labels} holds the label {label!r}, which is none of the {n_classes} {classes}; pass all that may "
                "occur, or leave {classes} out.",
                labels=Data("y"),
                label=np.setdiff1d(labels.classes, self.declared).tolist()[0],
                n_classes=len(self.declared),
                classes=Data("classes"),
            )


def survey_of(reader: BlockReader, number: int, X: Any, y: Any, weights: Any) -> Survey | None:
    """Task: what a block adds to the survey of all samples."""
    with errors_of_block(number):
        block = reader.read(number, X, y, weights)
        return None if block is None else _survey(reader, number, block)


def gathered_of(
    reader: BlockReader, network: Network, classes: Array, number: int, X: Any, y: Any, weights: Any
) -> GatheredMoments | None:
    """Task: the moments of a block at the entrance of a network, among all classes; no samples are kept."""
    with errors_of_block(number), single_threaded():
        block = _for_network(reader.read(number, X, y, weights), network)
        if block is None:
            return None
        codes = codes_among(block.labels, classes)
        return gather(network, block.samples, codes, block.weights, len(classes), 0)


def entered_of(
    reader: BlockReader, network: Network, classes: Array, number: int, X: Any, y: Any, weights: Any
) -> Carried:
    """Task: the samples of a block at the entrance of a network."""
    with errors_of_block(number):
        block = _for_network(reader.read(number, X, y, weights), network)
        if block is None:
            return None
        counted = np.flatnonzero(block.weights)
        codes = codes_among(block.labels, classes)[counted]
        return entered(network, block.samples[counted], codes, block.weights[counted], len(classes))


class SurveyedMoments(NamedTuple):
    """Survey and moments of some blocks, where both are found in one pass.

    Parameters
    ----------
    survey : Survey
    gathered : GatheredMoments
        Among the classes of the survey.
    """

    survey: Survey
    gathered: GatheredMoments

    def plus(self, other: "SurveyedMoments") -> "SurveyedMoments":
        """Survey and moments of the blocks of both."""
        survey = self.survey.plus(other.survey)
        k = len(survey.classes)
        one, two = (
            part.gathered.recoded(places_among(part.survey.classes, survey.classes), k) for part in (self, other)
        )
        return SurveyedMoments(survey, one.plus(two))


def surveyed_moments_of(
    reader: BlockReader, network: Network, number: int, X: Any, y: Any, weights: Any
) -> SurveyedMoments | None:
    """Task: what a block adds to the survey, and its moments among its own classes."""
    with errors_of_block(number), single_threaded():
        block = _for_network(reader.read(number, X, y, weights), network)
        if block is None:
            return None
        labels = block.labels
        gathered = gather(network, block.samples, labels.codes, block.weights, len(labels.classes), 0)
        return SurveyedMoments(_survey(reader, number, block), gathered)


def added_up(parts: Sequence[Any]) -> Any:
    """The sum of what blocks gave, in their order, of which some have no samples; None where none has."""
    total = None
    for part in parts:
        if part is not None:
            total = part if total is None else total.plus(part)
    return total


def _survey(reader: BlockReader, number: int, block: ReadBlock) -> Survey:
    samples, labels, weights, names, row_shape = block
    return Survey.of(number, samples, labels, weights, reader.survey_size, names, row_shape)


def _for_network(block: ReadBlock | None, network: Network) -> ReadBlock | None:
    """The block in the precision that all blocks have together."""
    if block is None or (network.lift is not None and network.lift.is_invariant):
        return block
    return block._replace(samples=block.samples.astype(network.dtype, copy=False))


@contextmanager
def errors_of_block(number: int) -> Iterator[None]:
    """Errors of the samples of a block say which block it is."""
    try:
        yield
    except ValueError as error:
        raise InputError(
            "block {number} of {data}, counted from 0: {why}",
            number=number,
            data=Data("X"),
            why=error if isinstance(error, WordedError) else str(error),
        ) from None
