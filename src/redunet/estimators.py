"""The scikit-learn faces: check -> geometry -> construct -> keep."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .blas import single_threaded
from .classify.nearest_subspace import NearestSubspaces, rank_for_energy
from .network.construct import Recipe, construct
from .network.geometry import Geometry, Span
from .network.network import Network
from .numerics.arrays import Array
from .numerics.membership import soft_membership
from .numerics.moments import class_moments
from .numerics.orbit import representative
from .parameters import check_choice, check_flag, check_positive, check_shape, check_whole
from .progress import ProgressLine
from .rates import CONVENTIONS
from .samples import (
    INVARIANCES,
    Labels,
    read_labels,
    read_samples,
    read_weights,
    refuse_thin_classes,
    refuse_unknown_labels,
)

MEMBERSHIPS = ("softmax",)


class _SampleReader(BaseEstimator):  # type: ignore[misc]
    """What every estimator does with X: read it by its invariance, affine or not, on the unit sphere."""

    invariance: str | None
    sample_shape: tuple[int, ...] | None
    affine: bool
    convention: str = "exact"

    def _check_layout(self) -> None:
        check_choice("invariance", self.invariance, INVARIANCES)
        check_shape("sample_shape", self.sample_shape)
        check_flag("affine", self.affine)

    @property
    def _is_affine(self) -> bool:
        return self.affine and self.invariance is None

    def _read(self, X: Any, *, reset: bool = False) -> tuple[Array, bool]:
        shape = check_shape("sample_shape", self.sample_shape)
        return read_samples(self, X, self.invariance, shape, reset=reset, zero_allowed=self._is_affine)

    def _read_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Array, Labels, Array, Geometry]:
        """Samples of positive weight sorted by class, their labels and weights, and the geometry they live in."""
        samples, _ = self._read(X, reset=True)
        labels = read_labels(y, len(samples))
        weights = read_weights(sample_weight, len(samples))
        refuse_thin_classes(labels, weights)
        self.sample_shape_ = samples.shape[1:]
        order = labels.order[weights[labels.order] > 0]
        samples, weights = samples[order], weights[order]
        offset = _root_mean_square_norm(samples, weights) if self._is_affine else None
        geometry = Geometry(self.sample_shape_, unitary=self.convention == "published", offset=offset)
        return representative(samples), Labels(labels.classes, labels.codes[order]), weights, geometry


class _NetworkBuilder(_SampleReader):
    """Parameters of the construction, and the construction itself."""

    def __init__(
        self,
        invariance: str | None = None,
        *,
        n_layers: int = 30,
        eps: float = 0.3,
        step_size: float | str = "auto",
        membership: str = "softmax",
        sharpness: float = 50.0,
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
        self.affine = affine
        self.convention = convention
        self.sample_shape = sample_shape
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        """The options, once they are known to be right."""
        self._check_layout()
        check_whole("n_layers", self.n_layers, 0)
        check_positive("eps", self.eps)
        if isinstance(self.step_size, str):
            check_choice("step_size", self.step_size, ("auto",))
        else:
            check_positive("step_size", self.step_size)
        check_choice("membership", self.membership, MEMBERSHIPS)
        check_positive("sharpness", self.sharpness)
        check_choice("convention", self.convention, CONVENTIONS)
        return Recipe(
            n_layers=self.n_layers,
            eps=self.eps,
            step_size=None if isinstance(self.step_size, str) else float(self.step_size),
            sharpness=self.sharpness,
            relative_residual=self.convention == "exact",
        )

    def _build(self, X: Any, y: Any, sample_weight: Any) -> tuple[Labels, Array, Array]:
        """Build ``network_`` and ``history_``; labels, weights and features of the samples that built them."""
        recipe = self._recipe()
        samples, labels, weights, geometry = self._read_training(X, y, sample_weight)
        with single_threaded():
            V = geometry.blocks(samples)
            span = None
            if self.invariance is None and geometry.n_channels > len(samples) + 1:
                span = Span.of(V)
                V, _ = span.coordinates(V)
            built = construct(
                V,
                labels.bounds,
                weights,
                recipe,
                dimension=geometry.n_channels,
                norm_weights=geometry.norm_weights,
                rate_weights=geometry.rate_weights,
                on_layer=ProgressLine(recipe.n_layers) if self.verbose else None,
            )
        self.classes_ = labels.classes
        self.network_ = Network(geometry, built.layers, samples.dtype, span)
        self.history_ = built.history
        self.n_layers_ = len(built.layers)
        return labels, weights, built.features


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
        Number of layers.
    eps : float, default=0.3
        Distortion ε up to which features are coded (ε itself, not ε²).
    step_size : float or "auto", default="auto"
        η; "auto" takes the scale-free step η α = 0.5.
    membership : "softmax", default="softmax"
        How a layer guesses the class of a sample: softmax of −sharpness · residual, as in the paper.
    sharpness : float, default=50.0
        λ of the soft membership. It acts on the relative residual ‖C_j v‖/α_j in [0, 1] in the exact convention, and on
        ‖C_j v‖ itself in the published one.
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
        self._build(X, y, sample_weight)
        return self

    def transform(self, X: Any) -> Array:
        """Features of samples on the unit sphere.

        Parameters
        ----------
        X : array-like, in the layout of fit

        Returns
        -------
        array, flat for flat X, else of shape (n_samples, n_channels, *grid); of the precision of X
        """
        check_is_fitted(self)
        samples, flat = self._read(X)
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


class _SubspaceAnswers(ClassifierMixin):  # type: ignore[misc]
    """Answers of a classifier that knows how much of a sample each class subspace holds."""

    sharpness: float
    classes_: Array

    def _energy(self, X: Any) -> Array:
        """Share of each sample's energy in each class subspace; shape (n_samples, n_classes)."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> Array:
        """Nearness of each class subspace: minus the distance to it, in [−1, 0].

        Returns
        -------
        array, shape (n_samples, n_classes)
            For two classes of shape (n_samples,): how much nearer the second is than the first.
        """
        check_is_fitted(self)
        nearness = -np.sqrt(1.0 - self._energy(X))
        return nearness[:, 1] - nearness[:, 0] if len(self.classes_) == 2 else nearness

    def predict(self, X: Any) -> Array:
        """Class whose subspace is nearest; of two equally near ones the first."""
        check_is_fitted(self)
        return self.classes_[self._energy(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> Array:
        """Soft membership in each class, softmax(−sharpness · distance); shape (n_samples, n_classes)."""
        check_is_fitted(self)
        return soft_membership(np.sqrt(1.0 - self._energy(X)).T, self.sharpness)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on labelled samples, whose labels must have been seen in fit."""
        check_is_fitted(self)
        y = read_labels(y, len(X))
        refuse_unknown_labels(y.classes, self.classes_)
        return float(np.average(y.classes[y.codes] == self.predict(X), weights=sample_weight))


class ReduNetClassifier(_SubspaceAnswers, _NetworkBuilder):
    """A rate reduction network, then the nearest class subspace of its features.

    With an ``invariance`` the answer is the same for every circular shift (translation) of a sample, bit for bit: the
    network moves along with the sample, the energy in a subspace per frequency does not depend on the position, and
    every shift is computed from the same representative.

    Parameters
    ----------
    invariance, n_layers, eps, step_size, membership, sharpness, affine, convention, sample_shape, verbose
        As in :class:`ReduNet`; ``sharpness`` also that of ``predict_proba``.
    rank : int, optional
        Dimension of the class subspaces (at each frequency, given an invariance); by default the smallest that holds
        95 % of the energy of the training features.

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
        rank: int | None = None,
        affine: bool = True,
        convention: str = "exact",
        sample_shape: tuple[int, ...] | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            invariance,
            n_layers=n_layers,
            eps=eps,
            step_size=step_size,
            membership=membership,
            sharpness=sharpness,
            affine=affine,
            convention=convention,
            sample_shape=sample_shape,
            verbose=verbose,
        )
        self.rank = rank

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
        _check_rank(self.rank)
        labels, weights, V = self._build(X, y, sample_weight)
        with single_threaded():
            self.subspaces_ = _subspaces(V, labels, weights, self.rank, self.network_.geometry)
        self.rank_ = self.subspaces_.bases.shape[-1]
        return self

    def _energy(self, X: Any) -> Array:
        samples, _ = self._read(X)
        energy = np.empty((len(samples), len(self.classes_)))
        with single_threaded():
            for rows, V in self.network_.blocks(representative(samples)):
                energy[rows] = self.subspaces_.energy(V)
        return energy


class NearestSubspaceClassifier(_SubspaceAnswers, _SampleReader):
    """The class whose subspace holds most of a sample.

    Without an invariance a class is the span of the strongest directions of its samples; with one it is such a
    subspace at each frequency, and the answer is the same for every circular shift (translation) of a sample.

    Parameters
    ----------
    rank : int, optional
        Dimension of the class subspaces (at each frequency, given an invariance); by default the smallest that holds
        95 % of the energy of the training samples.
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
    subspaces_ : NearestSubspaces
        Bases of the class subspaces.
    rank_ : int
        Their dimension.

    Examples
    --------
    >>> import numpy as np
    >>> from redunet import NearestSubspaceClassifier
    >>> t = np.arange(16)
    >>> X = np.stack([np.sin(2 * np.pi * f * t / 16) + 0.1 * f for f in (1, 1, 3, 3)])
    >>> clf = NearestSubspaceClassifier(rank=1, invariance="shift", sample_shape=(2, 8))
    >>> clf = clf.fit(X, ["slow", "slow", "fast", "fast"])
    >>> str(clf.predict(X[:1])[0])
    'slow'
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
        check_positive("sharpness", self.sharpness)
        _check_rank(self.rank)
        samples, labels, weights, self.geometry_ = self._read_training(X, y, sample_weight)
        self.classes_ = labels.classes
        with single_threaded():
            V = self.geometry_.blocks(samples)
            self.subspaces_ = _subspaces(V, labels, weights, self.rank, self.geometry_)
        self.rank_ = self.subspaces_.bases.shape[-1]
        return self

    def _energy(self, X: Any) -> Array:
        samples, _ = self._read(X)
        with single_threaded():
            return self.subspaces_.energy(self.geometry_.blocks(representative(samples)))


def _check_rank(rank: Any) -> None:
    if rank is not None:
        check_whole("rank", rank, 1)


def _subspaces(V: Array, labels: Labels, weights: Array, rank: int | None, geometry: Geometry) -> NearestSubspaces:
    """Subspaces of the classes of features V, sorted by class."""
    n_channels = V.shape[1]
    if rank is not None and rank > n_channels:
        raise ValueError(
            f"rank={rank} is more than the {n_channels} channels of a feature; pass rank <= {max(1, n_channels - 1)}."
        )
    M = class_moments(V, labels.bounds, weights)
    rank = rank or rank_for_energy(M, geometry.norm_weights)
    return NearestSubspaces.of_moments(M, rank, geometry.norm_weights, V.dtype)


def _root_mean_square_norm(samples: Array, weights: Array) -> float:
    """Typical length of samples, safe for very large and very small ones; 1 if all are zero."""
    largest = float(np.abs(samples).max()) or 1.0
    squares = np.square(samples / largest, dtype=np.float64).sum(axis=1)
    return largest * float(np.sqrt(np.average(squares, weights=weights))) or 1.0
