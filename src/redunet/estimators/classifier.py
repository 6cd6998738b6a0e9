"""Lift, network and answer: the classifier."""

from copy import copy
from dataclasses import replace
from types import NoneType
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from ..evidence.calibration import calibration_after_layers, calibration_of_answers, calibration_of_choice
from ..evidence.choices import SHARPNESS_CHOICES, Chosen, OpenChoices, choose, choose_measure
from ..evidence.handicap import without_handicap
from ..evidence.leave_one_out import LeftOutAnswers
from ..evidence.lifts import SAMPLES_FOR_LIFT, lift_by_evidence, refuse_linear_lift
from ..evidence.moment_set import MomentSet, Training
from ..evidence.scaling import scaling_by_evidence
from ..evidence.training_set import TrainingSet, some_of_each_class
from ..evidence.view_set import ViewSet
from ..evidence.weighting import WeighedAnswers, judged_score_of_best
from ..inputs.bad_samples import check_on_bad_samples
from ..inputs.errors import Data, InputError, Option
from ..inputs.labels import Labels
from ..inputs.parameters import check_choice, check_flag, check_standardise
from ..inputs.unequal_lengths import lengths_of
from ..lift.lift import Lift
from ..lift.peak_lift import PeakLift
from ..lift.pooled_lift import PooledLift
from ..lift.ring_lift import RingLift
from ..measures.left_out import Choices
from ..measures.measure import AnswerMeasure, MeasureOptions
from ..measures.registry import MEASURES, answer_measure, candidates, measure_named
from ..network.construct import Construction
from ..network.kernel_map import KernelMap, usual_gamma
from ..network.memory import refuse_too_large
from ..network.network import Network
from ..network.recipe import Recipe
from ..network.span import SampleSpan
from ..network.standardiser import Standardiser
from ..network.stored_stage import ConstructionProgress
from ..numerics.arrays import Array
from ..storage.estimator_checks import check_attributes, check_parameters
from ..storage.expectations import expect, expect_numbers, is_number
from ..storage.fit_identity import parameters_digest
from ..storage.stored_types import stored_attributes, stored_estimator
from ..terminal.progress import write_note
from .aligned_answer import EVENNESS, aligned_evidence, answers_of_both
from .answering import InvariantAnswers
from .further_answer import FurtherAnswer, nearest_subspaces_of_filters
from .layer_callbacks import with_callbacks
from .lift_plan import AUTO, NO_LIFT, POOLING_LIFTS, LiftPlan, check_lift, plan_lifts
from .partly_labelled import PartlyLabelledReader
from .reading import TrainingData

# Fitted attributes that are drawn or chosen before the first layer, in the order in which fit sets them.
CHOSEN_ATTRIBUTES = (
    *("lift_", "evidence_", "rank_", "loo_score_", "depth_scores_"),
    *("further_answers_", "aligned_answer_", "answer_weight_", "_sharpness", "_doubt", "_class_offsets"),
)


