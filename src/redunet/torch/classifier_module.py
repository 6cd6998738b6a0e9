"""A classifier as a PyTorch module: a network, what samples are measured by after it, and how sure to be."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ..estimators.answering import InvariantAnswers
from ..estimators.further_answer import FurtherAnswer
from ..evidence.calibration import Calibration
from ..measures.measure import AnswerMeasure
from ..numerics.arrays import Array
from .hermitian_operators import HermitianOperators
from .measure_twins import measure_twin
from .mirrored_frequencies import MirroredFrequencies
from .network_module import NetworkModule
from .tensor_blocks import squared_norms, tensor_of
from .twin import Twin

# Log odds of a doubt of 0, which has none: less than rounding errors are. Smaller doubts are 0.
LOG_ODDS_OF_NO_DOUBT, SMALLEST_DOUBT = -40.0, 1e-16


class AnswerModule(Twin):
    """What a classifier measures features by, and how much it counts among several answers.

    Parameters
    ----------
    answers : AnswerMeasure
    weight : float
        0 leaves it out, whatever is trained.
    is_alone : bool
        Whether there is no other answer, so that there is no weight to train.
    frequencies : MirroredFrequencies

    Attributes
    ----------
    measure : module
        The numbers of the measure: ``bases``, ``coefficients``, or ``log_unit`` and ``offset``.
    compression : module or None
        Code books, for codes.
    """

    def __init__(self, answers: AnswerMeasure, weight: float, is_alone: bool, frequencies: MirroredFrequencies) -> None:
        super().__init__(answers)
        self.weight = weight
        self.measure = measure_twin(answers, frequencies)
        self.compression = None
        if self.measure.reads_compressed:
            self.compression = HermitianOperators(vars(answers)["compression"], frequencies)
        self.log_weight = nn.Parameter(tensor_of(math.log(weight))) if weight > 0 and not is_alone else None

    def forward(self, V: Tensor) -> Tensor:
        """Distance of each sample to each class; (n_freqs, n_channels, n_samples) to (n_samples, n_classes)."""
        return self.measure.residuals(V, None if self.compression is None else self.compression(V)).T

    def weighted(self, distances: Tensor) -> Tensor:
        """Distances times how much they count."""
        return distances * (self.weight if self.log_weight is None else self.log_weight.exp())

    def record(self) -> tuple[AnswerMeasure, float]:
        """The measure with the numbers that this has now, and its weight."""
        compression = None
        if self.compression is not None:
            compression = self.compression.array(vars(self.like)["compression"].dtype)
        weight = self.weight if self.log_weight is None else float(self.log_weight.exp())
        return self.measure.record(compression), weight


class FurtherAnswerModule(NetworkModule):
    """Another way to the classes, with a lift and an answer of its own.

    Parameters
    ----------
    further : FurtherAnswer
    sample_shape : tuple of int
    """

    def __init__(self, further: FurtherAnswer, sample_shape: tuple[int, ...]) -> None:
        super().__init__(further, further.network, sample_shape)
        self.answer = AnswerModule(further.measure, further.weight, False, self.frequencies)

    def forward(self, X: Any) -> Tensor:
        """Distances of samples (n_samples, n_classes); one that no filter responds to is equally far from all."""
        V = self.blocks(X)
        is_silent = squared_norms(V, self.weights) == 0
        return torch.where(is_silent[:, None], 1.0, self.answer(V))

    def record(self) -> FurtherAnswer:
        """The answer with the numbers that this has now."""
        measure, weight = self.answer.record()
        return FurtherAnswer(self.network_like(self.like.network), measure, weight)


class CalibrationModule(nn.Module):  # type: ignore[misc]
    """From distances to probabilities: (1 − doubt) · softmax(−sharpness · (distance − offset)) + doubt / n_classes.

    Parameters
    ----------
    sharpness, doubt : float
    offsets : float array, shape (n_classes,), or None
    n_classes : int
    """

    def __init__(self, sharpness: float, doubt: float, offsets: Array | None, n_classes: int) -> None:
        super().__init__()
        self.has_offsets = offsets is not None
        log_odds = math.log(doubt / (1 - doubt)) if doubt > SMALLEST_DOUBT else LOG_ODDS_OF_NO_DOUBT
        self.log_sharpness = nn.Parameter(tensor_of(math.log(sharpness)))
        self.doubt_log_odds = nn.Parameter(tensor_of(log_odds))
        self.offsets = nn.Parameter(tensor_of(np.zeros(n_classes) if offsets is None else offsets))

    def forward(self, distances: Tensor) -> Tensor:
        """Log-probabilities of classes at these distances, offsets included; shape (n_samples, n_classes)."""
        log_shares = torch.log_softmax(-self.log_sharpness.exp() * distances, dim=1)
        sure = functional.logsigmoid(-self.doubt_log_odds) + log_shares
        evenly = functional.logsigmoid(self.doubt_log_odds) - math.log(distances.shape[1])
        return torch.logaddexp(sure, evenly)

    def record(self) -> Calibration:
        """The calibration with the numbers that this has now."""
        doubt, offsets = float(torch.sigmoid(self.doubt_log_odds)), self.offsets.numpy(force=True).copy()
        keeps_offsets = self.has_offsets or bool(offsets.any())
        return Calibration(
            float(self.log_sharpness.exp()),
            doubt if doubt > SMALLEST_DOUBT else 0.0,
            offsets if keeps_offsets else None,
        )


class ClassifierModule(NetworkModule):
    """What a fitted :class:`redunet.ReduNetClassifier` or :class:`redunet.NearestSubspaceClassifier` does.

    Parameters
    ----------
    model : fitted classifier

    Attributes
    ----------
    lift, layers
        As in :class:`NetworkModule`.
    answer : AnswerModule
        What samples are measured by after the last layer.
    further : ModuleList of FurtherAnswerModule
        The second answer, if there is one.
    calibration : CalibrationModule
        How distances become probabilities: ``log_sharpness``, ``doubt_log_odds`` and ``offsets``.
    """

    def __init__(self, model: InvariantAnswers) -> None:
        super().__init__(model, model.network_, model.sample_shape_)
        self.n_classes, n_seen = len(model.classes_), model._n_seen
        seen = None if model._seen is None else torch.from_numpy(model._seen.copy())
        self.register_buffer("seen", seen, persistent=False)
        is_alone = not model.further_answers_
        self.answer = AnswerModule(model.answers_, model.answer_weight_, is_alone, self.frequencies)
        self.further = nn.ModuleList([FurtherAnswerModule(one, self.sample_shape) for one in model.further_answers_])
        self.calibration = CalibrationModule(model._sharpness, model._doubt, model._class_offsets, n_seen)

    def forward(self, X: Any) -> Tensor:
        """Log-probability of each class, as ``predict_proba`` gives the probability.

        Parameters
        ----------
        X : tensor, in the layout of the estimator

        Returns
        -------
        tensor, shape (n_samples, n_classes)
            Minus infinity for a class that has no samples yet.
        """
        return self._of_all_classes(self.calibration(self._distances(X)), -math.inf)

    def distances(self, X: Any) -> Tensor:
        """Distance of each sample to each class, as the ``distances`` of the estimator, without their rounding.

        Returns
        -------
        tensor, shape (n_samples, n_classes)
            Infinity for a class that has no samples yet.
        """
        return self._of_all_classes(self._distances(X), math.inf)

    def _distances(self, X: Any) -> Tensor:
        """Distances by all answers to the classes that have samples, less their offsets."""
        parts = [self.answer.weighted(self.answer(self.blocks(X)))] if self.answer.weight else []
        parts += [one.answer.weighted(one(X)) for one in self.further if one.answer.weight]
        return torch.stack(parts).sum(dim=0) - self.calibration.offsets

    def _of_all_classes(self, values: Tensor, otherwise: float) -> Tensor:
        """Values of the classes that have samples, at their places among all classes."""
        if self.seen is None:
            return values
        return values.new_full((len(values), self.n_classes), otherwise).index_copy(1, self.seen, values)
