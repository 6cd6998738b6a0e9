"""The scikit-learn faces: check -> geometry -> construct -> keep."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .blas import single_threaded
from .classify.nearest_subspace import NearestSubspaces
from .network.compiling import telling_when_compiling
from .network.construct import Recipe, construct
from .network.geometry import Geometry
from .network.labels import Labels
from .network.network import Network
from .network.tiles import Tiles
from .numerics.arrays import Array
from .numerics.membership import soft_membership
from .parameters import (
    CONVENTIONS,
    INVARIANCES,
    MEMBERSHIPS,
    check_choice,
    check_eps,
    check_flag,
    check_momentum,
    check_positive,
    check_shape,
    check_step_size,
    check_tol,
    check_whole,
)
from .progress import ProgressLine
from .samples import (
    read_labels,
    read_new_samples,
    read_training_samples,
    read_weights,
    refuse_thin_classes,
    refuse_unknown_labels,
    refuse_zero_samples,
)


class _SampleReader(BaseEstimator):  # type: ignore[misc]
    """What every estimator does with X: read it by its invariance, affine or not, for the unit sphere."""

    invariance: str | None
    sample_shape: tuple[int, ...] | None
    affine: bool
    convention: str = "exact"
    network_: Network

    def _check_layout(self) -> None:
        check_choice("invariance", self.invariance, INVARIANCES)
        check_shape("sample_shape", self.sample_shape)
        check_flag("affine", self.affine)

    def _read_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Array, Labels, Array, Geometry]:
        """Samples, their labels and weights, and the geometry they live in."""
        samples = read_training_samples(self, X, self.invariance, check_shape("sample_shape", self.sample_shape))
        labels = read_labels(y, len(samples))
        weights = read_weights(sample_weight, len(samples))
        refuse_thin_classes(labels, weights)
        affine = self.affine and self.invariance is None
        if not affine:
            refuse_zero_samples(samples, self.invariance)
        offset = _root_mean_square_norm(samples, weights) if affine else None
        geometry = Geometry(samples.shape[1:], unitary=self.convention == "published", offset=offset)
        return samples, Labels.of(labels.classes, labels.codes, weights), weights, geometry

    def _read_new(self, X: Any) -> tuple[Array, bool]:
        """Samples for a fitted estimator, and whether they came as flat rows."""
        check_is_fitted(self)
        samples, flat = read_new_samples(self, X)
        if self.network_.geometry.offset is None:
            refuse_zero_samples(samples, "shift" if self.network_.geometry.grid else None)
        return samples, flat

    def _keep(self, network: Network, labels: Labels) -> None:
        """Keep what every fitted estimator has."""
        self.network_ = network
        self.classes_ = labels.classes
        self.sample_shape_ = network.geometry.sample_shape


class _NetworkBuilder(_SampleReader):
    """The construction from checked parameters."""

    n_layers: int
    eps: float
    step_size: float | str
    membership: str
    sharpness: float
    tol: float | None
    momentum: str | float | None
    verbose: int

    def _recipe(self) -> Recipe:
        """The options, once they are known to be right."""
        self._check_layout()
        check_whole("n_layers", self.n_layers, 0)
        check_choice("membership", self.membership, MEMBERSHIPS)
        check_positive("sharpness", self.sharpness)
        check_choice("convention", self.convention, CONVENTIONS)
        return Recipe(
            n_layers=self.n_layers,
            eps=check_eps(self.eps),
            step_size=check_step_size(self.step_size),
            sharpness=float(self.sharpness),
            relative_residual=self.convention == "exact",
            tol=check_tol(self.tol),
            momentum=check_momentum(self.momentum),
        )

    def _build(self, recipe: Recipe, samples: Array, labels: Labels, weights: Array, geometry: Geometry) -> Tiles:
        """Build and keep the network and its history; the features that it gives to the training samples."""
        progress = ProgressLine(recipe.n_layers) if self.verbose else None
        with single_threaded(), telling_when_compiling():
            network = Network.entrance(geometry, samples)
            tiles = network.training_tiles(samples, labels, weights)
            built = construct(
                tiles,
                np.bincount(labels.codes, weights),
                recipe,
                dimension=geometry.n_channels,
                norm_weights=geometry.norm_weights,
                rate_weights=geometry.rate_weights,
                on_layer=progress,
            )
        if progress is not None:
            progress.done(len(built.layers), float(built.history.rate_reduction[-1]))
        self._keep(replace(network, layers=built.layers), labels)
        self.history_ = built.history
        self.n_layers_ = len(built.layers)
        return tiles


class ReduNet(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _NetworkBuilder):  # type: ignore[misc]
    """Features that a network built forward from the principle of rate reduction gives to samples.

    Each layer is one step of gradient ascent on the rate reduction ΔR of the training features: its operators are
    computed in closed form from the second moments of the classes, and nothing is trained by back-propagation. With an
    ``invariance`` all circular shifts (or translations) of a sample are put into its class, and the features of a
    shifted sample are the shifted features.

    Parameters
    ----------
    invariance : None, "shift" or "translation", default=None
        None for plain vectors; "shift" over the last axis; "translation" over the last two (of volumes: three).
    n_layers : int, default=30
        Layers at most; ``tol`` may stop before, and ``n_layers_`` tells how many were built.
    eps : float, default=0.3
        Distortion ε up to which features are coded (ε itself, not ε²).
    step_size : float or "auto", default="auto"
        η. "auto" adapts it so that no layer lowers ΔR: it starts at the scale-free step η α = 0.5, grows while ΔR grows
        and backs off when ΔR would fall.
    membership : "softmax", default="softmax"
        How a layer guesses the class of a sample: softmax of −sharpness · residual, as in the paper.
    sharpness : float, default=50.0
        λ of the soft membership. It acts on the relative residual ‖C_j v‖/α_j in [0, 1] in the exact convention, and on
        ‖C_j v‖ itself in the published one.
    tol : float or None, default=1e-4
        Stop when two layers in a row raise ΔR by less than this share of itself, per step of η α = 1. None builds all
        layers.
    momentum : None, "nesterov" or float in [0, 1), default=None
        Start each layer from the features carried on by β times their last step, as in the paper's Remark on
        acceleration. "nesterov" lets β grow towards 1.
    affine : bool, default=True
        For plain vectors: add a constant coordinate before the projection to the sphere, as long as the training
        samples are on average, so that classes may differ by an offset. The paper does not (``affine=False``).
    convention : "exact" or "published", default="exact"
        Scale of the Fourier transform: the one that equals the vector network on all shifts, or the unitary one of the
        paper's published numbers, for which ε² is silently as many times larger as a signal has positions.
    sample_shape : tuple of int, optional
        Layout of one sample, such as (n_channels, length) or (height, width), when X is flat.
    verbose : int, default=0
        1 shows layers done, ΔR and time left on the error stream.

    Attributes
    ----------
    network_ : Network
        Frozen layers: ``network_.layers[l].expansion`` and ``.compression``, ``network_.kernels(l)``.
    history_ : History
        ``coding_rate``, ``class_coding_rate`` and ``rate_reduction``; entry 0 is the input.
    n_layers_ : int
        Layers that were built.
    classes_ : array
        Labels seen in fit, sorted.
    sample_shape_ : tuple of int
        (n_channels, *grid) of a sample.
    n_features_in_ : int
        Features per sample, flat.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from redunet import ReduNet
    >>> X, y = load_iris(return_X_y=True)
    >>> net = ReduNet(n_layers=10).fit(X - X.mean(axis=0), y)
    >>> net.transform(X[:2]).shape
    (2, 5)
    >>> bool(net.history_.rate_reduction[-1] > net.history_.rate_reduction[0])
    True
    """

    def __init__(
        self,
        invariance: str | None = None,
        *,
        n_layers: int = 30,
        eps: float = 0.3,
        step_size: float | str = "auto",
        membership: str = "softmax",
        sharpness: float = 50.0,
        tol: float | None = 1e-4,
        momentum: str | float | None = None,
        affine: bool = True,
        convention: str = "exact",
        sample_shape: tuple[int, ...] | None = None,
        verbose: int = 0,
    ) -> None:
        self.invariance = invariance
        self.n_layers = n_layers
        self.eps = eps
        self.step_size = step_size
        self.membership = membership
        self.sharpness = sharpness
        self.tol = tol
        self.momentum = momentum
        self.affine = affine
        self.convention = convention
        self.sample_shape = sample_shape
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Build the network from labelled samples.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features), or (n_samples, n_channels, *grid) as the invariance takes it
        y : array-like, shape (n_samples,)
            Labels of any type.
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample counts.
        """
        recipe = self._recipe()
        self._build(recipe, *self._read_training(X, y, sample_weight))
        return self

    def transform(self, X: Any) -> Array:
        """Features of samples on the unit sphere.

        Parameters
        ----------
        X : array-like, in the layout of fit

        Returns
        -------
        array, flat for flat X, else of shape (n_samples, n_channels, *grid)
            Of the type of X, float32 or float64; computed in the precision that the network was built in.
        """
        samples, flat = self._read_new(X)
        container = (
            getattr(self, "_sklearn_output_config", {}).get("transform") or sklearn.get_config()["transform_output"]
        )
        if not flat and container != "default":
            raise ValueError(
                f"transform_output={container!r} takes flat X, but X has samples of shape {samples.shape[1:]}; pass "
                f"X.reshape(len(X), -1) and sample_shape={samples.shape[1:]}."
            )
        with single_threaded():
            features = self.network_.features(samples).astype(samples.dtype, copy=False)
        return features.reshape(len(features), -1) if flat else features

    @property
    def _n_features_out(self) -> int:
        return int(np.prod(self.network_.geometry.feature_shape))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class _SubspaceAnswers(ClassifierMixin, _SampleReader):  # type: ignore[misc]
    """Answers of a classifier that knows how far a sample is from each class subspace."""

    rank: int | None
    sharpness: float

    def _check_rank(self) -> None:
        if self.rank is not None:
            check_whole("rank", self.rank, 1)

    def _check_channels(self, geometry: Geometry) -> None:
        """A subspace must leave something out, or every sample lies in it."""
        n_channels = geometry.n_channels
        if n_channels < 2:
            remedy = (
                "pass X with more channels, such as its derivative, its positive part or its responses to filters"
                if geometry.grid
                else "pass affine=True, or more features"
            )
            raise ValueError(
                f"X has 1 {'channel' if geometry.grid else 'feature'}, and a class subspace of it holds every sample; "
                f"{remedy}."
            )
        if self.rank is not None and self.rank >= n_channels:
            raise ValueError(
                f"rank={self.rank} must be less than the {n_channels} {'channels' if geometry.grid else 'coordinates'} "
                f"of a feature, or a class subspace holds every sample; pass rank <= {n_channels - 1}."
            )

    def _keep_subspaces(self, tiles: Tiles) -> None:
        """Keep the class subspaces of the features of the training samples, and how sharp answers are."""
        with single_threaded(), telling_when_compiling():
            moments = tiles.moments()
            geometry, dtype = self.network_.geometry, self.network_.dtype
            rank = None if self.rank is None else min(self.rank, moments.shape[-1])
            self.subspaces_ = NearestSubspaces.of_moments(moments, rank, geometry.norm_weights, dtype)
        self.rank_ = self.subspaces_.rank
        self._sharpness = float(self.sharpness)

    def _distances(self, X: Any) -> Array:
        """Distance of each sample to each class subspace; shape (n_samples, n_classes)."""
        samples, _ = self._read_new(X)
        distances = np.empty((len(samples), len(self.classes_)))
        with single_threaded():
            for rows, V in self.network_.invariant_blocks(samples):
                distances[rows] = self.subspaces_.distances(V)
        return distances

    def decision_function(self, X: Any) -> Array:
        """Nearness of each class subspace: minus the distance to it, in [−1, 0].

        Returns
        -------
        array, shape (n_samples, n_classes)
            For two classes of shape (n_samples,): how much nearer the second is than the first.
        """
        distances = self._distances(X)
        return distances[:, 0] - distances[:, 1] if distances.shape[1] == 2 else -distances

    def predict(self, X: Any) -> Array:
        """Class whose subspace is nearest; of two equally near ones the first."""
        nearest = self._distances(X).argmin(axis=1)
        return self.classes_[nearest]

    def predict_proba(self, X: Any) -> Array:
        """Soft membership in each class, softmax(−sharpness · distance); shape (n_samples, n_classes)."""
        distances = self._distances(X)
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


