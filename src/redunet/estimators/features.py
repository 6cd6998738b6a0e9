"""The network as a transformer."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
import sklearn
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ..evidence.training_set import TrainingSet
from ..evidence.view_set import ViewSet
from ..inputs.errors import Data, InputError, Option
from ..inputs.parameters import check_whole
from ..network.memory import refuse_too_large
from ..network.network import Network
from ..network.recipe import Recipe
from ..numerics.arrays import Array
from ..storage.stored_types import stored_estimator
from .block_learning import BlockLearner, SampleBlocks
from .layer_callbacks import with_callbacks
from .view_reading import ViewReader


@stored_estimator()
class ReduNet(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ViewReader, BlockLearner):  # type: ignore[misc]
    """Features that a network built forward from the principle of rate reduction gives to samples.

    Each layer is one step of gradient ascent on the rate reduction ΔR of the training features: its operators are
    computed in closed form from the second moments of the classes, and nothing is trained by back-propagation. With an
    ``invariance`` all circular shifts (or translations) of a sample are put into its class, and the features of a
    shifted sample are the shifted features.

    Without labels (``fit(X)``) each sample is a class of its own, with all its shifts and, with ``augment``, its views:
    samples are pushed apart, and views of one sample are drawn together. New samples are guessed to belong to the
    training samples that they resemble, as they are guessed to belong to classes else.

    Parameters
    ----------
    invariance : None, "shift" or "translation", default=None
        None for plain vectors; "shift" over the last axis; "translation" over the last two (of volumes: three).
    n_layers : int, default=30
        Layers at most; ``tol`` may stop before, and ``n_layers_`` tells how many were built. Without labels few are
        better, such as 3: they push all samples apart, and many of them too far.
    eps : float, default=0.3
        Distortion ε up to which features are coded (ε itself, not ε²).
    step_size : float or "auto", default="auto"
        η. "auto" adapts it so that no layer lowers ΔR: it starts at the scale-free step η α = 0.5, grows while ΔR grows
        and backs off when ΔR would fall.
    membership : "softmax", "subspace", "code", "relu" or "regression", default="softmax"
        How a layer guesses the class of a sample: softmax of −sharpness · residual. The residual is ‖C_j v‖ in the
        paper ("softmax"), the distance to a subspace of the class at each frequency ("subspace"), or the length of the
        code of v under the class, log-determinant included ("code"). "regression" is for plain vectors with
        ``affine=True`` alone: one minus what a ridge regression of the class labels on the features predicts for the
        class, with the ridge that ε gives. "relu" does without a guess and pulls by rectified linear units, as in the
        paper's Remark.
    rank : int, default=8
        Dimension of those subspaces, less than the number of channels; read for membership="subspace" alone.
    sharpness : float, default=50.0
        λ of the soft membership. It acts on a relative residual: ‖C_j v‖/α_j in [0, 1], a distance in [0, 1], a code
        length per coefficient, or one minus a prediction. In the published convention "softmax" takes ‖C_j v‖ itself.
    tol : float or None, default=1e-4
        Stop when two layers in a row raise ΔR by less than this share of itself, per step of η α = 1. None builds all
        layers.
    momentum : None, "nesterov" or float in [0, 1), default=None
        Start each layer from the features carried on by β times their last step, as in the paper's Remark on
        acceleration. "nesterov" lets β grow towards 1.
    affine : bool, default=True
        For plain vectors: add a constant coordinate before the projection to the sphere, as long as the training
        samples are on average, so that classes may differ by an offset. A number is the constant coordinate itself. The
        paper does not (``affine=False``).
    convention : "exact" or "published", default="exact"
        Scale of the Fourier transform: the one that equals the vector network on all shifts, or the unitary one of the
        paper's published numbers, for which ε² is silently as many times larger as a signal has positions.
    construction : "samples" or "moments", default="samples"
        What each layer is built from: the features of all samples, or the second moments of the classes alone. With
        "moments" one pass over the samples is enough, the cost of a layer does not depend on their number, and more
        samples can come later (``partial_fit``, ``merge``, ``forget``); layers know the true class of each sample
        instead of guessing it, and bring features back to the sphere class by class, in the mean. Vectors with
        more features than samples take the memory of n × n moments then.
    kernel : None, "linear", "rbf", "poly", "cosine", callable or KernelMap, default=None
        For plain vectors: features of a kernel in the place of X. "rbf" is exp(−γ ‖x − y‖²), "poly" is (1 + γ x · y)³,
        "cosine" the inner product of directions; a function gives the inner products, shape (m, l), of samples of
        shapes (m, n) and (l, n), and must be symmetric and positive semidefinite. Features are coordinates in the
        span of the training samples, and one for the length of what lies outside. The ``network_.kernel`` of another
        model has its landmarks.
    gamma : float or "auto", default="auto"
        γ of "rbf" and "poly". "auto" is 1 over the median squared distance of samples ("rbf"), or over their mean
        squared length ("poly").
    n_landmarks : int, default=1000
        Training samples, at most, that span the features of a kernel. With as many samples or fewer all of them do, and
        the network is that of the kernel, exactly; of more samples so many are drawn (the method of Nyström). Which
        ones depends on their values and on ``random_state``, not on their order.
    sample_shape : tuple of int, optional
        Layout of one sample, such as (n_channels, length) or (height, width), when X is flat.
    random_state : int, RandomState or None, default=0
        Of the landmarks of a kernel.
    warm_start : bool, default=False
        Fit adds layers to the network that is there, up to ``n_layers``, instead of building all of them; for the same
        samples.
    verbose : int, default=0
        1 shows layers done, ΔR and time left on the error stream.
    class_weight : None, "balanced" or dict, default=None
        Factor of the weights of the samples of each class, by label; a class that a dict does not name has 1.
        "balanced" gives all classes the same total weight.
    n_jobs : int or None, default=None
        Threads of this package at most; None and -1 are all cores, -2 all but one. It changes no bit of a result.
    augment : callable, optional
        For a fit without labels: ``augment(samples, random)`` gives another view of each sample, which is in the class
        of the sample. Samples come as an array of shape (n_samples, n_channels, *grid), that of plain vectors is
        (n_samples, n_features), and views have the same shape; ``random`` is a ``numpy.random.Generator``.
    n_views : int, optional
        Views of each sample, beside itself; 4 by default, where there is ``augment``.

    Attributes
    ----------
    network_ : Network
        Frozen layers: ``network_.layers[l].expansion`` and ``.compression``, ``network_.kernels(l)``.
    history_ : History
        ``coding_rate``, ``class_coding_rate`` and ``rate_reduction``; entry 0 is the input.
    n_layers_ : int
        Layers that were built.
    classes_ : array
        Labels seen in fit, sorted. Without labels, a number for each sample that differs from the others.
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
        affine: bool | float = True,
        convention: str = "exact",
        construction: str = "samples",
        kernel: Any = None,
        gamma: float | str = "auto",
        n_landmarks: int = 1000,
        sample_shape: tuple[int, ...] | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        verbose: int = 0,
        class_weight: Any = None,
        n_jobs: int | None = None,
        augment: Any = None,
        n_views: int | None = None,
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
        self.construction = construction
        self.kernel = kernel
        self.gamma = gamma
        self.n_landmarks = n_landmarks
        self.sample_shape = sample_shape
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.augment = augment
        self.n_views = n_views

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, checkpoint: Any = None) -> Self:
        """Build the network from samples, labelled or not.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features), or (n_samples, n_channels, *grid) as the invariance takes it
        y : array-like, shape (n_samples,), optional
            Labels of any type. Without them each sample is a class of its own, with its shifts and views; that takes a
            compression for each sample in every layer, so some thousand samples at most.
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample counts.
        checkpoint : str, path or Checkpoint, optional
            Folder to keep progress in. After a crash the same call goes on there, and ends with the same bits.
        """
        recipe = self.check_parameters()
        if y is None:
            return self._fit_without_labels(recipe, X, sample_weight, checkpoint)
        self._refuse_views_of_labelled()
        if self.construction == "moments":
            return self._fit_from_moments(recipe, X, y, sample_weight, checkpoint)
        data = self._read_training(X, y, sample_weight)
        samples, labels, weights, geometry = data.samples, data.labels, data.weights, data.geometry
        more = self._adds_layers(samples, labels)
        with self._computing(checkpoint, data, adds_layers=more) as saved:
            network = Network.entrance(geometry, samples, spanned=recipe.measure.free_of_basis, kernel=data.kernel)
            recipe.measure.refuse_options(recipe.measure_options, network.space)
            refuse_too_large(network, len(samples), len(labels.classes), recipe)
            training = TrainingSet(network, samples, labels, weights)
            built = self._construct(recipe, training, saved, adds_layers=more)
            self._keep_built(built, training, samples.shape[1:])
            self._forget_moments()
        return self

    def _fit_without_labels(self, recipe: Recipe, X: Any, sample_weight: Any, checkpoint: Any) -> Self:
        """Build the network from samples that are classes of their own, each with its views."""
        self._refuse_unlabelled_options()
        data = self._read_views(X, sample_weight)
        samples, labels = data.samples, data.labels
        more = self._adds_layers(samples, labels)
        with self._computing(checkpoint, data, adds_layers=more) as saved:
            network = Network.entrance(data.geometry, samples, spanned=recipe.measure.free_of_basis, kernel=data.kernel)
            recipe.measure.refuse_options(recipe.measure_options, network.space)
            self._refuse_many_classes(network, len(samples), len(labels.classes), recipe)
            # Layers of so many classes are large, and ΔR goes on growing while they push samples apart.
            refuse_too_large(network, len(samples), len(labels.classes), recipe, all_layers=True)
            training = ViewSet(network, samples, labels, data.weights)
            built = self._construct(recipe, training, saved, adds_layers=more)
            self._keep_built(built, training, samples.shape[1:])
            self._forget_moments()
        return self

    def fit_blocks(self, blocks: SampleBlocks, classes: Any = None, checkpoint: Any = None) -> Self:
        """Build the network from labelled samples in blocks; see :meth:`BlockLearner.fit_blocks`."""
        self._refuse_views_of_labelled()
        return super().fit_blocks(blocks, classes, checkpoint)

    def check_parameters(self) -> Recipe:
        """Refuse parameters that no samples could go with; the constants of the construction, else."""
        self._check_construction()
        self._check_views()
        check_whole("rank", self.rank, 1)
        recipe = replace(self._recipe(), rank=int(self.rank))
        self._refuse_basis_of_kernel(self.membership, recipe.measure)
        return recipe

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
            raise InputError(
                "{output} takes flat {data}, but {data} has samples of shape {shape}; pass X.reshape(len(X), -1) and "
                "{layout}.",
                output=Option("transform_output", container),
                data=Data("X"),
                shape=samples.shape[1:],
                layout=Option("sample_shape", samples.shape[1:]),
            )
        with self._threads():
            features = self.network_.features(samples).astype(samples.dtype, copy=False)
        return features.reshape(len(features), -1) if flat else features

    @property
    def _n_features_out(self) -> int:
        return int(np.prod(self.network_.geometry.feature_shape))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.construction == "moments"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
