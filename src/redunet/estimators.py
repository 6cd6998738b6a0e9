"""The scikit-learn faces: check -> geometry -> construct -> keep."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from .answers import answers_of
from .blas import single_threaded
from .classify.nearest_subspace import NearestSubspaces
from .lift.lift import Lift
from .network.compiling import telling_when_compiling
from .network.construct import Recipe, construct
from .network.geometry import Geometry
from .network.labels import Labels
from .network.network import Network
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
from .selection import (
    EPS_CHOICES,
    MOST_LAYERS,
    SHARPNESS_CHOICES,
    DepthEvidence,
    Entered,
    candidate_lifts,
    depth_by_evidence,
    evidence_of,
    lift_by_evidence,
)

# What the construction takes where the evidence has nothing to say.
USUAL_EPS, USUAL_SHARPNESS = 0.3, 50.0


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

    def _keep(self, network: Network, samples: Array, labels: Labels) -> None:
        """Keep what every fitted estimator has."""
        self.network_ = network
        self.classes_ = labels.classes
        self.sample_shape_ = samples.shape[1:]


class _NetworkBuilder(_SampleReader):
    """The construction from checked parameters."""

    n_layers: Any
    eps: Any
    step_size: float | str
    membership: str
    sharpness: Any
    tol: float | None
    momentum: str | float | None
    verbose: int

    def _recipe(self) -> Recipe:
        """The options, once they are known to be right; for what "auto" will choose, the usual value."""
        self._check_layout()
        n_layers, eps, sharpness = MOST_LAYERS, USUAL_EPS, USUAL_SHARPNESS
        if not self._chooses("n_layers"):
            check_whole("n_layers", self.n_layers, 0)
            n_layers = int(self.n_layers)
        if not self._chooses("eps"):
            eps = check_eps(self.eps)
        if not self._chooses("sharpness"):
            check_positive("sharpness", self.sharpness)
            sharpness = float(self.sharpness)
        check_choice("membership", self.membership, self._memberships)
        check_choice("convention", self.convention, CONVENTIONS)
        return Recipe(
            n_layers=n_layers,
            eps=eps,
            step_size=check_step_size(self.step_size),
            sharpness=sharpness,
            relative_residual=self.convention == "exact",
            tol=check_tol(self.tol),
            momentum=check_momentum(self.momentum),
            membership=self.membership,
        )

    _memberships: tuple[str, ...] = MEMBERSHIPS

    def _chooses(self, name: str) -> bool:
        """Whether an option is left to the evidence, in an estimator that can find it."""
        return False

    def _build(self, recipe: Recipe, entered: Entered, samples: Array, labels: Labels) -> None:
        """Build and keep the network and its history; the tiles become the features of the training samples."""
        geometry = entered.network.geometry
        progress = ProgressLine(recipe.n_layers) if self.verbose else None
        built = construct(
            entered.tiles,
            entered.class_weight,
            recipe,
            dimension=geometry.n_channels,
            norm_weights=geometry.norm_weights,
            rate_weights=geometry.rate_weights,
            grid=geometry.grid,
            on_layer=progress,
        )
        if progress is not None:
            progress.done(len(built.layers), float(built.history.rate_reduction[-1]))
        self._keep(replace(entered.network, layers=built.layers), samples, labels)
        self.history_ = built.history
        self.n_layers_ = len(built.layers)


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
    membership : "softmax", "subspace", "code" or "relu", default="softmax"
        How a layer guesses the class of a sample: softmax of −sharpness · residual. The residual is ‖C_j v‖ in the
        paper ("softmax"), the distance to a subspace of the class at each frequency ("subspace"), or the length of the
        code of v under the class, log-determinant included ("code"). "relu" does without a guess and pulls by rectified
        linear units, as in the paper's Remark.
    rank : int, default=8
        Dimension of those subspaces, less than the number of channels; read for membership="subspace" alone.
    sharpness : float, default=50.0
        λ of the soft membership. It acts on a relative residual: ‖C_j v‖/α_j in [0, 1], a distance in [0, 1], or a code
        length per coefficient. In the published convention "softmax" takes ‖C_j v‖ itself.
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
        rank: int = 8,
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
        self.rank = rank
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
        check_whole("rank", self.rank, 1)
        samples, labels, weights, geometry = self._read_training(X, y, sample_weight)
        if self.membership == "subspace":
            refuse_full_rank(self.rank, geometry)
            recipe = replace(recipe, rank=int(self.rank))
        with single_threaded(), telling_when_compiling():
            network = Network.entrance(geometry, samples, spanned=self.membership != "relu")
            self._build(recipe, Entered.of(network, samples, labels, weights), samples, labels)
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


class _InvariantAnswers(ClassifierMixin, _SampleReader):  # type: ignore[misc]
    """Answers of a classifier that knows how far a sample is from each class."""

    rank: int | str
    _sharpness: float

    def _check_rank(self) -> None:
        if isinstance(self.rank, str):
            check_choice("rank", self.rank, ("auto",))
        else:
            check_whole("rank", self.rank, 1)

    def _check_channels(self, geometry: Geometry) -> None:
        """A subspace must leave something out, or every sample lies in it."""
        if geometry.n_channels < 2:
            remedy = (
                "pass lift='auto', or X with more channels" if geometry.grid else "pass affine=True, or more features"
            )
            raise ValueError(
                f"X has 1 {'channel' if geometry.grid else 'feature'}, and a class subspace of it holds every sample; "
                f"{remedy}."
            )
        if not isinstance(self.rank, str):
            refuse_full_rank(self.rank, geometry)

    def _ranks(self, entered: Entered) -> tuple[int, ...] | None:
        """The rank that was given, or None for those to choose from."""
        return None if isinstance(self.rank, str) else (min(int(self.rank), entered.tiles.n_channels),)

    def _distances(self, X: Any) -> Array:
        """Distance of each sample to each class; shape (n_samples, n_classes)."""
        samples, _ = self._read_new(X)
        distances = np.empty((len(samples), len(self.classes_)))
        with single_threaded():
            for rows, V in self.network_.invariant_blocks(samples):
                distances[rows] = self.answers_.distances(V)
        return distances

    def decision_function(self, X: Any) -> Array:
        """Nearness of each class: minus the distance to its subspace, in [−1, 0] (or minus the code length).

        Returns
        -------
        array, shape (n_samples, n_classes)
            For two classes of shape (n_samples,): how much nearer the second is than the first.
        """
        distances = self._distances(X)
        return distances[:, 0] - distances[:, 1] if distances.shape[1] == 2 else -distances

    def predict(self, X: Any) -> Array:
        """The nearest class; of two equally near ones the first."""
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


class ReduNetClassifier(_InvariantAnswers, _NetworkBuilder):
    """A lift, a rate reduction network, then the nearest class of its features; evidence chooses what is not given.

    With an ``invariance`` the answer is the same for every circular shift (translation) of a sample, bit for bit: lift
    and network move along with the sample, what is measured per frequency does not depend on the position, and
    every shift is computed from the same representative.

    The evidence comes from the training samples alone: leaving each out of its class says which rank, ε and lift answer
    samples they have not seen, and samples held out say whether layers, and how many, answer them better.

    Parameters
    ----------
    invariance, step_size, tol, momentum, affine, convention, sample_shape, verbose
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
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Build lift, network and answers.

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
        self._check_lift()
        samples, labels, weights, geometry = self._read_training(X, y, sample_weight)
        with single_threaded(), telling_when_compiling():
            self.lift_ = self._fit_lift(samples, labels, weights)
            bank = None if self.lift_ is None else self.lift_.bank_
            if bank is not None:
                geometry = replace(geometry, sample_shape=bank.shape)
            self._check_channels(geometry)
            network = Network.entrance(geometry, samples, lift=bank, spanned=self.membership != "relu")
            entered = Entered.of(network, samples, labels, weights)
            recipe = self._choose(recipe, entered)
            self._build(recipe, entered, samples, labels)
            tiles = entered.tiles
            self.answers_ = answers_of(network, tiles.moments(), entered.class_weight, recipe, tiles.largest_class)
        self.membership_, self.eps_, self.sharpness_ = recipe.membership, recipe.eps, recipe.sharpness
        self._sharpness = recipe.sharpness
        return self

    _memberships = ("auto", *MEMBERSHIPS)

    def _chooses(self, name: str) -> bool:
        value = getattr(self, name)
        if isinstance(value, str) and value != "auto":
            raise ValueError(f"{name} must be a number or 'auto', got {value!r}.")
        return isinstance(value, str)

    def _check_lift(self) -> None:
        if self.lift is None:
            return
        if self.invariance is None:
            raise ValueError("lift takes signals or images; pass invariance='shift' or 'translation', or lift=None.")
        if isinstance(self.lift, str):
            check_choice("lift", self.lift, ("auto",))
            return
        lifts = list(self.lift) if isinstance(self.lift, (list, tuple)) else [self.lift]
        if not lifts or not all(isinstance(lift, Lift) for lift in lifts):
            raise TypeError(f"lift must be None, 'auto', a redunet.Lift or a list of them, got {self.lift!r}.")
        for lift in lifts:
            lift.check()

    def _fit_lift(self, samples: Array, labels: Labels, weights: Array) -> Lift | None:
        if self.lift is None:
            return None
        if isinstance(self.lift, Lift):
            lift: Lift = clone(self.lift)
            return lift.fit_samples(samples)
        auto = isinstance(self.lift, str)
        lifts = candidate_lifts(samples.shape[2:], self.random_state) if auto else map(clone, self.lift)
        return lift_by_evidence(samples, labels, weights, lifts)

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

    def _cut(self, recipe: Recipe, found: DepthEvidence | None) -> Recipe:
        """The recipe that held-out samples were answered best with, cut at its best depth if that was to be chosen."""
        if found is None:  # classes too small to hold anything out: no evidence, no layers
            return replace(recipe, n_layers=0) if self._chooses("n_layers") else recipe
        self.depth_scores_ = found.scores
        n_layers = found.depth if self._chooses("n_layers") else recipe.n_layers
        return replace(found.recipe, n_layers=n_layers)


