"""From a fitted estimator to a PyTorch module, and from a module back to an estimator."""

from copy import copy, deepcopy
from typing import Any

import torch
from sklearn.utils.validation import check_is_fitted

from ..estimators.answering import InvariantAnswers
from ..estimators.features import ReduNet
from ..inputs.errors import InputError, InputTypeError
from .classifier_module import ClassifierModule
from .network_module import FeatureModule, NetworkModule


def module_of(model: Any) -> Any:
    """The module that does what a fitted estimator does, in double precision, with parameters to train.

    Parameters
    ----------
    model : ReduNetClassifier, NearestSubspaceClassifier or ReduNet
        Fitted. It is not changed by whatever is done with the module.

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
    if isinstance(model, ReduNet):
        module: NetworkModule = FeatureModule(model.network_, model.sample_shape_)
    else:
        module = ClassifierModule(model)
    module.model = _without_moments(model)
    return module


def estimator_of(module: Any) -> Any:
    """An estimator with the parameters that a module has now, of the class that the module was made of.

    Parameters
    ----------
    module : ClassifierModule or FeatureModule
        As :func:`module_of` made it, whatever its parameters became.

    Returns
    -------
    ReduNetClassifier, NearestSubspaceClassifier or ReduNet
    """
    if not isinstance(module, NetworkModule) or not hasattr(module, "model"):
        raise InputTypeError(
            f"estimator_of takes a module that redunet.torch.module_of made, got {type(module).__name__}."
        )
    _refuse_infinite_numbers(module)
    precise = deepcopy(module).to(device="cpu", dtype=torch.float64)
    model = copy(module.model)
    with torch.no_grad():
        model.network_ = precise.network(model.network_)
        if isinstance(precise, ClassifierModule):
            _take_answers(model, precise)
    if getattr(model, "lift_", None) is not None:
        model.lift_ = _lift_with(model.lift_, model.network_.lift)
    return model


def _without_moments(model: Any) -> Any:
    """A copy of a model that keeps no moments of samples: after training they would not say what it is."""
    kept = copy(model)
    if hasattr(kept, "_forget_moments"):
        seen = kept._seen
        kept._forget_moments()
        kept._seen = seen
    return kept


def _take_answers(model: Any, module: ClassifierModule) -> None:
    """Set what a classifier answers by."""
    answers, weight = module.answer.record()
    model.answers_ = answers
    if module.answer.counts:
        model.answer_weight_ = weight
    pairs = zip(module.further, model.further_answers_, strict=True)
    model.further_answers_ = tuple(one.record(further) for one, further in pairs)
    model._keep_calibration(module.calibration.record())


def _lift_with(lift: Any, bank: Any) -> Any:
    """A fitted lift that has another bank."""
    found = copy(lift)
    found.bank_ = bank
    for name in ("filters_", "level_"):
        if hasattr(found, name):
            setattr(found, name, getattr(bank, name[:-1]))
    return found


def _refuse_infinite_numbers(module: NetworkModule) -> None:
    """Refuse parameters that no estimator could compute with."""
    for name, parameter in module.named_parameters():
        if not bool(torch.isfinite(parameter).all()):
            raise InputError(
                f"the parameter {name} of the module holds NaN or infinity; go back to a state before, or train with "
                f"a smaller rate."
            )
