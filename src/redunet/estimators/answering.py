"""Answers of a classifier that knows how far a sample is from each class."""

import os
import warnings
from collections.abc import Callable
from copy import copy
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..evidence.calibration import Calibration
from ..evidence.kernel_scale import LANDMARKS_FOR_EVIDENCE, few_of_each_class, gamma_by_evidence
from ..evidence.leave_one_out import Evidence, LeftOutAnswers
from ..fast.compile_notice import announced_compilation
from ..fast.sample_lanes import SampleLanes
from ..inputs.errors import Data, InputError, Message, Option
from ..inputs.label_kinds import refuse_text_for_numbers
from ..inputs.labels import Labels
from ..inputs.parameters import check_choice, check_positive, check_whole
from ..inputs.samples import read_labels, read_usable_samples, read_weights, refuse_unknown_labels
from ..measures.measure import AnswerMeasure, MeasureOptions
from ..measures.subspace import NearestSubspaces
from ..network.kernel_map import KernelMap, gamma_choices, usual_gamma
from ..network.network import Network
from ..numerics.arrays import Array
from ..numerics.membership import soft_membership
from ..storage.expectations import expect, expect_numbers, is_number
from ..storage.model_file_error import ModelFileError
from ..storage.stored_types import stored_attributes
from .aligned_answer import AlignedAnswer
from .explaining import Answer, explain_samples
from .explanation import Explanation
from .further_answer import FurtherAnswer, distances_by
from .reading import LabelledSampleReader, TrainingData
from .training_history import TrainingHistory
from .unanswered import distances_of_usable, labels_with_gaps, warn_of_unanswered

# Training samples that are measured at a time until two classes differ.
SAMPLES_AT_A_TIME = 32


