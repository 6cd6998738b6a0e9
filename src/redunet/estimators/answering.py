"""Answers of a classifier that knows how far a sample is from each class."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from ..evidence.leave_one_out import Evidence
from ..fast.blas import single_threaded
from ..inputs.errors import Data, InputError, Message, Option
from ..inputs.parameters import check_choice, check_whole
from ..inputs.samples import read_labels, read_weights, refuse_unknown_labels
from ..measures.measure import AnswerMeasure, MeasureOptions
from ..measures.subspace import NearestSubspaces
from ..network.network import Network
from ..numerics.arrays import Array
from ..numerics.membership import soft_membership
from ..storage.expectations import expect, is_number
from ..storage.model_file_error import ModelFileError
from ..storage.stored_types import stored_attributes
from .explaining import Answer, explain_samples
from .explanation import Explanation
from .further_answer import FurtherAnswer, distances_by
from .reading import SampleReader

# Training samples that are measured at a time until two classes differ.
SAMPLES_AT_A_TIME = 32


@stored_attributes(loo_score_=float, evidence_=Evidence, _sharpness=float, further_answers_=tuple, answer_weight_=float)
class InvariantAnswers(ClassifierMixin, SampleReader):  # type: ignore[misc]
    """Answers of a classifier that knows how far a sample is from each class."""

    answers_: AnswerMeasure
    rank: int | str
    rank_: int | None
    loo_score_: float
    evidence_: Evidence
    _sharpness: float
    # What files mean that were written before there was more than one answer.
    further_answers_: tuple[FurtherAnswer, ...] = ()
    answer_weight_: float = 1.0

    def _check_rank(self) -> None:
        """Refuse a rank that is neither "auto" nor a whole number of at least 1."""
        if isinstance(self.rank, str):
            check_choice("rank", self.rank, ("auto",))
        else:
            check_whole("rank", self.rank, 1)

    @property
    def _given_ranks(self) -> tuple[int, ...] | None:
        """The rank that was given, as a choice of one; None for a short list to choose from."""
        return None if isinstance(self.rank, str) else (int(self.rank),)

    def _check_channels(self, network: Network) -> None:
        """A subspace must leave something out, or every sample lies in it."""
        geometry = network.geometry
        if geometry.n_channels < 2:
            if geometry.grid:
                remedy = Message("{lift}, or {data} with more channels", lift=Option("lift", "auto"), data=Data("X"))
            else:
                remedy = Message("{affine}, or more features", affine=Option("affine", True))
            raise InputError(
                "{data} has 1 {axis}, and a class subspace of it holds every sample; pass {remedy}.",
                data=Data("X"),
                axis="channel" if geometry.grid else "feature",
                remedy=remedy,
            )
        if not isinstance(self.rank, str):
            NearestSubspaces.refuse_options(MeasureOptions(eps=1.0, rank=int(self.rank)), network.space)

    def _warn_of_ties(self, blocks: Callable[[int, int], Array], n_samples: int) -> None:
        """Where all training samples are equally far from all classes, the order of the classes is the answer."""
        for start in range(0, n_samples, SAMPLES_AT_A_TIME):  # nearly always the first of them tell classes apart
            distances = self.answers_.distances(blocks(start, min(start + SAMPLES_AT_A_TIME, n_samples)))
            if (distances != distances[:, :1]).any():
                return
        warnings.warn(
            "every training sample is equally far from all classes, so that the first class will always be the answer. "
            "Channels (or features) that are multiples of each other count as one, and classes of the same samples are "
            "one class; pass channels that differ, a smaller rank or eps, or a lift with threshold='relu'.",
            stacklevel=3,
        )

    def distances(self, X: Any) -> Array:
        """Distance of each sample to each class; the answer is the class at the smallest distance.

        Parameters
        ----------
        X : array-like, in the layout of fit

        Returns
        -------
        array, shape (n_samples, n_classes)
            Distances to the class subspaces, in [0, 1], code lengths, or one minus what a regression predicts for each
            class; the sum of two of these, each times its weight, where there are two answers. Columns are in the order
            of ``classes_``; a class that was declared and has no samples yet is infinitely far.
        """
        samples, _ = self._read_new(X)
        with single_threaded():
            distances = self._summed_distances(samples)
        if not np.isfinite(distances).all():
            raise ModelFileError(
                "the answers are not finite: the numbers of this model do not belong together. Load it again from a "
                "file that is whole, or fit it again."
            )
        if self._seen is None:
            return distances
        to_all = np.full((len(distances), len(self.classes_)), np.inf)
        to_all[:, self._seen] = distances
        return to_all

    def _summed_distances(self, samples: Array) -> Array:
        """Distances by all answers to classes that have samples, each times its weight; (n_samples, n_classes)."""
        k, weight = self._n_seen, self.answer_weight_
        distances = distances_by(self.network_, self.answers_, samples, k) if weight else np.zeros((len(samples), k))
        if weight not in (0.0, 1.0):
            distances *= weight
        for answer in self.further_answers_:
            distances += answer.weight * answer.distances(samples, k)
        return distances

    def explain(self, X: Any, *, classes: Any = None) -> Explanation:
        """Which class each sample was nearest to, by how much, and where in the sample that comes from.

        The difference between the distances to two classes is a sum over the positions of the features. A lift hands
        the share of a response on to the values that its filter sees, in proportion to |weight · value|. Pooled
        features have no positions: there it is what is lost of the difference without each of 32 stretches of the
        signal. After layers it is the features of the last one that are explained. The explanation of a shifted sample
        is the shifted explanation.

        Parameters
        ----------
        X : array-like, in the layout of fit
        classes : pair of labels, or pair of arrays of labels of shape (n_samples,), optional
            Which class to compare with which other; the nearest with the second nearest by default.

        Returns
        -------
        Explanation
        """
        distances = self.distances(X)
        samples, _ = self._read_new(X)
        k, weight = len(self.classes_), self.answer_weight_
        answers = [Answer(self.network_, self.answers_, weight, k)] if weight else []
        answers += [Answer(one.network, one.measure, one.weight, k) for one in self.further_answers_]
        names = getattr(self, "feature_names_in_", None)
        with single_threaded():
            return explain_samples(answers, samples, distances, self.classes_, classes, names)

    def decision_function(self, X: Any) -> Array:
        """Nearness of each class: minus its distance, as :meth:`distances` gives it.

        Returns
        -------
        array, shape (n_samples, n_classes)
            For two classes of shape (n_samples,): how much nearer the second is than the first.
        """
        distances = self.distances(X)
        return distances[:, 0] - distances[:, 1] if distances.shape[1] == 2 else -distances

    def predict(self, X: Any) -> Array:
        """The nearest class; of two equally near ones the first."""
        nearest = self.distances(X).argmin(axis=1)
        return self.classes_[nearest]

    def predict_proba(self, X: Any) -> Array:
        """Soft membership in each class, softmax(−sharpness · distance); shape (n_samples, n_classes)."""
        return self.probabilities_of(self.distances(X))

    def probabilities_of(self, distances: Array) -> Array:
        """Soft membership in each class of samples whose distances are known, as ``predict_proba`` gives it.

        Parameters
        ----------
        distances : array, shape (n_samples, n_classes)
            As :meth:`distances` gives them.

        Returns
        -------
        array, shape (n_samples, n_classes)
            softmax(−sharpness · distance).
        """
        return soft_membership(distances.T, self._sharpness)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on labelled samples.

        A label that was not seen in fit is an error here, not a miss: it is more often a mistake. In cross-validation
        use stratified folds, or ``scoring="accuracy"``.
        """
        answers = self.predict(X)
        labels = read_labels(y, len(answers))
        refuse_unknown_labels(labels.classes, self.classes_)
        weights = read_weights(sample_weight, len(answers))
        return float(np.average(labels.classes[labels.codes] == answers, weights=weights))

    def check_stored(self, file_bytes: int) -> None:
        """Refuse parts that came from a file of this size and do not fit together."""
        super().check_stored(file_bytes)
        network = self.network_
        kinds = {network.operator_kind(np.dtype(real)) for real in (np.float32, np.float64)}
        shape = (self._n_seen, *network.block_shape)
        self.answers_.check_stored(shape, kinds, self.rank_)
        # Only now: the file was seen to hold a number for each frequency, hence there are not too many of them.
        fits = np.allclose(self.answers_.weights, network.geometry.norm_weights)
        expect(fits, "the weights of the frequencies do not fit")
        self.evidence_.check_stored()
        expect(np.isnan(self.loo_score_) or 0 <= self.loo_score_ <= 1, "loo_score_ is no share")
        expect(is_number(self.answer_weight_) and self.answer_weight_ >= 0, "answer_weight_ is no number >= 0")
        for answer in self.further_answers_:
            expect(isinstance(answer, FurtherAnswer), "a further answer is none")
            answer.check_stored(self.sample_shape_, self._n_seen, file_bytes)
        expect(is_number(self._sharpness) and self._sharpness > 0, "_sharpness is not a number > 0")
