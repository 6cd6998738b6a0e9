"""Networks of rate reduction in PyTorch: trained further, with the guarantee kept, and losses for other networks."""

try:
    from .classifier_module import ClassifierModule
    from .conversion import estimator_of, module_of
    from .network_module import FeatureModule
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] != "torch":
        raise
    raise ImportError("redunet.torch needs PyTorch; install it with: pip install 'redunet[torch]'") from error

__all__ = ["ClassifierModule", "FeatureModule", "estimator_of", "module_of"]