class NearestSubspaceClassifier(_InvariantAnswers):
    """The class whose subspace holds most of a sample.

    Without an invariance a class is the span of the strongest directions of its samples; with one it is such a
    subspace at each frequency, and the answer is the same for every circular shift (translation) of a sample.

    Parameters
    ----------
    rank : int or "auto", default="auto"
        Dimension of the class subspaces (at each frequency, given an invariance), less than the number of channels.
        "auto" takes the one that answers most training samples rightly, each left out of its class.
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
    answers_ : NearestSubspaces
        Bases of the class subspaces.
    rank_ : int
        Their dimension.
    loo_score_ : float
        Accuracy on the training samples, each answered by classes that have not seen it.
    evidence_ : Evidence
        The same for every rank there was to choose from.

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
        with single_threaded(), telling_when_compiling():
            network = Network.entrance(geometry, samples)
            entered = Entered.of(network, samples, labels, weights)
            evidence, _ = evidence_of(entered, self._ranks(entered), ())
            assert evidence is not None
            self.evidence_ = evidence
            self.rank_, self.loo_score_ = int(self.evidence_.best_choice), self.evidence_.best_score
            moments = entered.tiles.moments()
            self.answers_ = NearestSubspaces.of_moments(
                moments, self.rank_, geometry.norm_weights, network.dtype, entered.tiles.largest_class
            )
        self._keep(network, samples, labels)
        self._sharpness = float(self.sharpness)
        return self


def refuse_full_rank(rank: int, geometry: Geometry) -> None:
    """A subspace of all channels holds every sample."""
    if rank >= geometry.n_channels:
        raise ValueError(
            f"rank={rank} must be less than the {geometry.n_channels} {'channels' if geometry.grid else 'coordinates'} "
            f"of a feature, or a class subspace holds every sample; pass rank <= {geometry.n_channels - 1}."
        )


def _root_mean_square_norm(samples: Array, weights: Array) -> float:
    """Typical length of samples, safe for very large and very small ones; 1 if all are zero."""
    largest = float(np.abs(samples).max()) or 1.0
    squares = np.square(samples / largest, dtype=np.float64).sum(axis=1)
    return largest * float(np.sqrt(np.average(squares, weights=weights))) or 1.0
