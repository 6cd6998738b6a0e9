"""Features, labels and weights of a batch as users pass them, into tensors of one shape, or an error that helps."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..inputs.errors import Data, InputError, InputTypeError, Option, RowError
from ..inputs.samples import sample_shape_of

# How far the memberships of a sample may be from a sum of 1; more where a type of numbers is coarser than that.
SUM_TOLERANCE = 1e-4
# Steps between neighbouring numbers that a sum of memberships may be off by.
SUM_TOLERANCE_STEPS = 8


@dataclass(frozen=True, eq=False)
class Members:
    """Samples of one class, and how much each of them belongs to it.

    Parameters
    ----------
    rows : int tensor, shape (n_members,)
    membership : float tensor, shape (n_members,)
        In [0, 1]; it carries a gradient where the memberships that were passed do.
    """

    rows: Tensor
    membership: Tensor


def read_features(
    Z: Any, invariance: str | None, sample_shape: tuple[int, ...] | None, dtype: torch.dtype, name: str
) -> Tensor:
    """Features of a batch in the given precision; shape (n_samples, n_channels, *grid).

    Parameters
    ----------
    Z : tensor, shape (n_samples, n_features) or (n_samples, n_channels, *grid)
    invariance : None, "shift" or "translation"
    sample_shape : tuple of int, optional
        Layout of one sample when Z is flat.
    dtype : torch.dtype
    name : str
        What the user calls the features.
    """
    if Z.ndim < 2:
        raise InputError(
            "{data} has shape {shape}, and a batch of features has at least two axes, samples first; pass "
            "{name}.reshape(n_samples, -1).",
            data=Data(name),
            shape=tuple(Z.shape),
            name=name,
        )
    if not Z.numel():
        raise InputError(
            "{data} has shape {shape}, which holds no number; pass at least one sample of at least one feature.",
            data=Data(name),
            shape=tuple(Z.shape),
        )
    wrong = ~torch.isfinite(Z.detach()).flatten(1).all(dim=1)
    if wrong.any():
        rows = rows_where(wrong)
        raise RowError(
            "{data} has NaN or infinity in {n} of its {n_samples} samples (first: row {rows[0]}); look for the layer "
            "that they come from, or train with a smaller learning rate.",
            rows=rows,
            data=Data(name),
            n=len(rows),
            n_samples=len(Z),
        )
    return Z.to(dtype).reshape(len(Z), *sample_shape_of(tuple(Z.shape), invariance, sample_shape, name))


def refuse_other_than_floats(Z: Any, name: str) -> None:
    """Refuse what is not a tensor of real floating-point numbers, of which alone there are gradients."""
    if not isinstance(Z, Tensor):
        raise InputTypeError(
            "{data} must be a tensor of PyTorch, got {kind}; pass torch.as_tensor({name}), or use the functions of the "
            "same names in redunet, which take arrays.",
            data=Data(name),
            kind=type(Z).__name__,
            name=name,
        )
    if not Z.is_floating_point():
        raise InputTypeError(
            "{data} must hold real floating-point numbers, got {kind}; pass {name}.to(torch.float32).",
            data=Data(name),
            kind=str(Z.dtype),
            name=name,
        )


def read_members(y: Any, Z: Tensor, *, name: str, features_name: str) -> list[Members]:
    """The members of each class that has some.

    Parameters
    ----------
    y : int tensor of shape (n_samples,), or tensor of shape (n_samples, n_classes)
        Numbers of the classes from 0 on, or memberships that sum to 1 for each sample.
    Z : float tensor, shape (n_samples, ...)
        Features, checked; memberships get their device and precision.
    name, features_name : str
        What the user calls labels and features.
    """
    if y is None:
        raise InputError("{labels} is None; pass one label per sample.", labels=Data(name))
    try:
        labels = torch.as_tensor(y)
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            "{labels} cannot be read as a tensor of numbers ({why}); pass whole numbers, for text those of "
            "np.unique({name}, return_inverse=True)[1].",
            labels=Data(name),
            why=str(error),
            name=name,
        ) from None
    if labels.ndim not in (1, 2):
        raise InputError(
            "{labels} has shape {shape}; pass labels of shape (n_samples,) or memberships of shape (n_samples, "
            "n_classes).",
            labels=Data(name),
            shape=tuple(labels.shape),
        )
    if len(labels) != len(Z):
        raise InputError(
            "{data} has {n_samples} samples but {labels} has {n_labels} rows; pass one label per sample.",
            data=Data(features_name),
            n_samples=len(Z),
            labels=Data(name),
            n_labels=len(labels),
        )
    if labels.is_complex():
        raise InputTypeError(
            "{labels} must hold whole numbers or memberships, got {kind}.", labels=Data(name), kind=str(labels.dtype)
        )
    labels = labels.to(Z.device)
    return _members_by_label(labels, Z, name) if labels.ndim == 1 else _members_by_membership(labels, Z, name)


def _members_by_label(labels: Tensor, Z: Tensor, name: str) -> list[Members]:
    """Members of classes that are whole numbers."""
    if labels.is_floating_point():
        raise InputTypeError(
            "{labels} must hold whole numbers, got {kind}; pass {name}.long(), or memberships of shape (n_samples, "
            "n_classes).",
            labels=Data(name),
            kind=str(labels.dtype),
            name=name,
        )
    labels = labels.to(torch.int64)
    if labels.min() < 0:
        rows = rows_where(labels < 0)
        raise RowError(
            "{labels} must be >= 0, got {label} in row {rows[0]}; leave out samples that have no label, or pass "
            "memberships of shape (n_samples, n_classes).",
            rows=rows,
            labels=Data(name),
            label=int(labels[rows[0]]),
        )
    in_order, order = torch.sort(labels, stable=True)
    _, counts = torch.unique_consecutive(in_order, return_counts=True)
    return [Members(rows, Z.new_ones(len(rows))) for rows in order.split(counts.tolist())]


def _members_by_membership(memberships: Tensor, Z: Tensor, name: str) -> list[Members]:
    """Members of classes that samples may belong to in part."""
    coarse = torch.finfo(memberships.dtype).eps if memberships.is_floating_point() else 0.0
    memberships = memberships.to(Z.dtype)
    values = memberships.detach()
    negative = ~(values >= 0).all(dim=1)  # NaN, too
    if negative.any():
        rows = rows_where(negative)
        raise RowError(
            "{labels} holds memberships, which must be >= 0, got {least} in row {rows[0]}; pass the softmax of scores.",
            rows=rows,
            labels=Data(name),
            least=float(values[rows[0]].min()),
        )
    total = values.sum(dim=1)
    wrong = (total - 1).abs() > max(SUM_TOLERANCE, SUM_TOLERANCE_STEPS * coarse)
    if wrong.any():
        rows = rows_where(wrong)
        raise RowError(
            "{labels} holds memberships, which must sum to 1 for each sample, got a sum of {total:g} in row {rows[0]}; "
            "divide each row by its sum, or pass labels of shape (n_samples,).",
            rows=rows,
            labels=Data(name),
            total=float(total[rows[0]]),
        )
    if memberships.requires_grad:  # those that are 0 have a gradient as well
        every = torch.arange(len(Z), device=Z.device)
        return [Members(every, column) for column in memberships.unbind(dim=1)]
    members = [column.nonzero()[:, 0] for column in memberships.T]
    return [Members(rows, memberships[rows, j]) for j, rows in enumerate(members) if len(rows)]


def read_sample_weight(sample_weight: Any, Z: Tensor) -> Tensor:
    """Weights of the samples, ones by default; shape (n_samples,)."""
    if sample_weight is None:
        return Z.new_ones(len(Z))
    weights = torch.as_tensor(sample_weight).to(Z.device, Z.dtype)
    option = Option("sample_weight")
    if tuple(weights.shape) != (len(Z),):
        raise InputError(
            "{option} must have shape ({n},), one weight per sample, got shape {shape}.",
            option=option,
            n=len(Z),
            shape=tuple(weights.shape),
        )
    values = weights.detach()
    wrong = ~(torch.isfinite(values) & (values >= 0))
    if wrong.any():
        rows = rows_where(wrong)
        raise RowError(
            "{option} must be >= 0 and finite, got {weight} in row {rows[0]}.",
            rows=rows,
            option=option,
            weight=float(values[rows[0]]),
        )
    total = float(values.sum())
    if not 0 < total < float("inf"):
        raise InputError(
            "{option} must have a sum that is > 0 and finite, got {total}; scale it to values around 1.",
            option=option,
            total=total,
        )
    return weights


def rows_where(found: Tensor) -> list[int]:
    """Rows for which a bool tensor of shape (n_samples,) is true."""
    return list(found.nonzero()[:, 0].tolist())
