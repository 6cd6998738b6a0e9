"""From a fitted estimator to a PyTorch module, and from a module back to an estimator."""

import math
from copy import copy, deepcopy
from typing import Any

import torch
from sklearn.utils.validation import check_is_fitted

from ..estimators.answering import InvariantAnswers
from ..estimators.features import ReduNet
from ..inputs.errors import InputError, InputTypeError, Option
from .classifier_module import ClassifierModule
from .network_module import FeatureModule, NetworkModule

# A parameter that is still where it began, but for rounding in single precision: share of its largest value.
ROUNDING_SHARE = 1e-5


def module_of(model: Any) -> Any:
    """The module that does what a fitted estimator does, in double precision, with parameters to train.

    Parameters
    ----------
    model : ReduNetClassifier, NearestSubspaceClassifier or ReduNet
        Fitted. Nothing that is done with the module changes it.

    Returns
    -------
    ClassifierModule or FeatureModule
    """
    if not isinstance(model, (InvariantAnswers, ReduNet)):
        raise InputTypeError(
            f"module_of takes a fitted ReduNetClassifier, NearestSubspaceClassifier or ReduNet, got "
            f"{type(model).__name__}."
        )
    check_is_fitted(model)
    if model.network_.kernel is not None:
        raise InputError(
            "a model with a {kernel} has no module, since its landmarks are training samples and no parameters to "
            "train; fit one with {off}.",
            kernel=Option("kernel"),
            off=Option("kernel", None),
        )
    if getattr(model, "aligned_answer_", None) is not None:
        raise InputError(
            "a model that compares samples at every shift, too, has no module, since the landmarks of that answer "
            "are training samples and no parameters to train; fit one with {off}.",
            off=Option("aligned", False),
        )
    kept = _without_moments(model)
    return FeatureModule(kept) if isinstance(kept, ReduNet) else ClassifierModule(kept)


def estimator_of(module: Any) -> Any:
    """An estimator with the parameters that a module has now, of the class that the module was made of.

    It saves, loads, explains and reports like any other, and its answers are the same bits for every shift of a sample.
    It keeps no moments. Where parameters are not what they were in the estimator that the module was made of, what
    left-out samples said of that one is dropped: ``loo_score_`` is not a number, and ``depth_scores_`` are None.
    ``history_`` and ``evidence_`` stay, as the record of the fit that it began with.

    Parameters
    ----------
    module : ClassifierModule or FeatureModule
        As :func:`module_of` made it, whatever its parameters became, on any device and in any precision.

    Returns
    -------
    ReduNetClassifier, NearestSubspaceClassifier or ReduNet
        Its arrays have the types of those of the estimator that the module was made of.
    """
    if not isinstance(module, (ClassifierModule, FeatureModule)):
        raise InputTypeError(
            f"estimator_of takes a module that redunet.torch.module_of made, got {type(module).__name__}."
        )
    _refuse_infinite_numbers(module)
    model = copy(module.like)
    with torch.no_grad():
        precise = deepcopy(module).to(device="cpu", dtype=torch.float64)
        model.network_ = precise.network_like(model.network_)
        if isinstance(precise, ClassifierModule):
            _take_answers(model, precise)
    if getattr(model, "lift_", None) is not None:
        model.lift_ = _lift_with(model.lift_, model.network_.lift)
    if hasattr(model, "loo_score_") and _is_trained(precise):
        model.loo_score_ = math.nan
        if hasattr(model, "depth_scores_"):
            model.depth_scores_ = None
    return model


def _without_moments(model: Any) -> Any:
    """A copy of a model that keeps no moments of samples, which would not say what it is after training."""
    kept = copy(model)
    if hasattr(kept, "_forget_moments"):
        seen = kept._seen
        kept._forget_moments()
        kept._seen = seen
    return kept


def _take_answers(model: Any, module: ClassifierModule) -> None:
    """Set what a classifier answers by."""
    model.answers_, model.answer_weight_ = module.answer.record()
    model.further_answers_ = tuple(one.record() for one in module.further)
    model._keep_calibration(module.calibration.record())


def _lift_with(lift: Any, bank: Any) -> Any:
    """A fitted lift that has another bank, of the same kind."""
    found = copy(lift)
    found.bank_ = bank
    if hasattr(found, "filters_"):
        found.filters_, found.level_ = bank.filters, bank.level
    return found


def _is_trained(module: ClassifierModule | FeatureModule) -> bool:
    """Whether parameters are not what they were at the beginning, beyond rounding."""
    now = module.state_dict()
    for name, start in type(module)(module.like).state_dict().items():
        if bool(((now[name] - start).abs() > ROUNDING_SHARE * start.abs().max()).any()):
            return True
    return False


def _refuse_infinite_numbers(module: NetworkModule) -> None:
    """Refuse parameters that no estimator could compute with."""
    for name, parameter in module.named_parameters():
        if not bool(torch.isfinite(parameter).all()):
            raise InputError(
                f"the parameter {name} of the module holds NaN or infinity; go back to an earlier state, or train with "
                f"a smaller rate."
            )
