"""Lift, network and answer: the classifier."""

import os
from dataclasses import replace
from pathlib import Path
from types import NoneType
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..evidence.choices import SHARPNESS_CHOICES, OpenChoices, choose
from ..evidence.lifts import candidate_lifts, lift_by_evidence, refuse_linear_lift
from ..evidence.training_set import TrainingSet
from ..inputs.errors import InputError, InputTypeError, Option
from ..inputs.labels import Labels
from ..inputs.parameters import check_choice
from ..inputs.samples import read_labels, refuse_unknown_labels
from ..lift.banks import BANKS
from ..lift.lift import Lift
from ..lift.pooled_lift import PooledLift
from ..measures.left_out import Choices
from ..measures.measure import AnswerMeasure, MeasureOptions
from ..measures.registry import MEASURES, answer_measure, candidates, goes_with_pooled, measure_named
from ..network.geometry import Geometry
from ..network.memory import refuse_too_large
from ..network.network import Network
from ..network.recipe import Recipe
from ..network.stored_stage import ConstructionProgress
from ..numerics.arrays import Array
from ..storage.estimator_checks import check_attributes, check_parameters
from ..storage.expectations import expect, expect_numbers, is_number
from ..storage.fit_identity import parameters_digest
from ..storage.stored_types import stored_attributes, stored_estimator
from .answering import InvariantAnswers
from .building import NetworkBuilder

# Names of the lift that pools over the circle, and of none at all, whatever the samples are.
POOLED, NO_LIFT = "pooled", "none"
# Fitted attributes that are drawn or chosen before the first layer, in the order in which fit sets them.
CHOSEN_ATTRIBUTES = ("lift_", "evidence_", "rank_", "loo_score_", "depth_scores_")


