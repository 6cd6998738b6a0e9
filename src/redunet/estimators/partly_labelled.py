"""Fits to samples of which some have no label: whether these join in, and as what."""

from types import NoneType
from typing import Any

import numpy as np

from ..evidence.transduction import Asked, PartlyLabelledSet, UnlabelledEvidence
from ..inputs.class_weights import weights_of_classes
from ..inputs.errors import InputError, Option, ThinClassError
from ..inputs.labels import Labels
from ..inputs.samples import read_labels, read_weights, refuse_zero_samples
from ..inputs.unequal_lengths import lengths_of
from ..inputs.unlabelled_marker import OPTION, check_marker, labels_at, marked_rows, refuse_no_labels
from ..network.standardiser import Standardiser
from ..numerics.arrays import Array
from ..numerics.orbit import representative
from ..storage.expectations import expect, expect_numbers
from ..storage.stored_types import stored_attributes
from .block_learning import BlockLearner
from .reading import LiftedSamples, TrainingData, UnlabelledPart


@stored_attributes(
    transduction_=(np.ndarray, NoneType),
    uses_unlabelled_=bool,
    unlabelled_losses_=(np.ndarray, NoneType),
)
class PartlyLabelledReader(BlockLearner):
    """What an estimator has whose training samples may lack labels."""

    # What estimators have that were pickled, or files mean that were written, before there was this option.
    unlabelled: Any = None
    transduction_: Array | None = None
    uses_unlabelled_: bool = False
    unlabelled_losses_: Array | None = None
    loo_score_: float

    def _check_unlabelled(self) -> None:
        """Refuse a marker that is none, and options that it does not go with."""
        check_marker(self.unlabelled)
        if self.unlabelled is None:
            return
        refused = {
            "construction": (self.construction == "moments", "all samples at hand, and moments are gathered in parts"),
            "kernel": (self.kernel is not None, "features whose landmarks do not change"),
            "warm_start": (bool(self.warm_start), "its rounds from the start"),
        }
        for name, (given, need) in refused.items():
            if given:
                raise InputError(
                    "{option} needs {need}, and does not go with {other}; leave one of them out.",
                    option=OPTION,
                    need=need,
                    other=Option(name, getattr(self, name)),
                )

    def fit_blocks(self, blocks: Any, classes: Any = None, checkpoint: Any = None) -> Any:
        """As :meth:`BlockLearner.fit_blocks`; unlabelled samples are refused."""
        if self.unlabelled is not None:
            raise InputError(
                "{option} needs all samples at hand, and blocks are read one after the other; leave it out, or fit to "
                "arrays in memory.",
                option=OPTION,
            )
        return super().fit_blocks(blocks, classes, checkpoint)

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, groups: Any = None, *, thin: bool = False
    ) -> TrainingData:
        """As :meth:`LabelledSampleReader._read_training`; unlabelled samples join in where that helps."""
        self.transduction_, self.uses_unlabelled_, self.unlabelled_losses_ = None, False, None
        marked = np.zeros(0, dtype=bool) if self.unlabelled is None or y is None else marked_rows(y, self.unlabelled)
        if not marked.any():
            data = super()._read_training(X, y, sample_weight, groups, thin=thin)
            if self.unlabelled is None:
                return data
            nothing = np.zeros(len(data.samples), dtype=bool)
            return data._replace(unlabelled=UnlabelledPart(nothing, data.samples[:0], data.labels.codes))
        refuse_no_labels(marked, self.unlabelled)
        if groups is not None:
            raise InputError(
                "{option} does not go with {groups}: unlabelled samples of a group would stay when the group is left "
                "out; pass one of them.",
                option=OPTION,
                groups=Option("groups"),
            )
        samples = self._read_samples(X)
        if len(marked) != len(samples):
            read_labels(np.where(marked, 0, 1), len(samples))  # says how many labels are missing or too many
        labels = read_labels(labels_at(y, ~marked), int((~marked).sum()))
        weights = read_weights(sample_weight, len(samples))
        if not self._adds_constant:
            refuse_zero_samples(samples, self.invariance)
        return self._partly_labelled(samples, marked, labels, weights)

    def _partly_labelled(self, samples: Array, marked: Array, labels: Labels, weights: Array) -> TrainingData:
        """The labelled samples alone, or all of them where the labelled ones are answered better then."""
        part = UnlabelledPart(marked, samples[marked], labels.codes)
        must_join = False
        try:
            plain = self._training_data(samples[~marked], labels, weights[~marked], None, thin=False)
        except ThinClassError:  # a class of one sample has something in common with unlabelled ones
            plain = self._training_data(samples[~marked], labels, weights[~marked], None, thin=True)
            must_join = True
        counted = weights[marked] > 0
        if not counted.any():
            return plain._replace(unlabelled=part)
        kept = self.random_state.get_state() if isinstance(self.random_state, np.random.RandomState) else None
        self.uses_unlabelled_ = True  # until they are refused: filters are chosen, and samples answered, accordingly
        with self._fast_and_announced():
            own = weights[~marked][weights[~marked] > 0]
            joined, evidence = self._joined(plain, own, part.samples[counted], weights[marked][counted], must_join)
        if not (evidence.helps or must_join):
            self._say("left-out labelled samples are not answered better with the unlabelled ones, which stay out")
            self.uses_unlabelled_ = False
            if kept is not None:
                self.random_state.set_state(kept)
            return plain._replace(unlabelled=part)
        self._say(f"{counted.sum()} unlabelled samples join in")
        return joined._replace(unlabelled=part._replace(left_out_score=evidence.score))

    def _joined(
        self, plain: TrainingData, own_weights: Array, samples: Array, weights: Array, must_join: bool
    ) -> tuple[TrainingData, UnlabelledEvidence]:
        """Labelled and unlabelled samples together, each in its most probable class; and what left-out ones say.

        ``own_weights`` are those of the labelled samples without the weights of their classes.
        """
        recipe, plan = self._recipe(), self._plan(samples)
        if self.invariance is not None and not plan.pads and lengths_of(samples) is None:
            samples = representative(samples)  # filters are learned from them, whose bits may not depend on shifts
        classes = plain.labels.classes
        every, weight = np.concatenate([plain.samples, samples]), np.concatenate([own_weights, weights])
        codes = np.concatenate([plain.labels.codes, np.full(len(samples), -1)])
        witnesses = codes >= 0
        data = plain._replace(
            samples=every,
            labels=Labels.of(classes, np.maximum(codes, 0)),
            weights=weight,
            witnesses=witnesses,
        )
        if plain.scaler is not None and not isinstance(self.standardise, Standardiser):
            data = data._replace(scaler=Standardiser.of(every, weight))
        data = data._replace(geometry=self._geometry_of(data))
        self._say(f"{len(samples)} unlabelled samples: filters, neighbours, and classes in rounds")
        vectors, luck = self._fit_lift(data, plan)
        data = data._replace(lifted=LiftedSamples(self.lift_, vectors, luck))
        network = self._entrance(data, recipe, plan, vectors)
        in_order = Labels.of(classes[:1], np.zeros(len(every), dtype=int))
        V = network.training_tiles(every, in_order, weight, vectors, len(classes)).blocks(0, len(every))
        asked = Asked(recipe, self._candidates(plan)[0], self._open_choices(recipe, plan))
        found = PartlyLabelledSet(network, V, codes, weight, asked)
        evidence = found.evidence()
        self.unlabelled_losses_ = np.array(evidence.losses)
        if not (evidence.helps or must_join):
            return data, evidence
        memberships = found.memberships()
        weight = weight * memberships.sureness
        counted = np.flatnonzero(weight > 0)
        labels = Labels.of(classes, memberships.codes[counted])
        weight = weight[counted] * weights_of_classes(self.class_weight, labels, weight[counted])[labels.codes]
        lifted = LiftedSamples(self.lift_, None if vectors is None else vectors[counted], luck)
        data = data._replace(samples=every[counted], labels=labels, weights=weight, lifted=lifted)
        return data._replace(witnesses=witnesses[counted]), evidence

    def _keep_transduction(self, data: TrainingData) -> None:
        """Set the label of every training sample: the one that was given, or the answer; and an honest score.

        Leaving one labelled sample out of its class says too much where unlabelled ones were counted there because of
        it. What the folds say is of samples whose labels had no part in anything.
        """
        part = data.unlabelled
        if part is None:
            return
        if self.uses_unlabelled_:
            self.loo_score_ = part.left_out_score
        codes = np.empty(len(part.marked), dtype=int)
        codes[~part.marked] = part.codes
        if len(part.samples):
            codes[part.marked] = self._finite_distances(part.samples).argmin(axis=1)
        self.transduction_ = self.classes_[codes]

    def check_stored(self, file_bytes: int) -> None:
        """Refuse parts that came from a file of this size and do not fit together."""
        super().check_stored(file_bytes)
        if self.transduction_ is not None:
            known = set(self.classes_.tolist())
            fits = self.transduction_.ndim == 1 and all(label in known for label in self.transduction_.tolist())
            expect(fits, "transduction_ has labels of no class")
        if self.unlabelled_losses_ is not None:
            losses = self.unlabelled_losses_
            expect(losses.shape == (2,) and losses.dtype == np.float64, "unlabelled_losses_ are no two numbers")
            expect_numbers(np.where(np.isnan(losses), 0.0, losses), (2,), "unlabelled_losses_")