@stored_estimator()
@stored_attributes(
    answers_=AnswerMeasure,
    depth_scores_=(np.ndarray, NoneType),
    membership_=str,
    rank_=(int, NoneType),
    eps_=float,
    sharpness_=float,
    lift_=(Lift, RingLift, PooledLift, PeakLift, NoneType),
    scaling_scores_=(np.ndarray, NoneType),
    takes_unequal_lengths_=bool,
)
class ReduNetClassifier(InvariantAnswers, PartlyLabelledReader):
    """A lift, a rate reduction network, then the nearest class of its features; evidence chooses what is not given.

    With an ``invariance`` the answer is the same for every circular shift (translation) of a sample, bit for bit: lift
    and network move along with the sample, what is measured per frequency does not depend on the position, and
    every shift is computed from the same representative.

    The evidence comes from the training samples alone: leaving each out of its class says which rank, ε and lift answer
    samples they have not seen, and samples held out say whether layers, and how many, answer them better.

    Parameters
    ----------
    invariance, step_size, tol, momentum, affine, convention, construction, sample_shape, warm_start, verbose
        As in :class:`ReduNet`.
    class_weight, n_jobs
        As in :class:`ReduNet`. With a ``class_weight`` left-out samples find an offset of the distances to each class,
        too, so that a class that counts more is answered more often.
    lift : None, "auto", "pooled", "rings", the name of a filter bank, a lift or a list of lifts, default=None
        More channels before the network. None is no lift where X has several channels or there is no invariance; one
        channel tells nothing by itself, and gets "auto", and so do images in colour (up to 4 channels, at least 12
        positions along each side) that are answered in two ways (``aligned``). Of images of more channels and at least
        64 positions along each side the slow part is kept, about 32 positions along the shorter side. For images
        "auto" is filters that see their local contrast (of images in colour, if the evidence says so, colours as they
        are, or no filters); with ``aligned=False`` it is a short list, of which it takes the one that the evidence is
        best for. For signals it is two answers: a :class:`PooledLift`, whose features are the same at every shift and
        are answered by a regression on the labels, and, where that makes mistakes, class subspaces of the responses to
        random filters; left-out samples say how much each of them counts. "pooled" is the first of the two alone.
        "rings" is for images that a :class:`PolarGrid` read along rings: two answers again, class subspaces of a
        :class:`PeakLift` and of a :class:`RingLift`. Another name, such as "wavelet", is a :class:`Lift` with these
        filters. Of a list of Lift
        the best one is taken; with a PooledLift or a PeakLift among them there are two answers again. "none" is no
        lift, whatever X is.
    n_layers : int or "auto", default="auto"
        Layers at most, or as many as answer held-out samples better than none, beyond chance. With a ``kernel`` that is
        not linear, and for images that are answered in two ways (``aligned``), "auto" is none: layers take long there,
        and answered no set of samples better.
    eps : float or "auto", default="auto"
        Distortion ε; "auto" chooses that of a code or of a regression from 0.01 to 3, and is 0.3 otherwise.
    membership : "auto", "subspace", "code", "softmax", "relu" or "regression", default="auto"
        How layers guess the class of a sample, as in :class:`ReduNet`. With "code" the answer, too, is the class with
        the shortest code, with "regression" the class with the largest prediction; otherwise it is the nearest
        subspace. "auto" takes "subspace" or "code", whichever classifies more of the training samples correctly, each
        left out of its class; with a ``kernel`` that is not linear, and ``affine=True``, also "regression", which is
        kernel ridge regression then. Otherwise "regression" is taken only if it is given.
    sharpness : float or "auto", default=50.0
        λ of the soft membership of layers; "auto" chooses from 20, 50 and 200. It has no part in ``predict_proba``,
        which is calibrated.
    rank : int or "auto", default="auto"
        Dimension of the class subspaces (at each frequency, given an invariance), less than the number of channels.
    standardise : bool, "auto" or Standardiser, default=False
        For plain vectors: bring each feature to mean 0 and standard deviation 1 first, as learned from the training
        samples. "auto" does it where left-out samples are then answered better. The ``network_.scaler`` of another
        model scales features as they are scaled there.
    evidence_samples : int, default=2000
        With ``construction="moments"``: how many samples are kept, whose evidence chooses what is not given. 0 keeps
        none, and chooses without evidence. Which ones are kept depends on their values alone.
    kernel : None, "linear", "rbf", "poly", "cosine", callable or KernelMap, default=None
        As in :class:`ReduNet`: the features of a kernel in the place of plain vectors.
    gamma : float or "auto", default="auto"
        γ of "rbf" and "poly". "auto" takes the one of a short list by which left-out samples are answered best; the
        list is in units of 1 over the median squared distance of samples ("rbf"), or over their mean squared length.
    n_landmarks : int, default=1000
        Training samples, at most, that span the features of a kernel, as in :class:`ReduNet`.
    random_state : int, RandomState or None, default=0
        Of the lift that "auto" makes, and of the landmarks of a kernel.
    on_bad_samples : "error" or "nan", default="error"
        What becomes of new samples that cannot be answered: those with NaN or infinity, of zeros alone (which have a
        place with ``affine=True``), or that no filter of the lift responds to. "error" refuses the whole batch; with
        "nan" the others are answered, a warning counts those that are not, and these have NaN for distances and
        probabilities. ``predict`` then gives NaN for labels that are floats, NaT for times, and None for all others,
        in an array of objects. ``score`` counts them as misses. Samples of a fit are always refused.
    unlabelled : None, number or text, default=None
        What stands in y for a label that is not known, such as -1 or "?"; ``float("nan")`` stands for missing values of
        any kind, None among them. Samples so marked join in where left-out labelled samples are then answered better,
        or where each class has one label, so that none can be left out. None is for labels that are all known.
    aligned : bool or "auto", default="auto"
        With an invariance: a second answer by the same filters, a regression on the nearness of samples at the shift
        where they fit (a kernel of their slow parts, averaged over all shifts), which sees where large parts are
        relative to each other; left-out samples say how much each of the two counts. Few images are seen deformed a
        little, too, where left-out images are answered better then. "auto" is to do so for images whose lift is chosen,
        too (``lift`` None or "auto"), and that the first answer makes mistakes on. Not with layers, nor with
        ``construction="moments"``, nor where unlabelled samples join in.

    Attributes
    ----------
    network_, history_, n_layers_, classes_, sample_shape_, n_features_in_
        As in :class:`ReduNet`.
    answers_ : AnswerMeasure
        What the answer is measured by.
    loo_score_ : float
        Accuracy to expect of new samples: that on the training samples, each answered by classes that have not seen it,
        and by choices that it had no part in; before any layer. Not a number where every class has one sample, so that
        there is nothing to leave out. With unlabelled samples labelled ones are left out in a few folds.
    evidence_ : Evidence
        The same for every rank (or ε) there was to choose from.
    depth_scores_ : array or None
        Accuracy on held-out samples after 0, 1, … layers; None where no depth was chosen.
    membership_, rank_, eps_, sharpness_
        What was given or chosen; ``rank_`` is None with "code" and "regression", which have no rank.
    lift_ : Lift, PooledLift, PeakLift or None
        Fitted.
    further_answers_ : tuple of FurtherAnswer
        The second answer, if there is one: ``network``, ``measure`` and ``weight``.
    aligned_answer_ : AlignedAnswer or None
        The answer by nearness at every shift, if there is one: ``view``, ``measure`` and ``weight``.
    answer_weight_ : float
        How much the distances of ``answers_`` count in the sum; 1 where there is no other.
    takes_unequal_lengths_ : bool
        Whether it was fitted on signals of unequal lengths; then it takes signals of any length.
    scaling_scores_ : array, shape (2,), or None
        With ``standardise="auto"``: share of left-out samples that are classified correctly with features as they are,
        and standardised. ``network_.scaler`` has what was learned.
    gamma_scores_ : array, shape (n_gammas, 2), or None
        Where evidence chose γ of a kernel: each γ, and the share of left-out samples that are classified correctly with
        it. ``network_.kernel`` has the one that was taken, and the landmarks.
    moments_ : GatheredMoments or None
        With ``construction="moments"``: moments of the classes, and the samples that were kept.
    transduction_ : array, shape (n_samples,), or None
        With ``unlabelled``: the label of every training sample, the one that was given or the answer.
    uses_unlabelled_ : bool
        Whether unlabelled samples joined in. If not, the fit is that to the labelled samples alone.
    unlabelled_losses_ : array, shape (2,), or None
        Mean log loss of left-out labelled samples without unlabelled samples, and with them; the smaller one decides.
        Not a number where none could be left out.
    added_files_ : tuple of AddedFile
        Digests and numbers of samples of the files that the command line has counted in ``moments_``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from redunet import ReduNetClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), ReduNetClassifier()).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    # Files that were written before signals of unequal lengths, or a scale, do not say it.
    takes_unequal_lengths_ = False
    scaling_scores_: Array | None = None

    def __init__(
        self,
        invariance: str | None = None,
        *,
        lift: Any = None,
        n_layers: int | str = "auto",
        eps: float | str = "auto",
        step_size: float | str = "auto",
        membership: str = "auto",
        sharpness: float | str = 50.0,
        tol: float | None = 1e-4,
        momentum: str | float | None = None,
        rank: int | str = "auto",
        affine: bool | float = True,
        convention: str = "exact",
        construction: str = "samples",
        evidence_samples: int = 2000,
        standardise: Any = False,
        sample_shape: tuple[int, ...] | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        verbose: int = 0,
        class_weight: Any = None,
        n_jobs: int | None = None,
        on_bad_samples: str = "error",
        kernel: Any = None,
        gamma: float | str = "auto",
        n_landmarks: int = 1000,
        unlabelled: Any = None,
        aligned: bool | str = "auto",
    ) -> None:
        self.invariance = invariance
        self.lift = lift
        self.n_layers = n_layers
        self.eps = eps
        self.step_size = step_size
        self.membership = membership
        self.sharpness = sharpness
        self.tol = tol
        self.momentum = momentum
        self.rank = rank
        self.affine = affine
        self.convention = convention
        self.construction = construction
        self.evidence_samples = evidence_samples
        self.standardise = standardise
        self.sample_shape = sample_shape
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.on_bad_samples = on_bad_samples
        self.kernel = kernel
        self.gamma = gamma
        self.n_landmarks = n_landmarks
        self.unlabelled = unlabelled
        self.aligned = aligned

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, checkpoint: Any = None) -> Self:
        """Build lift, network and answers.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features), or (n_samples, n_channels, *grid) as the invariance takes it
            Signals may have unequal lengths: a list of arrays of shape (length,) or (n_channels, length).
        y : array-like, shape (n_samples,)
            Labels of any type; ``unlabelled`` for those that are not known.
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample counts.
        groups : array-like, shape (n_samples,), optional
            Which samples belong together, such as the recordings of one person. The evidence leaves out whole groups,
            so that it tells how samples of new groups will be answered.
        checkpoint : str, path or Checkpoint, optional
            Folder to keep progress in. After a crash the same call goes on there, and ends with the same bits.
        """
        recipe = self.check_parameters()
        if self.construction == "moments":
            self._refuse_groups(groups)
            return self._fit_from_moments(recipe, X, y, sample_weight, checkpoint)
        data = self._read_training(X, y, sample_weight, groups)
        samples, labels, weights = data.samples, data.labels, data.weights
        plan = self._plan(samples)
        more = self._adds_layers(samples, labels)
        with self._computing(checkpoint, data, adds_layers=more) as saved:
            found = None if saved is None or more else saved.choices()
            vectors, luck = None, 0.0
            if found is not None:
                self.lift_ = found[1]["lift_"]
            elif not more:
                vectors, luck = self._fit_lift(data, plan)
            network = self._entrance(data, recipe, plan, vectors)
            refuse_too_large(network, len(samples), len(labels.classes), recipe)
            training = TrainingSet(network, samples, labels, weights, vectors, data.groups, data.witnesses)
            if more:
                recipe = self._chosen(recipe)
                self._calibrate_more_layers(training, recipe)
            elif found is not None:
                recipe = self._take_over(*found)
            else:
                recipe = self._choose(recipe, training, data, plan, luck)
                if saved is not None:
                    self._write_choices(saved, recipe)
            tiles = training.tiles
            built = self._construct(recipe, training, saved, adds_layers=more)
            self._keep_built(built, training, samples.shape[1:])
            self._keep_answers(recipe, built)
            self._warn_of_ties(tiles.blocks, len(samples))
            self._leave_span()
            self._forget_moments()
            self.takes_unequal_lengths_ = self.invariance == "shift" and lengths_of(samples) is not None
            self._keep_transduction(data)
        return self

    def check_parameters(self) -> Recipe:
        """Refuse parameters that no samples could go with; the constants of the construction, else."""
        recipe = self._recipe()
        self._check_construction()
        self._check_rank()
        self._check_unlabelled()
        check_standardise(self.standardise, self.invariance, is_learned=isinstance(self.standardise, Standardiser))
        check_on_bad_samples(self.on_bad_samples)
        check_lift(self.lift, self.invariance)
        self._check_aligned()
        if self.membership != "auto":
            self._refuse_basis_of_kernel(self.membership, recipe.measure)
        return recipe

    def _check_aligned(self) -> None:
        """Refuse an aligned answer where nothing is at a place, or is to be forgotten once its moments are taken."""
        if isinstance(self.aligned, str):
            check_choice("aligned", self.aligned, ("auto",))
            return
        check_flag("aligned", self.aligned)
        if not self.aligned:
            return
        rules = {
            "signals or images": (self.invariance is None, Option("invariance", "shift", "translation")),
            "all samples at hand": (self.construction == "moments", Option("construction", "samples")),
            "a network without layers": (self._builds_layers(), Option("n_layers", "auto")),
            "labels that are all known": (self.unlabelled is not None, Option("unlabelled", None)),
        }
        for needed, (is_missing, remedy) in rules.items():
            if is_missing:
                raise InputError(
                    "{aligned} needs {needed}; pass {remedy}, or {off}.",
                    aligned=Option("aligned", True),
                    needed=needed,
                    remedy=remedy,
                    off=Option("aligned", False),
                )

    @property
    def _may_align(self) -> bool:
        """Whether samples may be compared at every shift, too, as far as options say it."""
        if self.invariance is None or not self._has_all_samples or self._builds_layers() or self.uses_unlabelled_:
            return False
        if not isinstance(self.aligned, str):
            return bool(self.aligned)
        chosen = self.lift is None or (isinstance(self.lift, str) and self.lift == AUTO)
        return self.invariance == "translation" and chosen and self.membership == "auto"

    def _asks_for_aligned(self, plan: LiftPlan) -> bool:
        """Whether samples are to be compared at every shift, too."""
        has_filters = bool(plan.filters) and not plan.only_slower
        return self._may_align and plan.pooled is None and (has_filters or not isinstance(self.aligned, str))

    _memberships = ("auto", *MEASURES)

    def _chooses(self, name: str) -> bool:
        """Whether an option is "auto", hence left to the evidence; any other text is refused."""
        value = getattr(self, name)
        if isinstance(value, str) and value != "auto":
            raise InputError("{option} must be a number or 'auto', got {value!r}.", option=Option(name), value=value)
        return isinstance(value, str)

    def _plan(self, samples: Array) -> LiftPlan:
        """The lifts that these samples will get."""
        few = not self._has_all_samples
        plan = plan_lifts(
            self.lift,
            samples,
            self.invariance,
            self.membership,
            self.random_state,
            few_features=few,
            aligned=self._may_align,
        )
        if plan.pooled is not None and plan.filters and self.membership != "auto":
            raise InputError(
                "{lift} with a lift that pools over the circle and filters gives two answers, each with a membership "
                "of its own; pass {membership}, or one kind of lift.",
                lift=Option("lift"),
                membership=Option("membership", "auto"),
            )
        return plan

    def _candidates(self, plan: LiftPlan) -> tuple[str, ...]:
        """Names of the measures to choose from, or of the one that was given."""
        bends = self._has_bending_kernel and self._adds_constant
        summed_up = plan.pooled is not None and plan.pooled.is_summed_up
        found = candidates(self.membership, pooled=summed_up, kernel=bends)
        # Beside a second answer the usual measure is enough, and the evidence has less to choose by luck.
        return found[:1] if self._asks_for_aligned(plan) else found

    @property
    def _has_bending_kernel(self) -> bool:
        """Whether there is a kernel that is not linear. (A linear one must give what vectors give without it.)"""
        kernel = self.kernel.kernel if isinstance(self.kernel, KernelMap) else self.kernel
        return kernel is not None and kernel != "linear"

    def _takes_single_samples(self, samples: Array) -> bool:
        names = self._candidates(self._plan(samples))
        return all(answer_measure(name).takes_single_samples for name in names)

    def _takes_unequal_lengths(self, samples: Array) -> bool:
        pooled = self._plan(samples).pooled
        return pooled is not None and pooled.takes_any_length and self._has_all_samples

    def _builds_layers(self) -> bool:
        """Whether a number of layers was asked for. (Pooled features get none by evidence: layers amplify a guess.)"""
        return not self._chooses("n_layers") and self.n_layers > 0

    @property
    def _learns_scale(self) -> bool:
        """Whether the scale of features is learned from samples before any of them can enter."""
        return self.standardise is not False and self.invariance is None

    def _find_scaler(self, data: TrainingData) -> Standardiser | None:
        """What standardises plain vectors, if it was asked for, or if left-out samples are answered better then."""
        self.scaling_scores_, self._lift_luck = None, 0.0
        if not self._learns_scale:
            return None
        if isinstance(self.standardise, Standardiser):
            self._refuse_other_features(self.standardise, data.samples.shape[1])
            return self.standardise
        scaler = Standardiser.of(data.samples, data.weights)
        if self.standardise is True or len(data.labels.classes) < 2:
            return scaler
        self._say("columns as they are, or standardised")
        some = np.sort(data.labels.order[some_of_each_class(data.labels.bounds, SAMPLES_FOR_LIFT)])
        few = Labels.of(data.labels.classes, data.labels.codes[some])
        samples, weights = data.samples[some], data.weights[some]
        groups = None if data.groups is None else data.groups[some]

        def chosen_of(standardised: bool) -> Chosen:
            entering = TrainingData(samples, few, weights, data.geometry, groups, scaler if standardised else None)
            if self.kernel is not None:
                entering = entering._replace(kernel=self._usual_kernel(entering))
            return self._chosen_for(entering._replace(geometry=self._geometry_of(entering)))

        with self._fast_and_announced():
            found = scaling_by_evidence(chosen_of)
        self.scaling_scores_ = np.array(found.scores)
        self._lift_luck = found.luck
        return scaler if found.standardise else None

    def _usual_kernel(self, data: TrainingData) -> KernelMap:
        """The kernel with the γ that was given, or the usual one."""
        if isinstance(self.kernel, KernelMap):
            return self.kernel
        landmarks = self._landmarks(data.samples, data.scaler)
        gamma = usual_gamma(self.kernel, landmarks) if isinstance(self.gamma, str) else float(self.gamma)
        return KernelMap.of(self.kernel, gamma, landmarks)

    def _chosen_for(self, data: TrainingData) -> Chosen:
        """What the evidence chooses for plain vectors that enter in a given way."""
        recipe, plan = self._recipe(), LiftPlan(None, [])
        self.lift_ = None
        network = self._entrance(data, recipe, plan, None)
        training = TrainingSet(network, data.samples, data.labels, data.weights, None, data.groups)
        return choose_measure(training.some, recipe, self._candidates(plan), self._open_choices(recipe, plan))

    def _open_choices(self, recipe: Recipe, plan: LiftPlan) -> Choices:
        """Ranks and values of ε to choose from: those that were given, or short lists."""
        return Choices(self._ranks_for(plan), None if self._chooses("eps") else (recipe.eps,))

    def _left_out_answers(self, data: TrainingData) -> LeftOutAnswers:
        """Answers to left-out samples by what the evidence chooses, for plain vectors that enter in a given way."""
        return self._chosen_for(data).answers

    def _refuse_other_features(self, scaler: Standardiser, n_features: int) -> None:
        if scaler.mean.shape != (n_features,):
            raise InputError(
                "{option} scales {known} features but {data} has {found}; pass one that was learned from such samples.",
                option=Option("standardise"),
                known=len(scaler.mean),
                data=Data("X"),
                found=n_features,
            )

    def _fit_lift(self, data: TrainingData, plan: LiftPlan) -> tuple[Array | None, float]:
        """Fit the lift that was given, or that one of several which the evidence is best for.

        Gives what a lift that pools makes of the samples, where it was computed; and by how much the score of the best
        of several lifts is luck.
        """
        luck = (self._lift_luck if self.scaling_scores_ is not None else 0.0) + self._kernel_luck
        if data.lifted is not None:
            self.lift_ = data.lifted.lift
            return data.lifted.vectors, data.lifted.luck
        self.lift_ = None
        if plan.pooled is not None:
            self._say("counting the responses to filters over the circle")
            self.lift_ = plan.pooled
            return plan.pooled.fit_unit_vectors(data.samples, data.weights), luck
        if len(plan.filters) == 1 and not isinstance(self.lift, (list, tuple)):
            self.lift_ = plan.filters[0].fit_samples(data.samples, data.weights)
        elif plan.filters:
            least_rank = self._least_rank(plan)
            answers_of = answers_of_both if self._asks_for_aligned(plan) else None
            self.lift_, luck = lift_by_evidence(
                data.samples,
                data.labels,
                data.weights,
                plan.filters,
                least_rank,
                data.groups,
                self._say,
                data.witnesses,
                answers_of,
            )
        return None, luck

    def _entrance(self, data: TrainingData, recipe: Recipe, plan: LiftPlan, vectors: Array | None) -> Network:
        """The network without layers: the lift, and the way of samples to the sphere."""
        geometry, samples = data.geometry, data.samples
        bank = None if self.lift_ is None else self.lift_.bank_
        measures = [measure_named(name) for name in self._candidates(plan)]
        if bank is not None:
            geometry = replace(geometry, sample_shape=bank.shape, offset=bank.offset)
            if self._needs_directions(plan):
                refuse_linear_lift(bank, self._least_rank(plan))
        linear = all(answer_measure(name).is_linear for name in self._candidates(plan))
        if bank is not None and bank.is_invariant and linear and not self._builds_layers() and self._has_all_samples:
            network = Network.entrance_of_vectors(geometry, bank, samples, vectors, len(data.labels.classes))
        else:
            spanned = all(measure.free_of_basis for measure in measures) and self._has_all_samples
            network = Network.entrance(
                geometry, samples, lift=bank, spanned=spanned, scaler=data.scaler, kernel=data.kernel
            )
        self._check_channels(network)
        for measure in measures:
            measure.refuse_options(MeasureOptions(recipe.eps), network.space)
        return network

    def _needs_directions(self, plan: LiftPlan) -> bool:
        """Whether classes may differ by directions alone."""
        return any(answer_measure(name).needs_directions for name in self._candidates(plan))

    def _ranks_for(self, plan: LiftPlan) -> tuple[int, ...] | None:
        """Ranks to choose from: the one that was given, those that go with the lift, or None for the usual ones."""
        given = self._given_ranks
        return plan.pooled.rank_choices if given is None and plan.pooled is not None else given

    def _least_rank(self, plan: LiftPlan) -> int:
        """The rank of class subspaces that was given, or the least of those to choose from."""
        return min(self._given_ranks or (1,)) if self._needs_directions(plan) else 1

    def _choose(
        self,
        recipe: Recipe,
        training: Training,
        data: TrainingData | None,
        plan: LiftPlan,
        luck: float,
    ) -> Recipe:
        """Let the evidence fill in what was left to it; keep the evidence."""
        left_open = OpenChoices(
            memberships=self._candidates(plan),
            choices=self._open_choices(recipe, plan),
            sharpness=SHARPNESS_CHOICES if self._chooses("sharpness") else (recipe.sharpness,),
            depth=self._chooses("n_layers"),
        )
        # Layers of many unlabelled samples would take long to try, layers amplify a guess, and samples are compared
        # at every shift at the entrance.
        without_layers = plan.pooled is not None or self._has_bending_kernel or self.uses_unlabelled_
        if left_open.depth and (without_layers or self._asks_for_aligned(plan)):
            recipe = replace(recipe, n_layers=0)
        self._say(f"leaving each of {len(training.some.codes)} samples out: {' or '.join(left_open.memberships)}")
        chosen = choose(training, recipe, left_open)
        self.evidence_, self.rank_ = chosen.evidence, chosen.rank
        self.loo_score_, self.depth_scores_ = float(np.clip(chosen.score - luck, 0.0, 1.0)), chosen.depth_scores
        self.further_answers_, self.aligned_answer_, self.answer_weight_ = (), None, 1.0
        if plan.pooled is not None and not self._builds_layers():
            self._weigh_answers(chosen, data, plan)
        else:
            if chosen.recipe.n_layers and chosen.held_out is None:
                self._say("holding samples out, which say how sure to be after the layers")
            weighed = None
            if data is not None and isinstance(training, TrainingSet) and self._asks_for_aligned(plan):
                weighed = self._weigh_aligned(chosen, training, data.samples, luck)
            if weighed is None:
                found = calibration_of_choice(training, chosen, self.class_weight is not None)
            else:
                found = calibration_of_answers(weighed, self.class_weight is not None)
                first = weighed.answers[0]
                best: dict[str, Any] = {first.option: first.values[weighed.best[0]]}
                chosen = replace(chosen, recipe=replace(chosen.recipe, **best))
                self.rank_ = best.get("rank")
            self._keep_calibration(found)
        return chosen.recipe

    def _weigh_aligned(
        self, chosen: Chosen, training: TrainingSet, samples: Array, luck: float
    ) -> WeighedAnswers | None:
        """Add the answer by nearness at every shift, where the first makes mistakes and left-out samples say so."""
        makes_mistakes = chosen.evidence.n_samples > 0 and chosen.evidence.best_score < 1
        if chosen.recipe.n_layers or not makes_mistakes or np.diff(training.bounds).min() < 2:
            return None
        self._say("a second answer: a regression on the nearness of samples at the shift where they fit")
        found = aligned_evidence(training, samples, self._drawn_seed())
        if found is None:
            return None
        weights = found.answers.weights
        fair = [replace(one, weights=weights) for one in self._fair_answers(chosen, training)]
        candidates = [WeighedAnswers([one, found.answers], EVENNESS) for one in fair]
        both = min(candidates, key=lambda one: one.loss)
        if not both.weights[1] > 0:
            return None
        self.aligned_answer_ = found.answer(both.best[1], float(both.shares[1]))
        self.answer_weight_ = float(both.shares[0])
        luck += max(0.0, chosen.evidence.best_score - chosen.score)  # that of the value that was chosen
        self.loo_score_ = float(np.clip(judged_score_of_best(candidates) - luck, 0.0, 1.0))
        return both

    def _drawn_seed(self) -> int:
        """A whole number that the random state gives."""
        return int(check_random_state(self.random_state).randint(2**31))

    def _fair_answers(self, chosen: Chosen, training: TrainingSet) -> list[LeftOutAnswers]:
        """Answers to left-out samples by the first answer, to be compared with those of another kind.

        For the value that is best by itself, and for larger ones, which left-out samples see as worse than they are.
        """
        if training.groups is not None:
            return [chosen.answers]
        answers, answer = chosen.answers, chosen.recipe.answer
        numbers = range(chosen.evidence.best, len(answers.values))
        options: list[dict[str, Any]] = [{answers.option: answers.values[number]} for number in numbers]
        measured = [replace(chosen.recipe, **one).measure_options for one in options]
        return without_handicap(
            answers, numbers, training.some, lambda moments, V: answer.distances_by_options(moments, measured, V)
        )

    def _calibrate_more_layers(self, training: TrainingSet, recipe: Recipe) -> None:
        """Calibrate the answers again where layers are added; those of two answers stay as they were."""
        if recipe.n_layers and not self.further_answers_:
            # Layers change what samples are at the entrance, where the other answer compares them.
            self.aligned_answer_, self.answer_weight_ = None, 1.0
            found = calibration_after_layers(training, recipe, self.class_weight is not None)
            if found is not None:
                self._keep_calibration(found)

    def _weigh_answers(self, chosen: Chosen, data: TrainingData | None, plan: LiftPlan) -> None:
        """Calibrate the answer by pooled features; add a second one, by filters, where the first makes mistakes."""
        makes_mistakes = chosen.evidence.n_samples > 0 and chosen.evidence.best_score < 1
        weighed = WeighedAnswers([chosen.answers])
        if data is not None and plan.filters and makes_mistakes and _fewest_witnesses(data) >= 2:
            self._say("a second answer: class subspaces of the responses to filters, at each frequency")
            network, answers, measure_of = nearest_subspaces_of_filters(
                data, plan.filters, self._given_ranks, self._say
            )
            both = WeighedAnswers([chosen.answers, answers])
            if both.weights[1] > 0:
                measure = measure_of(answers.values[both.best[1]])
                self.further_answers_ = (FurtherAnswer(network, measure, float(both.shares[1])),)
                self.loo_score_ = both.judged_score()
                weighed = both
        self.answer_weight_ = float(weighed.shares[0])
        self._keep_calibration(calibration_of_answers(weighed, self.class_weight is not None))

    def _keep_answers(self, recipe: Recipe, built: Construction) -> None:
        """Keep what samples are measured by after the last layer, and what was chosen."""
        for name, value in self._answers_after(recipe, built).items():
            setattr(self, name, value)
        self.takes_unequal_lengths_ = False

    def _answers_after(self, recipe: Recipe, built: Construction) -> dict[str, Any]:
        """What samples are measured by after the last layer, and what was chosen."""
        return {
            "answers_": recipe.answer.of_moments(built.precise_moments(), recipe.measure_options),
            "membership_": recipe.membership,
            "eps_": recipe.eps,
            "sharpness_": recipe.sharpness,
        }

    def _attributes_after(self, built: Construction, training: Training | ViewSet) -> dict[str, Any]:
        """Fitted attributes of a classifier whose construction ends where this one is; for callbacks."""
        return super()._attributes_after(built, training) | self._answers_after(built.recipe, built)

    def _begin(self, recipe: Recipe, data: TrainingData) -> Network:
        """Fit the lift, or take the one that is fitted already, and let samples enter; for moments."""
        plan = self._plan(data.samples)
        if hasattr(self.lift, "bank_"):
            self.lift_, self._lift_luck = copy(self.lift), 0.0
            if self.lift_.sample_shape_ != data.samples.shape[1:]:
                raise InputError(
                    "{lift} was fitted on samples of shape {fitted} but {data} has samples of shape {shape}; pass a "
                    "lift that was fitted on such samples, or one that is not fitted.",
                    lift=Option("lift"),
                    fitted=self.lift_.sample_shape_,
                    data=Data("X"),
                    shape=data.samples.shape[1:],
                )
        elif len(data.labels.classes) < 2 and len(plan.filters) > 1:  # nothing to compare lifts by
            self.lift_, self._lift_luck = plan.filters[0].fit_samples(data.samples, data.weights), 0.0
        else:
            _, self._lift_luck = self._fit_lift(data, plan)
        return self._entrance(data, recipe, plan, None)

    def _choose_by_moments(self, recipe: Recipe, training: MomentSet) -> Recipe:
        """Let the samples that were kept fill in what is left to the evidence."""
        plan = LiftPlan(self.lift_ if isinstance(self.lift_, POOLING_LIFTS) else None, [])
        return self._choose(recipe, training, None, plan, self._lift_luck)

    def _take_entrance_of(self, model: Any) -> None:
        """Let samples enter as they enter another model."""
        super()._take_entrance_of(model)
        self.lift_, self._lift_luck = model.lift_, model._lift_luck

    def _takes_no_lift(self) -> bool:
        """Whether there is no lift, whatever the samples are."""
        return self.invariance is None or self.lift == NO_LIFT or hasattr(self.lift, "bank_")

    def _lift_is_given(self, samples: Array) -> bool:
        """Whether samples of this shape enter without a lift, or by one that is fitted already."""
        return hasattr(self.lift, "bank_") or self._plan(samples).is_empty

    def _begin_again(self, remembered: tuple[Recipe, dict[str, Any]], recipe: Recipe, few: TrainingData) -> Network:
        """The network without layers of a fit that was interrupted, with the lift that it drew."""
        self.lift_ = remembered[1]["lift_"]
        return self._entrance(few, recipe, self._plan(few.samples), None)

    def _choose_again(self, remembered: tuple[Recipe, dict[str, Any]]) -> Recipe:
        """The recipe of a fit that was interrupted, and what it chose beside it."""
        return self._take_over(*remembered)

    def _remember_choices(self, saved: ConstructionProgress, recipe: Recipe) -> None:
        """Write what was chosen for the next call, should this one be interrupted."""
        self._write_choices(saved, recipe)

    def _warn_of_few(self, samples: Array) -> None:
        """Warn where the samples that were kept show that nothing tells the classes apart."""

        def blocks(start: int, stop: int) -> Array:
            return np.concatenate([V for _, V in self.network_.invariant_blocks(samples[start:stop])], axis=2)

        if len(samples):
            self._warn_of_ties(blocks, len(samples))

    def _refuse_groups(self, groups: Any) -> None:
        """The few samples that are kept with moments may be one of each group, so that nothing is left to leave out."""
        if groups is not None:
            raise InputError(
                "{groups} cannot be left out with {moments}, which keeps a few samples alone; pass {samples}.",
                groups=Data("groups"),
                moments=Option("construction", "moments"),
                samples=Option("construction", "samples"),
            )

    def _leave_span(self) -> None:
        """A linear answer of vectors needs no coordinates in the span of the training vectors."""
        if isinstance(self.network_.span, SampleSpan):
            self.answers_ = self.answers_.of_vectors(self.network_.span)
            self.network_ = replace(self.network_, span=None)

    def _say(self, text: str) -> None:
        """Say what is being chosen, if ``verbose``."""
        if self.verbose:
            write_note(text)

    def _chosen(self, recipe: Recipe) -> Recipe:
        """What the evidence chose in the fit before."""
        rank = self.rank_ or recipe.rank
        return replace(recipe, membership=self.membership_, eps=self.eps_, sharpness=self.sharpness_, rank=rank)

    def _write_choices(self, saved: ConstructionProgress, recipe: Recipe) -> None:
        """Keep for the next call, should this one be interrupted, what was drawn at random and what was chosen."""
        values = {name: getattr(self, name) for name in CHOSEN_ATTRIBUTES}
        if isinstance(self.random_state, np.random.RandomState):
            values["random_state"] = self.random_state
        saved.choose(recipe, values, parameters_digest(self))

    def _take_over(self, recipe: Recipe, values: dict[str, Any]) -> Recipe:
        """Go on with what the interrupted fit drew and chose; its random state is left as that fit left it."""
        for name in CHOSEN_ATTRIBUTES:
            setattr(self, name, values[name])
        if "random_state" in values:
            self.random_state.set_state(values["random_state"].get_state())
        return recipe

    def check_stored(self, file_bytes: int) -> None:
        """Refuse parts that came from a file of this size and do not fit together."""
        super().check_stored(file_bytes)
        for name in ("sharpness_", "eps_"):
            value = getattr(self, name)
            expect(is_number(value) and value > 0, f"{name} is not a number > 0")
        expect(self.membership_ in MEASURES, "membership_ is of an unknown kind")
        if self.depth_scores_ is not None:
            expect_numbers(self.depth_scores_, (len(self.depth_scores_),), "depth_scores_")
        lift = self.lift_
        expect((lift is None) == (self.network_.lift is None), "the lift of the network is another")
        if lift is not None:
            # A lift that a classifier fitted was not given X itself, hence knows no features.
            check_attributes(lift, absent=("n_features_in_",))
            check_parameters(lift)
            expect(lift.sample_shape_ == self.sample_shape_, "the lift takes samples of another shape")
            lift.check_stored(file_bytes)
        any_length = getattr(lift, "takes_unequal_lengths_", False)
        expect(self.takes_unequal_lengths_ is any_length, "the lift takes signals of other lengths")
        fits = not (any_length and self.further_answers_)
        expect(fits, "a further answer does not take signals of unequal lengths")


def _fewest_witnesses(data: TrainingData) -> int:
    """Samples of the smallest class, those whose labels were given alone."""
    codes = data.labels.codes if data.witnesses is None else data.labels.codes[data.witnesses]
    return int(np.bincount(codes, minlength=len(data.labels.classes)).min())