@stored_estimator()
@stored_attributes(
    answers_=AnswerMeasure,
    depth_scores_=(np.ndarray, NoneType),
    membership_=str,
    rank_=(int, NoneType),
    eps_=float,
    sharpness_=float,
    lift_=(Lift, PooledLift, NoneType),
)
class ReduNetClassifier(InvariantAnswers, NetworkBuilder):
    """A lift, a rate reduction network, then the nearest class of its features; evidence chooses what is not given.

    With an ``invariance`` the answer is the same for every circular shift (translation) of a sample, bit for bit: lift
    and network move along with the sample, what is measured per frequency does not depend on the position, and
    every shift is computed from the same representative.

    The evidence comes from the training samples alone: leaving each out of its class says which rank, ε and lift answer
    samples they have not seen, and samples held out say whether layers, and how many, answer them better.

    Parameters
    ----------
    invariance, step_size, tol, momentum, affine, convention, sample_shape, warm_start, verbose
        As in :class:`ReduNet`.
    lift : None, "auto", "pooled", the name of a filter bank, PooledLift, Lift or list of Lift, default=None
        More channels before the network. None is no lift where X has several channels or there is no invariance; one
        channel tells nothing by itself, and gets "pooled" for signals and "auto" for images. Of a list it is the one
        that the evidence is best for; "auto" is a short list for signals or images. "pooled" is a
        :class:`PooledLift` for signals: a vector that is the same at every shift, which "auto" answers by a regression
        on the labels, without layers. Another name, such as "wavelet", is a :class:`Lift` with these filters; "none"
        is no lift, whatever X is.
    n_layers : int or "auto", default="auto"
        Layers at most, or as many as answer held-out samples better than none, beyond chance.
    eps : float or "auto", default="auto"
        Distortion ε; "auto" chooses that of a code or of a regression from 0.01 to 3, and is 0.3 otherwise.
    membership : "auto", "subspace", "code", "softmax", "relu" or "regression", default="auto"
        How layers guess the class of a sample, as in :class:`ReduNet`. With "code" the answer, too, is the class with
        the shortest code, with "regression" the class with the largest prediction; otherwise it is the nearest
        subspace. "auto" takes "subspace" or "code", whichever classifies more of the training samples correctly, each
        left out of its class; "regression" is taken only if it is given.
    sharpness : float or "auto", default=50.0
        λ of the soft membership of layers and of ``predict_proba``; "auto" chooses from 20, 50 and 200.
    rank : int or "auto", default="auto"
        Dimension of the class subspaces (at each frequency, given an invariance), less than the number of channels.
    random_state : int, RandomState or None, default=0
        Of the lift that "auto" makes.

    Attributes
    ----------
    network_, history_, n_layers_, classes_, sample_shape_, n_features_in_
        As in :class:`ReduNet`.
    answers_ : AnswerMeasure
        What the answer is measured by.
    loo_score_ : float
        Accuracy on the training samples, each answered by classes that have not seen it, before any layer.
    evidence_ : Evidence
        The same for every rank (or ε) there was to choose from.
    depth_scores_ : array or None
        Accuracy on held-out samples after 0, 1, … layers; None where no depth was chosen.
    membership_, rank_, eps_, sharpness_
        What was given or chosen; ``rank_`` is None with "code" and "regression", which have no rank.
    lift_ : Lift or None
        Fitted.

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
        affine: bool = True,
        convention: str = "exact",
        sample_shape: tuple[int, ...] | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        verbose: int = 0,
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
        self.sample_shape = sample_shape
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, checkpoint: Any = None) -> Self:
        """Build lift, network and answers.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features), or (n_samples, n_channels, *grid) as the invariance takes it
        y : array-like, shape (n_samples,)
            Labels of any type.
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample counts.
        checkpoint : str, path or Checkpoint, optional
            Folder to keep progress in. After a crash the same call goes on there, and ends with the same bits.
        """
        recipe = self.check_parameters()
        samples, labels, weights, geometry = self._read_training(X, y, sample_weight)
        more = self._adds_layers(samples, labels)
        with self._computing(checkpoint, samples, labels, weights, adds_layers=more) as saved:
            found = None if saved is None or more else saved.choices()
            if found is not None:
                self.lift_ = found[1]["lift_"]
            elif not more:
                self.lift_ = self._fit_lift(samples, labels, weights)
            network = self._entrance(geometry, samples, recipe)
            refuse_too_large(network, len(samples), len(labels.classes), recipe)
            training = TrainingSet(network, samples, labels, weights)
            if more:
                recipe = self._chosen(recipe)
            elif found is not None:
                recipe = self._take_over(*found)
            else:
                recipe = self._choose(recipe, training, samples)
                if saved is not None:
                    self._write_choices(saved, recipe)
            built = self._construct(recipe, training, saved, adds_layers=more)
            self._keep_built(built, training, samples.shape[1:])
            self.answers_ = recipe.answer.of_moments(built.precise_moments(), recipe.measure_options)
            self._warn_of_ties(built.tiles, len(samples))
            self.membership_, self.eps_, self.sharpness_ = recipe.membership, recipe.eps, recipe.sharpness
            self._sharpness = recipe.sharpness
        return self

    def check_parameters(self) -> Recipe:
        """Refuse parameters that no samples could go with; the constants of the construction, else."""
        recipe = self._recipe()
        self._check_rank()
        self._check_lift()
        return recipe

    def report(self, path: str | os.PathLike[str], X: Any = None, y: Any = None) -> None:
        """Write an HTML page about the model: one file, which needs no network connection.

        Parameters
        ----------
        path : str or path
        X : array-like, in the layout of fit, optional
            Samples to show. With an invariance the reader can move them, and the page runs the network itself.
        y : array-like, shape (n_samples,), optional
            Their labels.
        """
        from ..report.model_page import write_model_page

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
        write_model_page(self, Path(path), samples, labels)

    _memberships = ("auto", *MEASURES)

    def _chooses(self, name: str) -> bool:
        """Whether an option is "auto", hence left to the evidence; any other text is refused."""
        value = getattr(self, name)
        if isinstance(value, str) and value != "auto":
            raise InputError("{option} must be a number or 'auto', got {value!r}.", option=Option(name), value=value)
        return isinstance(value, str)

    def _check_lift(self) -> None:
        """Refuse a lift that is none, or that has nothing to lift."""
        if self.lift is None or (isinstance(self.lift, str) and self.lift == NO_LIFT):
            return
        if self.invariance is None:
            raise InputError(
                "{lift} takes signals or images; pass {cyclic}, or {none}.",
                lift=Option("lift"),
                cyclic=Option("invariance", "shift", "translation"),
                none=Option("lift", None),
            )
        if isinstance(self.lift, str):
            check_choice("lift", self.lift, ("auto", NO_LIFT, POOLED, *BANKS))
            return
        lifts = list(self.lift) if isinstance(self.lift, (list, tuple)) else [self.lift]
        one_pooled = isinstance(self.lift, PooledLift)
        if not lifts or not (one_pooled or all(isinstance(lift, Lift) for lift in lifts)):
            raise InputTypeError(
                "{lift} must be None, 'auto', the name of a lift, a redunet.PooledLift, a redunet.Lift, or a list of "
                "redunet.Lift, got {value}.",
                lift=Option("lift"),
                value=repr(self.lift),
            )
        for lift in lifts:
            lift.check_parameters()

    def _given_lift(self, samples: Array) -> Any:
        """The lift that was given; for one channel, which tells nothing by itself, the usual one."""
        if isinstance(self.lift, str) and self.lift == NO_LIFT:
            return None
        if self.lift is not None or self.invariance is None or samples.shape[1] > 1:
            return self.lift
        signals = samples.ndim == 3
        return POOLED if signals and goes_with_pooled(self.membership) else "auto"

    def _candidates(self, samples: Array) -> tuple[str, ...]:
        """Names of the measures to choose from, or of the one that was given."""
        return candidates(self.membership, pooled=self._pools(samples))

    def _pools(self, samples: Array) -> bool:
        """Whether the lift gives features that are pooled over the circle."""
        given = self._given_lift(samples)
        return isinstance(given, PooledLift) or (isinstance(given, str) and given == POOLED)

    def _takes_single_samples(self, samples: Array) -> bool:
        return all(answer_measure(name).takes_single_samples for name in self._candidates(samples))

    def _fit_lift(self, samples: Array, labels: Labels, weights: Array) -> Lift | PooledLift | None:
        """The lift that was given, or that one of several which the evidence is best for; a fitted copy of it."""
        given = self._given_lift(samples)
        if given is None:
            return None
        if isinstance(given, str) and given != "auto":
            given = PooledLift() if given == POOLED else Lift(given, random_state=self.random_state)
        if isinstance(given, (Lift, PooledLift)):
            lift: Lift | PooledLift = clone(given)
            return lift.fit_samples(samples, weights)
        auto = isinstance(given, str)
        lifts = candidate_lifts(samples.shape[2:], self.random_state) if auto else map(clone, given)
        return lift_by_evidence(samples, labels, weights, lifts, self._least_rank(samples))

    def _entrance(self, geometry: Geometry, samples: Array, recipe: Recipe) -> Network:
        """The network without layers: the lift, and the way of samples to the sphere."""
        bank = None if self.lift_ is None else self.lift_.bank_
        if bank is not None:
            geometry = replace(geometry, sample_shape=bank.shape, offset=bank.offset)
            if self._needs_directions(samples):
                refuse_linear_lift(bank, self._least_rank(samples))
        measures = [measure_named(name) for name in self._candidates(samples)]
        free_of_basis = all(measure.free_of_basis for measure in measures)
        network = Network.entrance(geometry, samples, lift=bank, spanned=free_of_basis)
        self._check_channels(network)
        for measure in measures:
            measure.refuse_options(MeasureOptions(recipe.eps), network.space)
        return network

    def _needs_directions(self, samples: Array) -> bool:
        """Whether classes may differ by directions alone."""
        return any(answer_measure(name).needs_directions for name in self._candidates(samples))

    def _least_rank(self, samples: Array) -> int:
        """The rank of class subspaces that was given, or the least of those to choose from."""
        return min(self._given_ranks or (1,)) if self._needs_directions(samples) else 1

    def _choose(self, recipe: Recipe, training: TrainingSet, samples: Array) -> Recipe:
        """Let the evidence fill in what was left to it; keep the evidence."""
        left_open = OpenChoices(
            memberships=self._candidates(samples),
            choices=Choices(self._given_ranks, None if self._chooses("eps") else (recipe.eps,)),
            sharpness=SHARPNESS_CHOICES if self._chooses("sharpness") else (recipe.sharpness,),
            depth=self._chooses("n_layers"),
        )
        if left_open.depth and self._pools(
            samples
        ):  # a layer amplifies what the regression guesses, and costs more than it
            recipe = replace(recipe, n_layers=0)
        chosen = choose(training, recipe, left_open)
        self.evidence_, self.rank_ = chosen.evidence, chosen.rank
        self.loo_score_, self.depth_scores_ = chosen.evidence.best_score, chosen.depth_scores
        return chosen.recipe

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
