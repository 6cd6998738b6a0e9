"""Constants of the paper's released experiments, for the experiments, the measurements of speed and the tests."""

from dataclasses import dataclass
from typing import Any

# Options of every released network: ε² = 0.1, λ = 500, unitary transform, no constant coordinate, all layers built. The
# step η and the number of layers differ from one experiment to the other.
PUBLISHED_OPTIONS: dict[str, Any] = {
    "eps": 0.1**0.5,
    "sharpness": 500.0,
    "convention": "published",
    "affine": False,
    "tol": None,
}


@dataclass(frozen=True)
class PublishedTask:
    """One half of the paper's Table 1, '0' against '1': sizes, constants and the accuracies that it reports.

    Parameters
    ----------
    n_train, n_test : int
        Images of both digits together.
    n_layers : int
    step_size : float
        η of the invariant network.
    vector_step_size : float
        η of the network without invariance.
    vector_accuracy, vector_accuracy_shifted : float
        Of the network without invariance, on test images as they are and at all shifts.
    accuracy, accuracy_shifted : float
        Of the invariant network.
    """

    n_train: int
    n_test: int
    n_layers: int
    step_size: float
    vector_step_size: float
    vector_accuracy: float
    vector_accuracy_shifted: float
    accuracy: float
    accuracy_shifted: float


ROTATION = PublishedTask(
    n_train=2000,
    n_test=1000,
    n_layers=3500,
    step_size=0.5,
    vector_step_size=0.5,
    vector_accuracy=0.983,
    vector_accuracy_shifted=0.707,
    accuracy=0.996,
    accuracy_shifted=0.993,
)
# Rings that make a rotation a shift, for ``PolarGrid``. The paper does not give their radii.
ROTATION_GRID: dict[str, Any] = {"n_rings": 5, "n_angles": 200}

TRANSLATION = PublishedTask(
    n_train=1000,
    n_test=500,
    n_layers=2000,
    step_size=0.5,
    vector_step_size=0.1,
    vector_accuracy=0.980,
    vector_accuracy_shifted=0.540,
    accuracy=0.975,
    accuracy_shifted=0.909,
)
# Filters that give an image five channels, for ``Lift``.
TRANSLATION_LIFT: dict[str, Any] = {"filters": "random", "n_channels": 5, "kernel_size": 3, "threshold": "relu"}
# Pixels between the translations that the paper tests: 16 of an image of 28 × 28.
TRANSLATION_STRIDE = 7
