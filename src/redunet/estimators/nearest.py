"""The nearest class subspace as a classifier of its own."""

from typing import Any, Self

import numpy as np

from ..evidence.calibration import calibration_of_answers
from ..evidence.leave_one_out import LeftOutAnswers, judged_score, leave_one_out
from ..evidence.training_set import TrainingSet
from ..evidence.weighting import WeighedAnswers
from ..fast.compile_notice import announced_compilation
from ..inputs.bad_samples import check_on_bad_samples
from ..inputs.parameters import check_choice, check_positive
from ..measures.left_out import Choices
from ..measures.measure import MeasureOptions
from ..measures.subspace import NearestSubspaces
from ..network.network import Network
from ..storage.stored_types import stored_attributes, stored_estimator
from .answering import InvariantAnswers
from .reading import TrainingData


@stored_estimator()
@stored_attributes(answers_=NearestSubspaces, rank_=int)
class NearestSubspaceClassifier(InvariantAnswers):
    """The class whose subspace holds most of a sample.

    Without an invariance a class is the span of the strongest directions of its samples; with one it is such a
    subspace at each frequency, and the answer is the same for every circular shift (translation) of a sample.

    Parameters
    ----------
    rank : int or "auto", default="auto"
        Dimension of the class subspaces (at each frequency, given an invariance), less than the number of channels.
        "auto" takes the one that classifies most training samples correctly, each left out of its class.
    invariance : None, "shift" or "translation", default=None
    sharpness : float or "auto", default="auto"
        λ of ``predict_proba``. "auto" calibrates the probabilities by left-out training samples; with a number they are
        the softmax of −λ times the distance to each subspace.
    affine : bool, default=True
        For plain vectors: add a constant coordinate first, so that classes may differ by an offset.
    kernel, gamma, n_landmarks
        As in :class:`ReduNetClassifier`: the features of a kernel in the place of plain vectors.
    sample_shape : tuple of int, optional
        Layout of one sample when X is flat.
    random_state : int, RandomState or None, default=0
        Of the landmarks of a kernel.
    class_weight : None, "balanced" or dict, default=None
        How much the samples of each class count, as in :class:`ReduNetClassifier`.
    n_jobs : int or None, default=None
        Threads at most, as in :class:`ReduNet`.
    on_bad_samples : "error" or "nan", default="error"
        What becomes of new samples that cannot be answered, as in :class:`ReduNetClassifier`.

    Attributes
    ----------
    classes_, sample_shape_, n_features_in_
        As in :class:`ReduNet`.
    network_ : Network
        The way of samples to the sphere, without layers.
    answers_ : NearestSubspaces
        Bases of the class subspaces.
    rank_ : int
        Their dimension.
    loo_score_ : float
        Accuracy on the training samples, each answered by classes that have not seen it.
    evidence_ : Evidence
        The same for every rank there was to choose from.
    gamma_scores_ : array, shape (n_gammas, 2), or None
        As in :class:`ReduNetClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from redunet import NearestSubspaceClassifier
    >>> t = np.arange(16) / 16
    >>> up = np.stack([t, t**2])                 # two channels
    >>> X = np.stack([up, 2 * up, up[::-1], 3 * up[::-1]])
    >>> clf = NearestSubspaceClassifier(rank=1, invariance="shift").fit(X, ["a", "a", "b", "b"])
    >>> str(clf.predict(np.roll(X[:1], 5, axis=-1))[0])
    'a'
    """

    def __init__(
        self,
        rank: int | str = "auto",
        *,
        invariance: str | None = None,
        sharpness: float | str = "auto",
        affine: bool = True,
        sample_shape: tuple[int, ...] | None = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        on_bad_samples: str = "error",
        kernel: Any = None,
        gamma: float | str = "auto",
        n_landmarks: int = 1000,
        random_state: Any = 0,
    ) -> None:
        self.rank = rank
        self.invariance = invariance
        self.sharpness = sharpness
        self.affine = affine
        self.sample_shape = sample_shape
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.on_bad_samples = on_bad_samples
        self.kernel = kernel
        self.gamma = gamma
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Find the subspaces of the classes.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features), or (n_samples, n_channels, *grid) as the invariance takes it
        y : array-like, shape (n_samples,)
            Labels of any type.
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample counts.
        groups : array-like, shape (n_samples,), optional
            Which samples belong together, such as the recordings of one person; whole groups are left out.
        """
        self.check_parameters()
        data = self._read_training(X, y, sample_weight, groups)
        samples, labels = data.samples, data.labels
        with self._threads(), announced_compilation():
            training = self._training_set(data)
            network = training.network
            answers = self._answers_to_left_out(training)
            self.evidence_ = answers.evidence()
            self.loo_score_ = float(np.clip(judged_score([answers]) - self._kernel_luck, 0.0, 1.0))
            self.rank_ = int(self.evidence_.best_choice)
            self.answers_ = NearestSubspaces.of_moments(training.moments, MeasureOptions(eps=1.0, rank=self.rank_))
            self._warn_of_ties(training.tiles.blocks, len(samples))
        self._keep(network, samples.shape[1:], labels)
        self._keep_calibration(calibration_of_answers(WeighedAnswers([answers]), self.class_weight is not None))
        if not isinstance(self.sharpness, str):
            self._sharpness, self._doubt = float(self.sharpness), 0.0
        return self

    def _training_set(self, data: TrainingData) -> TrainingSet:
        """The samples at the entrance."""
        network = Network.entrance(data.geometry, data.samples, kernel=data.kernel)
        self._check_channels(network)
        return TrainingSet(network, data.samples, data.labels, data.weights, None, data.groups)

    def _answers_to_left_out(self, training: TrainingSet) -> LeftOutAnswers:
        """Distances of left-out samples to class subspaces, for every rank there is to choose from."""
        question = NearestSubspaces.left_out(training.some, Choices(self._given_ranks, ()))
        assert question is not None
        [answers] = leave_one_out(training.some, [question])
        return answers

    def _left_out_answers(self, data: TrainingData) -> LeftOutAnswers:
        """Distances of left-out samples to class subspaces, for samples that enter in a given way."""
        return self._answers_to_left_out(self._training_set(data))

    def check_parameters(self) -> None:
        """Refuse parameters that no samples could go with."""
        self._check_layout()
        self._check_rank()
        check_on_bad_samples(self.on_bad_samples)
        if isinstance(self.sharpness, str):
            check_choice("sharpness", self.sharpness, ("auto",))
        else:
            check_positive("sharpness", self.sharpness)
