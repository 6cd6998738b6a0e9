"""Networks from class moments alone: one pass over the samples, more of them later, from many places, out again."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import NoneType
from typing import Any, Self, TypeVar

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..evidence.gathered_moments import GatheredMoments, gather
from ..evidence.moment_set import MomentSet
from ..inputs.declared_classes import codes_among, joined_classes, places_among, read_classes
from ..inputs.errors import InputError, InputTypeError, Option
from ..inputs.parameters import CONSTRUCTIONS, check_choice, check_whole
from ..network.construct import Construction
from ..network.kernel_map import KernelMap
from ..network.memory import refuse_large_moments
from ..network.network import Network
from ..network.recipe import Recipe
from ..numerics.arrays import Array
from ..storage.expectations import expect
from ..storage.fit_identity import digest_of
from ..storage.stored_types import stored_attributes
from .added_file import MOST_ADDED_FILES, AddedFile
from .building import NetworkBuilder
from .reading import TrainingData
from .sample_gathering import SampleGathering, SampleRemoval

Method = TypeVar("Method", bound=Callable[..., Any])
# Options that decide how samples enter a network. Moments of samples that entered otherwise do not add up.
ENTRANCE_OPTIONS = ("invariance", "lift", "affine", "standardise", "convention", "sample_shape")
# Such options that count where there is a kernel. (Files without one were written before there were kernels.)
KERNEL_OPTIONS = ("kernel", "gamma", "n_landmarks")


def _learns_from_moments(estimator: Any) -> bool:
    """Whether samples can be added later; the error says what to pass otherwise."""
    if estimator.construction != "moments":
        raise AttributeError(
            f"{type(estimator).__name__} keeps no moments with construction={estimator.construction!r}, so that no "
            f"samples can be added to it or taken out; pass construction='moments'."
        )
    return True


def only_with_moments(method: Method) -> Method:
    """A method that an estimator has with ``construction="moments"`` alone."""
    found: Method = available_if(_learns_from_moments)(method)
    return found


@stored_attributes(
    moments_=(GatheredMoments, NoneType),
    added_files_=tuple,
    _seen=(np.ndarray, NoneType),
    _entrance_digest=str,
    _lift_luck=float,
)
class MomentLearner(NetworkBuilder):
    """What an estimator has with ``construction="moments"``: samples can be added, joined and taken out."""

    construction: str
    evidence_samples: int = 0
    # What files mean that were written before there were moments in them: none, and every class has samples.
    moments_: GatheredMoments | None = None
    added_files_: tuple[AddedFile, ...] = ()
    _seen: Array | None = None
    _entrance_digest: str = ""
    _lift_luck: float = 0.0

    @only_with_moments
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add samples to what was learned, with ``construction="moments"``; the estimator can be used after every call.

        Parts in any order give what one call with all samples gives, up to rounding. What is learned from samples
        before moments can be counted is learned in the first call, and stays: the lift, and the constant coordinate
        that ``affine=True`` adds. Pass a fitted lift, or a number for ``affine``, to give them.

        Parameters
        ----------
        X : array-like, in the layout of fit
        y : array-like, shape (n_samples,)
            Labels among the classes that were declared.
        classes : array-like, optional
            All classes that may come, in the first call; by default those of y. More are declared by
            :meth:`add_classes`. A class without samples is never the answer.
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample counts.
        """
        recipe = self.check_parameters()
        if not hasattr(self, "network_"):
            declared = None if classes is None else read_classes(classes)
            return self._first_part(recipe, X, y, sample_weight, declared)
        gathering = self.gather_more()
        if classes is not None and not np.array_equal(read_classes(classes), self.classes_):
            raise InputError(
                "{option} was given in the first call, and these are others; leave it out, or call add_classes.",
                option=Option("classes"),
            )
        gathering.add(X, y, sample_weight).finish()
        return self

    @only_with_moments
    def gather_new(self, X: Any, y: Any, sample_weight: Any = None, *, classes: Any) -> SampleGathering:
        """Forget what was learned before, and gather all samples of a fit in blocks.

        Parameters
        ----------
        X : array-like, in the layout of fit
            A few samples, from which lift and constant coordinate are learned. They are not counted yet.
        y : array-like, shape (n_samples,)
        sample_weight : array-like, shape (n_samples,), optional
        classes : array-like
            All classes that will come.

        Returns
        -------
        SampleGathering
            Takes blocks of samples; its ``finish`` builds the network and the answers.
        """
        recipe = self.check_parameters()
        data, declared = self._read_training(X, y, sample_weight, thin=True), read_classes(classes)
        codes_among(data.labels, declared)
        self._forget_moments()
        with self._fast_and_announced():
            network = self._begin(recipe, data)
        refuse_large_moments(network, len(declared))
        self.network_, self.classes_, self.sample_shape_ = network, declared, data.samples.shape[1:]
        return SampleGathering(self, None, declared)

    @only_with_moments
    def gather_more(self, *, new_classes: bool = False) -> SampleGathering:
        """Gather further samples in blocks, which are counted when the gathering is finished."""
        return SampleGathering(self, self._known_moments(), self.classes_, new_classes=new_classes)

    @only_with_moments
    def gather_out(self) -> SampleRemoval:
        """Gather samples in blocks that are taken out again when the gathering is finished."""
        return SampleRemoval(self, self._known_moments(), self.classes_)

    @only_with_moments
    def add_classes(self, labels: Any) -> Self:
        """Declare classes whose samples will come later; those that are known already stay as they are.

        Parameters
        ----------
        labels : array-like
        """
        check_is_fitted(self)
        classes = joined_classes(self.classes_, read_classes(labels))
        moments = self._known_moments().recoded(places_among(self.classes_, classes), len(classes))
        return self._finish(self.check_parameters(), self._entrance_network, moments, classes)

    @only_with_moments
    def merge(self, *others: Any) -> Self:
        """Join models that were fitted elsewhere: what all their samples together would give, up to rounding.

        Moments are added up, and the samples that were kept for evidence are put together (``evidence_samples=0`` keeps
        none, so that moments alone travel). All models must let samples enter in the same way: pass the same fitted
        lift, or none, and a number for ``affine``.

        Parameters
        ----------
        *others : estimators of the same class, fitted
            This one may be unfitted, and takes over what the first has.
        """
        recipe = self.check_parameters()
        models = [*([self] if hasattr(self, "network_") else []), *others]
        if not models:
            raise InputError("there is nothing to merge; pass at least one fitted model.")
        self._refuse_other_models(models)
        classes = models[0].classes_
        for model in models[1:]:
            classes = joined_classes(classes, model.classes_)
        parts = [
            model._known_moments().recoded(places_among(model.classes_, classes), len(classes)) for model in models
        ]
        total = parts[0]
        for part in parts[1:]:
            total = total.plus(part)
        if models[0] is not self:
            self._take_entrance_of(models[0])
        files = dict.fromkeys(file for model in models for file in model.added_files_)
        self.added_files_ = tuple(files)[-MOST_ADDED_FILES:]
        return self._finish(recipe, models[0]._entrance_network, total, classes)

    @only_with_moments
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take samples out again: what the others alone would give.

        Exact up to rounding, which grows where little is left: of a share s of a class that stays, the moments have a
        relative error of about 1e-16 / s. The lift and the constant coordinate of ``affine=True`` stay as they are.
        Samples that were kept for evidence and are taken out are not replaced by others.

        Parameters
        ----------
        X : array-like, in the layout of fit
            Samples exactly as they were passed before.
        y : array-like, shape (n_samples,)
        sample_weight : array-like, shape (n_samples,), optional
            The weights that they were passed with.
        """
        check_is_fitted(self)
        self.check_parameters()
        self.gather_out().add(X, y, sample_weight).finish()
        return self

    def _check_construction(self) -> None:
        check_choice("construction", self.construction, CONSTRUCTIONS)
        check_whole("evidence_samples", self.evidence_samples, 0)
        if self.construction == "moments" and callable(self.kernel) and not isinstance(self.kernel, KernelMap):
            raise InputError(
                "{option} is a function, and whether moments of further samples add up is told by options that a file "
                "can hold; pass a name, such as {named}, or {samples}.",
                option=Option("kernel"),
                named=Option("kernel", "rbf"),
                samples=Option("construction", "samples"),
            )
        if self.construction == "moments" and isinstance(self.class_weight, str):
            raise InputError(
                "{weight} needs the number of samples of every class before the first is counted, which {moments} "
                "does not wait for; pass a dict of weights by label, or {samples}.",
                weight=Option("class_weight", self.class_weight),
                moments=Option("construction", "moments"),
                samples=Option("construction", "samples"),
            )

    def _fit_from_moments(self, recipe: Recipe, X: Any, y: Any, sample_weight: Any, checkpoint: Any) -> Self:
        """Forget what was learned before, and learn from the moments of these samples."""
        self._refuse_progress(checkpoint)
        return self._first_part(recipe, X, y, sample_weight, None, thin=False)

    def _refuse_progress(self, checkpoint: Any) -> None:
        """There is no progress to keep, and nothing to go on with, where all layers are built at once."""
        for name, given in (("checkpoint", checkpoint is not None), ("warm_start", bool(self.warm_start))):
            if given:
                raise InputError(
                    "{option} is for layers that are built from samples; with {moments} all layers are built at once, "
                    "in a time that does not depend on the number of samples. Leave it out.",
                    option=Option(name),
                    moments=Option("construction", "moments"),
                )

    def _forget_moments(self) -> None:
        """Keep nothing of an earlier fit from moments."""
        self.moments_, self.added_files_, self._seen, self._entrance_digest = None, (), None, ""
        self._lift_luck = 0.0

    def _first_part(
        self, recipe: Recipe, X: Any, y: Any, sample_weight: Any, declared: Array | None, *, thin: bool = True
    ) -> Self:
        """Learn how samples enter, and everything else, from the first samples; ``thin`` allows classes of one."""
        data = self._read_training(X, y, sample_weight, thin=thin)
        classes = data.labels.classes if declared is None else declared
        codes = codes_among(data.labels, classes)
        with self._fast_and_announced():
            network = self._begin(recipe, data)
            refuse_large_moments(network, len(classes))
            gathered = gather(network, data.samples, codes, data.weights, len(classes), int(self.evidence_samples))
        self.sample_shape_, self.added_files_ = data.samples.shape[1:], ()
        return self._finish(recipe, network, gathered, classes)

    def _finish(self, recipe: Recipe, network: Network, gathered: GatheredMoments, classes: Array) -> Self:
        """Choose, build and keep everything that follows from moments."""
        seen = gathered.seen
        training = MomentSet(network, gathered.of_seen_classes(), classes[seen])
        with self._fast_and_announced():
            if len(seen) < 2:  # nothing to tell apart yet
                recipe = replace(recipe, n_layers=0)
            recipe = self._choose_by_moments(recipe, training)
            built = self._construct(recipe, training, None, adds_layers=False)
            self._keep_built(built, training, self.sample_shape_)
            self._keep_answers(recipe, built)
        self.classes_, self.moments_ = classes, gathered
        self._seen = None if len(seen) == len(classes) else seen
        self._entrance_digest = self._digest_of_options()
        return self

    def _begin(self, recipe: Recipe, data: TrainingData) -> Network:
        """The network without layers, from the first samples."""
        network = Network.entrance(data.geometry, data.samples, spanned=False, kernel=data.kernel)
        recipe.measure.refuse_options(recipe.measure_options, network.space)
        return network

    def _choose_by_moments(self, recipe: Recipe, training: MomentSet) -> Recipe:
        """Fill in what is left to the evidence; here nothing is."""
        return recipe

    def _keep_answers(self, recipe: Recipe, built: Construction) -> None:
        """Keep what a classifier answers by."""

    def _take_entrance_of(self, model: Any) -> None:
        """Let samples enter as they enter another model."""
        for name in ("network_", "sample_shape_", "n_features_in_"):
            setattr(self, name, getattr(model, name))
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_

    def enters_like(self, other: Any) -> bool:
        """Whether samples enter another estimator, which is fitted, in the same way; then their moments add up."""
        mine, its = (digest_of({"network": one._entrance_network}, "entrance") for one in (self, other))
        return bool(mine == its and self.sample_shape_ == other.sample_shape_)

    @property
    def _entrance_network(self) -> Network:
        """The network without its layers: how samples enter."""
        return replace(self.network_, layers=())

    def _known_moments(self) -> GatheredMoments:
        """What was gathered so far, if it was, and if further samples would enter as those did."""
        check_is_fitted(self)
        if self.moments_ is None:
            raise InputError(
                "this model was fitted from samples, or trained further, and keeps no moments; fit it with {option} "
                "first.",
                option=Option("construction", "moments"),
            )
        if self._entrance_digest != self._digest_of_options():
            names = ", ".join([*ENTRANCE_OPTIONS, *KERNEL_OPTIONS[:-1]])
            raise InputError(
                f"one of {names} and {KERNEL_OPTIONS[-1]} is not what it was in the first call, so that samples "
                f"would enter the network in another way; set it back, or fit a new estimator."
            )
        return self.moments_

    def _digest_of_options(self) -> str:
        """Digest of the options that decide how samples enter."""
        params = self.get_params(deep=False)
        names = [*ENTRANCE_OPTIONS, *(KERNEL_OPTIONS if self.kernel is not None else ())]
        return digest_of({name: params[name] for name in names if name in params}, "options")

    def _refuse_other_models(self, models: Sequence[Any]) -> None:
        """Refuse to merge what does not add up."""
        for model in models:
            if type(model) is not type(self):
                raise InputTypeError(
                    f"only models of one class can be merged: this is {type(self).__name__}, one of the others "
                    f"{type(model).__name__}."
                )
            model._known_moments()
        first, *others = (model._entrance_network for model in models)
        for model, other in zip(models[1:], others, strict=True):
            if first.geometry != other.geometry and first.geometry.offset != other.geometry.offset:
                raise InputError(
                    "the models cannot be merged: their constant coordinates are {one:.6g} and {other:.6g}, each "
                    "learned from the first samples of its model; fit all of them with the same number, such as "
                    "{option}.",
                    one=first.geometry.offset,
                    other=other.geometry.offset,
                    option=Option("affine", float(f"{first.geometry.offset or 1.0:.3g}")),
                )
            if not model.enters_like(models[0]):
                raise InputError(
                    "the models cannot be merged: samples enter them in different ways. Fit all of them on samples of "
                    "one shape and precision, with the same options, and pass a lift that is fitted already, or "
                    "kernel=other.network_.kernel, if there is one, so that all of them have the same."
                )

    def check_stored(self, file_bytes: int) -> None:
        """Refuse parts that came from a file of this size and do not fit together."""
        super().check_stored(file_bytes)
        for file in self.added_files_:
            expect(isinstance(file, AddedFile), "the added files are of another kind")
            file.check_stored()
        if self.moments_ is not None:
            self.moments_.check_stored(self.network_, self.sample_shape_, len(self.classes_))
            expect(len(self.moments_.seen) == self._n_seen, "the classes of the moments are others")