class ReduNetClassifier(_SubspaceAnswers, _NetworkBuilder):
    """A rate reduction network, then the nearest class subspace of its features.

    With an ``invariance`` the answer is the same for every circular shift (translation) of a sample, bit for bit: the
    network moves along with the sample, the energy in a subspace per frequency does not depend on the position, and
    every shift is computed from the same representative.

    Parameters
    ----------
    invariance, n_layers, eps, step_size, membership, sharpness, tol, momentum, affine, convention, sample_shape
        As in :class:`ReduNet`, and so is ``verbose``; ``sharpness`` also that of ``predict_proba``.
    rank : int, optional
        Dimension of the class subspaces (at each frequency, given an invariance), less than the number of channels. By
        default the smallest that holds 95 % of the energy of the training features, on average over the classes.

    Attributes
    ----------
    network_, history_, n_layers_, classes_, sample_shape_, n_features_in_
        As in :class:`ReduNet`.
    subspaces_ : NearestSubspaces
        Bases of the class subspaces.
    rank_ : int
        Their dimension.

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
        n_layers: int = 30,
        eps: float = 0.3,
        step_size: float | str = "auto",
        membership: str = "softmax",
        sharpness: float = 50.0,
        tol: float | None = 1e-4,
        momentum: str | float | None = None,
        rank: int | None = None,
        affine: bool = True,
        convention: str = "exact",
        sample_shape: tuple[int, ...] | None = None,
        verbose: int = 0,
    ) -> None:
        self.invariance = invariance
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
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Build the network and the class subspaces of its features.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features), or (n_samples, n_channels, *grid) as the invariance takes it
        y : array-like, shape (n_samples,)
            Labels of any type.
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample counts.
        """
        recipe = self._recipe()
        self._check_rank()
        samples, labels, weights, geometry = self._read_training(X, y, sample_weight)
        self._check_channels(geometry)
        self._keep_subspaces(self._build(recipe, samples, labels, weights, geometry))
        return self


