"""Clusters of the shortest code: samples without labels."""

import math
from collections.abc import Iterator
from dataclasses import replace
from types import NoneType
from typing import Any, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils import check_random_state

from ..clustering.coding_length import ClusterCodes, CodingRule, check_stored_length, segment_lengths
from ..clustering.distinct_samples import DistinctSamples
from ..clustering.merge_tree import merge_tree
from ..clustering.noise_floor import FIRST_SHARE, SAME_FACTOR, noise_share
from ..clustering.reassignment import Segmentation, reassign
from ..clustering.reduced_space import ReducedSpace
from ..clustering.segment_moments import SegmentMoments
from ..clustering.segmentation import shortest_segmentation
from ..evidence.training_set import TrainingSet
from ..fast.compile_notice import announced_compilation
from ..inputs.errors import Data, InputError, Option
from ..inputs.labels import Labels
from ..inputs.parameters import check_choice, check_eps, check_flag, check_shape, check_standardise, check_whole
from ..inputs.samples import read_training_samples, read_weights, refuse_zero_samples
from ..inputs.unequal_lengths import lengths_of
from ..lift.lift import Lift
from ..lift.peak_lift import PeakLift
from ..lift.pooled_lift import PooledLift
from ..lift.ring_lift import RingLift
from ..network.construct import construct
from ..network.geometry import Geometry
from ..network.kernel_map import KernelMap, usual_gamma
from ..network.network import Network
from ..network.recipe import Recipe
from ..network.standardiser import Standardiser
from ..numerics.arrays import Array
from ..numerics.membership import soft_membership
from ..numerics.orbit import representative
from ..numerics.spectrum import multiplicities
from ..storage.estimator_checks import check_attributes, check_parameters
from ..storage.expectations import expect, expect_numbers, is_number
from ..storage.model_file_error import ModelFileError
from ..storage.stored_types import stored_attributes, stored_estimator
from .building import USUAL_EPS, USUAL_SHARPNESS
from .lift_plan import check_lift, plan_lifts
from .reading import SampleReader

# The constant coordinate of vectors, over the typical distance of samples from their mean: the longer it is, the less
# the sphere bends what lies flat.
CONSTANT_OVER_DISTANCE = 30.0
# Samples that the directions of the reduced space are found from, at most.
SAMPLES_FOR_DIRECTIONS = 4000
# Directions at most: of plain samples, and, for lifted ones and those with more features than samples, over √n_samples.
MOST_DIRECTIONS, DIRECTIONS_OVER_ROOT = 64, 0.5
# What samples on the unit sphere differ by, squared, is rounding below this.
ROUNDING_ENERGY = 1e-24
# Searches for clusters while the error up to which samples are coded is found.
MOST_SEARCHES = 3
# Networks that are built from clusters, one after the other, at most; and when one is deep enough.
MOST_ALTERNATIONS, TOLERANCE = 5, 1e-4


