"""Gaussian mixtures on the circle and the sphere: the paper's first experiment and its variations."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..inputs.parameters import check_at_least, check_whole
from ..numerics.arrays import Array


def gaussians_on_sphere(means: Any, sigma: float, n_per_class: int, random_state: Any = None) -> tuple[Array, Array]:
    """Gaussian samples around given means, each then divided by its norm.

    Parameters
    ----------
    means : array-like, shape (n_classes, n_dims)
        One mean per class.
    sigma : float
        Standard deviation of every coordinate, before the projection.
    n_per_class : int
    random_state : int, RandomState or None

    Returns
    -------
    X : float array, shape (n_classes · n_per_class, n_dims)
        Samples of length 1, class after class.
    y : int array, shape (n_classes · n_per_class,)
        0, 1, …, in the order of the means.
    """
    means = np.asarray(means, dtype=np.float64)
    if means.ndim != 2 or 0 in means.shape or not np.isfinite(means).all():
        raise ValueError(f"means must be finite, of shape (n_classes, n_dims), got shape {means.shape}.")
    check_at_least("sigma", sigma, 0)
    check_whole("n_per_class", n_per_class, 1)
    if sigma == 0 and not means.any(axis=1).all():
        raise ValueError("a mean is 0 and sigma=0, which has no direction; move the mean or pass sigma > 0.")
    y = np.repeat(np.arange(len(means)), n_per_class)
    X = means[y] + sigma * check_random_state(random_state).standard_normal((len(y), means.shape[1]))
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def on_circle(*degrees: float) -> tuple[tuple[float, float], ...]:
    """Points on the circle at these angles, against the clock from (1, 0)."""
    return tuple((math.cos(math.radians(angle)), math.sin(math.radians(angle))) for angle in degrees)


@dataclass(frozen=True)
class GaussianCase:
    """One mixture of the paper: where its classes lie, how wide they are, how many samples each has.

    Parameters
    ----------
    means : sequence of points, shape (n_classes, n_dims)
    sigma : float, default=0.1
        The paper writes N(μ, σI) with σ = 0.1, once calling it a variance. Here it is the standard deviation, as in the
        released experiments; as a variance, neighbouring classes would overlap.
    n_per_class : int, default=500
    """

    means: Sequence[tuple[float, ...]]
    sigma: float = 0.1
    n_per_class: int = 500

    def sample(self, random_state: Any = None) -> tuple[Array, Array]:
        """Samples (n, n_dims) and classes (n,); another random_state gives new samples of the same mixture."""
        return gaussians_on_sphere(self.means, self.sigma, self.n_per_class, random_state)


# The paper gives σ = 0.1 and 500 samples per class for its main figure, and says of the means only that they lie on the
# sphere. The means below are those of the released experiments, brought to length 1. σ and the number of samples of
# "circle-3" and "circle-6", and the number of samples of the two "-near" cases, are not given either; those of the main
# figure are taken.
GAUSSIAN_CASES = {
    # Main figure.
    "circle-2": GaussianCase(on_circle(0, 90)),
    "sphere-3": GaussianCase(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
    # Appendix, the first additional figures: classes that start nearer to each other than a right angle. Which of
    # several released means they show is not said.
    "circle-2-near": GaussianCase(on_circle(0, 60)),
    "sphere-3-near": GaussianCase(
        tuple((x / math.sqrt(2), y / math.sqrt(2), math.sqrt(0.5)) for x, y in on_circle(45, 120, 180))
    ),
    # Appendix, more classes than dimensions. Of two released triples this is the one with two classes almost on one
    # line (240° and 45°), which the text says were merged.
    "circle-3": GaussianCase(on_circle(135, 240, 45)),
    "circle-6": GaussianCase(on_circle(30, 90, 135, 225, 315, 270)),
}
