"""Lift, network and answer: the classifier."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..evidence.answers import answers_of
from ..evidence.selection import (
    EPS_CHOICES,
    SHARPNESS_CHOICES,
    DepthEvidence,
    Entered,
    candidate_lifts,
    depth_by_evidence,
    evidence_of,
    lift_by_evidence,
    refuse_linear_lift,
)
from ..fast.blas import single_threaded
from ..fast.compile_notice import telling_when_compiling
from ..inputs.errors import InputError, InputTypeError, Option
from ..inputs.labels import Labels
from ..inputs.parameters import MEMBERSHIPS, check_choice
from ..inputs.samples import read_labels, refuse_unknown_labels
from ..lift.lift import Lift
from ..network.construct import Recipe
from ..network.memory import refuse_too_large
from ..network.network import Network
from ..numerics.arrays import Array
from ..storage.checkpoint import Progress, parameters_digest
from .answering import InvariantAnswers
from .building import NetworkBuilder

# Fitted attributes that are drawn or chosen before the first layer, in the order in which fit sets them.
CHOSEN = ("lift_", "evidence_", "rank_", "loo_score_", "depth_scores_")


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
    lift : None, "auto", Lift or list of Lift, default=None
        More channels before the network. Of a list it is the one that the evidence is best for; "auto" is a short list
        for signals or images.
    n_layers : int or "auto", default="auto"
        Layers at most, or as many as answer held-out samples better than none, beyond chance.
    eps : float or "auto", default="auto"
        Distortion ε; "auto" chooses that of a code from 0.01 to 3, and is 0.3 otherwise.
    membership : "auto", "subspace", "code", "softmax" or "relu", default="auto"
        How layers guess the class of a sample, as in :class:`ReduNet`. With "code" the answer, too, is the class with
        the shortest code; otherwise it is the nearest subspace. "auto" takes "subspace" or "code", whichever answers
        more of the training samples rightly, each left out of its class.
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
    answers_ : NearestSubspaces or CodeBooks
        What the answer is measured by.
    loo_score_ : float
        Accuracy on the training samples, each answered by classes that have not seen it, before any layer.
    evidence_ : Evidence
        The same for every rank (or ε) there was to choose from.
    depth_scores_ : array or None
        Accuracy on held-out samples after 0, 1, … layers; None where no depth was chosen.
    membership_, rank_, eps_, sharpness_
        What was given or chosen; ``rank_`` is None with "code".
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
        with (
            single_threaded(),
            telling_when_compiling(),
            self._saved(checkpoint, samples, labels, weights, adds_layers=more) as saved,
        ):
            found = None if saved is None or more else saved.choices()
            if found is not None:
                self.lift_ = found[1]["lift_"]
            elif not more:
                self.lift_ = self._fit_lift(samples, labels, weights)
            bank = None if self.lift_ is None else self.lift_.bank_
            if bank is not None:
                geometry = replace(geometry, sample_shape=bank.shape)
                if self.membership != "code":  # a code sees how much energy is where, a subspace directions alone
                    refuse_linear_lift(bank, self._least_rank)
            self._check_channels(geometry)
            network = Network.entrance(geometry, samples, lift=bank, spanned=self.membership != "relu")
            refuse_too_large(network, len(samples), len(labels.classes), recipe)
            entered = Entered.of(network, samples, labels, weights)
            if more:
                recipe = self._chosen(recipe)
            elif found is not None:
                recipe = self._take_over(*found)
            else:
                recipe = self._choose(recipe, entered)
                if saved is not None:
                    self._write_choices(saved, recipe)
            start = self._stage(recipe, entered) if more else None
            self._build(recipe, entered, samples, labels, saved, start)
            tiles = entered.tiles
            self.answers_ = answers_of(network, tiles.moments(), entered.class_weight, recipe, tiles.largest_class)
            self._warn_of_ties(entered)
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

    _memberships = ("auto", *MEMBERSHIPS)

    def _chooses(self, name: str) -> bool:
        value = getattr(self, name)
        if isinstance(value, str) and value != "auto":
            raise InputError("{option} must be a number or 'auto', got {value!r}.", option=Option(name), value=value)
        return isinstance(value, str)

    def _check_lift(self) -> None:
        if self.lift is None:
            return
        if self.invariance is None:
            raise InputError(
                "{lift} takes signals or images; pass {cyclic}, or {none}.",
                lift=Option("lift"),
                cyclic=Option("invariance", "shift", "translation"),
                none=Option("lift", None),
            )
        if isinstance(self.lift, str):
            check_choice("lift", self.lift, ("auto",))
            return
        lifts = list(self.lift) if isinstance(self.lift, (list, tuple)) else [self.lift]
        if not lifts or not all(isinstance(lift, Lift) for lift in lifts):
            raise InputTypeError(
                "{lift} must be None, 'auto', a redunet.Lift or a list of them, got {value}.",
                lift=Option("lift"),
                value=repr(self.lift),
            )
        for lift in lifts:
            lift.check_parameters()

    def _fit_lift(self, samples: Array, labels: Labels, weights: Array) -> Lift | None:
        if self.lift is None:
            return None
        if isinstance(self.lift, Lift):
            lift: Lift = clone(self.lift)
            return lift.fit_samples(samples, weights)
        auto = isinstance(self.lift, str)
        lifts = candidate_lifts(samples.shape[2:], self.random_state) if auto else map(clone, self.lift)
        # The evidence for lifts is that of class subspaces, whatever layers guess by.
        return lift_by_evidence(samples, labels, weights, lifts, 1 if self.membership == "code" else self._least_rank)

    def _choose(self, recipe: Recipe, entered: Entered) -> Recipe:
        """Let the evidence fill in what was left to it; keep the evidence."""
        eps_choices = EPS_CHOICES if self._chooses("eps") else (recipe.eps,)
        sharpness_choices = SHARPNESS_CHOICES if self._chooses("sharpness") else (recipe.sharpness,)
        either = self.membership == "auto"
        ranks = () if self.membership == "code" else self._ranks(entered)
        by_rank, by_code = evidence_of(entered, ranks, eps_choices if either or self.membership == "code" else ())
        if by_code is not None and (by_rank is None or by_code.best_score > by_rank.best_score):
            self.evidence_, self.rank_ = by_code, None
            recipe = replace(recipe, membership="code", eps=float(by_code.best_choice))
        else:
            assert by_rank is not None
            membership = "subspace" if either else self.membership
            self.evidence_, self.rank_ = by_rank, int(by_rank.best_choice)
            recipe = replace(recipe, membership=membership, rank=self.rank_)
        self.loo_score_ = self.evidence_.best_score
        self.depth_scores_: Array | None = None
        recipes = [replace(recipe, sharpness=sharpness) for sharpness in sharpness_choices]
        if recipe.n_layers and (self._chooses("n_layers") or len(recipes) > 1):
            recipe = self._cut(recipe, depth_by_evidence(entered, recipes))
        return recipe

    def _chosen(self, recipe: Recipe) -> Recipe:
        """What the evidence chose in the fit before."""
        rank = recipe.rank if self.rank_ is None else self.rank_
        return replace(recipe, membership=self.membership_, eps=self.eps_, sharpness=self.sharpness_, rank=rank)

    def _write_choices(self, saved: Progress, recipe: Recipe) -> None:
        """Keep for the next call, should this one be interrupted, what was drawn at random and what was chosen."""
        values = {name: getattr(self, name) for name in CHOSEN}
        if isinstance(self.random_state, np.random.RandomState):
            values["random_state"] = self.random_state
        saved.choose(recipe, values, parameters_digest(self))

    def _take_over(self, recipe: Recipe, values: dict[str, Any]) -> Recipe:
        """Go on with what the interrupted fit drew and chose; its random state is left as that fit left it."""
        for name in CHOSEN:
            setattr(self, name, values[name])
        if "random_state" in values:
            self.random_state.set_state(values["random_state"].get_state())
        return recipe

    def _cut(self, recipe: Recipe, found: DepthEvidence | None) -> Recipe:
        """The recipe that held-out samples were answered best with, cut at its best depth if that was to be chosen."""
        if found is None:  # classes too small to hold anything out: no evidence, no layers
            return replace(recipe, n_layers=0) if self._chooses("n_layers") else recipe
        self.depth_scores_ = found.scores
        n_layers = found.depth if self._chooses("n_layers") else recipe.n_layers
        return replace(found.recipe, n_layers=n_layers)