@stored_estimator()
@stored_attributes(
    labels_=np.ndarray,
    n_clusters_=int,
    coding_length_=float,
    children_=np.ndarray,
    distances_=np.ndarray,
    eps_=float,
    lift_=(Lift, RingLift, PooledLift, PeakLift, NoneType),
    space_=ReducedSpace,
    codes_=ClusterCodes,
)
class RateReductionClustering(ClusterMixin, SampleReader):  # type: ignore[misc]
    """Clusters that give samples the shortest code: as many as it takes, and each with directions of its own.

    Each cluster is coded apart: its mean, the directions that it extends along, and its samples up to an error; and
    then which samples are in it (Ma, Derksen, Hong and Wright, 2007). Few clusters need long codes for samples, many
    clusters need many directions and names, so that the whole code says how many clusters there are. Clusters may lie
    across each other and be flat or long, as subspaces are.

    Small groups of near samples are joined where that makes the code shorter, samples change to the cluster that codes
    them shortest until nothing moves, and clusters are split and joined as long as the code gets shorter.

    With an ``invariance`` all circular shifts (translations) of a sample belong to its cluster, and the clusters are
    the same, bit for bit, wherever each sample is shifted to. The order of samples has no influence, nor has it
    whether all samples are there twice.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        How many clusters; "auto" takes as many as give the shortest code.
    eps : float or "auto", default="auto"
        Error ε up to which samples are coded, over their typical distance from their mean. "auto" takes what the
        samples of clusters vary by where the cluster has no direction of its own, between 0.02 and 0.32.
    invariance : None, "shift" or "translation", default=None
        None for plain vectors; "shift" over the last axis; "translation" over the last two (of volumes: three).
    lift : None, "auto", "pooled", "rings", the name of a filter bank, or a lift, default=None
        More channels, as in :class:`ReduNetClassifier`. None is no lift where X has several channels or there is no
        invariance; one channel tells nothing by itself, and gets "auto": for signals a :class:`PooledLift`, for images
        patches of them as filters; large images of several channels are pooled. "rings" is a :class:`PeakLift`. "none"
        is no lift, whatever X is.
    n_components : int or "auto", default="auto"
        Principal directions that samples are coded along at most, at each frequency. "auto" takes those that hold
        99.9 % of the energy, 64 at most, and no more than √n_samples / 2 of lifted samples, of those of a kernel and of
        vectors with more features than there are samples.
    affine : bool, default=True
        Whether a cluster has a mean of its own, which is coded, too. Without it clusters are subspaces through the
        origin, of samples on the unit sphere. A number is the constant coordinate that plain vectors get, as in
        :class:`ReduNet`.
    standardise : bool, default=False
        For plain vectors: bring each feature to mean 0 and standard deviation 1 first.
    sample_shape : tuple of int, optional
        Layout of one sample when X is flat.
    random_state : int, RandomState or None, default=0
        Of the lift, and of the first grouping of more than 3000 samples.
    n_jobs : int or None, default=None
        Threads at most, as in :class:`ReduNet`.
    kernel : None, "linear", "rbf", "poly", "cosine", callable or KernelMap, default=None
        For plain vectors: clusters among the features of a kernel, as in :class:`ReduNet`, which may bend around each
        other.
    gamma : float or "auto", default="auto"
        γ of "rbf" and "poly". "auto" is 1 over the median squared distance of samples ("rbf"), or over their mean
        squared length ("poly").
    n_landmarks : int, default=1000
        Samples, at most, that span the features of a kernel, as in :class:`ReduNet`.
    n_layers : int, default=0
        Layers of a network that raises ΔR of the clusters found, at most. Clusters are then looked for among its
        features, too, and taken where they give the samples themselves a shorter code; this is repeated while they do,
        five times at most. It is for trying: clusters hardly ever change, since a network amplifies what it is given.

    Attributes
    ----------
    labels_ : int array, shape (n_samples,)
        Cluster of each sample; cluster 0 has the most samples, and so on.
    n_clusters_ : int
        Number of clusters.
    coding_length_ : float
        Length of the whole code in nats, for as many samples as are different.
    children_ : int array, shape (n_clusters_ − 1, 2)
        Which clusters would be joined, one pair after the other: join i makes node ``n_clusters_ + i`` of these two
        nodes.
    distances_ : float array, shape (n_clusters_ − 1,)
        Nats by which the code would grow with each of these joins.
    eps_ : float
        What was given or found.
    lift_ : Lift, PooledLift, PeakLift or None
        Fitted.
    network_ : Network
        The way of samples to the sphere, without layers.
    space_ : ReducedSpace
        The directions that samples are coded along.
    codes_ : ClusterCodes
        What a sample is coded by in each cluster.
    sample_shape_, n_features_in_
        As in :class:`ReduNet`.

    Examples
    --------
    >>> import numpy as np
    >>> from redunet import RateReductionClustering
    >>> rng = np.random.default_rng(0)
    >>> line, plane = rng.normal(size=(60, 1, 1)), rng.normal(size=(60, 1, 2))
    >>> X = np.concatenate([line @ rng.normal(size=(1, 9)), 4 + plane @ rng.normal(size=(2, 9))])[:, 0]
    >>> model = RateReductionClustering().fit(X + 0.02 * rng.normal(size=X.shape))
    >>> model.n_clusters_
    2
    """

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        eps: float | str = "auto",
        invariance: str | None = None,
        lift: Any = None,
        n_components: int | str = "auto",
        affine: bool | float = True,
        standardise: bool = False,
        sample_shape: tuple[int, ...] | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        kernel: Any = None,
        gamma: float | str = "auto",
        n_landmarks: int = 1000,
        n_layers: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.eps = eps
        self.invariance = invariance
        self.lift = lift
        self.n_components = n_components
        self.affine = affine
        self.standardise = standardise
        self.sample_shape = sample_shape
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.kernel = kernel
        self.gamma = gamma
        self.n_landmarks = n_landmarks
        self.n_layers = n_layers

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find clusters.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features), or (n_samples, n_channels, *grid) as the invariance takes it
        y : None
            Not used.
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample counts.
        """
        self.check_parameters()
        samples = read_training_samples(self, X, self.invariance, check_shape("sample_shape", self.sample_shape))
        self._refuse_samples(samples)
        weights = read_weights(sample_weight, len(samples))
        counted = np.flatnonzero(weights)
        random = check_random_state(self.random_state)
        with self._threads(), announced_compilation():
            every = representative(samples)
            distinct = DistinctSamples.of(every[counted], weights[counted])
            self._refuse_few(len(samples), len(distinct.rows))
            different = every[counted][distinct.rows]
            network = self._entrance(different, distinct.weights, CONSTANT_OVER_DISTANCE)
            space = self._reduced(network, different, distinct.weights)
            V = self._coordinates(network, space, different)
            seed = int(random.randint(2**31 - 1))
            share, rule, found = self._search(network, space, V, distinct.weights, seed)
            if self.n_layers:
                found = self._alternated(network, different, V, distinct.weights, rule, found, seed)
            labels, moments = _named_by_size(V, distinct.weights, found, rule)
            codes = ClusterCodes.of(moments, rule)
            self.labels_ = np.zeros(len(samples), dtype=np.int64)
            self.labels_[counted] = labels[distinct.inverse]
            left_out = np.flatnonzero(weights == 0)
            if len(left_out):
                self.labels_[left_out] = codes.lengths(self._coordinates(network, space, every[left_out])).argmin(
                    axis=1
                )
            tree = merge_tree(moments, rule)
        self.network_, self.space_, self.codes_ = network, space, codes
        self.sample_shape_ = samples.shape[1:]
        self.n_clusters_ = len(moments.weight)
        self.coding_length_ = float(segment_lengths(moments, rule).sum())
        self.children_, self.distances_ = tree.children, tree.added_lengths
        self.eps_ = math.sqrt(share)
        return self

    def check_parameters(self) -> None:
        """Refuse parameters that no samples could go with."""
        self._check_layout()
        for name, least in (("n_clusters", 1), ("n_components", 1)):
            if isinstance(getattr(self, name), str):
                check_choice(name, getattr(self, name), ("auto",))
            else:
                check_whole(name, getattr(self, name), least)
        if isinstance(self.eps, str):
            check_choice("eps", self.eps, ("auto",))
        else:
            check_eps(self.eps)
        check_whole("n_layers", self.n_layers, 0)
        check_flag("standardise", self.standardise)
        check_standardise(self.standardise, self.invariance)
        if isinstance(self.lift, (list, tuple)):
            raise InputError(
                "{lift} is a list, and without labels nothing says which of them is best; pass one lift.",
                lift=Option("lift"),
            )
        check_lift(self.lift, self.invariance)

    def _refuse_samples(self, samples: Array) -> None:
        """Refuse signals of unequal lengths, and samples of zeros alone where these have no place."""
        if self.invariance == "shift" and lengths_of(samples) is not None:
            raise InputError(
                "{data} holds signals of unequal lengths; cut or resample them to one length.", data=Data("X")
            )
        if not self._adds_constant:
            refuse_zero_samples(samples, self.invariance)

    def _refuse_few(self, n_samples: int, n_distinct: int) -> None:
        """Refuse samples that are all the same, and more clusters than there are different samples."""
        up_to = "" if self.invariance is None else " (up to shifts)"
        if n_samples == 1:
            raise InputError("{data} has 1 sample; clusters need at least 2 that are different.", data=Data("X"))
        if n_distinct == 1:
            raise InputError(
                "all {n} samples of {data} are the same{up_to}, so that there is nothing to tell apart; pass samples "
                "that differ.",
                n=n_samples,
                data=Data("X"),
                up_to=up_to,
            )
        if not isinstance(self.n_clusters, str) and self.n_clusters > n_distinct:
            raise InputError(
                "{asked} but {data} has {n} different samples{up_to} of {n_samples}, and a cluster needs one; pass "
                "{option} <= {n}.",
                asked=Option("n_clusters", self.n_clusters),
                data=Data("X"),
                n=n_distinct,
                up_to=up_to,
                n_samples=n_samples,
                option=Option("n_clusters"),
            )

    def _refuse_same_features(self, network: Network) -> None:
        """Samples that differ may have the same features, and then nothing tells them apart."""
        remedy = "samples that differ by more than rounding errors"
        if network.kernel is not None:
            remedy = "another {option}" + (", or a larger {gamma}" if network.kernel.has_scale else "")
        elif network.lift is not None:
            remedy = "another {lift}"
        raise InputError(
            "all samples of {data} have the same features, so that there is nothing to tell apart; pass "
            + remedy
            + ".",
            data=Data("X"),
            option=Option("kernel"),
            gamma=Option("gamma"),
            lift=Option("lift"),
        )

    def _entrance(self, samples: Array, weights: Array, constant_over_distance: float) -> Network:
        """The way of samples to the sphere: the lift, or a scale and a kernel for plain vectors."""
        if self.kernel is not None:
            return self._entrance_of_kernel(samples, weights, constant_over_distance)
        plan = plan_lifts(self.lift, samples, self.invariance, "auto", self.random_state)
        self.lift_ = plan.pooled or (plan.filters[0] if plan.filters else None)
        scaler = None
        if self._adds_constant:
            scaler = Standardiser.of(samples, weights)
            if not self.standardise:
                scaler = Standardiser(scaler.mean, np.ones_like(scaler.scale))
        elif self.standardise:
            scaler = Standardiser.of(samples, weights)
        geometry = self._with_constant(self._geometry_of_samples(samples, weights, scaler), constant_over_distance)
        bank = None
        if self.lift_ is not None:
            bank = self.lift_.fit_samples(samples, weights).bank_
            geometry = replace(geometry, sample_shape=bank.shape, offset=bank.offset)
        return Network.entrance(geometry, samples, lift=bank, scaler=scaler)

    def _entrance_of_kernel(self, samples: Array, weights: Array, constant_over_distance: float) -> Network:
        """The way of plain vectors to the sphere of the features of a kernel."""
        self.lift_ = None
        scaler = Standardiser.of(samples, weights) if self.standardise else None
        kernel = self._kernel_of(samples, scaler, lambda landmarks: usual_gamma(self.kernel, landmarks))
        assert kernel is not None
        geometry = self._geometry_of_kernel(kernel, samples if scaler is None else scaler(samples), weights)
        geometry = self._with_constant(geometry, constant_over_distance)
        return Network.entrance(geometry, samples, scaler=scaler, kernel=kernel)

    def _with_constant(self, geometry: Geometry, constant_over_distance: float) -> Geometry:
        """The same with a constant coordinate so many times as long, unless its length was given."""
        if not self._learns_constant or geometry.offset is None:
            return geometry
        return replace(geometry, offset=constant_over_distance * geometry.offset)

    def _reduced(self, network: Network, samples: Array, weights: Array) -> ReducedSpace:
        """The directions that samples are coded along."""
        m = len(samples)
        some = np.arange(min(m, SAMPLES_FOR_DIRECTIONS)) * m // min(m, SAMPLES_FOR_DIRECTIONS)
        few = samples[some]

        def blocks() -> Iterator[tuple[Array, Array]]:
            for rows, V in network.invariant_blocks(few):
                yield V, weights[some[rows]]

        # Those of a kernel are as many as there are samples, unless the kernel is one of the features themselves.
        many_features = network.kernel is not None and network.kernel.n_coordinates > network.kernel.n_features
        if not isinstance(self.n_components, str):
            most = int(self.n_components)
        elif network.lift is None and network.span is None and network.n_coordinates <= m and not many_features:
            most = MOST_DIRECTIONS
        else:
            most = max(2, round(DIRECTIONS_OVER_ROOT * math.sqrt(m)))
        return ReducedSpace.of(blocks, multiplicities(network.geometry.grid), bool(self.affine), most)

    @staticmethod
    def _coordinates(network: Network, space: ReducedSpace, samples: Array) -> Array:
        """Coordinates of samples along the directions; shape (n_freqs, n_directions, n_samples)."""
        P, _, r = space.basis.shape
        V = np.empty((P, r, len(samples)), dtype=space.basis.dtype)
        for rows, block in network.invariant_blocks(samples):
            V[:, :, rows] = space.coordinates(block)
        return V

    def _search(
        self, network: Network, space: ReducedSpace, V: Array, weights: Array, seed: int
    ) -> tuple[float, CodingRule, Segmentation]:
        """Clusters, and the share of the variance up to which samples are coded."""
        affine, counts = bool(self.affine), multiplicities(network.geometry.grid)
        n_clusters = None if isinstance(self.n_clusters, str) else int(self.n_clusters)
        energy = counts @ ((np.abs(V) ** 2).sum(axis=1) @ weights) / weights.sum()
        if not energy > ROUNDING_ENERGY:
            self._refuse_same_features(network)
        mean_variance = float(energy / (counts @ space.dimensions))
        # Where samples are near each other: signals at any place are compared by the magnitudes of their spectrum.
        scaled = np.sqrt(counts)[:, None, None] * (np.abs(V) if network.geometry.grid else V)
        points = np.ascontiguousarray(scaled.reshape(-1, V.shape[2]).T.real)
        dimensions = space.dimensions.astype(np.float64)

        def search(share: float) -> tuple[CodingRule, Segmentation]:
            rule = CodingRule(share * mean_variance, dimensions, counts, affine, float(weights.sum()))
            return rule, shortest_segmentation(V, weights, rule, n_clusters, points, seed)

        if not isinstance(self.eps, str):
            share = check_eps(self.eps) ** 2
            return share, *search(share)
        share = FIRST_SHARE
        rule, found = search(share)
        for _ in range(MOST_SEARCHES - 1):
            floor = noise_share(found.moments, space.dimensions, counts, affine, mean_variance)
            if max(floor / share, share / floor) < SAME_FACTOR:
                break
            share = floor
            rule, found = search(share)
        return share, rule, found

    def _alternated(
        self,
        network: Network,
        samples: Array,
        V: Array,
        weights: Array,
        rule: CodingRule,
        found: Segmentation,
        seed: int,
    ) -> Segmentation:
        """Clusters of a shorter code, if any are found among the features of networks that are built from clusters.

        Codes of different features say nothing about each other, as features that lie closer together have a shorter
        one. So it is the code of the samples at the entrance that decides.
        """
        # Layers see nothing of samples that a long constant coordinate makes all alike.
        entrance = network if network.lift is not None else self._entrance(samples, weights, 1.0)
        for _ in range(MOST_ALTERNATIONS):
            if found.n_clusters < 2:
                break
            deeper = self._with_layers(entrance, samples, weights, found)
            space = self._reduced(deeper, samples, weights)
            _, _, among_features = self._search(deeper, space, self._coordinates(deeper, space, samples), weights, seed)
            start = Segmentation.of(V, weights, among_features.labels, rule)
            tried = reassign(V, weights, start, rule, keep_number=not isinstance(self.n_clusters, str))
            if tried.length >= found.length:
                break
            found = tried
        return found

    def _with_layers(self, entrance: Network, samples: Array, weights: Array, found: Segmentation) -> Network:
        """A network whose layers raise ΔR of the clusters."""
        labels = Labels.of(np.arange(found.n_clusters), found.labels)
        training = TrainingSet(entrance, samples, labels, weights)
        moments = training.moments
        recipe = Recipe(
            n_layers=int(self.n_layers),
            eps=USUAL_EPS,
            step_size=None,
            sharpness=USUAL_SHARPNESS,
            relative_residual=True,
            tol=TOLERANCE,
            momentum=0.0,
        )
        built = construct(training.consume(), moments, recipe)
        return replace(entrance, layers=tuple(built.layers))

    def predict(self, X: Any) -> Array:
        """The cluster that codes each sample shortest.

        Parameters
        ----------
        X : array-like, in the layout of fit

        Returns
        -------
        int array, shape (n_samples,)
        """
        return np.asarray(self.code_lengths(X).argmin(axis=1))

    def predict_proba(self, X: Any) -> Array:
        """Membership of each sample in each cluster: the probability of the cluster, were its code the truth.

        Parameters
        ----------
        X : array-like, in the layout of fit

        Returns
        -------
        array, shape (n_samples, n_clusters_)
            Rows sum to 1.
        """
        return soft_membership(self.code_lengths(X).T, 1.0)

    def code_lengths(self, X: Any) -> Array:
        """Nats that the code of each sample takes in each cluster.

        Parameters
        ----------
        X : array-like, in the layout of fit

        Returns
        -------
        array, shape (n_samples, n_clusters_)
        """
        samples, _ = self._read_new(X)
        lengths = np.empty((len(samples), self.n_clusters_))
        with self._threads(), np.errstate(over="ignore", invalid="ignore"):  # of a file that holds other numbers
            for rows, V in self.network_.invariant_blocks(samples):
                lengths[rows] = self.codes_.lengths(self.space_.coordinates(V))
        if not np.isfinite(lengths).all():
            raise ModelFileError(
                "the codes of samples are not finite: the numbers of this model do not belong together. Load it again "
                "from a file that is whole, or fit it again."
            )
        return lengths

    def check_stored(self, file_bytes: int) -> None:
        """Refuse parts that came from a file of this size and do not fit together."""
        k = self.n_clusters_
        expect(k >= 1, "there are no clusters")
        if isinstance(self.kernel, KernelMap):
            self.kernel.check_stored(self.sample_shape_)
        self.network_.check_stored(self.sample_shape_, k, file_bytes)
        expect(len(self.network_.layers) == 0, "a clusterer has no layers")
        shape = self.network_.block_shape
        kind = self.network_.operator_kind(np.dtype(np.float64))
        self.space_.check_stored(shape, kind)
        self.codes_.check_stored(k, (shape[0], self.space_.basis.shape[2]), kind)
        fits = self.labels_.ndim == 1 and self.labels_.dtype == np.int64 and len(self.labels_) >= 1
        expect(fits and self.labels_.min() >= 0 and self.labels_.max() < k, "the labels are those of other clusters")
        fits = self.children_.shape == (k - 1, 2) and self.children_.dtype == np.int64
        nodes = np.arange(k - 1) + k
        fits = fits and bool(((self.children_ >= 0) & (self.children_ < nodes[:, None])).all())
        expect(fits, "the tree of the clusters is none")
        expect_numbers(self.distances_, (k - 1,), "the tree of the clusters")
        check_stored_length(self.coding_length_)
        expect(is_number(self.eps_) and self.eps_ > 0, "eps_ is not a number > 0")
        expect((self.lift_ is None) == (self.network_.lift is None), "the lift of the network is another")
        if self.lift_ is not None:
            check_attributes(self.lift_, absent=("n_features_in_",))
            check_parameters(self.lift_)
            expect(self.lift_.sample_shape_ == self.sample_shape_, "the lift takes samples of another shape")
            self.lift_.check_stored(file_bytes)


def _named_by_size(V: Array, weights: Array, found: Segmentation, rule: CodingRule) -> tuple[Array, SegmentMoments]:
    """Labels and moments of clusters: each sample where its code is shortest, and the largest cluster first."""
    nearest = ClusterCodes.of(found.moments, rule).lengths(V).argmin(axis=1)
    labels = nearest if len(np.unique(nearest)) == found.n_clusters else found.labels
    sizes = np.bincount(found.labels, weights, minlength=found.n_clusters)
    first = np.unique(found.labels, return_index=True)[1]
    order = np.lexsort((first, -sizes))
    return np.argsort(order)[labels], found.moments[order]
