"""The same architecture with random numbers: what training from a closed-form start is compared with."""

from typing import Any

import torch
from sklearn.utils import check_random_state

from .conversion import estimator_of, module_of
from .training import is_logarithm


def random_start(clf: Any, random_state: Any = 0) -> Any:
    """A classifier like a fitted one, whose filters, operators and subspaces are random numbers of the same size.

    Parameters
    ----------
    clf : ReduNetClassifier or NearestSubspaceClassifier
        Fitted. It is not changed.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    classifier of the class of clf
        Of the same layers, channels, ranks, step sizes and levels.
    """
    module = module_of(clf)
    generator = torch.Generator().manual_seed(int(check_random_state(random_state).randint(2**31 - 1)))
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.ndim and not is_logarithm(name) and not name.startswith("calibration."):
                size = parameter.square().mean().sqrt()
                parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype) * size)
    return estimator_of(module)
