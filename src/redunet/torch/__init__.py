"""Networks of rate reduction in PyTorch: trained further, with the guarantee kept, and losses for other networks."""

try:
    from .classifier_module import ClassifierModule
    from .conversion import estimator_of, module_of
    from .deformation import Deformation, RingDeformation
    from .fine_tuning import Epoch, fine_tune
    from .loss import RateReductionLoss
    from .network_module import FeatureModule
    from .random_start import random_start
    from .tensor_rates import class_coding_rate, coding_rate, rate_reduction
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] != "torch":
        raise
    raise ImportError(
        "redunet.torch needs PyTorch, which is not installed; install it with: pip install 'redunet[torch]'"
    ) from error

__all__ = [
    "ClassifierModule",
    "Deformation",
    "Epoch",
    "FeatureModule",
    "RateReductionLoss",
    "RingDeformation",
    "class_coding_rate",
    "coding_rate",
    "estimator_of",
    "fine_tune",
    "module_of",
    "random_start",
    "rate_reduction",
]