class NearestSubspaceClassifier(_SubspaceAnswers):
    """The class whose subspace holds most of a sample.

    Without an invariance a class is the span of the strongest directions of its samples; with one it is such a
    subspace at each frequency, and the answer is the same for every circular shift (translation) of a sample.

    Parameters
    ----------
    rank : int, optional
        Dimension of the class subspaces (at each frequency, given an invariance), less than the number of channels. By
        default the smallest that holds 95 % of the energy of the training samples, on average over the classes.
    invariance : None, "shift" or "translation", default=None
    sharpness : float, default=50.0
        λ of ``predict_proba``, the softmax of −λ times the distance to each subspace.
    affine : bool, default=True
        For plain vectors: add a constant coordinate first, so that classes may differ by an offset.
    sample_shape : tuple of int, optional
        Layout of one sample when X is flat.

    Attributes
    ----------
    classes_, sample_shape_, n_features_in_
        As in :class:`ReduNet`.
    network_ : Network
        The way of samples to the sphere, without layers.
    subspaces_ : NearestSubspaces
        Bases of the class subspaces.
    rank_ : int
        Their dimension.

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
        rank: int | None = None,
        *,
        invariance: str | None = None,
        sharpness: float = 50.0,
        affine: bool = True,
        sample_shape: tuple[int, ...] | None = None,
    ) -> None:
        self.rank = rank
        self.invariance = invariance
        self.sharpness = sharpness
        self.affine = affine
        self.sample_shape = sample_shape

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the subspaces of the classes.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features), or (n_samples, n_channels, *grid) as the invariance takes it
        y : array-like, shape (n_samples,)
            Labels of any type.
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample counts.
        """
        self._check_layout()
        self._check_rank()
        check_positive("sharpness", self.sharpness)
        samples, labels, weights, geometry = self._read_training(X, y, sample_weight)
        self._check_channels(geometry)
        with single_threaded():
            network = Network.entrance(geometry, samples)
            tiles = network.training_tiles(samples, labels, weights)
        self._keep(network, labels)
        self._keep_subspaces(tiles)
        return self


def _root_mean_square_norm(samples: Array, weights: Array) -> float:
    """Typical length of samples, safe for very large and very small ones; 1 if all are zero."""
    largest = float(np.abs(samples).max()) or 1.0
    squares = np.square(samples / largest, dtype=np.float64).sum(axis=1)
    return largest * float(np.sqrt(np.average(squares, weights=weights))) or 1.0
