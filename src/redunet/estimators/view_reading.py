"""Samples without labels: each is a class of its own, with its views."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..inputs.errors import Data, InputError, Option
from ..inputs.labels import Labels
from ..inputs.sample_views import USUAL_VIEWS, check_views, refuse_zero_views, sample_views
from ..inputs.samples import distinct_rows, read_weights, refuse_zero_samples
from ..network.network import Network
from ..network.recipe import Recipe
from ..numerics.orbit import representative
from .reading import LabelledSampleReader, TrainingData

# Multiplications that a layer may take, in all: some minutes of one core.
MOST_OPERATIONS = 2e12


class ViewReader(LabelledSampleReader):
    """What an estimator does with X that can be fitted without labels."""

    # What estimators have that were pickled before there were these options.
    augment: Any = None
    n_views: int | None = None
    construction: str

    def _check_views(self) -> None:
        """Refuse options of views that no samples could go with."""
        check_views(self.augment, self.n_views)
        if self.augment is not None and self.construction == "moments":
            raise InputError(
                "{option} makes classes of samples without labels, and {moments} takes labels; pass {samples}.",
                option=Option("augment"),
                moments=Option("construction", "moments"),
                samples=Option("construction", "samples"),
            )

    def _refuse_views_of_labelled(self) -> None:
        """With labels classes are given, and nothing would be made of views."""
        if self.augment is not None:
            raise InputError(
                "{option} makes a class of each sample without a label, but {labels} was passed; call fit without "
                "{labels}, or pass {off}.",
                option=Option("augment"),
                labels=Data("y"),
                off=Option("augment", None),
            )

    def _refuse_unlabelled_options(self) -> None:
        """Refuse options that need labels, where there are none."""
        if self.construction == "moments":
            raise InputError(
                "this requires y to be passed, but the target y is None: {moments} adds up the moments of labelled "
                "classes. Pass one label per sample, or {samples}, for which each sample can be a class of its own.",
                moments=Option("construction", "moments"),
                samples=Option("construction", "samples"),
            )
        if self.class_weight is not None:
            raise InputError(
                "{option} weighs classes by their labels, and there are none; pass {labels}, or weights of samples "
                "({weight}) instead.",
                option=Option("class_weight"),
                labels=Data("y"),
                weight=Option("sample_weight"),
            )

    def _read_views(self, X: Any, sample_weight: Any) -> TrainingData:
        """Samples that differ (by more than a shift), each followed by its views, which are a class together.

        Neither the order of samples nor where each is shifted to changes the order here, so that views are drawn
        alike; a sample that is there twice is one of twice the weight.
        """
        samples = self._read_samples(X)
        weights = read_weights(sample_weight, len(samples))
        if not self._adds_constant:
            refuse_zero_samples(samples, self.invariance)
        rows, weights = distinct_rows(representative(samples), weights)
        self._refuse_single_sample(len(samples), len(rows))
        views = samples[rows][:, None]
        if self.augment is not None:
            n_views = USUAL_VIEWS if self.n_views is None else int(self.n_views)
            random = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
            views = sample_views(self.augment, samples[rows], n_views, random)
            if not self._adds_constant:
                refuse_zero_views(views)
        k, n = views.shape[:2]
        together, weights = views.reshape(k * n, *samples.shape[1:]), np.repeat(weights, n)
        labels = Labels.of(np.arange(k), np.repeat(np.arange(k), n))
        geometry = self._geometry_of_samples(together, weights, None)
        return self._with_entrance(TrainingData(together, labels, weights, geometry))

    def _refuse_single_sample(self, n_samples: int, n_distinct: int) -> None:
        """Each sample is a class, and there is something to tell apart from two on."""
        if n_distinct > 1:
            return
        up_to = "" if self.invariance is None else " up to shifts"
        same = "has 1 sample" if n_samples == 1 else f"has {n_samples} samples that are all the same{up_to}"
        raise InputError(
            "{data} {same}; without {labels} each sample is a class of its own, and there must be at least 2 that "
            "differ. Add samples.",
            data=Data("X"),
            same=same,
            labels=Data("y"),
        )

    @staticmethod
    def _refuse_many_classes(network: Network, n_samples: int, n_classes: int, recipe: Recipe) -> None:
        """Every sample meets the operators of every class: what would take hours is refused."""
        n_freqs, n_channels = network.block_shape
        n_operations = float(n_samples) * n_classes * n_freqs * n_channels**2 * (4 if network.geometry.grid else 1)
        if recipe.n_layers and n_operations > MOST_OPERATIONS:
            fewer = max(2, int(n_classes * (MOST_OPERATIONS / n_operations) ** 0.5))
            raise InputError(
                "without {labels} each of the {k} different samples of {data} is a class, and a layer would take "
                "{operations:.0e} multiplications ({most:.0e} at most); fit on about {fewer} samples, such as "
                "X[:{fewer}], and transform all, or pass samples of fewer channels.",
                labels=Data("y"),
                k=n_classes,
                data=Data("X"),
                operations=n_operations,
                most=MOST_OPERATIONS,
                fewer=fewer,
            )
