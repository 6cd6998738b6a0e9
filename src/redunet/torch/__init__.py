"""Networks of rate reduction in PyTorch: trained further, with the guarantee kept, and losses for other networks."""

try:
    from .loss import RateReductionLoss
    from .tensor_rates import class_coding_rate, coding_rate, rate_reduction
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] != "torch":
        raise
    raise ImportError(
        "redunet.torch needs PyTorch, which is not installed; install it with: pip install 'redunet[torch]'"
    ) from error

__all__ = ["RateReductionLoss", "class_coding_rate", "coding_rate", "rate_reduction"]