@stored_attributes(
    loo_score_=float,
    evidence_=Evidence,
    _sharpness=float,
    _doubt=float,
    _class_offsets=(np.ndarray, NoneType),
    further_answers_=tuple,
    aligned_answer_=(AlignedAnswer, NoneType),
    answer_weight_=float,
    training_history_=(TrainingHistory, NoneType),
    gamma_scores_=(np.ndarray, NoneType),
)
class InvariantAnswers(ClassifierMixin, LabelledSampleReader):  # type: ignore[misc]
    """Answers of a classifier that knows how far a sample is from each class."""

    answers_: AnswerMeasure
    rank: int | str
    rank_: int | None
    loo_score_: float
    evidence_: Evidence
    _sharpness: float
    # What estimators have that were pickled before there was this option.
    on_bad_samples: str = "error"
    # What files mean that were written before answers were calibrated.
    _doubt: float = 0.0
    _class_offsets: Array | None = None
    # What files mean that were written before there was more than one answer.
    further_answers_: tuple[FurtherAnswer, ...] = ()
    answer_weight_: float = 1.0
    aligned_answer_: AlignedAnswer | None = None
    # What :func:`redunet.torch.fine_tune` did; None for a classifier that was built and not trained.
    training_history_: TrainingHistory | None = None
    # What files mean that were written before there were kernels.
    gamma_scores_: Array | None = None
    # How much of the best score of several kernels is luck.
    _kernel_luck: float = 0.0

    def _find_kernel(self, data: TrainingData) -> KernelMap | None:
        """What gives plain vectors the features of a kernel, if one was asked for; no evidence was taken yet."""
        self.gamma_scores_, self._kernel_luck = None, 0.0
        return super()._find_kernel(data)

    def _find_gamma(self, data: TrainingData, landmarks: Array) -> float:
        """The scale of the kernel by which left-out samples are answered best; the usual one where none can be."""
        gammas = gamma_choices(self.kernel, landmarks)
        if len(gammas) == 1 or len(data.labels.classes) < 2:
            return usual_gamma(self.kernel, landmarks)
        some = few_of_each_class(data.samples, data.labels)
        few = data._replace(
            samples=data.samples[some],
            labels=Labels.of(data.labels.classes, data.labels.codes[some]),
            weights=data.weights[some],
            groups=None if data.groups is None else data.groups[some],
        )
        few_landmarks = self._landmarks(few.samples, few.scaler, min(int(self.n_landmarks), LANDMARKS_FOR_EVIDENCE))

        def answers_of(gamma: float) -> LeftOutAnswers:
            candidate = few._replace(kernel=KernelMap.of(self.kernel, gamma, few_landmarks))
            return self._left_out_answers(candidate._replace(geometry=self._geometry_of(candidate)))

        with announced_compilation():
            found = gamma_by_evidence(gammas, answers_of)
        self.gamma_scores_, self._kernel_luck = found.scores, found.luck
        return usual_gamma(self.kernel, landmarks) if found.gamma is None else found.gamma

    def _left_out_answers(self, data: TrainingData) -> LeftOutAnswers:
        """Answers to left-out samples by what the evidence chooses, for samples that enter in a given way."""
        raise NotImplementedError

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
            class; the sum of two of these, each times its weight, where there are two answers. With a
            ``class_weight`` each class has an offset of its own. Columns are in the order of ``classes_``; a class that
            was declared and has no samples yet is infinitely far. NaN for samples that cannot be answered, with
            ``on_bad_samples="nan"``.
        """
        if self.on_bad_samples == "error":
            samples, _ = self._read_new(X)
            with self._threads():
                return self._finite_distances(samples)
        distances, reasons = self.distances_and_reasons(X)
        warn_of_unanswered(reasons, len(distances))
        return distances

    def distances_and_reasons(self, X: Any) -> tuple[Array, dict[int, str]]:
        """Distances of the samples that can be answered, NaN for all others; and why these cannot.

        Parameters
        ----------
        X : array-like, in the layout of fit

        Returns
        -------
        distances : array, shape (n_samples, n_classes)
        reasons : dict
            The row of each sample that has no answer, and why it has none.
        """
        check_is_fitted(self)
        samples, reasons = read_usable_samples(self, X)
        with self._threads():
            zero_has_place = self.network_.geometry.offset is not None
            return distances_of_usable(
                samples, reasons, self._finite_distances, len(self.classes_), zero_has_place=zero_has_place
            )

    def _finite_distances(self, samples: Array) -> Array:
        """Distances by all answers; shape (n_samples, n_classes)."""
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
        if self.aligned_answer_ is not None:
            distances = self._distances_with_aligned(self.aligned_answer_, samples)
        else:
            distances = (
                distances_by(self.network_, self.answers_, samples, k) if weight else np.zeros((len(samples), k))
            )
            if weight not in (0.0, 1.0):
                distances *= weight
        for answer in self.further_answers_:
            distances += answer.weight * answer.distances(samples, k)
        return distances if self._class_offsets is None else distances - self._class_offsets

    def _distances_with_aligned(self, aligned: AlignedAnswer, samples: Array) -> Array:
        """Distances by the first answer and by nearness at every shift, from the same blocks; each weighed."""
        distances = np.empty((len(samples), self._n_seen))

        def visit_lanes(rows: Array, lanes: SampleLanes) -> None:
            distances[rows] = self.answer_weight_ * self.answers_.distances_of_lanes(lanes)
            distances[rows] += aligned.weight * aligned.distances_of_lanes(lanes)

        def visit_blocks(rows: slice | Array, V: Array) -> None:
            distances[rows] = self.answer_weight_ * self.answers_.distances(V)
            distances[rows] += aligned.weight * aligned.distances(V)

        self.network_.visit(samples, visit_lanes, visit_blocks)
        return distances

    def _keep(self, network: Network, sample_shape: tuple[int, ...], labels: Labels) -> None:
        """Set what every fitted estimator has; one that is fitted again was not trained."""
        super()._keep(network, sample_shape, labels)
        self.training_history_ = None

    def _keep_calibration(self, found: Calibration) -> None:
        """Set how distances become probabilities."""
        self._sharpness, self._doubt, self._class_offsets = found

    def explain(self, X: Any, *, classes: Any = None) -> Explanation:
        """Which class each sample was nearest to, by how much, and where in the sample that comes from.

        The difference between the distances to two classes is a sum over the positions of the features. A lift hands
        the share of a response on to the values that its filter sees, in proportion to |weight · value|. Pooled
        features have no positions: there it is what is lost of the difference without each of 32 stretches of the
        signal. An answer by nearness at every shift is explained along the way from nothing, a sample of zeros, to the
        sample. After layers it is the features of the last one that are explained. The explanation of a shifted
        sample is the shifted explanation.

        Parameters
        ----------
        X : array-like, in the layout of fit
        classes : pair of labels, or pair of arrays of labels of shape (n_samples,), optional
            Which class to compare with which other; the nearest with the second nearest by default.

        Returns
        -------
        Explanation
        """
        samples, _ = self._read_new(X)
        self._refuse_to_explain_kernel()
        known = self.classes_ if self._seen is None else self.classes_[self._seen]
        if len(known) < 2:
            raise InputError(
                "one class has samples, {label!r}, so that there is no other to compare it with; add samples of "
                "another class.",
                label=known.tolist()[0],
            )
        k, weight = len(known), self.answer_weight_
        answers = [Answer(self.network_, self.answers_, weight, k)] if weight else []
        answers += [Answer(one.network, one.measure, one.weight, k) for one in self.further_answers_]
        aligned = self.aligned_answer_
        if aligned is not None:
            answers.append(Answer(self.network_, aligned.measure, aligned.weight, k, aligned))
        names = getattr(self, "feature_names_in_", None)
        with self._threads():
            distances = self._finite_distances(samples)
            if self._seen is not None:
                distances = distances[:, self._seen]
            return explain_samples(answers, samples, distances, known, classes, names)

    def _refuse_to_explain_kernel(self) -> None:
        """Inner products of a kernel are no sums over the values of a sample, to which shares could be handed on."""
        if self.network_.kernel is not None:
            raise InputError(
                "answers with a {kernel} are no sums over the values of a sample, and cannot be explained by them; fit "
                "a model with {off} to explain.",
                kernel=Option("kernel"),
                off=Option("kernel", None),
            )

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
        distances = self.distances(X)
        nearest, answered = distances.argmin(axis=1), ~np.isnan(distances[:, 0])
        return self.classes_[nearest] if answered.all() else labels_with_gaps(self.classes_, nearest, answered)

    def predict_proba(self, X: Any) -> Array:
        """Probability of each class, calibrated by left-out training samples; shape (n_samples, n_classes).

        See :meth:`probabilities_of`.
        """
        return self.probabilities_of(self.distances(X))

    def probabilities_of(self, distances: Array) -> Array:
        """Probability of each class for samples whose distances are known, as ``predict_proba`` gives it.

        It is (1 − doubt) · softmax(−sharpness · distance) + doubt / n_classes. The fit finds both numbers: they give
        the labels of the training samples the highest probability, each sample measured by classes that have not seen
        it, or, where there are layers, by networks that have not. A class that has no samples yet has probability 0.

        Parameters
        ----------
        distances : array, shape (n_samples, n_classes)
            As :meth:`distances` gives them.

        Returns
        -------
        array, shape (n_samples, n_classes)
            Rows sum to 1.
        """
        shares = soft_membership(distances.T, self._sharpness)
        if not self._doubt:
            return shares
        evenly = np.where(np.isinf(distances), 0.0, 1 / self._n_seen)
        return (1 - self._doubt) * shares + self._doubt * evenly

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on labelled samples; a label that was not seen in fit is a miss, as in scikit-learn."""
        answers = self.predict(X)
        labels = read_labels(y, len(answers))
        refuse_text_for_numbers(labels.classes, self.classes_)
        weights = read_weights(sample_weight, len(answers))
        return float(np.average(labels.classes[labels.codes] == answers, weights=weights))

    def report(
        self, path: str | os.PathLike[str], X: Any = None, y: Any = None, *, max_megabytes: float = 30.0
    ) -> None:
        """Write an HTML page about the model: one file, which needs no network connection.

        With labelled samples it says how often the model is right, what it confuses, whether its probabilities can be
        trusted, and shows its worst mistakes. The classifier itself is in the page: it answers CSV files that are
        dropped there, as ``redunet predict`` does, and with an invariance samples can be moved while the answer stays.

        Parameters
        ----------
        path : str or path
        X : array-like, in the layout of fit, optional
            Samples to answer and to show; best ones that the model was not fitted on.
        y : array-like, shape (n_samples,), optional
            Their labels.
        max_megabytes : float, default=30.0
            A model that takes more does not run in the page.
        """
        from ..report.model_page import write_model_page

        check_positive("max_megabytes", max_megabytes)
        samples = labels = None
        if X is not None:
            samples, _ = self._read_new(X)
        if y is not None:
            if samples is None:
                raise InputError("y was given without X; pass the samples that the labels belong to.")
            found = read_labels(y, len(samples))
            refuse_unknown_labels(found.classes, self.classes_)
            labels = found.classes[found.codes]
        check_is_fitted(self)
        columns = getattr(self, "feature_names_in_", None)
        shown = copy(self)
        if columns is not None:
            del shown.feature_names_in_  # the samples are arrays now, without names
            columns = [str(name) for name in columns]
        write_model_page(shown, Path(path), samples, labels, columns=columns, max_megabytes=float(max_megabytes))

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
        if self.aligned_answer_ is not None:
            fits = bool(network.geometry.grid) and not len(network.layers) and not self.further_answers_
            expect(fits, "an aligned answer does not go with this network")
            geometry = network.geometry
            self.aligned_answer_.check_stored(geometry.grid, geometry.n_channels, self._n_seen)
        expect(is_number(self._sharpness) and self._sharpness > 0, "_sharpness is not a number > 0")
        if self._class_offsets is not None:
            expect_numbers(self._class_offsets, (self._n_seen,), "the offsets of the classes")
        expect(is_number(self._doubt) and 0 <= self._doubt <= 1, "_doubt is no share")
        if self.training_history_ is not None:
            self.training_history_.check_stored()
