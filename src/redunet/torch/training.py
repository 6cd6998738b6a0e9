"""A module in training: steps in units of its own numbers, an average over the last ones, a state to go on from."""

import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..inputs.errors import InputError, Option
from ..numerics.arrays import Array
from .classifier_module import ClassifierModule

# Share of the steps in which the rate rises to its full value; then it falls to 0 along half a cosine.
RISING_SHARE = 0.1
# How fast Adam forgets gradients and their squares.
FORGETTING = (0.9, 0.99)
# The average of the parameters reaches back over about this share of the steps of all epochs, and one step at least.
AVERAGED_SHARE = 0.05
# What deforms samples: given a batch and a generator of random numbers, gives another batch.
Augmentation = Callable[[Tensor, torch.Generator], Tensor]
# What is made small: given the module, a batch, numbers of its classes and weights, gives a number.
Loss = Callable[[ClassifierModule, Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class TrainingPlan:
    """How a module is trained.

    Parameters
    ----------
    parts : tuple of str
        "answer", "layers", "lift".
    n_epochs : int
    batch_size : int
    rate : float
        Size of a step, in units of the root mean square of the numbers of a parameter.
    loss : Loss
    augment : Augmentation or None
    seed : int
        Batches and deformations of each epoch depend on it and on the number of the epoch alone.
    """

    parts: tuple[str, ...]
    n_epochs: int
    batch_size: int
    rate: float
    loss: Loss
    augment: Augmentation | None
    seed: int


class Training:
    """A module that is being trained on samples.

    Parameters
    ----------
    module : ClassifierModule
        The start; it is changed.
    samples : tensor, shape (n_samples, *sample_shape)
    codes : int64 tensor, shape (n_samples,)
        Numbers of the classes of the samples.
    weights : tensor, shape (n_samples,)
        How often each sample counts.
    plan : TrainingPlan

    Attributes
    ----------
    averaged : ClassifierModule
        The module with its parameters averaged over the last steps: what is judged, and kept.
    n_epochs_done : int
    """

    def __init__(
        self, module: ClassifierModule, samples: Tensor, codes: Tensor, weights: Tensor, plan: TrainingPlan
    ) -> None:
        self.module, self.plan = module, plan
        self.samples, self.codes, self.weights = samples, codes, weights
        self.averaged = deepcopy(module)
        self.n_epochs_done = 0
        self.trained = dict(trained_parameters(module, plan.parts))
        groups = [
            {"params": [parameter], "lr": plan.rate * unit_of(name, parameter)}
            for name, parameter in self.trained.items()
        ]
        self.optimiser = torch.optim.Adam(groups, betas=FORGETTING)
        self.full_rates = [group["lr"] for group in self.optimiser.param_groups]
        steps = max(1, plan.n_epochs * self._n_batches)
        self.forgetting = 1 / max(1.0, AVERAGED_SHARE * steps)
        for name, parameter in module.named_parameters():
            parameter.requires_grad_(name in self.trained)

    @property
    def _n_batches(self) -> int:
        """Batches of an epoch."""
        return max(1, math.ceil(len(self.samples) / self.plan.batch_size))

    def epoch(self) -> float:
        """Pass all samples once, in a random order, and give their mean loss."""
        generator = torch.Generator().manual_seed(self.plan.seed + 1_000_003 * self.n_epochs_done)
        order = torch.randperm(len(self.samples), generator=generator)
        total = 0.0
        for number, some in enumerate(torch.tensor_split(order, self._n_batches)):
            total += self._step(some.to(self.samples.device), number, generator) * len(some)
        self.n_epochs_done += 1
        return total / len(order)

    def _step(self, some: Tensor, number: int, generator: torch.Generator) -> float:
        """One step along the gradient of the loss of some samples; gives the loss."""
        X = self.samples[some]
        if self.plan.augment is not None:
            X = self.plan.augment(X, generator)
        loss = self.plan.loss(self.module, X, self.codes[some], self.weights[some])
        self.optimiser.zero_grad()
        loss.backward()
        share = self._share_of_rate(self.n_epochs_done * self._n_batches + number)
        for group, full in zip(self.optimiser.param_groups, self.full_rates, strict=True):
            group["lr"] = full * share
        self.optimiser.step()
        if not all(bool(torch.isfinite(parameter).all()) for parameter in [loss, *self.trained.values()]):
            raise InputError(
                "training led to numbers that are not finite; pass a smaller {rate} than {value:g}.",
                rate=Option("rate"),
                value=self.plan.rate,
            )
        averaged = dict(self.averaged.named_parameters())
        with torch.no_grad():
            for name, parameter in self.trained.items():
                averaged[name].lerp_(parameter, self.forgetting)
        return float(loss.detach())

    def _share_of_rate(self, step: int) -> float:
        """Which share of the full rate a step has."""
        progress = (step + 0.5) / (self.plan.n_epochs * self._n_batches)
        if progress < RISING_SHARE:
            return progress / RISING_SHARE
        return 0.5 * (1 + math.cos(math.pi * (progress - RISING_SHARE) / (1 - RISING_SHARE)))

    def state(self) -> dict[str, Array]:
        """All that an interrupted training needs to go on, as arrays by name."""
        found: dict[str, Array] = {}
        averaged = dict(self.averaged.named_parameters())
        for name, parameter in self.trained.items():
            remembered = self.optimiser.state.get(parameter, {})
            parts = {"now": parameter, "averaged": averaged[name]}
            parts |= {kind: remembered[kind] for kind in ("exp_avg", "exp_avg_sq") if kind in remembered}
            found |= {f"{kind} {name}": value.numpy(force=True).copy() for kind, value in parts.items()}
        found["epochs done"] = np.array([self.n_epochs_done])
        return found

    def restore(self, state: dict[str, Array]) -> None:
        """Go on from what :meth:`state` gave."""
        self.n_epochs_done = int(state["epochs done"][0])
        averaged = dict(self.averaged.named_parameters())
        with torch.no_grad():
            for name, parameter in self.trained.items():
                parameter.copy_(torch.from_numpy(state[f"now {name}"]))
                averaged[name].copy_(torch.from_numpy(state[f"averaged {name}"]))
                if f"exp_avg {name}" in state:
                    steps = torch.tensor(float(self.n_epochs_done * self._n_batches))
                    moments = {
                        kind: torch.from_numpy(state[f"{kind} {name}"]).to(parameter)
                        for kind in ("exp_avg", "exp_avg_sq")
                    }
                    self.optimiser.state[parameter] = {"step": steps, **moments}


def trained_parameters(module: ClassifierModule, parts: tuple[str, ...]) -> Iterator[tuple[str, nn.Parameter]]:
    """Parameters that belong to one of the parts, those of a second answer included, by their names.

    Doubt and offsets are left as they are: how sure to be is found on samples that were held out.
    """
    for name, parameter in module.named_parameters():
        words = name.split(".")
        if words[0] == "further":
            words = words[2:]
        if words[0] in parts or (words[-1] == "log_sharpness" and words[0] == "calibration" and "answer" in parts):
            yield name, parameter


def unit_of(name: str, parameter: Tensor) -> float:
    """What a step of size 1 is: the root mean square of the numbers of a parameter, or 1 for logarithms."""
    if is_logarithm(name):
        return 1.0
    return float(parameter.detach().square().mean().sqrt()) or 1.0


def is_logarithm(name: str) -> bool:
    """Whether a parameter of this name holds logarithms of positive numbers."""
    return name.rpartition(".")[2].startswith("log_")


def cross_entropy(module: ClassifierModule, X: Tensor, codes: Tensor, weights: Tensor) -> Tensor:
    """Minus the mean logarithm of the probability of the label."""
    own = module(X).gather(1, codes[:, None])[:, 0]
    return -(own * weights).sum() / weights.sum()
