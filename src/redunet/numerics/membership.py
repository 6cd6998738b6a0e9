"""Which class a sample belongs to, as the layer itself guesses it."""

import numpy as np
import scipy.special

from .arrays import Array


def soft_membership(residual: Array, lam: float) -> Array:
    """Soft assignment to the classes, π̂_j = softmax_j(−λ · residual_j) (the formula before eq. 12).

    Parameters
    ----------
    residual : float array, shape (n_classes, n_samples)
        How much of each sample class j does not explain, ‖C_j v‖ in some unit.
    lam : float
        Sharpness λ.

    Returns
    -------
    membership : float array, shape (n_samples, n_classes)
        Not negative, rows sum to 1.
    """
    membership: Array = scipy.special.softmax(-lam * np.asarray(residual, dtype=np.float64), axis=0).T
    return membership
